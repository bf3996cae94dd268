/* graph/capture_stream.c - captures and journals of any length, one event at a time.
 *
 * A window slides over the bytes and grows only to hold one whole item: a line of a
 * journal, an element of a document's lists. A document has its decisions after its
 * events, so it is first looked through once, from bracket to bracket, for where the
 * lists begin and how long they are; then two windows go through them side by side.
 *
 * INVARIANT: what a window hands out is good until it is asked for more. Items are
 * therefore read at once, into the arena of the pair.
 *
 * A journal's last line may be torn where a run was cut off: it is not there,
 * `truncated` says so, and `whole` is the number of good bytes, from where writing can
 * go on. A torn line anywhere else is MT_E_CORRUPT.
 *
 * May fail: the bytes (any error), an item larger than the bound (MT_E_LIMIT), text
 * that is not a capture (MT_E_SYNTAX, MT_E_CORRUPT). The JSON inside an item is
 * checked when it is read; here only its end is found. */
#include <stdlib.h>

#include "base/limits.h"
#include "graph/capture_item.h"

enum { CHUNK = 256 * 1024 };

/* ---- a window on the bytes ---- */

typedef struct window {
    gr_bytes from;
    size_t most;
    uint64_t base; /* where data[0] stands */
    char *data;
    size_t at, len, cap; /* next unread, filled, room */
    bool ended;
} window;

/* Nothing is read yet; the window is empty at the new place. */
static void seek(window *w, uint64_t position)
{
    w->base = position;
    w->at = w->len = 0;
    w->ended = false;
}

static uint64_t position(const window *w)
{
    return w->base + w->at;
}

static mt_str unread(const window *w)
{
    return mt_str_from(w->data + w->at, w->len - w->at);
}

/* Moves what is unread to the front and reads more behind it, or finds the end. */
static mt_err more(window *w)
{
    size_t left = w->len - w->at, got = 0;
    if (w->ended) {
        return MT_OK;
    }
    if (left > w->most) {
        return MT_E_LIMIT;
    }
    if (left && w->at) {
        memmove(w->data, w->data + w->at, left);
    }
    w->base += w->at;
    w->at = 0;
    w->len = left;
    if (w->cap - left < CHUNK) {
        w->cap = w->cap < CHUNK ? 2 * CHUNK : 2 * w->cap;
        w->data = mt_xrealloc(w->data, w->cap);
    }
    mt_err err = w->from.read(w->from.state, w->base + left, w->data + left,
                              w->cap - left, &got);
    w->len += err ? 0 : got;
    w->ended = !err && !got;
    return err;
}

/* The next line without its newline. MT_E_NOTFOUND: no whole line is left. */
static mt_err line(window *w, mt_str *out)
{
    for (size_t seen = 0;;) {
        mt_str rest = unread(w);
        char *end = rest.len > seen
                        ? memchr(w->data + w->at + seen, '\n', rest.len - seen)
                        : NULL;
        if (end) {
            *out = mt_str_from(rest.ptr, (size_t)(end - rest.ptr));
            w->at += out->len + 1;
            return out->len > w->most ? MT_E_LIMIT : MT_OK;
        }
        seen = rest.len;
        mt_err err = w->ended ? MT_E_NOTFOUND : more(w);
        if (err) {
            return err;
        }
    }
}

