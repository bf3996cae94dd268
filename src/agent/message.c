/* agent/message.c - writing and reading typed envelopes. */
#include "agent/message.h"

#include "agent/python.h"
#include "base/json_write.h"
#include "base/utf8.h"

static const char *number_type(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' || text.ptr[i] == 'e' || text.ptr[i] == 'E') {
            return "\"float\"";
        }
    }
    return "\"int\"";
}

/* The envelope's type: the shape of the payload with the names of its leaves. Recursion
 * is as deep as the reader allowed. */
static void add_type(mt_buf *out, const mt_json *node, unsigned depth)
{
    MT_ASSERT(depth <= MT_JW_MAX_DEPTH); /* the reader has bounded it */
    switch ((mt_json_type)node->type) {
    case MT_JSON_NULL: mt_buf_addz(out, "\"null\""); return;
    case MT_JSON_BOOL: mt_buf_addz(out, "\"bool\""); return;
    case MT_JSON_STRING: mt_buf_addz(out, "\"str\""); return;
    case MT_JSON_NUMBER: mt_buf_addz(out, number_type(mt_json_text(node))); return;
    case MT_JSON_ARRAY:
        for (uint32_t i = 0; i < node->count; i++) {
            mt_buf_addc(out, i ? ',' : '[');
            add_type(out, &node->as.items[i], depth + 1);
        }
        mt_buf_addz(out, node->count ? "]" : "[]");
        return;
    case MT_JSON_OBJECT:
        for (uint32_t i = 0; i < node->count; i++) {
            mt_buf_addc(out, i ? ',' : '{');
            mt_json_quote(out, node->as.members[i].key);
            mt_buf_addc(out, ':');
            add_type(out, &node->as.members[i].value, depth + 1);
        }
        mt_buf_addz(out, node->count ? "}" : "{}");
        return;
    }
}

/* Appends the type tree of a payload. */
static void frame_type(mt_buf *out, const mt_json *payload)
{
    add_type(out, payload, 0);
}

void ag_frame_message(mt_buf *out, const mt_json *payload)
{
    ag_frame_signed(out, payload, (mt_str){0});
}

void ag_frame_signed(mt_buf *out, const mt_json *payload, mt_str signature)
{
    mt_buf_addz(out, "{\"_payload\":");
    mt_json_write(out, payload, false);
    if (signature.len) {
        mt_buf_addz(out, ",\"_signed\":");
        mt_buf_adds(out, signature);
    }
    mt_buf_addz(out, ",\"_type\":");
    frame_type(out, payload);
    mt_buf_addz(out, ",\"_version\":\"" AG_WIRE_VERSION "\"}\n");
}

static mt_json text_node(mt_str text)
{
    return (mt_json){.type = MT_JSON_STRING,
                     .count = (uint32_t)text.len,
                     .as.text = text.ptr ? text.ptr : ""};
}

/* JSON, or else the text itself. A limit that was hit does not make a
 * thing text: it is reported. */
static mt_err json_or_text(mt_arena *a, ag_mode mode, mt_str text,
                           const mt_json_limits *limits, mt_json *out)
{
    mt_err err = mode == AG_COMPAT ? ag_py_loads(a, text, limits, AG_PY_AS_JSON, out)
                                   : mt_json_read(a, text, limits, out, NULL);
    if (err == MT_E_SYNTAX) {
        *out = text_node(text);
        return MT_OK;
    }
    return err;
}

/* Durable relays number what they deliver, outside of what the sender wrote. */
static uint64_t sequence_of(const mt_json *whole)
{
    int64_t n;
    const mt_json *node = mt_json_at(whole, "seq");
    return node && mt_json_i64(node, &n) == MT_OK && n > 0 ? (uint64_t)n : 0;
}

/* A relay's envelope around a typed envelope around the payload. Without the outer one
 * the line itself is the payload; the inner one may be missing. Text that is not JSON
 * is a payload of text. */
mt_err ag_frame_read(mt_arena *a, ag_mode mode, mt_str line,
                     const mt_json_limits *limits, ag_inbound *out)
{
    *out = (ag_inbound){0};
    if (mt_utf8_check(line) != line.len) {
        return MT_E_SYNTAX;
    }
    mt_json whole;
    mt_err err = json_or_text(a, mode, line, limits, &whole);
    if (err) {
        return err;
    }
    const mt_json *address = mt_json_at(&whole, "remote_addr");
    const mt_json *content = mt_json_at(&whole, "content");
    out->payload = whole;
    if (!address || !content) {
        return MT_OK;
    }
    out->relayed = true;
    out->address = mt_json_text(address);
    out->sequence = sequence_of(&whole);
    out->payload = *content;
    if (mt_json_is(content, MT_JSON_STRING)) {
        err = json_or_text(a, mode, mt_json_text(content), limits, &out->payload);
    }
    const mt_json *payload = mt_json_at(&out->payload, "_payload");
    out->typed = payload && mt_json_at(&out->payload, "_type") &&
                 mt_json_at(&out->payload, "_version");
    const mt_json *signature = mt_json_at(&out->payload, "_signed");
    if (!err && out->typed) {
        out->is_signed = signature != NULL;
        out->signature = signature ? *signature : (mt_json){0};
        out->payload = *payload;
    }
    return err;
}
