/* lsp/lens.c - what stands above a construct: how often it is used, and questions about
 * it; and what they lead to: answers, and pictures.
 *
 * A question is answered as `motet ask` answers it, with what shows it. Pictures are
 * those of `motet analyze`, of the construct that was asked for or of everything. */
#include "analyze/explain/draw.h"
#include "analyze/prove/ask.h"
#include "base/map.h"
#include "contract/flow/plan.h"
#include "lsp/known.h"
#include "lsp/trials.h"

/* ---- above a construct ---- */

/* How often each definition of the view is used, by its place. */
typedef struct counts {
    mt_map map;
    mt_arena *a;
} counts;

static mt_str place_key(mt_arena *a, mt_str file, size_t offset)
{
    return mt_strf(a, "%zu %.*s", offset, MT_ARG(file));
}

static counts count_all(mt_arena *a, ls_view *v)
{
    counts n = {.a = a};
    ls_view_index(v);
    for (size_t i = 0; i < v->mention_count; i++) {
        const fr_site *d = &v->mentions[i].definition;
        if (!v->mentions[i].is_definition) {
            bool is_new;
            mt_map_add(a, &n.map, place_key(a, d->file, d->offset), &is_new)->value++;
        }
    }
    return n;
}

/* Nobody names a rule: its verdict is what is used. */
static size_t count_uses(const counts *n, const fr_construct *k)
{
    fr_tok name = k->kind == FR_RULE ? ((const fr_rule *)(const void *)k)->verdict.tok
                                     : k->id_tok;
    size_t offset = fr_token_at(k->file, name)->start;
    return mt_map_get(&n->map, place_key(n->a, k->file->path, offset), 0);
}

static void begin_lens(ls_call *c)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "command");
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "arguments");
    mt_jw_begin_array(c->w);
    mt_jw_str(c->w, c->doc->uri);
}

static void end_lens_at(ls_call *c, const ls_text *t, ls_range at, const char *command,
                        mt_str title)
{
    mt_jw_end_array(c->w);
    mt_jw_key_str(c->w, "command", mt_str_z(command));
    mt_jw_key_str(c->w, "title", title);
    mt_jw_end_object(c->w);
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, t, at);
    mt_jw_end_object(c->w);
}

static void end_lens(ls_call *c, const ls_text *t, const fr_construct *k,
                     const char *command, mt_str title)
{
    end_lens_at(c, t, ls_span_range(k->file, (fr_span){k->tok, k->id_tok}), command,
                title);
}

static void write_question(ls_call *c, const ls_text *t, const fr_construct *k,
                           const char *title, mt_str question)
{
    begin_lens(c);
    mt_jw_str(c->w, question);
    end_lens(c, t, k, "motet.ask", mt_str_z(title));
}

/* Above each state, for an entity has several. */
static void write_state_lenses(ls_call *c, const fr_unit *u, const ls_text *t,
                               const fr_construct *k)
{
    const fr_entity *e = (const fr_entity *)(const void *)k;
    for (size_t i = 0; i < e->states.len; i++) {
        fr_name state = e->states.items[i];
        begin_lens(c);
        mt_jw_str(c->w, mt_strf(c->a, "who can reach %.*s.%.*s", FR_ARG(u, k->id),
                                FR_ARG(u, state.sym)));
        end_lens_at(c, t, ls_span_range(k->file, (fr_span){state.tok, state.tok}),
                    "motet.ask",
                    mt_strf(c->a, "who can reach %.*s?", FR_ARG(u, state.sym)));
    }
}

/* ---- scenarios ---- */

static size_t count_trials(const ls_tested *all, mt_str name, size_t *passed)
{
    size_t count = 0;
    *passed = 0;
    for (size_t i = 0; i < all->list.len; i++) {
        const ls_trial *x = &all->list.items[i];
        if (mt_str_eq(x->flow, name) || mt_str_eq(x->operation, name)) {
            count++;
            *passed += x->passes;
        }
    }
    return count;
}

