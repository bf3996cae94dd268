/* exec/evidence/store_index.c - what the columns of a record must be, by its body.
 * Room: exec. Columns are what records are found by: one that was changed hides the
 * record from whoever asks for it, though the chain holds. The column of an effect's
 * flow is that of the operation it belongs to. */
#include "base/json_write.h"
#include "exec/evidence/record.h"
#include "exec/evidence/store_check.h"

static mt_str text_at(const mt_json *body, const char *key)
{
    return mt_json_text(mt_json_get(body, mt_str_z(key)));
}

static bool is_kind(const st_record *r, const char *kind)
{
    return mt_str_eq(r->kind, mt_str_z(kind));
}

/* ---- Subjects ---- */

typedef enum subject_rule {
    OF_ENTITY,    /* entity/instance */
    OF_OPERATION, /* one of the instances it changed; none: empty */
    OF_FACT,      /* fact/NAME */
    OF_MEMBER,    /* what `member` of the body says */
    OF_FLOW,      /* empty, or an instance that it binds */
    OF_NOTHING,   /* empty */
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
    {"operation", OF_OPERATION, NULL},
    {"fact_asserted", OF_FACT, NULL},
    {"fact_retracted", OF_FACT, NULL},
    {"agent_cycle", OF_MEMBER, "agent"},
    {"episode", OF_MEMBER, "graph"},
    {"intent", OF_MEMBER, "graph"},
    {"system_deployed", OF_MEMBER, "system"},
    {"flow_started", OF_FLOW, NULL},
    {"flow_waiting", OF_FLOW, NULL},
    {"flow_ended", OF_FLOW, NULL},
    {"flow_migrated", OF_FLOW, NULL},
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

/* "Entity/instance" of {"Entity":{"instance":…}} or {"Entity":"instance"}? */
static bool names(const mt_json *map, mt_str subject)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        const mt_json_member *e = &map->as.members[i];
        mt_str rest = mt_str_skip(subject, e->key.len + 1);
        if (!mt_str_starts(subject, e->key) || subject.len <= e->key.len ||
            subject.ptr[e->key.len] != '/') {
            continue;
        }
        if (mt_json_is(&e->value, MT_JSON_STRING)
                ? mt_str_eq(mt_json_text(&e->value), rest)
                : mt_json_get(&e->value, rest) != NULL) {
            return true;
        }
    }
    return false;
}

static bool operation_fits(const mt_json *body, mt_str subject)
{
    const mt_json *after = mt_json_at(mt_json_at(body, "provenance"), "state_after");
    bool none = !mt_json_is(after, MT_JSON_OBJECT) || !after->count;
    return none ? !subject.len : names(after, subject);
}

/* Records of flows have had a subject only since they have bindings to choose from. */
static bool flow_fits(const mt_json *body, mt_str subject)
{
    const mt_json *bindings = mt_json_at(body, "bindings");
    return !subject.len || (bindings ? names(bindings, subject)
                                     : mt_str_find(subject, '/') < subject.len);
}

static bool subject_fits(mt_arena *a, const kind_rule *rule, const mt_json *body,
                         mt_str subject)
{
    switch (rule->subject) {
    case OF_ENTITY:
        return mt_str_eq(subject,
                         mt_strf(a, "%.*s/%.*s", MT_ARG(text_at(body, "entity")),
                                 MT_ARG(text_at(body, "instance"))));
    case OF_OPERATION: return operation_fits(body, subject);
    case OF_FACT:
        return mt_str_eq(subject,
                         mt_strf(a, "fact/%.*s", MT_ARG(text_at(body, "fact"))));
    case OF_MEMBER: return mt_str_eq(subject, text_at(body, rule->member));
    case OF_FLOW: return flow_fits(body, subject);
    case OF_NOTHING: return !subject.len;
    }
    return false;
}

/* ---- The others ---- */

static mt_str flow_of(st_tx *tx, mt_arena *a, const st_record *row, const mt_json *body)
{
    st_record of;
    mt_json tree;
    int64_t id;
    if (is_kind(row, "trigger")) {
        return text_at(body, "source_execution");
    }
    if (is_kind(row, "effect") && !mt_json_i64(mt_json_at(body, "of"), &id) &&
        !st_record_get(tx, a, id, &of) &&
        !mt_json_read(a, of.body, NULL, &tree, NULL)) {
        return text_at(&tree, "execution");
    }
    return text_at(body, "execution");
}

static void compare(ex_checking *c, mt_str name, const char *column, mt_str is,
                    mt_str must)
{
    if (!mt_str_eq(is, must)) {
        ex_check_differs(c, "index", name, "%s is '%.*s', its body says '%.*s'", column,
                         MT_ARG(is), MT_ARG(must));
    }
}

static mt_str time_text(mt_arena *a, int64_t ms)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ex_time_json(&w, ms);
    mt_str text = mt_str_dup(a, mt_str_trim(mt_buf_str(&out), MT_STR("\"")));
    mt_buf_free(&out);
    return text;
}

void ex_check_index(ex_checking *c, st_tx *tx, mt_arena *a, const st_record *row,
                    const mt_json *body)
{
    mt_str name = row->seq < 0 ? mt_strf(a, "queued record %lld", (long long)row->id)
                               : mt_strf(a, "record %lld", (long long)row->seq);
    const kind_rule *rule = rule_of(text_at(body, "kind"));
    compare(c, name, "kind", row->kind, text_at(body, "kind"));
    compare(c, name, "contract", row->contract,
            is_kind(row, "trigger") ? text_at(body, "target_contract")
                                    : text_at(body, "contract"));
    compare(c, name, "flow", row->flow, flow_of(tx, a, row, body));
    compare(c, name, "time", time_text(a, row->time_ms), text_at(body, "time"));
    if (rule && !subject_fits(a, rule, body, row->subject)) {
        ex_check_differs(c, "index", name,
                         "subject is '%.*s', which is not what its "
                         "body is about",
                         MT_ARG(row->subject));
    }
}
