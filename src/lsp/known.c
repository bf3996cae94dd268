/* lsp/known.c - see known.h: which place takes what.
 *
 * PLACES has a row per place whose names come from somewhere: the path that leads
 * there, whether it is a key or a value, and who knows the names. Whatever has no row
 * is answered by the form of the document alone: its keys, its words. */
#include "lsp/known.h"

#include "answer/lint.h"

/* ---- places ---- */

static void know_files(ls_inquiry *q);
static void know_codes(ls_inquiry *q);
static void know_for_all(ls_inquiry *q);

typedef struct place {
    ls_data_kind kind;
    bool is_key;
    const char *path;
    void (*know)(ls_inquiry *q);
} place;

enum { KEY = true, VALUE = false };

/* clang-format off */
static const place PLACES[] = {
    {LS_DATA_CLUSTER,   VALUE, "/nodes/*/impl",            ls_know_primitives},
    {LS_DATA_CLUSTER,   VALUE, "/nodes/*/cluster",         ls_know_clusters},
    {LS_DATA_CLUSTER,   KEY,   "/nodes/*/params/*",        ls_know_params},
    {LS_DATA_CLUSTER,   VALUE, "/nodes/*/params/*",        ls_know_param_value},
    {LS_DATA_CLUSTER,   VALUE, "/nodes/*/params/*/exposed", ls_know_own_params},
    {LS_DATA_CLUSTER,   VALUE, "/edges/#",                 ls_know_edge},
    {LS_DATA_CLUSTER,   VALUE, "/edges/#/*/node",          ls_know_nodes},
    {LS_DATA_CLUSTER,   VALUE, "/edges/#/*/port",          ls_know_ports},
    {LS_DATA_CLUSTER,   VALUE, "/edges/#/from/external",   ls_know_inputs},
    {LS_DATA_CLUSTER,   VALUE, "/outputs/*",               ls_know_outlet},
    {LS_DATA_CLUSTER,   VALUE, "/outputs/#/maps_to",       ls_know_outlet},
    {LS_DATA_CLUSTER,   VALUE, "/outputs/#/maps_to/node",  ls_know_nodes},
    {LS_DATA_CLUSTER,   VALUE, "/outputs/#/maps_to/port",  ls_know_ports},
    {LS_DATA_CLUSTER,   VALUE, "/parameters/#/type",       ls_know_param_types},
    {LS_DATA_CLUSTER,   VALUE, "#/type",                   ls_know_types},
    {LS_DATA_MANIFEST,  VALUE, "/kind",                    ls_know_manifest_kinds},
    {LS_DATA_MANIFEST,  VALUE, "/cluster",                 ls_know_clusters},
    {LS_DATA_MANIFEST,  VALUE, "/parameters/#/type",       ls_know_param_types},
    {LS_DATA_MANIFEST,  VALUE, "#/type",                   ls_know_types},
    {LS_DATA_MANIFEST,  VALUE, "#/from_input",             ls_know_inputs},
    {LS_DATA_MANIFEST,  VALUE, "#/from_param",             ls_know_own_params},
    {LS_DATA_ADAPTER,   VALUE, "/context_keys/#/type",     ls_know_types},
    {LS_DATA_AGENT,     VALUE, "#/route",                  ls_know_routes},
    {LS_DATA_AGENT,     VALUE, "#/trigger",                ls_know_triggers},
    {LS_DATA_AGENT,     VALUE, "/senders/#/on_triggers/#", ls_know_triggers},
    {LS_DATA_AGENT,     VALUE, "/senders/#/on_actions/#",  ls_know_actions},
    {LS_DATA_AGENT,     VALUE, "#/do",                     ls_know_actions},
    {LS_DATA_AGENT,     VALUE, "#/handler",                ls_know_groups},
    {LS_DATA_AGENT,     VALUE, "/tape/start",              ls_know_states_of_tape},
    {LS_DATA_AGENT,     VALUE, "/tape/start/#",            ls_know_states_of_tape},
    {LS_DATA_SCRIPT,    VALUE, "/agent",                   know_files},
    {LS_DATA_SCRIPT,    VALUE, "/tape/start",              ls_know_states_of_tape},
    {LS_DATA_SCRIPT,    VALUE, "/tape/start/#",            ls_know_states_of_tape},
    {LS_DATA_SCENARIOS, VALUE, "/contract",                know_files},
    {LS_DATA_SCENARIOS, KEY,   "given/states/*",           ls_know_entities},
    {LS_DATA_SCENARIOS, VALUE, "given/states/*",           ls_know_states},
    {LS_DATA_SCENARIOS, VALUE, "given/states/*/*",         ls_know_states},
    {LS_DATA_SCENARIOS, KEY,   "given/bind/*",             ls_know_entities},
    {LS_DATA_SCENARIOS, KEY,   "then/states/*",            ls_know_entities},
    {LS_DATA_SCENARIOS, VALUE, "then/states/*",            ls_know_states},
    {LS_DATA_SCENARIOS, VALUE, "then/states/*/*",          ls_know_states},
    {LS_DATA_SCENARIOS, VALUE, "when/persona",             ls_know_personas},
    {LS_DATA_SCENARIOS, VALUE, "when/flow",                ls_know_flows},
    {LS_DATA_SCENARIOS, VALUE, "when/operation",           ls_know_operations},
    {LS_DATA_SCENARIOS, VALUE, "when/outcome",             ls_know_outcomes},
    {LS_DATA_SCENARIOS, KEY,   "when/outcome/*",           ls_know_steps},
    {LS_DATA_SCENARIOS, VALUE, "when/outcome/*",           ls_know_outcomes},
    {LS_DATA_SCENARIOS, KEY,   "when/meanwhile/*",         ls_know_steps},
    {LS_DATA_SCENARIOS, KEY,   "when/meanwhile/*/*",       ls_know_entities},
    {LS_DATA_SCENARIOS, VALUE, "when/meanwhile/*/*",       ls_know_states},
    {LS_DATA_SCENARIOS, VALUE, "then/verdicts/#",          ls_know_verdicts},
    {LS_DATA_SCENARIOS, VALUE, "then/present/#",           ls_know_verdicts},
    {LS_DATA_SCENARIOS, VALUE, "then/absent/#",            ls_know_verdicts},
    {LS_DATA_SCENARIOS, KEY,   "then/payloads/*",          ls_know_verdicts},
    {LS_DATA_SCENARIOS, VALUE, "then/outcome",             ls_know_endings},
    {LS_DATA_SCENARIOS, VALUE, "then/steps/#",             ls_know_steps},
    {LS_DATA_SCENARIOS, VALUE, "assert/#",                 ls_know_condition},
    {LS_DATA_SCENARIOS, VALUE, "for_all/where",            ls_know_condition},
    {LS_DATA_SCENARIOS, VALUE, "for_all",                  know_for_all},
    {LS_DATA_PROJECT,   VALUE, "/lint/*/#",                know_codes},
    {LS_DATA_PROJECT,   VALUE, "/files/#",                 know_files},
};
/* clang-format on */

