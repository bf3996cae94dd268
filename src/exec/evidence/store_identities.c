/* exec/evidence/store_identities.c - what the ledger says about who may act.
 * Room: exec.
 * Tokens: what one was granted last, and whether it was revoked, is in its last record.
 * Secrets, and when one was seen expired, are in none; tokens made before there were
 * records of them (without a grammar) are passed over.
 * Acts: documents of kind "acts" are an index of who acted as whom (exec/acts.h). An
 * owner of the database could take a line out of one, and approve what it asked for
 * itself. An act that is expected is a document of its own here, with the id of its
 * index as tag; only those are worked out whose index the store has, since an index
 * that is not there is made again.
 *
 * May fail: the stores. */
#include "base/form.h"
#include "base/json_write.h"
#include "exec/evidence/acts.h"
#include "exec/evidence/record.h"
#include "exec/evidence/store_check.h"

#define TOKEN MT_STR("token")

/* A key that the store would not take is none that it has. */
static mt_err settle(mt_err err)
{
    return err == MT_E_LIMIT || err == MT_E_TYPE || err == MT_E_EXISTS ? MT_OK : err;
}

static int64_t place_of(const st_record *row)
{
    return row->seq < 0 ? INT64_MAX : row->seq;
}

/* ---- Tokens ---- */

static mt_err expect_token(st_tx *expected, const st_record *row, mt_str text,
                           const mt_json *body)
{
    bool revoked = mt_str_is(row->kind, "token_revoked");
    st_doc doc = {.kind = TOKEN,
                  .id = mt_text_at(mt_json_at(body, "token"), "id"),
                  .tag = revoked ? MT_STR("revoked") : MT_STR(""),
                  .body = text,
                  .updated_ms = place_of(row)};
    return settle(st_doc_set(expected, &doc));
}

static void compare_token(ex_checking *c, mt_arena *a, const st_doc *is,
                          const mt_json *there, const st_doc *must)
{
    mt_json said;
    mt_str name = mt_strf(a, "token/%.*s", MT_ARG(is->id));
    int64_t revoked = 0;
    if (mt_json_read(a, mt_str_dup(a, must->body), NULL, &said, NULL)) {
        ex_check_differs(c, "documents", name, "its record cannot be read");
        return;
    }
    mt_json_i64(mt_json_at(there, "revoked_ms"), &revoked);
    ex_check_member(c, name, "its name", mt_text_at(there, "name"),
                    mt_text_at(&said, "name"), must->updated_ms);
    ex_check_member(c, name, "its expiry", ex_check_moment(a, there, "expires_ms"),
                    mt_text_at(&said, "expires_at"), must->updated_ms);
    ex_check_member(c, name, "its personas",
                    ex_check_text(a, mt_json_at(there, "personas")),
                    ex_check_text(a, mt_json_at(&said, "personas")), must->updated_ms);
    ex_check_member(c, name, "its rights",
                    ex_check_text(a, mt_json_at(there, "rights")),
                    ex_check_text(a, mt_json_at(&said, "rights")), must->updated_ms);
    ex_check_member(c, name, "its state", revoked ? MT_STR("revoked") : MT_STR(""),
                    must->tag, must->updated_ms);
}

static mt_err look_at_token(void *state, const st_doc *row)
{
    ex_checking *c = state;
    ex_sides s = ex_check_sides(c);
    mt_json body;
    st_doc must;
    mt_arena_reset(s.scratch);
    if (mt_json_read(s.scratch, mt_str_dup(s.scratch, row->body), NULL, &body, NULL)) {
        ex_check_differs(c, "documents",
                         mt_strf(s.scratch, "token/%.*s", MT_ARG(row->id)),
                         "it cannot be read");
        return MT_OK;
    }
    mt_err err = st_doc_get(s.expected, s.scratch, TOKEN, row->id, &must);
    if (!err) {
        compare_token(c, s.scratch, row, &body, &must);
    } else if (err == MT_E_NOTFOUND && mt_json_at(&body, "grammar")) {
        ex_check_differs(c, "documents",
                         mt_strf(s.scratch, "token/%.*s", MT_ARG(row->id)),
                         "no record made it");
    }
    return err && err != MT_E_NOTFOUND ? err : ex_check_counted(c);
}