/* Paths are "flow: way" each. */
static size_t count_paths(const ct_coverage *c, mt_str flow, size_t *seen)
{
    size_t count = 0;
    *seen = 0;
    for (size_t i = 0; i < ct_coverage_total(c, CT_COVER_PATHS); i++) {
        ct_cover_item item = ct_coverage_item(c, CT_COVER_PATHS, i);
        if (mt_str_starts(item.name, flow) && item.name.len > flow.len &&
            item.name.ptr[flow.len] == ':') {
            count++;
            *seen += item.seen;
        }
    }
    return count;
}

static mt_str coverage_words(ls_call *c, const ls_tested *all, const fr_construct *k,
                             mt_str name)
{
    ct_cover_kind kind = k->kind == FR_RULE ? CT_COVER_RULES : CT_COVER_OPERATIONS;
    if (k->kind == FR_FLOW) {
        size_t seen, count = count_paths(all->coverage, name, &seen);
        return mt_strf(c->a, "%zu of %zu paths covered", seen, count);
    }
    for (size_t i = 0; i < ct_coverage_total(all->coverage, kind); i++) {
        ct_cover_item item = ct_coverage_item(all->coverage, kind, i);
        if (mt_str_eq(item.name, name)) {
            return item.seen ? MT_STR("covered") : MT_STR("not covered");
        }
    }
    return (mt_str){0};
}

/* What the scenarios say of it: those that do it, to run again, and what they cover. */
static void write_trial_lenses(ls_call *c, const fr_unit *u, const ls_text *t,
                               const ls_tested *all, const fr_construct *k)
{
    mt_str name = fr_str(u, k->id);
    size_t passed, count = count_trials(all, name, &passed);
    if (k->kind != FR_RULE && k->kind != FR_OPERATION && k->kind != FR_FLOW) {
        return;
    }
    if (count) {
        begin_lens(c);
        mt_jw_str(c->w, name);
        end_lens(c, t, k, "motet.test",
                 mt_strf(c->a, "run %zu scenario%s: %zu pass%s", count,
                         count == 1 ? "" : "s", passed, passed == 1 ? "es" : ""));
    }
    mt_str words = coverage_words(c, all, k, name);
    if (words.len) {
        begin_lens(c);
        end_lens(c, t, k, "motet.test", words);
    }
}

static void write_lenses(ls_call *c, const ls_view *v, const ls_text *t,
                         const counts *n, const fr_construct *k)
{
    const fr_unit *u = v->e->unit;
    size_t uses = count_uses(n, k);
    begin_lens(c);
    ls_write_position(c->w, c->s, t,
                      ls_span_range(k->file, (fr_span){k->id_tok, k->id_tok}).from);
    end_lens(c, t, k, "motet.references",
             mt_strf(c->a, "%zu use%s", uses, uses == 1 ? "" : "s"));
    if (v->contract.ds.errors) {
        return;
    }
    if (k->kind == FR_OPERATION) {
        write_question(c, t, k, "who can do this?",
                       mt_strf(c->a, "who can perform %.*s", FR_ARG(u, k->id)));
    } else if (k->kind == FR_RULE) {
        fr_sym verdict = ((const fr_rule *)(const void *)k)->verdict.sym;
        if (verdict != FR_W_none && verdict != FR_W_empty) {
            write_question(c, t, k, "can this ever be true?",
                           mt_strf(c->a, "can %.*s hold", FR_ARG(u, verdict)));
        }
    } else if (k->kind == FR_FLOW) {
        write_question(c, t, k, "does it always end?",
                       mt_strf(c->a, "flow %.*s ends", FR_ARG(u, k->id)));
    } else if (k->kind == FR_ENTITY) {
        write_state_lenses(c, u, t, k);
    }
}

/* Scenarios first: they want the contract checked, and that is a new view. */
void ls_code_lens(ls_call *c)
{
    ls_trials trials;
    ls_tested all = {0};
    bool is_tested =
        ls_has_trials(c, c->doc->path) && ls_trials_open(c->s, c->doc->path, &trials);
    if (is_tested) {
        ls_trials_run(c, &trials, LS_RUNS_SHOWN, &all);
        ls_trials_close(&trials);
    }
    ls_view *v = ls_view_of(c->s, c->doc);
    const fr_unit *u = v->e ? v->e->unit : NULL;
    const ls_text *t = ls_view_text(v, c->doc->path);
    counts n = count_all(c->a, v);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; u && t && i < u->all.len; i++) {
        const fr_construct *k = u->all.items[i];
        if (!k->broken && k->kind != FR_IMPORT && k->kind != FR_SYSTEM &&
            mt_str_eq(k->file->path, c->doc->path)) {
            write_lenses(c, v, t, &n, k);
            if (is_tested && !all.is_cut) {
                write_trial_lenses(c, u, t, &all, k);
            }
        }
    }
    mt_jw_end_array(c->w);
}

