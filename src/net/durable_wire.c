/* net/durable_wire.c - see durable_wire.h.
 *
 * Order: names and numbers, the hello, what the relay says, the lines of every day.
 * Invariant: what is read is checked for form and bounds here, so that a name can stand
 * in a subject of the bus and a number in a sequence. May fail: reading, which says so
 * and leaves nothing half done that anybody uses. */
#include "net/durable_wire.h"

#include <stdio.h>

#include "base/form.h"
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

/* The row that it is read by has no more than `to` has room for. */
static void put_text(char *to, mt_str text)
{
    memcpy(to, text.len ? text.ptr : "", text.len);
    to[text.len] = '\0';
}

/* A later version may say more, so keys nobody knows are passed over. */
static bool read_rows(mt_arena *a, const mt_json *whole, const mt_form_row *rows,
                      size_t count, void *out)
{
    mt_form form = {.arena = a, .what = "a line", .unknown = MT_FORM_ALLOWED};
    return mt_form_read(&form, whole, rows, count, out);
}

static bool says(const mt_json *whole, const char *what)
{
    return mt_str_eq(mt_text_at(whole, "_relay"), mt_str_z(what));
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

/* SPARSE: the other two are told by their numbers. */
static const char *const FROM_WORDS[] = {
    [NT_FROM_NONE] = "none", [NT_FROM_NEW] = "new", [NT_FROM_FIRST] = "first", NULL};

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

typedef struct hello {
    mt_str name, id, stream;
    uint64_t after, since;
    int from;
} hello;

static const mt_form_row WHO[] = {
    MT_FORM_NAME(hello, name, "name", NT_NAME_TEXT, MT_FORM_REQUIRED),
    MT_FORM_NAME(hello, id, "id", HO_SENDER_TEXT, MT_FORM_REQUIRED),
    MT_FORM_ROW(hello, stream, "stream", MT_FORM_K_TEXT, 0, HO_STREAM_TEXT, 0),
};
static const mt_form_row NUMBERS[] = {
    MT_FORM_U64(hello, after, "after", 0, INT64_MAX, 0),
    MT_FORM_U64(hello, since, "since", 0, INT64_MAX, 0),
};
static const mt_form_row FROM[] = {MT_FORM_CHOICE(hello, from, "from", FROM_WORDS, 0)};

static const char *read_from(mt_arena *a, const mt_json *whole, nt_hello *out)
{
    hello h = {0};
    bool from = mt_json_at(whole, "from"), since = mt_json_at(whole, "since");
    bool after = mt_json_at(whole, "after");
    if (from + since + after != 1) {
        return "a hello has one of `after`, `from` and `since`";
    }
    if (!read_rows(a, whole, NUMBERS, mt_form_count(NUMBERS), &h)) {
        return "`after` and `since` are whole numbers";
    }
    if (h.since > SINCE_MOST) {
        return "`since` is before the year 10000";
    }
    if (!read_rows(a, whole, FROM, mt_form_count(FROM), &h)) {
        return "`from` is new, first or none";
    }
    out->after = h.after;
    out->since_ms = (int64_t)h.since;
    out->from = after ? NT_FROM_AFTER : since ? NT_FROM_SINCE : (nt_from)h.from;
    return NULL;
}

/* What is wrong leaves its field empty, so a name that is missing, too long or no text
 * is told like one with other letters. */
static const char *read_hello(mt_arena *a, const mt_json *whole, nt_hello *out)
{
    hello h = {0};
    *out = (nt_hello){0};
    if (!says(whole, "hello")) {
        return "this is not a hello";
    }
    bool good = read_rows(a, whole, WHO, mt_form_count(WHO), &h);
    if (!nt_is_name(h.name)) {
        return "`name` is 1 to 64 letters, digits, '_' and '-'";
    }
    if (!nt_is_name(h.id)) {
        return "`id` is 1 to 16 letters, digits, '_' and '-'";
    }
    if (!good || mt_str_find(h.stream, '\0') < h.stream.len) {
        return "`stream` is text of at most 32 bytes";
    }
    put_text(out->name, h.name);
    put_text(out->id, h.id);
    put_text(out->stream, h.stream);
    return read_from(a, whole, out);
}

const char *nt_hello_read(mt_str line, nt_hello *out)
{
    mt_arena a = {0};
    mt_json whole;
    const char *why = mt_json_read(&a, line, NULL, &whole, NULL)
                          ? "this is not JSON"
                          : read_hello(&a, &whole, out);
    mt_arena_free(&a);
    return why;
}

/* ---- what the relay says ---- */

typedef struct saying {
    uint64_t number, after, first;
    mt_str stream, why;
} saying;

static const mt_form_row KEPT[] = {
    MT_FORM_U64(saying, number, "number", 1, INT64_MAX, MT_FORM_REQUIRED),
};
static const mt_form_row WELCOME[] = {
    MT_FORM_U64(saying, after, "after", 0, INT64_MAX, 0),
    MT_FORM_U64(saying, first, "first", 0, INT64_MAX, 0),
    MT_FORM_U64(saying, number, "kept", 0, INT64_MAX, 0),
    MT_FORM_NAME(saying, stream, "stream", HO_STREAM_TEXT, MT_FORM_REQUIRED),
};
static const mt_form_row REFUSED[] = {
    MT_FORM_ROW(saying, why, "why", MT_FORM_K_TEXT, 0, sizeof((nt_said *)NULL)->why - 1,
                0),
};

static const struct {
    const char *word;
    const mt_form_row *rows;
    size_t count;
} SAYINGS[] = {
    [NT_WELCOME] = {"welcome", WELCOME, mt_form_count(WELCOME)},
    [NT_KEPT] = {"kept", KEPT, mt_form_count(KEPT)},
    [NT_REFUSED] = {"refused", REFUSED, mt_form_count(REFUSED)},
};

void nt_said_write(mt_buf *out, const nt_said *said)
{
    mt_jw w = begin(out, SAYINGS[said->kind].word);
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

static bool read_said(mt_arena *a, const mt_json *whole, nt_said *out)
{
    saying s = {0};
    size_t kind = 0;
    while (kind < mt_form_count(SAYINGS) && !says(whole, SAYINGS[kind].word)) {
        kind++;
    }
    if (kind == mt_form_count(SAYINGS) ||
        !read_rows(a, whole, SAYINGS[kind].rows, SAYINGS[kind].count, &s)) {
        return false;
    }
    *out = (nt_said){0};
    out->kind = (nt_said_kind)kind;
    out->after = s.after;
    out->first = s.first;
    out->number = s.number;
    put_text(out->stream, s.stream);
    put_text(out->why, s.why);
    return true;
}

bool nt_said_read(mt_str line, nt_said *out)
{
    mt_arena a = {0};
    mt_json whole;
    bool ok = nt_is_relay_line(line) &&
              mt_json_read(&a, line, NULL, &whole, NULL) == MT_OK &&
              read_said(&a, &whole, out);
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