static mt_err miss_token(void *state, const st_doc *row)
{
    ex_checking *c = state;
    ex_sides s = ex_check_sides(c);
    st_doc there;
    mt_arena_reset(s.scratch);
    mt_err err = st_doc_get(s.store, s.scratch, TOKEN, row->id, &there);
    if (err == MT_E_NOTFOUND) {
        ex_check_differs(c, "documents",
                         mt_strf(s.scratch, "token/%.*s", MT_ARG(row->id)),
                         "it is missing, and a record says it is there");
        err = MT_OK;
    }
    return err;
}

/* ---- Acts ---- */

typedef struct acting {
    ex_checking *c;
    st_tx *expected;
    mt_arena *a;
    const st_record *row;
    mt_str contract, persona, who;
} acting;

static mt_err expect_act(const acting *e, mt_str index)
{
    st_doc there;
    ex_sides s = ex_check_sides(e->c);
    mt_err err = st_doc_get(s.store, e->a, EX_ACTS_KIND, index, &there);
    if (err) {
        return err == MT_E_NOTFOUND ? MT_OK : settle(err);
    }
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "persona", e->persona);
    mt_jw_key_i64(&w, "record", s.shared ? e->row->id : e->row->seq);
    mt_jw_key_str(&w, "who", e->who);
    mt_jw_end_object(&w);
    mt_str text = mt_strf(e->a, "%.*s\n%.*s\n%.*s", MT_ARG(index), MT_ARG(e->persona),
                          MT_ARG(e->who));
    st_doc act = {.kind = EX_ACTS_KIND,
                  .id = mt_sha256_hex(e->a, mt_sha256_of(text)),
                  .tag = index,
                  .body = mt_buf_str(&body),
                  .updated_ms = place_of(e->row)};
    err = st_doc_get(e->expected, e->a, EX_ACTS_KIND, act.id, &there);
    err = err == MT_E_NOTFOUND ? st_doc_put(e->expected, &act) : err; /* the first */
    mt_buf_free(&body);
    return settle(err);
}

/* On the flow, and on every instance under `state_after`. */
static mt_err expect_acts(const acting *e, const mt_json *body)
{
    const mt_json *after = mt_json_at(mt_json_at(body, "provenance"), "state_after");
    mt_str flow = mt_text_at(body, "execution");
    mt_err err = flow.len ? expect_act(e, ex_acts_of_flow(e->a, flow)) : MT_OK;
    for (uint32_t i = 0; !err && after && i < after->count; i++) {
        const mt_json_member *entity = &after->as.members[i];
        mt_str scope = ex_check_scope(e->c, e->a, e->contract, entity->key);
        for (uint32_t k = 0; !err && k < entity->value.count; k++) {
            mt_str name = mt_strf(e->a, "%.*s/%.*s", MT_ARG(entity->key),
                                  MT_ARG(entity->value.as.members[k].key));
            err = expect_act(e, ex_acts_of_instance(e->a, e->contract, scope, name));
        }
    }
    return err;
}

/* One index beside what the records tell of it. */
typedef struct index_check {
    ex_checking *c;
    mt_arena a;
    mt_str name;
    const mt_json *acts, *covers;
    int64_t upto;       /* the last record it speaks of */
    size_t told, there; /* acts of personas that it covers */
} index_check;

static bool covers(const index_check *x, mt_str persona)
{
    for (uint32_t i = 0; mt_json_is(x->covers, MT_JSON_ARRAY) && i < x->covers->count;
         i++) {
        if (mt_str_eq(mt_json_text(&x->covers->as.items[i]), persona)) {
            return true;
        }
    }
    return false;
}