/* Above each scenario of a file: run it. */
void ls_data_lens(ls_call *c)
{
    mt_str text = c->doc->lines.text;
    mt_jw_begin_array(c->w);
    if (ls_data_kind_of(c->doc->path, text) == LS_DATA_SCENARIOS) {
        ls_gathering names = ls_gather(c->a, text, "/scenarios/#/name", false);
        ls_gathering all = ls_gather(c->a, text, "/scenarios", true);
        for (size_t i = 0; i < all.len; i++) {
            begin_lens(c);
            end_lens_at(c, &c->doc->lines, all.items[i].at, "motet.test",
                        MT_STR("run all"));
        }
        for (size_t i = 0; i < names.len; i++) {
            begin_lens(c);
            mt_jw_str(c->w, names.items[i].text);
            end_lens_at(c, &c->doc->lines, names.items[i].at, "motet.test",
                        MT_STR("run"));
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- questions ---- */

/* {"answer":"yes|no|unknown|fault","text":…} */
static void answer(ls_call *c, const ls_view *v, mt_str question)
{
    static const char *const KINDS[] = {[AN_REPLY_YES] = "yes",
                                        [AN_REPLY_NO] = "no",
                                        [AN_REPLY_UNKNOWN] = "unknown",
                                        [AN_REPLY_FAULT] = "fault"};
    MT_TABLE_COVERS(KINDS, AN_REPLY_FAULT + 1);
    mt_diags ds = {.arena = c->a, .limit = 10};
    const ct_program *program = ct_compile(c->a, v->contract.admitted.model);
    an_union all;
    if (an_union_of(c->a, program, &ds, &all)) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  ds.len ? ds.items[0].message : MT_STR("the contract cannot be run"));
        return;
    }
    an_asker *q = an_asker_new(&all, c->s->limits);
    an_reply r = an_ask(q, c->a, question);
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "answer", mt_str_z(KINDS[r.kind]));
    mt_jw_key_str(c->w, "text", r.text);
    mt_jw_end_object(c->w);
    an_asker_free(q);
}

/* "motet.ask": address of the document, question. */
static void ask_command(ls_call *c, const mt_json *args)
{
    c->doc = ls_document_find(c->s, mt_json_text(&args->as.items[0]));
    if (!c->doc || c->doc->language != LS_CONTRACT) {
        ls_refuse(c, LS_INVALID_PARAMS, MT_STR("the document is not open"));
        return;
    }
    const ls_view *v = ls_view_checked(c->s, c->doc);
    if (v->contract.ds.errors || !v->contract.admitted.model || v->e->is_system) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  MT_STR("questions are for a contract without errors"));
        return;
    }
    answer(c, v, mt_json_text(&args->as.items[1]));
}

void ls_execute_command(ls_call *c)
{
    static const struct {
        const char *name;
        uint32_t least, most; /* arguments */
        void (*perform)(ls_call *c, const mt_json *args);
    } COMMANDS[] = {{"motet.ask", 2, 2, ask_command},
                    {"motet.test", 1, 2, ls_test_command}};
    mt_str command = mt_json_text(mt_json_at(c->params, "command"));
    const mt_json *args = mt_json_at(c->params, "arguments");
    uint32_t count = mt_json_is(args, MT_JSON_ARRAY) ? args->count : 0;
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (mt_str_eq(command, mt_str_z(COMMANDS[i].name)) &&
            count >= COMMANDS[i].least && count <= COMMANDS[i].most) {
            COMMANDS[i].perform(c, args);
            return;
        }
    }
    ls_refuse(c, LS_INVALID_PARAMS,
              MT_STR("the commands are motet.ask, with a document and a question, and "
                     "motet.test, with a document and perhaps a name"));
}

/* ---- pictures ---- */

