/* answer/check_json.c - diagnostics and names of a contract, for programs.
 *
 * Keys are written in byte order, as everywhere; every key is always there, null where
 * nothing is known. The `error` key holds the first error in the form of the
 * conformance suite. */
#include "answer/contract.h"
#include "contract/elaborate.h"
#include "contract/front/index.h"

/* ptr NULL is absent; an empty one is there and empty. */
static void str_or_null(mt_jw *w, mt_str s)
{
    if (s.ptr) {
        mt_jw_str(w, s);
    } else {
        mt_jw_null(w);
    }
}

/* Lines and columns count from 1, so 0 is free to mean unknown. */
static void number_or_null(mt_jw *w, uint32_t n)
{
    if (n) {
        mt_jw_i64(w, n);
    } else {
        mt_jw_null(w);
    }
}

/* Passes count from 0; -1 is a diagnostic of none. */
static void pass_or_null(mt_jw *w, int pass)
{
    if (pass >= 0) {
        mt_jw_i64(w, pass);
    } else {
        mt_jw_null(w);
    }
}

/* What would mend it: the text that stands there afterwards. */
static void show_fix_json(mt_jw *w, const mt_fix *fix)
{
    if (!fix) {
        mt_jw_null(w);
        return;
    }
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "column", fix->edit.column);
    mt_jw_key_i64(w, "end_column", fix->edit.end_column);
    mt_jw_key_i64(w, "end_line", fix->edit.end_line);
    mt_jw_key_str(w, "file", fix->edit.file);
    mt_jw_key_i64(w, "line", fix->edit.line);
    mt_jw_key_bool(w, "sure", fix->sure);
    mt_jw_key_str(w, "text", fix->edit.text);
    mt_jw_end_object(w);
}

/* One diagnostic as an object with every key. */
static void show_diag_json(mt_jw *w, const mt_diag *d)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "code");
    str_or_null(w, mt_str_z(d->code));
    mt_jw_keyz(w, "column");
    number_or_null(w, d->column);
    mt_jw_keyz(w, "construct_id");
    str_or_null(w, d->construct_id);
    mt_jw_keyz(w, "construct_kind");
    str_or_null(w, d->construct_kind);
    mt_jw_keyz(w, "end_column");
    number_or_null(w, d->end_column);
    mt_jw_keyz(w, "end_line");
    number_or_null(w, d->end_line);
    mt_jw_keyz(w, "field");
    str_or_null(w, d->field);
    mt_jw_key_str(w, "file", d->file);
    mt_jw_keyz(w, "fix");
    show_fix_json(w, d->fix);
    mt_jw_keyz(w, "hint");
    str_or_null(w, d->hint.len ? d->hint : (mt_str){0});
    mt_jw_keyz(w, "length");
    number_or_null(w, d->length);
    mt_jw_key_i64(w, "line", d->line);
    mt_jw_key_str(w, "message", d->message);
    mt_jw_keyz(w, "pass");
    pass_or_null(w, d->pass);
    mt_jw_key_str(w, "severity", mt_str_z(mt_severity_name(d->severity)));
    mt_jw_end_object(w);
}

/* The error object is the one of §14.3, already written as JSON; it is read and written
 * again to fit the layout around it. */
void aw_diags_keys(mt_jw *w, const mt_diags *ds, mt_str error)
{
    mt_jw_keyz(w, "diagnostics");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < ds->len; i++) {
        show_diag_json(w, &ds->items[i]);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "error");
    mt_arena scratch = {0};
    mt_json tree = {0}; /* null, unless there is an error */
    if (error.len && mt_json_read(&scratch, error, NULL, &tree, NULL) != MT_OK) {
        MT_BUG("the error object is not JSON");
    }
    mt_jw_json(w, &tree);
    mt_arena_free(&scratch);
    mt_jw_key_i64(w, "errors", (int64_t)ds->errors);
}

static void site_keys(mt_jw *w, const fr_site *s)
{
    mt_jw_key_i64(w, "column", s->column);
    mt_jw_key_i64(w, "end_column", s->end_column);
    mt_jw_key_i64(w, "end_line", s->end_line);
    mt_jw_key_str(w, "file", s->file);
    mt_jw_key_i64(w, "line", s->line);
}

/* What each name means; a definition leads to itself. */
static void index_report(mt_jw *w, const ct_elaboration *e)
{
    mt_arena scratch = {0};
    const fr_mention *all = NULL;
    size_t count = e ? fr_index(&scratch, e, &all) : 0;
    mt_jw_keyz(w, "index");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "at");
        mt_jw_begin_object(w);
        site_keys(w, &all[i].at);
        mt_jw_end_object(w);
        mt_jw_keyz(w, "definition");
        mt_jw_begin_object(w);
        site_keys(w, &all[i].definition);
        mt_jw_end_object(w);
        mt_jw_key_str(w, "id", all[i].id);
        mt_jw_key_bool(w, "is_definition", all[i].is_definition);
        mt_jw_key_str(w, "kind", mt_str_z(fr_named_text(all[i].kind)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_arena_free(&scratch);
}

void aw_check_json(mt_buf *out, const aw_contract *c, bool holds, bool index)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    aw_diags_keys(&w, &c->ds, c->error);
    mt_jw_key_str(&w, "file", c->path);
    mt_jw_key_bool(&w, "holds", holds);
    if (index) {
        index_report(&w, c->e);
    }
    mt_jw_key_i64(&w, "warnings", (int64_t)c->ds.warnings);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}
