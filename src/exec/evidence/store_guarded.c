/* exec/evidence/store_guarded.c - calls of tools elsewhere that are under way, as the
 * records say it: the document of each, and the instances that it holds.
 * Room: exec. A call is open from the record that allows it until the one that says
 * *done* or *failed*; what it holds is in the first (`holds`), unless its effects were
 * written with it. Facts are compared too: by them the call will be done. May fail: the
 * store of what is expected. */
#include "base/form.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "exec/evidence/guarded.h"
#include "exec/evidence/store_check.h"

/* ---- From records ---- */

typedef struct telling {
    ex_checking *c;
    st_tx *tx;
    mt_arena *a;
    const mt_json *body, *guard;
    mt_str call;
    int64_t number;
} telling;

static void copy_member(mt_jw *w, const mt_json *from, const char *key, const char *as)
{
    const mt_json *value = mt_json_get(from, mt_str_z(key));
    if (value) {
        mt_jw_key(w, mt_str_z(as));
        mt_jw_json(w, value);
    }
}

static mt_err set_call(const telling *t, const char *status)
{
    /* An operation that was done with the permission says both inside. */
    const mt_json *done = mt_json_at(t->body, "provenance");
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_unsorted(&w);
    copy_member(&w, t->body, "bindings", "bindings");
    copy_member(&w, t->body, "contract", "contract");
    copy_member(&w, t->body, "etag", "etag");
    copy_member(&w, t->body, "flow", "flow");
    copy_member(&w, done ? done : t->body, "operation", "operation");
    copy_member(&w, done ? done : t->body, "persona", "persona");
    copy_member(&w, t->body, "facts", "said");
    mt_jw_key_str(&w, "status", mt_str_z(status));
    copy_member(&w, t->guard, "tool", "tool");
    mt_jw_end_object(&w);
    st_doc doc = {.kind = EX_GUARDED_KIND,
                  .id = t->call,
                  .tag = MT_STR(""),
                  .body = mt_buf_str(&out),
                  .updated_ms = t->number};
    mt_err err = st_doc_set(t->tx, &doc);
    mt_buf_free(&out);
    return err;
}

static mt_err hold(const telling *t)
{
    const mt_json *held = mt_json_at(t->guard, "holds");
    const mt_json *bound = mt_json_at(t->body, "bindings");
    mt_str contract = mt_text_at(t->body, "contract");
    mt_err err = MT_OK;
    for (uint32_t i = 0; mt_json_is(held, MT_JSON_ARRAY) && i < held->count && !err;
         i++) {
        mt_str entity = mt_json_text(&held->as.items[i]);
        mt_str scope = ex_check_scope(t->c, t->a, contract, entity);
        mt_str id = mt_json_text(mt_json_get(bound, entity));
        st_doc doc = {.kind = EX_CLAIM_KIND,
                      .id = ex_claim_name(t->a, scope, entity, id),
                      .tag = t->call,
                      .body = MT_STR("{}"),
                      .updated_ms = t->number};
        err = st_doc_set(t->tx, &doc);
    }
    return err;
}

/* Nobody knows what became of it: all stays, but for what it is called. */
static mt_err mark_unknown(const telling *t)
{
    st_doc doc;
    mt_json tree;
    mt_err err = st_doc_get(t->tx, t->a, EX_GUARDED_KIND, t->call, &doc);
    if (err || mt_json_read(t->a, mt_str_dup(t->a, doc.body), NULL, &tree, NULL)) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    for (uint32_t i = 0; i < tree.count; i++) {
        mt_json_member *m = (mt_json_member *)(uintptr_t)&tree.as.members[i];
        if (mt_str_is(m->key, "status")) {
            m->value.as.text = EX_CALL_UNKNOWN;
            m->value.count = (uint32_t)strlen(EX_CALL_UNKNOWN);
        }
    }
    doc.body = ex_check_text(t->a, &tree);
    doc.updated_ms = t->number;
    return st_doc_set(t->tx, &doc);
}