/* ---- gathering ---- */

typedef struct gatherer {
    mt_arena *a;
    const char *pattern;
    bool keys;
    ls_gathering found;
} gatherer;

static bool gather_one(void *context, const ls_spot *s)
{
    gatherer *g = context;
    if (s->is_key == g->keys && ls_spot_is(s, g->pattern)) {
        ls_gathered *x = mt_vec_add(g->a, &g->found);
        mt_str owner = s->depth > 1 ? s->path[s->depth - 2].key : (mt_str){0};
        *x = (ls_gathered){owner, s->text, s->range};
    }
    return true;
}

ls_gathering ls_gather(mt_arena *a, mt_str text, const char *pattern, bool keys)
{
    gatherer g = {.a = a, .pattern = pattern, .keys = keys};
    ls_spots(text, gather_one, &g);
    return g.found;
}

typedef struct sibling {
    const ls_spot *of;
    const char *key;
    mt_str value;
} sibling;

static bool is_sibling(void *context, const ls_spot *s)
{
    sibling *x = context;
    if (!s->is_key && s->depth == x->of->depth &&
        ls_spot_shares(s, x->of, s->depth - 1) &&
        mt_str_eq(s->path[s->depth - 1].key, mt_str_z(x->key))) {
        x->value = s->text;
        return false;
    }
    return true;
}

mt_str ls_beside(const ls_inquiry *q, const char *key)
{
    sibling x = {&q->spot, key, {0}};
    if (q->spot.depth) {
        ls_spots(q->text, is_sibling, &x);
    }
    return x.value;
}

mt_str ls_narrow(ls_inquiry *q, const char *but)
{
    size_t at = q->c->offset, from, to;
    const char *text = q->text.ptr;
    at = at < q->spot.range.from ? q->spot.range.from : at;
    at = at > q->spot.range.to ? q->spot.range.to : at;
    for (from = at; from > q->spot.range.from && !strchr(but, text[from - 1]);) {
        from--;
    }
    for (to = at; to < q->spot.range.to && !strchr(but, text[to]);) {
        to++;
    }
    q->part = (ls_range){from, to};
    return mt_str_from(text + q->spot.range.from, from - q->spot.range.from);
}

