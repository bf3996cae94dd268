/* connect/yaml.c - writing YAML: plain where it reads the same, JSON where not.
 * Room: connect. */
#include "connect/yaml.h"

#include "base/json_write.h"

/* Narrower than YAML allows: what could be a number, a date, a
 * word for true or null, or a sign of YAML's is quoted. Better
 * a quote too many than text that comes back as something else. */
static bool is_plain(mt_str s)
{
    static const char *const WORDS[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    bool plain = s.len && s.len < 100 && !(s.ptr[0] >= '0' && s.ptr[0] <= '9') &&
                 s.ptr[0] != '-' && s.ptr[0] != '.' && s.ptr[0] != '/';
    for (size_t i = 0; plain && i < s.len; i++) {
        char c = s.ptr[i];
        plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                c == '.' || c == '-' || c == '/' || (c >= '0' && c <= '9');
    }
    for (size_t i = 0; plain && i < sizeof WORDS / sizeof *WORDS; i++) {
        plain = s.len != strlen(WORDS[i]) || strncasecmp(s.ptr, WORDS[i], s.len) != 0;
    }
    return plain;
}

void cn_yaml_text(mt_buf *out, mt_str text)
{
    if (is_plain(text)) {
        mt_buf_adds(out, text);
    } else {
        mt_json_quote(out, text);
    }
}

/* {select: data.total, convert: {shift: -2}}. Numbers and the like are as in JSON. */
static void put_flow(mt_buf *out, const mt_json *v)
{
    if (mt_json_is(v, MT_JSON_STRING)) {
        cn_yaml_text(out, mt_json_text(v));
    } else if (mt_json_is(v, MT_JSON_ARRAY)) {
        mt_buf_addc(out, '[');
        for (uint32_t i = 0; i < v->count; i++) {
            mt_buf_addz(out, i ? ", " : "");
            put_flow(out, &v->as.items[i]);
        }
        mt_buf_addc(out, ']');
    } else if (mt_json_is(v, MT_JSON_OBJECT)) {
        mt_buf_addc(out, '{');
        for (uint32_t i = 0; i < v->count; i++) {
            mt_buf_addz(out, i ? ", " : "");
            cn_yaml_text(out, v->as.members[i].key);
            mt_buf_addz(out, ": ");
            put_flow(out, &v->as.members[i].value);
        }
        mt_buf_addc(out, '}');
    } else {
        mt_json_write(out, v, false);
    }
}

void cn_yaml_put(mt_buf *out, const mt_json *object, size_t indent, size_t blocks)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        mt_buf_addf(out, "%*s", (int)indent, "");
        cn_yaml_text(out, m->key);
        mt_buf_addc(out, ':');
        if (blocks && mt_json_is(&m->value, MT_JSON_OBJECT) && m->value.count) {
            mt_buf_addc(out, '\n');
            cn_yaml_put(out, &m->value, indent + 2, blocks - 1);
            continue;
        }
        mt_buf_addc(out, ' ');
        put_flow(out, &m->value);
        mt_buf_addc(out, '\n');
    }
}
