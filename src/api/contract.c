/* api/contract.c - the public API's contracts: source or bundle to program.
 *
 * motet.h states lifetimes and thread rules; this file keeps them: a contract copies
 * every text it is given, makes its messages once and is immutable afterwards, so
 * threads may share it. A contract that was refused is returned as well, with its
 * diagnostics and without a program; the caller frees it like any other.
 *
 * Order: elaborate (or read the bundle), admit, compile. Nothing prints and nothing
 * exits; what the world refuses is a motet_status, which has the values of mt_err.
 * Limits are the defaults. */
#include "api/api.h"

#include <stdlib.h>

#include "base/form.h"
#include "base/map.h"
#include "contract/elaborate.h"

/* The casts between the two enums rely on one order; the last and one in the middle
 * show a shift. */
_Static_assert((int)MOTET_E_USAGE == (int)MT_E_USAGE, "statuses follow MT_ERR_MAP");
_Static_assert((int)MOTET_E_OVERFLOW == (int)MT_E_OVERFLOW, "likewise");

#ifndef MOTET_VERSION
#define MOTET_VERSION "0.1.0"
#endif

const char *motet_version(void)
{
    return MOTET_VERSION;
}

const char *motet_language_version(void)
{
    return "1.0";
}

const char *motet_status_text(motet_status status)
{
    return status == MOTET_OK ? "done" : mt_err_text((mt_err)status);
}

/* ---- Structures that say their size ---- */

/* Members behind `known` may be read only because the size says that they are there. */
motet_status api_take(void *to, size_t known, const void *from)
{
    size_t given;
    const char *bytes = from;
    memset(to, 0, known);
    memcpy(&given, from, sizeof given);
    if (given < sizeof given || given > 65536) {
        return MOTET_E_USAGE;
    }
    for (size_t i = known; i < given; i++) {
        if (bytes[i]) {
            return MOTET_E_VERSION;
        }
    }
    memcpy(to, from, given < known ? given : known);
    return MOTET_OK;
}

void api_give(void *to, const void *from, size_t known)
{
    size_t room;
    memcpy(&room, to, sizeof room);
    size_t both = room < known ? room : known;
    if (both > sizeof room) {
        memcpy((char *)to + sizeof room, (const char *)from + sizeof room,
               both - sizeof room);
    }
}

/* ---- Loading ---- */

motet_contract *api_contract_new(const char *name, const mt_limits *limits)
{
    motet_contract *c = mt_xmalloc(sizeof *c);
    *c = (motet_contract){0};
    aw_contract_start(&c->x, (mt_str){0}, limits);
    c->x.path = mt_str_dup(&c->x.arena, api_in_z(name));
    return c;
}

/* The texts of all diagnostics, made once: the contract is shared afterwards. */
static void make_messages(motet_contract *c)
{
    const mt_diags *ds = &c->x.ds;
    motet_str *texts = mt_new_array(&c->x.arena, motet_str, ds->len + 1);
    for (size_t i = 0; i < ds->len; i++) {
        const mt_diag *d = &ds->items[i];
        texts[i] = api_out_str(mt_strf(
            &c->x.arena, "%.*s:%u:%u: %s %s: %.*s", MT_ARG(d->file), d->line, d->column,
            mt_severity_name(d->severity), d->code, MT_ARG(d->message)));
    }
    c->messages = texts;
}

motet_status api_contract_finish(motet_contract *c, mt_err err)
{
    if (err == MT_OK) {
        c->model = c->x.admitted.model;
        c->program = ct_compile(&c->x.arena, c->model);
        c->etag = ct_bundle_etag(&c->x.arena, c->x.bundle);
    }
    make_messages(c);
    return (motet_status)err;
}

/* The provider knows one file only, so an import of anything else is reported as a
 * missing file. It lives on the stack: elaboration is over when this returns. */
motet_status motet_contract_load(motet_str text, const char *name, motet_contract **out)
{
    motet_contract *c = *out = api_contract_new(name, NULL);
    mt_str copy = mt_str_dup(&c->x.arena, api_in_str(text));
    if (aw_is_interchange(copy)) {
        return api_contract_finish(c, aw_contract_interchange(&c->x, copy));
    }
    mt_memory_file file = {c->x.path, copy};
    mt_memory memory = {&file, 1};
    mt_provider files = mt_memory_provider(&memory);
    return api_contract_finish(c, aw_contract_source(&c->x, &files, NULL, NULL));
}

/* The first file is the root; the others are found by their paths. No files at all is
 * the caller's mistake and has no diagnostics. */
motet_status motet_contract_load_files(const motet_file *files, size_t count,
                                       motet_contract **out)
{
    count = files ? count : 0;
    motet_contract *c = *out = api_contract_new(count ? files[0].path : "", NULL);
    mt_memory_file *copies = mt_new_array(&c->x.arena, mt_memory_file, count + 1);
    for (size_t i = 0; i < count; i++) {
        copies[i].path = mt_str_dup(&c->x.arena, api_in_z(files[i].path));
        copies[i].text = mt_str_dup(&c->x.arena, api_in_str(files[i].text));
    }
    if (!count) {
        return MOTET_E_USAGE;
    }
    mt_memory memory = {copies, count};
    mt_provider provider = mt_memory_provider(&memory);
    return api_contract_finish(c, aw_contract_source(&c->x, &provider, NULL, NULL));
}