void ls_know_word(ls_inquiry *q, mt_str name, int kind, mt_str detail)
{
    ls_known *k = mt_vec_add(q->c->a, &q->found);
    *k = (ls_known){.name = name, .kind = kind, .detail = detail};
}

/* ---- places that need no room of their own ---- */

typedef struct file_search {
    ls_inquiry *q;
    mt_str folder;
    size_t left;
} file_search;

static bool know_file(void *context, mt_str path)
{
    file_search *x = context;
    mt_str name = mt_str_skip(mt_str_dup(x->q->c->a, path), x->folder.len + 1);
    ls_know_word(x->q, name, LS_ITEM_FILE, (mt_str){0});
    x->q->found.items[x->q->found.len - 1].file = mt_str_dup(x->q->c->a, path);
    return --x->left > 0;
}

/* What is written there, and what could be: files below the folder. */
static void know_files(ls_inquiry *q)
{
    enum { MOST_FILES = 200 };
    /* SPARSE: the others name files of any ending. */
    static const char *const ENDINGS[LS_DATA_KINDS] = {[LS_DATA_SCRIPT] = ".yaml",
                                                       [LS_DATA_SCENARIOS] = ".tenor",
                                                       [LS_DATA_PROJECT] = ".tenor"};
    const ls_server *s = q->c->s;
    mt_str folder = ls_folder_of(q->path), text;
    file_search x = {q, folder, MOST_FILES};
    if (q->spot.text.len &&
        ls_read_beside(q->c->s, q->c->a, q->path, q->spot.text, &text)) {
        ls_know_word(q, q->spot.text, LS_ITEM_FILE, (mt_str){0});
        q->found.items[0].file = mt_path_join(q->c->a, folder, q->spot.text);
    } else if (s->world.list) {
        s->world.list(s->world.state, folder, mt_str_z(ENDINGS[q->kind]), know_file,
                      &x);
    }
    q->is_open = true;
}

/* Codes that have a level: those of warnings and notes. */
static void know_codes(ls_inquiry *q)
{
    const ct_code_info *info;
    mt_str hint;
    for (size_t i = 0; (info = ct_code_at(i)); i++) {
        if (ct_lint_fault(q->c->a, mt_str_z(info->code), &hint).len) {
            continue;
        }
        ls_know_word(q, mt_str_z(info->code), LS_ITEM_ENUM_MEMBER,
                     mt_str_z(info->title));
        q->found.items[q->found.len - 1].words = ls_help_page(q->c->a, info);
    }
}

static void know_for_all(ls_inquiry *q)
{
    LS_KNOW_WORDS(q, LS_ITEM_KEYWORD, "facts", "facts and states");
}

/* ---- the form ---- */

/* One step of a path through a form: an object with keys, or the value of a row. */
typedef struct standing {
    const mt_form_table *object; /* NULL: it is not known what this is */
    const mt_form_table *more;   /* keys that the object has besides */
    const mt_form_row *row;      /* that led here, or NULL */
    bool is_named;               /* of a row of named objects: the next key is a name */
} standing;

static standing inside(const mt_form_row *row)
{
    standing at = {.row = row};
    if (row && row->table) {
        at.is_named = row->kind == MT_FORM_K_MAP;
        at.object = at.is_named ? NULL : row->table;
    }
    return at;
}

static standing follow(standing at, const ls_step *step)
{
    if (step->is_item) {
        /* of a list of objects each is one; of a list of texts the row says all */
        return at.is_named ? (standing){0} : at;
    }
    if (at.is_named) {
        return (standing){.object = at.row->table, .row = at.row};
    }
    const mt_form_row *row = mt_form_find(at.more, step->key);
    if (!row || row->kind == MT_FORM_K_OWN) {
        const mt_form_row *own = mt_form_find(at.object, step->key);
        row = own ? own : row;
    }
    return inside(row);
}

static standing stand(const ls_inquiry *q, size_t depth)
{
    standing at = {.object = ls_data_form(q->kind)};
    at.more = q->kind == LS_DATA_PROJECT ? q->c->s->world.project : NULL;
    for (size_t i = 0; i < depth; i++) {
        at = follow(at, &q->spot.path[i]);
    }
    return at;
}

