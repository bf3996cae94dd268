#include "http/log.h"

#include <time.h>

static const char *const LEVELS[] = {
    [HT_DEBUG] = "debug",
    [HT_INFO] = "info",
    [HT_WARN] = "warn",
    [HT_ERROR] = "error",
};
MT_TABLE_COVERS(LEVELS, HT_ERROR + 1);

bool ht_level_read(mt_str name, ht_level *out)
{
    for (unsigned i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        if (mt_str_eq(name, mt_str_z(LEVELS[i]))) {
            *out = (ht_level)i;
            return true;
        }
    }
    return false;
}

const char *ht_level_name(ht_level level)
{
    return LEVELS[level];
}

static void add_time(mt_buf *out)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    mt_buf_addf(out, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, (int)(now.tv_nsec / 1000000));
}

/* A word as it is; anything else as a JSON string, so a line stays one line. */
static bool is_word(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] <= ' ' || s.ptr[i] == '"' || s.ptr[i] == '=' || s.ptr[i] == 0x7f) {
            return false;
        }
    }
    return s.len > 0;
}

/* The fields are made by this program. Should they ever not be an object, the line
 * keeps its event and loses them. */
static void add_text_fields(mt_buf *out, mt_arena *a, mt_str fields)
{
    mt_json tree;
    if (mt_json_read(a, fields, NULL, &tree, NULL) ||
        !mt_json_is(&tree, MT_JSON_OBJECT)) {
        return;
    }
    for (uint32_t i = 0; i < tree.count; i++) {
        const mt_json_member *m = &tree.as.members[i];
        mt_buf_addf(out, " %.*s=", MT_ARG(m->key));
        if (mt_json_is(&m->value, MT_JSON_STRING) && is_word(mt_json_text(&m->value))) {
            mt_buf_adds(out, mt_json_text(&m->value));
        } else {
            mt_json_write(out, &m->value, false);
        }
    }
}

/* `fields` is an object as text. In JSON its members are joined to ours by leaving out
 * its opening brace; in text its members become words. */
void ht_log_line(mt_buf *out, bool json, int level, mt_str event, mt_str fields)
{
    if (!json) {
        mt_arena arena = {0};
        add_time(out);
        mt_buf_addf(out, " %s %.*s", LEVELS[level], MT_ARG(event));
        add_text_fields(out, &arena, fields);
        mt_arena_free(&arena);
    } else {
        mt_buf_addz(out, "{\"time\":\"");
        add_time(out);
        mt_buf_addf(out, "\",\"level\":\"%s\",\"event\":", LEVELS[level]);
        mt_json_quote(out, event);
        mt_buf_addz(out, fields.len > 2 ? "," : "}"); /* "{…}" */
        mt_buf_adds(out, fields.len > 2 ? mt_str_skip(fields, 1) : (mt_str){0});
    }
    mt_buf_addc(out, '\n');
}

void ht_log_text(const ht_log *log, ht_level level, const char *event, const char *key,
                 mt_str value)
{
    mt_buf fields = {0};
    mt_jw w = mt_jw_start(&fields, false);
    mt_jw_begin_object(&w);
    mt_jw_key(&w, mt_str_z(key));
    mt_jw_str(&w, value);
    mt_jw_end_object(&w);
    ht_log_write((void *)(uintptr_t)log, (int)level, mt_str_z(event),
                 mt_buf_str(&fields));
    mt_buf_free(&fields);
}
