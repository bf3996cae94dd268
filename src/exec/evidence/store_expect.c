/* exec/evidence/store_expect.c - what a record means for instances, flows, documents.
 * Room: exec. Records are taken in their order, each changes what is expected; the rows
 * live in a store of their own. In a row that is expected, updated_ms is the number of
 * the record that said so last.
 *
 * What differs is told by ex_check_differs() and goes on: an auditor wants every
 * difference, and a record that cannot be meant must not hide those behind it. Only
 * the store of what is expected, or memory, can fail. Kinds without a row in MEANINGS
 * mean nothing for these tables; what they mean for others is in store_identities.c. */
#include "base/form.h"
#include "base/json_write.h"
#include "exec/evidence/store_check.h"

typedef struct expecting {
    ex_checking *c;
    st_tx *tx;
    mt_arena *a;
    const st_record *row;
    const mt_json *body;
} expecting;

mt_str ex_check_text(mt_arena *a, const mt_json *node)
{
    mt_buf out = {0};
    if (!node) {
        return (mt_str){0};
    }
    mt_json_write(&out, node, false);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static int64_t number_of(const expecting *e)
{
    /* A record that is not in the chain yet comes after all that are. */
    return e->row->seq < 0 ? INT64_MAX : e->row->seq;
}

static mt_str record_name(const expecting *e)
{
    return ex_check_record_name(e->a, e->row);
}

/* A key that the store would not take is none that it has. */
static mt_err settle(mt_err err)
{
    return err == MT_E_LIMIT || err == MT_E_TYPE ? MT_OK : err;
}

/* ---- Instances ---- */

static st_instance instance_of(const expecting *e, mt_str entity, mt_str id)
{
    mt_str contract = mt_text_at(e->body, "contract");
    return (st_instance){.scope = ex_check_scope(e->c, e->a, contract, entity),
                         .entity = entity,
                         .id = id,
                         .updated_ms = number_of(e)};
}

static mt_err expect_created(const expecting *e)
{
    st_instance i =
        instance_of(e, mt_text_at(e->body, "entity"), mt_text_at(e->body, "instance"));
    i.state = mt_text_at(e->body, "state");
    mt_err err = st_instance_add(e->tx, &i);
    if (err == MT_E_EXISTS) {
        ex_check_differs(e->c, "chain", record_name(e),
                         "it creates %.*s/%.*s, which "
                         "was there",
                         MT_ARG(i.entity), MT_ARG(i.id));
        err = MT_OK;
    }
    return settle(err);
}

typedef struct change {
    mt_str entity, id;
    mt_str state;           /* ptr NULL: stays */
    mt_str before;          /* what the record says it was; ptr NULL: nothing */
    mt_str flow, operation; /* ptr NULL: stay */
    bool deleted;
} change;

static mt_err expect_change(const expecting *e, const change *by)
{
    st_instance i = instance_of(e, by->entity, by->id), now;
    mt_err err = st_instance_get(e->tx, e->a, i.scope, i.entity, i.id, &now);
    if (err) {
        if (err == MT_E_NOTFOUND) {
            ex_check_differs(e->c, "chain", record_name(e),
                             "it changes %.*s/%.*s, which no record created",
                             MT_ARG(by->entity), MT_ARG(by->id));
        }
        return err == MT_E_NOTFOUND ? MT_OK : settle(err);
    }
    if (by->before.ptr && !mt_str_eq(by->before, now.state)) {
        ex_check_differs(e->c, "chain", record_name(e),
                         "it changes %.*s/%.*s from '%.*s', and the records before say "
                         "'%.*s'",
                         MT_ARG(by->entity), MT_ARG(by->id), MT_ARG(by->before),
                         MT_ARG(now.state));
    }
    /* Every change counts one, as the engine counts: the version of a row is
     * compared too. */
    int64_t was = now.version++;
    now.state = by->state.ptr ? by->state : now.state;
    now.deleted = now.deleted || by->deleted;
    now.last_flow = by->flow.ptr ? by->flow : now.last_flow;
    now.last_operation = by->operation.ptr ? by->operation : now.last_operation;
    now.updated_ms = i.updated_ms;
    return st_instances_put(e->tx, &now, &was, 1);
}

static mt_err expect_deleted(const expecting *e)
{
    change by = {.entity = mt_text_at(e->body, "entity"),
                 .id = mt_text_at(e->body, "instance"),
                 .before = mt_text_at(e->body, "state"),
                 .deleted = true};
    return expect_change(e, &by);
}

static mt_err expect_moved(const expecting *e)
{
    change by = {.entity = mt_text_at(e->body, "entity"),
                 .id = mt_text_at(e->body, "instance"),
                 .state = mt_text_at(e->body, "state_after"),
                 .before = mt_text_at(e->body, "state_before")};
    return expect_change(e, &by);
}

/* A flow that does something does not wait. */
static mt_err expect_running(const expecting *e, mt_str execution)
{
    st_flow f;
    mt_err err = st_flow_get(e->tx, e->a, execution, &f);
    /* Only what waits changes here; running flows are written when they wait or end. */
    if (err || !mt_str_is(f.status, "waiting")) {
        return err == MT_E_NOTFOUND ? MT_OK : settle(err);
    }
    f.status = MT_STR("running");
    f.waiting_step = f.waiting_persona = MT_STR("");
    f.version++;
    return st_flow_put(e->tx, &f);
}

/* Every instance under `state_after`: {"Entity":{"instance":"state"}}. */
static mt_err expect_operation(const expecting *e)
{
    const mt_json *p = mt_json_at(e->body, "provenance");
    const mt_json *after = mt_json_at(p, "state_after");
    const mt_json *before = mt_json_at(p, "state_before");
    mt_str execution = mt_text_at(e->body, "execution");
    mt_err err = execution.len ? expect_running(e, execution) : MT_OK;
    bool moved = mt_json_is(after, MT_JSON_OBJECT);
    for (uint32_t i = 0; !err && moved && i < after->count; i++) {
        const mt_json_member *entity = &after->as.members[i];
        bool named = mt_json_is(&entity->value, MT_JSON_OBJECT);
        for (uint32_t k = 0; !err && named && k < entity->value.count; k++) {
            const mt_json_member *to = &entity->value.as.members[k];
            change by = {.entity = entity->key,
                         .id = to->key,
                         .state = mt_json_text(&to->value),
                         .before = mt_json_text(
                             mt_json_get(mt_json_get(before, entity->key), to->key)),
                         /* A direct call clears the flow that moved the instance
                          * before. */
                         .flow = execution.ptr ? execution : MT_STR(""),
                         .operation = mt_text_at(p, "op")};
            err = expect_change(e, &by);
        }
    }
    return err;
}

/* ---- Flows ---- */

/* The values of a record's facts as an object, as a flow's row has them frozen. */
static mt_str frozen_facts(const expecting *e)
{
    const mt_json *facts = mt_json_at(e->body, "facts");
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_unsorted(&w);
    bool list = mt_json_is(facts, MT_JSON_ARRAY);
    for (uint32_t i = 0; list && i < facts->count; i++) {
        const mt_json *f = &facts->as.items[i];
        const mt_json *value = mt_json_at(f, "value");
        if (value) {
            mt_jw_key(&w, mt_text_at(f, "id"));
            mt_jw_json(&w, value);
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(e->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static mt_err expect_started(const expecting *e)
{
    const mt_json *b = e->body;
    st_flow f = {.id = mt_text_at(b, "execution"),
                 .contract = mt_text_at(b, "contract"),
                 .etag = mt_text_at(b, "etag"),
                 .flow = mt_text_at(b, "flow"),
                 .persona = mt_text_at(b, "persona"),
                 .initiator = mt_text_at(mt_json_at(b, "caller"), "id"),
                 .status = MT_STR("running"),
                 .bindings = ex_check_text(e->a, mt_json_at(b, "bindings")),
                 .facts = frozen_facts(e),
                 .updated_ms = number_of(e)};
    st_flow there;
    mt_err err = st_flow_get(e->tx, e->a, f.id, &there);
    if (!err) {
        ex_check_differs(e->c, "chain", record_name(e),
                         "it starts the flow %.*s, which was started before",
                         MT_ARG(f.id));
    }
    return err == MT_E_NOTFOUND ? settle(st_flow_add(e->tx, &f)) : settle(err);
}

static mt_err expect_flow(const expecting *e)
{
    const mt_json *b = e->body;
    st_flow f;
    mt_str kind = mt_text_at(b, "kind"), id = mt_text_at(b, "execution");
    mt_err err = st_flow_get(e->tx, e->a, id, &f);
    if (err) {
        if (err == MT_E_NOTFOUND) {
            ex_check_differs(e->c, "chain", record_name(e),
                             "it is about the flow %.*s, which no record started",
                             MT_ARG(id));
        }
        return err == MT_E_NOTFOUND ? MT_OK : settle(err);
    }
    bool waits = mt_str_is(kind, "flow_waiting"), ends = mt_str_is(kind, "flow_ended");
    f.etag = mt_text_at(b, "etag");
    f.status = ends ? mt_text_at(b, "status") : waits ? MT_STR("waiting") : f.status;
    f.outcome = ends ? mt_text_at(b, "outcome") : f.outcome;
    f.waiting_step = ends ? MT_STR("") : mt_text_at(b, "step");
    f.waiting_persona = ends ? MT_STR("") : mt_text_at(b, "persona");
    f.updated_ms = number_of(e);
    f.version++;
    return st_flow_put(e->tx, &f);
}

/* ---- Documents ---- */

static mt_str fact_key(const expecting *e)
{
    return mt_strf(e->a, "%.*s/%.*s", MT_ARG(mt_text_at(e->body, "contract")),
                   MT_ARG(mt_text_at(e->body, "fact")));
}

/* Who, until when, when at the latest, what. */
static mt_err expect_fact(const expecting *e)
{
    const mt_json *b = e->body;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "asserted_by", mt_text_at(mt_json_at(b, "caller"), "id"));
    mt_jw_key_i64(&w, "asserted_ms", e->row->time_ms);
    mt_jw_key_str(&w, "expires_at", mt_text_at(b, "expires_at"));
    mt_jw_keyz(&w, "value");
    mt_jw_json(&w, mt_json_at(b, "value"));
    mt_jw_end_object(&w);
    st_doc doc = {.kind = EX_EXPECT_FACT,
                  .id = fact_key(e),
                  .tag = mt_text_at(b, "contract"),
                  .body = mt_buf_str(&out),
                  .updated_ms = number_of(e)};
    mt_err err = mt_json_at(b, "value") ? st_doc_set(e->tx, &doc) : MT_OK;
    mt_buf_free(&out);
    return settle(err);
}

static mt_err expect_retracted(const expecting *e)
{
    mt_err err = st_doc_delete(e->tx, EX_EXPECT_FACT, fact_key(e));
    return err == MT_E_NOTFOUND ? MT_OK : settle(err);
}

/* When it came is in its first record, its number in each. */
static mt_err expect_version(const expecting *e, mt_str contract, mt_str etag)
{
    int64_t number = 0;
    st_doc there;
    st_doc version = {.kind = EX_EXPECT_VERSION,
                      .id = mt_strf(e->a, "%.*s/%.*s", MT_ARG(contract), MT_ARG(etag)),
                      .tag = contract,
                      .updated_ms = number_of(e)};
    mt_err err = st_doc_get(e->tx, e->a, version.kind, version.id, &there);
    if (err && err != MT_E_NOTFOUND) {
        return err;
    }
    mt_json_i64(mt_json_at(e->body, "number"), &number);
    version.body = err ? mt_strf(e->a, "{\"deployed_ms\":%lld,\"number\":%lld}",
                                 (long long)e->row->time_ms, (long long)number)
                       : there.body;
    return st_doc_set(e->tx, &version);
}

static void member_of(mt_jw *w, const mt_json *body, const char *key)
{
    const mt_json *value = mt_json_get(body, mt_str_z(key));
    if (value) {
        mt_jw_key(w, mt_str_z(key));
        mt_jw_json(w, value);
    }
}

/* What was deployed over: the deployment says it, and what completes it does not. */
static mt_err migrates_from(const expecting *e, mt_str contract, mt_str *from)
{
    st_doc doc;
    mt_json tree;
    *from = mt_text_at(e->body, "from");
    if (from->len || !mt_str_is(e->row->kind, "migration")) {
        return MT_OK;
    }
    mt_err err = st_doc_get(e->tx, e->a, EX_EXPECT_MIGRATION, contract, &doc);
    if (!err && !mt_json_read(e->a, mt_str_dup(e->a, doc.body), NULL, &tree, NULL)) {
        *from = mt_text_at(&tree, "from");
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* The newest: records from before do not have `removed`. */
static mt_err expect_migration(const expecting *e)
{
    mt_str contract = mt_text_at(e->body, "contract"), from;
    mt_err err = migrates_from(e, contract, &from);
    if (err || !from.len) {
        return settle(err); /* a first version migrates nothing */
    }
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "from", from);
    member_of(&w, e->body, "policy");
    member_of(&w, e->body, "removed");
    mt_jw_key_i64(&w, "started_ms", e->row->time_ms);
    member_of(&w, e->body, "state_map");
    mt_jw_key_str(&w, "status", mt_text_at(e->body, "status"));
    mt_jw_key_str(&w, "to", mt_text_at(e->body, "etag"));
    mt_jw_end_object(&w);
    st_doc doc = {.kind = EX_EXPECT_MIGRATION,
                  .id = contract,
                  .body = mt_buf_str(&out),
                  .updated_ms = number_of(e)};
    err = st_doc_set(e->tx, &doc);
    mt_buf_free(&out);
    return settle(err);
}

static mt_err expect_deployed(const expecting *e)
{
    mt_str contract = mt_text_at(e->body, "contract"),
           etag = mt_text_at(e->body, "etag");
    st_doc current = {.kind = EX_EXPECT_CURRENT,
                      .id = contract,
                      .tag = contract,
                      .body = etag,
                      .updated_ms = number_of(e)};
    mt_err err = expect_version(e, contract, etag);
    err = settle(err ? err : st_doc_set(e->tx, &current));
    return err ? err : expect_migration(e);
}

static mt_err expect_accepted(const expecting *e)
{
    ex_check_accepted(e->c);
    return MT_OK;
}

/* ---- The table ---- */

static const struct {
    const char *kind;
    mt_err (*expect)(const expecting *e);
} MEANINGS[] = {
    {"operation", expect_operation},
    {"instance_created", expect_created},
    {"instance_deleted", expect_deleted},
    {"instance_migrated", expect_moved},
    {"flow_started", expect_started},
    {"flow_waiting", expect_flow},
    {"flow_ended", expect_flow},
    {"flow_migrated", expect_flow},
    {"fact_asserted", expect_fact},
    {"fact_retracted", expect_retracted},
    {"contract_deployed", expect_deployed},
    {"migration", expect_migration},
    {"ledger_accepted", expect_accepted},
};

mt_err ex_expect_record(ex_checking *c, st_tx *expected, mt_arena *a,
                        const st_record *row, const mt_json *body)
{
    expecting e = {c, expected, a, row, body};
    mt_str kind = mt_text_at(body, "kind");
    mt_err err = ex_expect_identities(c, expected, a, row, body);
    err = err ? err : ex_expect_guarded(c, expected, a, row, body);
    if (err) {
        return err;
    }
    for (size_t i = 0; i < sizeof MEANINGS / sizeof *MEANINGS; i++) {
        if (mt_str_eq(kind, mt_str_z(MEANINGS[i].kind))) {
            return MEANINGS[i].expect(&e);
        }
    }
    return MT_OK;
}
