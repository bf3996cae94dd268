/* net/durable_wire.c - see durable_wire.h.
 *
 * Order: names and numbers, the hello, what the relay says, the lines of every day.
 * Invariant: what is read is checked for form and bounds here, so that a name can stand
 * in a subject of the bus and a number in a sequence. May fail: reading, which says so
 * and leaves nothing half done that anybody uses. */
#include "net/durable_wire.h"

#include <stdio.h>

#include "base/json_read.h"
#include "base/json_write.h"

#define PREFIX     "{\"_relay\":"
#define SINCE_MOST 253402300799999u

/* ---- names and numbers ---- */

bool nt_is_name(mt_str text)
{
    bool ok = text.len && text.len <= NT_NAME_TEXT;
    for (size_t i = 0; i < text.len && ok; i++) {
        char c = text.ptr[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (c >= '0' && c <= '9') || c == '_' || c == '-';
    }
    return ok;
}

bool nt_is_relay_line(mt_str line)
{
    return mt_str_starts(line, MT_STR(PREFIX));
}

bool nt_number_read(mt_str text, uint64_t *out)
{
    uint64_t n = 0;
    if (!text.len || text.len > 19) { /* more would not fit */
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        n = n * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *out = n;
    return n <= INT64_MAX;
}

/* Absent is fine, and leaves `to` as it was; another form is not. */
static bool take_number(const mt_json *whole, const char *key, uint64_t *to)
{
    const mt_json *node = mt_json_get(whole, mt_str_z(key));
    return !node ||
           (mt_json_is(node, MT_JSON_NUMBER) && nt_number_read(mt_json_text(node), to));
}

/* Likewise. */
static bool take_text(const mt_json *whole, const char *key, char *to, size_t size)
{
    const mt_json *node = mt_json_get(whole, mt_str_z(key));
    mt_str text = mt_json_text(node);
    if (!node) {
        return true;
    }
    if (!mt_json_is(node, MT_JSON_STRING) || text.len >= size) {
        return false;
    }
    memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
    return true;
}

static bool says(const mt_json *whole, const char *what)
{
    return mt_str_eq(mt_json_text(mt_json_at(whole, "_relay")), mt_str_z(what));
}

static mt_jw begin(mt_buf *out, const char *what)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "_relay", mt_str_z(what));
    return w;
}

static void end(mt_buf *out, mt_jw *w)
{
    mt_jw_end_object(w);
    mt_buf_addc(out, '\n');
}

/* ---- the hello ---- */

static const char *const FROM_WORDS[] = {
    [NT_FROM_NONE] = "none", [NT_FROM_NEW] = "new", [NT_FROM_FIRST] = "first"};

static bool read_word(const mt_json *node, nt_from *out)
{
    for (size_t i = 0; i < sizeof FROM_WORDS / sizeof *FROM_WORDS; i++) {
        if (mt_str_eq(mt_json_text(node), mt_str_z(FROM_WORDS[i]))) {
            *out = (nt_from)i;
            return true;
        }
    }
    return false;
}

/* Keys ascend. */
void nt_hello_write(mt_buf *out, const nt_hello *hello)
{
    mt_jw w = begin(out, "hello");
    if (hello->from == NT_FROM_AFTER) {
        mt_jw_key_i64(&w, "after", (int64_t)hello->after);
    } else if (hello->from != NT_FROM_SINCE) {
        mt_jw_key_str(&w, "from", mt_str_z(FROM_WORDS[hello->from]));
    }
    mt_jw_key_str(&w, "id", mt_str_z(hello->id));
    mt_jw_key_str(&w, "name", mt_str_z(hello->name));
    if (hello->from == NT_FROM_SINCE) {
        mt_jw_key_i64(&w, "since", hello->since_ms);
    }
    if (hello->stream[0]) {
        mt_jw_key_str(&w, "stream", mt_str_z(hello->stream));
    }
    end(out, &w);
}

static const char *read_from(const mt_json *whole, nt_hello *out)
{
    const mt_json *from = mt_json_at(whole, "from"),
                  *since = mt_json_at(whole, "since");
    const mt_json *after = mt_json_at(whole, "after");
    uint64_t ms = 0;
    if ((from != NULL) + (since != NULL) + (after != NULL) != 1) {
        return "a hello has one of `after`, `from` and `since`";
    }
    if (!take_number(whole, "after", &out->after) ||
        !take_number(whole, "since", &ms)) {
        return "`after` and `since` are whole numbers";
    }
    if (ms > SINCE_MOST) {
        return "`since` is before the year 10000";
    }
    out->since_ms = (int64_t)ms;
    out->from = after ? NT_FROM_AFTER : NT_FROM_SINCE;
    return from && !read_word(from, &out->from) ? "`from` is new, first or none" : NULL;
}