/* ---- Texts from a callback ---- */

typedef struct asked_for {
    motet_provider provider;
    mt_arena *arena; /* the contract's: texts are copied there */
    mt_map texts;    /* by path: index in `found` + 1; 0: it is not there */
    MT_VEC(mt_str) found;
} asked_for;

/* Each file is asked for once, so that what was found is what
 * is read: a callback might give another text the second time.
 * A failure of the callback is remembered as "not there". */
static mt_err text_at(asked_for *f, mt_str path, mt_str *text)
{
    bool added;
    mt_map_entry *e = mt_map_find(&f->texts, path);
    if (!e) {
        motet_str given = {0};
        motet_status status =
            f->provider.read(f->provider.user, api_out_str(path), &given);
        e = mt_map_add(f->arena, &f->texts, mt_str_dup(f->arena, path), &added);
        if (status && status != MOTET_E_NOTFOUND) {
            e->value = 0;
            return MT_E_IO;
        }
        if (!status) {
            mt_vec_push(f->arena, &f->found, mt_str_dup(f->arena, api_in_str(given)));
            e->value = f->found.len;
        }
    }
    if (!e->value) {
        return MT_E_NOTFOUND;
    }
    *text = f->found.items[e->value - 1];
    return MT_OK;
}

/* The words are those of the operating system, because the conformance suite compares
 * them. */
static mt_err say_why(mt_err err, mt_str *why)
{
    *why = err == MT_E_NOTFOUND ? MT_STR("No such file or directory (os error 2)")
           : err == MT_E_LIMIT  ? MT_STR("it is too large")
                                : MT_STR("Input/output error (os error 5)");
    return err;
}

/* mt_provider.find: an import's path, joined to
 * the directory of the importing file, is its id. */
static mt_err find_text(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                        mt_str *why)
{
    mt_str text;
    *id = mt_path_join(a, dir, path);
    mt_err err = text_at(state, *id, &text);
    return err ? say_why(err, why) : MT_OK;
}

static mt_err read_text(void *state, mt_arena *a, mt_str id, size_t limit, mt_str *text,
                        mt_str *why)
{
    (void)a;
    mt_err err = text_at(state, id, text);
    err = !err && text->len > limit ? MT_E_LIMIT : err;
    return err ? say_why(err, why) : MT_OK;
}

/* ---- Options of loading ---- */

/* ORDER of `levels`: take_levels() has the same. Later lists win over earlier ones. */
typedef struct load_options {
    bool strict;
    const mt_json *levels[3]; /* allow, warn, deny */
    const mt_json *limits;
} load_options;

static const mt_form_row LOAD_OPTIONS[] = {
    MT_FORM_FLAG(load_options, strict, "strict", 0),
    MT_FORM_TEXTS(load_options, levels[0], "allow", 0, 10000, 0),
    MT_FORM_TEXTS(load_options, levels[1], "warn", 0, 10000, 0),
    MT_FORM_TEXTS(load_options, levels[2], "deny", 0, 10000, 0),
    MT_FORM_OBJECT(load_options, limits, "limits", 0),
};

/* False: it has been said what is wrong. The rows are made from the table of limits, so
 * a new limit can be set without a change here. */
static bool read_limits(mt_form *f, const mt_json *given, mt_limits *limits)
{
    mt_form inside = mt_form_inside(f, "limits", "the limits");
    mt_form_row *rows = mt_new_array(f->arena, mt_form_row, MT_LIMIT_ROW_COUNT);
    for (size_t i = 0; i < MT_LIMIT_ROW_COUNT; i++) {
        rows[i] = (mt_form_row){.key = MT_LIMIT_ROWS[i].name,
                                .length = strlen(MT_LIMIT_ROWS[i].name),
                                .kind = MT_FORM_K_SIZE,
                                .offset = MT_LIMIT_ROWS[i].offset,
                                .least = 0,
                                .most = INT64_MAX};
    }
    return !given || mt_form_read(&inside, given, rows, MT_LIMIT_ROW_COUNT, limits);
}

static void take_levels(mt_arena *a, const load_options *o, ct_lint *out)
{
    static const ct_lint_level LEVELS[] = {CT_LINT_ALLOW, CT_LINT_WARN, CT_LINT_DENY};
    MT_VEC(ct_lint_rule) rules = {0};
    for (size_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; o->levels[k] && i < o->levels[k]->count; i++) {
            ct_lint_rule rule = {mt_json_text(&o->levels[k]->as.items[i]), LEVELS[k]};
            mt_vec_push(a, &rules, rule);
        }
    }
    *out = (ct_lint){rules.items, rules.len};
}

/* Wrong options are told like a wrong contract,
 * since a load has no other place for words. */