typedef struct found {
    mt_arena *a;
    MT_VEC(mt_str) ids;
} found;

static mt_err note_id(void *state, const st_doc *row)
{
    found *f = state;
    mt_str id = mt_str_dup(f->a, row->id);
    mt_vec_push(f->a, &f->ids, id);
    return MT_OK;
}

static mt_err settle(mt_err err)
{
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

static mt_err end_call(const telling *t)
{
    found f = {.a = t->a};
    mt_err err = settle(st_doc_delete(t->tx, EX_GUARDED_KIND, t->call));
    err = err ? err
              : st_doc_walk(t->tx, EX_CLAIM_KIND, t->call, (st_page){0}, note_id, &f);
    for (size_t i = 0; i < f.ids.len && !err; i++) {
        err = settle(st_doc_delete(t->tx, EX_CLAIM_KIND, f.ids.items[i]));
    }
    return err;
}

mt_err ex_expect_guarded(ex_checking *c, st_tx *expected, mt_arena *a,
                         const st_record *row, const mt_json *body)
{
    telling t = {c, expected, a, body, mt_json_at(body, "guard"), {0}, row->seq};
    mt_str event = mt_text_at(t.guard, "event");
    t.call = mt_text_at(t.guard, "call");
    t.number = row->seq < 0 ? INT64_MAX : row->seq;
    if (!t.call.len) {
        return MT_OK;
    }
    if (mt_str_is(event, "allowed") || mt_str_is(event, "passed")) {
        bool before = !mt_str_is(mt_text_at(body, "kind"), "guard");
        mt_err err = set_call(&t, before ? EX_CALL_COMMITTED : EX_CALL_ALLOWED);
        return err ? err : hold(&t);
    }
    return mt_str_is(event, EX_CALL_UNKNOWN) ? mark_unknown(&t) : end_call(&t);
}

/* ---- Compared ---- */

/* Of the record's facts, in the order of the contract: {"fact": value}. */
static mt_str facts_of(mt_arena *a, const mt_json *said)
{
    uint32_t count = mt_json_is(said, MT_JSON_ARRAY) ? said->count : 0;
    mt_json_member *members = mt_new_array(a, mt_json_member, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *value = mt_json_at(&said->as.items[i], "value");
        members[i].key = mt_text_at(&said->as.items[i], "id");
        members[i].value = value ? *value : (mt_json){.type = MT_JSON_NULL};
    }
    mt_json object = {.type = MT_JSON_OBJECT, .count = count};
    object.as.members = members;
    return ex_check_text(a, &object);
}

void ex_compare_guarded(ex_checking *c, mt_str name, const st_doc *is,
                        const st_doc *must)
{
    static const char *const PARTS[] = {"bindings", "contract",  "etag",
                                        "flow",     "operation", "persona",
                                        "said",     "status",    "tool"};
    mt_arena *a = ex_check_sides(c).scratch;
    mt_json one, two;
    if (mt_json_read(a, mt_str_dup(a, is->body), NULL, &one, NULL) ||
        mt_json_read(a, mt_str_dup(a, must->body), NULL, &two, NULL)) {
        ex_check_differs(c, "documents", name, "it cannot be read");
        return;
    }
    const mt_json *said = mt_json_at(&two, "said");
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        mt_str key = mt_str_z(PARTS[i]);
        const mt_json *due = mt_json_get(&two, key);
        if (due) { /* else its record does not say it */
            ex_check_member(c, name, PARTS[i], ex_check_text(a, mt_json_get(&one, key)),
                            ex_check_text(a, due), must->updated_ms);
        }
    }
    if (said) {
        ex_check_member(c, name, "facts", ex_check_text(a, mt_json_at(&one, "facts")),
                        facts_of(a, said), must->updated_ms);
    }
}

void ex_compare_claim(ex_checking *c, mt_str name, const st_doc *is, const st_doc *must)
{
    (void)c;
    (void)name; /* whose it is has been compared */
    (void)is;
    (void)must;
}