static mt_err look_at_act(void *state, const st_doc *row)
{
    index_check *x = state;
    mt_json act;
    int64_t said = 0, is = EX_NO_ACT;
    if (mt_json_read(&x->a, mt_str_dup(&x->a, row->body), NULL, &act, NULL)) {
        return MT_E_CORRUPT;
    }
    mt_str persona = mt_text_at(&act, "persona"), who = mt_text_at(&act, "who");
    mt_json_i64(mt_json_at(&act, "record"), &said);
    mt_json_i64(mt_json_get(mt_json_get(x->acts, persona), who), &is);
    if (!covers(x, persona) || said > x->upto) {
        return MT_OK;
    }
    x->told++;
    if (is != said) {
        ex_check_differs(x->c, "documents", x->name,
                         "it does not say that '%.*s' acted as '%.*s', as record %lld "
                         "does",
                         MT_ARG(who), MT_ARG(persona), (long long)said);
    }
    return MT_OK;
}

static size_t count_covered(const index_check *x)
{
    size_t count = 0;
    for (uint32_t i = 0; mt_json_is(x->acts, MT_JSON_OBJECT) && i < x->acts->count;
         i++) {
        const mt_json_member *m = &x->acts->as.members[i];
        count += covers(x, m->key) ? m->value.count : 0;
    }
    return count;
}

static mt_err look_at_index(void *state, const st_doc *row)
{
    ex_checking *c = state;
    ex_sides s = ex_check_sides(c);
    index_check x = {.c = c};
    mt_json tree;
    x.name = mt_strf(&x.a, "acts/%.*s", MT_ARG(row->id));
    if (mt_json_read(&x.a, mt_str_dup(&x.a, row->body), NULL, &tree, NULL) ||
        mt_json_i64(mt_json_get(&tree, ex_acts_upto(s.shared)), &x.upto)) {
        mt_arena_free(&x.a);
        return MT_OK; /* it is made again from the ledger */
    }
    x.acts = mt_json_at(&tree, "acts");
    x.covers = mt_json_at(&tree, "covers");
    mt_err err =
        st_doc_walk(s.expected, EX_ACTS_KIND, row->id, (st_page){0}, look_at_act, &x);
    if (!err && count_covered(&x) > x.told) {
        ex_check_differs(c, "documents", x.name,
                         "it tells of acts that no record does");
    }
    mt_arena_free(&x.a);
    return err ? err : ex_check_counted(c);
}

/* ---- Both ---- */

mt_err ex_expect_identities(ex_checking *c, st_tx *expected, mt_arena *a,
                            const st_record *row, const mt_json *body)
{
    if (mt_str_starts(row->kind, MT_STR("token_"))) {
        return expect_token(expected, row, ex_check_text(a, mt_json_at(body, "token")),
                            body);
    }
    if (!mt_str_is(row->kind, "operation") && !mt_str_is(row->kind, "flow_started")) {
        return MT_OK;
    }
    acting e = {.c = c,
                .expected = expected,
                .a = a,
                .row = row,
                .contract = mt_text_at(body, "contract"),
                .who = mt_text_at(mt_json_at(body, "caller"), "id")};
    e.persona = mt_text_at(body, "persona");
    e.persona = e.persona.len ? e.persona
                              : mt_text_at(mt_json_at(body, "provenance"), "persona");
    return e.persona.len && e.who.len ? expect_acts(&e, body) : MT_OK;
}

mt_err ex_check_identities(ex_checking *c)
{
    ex_sides s = ex_check_sides(c);
    mt_err err =
        st_doc_walk(s.store, TOKEN, MT_STR(""), (st_page){0}, look_at_token, c);
    err = err ? err
              : st_doc_walk(s.expected, TOKEN, MT_STR(""), (st_page){0}, miss_token, c);
    return err ? err
               : st_doc_walk(s.store, EX_ACTS_KIND, MT_STR(""), (st_page){0},
                             look_at_index, c);
}