static void add_option_fault(void *contract, const mt_form_fault *fault)
{
    motet_contract *c = contract;
    mt_buf text = {0};
    mt_form_write(&text, fault);
    mt_diag d = {.severity = MT_ERROR,
                 .code = "USAGE",
                 .pass = -1,
                 .file = MT_STR("options"),
                 .message = mt_str_dup(&c->x.arena, mt_buf_str(&text))};
    mt_buf_free(&text);
    mt_diag_add(&c->x.ds, &d);
}

/* What is wrong becomes messages of the contract. */
static bool read_options(motet_contract *c, motet_str text, ct_options *out)
{
    mt_arena *a = &c->x.arena;
    load_options o = {0};
    mt_json *tree = mt_new(a, mt_json);
    mt_json_error error = {0};
    mt_form form = {
        .arena = a, .what = "the options", .report = add_option_fault, .state = c};
    ct_lint *lint = mt_new(a, ct_lint);
    if (!text.len) {
        text = (motet_str){"{}", 2};
    }
    if (mt_json_read(a, mt_str_dup(a, api_in_str(text)), NULL, tree, &error)) {
        mt_form_fault fault = {.message = mt_str_z(error.message)};
        add_option_fault(c, &fault);
        return false;
    }
    if (!mt_form_read(&form, tree, LOAD_OPTIONS, mt_form_count(LOAD_OPTIONS), &o) ||
        !read_limits(&form, o.limits, &c->x.limits)) {
        return false;
    }
    take_levels(a, &o, lint);
    c->x.ds.limit = c->x.limits.diagnostics;
    *out = (ct_options){.strict = o.strict, .limits = &c->x.limits, .lint = lint};
    return true;
}

/* A root of interchange is told by its name, or by how it begins. A root that is not
 * there is left to the elaborator, which has the words for it. */
static mt_err read_root(motet_contract *c, asked_for *f, const ct_options *options)
{
    mt_str text, path = mt_path_join(&c->x.arena, MT_STR(""), c->x.path);
    mt_provider files = {.state = f, .find = find_text, .read = read_text};
    bool there = text_at(f, path, &text) == MT_OK;
    if (!there || !(mt_str_ends(path, MT_STR(".json")) || aw_is_interchange(text))) {
        return aw_contract_source(&c->x, &files, options, NULL);
    }
    if (text.len > c->x.limits.json_bytes) {
        aw_contract_unread(&c->x, CT_CODE_BUNDLE_LIMIT,
                           mt_strf(&c->x.arena,
                                   "more than %zu bytes (limit json_bytes)",
                                   c->x.limits.json_bytes));
        return MT_E_LIMIT;
    }
    return aw_contract_interchange(&c->x, text);
}

/* Options before the root: limits hold for the reading of it, too. */
motet_status motet_contract_read(const motet_provider *provider, const char *root,
                                 motet_str options, motet_contract **out)
{
    motet_contract *c = *out = api_contract_new(root, NULL);
    asked_for f = {.arena = &c->x.arena};
    ct_options how;
    motet_status status = provider ? API_TAKE(&f.provider, provider) : MOTET_E_USAGE;
    if (status || !f.provider.read) {
        return status ? status : MOTET_E_USAGE;
    }
    if (!read_options(c, options, &how)) {
        return api_contract_finish(c, MT_E_USAGE);
    }
    return api_contract_finish(c, read_root(c, &f, &how));
}

/* Fact sets, verdicts and runs borrow from the contract and must be gone by now. */
void motet_contract_free(motet_contract *contract)
{
    if (contract) {
        aw_contract_free(&contract->x);
        free(contract);
    }
}

/* There are no messages when loading ended before finish(). */
motet_str motet_contract_message(const motet_contract *contract, size_t index)
{
    if (!contract) {
        return (motet_str){"", 0};
    }
    return index < contract->x.ds.len && contract->messages ? contract->messages[index]
                                                            : (motet_str){"", 0};
}

bool motet_contract_diagnostic(const motet_contract *contract, size_t index,
                               motet_diagnostic *out)
{
    if (!contract) {
        return false;
    }
    if (index >= contract->x.ds.len) {
        return false;
    }
    const mt_diag *d = &contract->x.ds.items[index];
    motet_diagnostic all = {.severity = mt_severity_name(d->severity),
                            .code = d->code,
                            .pass = d->pass,
                            .file = api_out_str(d->file),
                            .line = d->line,
                            .column = d->column,
                            .length = d->length,
                            .construct_kind = api_out_str(d->construct_kind),
                            .construct_id = api_out_str(d->construct_id),
                            .field = api_out_str(d->field),
                            .message = api_out_str(d->message),
                            .hint = api_out_str(d->hint),
                            .end_line = d->end_line,
                            .end_column = d->end_column};
    api_give(out, &all, sizeof all);
    return true;
}

motet_str motet_contract_bundle(const motet_contract *contract)
{
    if (!contract) {
        return (motet_str){"", 0};
    }
    return api_out_str(contract->x.bundle);
}

motet_str motet_contract_etag(const motet_contract *contract)
{
    if (!contract) {
        return (motet_str){"", 0};
    }
    return api_out_str(contract->etag);
}