static const char *read_hello(const mt_json *whole, nt_hello *out)
{
    *out = (nt_hello){0};
    if (!says(whole, "hello")) {
        return "this is not a hello";
    }
    if (!take_text(whole, "name", out->name, sizeof out->name) ||
        !nt_is_name(mt_str_z(out->name))) {
        return "`name` is 1 to 64 letters, digits, '_' and '-'";
    }
    if (!take_text(whole, "id", out->id, sizeof out->id) ||
        !nt_is_name(mt_str_z(out->id))) {
        return "`id` is 1 to 16 letters, digits, '_' and '-'";
    }
    if (!take_text(whole, "stream", out->stream, sizeof out->stream)) {
        return "`stream` is text of at most 32 bytes";
    }
    return read_from(whole, out);
}

const char *nt_hello_read(mt_str line, nt_hello *out)
{
    mt_arena a = {0};
    mt_json whole;
    const char *why = mt_json_read(&a, line, NULL, &whole, NULL)
                          ? "this is not JSON"
                          : read_hello(&whole, out);
    mt_arena_free(&a);
    return why;
}

/* ---- what the relay says ---- */

void nt_said_write(mt_buf *out, const nt_said *said)
{
    static const char *const WORDS[] = {
        [NT_WELCOME] = "welcome", [NT_KEPT] = "kept", [NT_REFUSED] = "refused"};
    mt_jw w = begin(out, WORDS[said->kind]);
    if (said->kind == NT_WELCOME) {
        mt_jw_key_i64(&w, "after", (int64_t)said->after);
        mt_jw_key_i64(&w, "first", (int64_t)said->first);
        mt_jw_key_i64(&w, "kept", (int64_t)said->number);
        mt_jw_key_str(&w, "stream", mt_str_z(said->stream));
    } else if (said->kind == NT_KEPT) {
        mt_jw_key_i64(&w, "number", (int64_t)said->number);
    } else {
        mt_jw_key_str(&w, "why", mt_str_z(said->why));
    }
    end(out, &w);
}

static bool read_said(const mt_json *whole, nt_said *out)
{
    *out = (nt_said){0};
    if (says(whole, "kept")) {
        out->kind = NT_KEPT;
        return take_number(whole, "number", &out->number) && out->number;
    }
    if (says(whole, "welcome")) {
        out->kind = NT_WELCOME;
        return take_number(whole, "after", &out->after) &&
               take_number(whole, "first", &out->first) &&
               take_number(whole, "kept", &out->number) &&
               take_text(whole, "stream", out->stream, sizeof out->stream) &&
               out->stream[0];
    }
    out->kind = NT_REFUSED;
    return says(whole, "refused") && take_text(whole, "why", out->why, sizeof out->why);
}

bool nt_said_read(mt_str line, nt_said *out)
{
    mt_arena a = {0};
    mt_json whole;
    bool ok = nt_is_relay_line(line) &&
              mt_json_read(&a, line, NULL, &whole, NULL) == MT_OK &&
              read_said(&whole, out);
    mt_arena_free(&a);
    return ok;
}

/* ---- the lines of every day ---- */

bool nt_ack_read(mt_str line, uint64_t *seq)
{
    return mt_str_starts(line, MT_STR("ack ")) &&
           nt_number_read(mt_str_skip(line, 4), seq);
}

bool nt_numbered_read(mt_str line, uint64_t *number, mt_str *rest)
{
    size_t digits = mt_str_find(line, ' ');
    *rest = mt_str_skip(line, digits + 1);
    return digits < line.len && nt_number_read(mt_str_from(line.ptr, digits), number) &&
           *number;
}

/* The line ends with the brace of its envelope; a member comes before it. */
void nt_sequenced_write(mt_buf *out, mt_str line, uint64_t seq)
{
    MT_ASSERT(line.len && line.ptr[line.len - 1] == '}');
    mt_buf_add(out, line.ptr, line.len - 1);
    mt_buf_addz(out, ",\"seq\":");
    mt_buf_add_u64(out, seq);
    mt_buf_addz(out, "}\n");
}
