/* tool/resource.c - what can be read: the manifest, instances, flows, records.
 * Room: tool.
 * An address is motet://CONTRACT/… with the parts of ROWS; names and ids in it are
 * percent-escaped as in paths of HTTP. The executor decides what the visitor may read;
 * what it may not, what is not there and what belongs to another contract is the same:
 * not found. */
#include "base/percent.h"
#include "tool/turn.h"

/* Columns: pattern after motet://CONTRACT/, action, name, sentence. {entity} is the
 * call's name, {id} its id. */
static const struct resource {
    const char *pattern;
    ex_action action;
    const char *name, *words;
} ROWS[] = {
    {"manifest", EX_CONTRACT_GET, "manifest",
     "the contract as it is served, with its etag"},
    {"states", EX_INSTANCE_COUNT, "states", "how many instances are in each state"},
    {"instances", EX_INSTANCE_LIST, "instances", "the first instances of all entities"},
    {"flows", EX_FLOW_LIST, "flows", "the first executions of flows"},
    {"instances/{entity}", EX_INSTANCE_LIST, "instances of an entity",
     "the first instances of one entity"},
    {"instances/{entity}/{id}", EX_INSTANCE_GET, "instance", "one instance"},
    {"instances/{entity}/{id}/history", EX_INSTANCE_HISTORY, "history",
     "the records of one instance"},
    {"flows/{id}", EX_FLOW_GET, "flow", "one execution of a flow"},
    {"records/{id}", EX_LEDGER_GET, "record", "one record of the ledger"},
    {"records/{id}/receipt", EX_LEDGER_RECEIPT, "receipt",
     "the signed receipt of a record"},
    {"records/{id}/proof", EX_LEDGER_PROOF, "proof",
     "the proof that a record is in the ledger"},
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

#define SCHEME "motet://"

/* Rows with a part to fill in are listed as templates, the others as resources. */
static bool is_template(const struct resource *r)
{
    return strchr(r->pattern, '{') != NULL;
}

static mt_str address(tl_turn *t, const struct resource *r)
{
    mt_buf b = {0};
    mt_buf_addz(&b, SCHEME);
    mt_percent_segment(&b, t->view.contract);
    mt_buf_addf(&b, "/%s", r->pattern);
    return tl_keep(t, &b);
}

/* All rows in one page, so any cursor is a wrong one. */
static void list(tl_turn *t, const char *key, bool templates)
{
    mt_jw w = mt_jw_start(&t->members, false);
    if (t->m.params.cursor.ptr) {
        mc_spoil(&t->m, MC_BAD_PARAMS, MT_STR("there is no page behind this cursor"),
                 (mt_str){0});
        return;
    }
    mt_jw_key(&w, mt_str_z(key));
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (is_template(&ROWS[i]) == templates) {
            mt_jw_begin_object(&w);
            mt_jw_key_str(&w, "description", mt_str_z(ROWS[i].words));
            mt_jw_key_str(&w, "mimeType", MT_STR("application/json"));
            mt_jw_key_str(&w, "name", mt_str_z(ROWS[i].name));
            mt_jw_key(&w, templates ? MT_STR("uriTemplate") : MT_STR("uri"));
            mt_jw_str(&w, address(t, &ROWS[i]));
            mt_jw_end_object(&w);
        }
    }
    mt_jw_end_array(&w);
}

void tl_resources_list(tl_turn *t)
{
    list(t, "resources", false);
}

void tl_templates_list(tl_turn *t)
{
    list(t, "resourceTemplates", true);
}

/* ---- Reading ---- */

/* One part of a path, decoded. False: it is malformed, or cannot be a name. */
static bool decode(tl_turn *t, mt_str part, mt_str *out)
{
    mt_buf name = {0};
    bool is_whole = mt_percent_decode(&name, part);
    *out = mt_str_dup(&t->arena, mt_buf_str(&name));
    mt_buf_free(&name);
    return is_whole && tl_is_name(*out);
}

static mt_str take_part(mt_str *rest)
{
    size_t end = mt_str_find(*rest, '/');
    mt_str part = mt_str_from(rest->ptr, end);
    *rest = mt_str_skip(*rest, end < rest->len ? end + 1 : end);
    return part;
}

