/* exec/evidence/store_subjects.c - what a record is about, and is it found by that?
 * Room: exec.
 *
 * A record is found by its column `subject`, and by rows of a table where it is about
 * more than one thing. Both are worked out from its body: the column must be one of the
 * names there, the rows are the others. Which name is the column's depends on the order
 * in which a contract declares its entities, which no body tells, and makes no
 * difference to who looks.
 *
 * Order: ex_expect_subjects() for each record notes the rows that are due in the store
 * of what is expected; ex_check_subjects() then compares both tables, side by side.
 *
 * Records of before: an operation had one subject, and for every further instance a
 * record of the kind `effect`, which takes the row that was due away again. Records of
 * flows had none, and the later ones of a flow did not say what it binds. So a flow's
 * start may be without one until a record is seen that only a later program wrote: one
 * that says how its caller was known, for example, and the start itself does.
 * May fail: the stores. */
#include "base/form.h"
#include "base/vec.h"
#include "exec/evidence/record.h"
#include "exec/evidence/store_check.h"

enum { PAGE = 500 };

/* ---- What a body is about ---- */

typedef enum subject_rule {
    OF_ENTITY,  /* entity/instance */
    OF_CHANGES, /* every instance that it changed */
    OF_FACT,    /* fact/NAME */
    OF_TOKEN,   /* token/ID */
    OF_MEMBER,  /* what `member` of the body says */
    OF_BOUND,   /* every instance that it binds */
    OF_NOTHING,
} subject_rule;

typedef struct kind_rule {
    const char *kind;
    subject_rule subject;
    const char *member;
} kind_rule;

static const kind_rule KINDS[] = {
    {"instance_created", OF_ENTITY, NULL},
    {"instance_deleted", OF_ENTITY, NULL},
    {"instance_migrated", OF_ENTITY, NULL},
    {"effect", OF_ENTITY, NULL},
    {"operation", OF_CHANGES, NULL},
    {"fact_asserted", OF_FACT, NULL},
    {"fact_retracted", OF_FACT, NULL},
    {"token_created", OF_TOKEN, NULL},
    {"token_changed", OF_TOKEN, NULL},
    {"token_revoked", OF_TOKEN, NULL},
    {"agent_cycle", OF_MEMBER, "agent"},
    {"episode", OF_MEMBER, "graph"},
    {"intent", OF_MEMBER, "graph"},
    {"system_deployed", OF_MEMBER, "system"},
    {"flow_started", OF_BOUND, NULL},
    {"flow_waiting", OF_BOUND, NULL},
    {"flow_ended", OF_BOUND, NULL},
    {"refusal", OF_BOUND, NULL},
    {"decision", OF_BOUND, NULL},
    {"guard", OF_BOUND, NULL},
    {"flow_migrated", OF_BOUND, NULL},
    {"contract_deployed", OF_NOTHING, NULL},
    {"infrastructure_changed", OF_NOTHING, NULL},
    {"migration", OF_NOTHING, NULL},
    {"shadow", OF_NOTHING, NULL},
    {"trigger", OF_NOTHING, NULL},
    {"key_added", OF_NOTHING, NULL},
    {"key_revoked", OF_NOTHING, NULL},
    {"ledger_accepted", OF_NOTHING, NULL},
};

static const kind_rule *rule_of(mt_str kind)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (mt_str_eq(kind, mt_str_z(KINDS[i].kind))) {
            return &KINDS[i];
        }
    }
    return NULL;
}

typedef struct names {
    mt_arena *a;
    MT_VEC(mt_str) all;
} names;

static void add_name(names *n, mt_str entity, mt_str id)
{
    if (ex_subject_is_kept(entity, id)) {
        mt_str subject = ex_subject(n->a, entity, id);
        mt_vec_push(n->a, &n->all, subject);
    }
}

/* {"Entity":{"instance":…}} or {"Entity":"instance"}. */
static void add_map(names *n, const mt_json *map)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        const mt_json_member *e = &map->as.members[i];
        if (mt_json_is(&e->value, MT_JSON_STRING)) {
            add_name(n, e->key, mt_json_text(&e->value));
        }
        for (uint32_t k = 0;
             mt_json_is(&e->value, MT_JSON_OBJECT) && k < e->value.count; k++) {
            add_name(n, e->key, e->value.as.members[k].key);
        }
    }
}

static void add_text(names *n, mt_str text)
{
    if (text.len) {
        mt_vec_push(n->a, &n->all, text);
    }
}

static void names_of(names *n, const kind_rule *rule, const mt_json *body)
{
    switch (rule->subject) {
    case OF_ENTITY:
        add_text(n, ex_subject(n->a, mt_text_at(body, "entity"),
                               mt_text_at(body, "instance")));
        break;
    case OF_CHANGES:
        add_map(n, mt_json_at(mt_json_at(body, "provenance"), "state_after"));
        break;
    case OF_FACT:
        add_text(n, ex_subject(n->a, MT_STR("fact"), mt_text_at(body, "fact")));
        break;
    case OF_TOKEN:
        add_text(n, ex_subject(n->a, MT_STR("token"),
                               mt_text_at(mt_json_at(body, "token"), "id")));
        break;
    case OF_MEMBER: add_text(n, mt_text_at(body, rule->member)); break;
    case OF_BOUND: add_map(n, mt_json_at(body, "bindings")); break;
    case OF_NOTHING: break;
    }
}

