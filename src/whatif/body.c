/* whatif/body.c - one pass over the body of a record.
 *
 * Objects are sorted by key, but nothing here relies on it except that `kind` ends the
 * head early: wi_head_read() looks at four members to decide whether a record is ours,
 * wi_body_read() takes the rest. Steps nest (sub-flows, branches); reading them depth
 * first gives the order in which they began. Depth is bounded by the reader's limit.
 *
 * Facts are put together as JSON text for the evaluator; those that came from the
 * contract itself are left out, since the candidate's default may be another. Members
 * nobody knows are skipped: records of newer programs are read as far as they are
 * understood.
 *
 * What may fail: MT_E_SYNTAX, MT_E_TYPE, MT_E_LIMIT of the JSON reader; the body is
 * then not to be used. Lists keep their memory from record to record, texts live until
 * the next. */
#include "whatif/body.h"

#include "base/json_pull.h"

/* Where the text of a member goes. */
typedef struct wi_text {
    mt_str key;
    mt_str *to;
} wi_text;

/* False: it is no such member, or no text; nothing was read. */
static bool read_text(mt_jp *j, mt_str key, const wi_text *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(key, rows[i].key) && mt_jp_type(j) == MT_JSON_STRING) {
            mt_jp_str(j, rows[i].to);
            return true;
        }
    }
    return false;
}

#define READ_TEXT(j, key, rows)                                                        \
    read_text((j), (key), (rows), sizeof(rows) / sizeof *(rows))

/* A body is no longer than the longest line a ledger may have. Depth bounds the
 * recursion of read_steps(). */
static mt_json_limits bounds_of(const mt_limits *limits)
{
    return (mt_json_limits){limits->ledger_line_bytes, limits->json_depth};
}

/* Stops at `kind`, in the middle of the object: whether the rest is well-formed is
 * found only by wi_body_add(), and only for records that are replayed. Keys before
 * `kind` are few because objects are sorted. */
mt_err wi_head_read(mt_arena *texts, mt_str body, const mt_limits *limits, wi_head *out)
{
    mt_jp j;
    mt_json_limits bounds = bounds_of(limits);
    *out = (wi_head){0};
    const wi_text rows[] = {{MT_STR("contract"), &out->contract},
                            {MT_STR("etag"), &out->etag},
                            {MT_STR("execution"), &out->execution},
                            {MT_STR("kind"), &out->kind}};
    mt_jp_start(&j, texts, body, &bounds);
    mt_jp_object(&j);
    for (mt_str key; !out->kind.ptr && mt_jp_key(&j, &key);) {
        if (!READ_TEXT(&j, key, rows)) {
            mt_jp_skip(&j);
        }
    }
    return j.err;
}

/* ---- Facts ---- */

/* One fact with its provenance. What came from the contract is left to the candidate,
 * whose default may be another. */
static void read_fact(mt_jp *j, wi_body *b)
{
    mt_str source = {0}, id = {0}, value = {0};
    const wi_text rows[] = {{MT_STR("assertion_source"), &source}};
    mt_jp_object(j);
    for (mt_str key; mt_jp_key(j, &key);) {
        const char *from = j->p;
        if (READ_TEXT(j, key, rows)) {
            continue;
        }
        mt_jp_skip(j);
        mt_str text = mt_str_from(from, (size_t)(j->p - from));
        if (mt_str_is(key, "id")) {
            id = text;
        } else if (mt_str_is(key, "value")) {
            value = text;
        }
    }
    if (!j->err && id.len && value.len && !mt_str_is(source, "contract")) {
        mt_buf_addc(&b->facts, b->facts.len > 1 ? ',' : ' ');
        mt_buf_adds(&b->facts, id);
        mt_buf_addc(&b->facts, ':');
        mt_buf_adds(&b->facts, value);
    }
}

/* The array keeps what the executor recorded of each fact (§5.3); of that only id,
 * value and where the value came from matter here. */
static void read_facts(mt_jp *j, wi_body *b)
{
    mt_jp_array(j);
    while (mt_jp_item(j)) {
        read_fact(j, b);
    }
}

/* ---- Steps ---- */

/* Bindings and states have the same form; states that are objects are read elsewhere.
 */
static void read_pairs(mt_jp *j, wi_body *b, bool bindings)
{
    mt_jp_object(j);
    for (mt_str key; mt_jp_key(j, &key);) {
        wi_pair pair = {key, {0}};
        if (mt_jp_str(j, &pair.value)) {
            if (bindings) {
                mt_vec_push(&b->memory, &b->bindings, pair);
            } else {
                mt_vec_push(&b->memory, &b->states, pair);
            }
        }
    }
}

/* Before and after come from two members of a record and meet here, by entity. */
static void put_state(wi_body *b, wi_step *s, mt_str entity, mt_str state, bool after)
{
    for (uint32_t i = 0; i < s->move_count; i++) {
        wi_move *m = &b->moves.items[s->first_move + i];
        if (mt_str_eq(m->entity, entity)) {
            *(after ? &m->after : &m->before) = state;
            return;
        }
    }
    wi_move m = {.entity = entity};
    *(after ? &m.after : &m.before) = state;
    mt_vec_push(&b->memory, &b->moves, m);
    s->move_count++;
}

/* {"Entity":{"instance":"state"}} */
static void read_states(mt_jp *j, wi_body *b, wi_step *s, bool after)
{
    mt_jp_object(j);
    for (mt_str entity; mt_jp_key(j, &entity);) {
        mt_jp_object(j);
        for (mt_str instance, state; mt_jp_key(j, &instance);) {
            if (mt_jp_str(j, &state)) {
                put_state(b, s, entity, state, after);
            }
        }
    }
}