/* Both have to end together. `name` and `id` are set on the way, also if it does not
 * fit in the end: the caller empties them for each row. */
static bool fits(tl_turn *t, const struct resource *r, mt_str path, mt_str *name,
                 mt_str *id)
{
    mt_str pattern = mt_str_z(r->pattern);
    while (pattern.len && path.len) {
        mt_str want = take_part(&pattern), part = take_part(&path);
        bool fit = want.ptr[0] != '{'        ? mt_str_eq(want, part)
                   : mt_str_is(want, "{id}") ? decode(t, part, id)
                                             : decode(t, part, name);
        if (!fit) {
            return false;
        }
    }
    return !pattern.len && !path.len;
}

static void not_found(tl_turn *t)
{
    mt_buf data = {0};
    mt_jw w = mt_jw_start(&data, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "uri", t->m.params.uri);
    mt_jw_end_object(&w);
    mc_spoil(&t->m, MC_NO_RESOURCE, MT_STR("there is no such resource"),
             tl_keep(t, &data));
}

/* What has a number of its own says whose it is: a record inside its body, a receipt
 * inside its promise. What was asked for by a name is this contract's. */
static bool is_of_contract(const tl_turn *t)
{
    const mt_json *from = t->reply;
    switch ((int)t->call.action) {
    case EX_FLOW_GET: break;
    case EX_LEDGER_GET: from = mt_json_at(from, "body"); break;
    case EX_LEDGER_RECEIPT:
        from = mt_json_at(mt_json_at(from, "promise"), "decision");
        break;
    default: return true;
    }
    return mt_str_eq(mt_text_at(from, "contract"), t->view.contract);
}

/* True: the fault is said. What the executor refuses is "not
 * found", whatever the reason, so that nobody learns what exists;
 * 501 means that this is not served here, which is the same. */
static bool missed(tl_turn *t)
{
    bool later = t->status >= 500 && t->status != 501;
    if (later) {
        mc_spoil(&t->m, MC_INTERNAL, MT_STR("it cannot be read now"), (mt_str){0});
    } else if (t->status >= 400 || !is_of_contract(t)) {
        not_found(t);
    }
    return t->m.kind == MC_FAULTY;
}

static void told(tl_turn *t)
{
    if (missed(t)) {
        return;
    }
    mt_jw w = mt_jw_start(&t->members, false);
    mt_jw_keyz(&w, "contents");
    mt_jw_begin_array(&w);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "mimeType", MT_STR("application/json"));
    mt_jw_key_str(&w, "text", t->reply_text);
    mt_jw_key_str(&w, "uri", t->m.params.uri);
    mt_jw_end_object(&w);
    mt_jw_end_array(&w);
}

/* A proof does not say what it is about, so the record is read first. */
static void told_record(tl_turn *t)
{
    if (!missed(t)) {
        tl_call(t, EX_LEDGER_PROOF, (mt_str){0}, t->call.id, (mt_str){0}, told);
    }
}

static void read_row(tl_turn *t, const struct resource *r, mt_str name, mt_str id)
{
    bool proof = r->action == EX_LEDGER_PROOF;
    tl_call(t, proof ? EX_LEDGER_GET : r->action, name, id, (mt_str){0},
            proof ? told_record : told);
}

void tl_resources_read(tl_turn *t)
{
    mt_str path = t->m.params.uri, name = {0}, id = {0}, contract;
    bool ours = mt_str_starts(path, MT_STR(SCHEME));
    path = mt_str_skip(path, ours ? sizeof SCHEME - 1 : 0);
    mt_str first = take_part(&path);
    if (!ours || mt_str_ends(path, MT_STR("/")) || !decode(t, first, &contract) ||
        !mt_str_eq(contract, t->view.contract)) {
        not_found(t);
        return;
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        name = id = (mt_str){0};
        if (fits(t, &ROWS[i], path, &name, &id)) {
            read_row(t, &ROWS[i], name, id);
            return;
        }
    }
    not_found(t);
}
