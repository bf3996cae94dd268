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

#include "contract/elaborate.h"
#include "contract/wire/validate.h"
#include "os/file.h"
#include "os/sources.h"

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

/* Never NULL: the allocation ends the process when there is no memory. Every load
 * answers with an object, so that a refused one can say why. */
static motet_contract *new_contract(void)
{
    motet_contract *c = mt_xmalloc(sizeof *c);
    *c = (motet_contract){0};
    c->ds.arena = &c->arena;
    c->ds.limit = MT_LIMITS_DEFAULT.diagnostics;
    return c;
}

/* A manifest is taken too: its bundle is what counts. `document.bundle` is empty when
 * the structure was refused. */
static mt_err from_bundle(motet_contract *c, mt_str name, mt_str text)
{
    ct_document document;
    mt_err err =
        ct_validate(&c->arena, name, text, &MT_LIMITS_DEFAULT, &c->ds, &document);
    c->bundle = document.bundle;
    return err;
}

/* Warnings go to the same list as errors and stay there after success. */
static mt_err from_source(motet_contract *c, mt_str name, const mt_provider *files)
{
    const ct_elaboration *e = NULL;
    mt_err err = ct_elaborate(&c->arena, name, files, NULL, &c->ds, &e);
    if (err == MT_OK) {
        c->bundle = e->bundle;
    }
    return err;
}

/* The texts of all diagnostics, made once: the contract is shared afterwards. */
static void make_messages(motet_contract *c)
{
    motet_str *texts = mt_new_array(&c->arena, motet_str, c->ds.len);
    for (size_t i = 0; i < c->ds.len; i++) {
        const mt_diag *d = &c->ds.items[i];
        texts[i] = api_out_str(mt_strf(
            &c->arena, "%.*s:%u:%u: %s %s: %.*s", MT_ARG(d->file), d->line, d->column,
            mt_severity_name(d->severity), d->code, MT_ARG(d->message)));
    }
    c->messages = texts;
}

/* Always makes the messages, also after a failure of the steps before. The bundle that
 * was elaborated is loaded from its text, as one from elsewhere would be: what a
 * program is made of is what motet_contract_bundle() shows. */
static motet_status finish(motet_contract *c, mt_str name, mt_err err)
{
    if (err == MT_OK) {
        err = ct_load(&c->arena, c->bundle, name, NULL, &c->ds, &c->model);
    }
    if (err == MT_OK) {
        c->program = ct_compile(&c->arena, c->model);
    }
    make_messages(c);
    return (motet_status)err;
}

/* Contract source never begins with a brace, JSON objects always do. */
static bool is_bundle(mt_str text)
{
    size_t i = 0;
    while (i < text.len && strchr(" \t\r\n", text.ptr[i])) {
        i++;
    }
    return i < text.len && text.ptr[i] == '{';
}

/* The provider knows one file only, so an import of anything else is reported as a
 * missing file. It lives on the stack: elaboration is over when this returns. */
motet_status motet_contract_load(motet_str text, const char *name, motet_contract **out)
{
    motet_contract *c = *out = new_contract();
    mt_str copy = mt_str_dup(&c->arena, mt_str_from(text.ptr, text.len));
    mt_str called = mt_str_dup(&c->arena, mt_str_z(name));
    if (is_bundle(copy)) {
        return finish(c, called, from_bundle(c, called, copy));
    }
    mt_memory_file file = {called, copy};
    mt_memory memory = {&file, 1};
    mt_provider files = mt_memory_provider(&memory);
    return finish(c, called, from_source(c, called, &files));
}

/* The first file is the root; the others are found by their paths. No files at all is
 * the caller's mistake and has no diagnostics. */
motet_status motet_contract_load_files(const motet_file *files, size_t count,
                                       motet_contract **out)
{
    motet_contract *c = *out = new_contract();
    mt_memory_file *copies = mt_new_array(&c->arena, mt_memory_file, count + 1);
    for (size_t i = 0; i < count; i++) {
        mt_str text = mt_str_from(files[i].text.ptr, files[i].text.len);
        copies[i].path = mt_str_dup(&c->arena, mt_str_z(files[i].path));
        copies[i].text = mt_str_dup(&c->arena, text);
    }
    if (!count) {
        return MOTET_E_USAGE;
    }
    mt_memory memory = {copies, count};
    mt_provider provider = mt_memory_provider(&memory);
    return finish(c, copies[0].path, from_source(c, copies[0].path, &provider));
}

/* Told by the name and not by the content: a source file may be anything while it is
 * being edited. A file that cannot be read has a status and no message. */
motet_status motet_contract_open(const char *path, motet_contract **out)
{
    motet_contract *c = *out = new_contract();
    mt_str name = mt_str_dup(&c->arena, mt_str_z(path));
    if (mt_str_ends(name, MT_STR(".json"))) {
        mt_str text;
        mt_err err = os_read_file(&c->arena, path, MT_LIMITS_DEFAULT.json_bytes, &text);
        return err ? (motet_status)err : finish(c, name, from_bundle(c, name, text));
    }
    os_sources sources = {0};
    mt_provider files = os_sources_provider(&sources, &MT_LIMITS_DEFAULT);
    return finish(c, name, from_source(c, name, &files));
}

/* Fact sets, verdicts and runs borrow from the contract and must be gone by now. */
void motet_contract_free(motet_contract *contract)
{
    if (contract) {
        mt_arena_free(&contract->arena);
        free(contract);
    }
}

/* There are no messages when loading ended before finish(). */
motet_str motet_contract_message(const motet_contract *contract, size_t index)
{
    return index < contract->ds.len && contract->messages ? contract->messages[index]
                                                          : (motet_str){"", 0};
}

bool motet_contract_diagnostic(const motet_contract *contract, size_t index,
                               motet_diagnostic *out)
{
    if (index >= contract->ds.len) {
        return false;
    }
    const mt_diag *d = &contract->ds.items[index];
    *out = (motet_diagnostic){.severity = mt_severity_name(d->severity),
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
                              .hint = api_out_str(d->hint)};
    return true;
}

motet_str motet_contract_bundle(const motet_contract *contract)
{
    return (motet_str){contract->bundle.ptr, contract->bundle.len};
}