/* Reads on until enough is there to tell, or the end. */
static mt_err begins(window *w, mt_str with, bool *yes)
{
    mt_err err = MT_OK;
    while (!err && !w->ended && unread(w).len < with.len) {
        err = more(w);
    }
    *yes = !err && mt_str_starts(unread(w), with);
    return err;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next byte that is not white space, 0 at the end; it stays unread. */
static mt_err look(window *w, char *out)
{
    *out = 0;
    for (;;) {
        while (w->at < w->len && is_space(w->data[w->at])) {
            w->at++;
        }
        if (w->at < w->len) {
            *out = w->data[w->at];
            return MT_OK;
        }
        mt_err err = w->ended ? MT_E_NOTFOUND : more(w);
        if (err) {
            return err == MT_E_NOTFOUND ? MT_OK : err;
        }
    }
}

typedef struct extent {
    size_t depth;
    bool text, escaped, ended;
} extent;

/* Inside text only its end matters. */
static const char *extend_text(extent *e, const char *p, const char *end)
{
    for (; p < end && e->text; p++) {
        e->text = e->escaped || *p != '"';
        e->escaped = !e->escaped && *p == '\\';
    }
    return p;
}

/* Inside a container only brackets and text do. */
static const char *extend_container(extent *e, const char *p, const char *end)
{
    static const signed char TURN[256] = {
        ['['] = 1, ['{'] = 1, [']'] = -1, ['}'] = -1, ['"'] = 2};
    while (p < end && e->depth) {
        signed char turn = TURN[(unsigned char)*p++];
        if (turn == 2) {
            e->text = true;
            return p;
        }
        e->depth = turn < 0 ? e->depth - 1 : e->depth + (size_t)turn;
    }
    return p;
}

/* Outside of both; `ended` at the first byte behind the value. */
static const char *extend_outside(extent *e, const char *p, bool first)
{
    switch (*p) {
    case '"':
        e->ended = !first;
        e->text = first;
        break;
    case '[':
    case '{': e->depth++; break;
    case ']':
    case '}':
    case ',':
    case ':':
    case ' ':
    case '\t':
    case '\n':
    case '\r': e->ended = true; break;
    default: break;
    }
    return p + !e->ended;
}

/* Finds where a value ends without parsing it: only quotes, escapes and brackets
 * matter. May be called with one piece after the other. */
static const char *extend(extent *e, const char *start, const char *p, const char *end)
{
    while (p < end && !e->ended) {
        p = e->text    ? extend_text(e, p, end)
            : e->depth ? extend_container(e, p, end)
                       : extend_outside(e, p, p == start);
    }
    return p;
}

/* From the value's first byte to its last; what is between is not judged. */
static mt_err value(window *w, mt_str *out)
{
    char first;
    extent e = {0};
    size_t n = 0;
    mt_err err = look(w, &first);
    while (!err) {
        mt_str rest = unread(w);
        n = (size_t)(extend(&e, rest.ptr, rest.ptr + n, rest.ptr + rest.len) -
                     rest.ptr);
        if (e.ended || w->ended) {
            break;
        }
        err = more(w);
    }
    *out = mt_str_from(w->data + w->at, n);
    w->at += n;
    return err ? err : n > w->most ? MT_E_LIMIT : n ? MT_OK : MT_E_SYNTAX;
}

/* ---- the reader ---- */

struct gr_capture_reader {
    gr_capture_start start;
    mt_arena *faults;       /* the caller's */
    mt_arena own, pair;     /* of the start; of one event and its decision */
    mt_arena *first, *keep; /* these two, or where gr_capture_read() gathers all */
    mt_arena tree;
    window a, b;                /* events and decisions; lines */
    uint64_t a_at, b_at;        /* where they begin */
    uint64_t events, decisions; /* of a document all; of a journal so far */
    uint64_t index, lines;
    uint64_t whole;
    bool truncated;
};

/* Texts are copied, since the window they point into moves on. */
static mt_err broken(gr_capture_reader *r, mt_err err, mt_str path, const char *message,
                     gr_capture_fault *fault)
{
    *fault = (gr_capture_fault){mt_str_dup(r->faults, path),
                                mt_str_dup(r->faults, mt_str_z(message))};
    return err;
}

/* Three kinds of failure in one place: too large, not readable, not JSON; only the last
 * has the parser's own words. */
static mt_err no_json(gr_capture_reader *r, mt_err err, const char *message,
                      gr_capture_fault *fault)
{
    if (err == MT_E_LIMIT) {
        message = "is larger than the limit json_bytes";
    } else if (err != MT_E_SYNTAX) {
        message = "cannot be read";
    }
    return broken(r, err,
                  mt_strf(r->faults, "byte %llu", (unsigned long long)position(&r->a)),
                  message, fault);
}

/* ---- documents ---- */

/* Is there another child? Takes the comma or the closing bracket. */
static mt_err child(window *w, char closing, bool first, bool *yes)
{
    char c;
    mt_err err = look(w, &c);
    *yes = !err && c && c != closing && (first || c == ',');
    if (err || (!*yes && c != closing)) {
        return err ? err : MT_E_SYNTAX;
    }
    w->at += !*yes || !first;
    return MT_OK;
}

/* Goes to the end of a list, which may be at its first item or behind its bracket. */
static mt_err pass_list(window *w, uint64_t *begin, uint64_t *count)
{
    bool another;
    mt_str item;
    w->at++;
    *begin = position(w);
    mt_err err = child(w, ']', true, &another);
    for (*count = 0; !err && another; ++*count) {
        err = value(w, &item);
        err = err ? err : child(w, ']', false, &another);
    }
    return err;
}

/* One member: a list is passed, everything else is copied for gr_item_start(). */
static mt_err pass_member(gr_capture_reader *r, mt_buf *rest)
{
    window *w = &r->a;
    mt_str key, other;
    char c;
    mt_err err = value(w, &key);
    bool events = !err && mt_str_is(key, "\"events\"");
    bool decisions = !err && mt_str_is(key, "\"decisions\"");
    mt_buf_adds(rest, err ? MT_STR("") : key);
    err = err ? err : look(w, &c);
    if (err || c != ':') {
        return err ? err : MT_E_SYNTAX;
    }
    w->at++;
    mt_buf_addc(rest, ':');
    err = look(w, &c);
    if (!err && (events || decisions) && c == '[') {
        mt_buf_addz(rest, "[]");
        return events ? pass_list(w, &r->a_at, &r->events)
                      : pass_list(w, &r->b_at, &r->decisions);
    }
    err = err ? err : value(w, &other);
    mt_buf_adds(rest, err ? MT_STR("") : other);
    return err ? err : rest->len > w->most ? MT_E_LIMIT : MT_OK;
}

/* Everything but the two lists is collected in `rest`, which is small and read as a
 * tree. */
static mt_err pass_document(gr_capture_reader *r, mt_buf *rest)
{
    window *w = &r->a;
    bool another;
    char c;
    mt_buf_addc(rest, '{');
    w->at++;
    mt_err err = child(w, '}', true, &another);
    while (!err && another) {
        err = pass_member(r, rest);
        err = err ? err : child(w, '}', false, &another);
        mt_buf_addz(rest, another && !err ? "," : "");
    }
    mt_buf_addc(rest, '}');
    err = err ? err : look(w, &c);
    return err ? err : unread(w).len ? MT_E_SYNTAX : MT_OK;
}

/* Looks through the whole document once; the windows then stand at the beginning of
 * the lists. */
static mt_err open_document(gr_capture_reader *r, gr_capture_fault *fault)
{
    mt_buf rest = {0};
    char c;
    mt_err err = look(&r->a, &c);
    if (!err && c != '{') {
        err = c ? broken(r, MT_E_SYNTAX, MT_STR("$"), "must be an object", fault)
                : no_json(r, MT_E_SYNTAX, "unexpected end", fault);
    } else {
        err = err ? err : pass_document(r, &rest);
        err = err ? no_json(r, err, "is not JSON", fault)
                  : gr_item_start(r->first, &r->tree, mt_buf_str(&rest), r->a.most,
                                  &r->start, fault);
        fault->path = mt_str_dup(r->faults, fault->path);
        fault->message = mt_str_dup(r->faults, fault->message);
    }
    if (!err && (!r->a_at || !r->b_at)) {
        err = broken(r, MT_E_SYNTAX, r->a_at ? MT_STR("decisions") : MT_STR("events"),
                     "must be a list", fault);
    }
    mt_buf_free(&rest);
    return err;
}

/* The path inside the item is completed by where the item stands. */
static mt_err misplaced(gr_capture_reader *r, mt_err err, const char *list,
                        uint64_t index, gr_capture_fault *fault)
{
    mt_str path = fault->path.ptr ? fault->path : MT_STR("$");
    const char *message = fault->message.ptr ? fault->message.ptr : mt_err_text(err);
    return broken(r, err,
                  mt_strf(r->faults, "$.%s[%llu].%.*s", list, (unsigned long long)index,
                          MT_ARG(path)),
                  message, fault);
}

static mt_err next_item(window *w, uint64_t index, mt_str *out)
{
    bool another;
    mt_err err = child(w, ']', index == 0, &another);
    return err ? err : value(w, out);
}

/* Items are parsed one at a time, from bytes in the window; what they keep lives in
 * r->keep. */
static mt_err next_event(gr_capture_reader *r, uint64_t index, gr_capture_event *event,
                         gr_capture_fault *fault)
{
    mt_str item;
    *fault = (gr_capture_fault){0};
    mt_err err = next_item(&r->a, index, &item);
    err = err ? err : gr_item_event(r->keep, &r->tree, item, r->a.most, event, fault);
    return err ? misplaced(r, err, "events", index, fault) : MT_OK;
}

static mt_err next_decision(gr_capture_reader *r, uint64_t index,
                            gr_capture_decision *decision, gr_capture_fault *fault)
{
    mt_str item;
    *fault = (gr_capture_fault){0};
    mt_err err = next_item(&r->b, index, &item);
    err = err ? err
              : gr_item_decision(r->keep, &r->tree, item, r->b.most, decision, fault);
    return err ? misplaced(r, err, "decisions", index, fault) : MT_OK;
}

/* Events and decisions are two lists read side by side by two windows; the i-th belong
 * together. The shorter one ends it. */
static mt_err next_pair(gr_capture_reader *r, gr_capture_event *event,
                        gr_capture_decision *decision, gr_capture_fault *fault)
{
    if (r->index >= r->events || r->index >= r->decisions) {
        return MT_E_NOTFOUND;
    }
    mt_err err = next_event(r, r->index, event, fault);
    err = err ? err : next_decision(r, r->index, decision, fault);
    r->index += !err;
    return err;
}

/* ---- journals ---- */

/* The next line, copied: it stays good while the ones after it are looked at. One
 * without its newline at the very end is where the run was cut off, so there is none;
 * one that has it was whole, and if it is bad now, it was changed. */
static mt_err record(gr_capture_reader *r, gr_journal_record *out,
                     gr_capture_fault *fault)
{
    mt_str text;
    mt_err err = line(&r->a, &text);
    if (err) {
        r->truncated = err == MT_E_NOTFOUND && unread(&r->a).len;
        return err == MT_E_NOTFOUND ? err : no_json(r, err, "", fault);
    }
    text = mt_str_dup(r->keep, text);
    r->lines++;
    err = gr_item_line(r->keep, &r->tree, text, r->a.most, out, fault);
    return err ? broken(r, err,
                        mt_strf(r->faults, "line %llu", (unsigned long long)r->lines),
                        fault->message.ptr, fault)
               : MT_OK;
}

/* Lines of a journal have one order; any other was not written by this program. */
static mt_err out_of_order(gr_capture_reader *r, gr_capture_fault *fault)
{
    return broken(r, MT_E_CORRUPT,
                  mt_strf(r->faults, "line %llu", (unsigned long long)r->lines),
                  "this record does not follow the one before it", fault);
}

/* Acknowledgements belong to the step before them; the last line has them all. */
static mt_err join_acks(gr_capture_reader *r, gr_capture_decision *decision,
                        gr_capture_fault *fault)
{
    static const mt_str ACKS = MT_STR_INIT("{\"dispatched\":");
    bool another;
    mt_err err = begins(&r->a, ACKS, &another);
    while (!err && another) {
        gr_journal_record acks;
        err = record(r, &acks, fault);
        if (err) {
            return err == MT_E_NOTFOUND ? MT_OK : err;
        }
        if (acks.kind != GR_JOURNAL_ACKS ||
            !mt_str_eq(acks.decision.event_id, decision->event_id)) {
            return out_of_order(r, fault);
        }
        decision->acks = acks.decision.acks;
        decision->ack_count = acks.decision.ack_count;
        decision->interruption = acks.decision.interruption;
        r->whole = position(&r->a);
        err = begins(&r->a, ACKS, &another);
    }
    return err;
}

/* `whole` grows with every good step: that is where a run can go on. */
static mt_err next_step(gr_capture_reader *r, gr_capture_event *event,
                        gr_capture_decision *decision, gr_capture_fault *fault)
{
    gr_journal_record step;
    mt_err err = r->truncated ? MT_E_NOTFOUND : record(r, &step, fault);
    if (err) {
        return err;
    }
    if (step.kind != GR_JOURNAL_STEP) {
        return out_of_order(r, fault);
    }
    *event = step.event;
    *decision = step.decision;
    r->whole = position(&r->a);
    r->index++;
    r->events = r->decisions = r->index;
    return join_acks(r, decision, fault);
}

/* Lines that follow the head, as many as there are. */
static mt_err read_waiting(gr_capture_reader *r, gr_capture_fault *fault)
{
    MT_VEC(gr_capture_waiting) list = {0};
    gr_journal_record one;
    bool another;
    mt_err err = begins(&r->a, MT_STR("{\"waiting\":"), &another);
    while (!err && another) {
        err = record(r, &one, fault);
        if (!err && one.kind != GR_JOURNAL_WAITING) {
            err = out_of_order(r, fault);
        }
        if (!err) {
            mt_vec_push(r->first, &list, one.waiting);
            err = begins(&r->a, MT_STR("{\"waiting\":"), &another);
        }
    }
    r->start.carried.waiting = list.items;
    r->start.carried.waiting_count = list.len;
    return err;
}

/* The head lives as long as the reader, steps only until the next. */
static mt_err open_journal(gr_capture_reader *r, gr_capture_fault *fault)
{
    gr_journal_record first = {0};
    mt_arena *pair = r->keep;
    bool carried;
    r->keep = r->first;
    mt_err err = record(r, &first, fault);
    if (err == MT_E_NOTFOUND) { /* not even the head is whole */
        r->lines++;
        err = broken(r, MT_E_CORRUPT, MT_STR("line 1"), "is torn", fault);
    } else if (!err && first.kind != GR_JOURNAL_HEAD) {
        err = out_of_order(r, fault);
    }
    r->start = (gr_capture_start){
        .version = MT_STR("v3"), .head = first.head, .journal = true};
    err = err ? err : begins(&r->a, MT_STR("{\"carried\":"), &carried);
    if (!err && carried) {
        err = record(r, &first, fault);
        r->start.carried = first.carried;
    }
    err = err ? err : read_waiting(r, fault);
    if (err == MT_E_NOTFOUND) {
        err = MT_OK; /* cut off while it was begun: no step has happened */
    }
    r->keep = pair;
    r->a_at = r->whole = position(&r->a);
    return err;
}

/* ---- both ---- */

/* The first bytes tell: a journal begins with its version, a document with any
 * member. */
static mt_err open_reader(gr_capture_reader *r, gr_capture_fault *fault)
{
    bool journal;
    mt_err err = begins(&r->a, MT_STR("{\"journal\":"), &journal);
    if (err) {
        return no_json(r, err, "", fault);
    }
    return journal ? open_journal(r, fault) : open_document(r, fault);
}

/* What the caller keeps, or what the reader keeps for one pair: see the two arenas. */
static mt_err open_into(mt_arena *keep, mt_arena *faults, gr_bytes bytes, size_t most,
                        gr_capture_reader **out, gr_capture_fault *fault)
{
    gr_capture_reader *r = mt_xmalloc(sizeof *r);
    window w = {.from = bytes, .most = most ? most : MT_LIMITS_DEFAULT.json_bytes};
    *r = (gr_capture_reader){.faults = faults, .a = w, .b = w};
    *fault = (gr_capture_fault){0};
    r->a.data = mt_xmalloc(1); /* never NULL, so that it can be counted from */
    r->b.data = mt_xmalloc(1);
    r->first = keep ? keep : &r->own;
    r->keep = keep ? keep : &r->pair;
    mt_err err = open_reader(r, fault);
    if (err) {
        gr_capture_close(r);
        r = NULL;
    } else {
        gr_capture_rewind(r);
    }
    *out = r;
    return err;
}

mt_err gr_capture_open(mt_arena *faults, gr_bytes bytes, size_t most,
                       gr_capture_reader **out, gr_capture_fault *fault)
{
    return open_into(NULL, faults, bytes, most, out, fault);
}

void gr_capture_close(gr_capture_reader *r)
{
    if (r) {
        mt_arena_free(&r->own);
        mt_arena_free(&r->pair);
        mt_arena_free(&r->tree);
        free(r->a.data);
        free(r->b.data);
        free(r);
    }
}

const gr_capture_start *gr_capture_start_of(const gr_capture_reader *r)
{
    return &r->start;
}

/* What the last pair pointed to is gone. */
mt_err gr_capture_next(gr_capture_reader *r, gr_capture_event *event,
                       gr_capture_decision *decision, gr_capture_fault *fault)
{
    mt_arena_reset(&r->pair);
    return (r->start.journal ? next_step : next_pair)(r, event, decision, fault);
}

/* To the first pair; head and start are kept. Only after gr_capture_open(), which found
 * where events and decisions begin. */
void gr_capture_rewind(gr_capture_reader *r)
{
    seek(&r->a, r->a_at);
    r->index = 0;
    if (r->start.journal) {
        r->truncated = false;
        r->whole = r->a_at;
        r->lines = 1 + gr_carries(&r->start.carried) + r->start.carried.waiting_count;
    } else {
        seek(&r->b, r->b_at);
    }
}

uint64_t gr_capture_events(const gr_capture_reader *r)
{
    return r->events;
}

uint64_t gr_capture_decisions(const gr_capture_reader *r)
{
    return r->decisions;
}

bool gr_capture_truncated(const gr_capture_reader *r)
{
    return r->truncated;
}

uint64_t gr_capture_whole(const gr_capture_reader *r)
{
    return r->whole;
}

/* ---- all of it at once ---- */

/* The same interface as for files, so that text in memory takes the same way. */
static mt_err read_text(void *state, uint64_t at, char *to, size_t most, size_t *got)
{
    const mt_str *text = state;
    size_t left = at < text->len ? text->len - (size_t)at : 0;
    *got = left < most ? left : most;
    if (*got) {
        memcpy(to, text->ptr + at, *got);
    }
    return MT_OK;
}

gr_bytes gr_bytes_of(mt_str *text)
{
    return (gr_bytes){text, read_text};
}

/* Two arrays, one after the other, as the format has them; pairing them is the caller's
 * business here. */
static mt_err gather_document(gr_capture_reader *r, mt_arena *a, gr_capture *out,
                              gr_capture_fault *fault)
{
    mt_err err = MT_OK;
    for (uint64_t i = 0; i < r->events && !err; i++) {
        err = next_event(r, i, mt_vec_add(a, &out->events), fault);
    }
    for (uint64_t i = 0; i < r->decisions && !err; i++) {
        err = next_decision(r, i, mt_vec_add(a, &out->decisions), fault);
    }
    return err;
}

/* All of it in memory, for those who want that. */
static mt_err gather_journal(gr_capture_reader *r, mt_arena *a, gr_capture *out,
                             gr_capture_fault *fault)
{
    gr_capture_event event;
    gr_capture_decision decision;
    mt_err err = next_step(r, &event, &decision, fault);
    for (; !err; err = next_step(r, &event, &decision, fault)) {
        mt_vec_push(a, &out->events, event);
        mt_vec_push(a, &out->decisions, decision);
    }
    out->truncated = r->truncated;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* All at once, for tests and small captures; the stream is what commands use. */
mt_err gr_capture_read(mt_arena *a, mt_str text, gr_capture *out,
                       gr_capture_fault *fault)
{
    gr_capture_reader *r;
    *out = (gr_capture){0};
    mt_err err = open_into(a, a, gr_bytes_of(&text), 0, &r, fault);
    if (err) {
        return err;
    }
    out->version = r->start.version;
    out->head = r->start.head;
    out->carried = r->start.carried;
    err = (r->start.journal ? gather_journal : gather_document)(r, a, out, fault);
    gr_capture_close(r);
    return err;
}