/* The first is the one that nobody has to ask for. */
static const struct {
    const char *name;
    void (*write)(mt_buf *, const mt_picture *);
} FORMS[] = {{"json", mt_picture_json},
             {"mermaid", mt_picture_mermaid},
             {"dot", mt_picture_dot}};
enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

typedef struct chosen {
    ls_call *c;
    mt_str file; /* of the page that is wanted; empty: the first */
    int form;
    bool found;
} chosen;

static bool take_page(void *context, mt_str file, const mt_picture *p)
{
    chosen *x = context;
    if (!mt_str_eq(file, x->file)) {
        return true;
    }
    mt_buf out = {0};
    FORMS[x->form].write(&out, p);
    mt_jw_begin_object(x->c->w);
    mt_jw_key_str(x->c->w, "format", mt_str_z(FORMS[x->form].name));
    mt_jw_key_str(x->c->w, "picture", mt_buf_str(&out));
    mt_jw_key_str(x->c->w, "title", p->title);
    mt_jw_end_object(x->c->w);
    mt_buf_free(&out);
    x->found = true;
    return false;
}

/* Which parts show the construct, and the page that does. */
static uint32_t part_of(ls_call *c, const fr_unit *u, const fr_construct *k,
                        mt_str *file)
{
    *file = (mt_str){0};
    switch (k ? (fr_kind)k->kind : FR_KIND_COUNT) {
    case FR_ENTITY:
        *file = mt_strf(c->a, "entity-%.*s", FR_ARG(u, k->id));
        return 1u << AN_DRAW_ENTITIES;
    case FR_FLOW:
        *file = mt_strf(c->a, "flow-%.*s", FR_ARG(u, k->id));
        return 1u << AN_DRAW_FLOWS;
    case FR_FACT:
    case FR_RULE:
    case FR_SOURCE:
    case FR_TYPEDECL: *file = MT_STR("rules"); return 1u << AN_DRAW_RULES;
    case FR_PERSONA:
    case FR_OPERATION: *file = MT_STR("authority"); return 1u << AN_DRAW_AUTHORITY;
    case FR_SYSTEM:
    case FR_IMPORT:
    case FR_KIND_COUNT: break;
    }
    return 1u << AN_DRAW_ENTITIES | 1u << AN_DRAW_FLOWS;
}

static int form_of(const ls_call *c)
{
    mt_str name = mt_json_text(mt_json_at(c->params, "format"));
    for (int i = 0; i < FORM_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(FORMS[i].name))) {
            return i;
        }
    }
    return name.len ? -1 : 0;
}

/* Of the construct at `position`, else of everything; `format` is json, mermaid or
 * dot. While the text has errors it is the picture of the last one without. */
void ls_picture(ls_call *c)
{
    const ls_view *v = ls_view_checked(c->s, c->doc);
    int form = form_of(c);
    if (form < 0) {
        ls_refuse(c, LS_INVALID_PARAMS, MT_STR("`format` is json, mermaid or dot"));
        return;
    }
    if (!v->contract.admitted.model || v->e->is_system) {
        ls_refuse(c, LS_REQUEST_FAILED, MT_STR("the contract has errors"));
        return;
    }
    mt_diags ds = {.arena = c->a, .limit = 10};
    const ct_plan *plan;
    if (ct_plan_of_model(c->a, v->contract.admitted.model, &ds, &plan)) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  ds.len ? ds.items[0].message : MT_STR("the contract cannot be run"));
        return;
    }
    const mt_json *at = mt_json_at(c->params, "position");
    size_t offset;
    const fr_construct *k = ls_read_place(c->s, &c->doc->lines, at, &offset)
                                ? ls_construct_at(v, c->doc->path, offset)
                                : NULL;
    chosen x = {.c = c, .form = form};
    uint32_t parts = part_of(c, v->e->unit, k, &x.file);
    an_analyze_options options = {.only = an_parts_need(parts)};
    an_findings fs = {.arena = c->a};
    an_subject subject = {.contract = an_analyze(c->a, plan, &options, &fs)};
    if (x.file.len) {
        an_draw_each(&subject, parts, take_page, &x);
    }
    if (!x.found) {
        mt_picture whole = an_draw(c->a, &subject, parts);
        x.file = MT_STR("all");
        take_page(&x, x.file, &whole);
    }
}