/* {"message","type"} of an operation, a sentence elsewhere. */
static void read_error(mt_jp *j, wi_step *s)
{
    if (mt_jp_type(j) != MT_JSON_OBJECT) {
        s->error = MT_STR("error");
        mt_jp_skip(j);
        return;
    }
    const wi_text rows[] = {{MT_STR("type"), &s->error}};
    mt_jp_object(j);
    for (mt_str key; mt_jp_key(j, &key);) {
        if (!READ_TEXT(j, key, rows)) {
            mt_jp_skip(j);
        }
    }
}

static void read_steps(mt_jp *j, wi_body *b);

/* Branches of a parallel step; how each ended follows from its steps. */
static void read_branches(mt_jp *j, wi_body *b)
{
    mt_jp_array(j);
    while (mt_jp_item(j)) {
        mt_jp_object(j);
        for (mt_str key; mt_jp_key(j, &key);) {
            if (mt_str_is(key, "provenance")) {
                read_steps(j, b);
            } else {
                mt_jp_skip(j);
            }
        }
    }
}

/* Members that are not texts. */
static void read_step_part(mt_jp *j, wi_body *b, mt_str key, wi_step *s)
{
    bool value = false;
    if (mt_str_is(key, "state_before")) {
        read_states(j, b, s, false);
    } else if (mt_str_is(key, "state_after")) {
        read_states(j, b, s, true);
    } else if (mt_str_is(key, "error")) {
        read_error(j, s);
    } else if (mt_str_is(key, "result")) {
        mt_jp_bool(j, &value);
        s->result = value ? MT_STR("true") : MT_STR("false");
    } else if (mt_str_is(key, "provenance")) {
        read_steps(j, b);
    } else if (mt_str_is(key, "branches")) {
        read_branches(j, b);
    } else {
        mt_jp_skip(j);
    }
}

/* It is listed before its parts are read, so that steps inside it come after it. */
static void read_step(mt_jp *j, wi_body *b)
{
    size_t at = b->steps.len;
    wi_step s = {.first_move = (uint32_t)b->moves.len};
    const wi_text rows[] = {
        {MT_STR("from"), &s.persona}, {MT_STR("kind"), &s.kind},
        {MT_STR("op"), &s.op},        {MT_STR("outcome"), &s.result},
        {MT_STR("step"), &s.step},    {MT_STR("persona"), &s.persona},
        {MT_STR("to"), &s.to}};
    mt_vec_push(&b->memory, &b->steps, s);
    mt_jp_object(j);
    for (mt_str key; mt_jp_key(j, &key);) {
        if (!READ_TEXT(j, key, rows)) {
            read_step_part(j, b, key, &s);
        }
    }
    b->steps.items[at] = s;
}

static void read_steps(mt_jp *j, wi_body *b)
{
    mt_jp_array(j);
    while (mt_jp_item(j)) {
        read_step(j, b);
    }
}

/* ---- Bodies ---- */

static void read_verdicts(mt_jp *j, wi_body *b)
{
    mt_jp_array(j);
    for (mt_str name; mt_jp_item(j);) {
        if (mt_jp_str(j, &name)) {
            mt_vec_push(&b->memory, &b->verdicts, name);
        }
    }
}

/* Members that say nothing about the decision are skipped, not refused. */
static void read_part(mt_jp *j, wi_body *b, mt_str key)
{
    if (mt_str_is(key, "facts")) {
        read_facts(j, b);
    } else if (mt_str_is(key, "verdicts")) {
        read_verdicts(j, b);
    } else if (mt_str_is(key, "provenance")) {
        read_step(j, b);
    } else if (mt_str_is(key, "steps")) {
        b->has_steps = true;
        read_steps(j, b);
    } else if (mt_str_is(key, "bindings")) {
        read_pairs(j, b, true);
    } else if (mt_str_is(key, "states")) {
        b->has_states = true;
        read_pairs(j, b, false);
    } else {
        mt_jp_skip(j);
    }
}

void wi_body_clear(wi_body *b)
{
    mt_arena_reset(&b->texts);
    mt_buf_clear(&b->facts);
    mt_buf_addc(&b->facts, '{');
    b->flow = b->persona = b->outcome = b->status = b->step = (mt_str){0};
    b->has_states = b->has_steps = false;
    b->verdicts.len = b->bindings.len = b->states.len = 0;
    b->steps.len = b->moves.len = 0;
}

/* The texts of an earlier body stay valid: `texts` is reset by wi_body_clear() only, so
 * parts of one flow may be added one after the other. */
mt_err wi_body_add(wi_body *b, mt_str body, const mt_limits *limits)
{
    mt_jp j;
    mt_json_limits bounds = bounds_of(limits);
    const wi_text rows[] = {{MT_STR("flow"), &b->flow},
                            {MT_STR("outcome"), &b->outcome},
                            {MT_STR("persona"), &b->persona},
                            {MT_STR("status"), &b->status},
                            {MT_STR("step"), &b->step}};
    mt_jp_start(&j, &b->texts, body, &bounds);
    mt_jp_object(&j);
    for (mt_str key; mt_jp_key(&j, &key);) {
        if (!READ_TEXT(&j, key, rows)) {
            read_part(&j, b, key);
        }
    }
    return mt_jp_finish(&j, NULL);
}

/* The brace is closed even after an error, so that `facts` is always one object; the
 * caller looks at the error first. */
mt_err wi_body_read(wi_body *b, mt_str body, const mt_limits *limits)
{
    wi_body_clear(b);
    mt_err err = wi_body_add(b, body, limits);
    mt_buf_addc(&b->facts, '}');
    return err;
}

void wi_body_free(wi_body *b)
{
    mt_buf_free(&b->facts);
    mt_arena_free(&b->memory);
    mt_arena_free(&b->texts);
}
