/* lsp/calls.c - who depends on whom: rules, operations, flows.
 *
 * A flow calls the operations and flows it names, an operation the rules whose verdicts
 * it reads, a rule the rules below it. All of it is in the index: a name inside one
 * construct whose definition lies in another. An item carries nothing but its place, so
 * it is found again in whatever text there is then. */
#include "lsp/server.h"

static bool is_caller(const fr_construct *k)
{
    return !k->broken &&
           (k->kind == FR_RULE || k->kind == FR_OPERATION || k->kind == FR_FLOW);
}

static ls_range name_of(const fr_construct *k)
{
    return ls_span_range(k->file, (fr_span){k->id_tok, k->id_tok});
}

/* The construct that a name leads to, if it can be called. */
static const fr_construct *called(const ls_view *v, const fr_mention *m)
{
    const fr_construct *k = NULL;
    if (m->kind == FR_NAMED_RULE || m->kind == FR_NAMED_VERDICT ||
        m->kind == FR_NAMED_OPERATION || m->kind == FR_NAMED_FLOW) {
        k = ls_construct_at(v, m->definition.file, m->definition.offset);
    }
    return k && is_caller(k) ? k : NULL;
}

static void write_item(ls_call *c, const ls_view *v, const fr_construct *k)
{
    static const int KINDS[FR_KIND_COUNT] = {
        [FR_RULE] = 12, [FR_OPERATION] = 6, [FR_FLOW] = 9};
    const ls_text *t = ls_view_text(v, k->file->path);
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "detail", mt_str_z(LN_CONSTRUCTS[k->kind].word));
    mt_jw_key_i64(c->w, "kind", KINDS[k->kind]);
    mt_jw_key_str(c->w, "name", fr_str(v->e->unit, k->id));
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, t, ls_span_range(k->file, fr_construct_span(k)));
    mt_jw_keyz(c->w, "selectionRange");
    ls_write_range(c->w, c->s, t, name_of(k));
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, k->file->path));
    mt_jw_end_object(c->w);
}

void ls_prepare_calls(ls_call *c)
{
    ls_view *v = ls_view_of(c->s, c->doc);
    const fr_mention *m = ls_mention_at(v, c->doc->path, c->offset);
    const fr_construct *k = m ? called(v, m) : NULL;
    if (!k) {
        k = ls_construct_at(v, c->doc->path, c->offset);
    }
    if (k && is_caller(k) && ls_view_text(v, k->file->path)) {
        mt_jw_begin_array(c->w);
        write_item(c, v, k);
        mt_jw_end_array(c->w);
    }
}

/* The construct of an item, in the present text; c->doc is the document it is in, or
 * one that imports its file. */
static const fr_construct *item_construct(ls_call *c, ls_view **v)
{
    const mt_json *item = mt_json_at(c->params, "item");
    mt_str uri = mt_json_text(mt_json_at(item, "uri"));
    mt_str name = mt_json_text(mt_json_at(item, "name"));
    mt_str path = ls_path_of(c->a, uri);
    for (size_t i = 0; i < c->s->documents.len; i++) {
        ls_document *d = c->s->documents.items[i];
        *v = d->language == LS_CONTRACT ? ls_view_of(c->s, d) : NULL;
        const fr_unit *u = *v && (*v)->e ? (*v)->e->unit : NULL;
        for (size_t k = 0; u && k < u->all.len; k++) {
            const fr_construct *x = u->all.items[k];
            if (is_caller(x) && mt_str_eq(fr_str(u, x->id), name) &&
                mt_str_eq(x->file->path, path)) {
                return x;
            }
        }
    }
    return NULL;
}

/* The places in `from` that lead to `to`; how many there are, written if `c` is given.
 */
static size_t links(ls_call *c, ls_view *v, const fr_construct *from,
                    const fr_construct *to, bool write)
{
    ls_range r = ls_span_range(from->file, fr_construct_span(from));
    size_t found = 0, count;
    const fr_mention *m = ls_mentions_in(v, from->file->path, r, &count);
    for (size_t i = 0; i < count; i++) {
        if (!m[i].is_definition && called(v, &m[i]) == to) {
            found++;
            if (write) {
                ls_write_site_range(c, v, &m[i].at);
            }
        }
    }
    return found;
}

static void write_calls(ls_call *c, bool incoming)
{
    ls_view *v;
    const fr_construct *k = item_construct(c, &v);
    mt_jw_begin_array(c->w);
    if (k) {
        const fr_unit *u = v->e->unit;
        for (size_t i = 0; i < u->all.len; i++) {
            const fr_construct *x = u->all.items[i];
            const fr_construct *from = incoming ? x : k, *to = incoming ? k : x;
            if (!is_caller(x) || !links(c, v, from, to, false)) {
                continue;
            }
            mt_jw_begin_object(c->w);
            if (incoming) {
                mt_jw_keyz(c->w, "from");
                write_item(c, v, x);
            }
            mt_jw_keyz(c->w, "fromRanges");
            mt_jw_begin_array(c->w);
            links(c, v, from, to, true);
            mt_jw_end_array(c->w);
            if (!incoming) {
                mt_jw_keyz(c->w, "to");
                write_item(c, v, x);
            }
            mt_jw_end_object(c->w);
        }
    }
    mt_jw_end_array(c->w);
}

void ls_incoming_calls(ls_call *c)
{
    write_calls(c, true);
}

void ls_outgoing_calls(ls_call *c)
{
    write_calls(c, false);
}