static bool has_name(const names *n, mt_str subject)
{
    for (size_t i = 0; i < n->all.len; i++) {
        if (mt_str_eq(n->all.items[i], subject)) {
            return true;
        }
    }
    return false;
}

/* ---- What is due ---- */

/* Only programs that give records of flows their subjects write such a record. */
static bool is_newer(const mt_json *body)
{
    mt_str kind = mt_text_at(body, "kind");
    bool later = mt_str_is(kind, "flow_waiting") || mt_str_is(kind, "flow_ended");
    return mt_str_is(kind, "refusal") || (later && mt_json_at(body, "bindings")) ||
           mt_json_at(mt_json_at(body, "caller"), "known_by");
}

/* The rows of everything but the column's own. */
static mt_err expect_rows(st_tx *expected, const names *n, const st_record *row)
{
    bool queued = row->seq < 0;
    mt_err err = MT_OK;
    for (size_t i = 0; i < n->all.len && !err; i++) {
        st_about due = {n->all.items[i], queued ? row->id : row->seq};
        if (!mt_str_eq(due.subject, row->subject)) {
            err = st_about_add(expected, queued, &due);
        }
    }
    return err;
}

/* The instance finds the operation through this record. */
static mt_err take_away(st_tx *tx, st_tx *expected, mt_arena *a, const mt_json *body)
{
    st_record of;
    int64_t id;
    if (mt_json_i64(mt_json_at(body, "of"), &id)) {
        return MT_OK;
    }
    mt_err err = st_record_get(tx, a, id, &of);
    st_about due = {
        ex_subject(a, mt_text_at(body, "entity"), mt_text_at(body, "instance")), 0};
    if (!err) {
        due.record = of.seq < 0 ? of.id : of.seq;
        err = st_about_drop(expected, of.seq < 0, &due);
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

mt_err ex_expect_subjects(ex_checking *c, st_tx *tx, st_tx *expected, mt_arena *a,
                          const st_record *row, const mt_json *body)
{
    names n = {.a = a};
    bool *newer = ex_check_newer(c);
    const kind_rule *rule = rule_of(mt_text_at(body, "kind"));
    if (!rule) {
        return MT_OK;
    }
    *newer = *newer || is_newer(body);
    names_of(&n, rule, body);
    bool older = mt_str_is(mt_text_at(body, "kind"), "flow_started") && !*newer &&
                 !row->subject.len;
    if (!older && (n.all.len ? !has_name(&n, row->subject) : row->subject.len > 0)) {
        ex_check_differs(c, "index", ex_check_record_name(a, row),
                         "subject is '%.*s', which is not what its body is about",
                         MT_ARG(row->subject));
    }
    if (mt_str_is(mt_text_at(body, "kind"), "effect")) {
        return take_away(tx, expected, a, body);
    }
    return older ? MT_OK : expect_rows(expected, &n, row);
}

/* ---- The tables ---- */

typedef struct rows {
    st_tx *tx;
    mt_arena a; /* of the page */
    bool queued, ended;
    st_about *page;
    size_t at, count;
} rows;

/* The row at hand, or NULL at the end. */
static mt_err row_at(rows *s, const st_about **out)
{
    mt_err err = MT_OK;
    if (s->at == s->count && !s->ended) {
        st_about last = {.record = INT64_MIN};
        mt_arena keys = {0};
        if (s->count) {
            last = s->page[s->count - 1];
            last.subject = mt_str_dup(&keys, last.subject);
        }
        mt_arena_reset(&s->a);
        err = st_abouts_page(s->tx, &s->a, s->queued, &last, PAGE, &s->page, &s->count);
        mt_arena_free(&keys);
        s->at = 0;
        s->ended = s->count < PAGE;
    }
    *out = !err && s->at < s->count ? &s->page[s->at] : NULL;
    return err;
}

static int by_key(const st_about *a, const st_about *b, bool queued)
{
    if (!a || !b) {
        return a ? -1 : 1;
    }
    int text = mt_str_cmp(a->subject, b->subject);
    int number = (a->record > b->record) - (a->record < b->record);
    return queued ? (number ? number : text) : (text ? text : number);
}

static void tell(ex_checking *c, const st_about *row, bool queued, bool missing)
{
    ex_check_differs(c, "subjects", row->subject,
                     missing ? "it does not find %srecord %lld, which is about it"
                             : "it finds %srecord %lld, which is not about it",
                     queued ? "queued " : "", (long long)row->record);
}

static mt_err compare(ex_checking *c, rows *is, rows *must)
{
    const st_about *a, *b;
    mt_err err = MT_OK;
    uint64_t done = 0;
    while (!err && !(err = row_at(is, &a)) && !(err = row_at(must, &b)) && (a || b)) {
        int order = by_key(a, b, is->queued);
        if (order) {
            tell(c, order < 0 ? a : b, is->queued, order > 0);
        }
        is->at += order <= 0;
        must->at += order >= 0;
        err = ex_check_step(c, "subjects", ++done);
    }
    return err;
}

mt_err ex_check_subjects(ex_checking *c, st_tx *tx, st_tx *expected)
{
    mt_err err = MT_OK;
    for (int queued = 0; queued < 2 && !err; queued++) {
        rows is = {.tx = tx, .queued = queued},
             must = {.tx = expected, .queued = queued};
        err = compare(c, &is, &must);
        mt_arena_free(&is.a);
        mt_arena_free(&must.a);
    }
    return err;
}