const mt_form_row *ls_row_here(const ls_inquiry *q)
{
    return q->spot.depth ? stand(q, q->spot.depth).row : NULL;
}

/* The keys that an object has already, but the one that is asked about. */
typedef struct present {
    const ls_inquiry *q;
    size_t depth; /* of the object */
    mt_map keys;
} present;

static bool note_present(void *context, const ls_spot *s)
{
    present *p = context;
    bool is_new;
    if (s->is_key && s->depth == p->depth + 1 &&
        s->range.from != p->q->spot.range.from &&
        ls_spot_shares(s, &p->q->spot, p->depth)) {
        mt_map_add(p->q->c->a, &p->keys, s->text, &is_new);
    }
    return true;
}

static present present_in(const ls_inquiry *q, size_t depth)
{
    present p = {.q = q, .depth = depth};
    ls_spots(q->text, note_present, &p);
    return p;
}

static bool is_there(const present *p, mt_str key)
{
    return mt_map_find(&p->keys, key);
}

/* An object has a key once. */
static void drop_present(ls_inquiry *q)
{
    present p = present_in(q, q->spot.depth - q->spot.is_key);
    size_t kept = 0;
    for (size_t i = 0; i < q->found.len; i++) {
        if (!is_there(&p, q->found.items[i].name)) {
            q->found.items[kept++] = q->found.items[i];
        }
    }
    q->found.len = kept;
}

static void know_rows(ls_inquiry *q, const mt_form_table *t, const present *p)
{
    for (size_t i = 0; t && i < t->count; i++) {
        const mt_form_row *row = &t->rows[i];
        if (row->key && !is_there(p, mt_str_z(row->key))) {
            ls_know_word(q, mt_str_z(row->key), LS_ITEM_PROPERTY,
                         mt_form_expects(q->c->a, row));
            q->found.items[q->found.len - 1].row = row;
        }
    }
}

static void know_choices(ls_inquiry *q, const mt_form_row *row)
{
    for (size_t i = 0; row->choices && row->choices[i]; i++) {
        ls_know_word(q, mt_str_z(row->choices[i]), LS_ITEM_ENUM_MEMBER, (mt_str){0});
    }
    if (row->kind == MT_FORM_K_FLAG || row->kind == MT_FORM_K_SAYS) {
        LS_KNOW_WORDS(q, LS_ITEM_KEYWORD, "true", "false");
    }
}

/* Keys, where an object is or could begin; words, where a value is. Behind a part of a
 * text, such as the node of an edge, none begins. */
static void know_form(ls_inquiry *q)
{
    size_t own = q->spot.is_key, depth = q->spot.depth - own;
    standing at = stand(q, depth);
    bool may_begin = q->spot.may_be_key && q->part.from == q->spot.range.from;
    if (q->spot.is_key || may_begin) {
        present p = present_in(q, depth);
        know_rows(q, at.more, &p);
        know_rows(q, at.object, &p);
    }
    if (!q->spot.is_key && at.row) {
        know_choices(q, at.row);
    }
}

/* ---- asking ---- */

bool ls_inquire(ls_call *c, size_t offset, ls_inquiry *q)
{
    mt_str text = c->doc->lines.text.len ? c->doc->lines.text : MT_STR("");
    *q = (ls_inquiry){.c = c, .path = c->doc->path, .text = text};
    q->kind = ls_data_kind_of(q->path, text);
    if (q->kind == LS_DATA_OTHER || !ls_spot_at(text, offset, &q->spot)) {
        return false;
    }
    q->part = q->spot.range;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        const place *p = &PLACES[i];
        if (p->kind == q->kind && p->is_key == q->spot.is_key &&
            ls_spot_is(&q->spot, p->path)) {
            p->know(q);
            break;
        }
    }
    if (q->kind == LS_DATA_SCENARIOS && !q->found.len) {
        ls_know_given(q);
    }
    if (q->spot.is_key || q->spot.may_be_key) {
        drop_present(q);
    }
    know_form(q);
    return true;
}

static mt_str id_before(mt_str text)
{
    return mt_str_from(text.ptr, mt_str_find(text, '@'));
}

const ls_known *ls_known_here(const ls_inquiry *q)
{
    mt_str text = mt_str_from(q->text.ptr + q->part.from, q->part.to - q->part.from);
    for (size_t i = 0; text.len && i < q->found.len; i++) {
        const ls_known *k = &q->found.items[i];
        if (mt_str_eq(k->name, text) ||
            (k->also.len && mt_str_eq(k->also, id_before(text)))) {
            return k;
        }
    }
    return NULL;
}
