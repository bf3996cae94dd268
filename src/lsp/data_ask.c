/* lsp/data_ask.c - completion, hover, definitions and links in documents that are data.
 *
 * What can stand at a place is known.c's; here it is only written down. Keys and values
 * are written as the document writes them: in quotes where it is JSON, with brackets
 * inside brackets, otherwise with indentation. */
#include "lsp/known.h"

/* ---- completion ---- */

static bool is_json(const ls_inquiry *q)
{
    return mt_str_ends(q->path, MT_STR(".json"));
}

static bool is_key_row(const ls_inquiry *q, const ls_known *k)
{
    return k->kind == LS_ITEM_PROPERTY || q->spot.is_key;
}

typedef enum holds { HOLDS_VALUE, HOLDS_OBJECT, HOLDS_LIST } holds;

/* What follows the key, as its row says. */
static holds held_by(const mt_form_row *row)
{
    switch (row ? row->kind : MT_FORM_K_TEXT) {
    case MT_FORM_K_OBJECT:
    case MT_FORM_K_INSIDE:
    case MT_FORM_K_MAP: return HOLDS_OBJECT;
    case MT_FORM_K_LIST:
    case MT_FORM_K_EACH:
    case MT_FORM_K_TEXTS:
    case MT_FORM_K_WORDS:
    case MT_FORM_K_STRS: return HOLDS_LIST;
    case MT_FORM_K_TEXT:
    case MT_FORM_K_WORD:
    case MT_FORM_K_FLAG:
    case MT_FORM_K_SAYS:
    case MT_FORM_K_INT:
    case MT_FORM_K_SIZE:
    case MT_FORM_K_U32:
    case MT_FORM_K_U64:
    case MT_FORM_K_SPAN:
    case MT_FORM_K_CHOICE:
    case MT_FORM_K_ANY:
    case MT_FORM_K_RAW:
    case MT_FORM_K_OWN:
    case MT_FORM_K_LABEL:
    case MT_FORM_K_PLACE:
    case MT_FORM_KIND_COUNT: break;
    }
    return HOLDS_VALUE;
}

static mt_str new_text(const ls_inquiry *q, const ls_known *k)
{
    mt_arena *a = q->c->a;
    bool quote = is_json(q) && !q->spot.is_quoted && k->kind != LS_ITEM_KEYWORD;
    mt_str name = quote ? mt_strf(a, "\"%.*s\"", MT_ARG(k->name)) : k->name;
    if (!is_key_row(q, k) || q->spot.is_quoted) {
        return name;
    }
    static const char *const FLOW[] = {": ", ": {$0}", ": [$0]"};
    static const char *const BLOCK[] = {": ", ":\n  $0", ":\n  - $0"};
    holds h = q->c->s->has_snippets ? held_by(k->row) : HOLDS_VALUE;
    const char *behind = q->spot.is_flow || is_json(q) ? FLOW[h] : BLOCK[h];
    return mt_strf(a, "%.*s%s", MT_ARG(name), behind);
}

static void write_item(ls_inquiry *q, const ls_known *k)
{
    mt_jw *w = q->c->w;
    mt_str text = new_text(q, k);
    mt_jw_begin_object(w);
    if (k->detail.len) {
        mt_jw_key_str(w, "detail", k->detail);
    }
    if (mt_str_find(text, '$') < text.len && is_key_row(q, k)) {
        mt_jw_key_i64(w, "insertTextFormat", 2);
    }
    mt_jw_key_i64(w, "kind", k->kind);
    mt_jw_key_str(w, "label", k->name);
    mt_jw_keyz(w, "textEdit");
    ls_write_edit(q->c, &q->c->doc->lines, q->part, text);
    mt_jw_end_object(w);
}

void ls_data_complete(ls_call *c)
{
    ls_inquiry q;
    mt_map told = {0};
    bool is_some = ls_inquire(c, c->offset, &q);
    mt_jw_begin_object(c->w);
    mt_jw_key_bool(c->w, "isIncomplete", false);
    mt_jw_keyz(c->w, "items");
    mt_jw_begin_array(c->w);
    for (size_t i = 0; is_some && i < q.found.len; i++) {
        bool is_new;
        mt_map_add(c->a, &told, q.found.items[i].name, &is_new);
        if (is_new && q.found.items[i].name.len) {
            write_item(&q, &q.found.items[i]);
        }
    }
    mt_jw_end_array(c->w);
    mt_jw_end_object(c->w);
}

/* ---- hover ---- */

static void add_row(mt_buf *out, mt_arena *a, const mt_form_row *row)
{
    mt_buf_addf(out, "%s**key** `%s`: %.*s%s\n", out->len ? "\n---\n" : "", row->key,
                MT_ARG(mt_form_expects(a, row)),
                row->flags & MT_FORM_REQUIRED ? "; it must be there" : "");
    if (row->about) {
        mt_buf_addf(out, "\n%s\n", row->about);
    }
}

static mt_str words_here(ls_inquiry *q)
{
    mt_buf out = {0};
    const ls_known *k = ls_known_here(q);
    const mt_form_row *row = ls_row_here(q);
    if (k && k->words.len) {
        mt_buf_adds(&out, k->words);
    } else if (k && k->detail.len && k->kind != LS_ITEM_PROPERTY) {
        mt_buf_addf(&out, "`%.*s`: %.*s\n", MT_ARG(k->name), MT_ARG(k->detail));
    }
    if (row && row->key && (q->spot.is_key || !out.len)) {
        add_row(&out, q->c->a, row);
    }
    mt_str words = mt_str_dup(q->c->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return words;
}

void ls_data_hover(ls_call *c)
{
    ls_inquiry q;
    if (!ls_inquire(c, c->offset, &q) || q.spot.range.from == q.spot.range.to) {
        return;
    }
    mt_str words = words_here(&q);
    if (words.len) {
        ls_write_markdown(c, words, &c->doc->lines, &q.part);
    }
}

/* ---- definitions ---- */

/* Of a file that need not be open. */
static bool text_of(ls_call *c, mt_str path, ls_text *out)
{
    mt_str text;
    bool is_there = ls_read_beside(c->s, c->a, path, mt_str_basename(path), &text);
    if (is_there) {
        *out = ls_text_of(c->a, text);
    }
    return is_there;
}

void ls_data_definition(ls_call *c)
{
    ls_inquiry q;
    ls_text t;
    const ls_known *k = ls_inquire(c, c->offset, &q) ? ls_known_here(&q) : NULL;
    if (!k || !k->file.len || !text_of(c, k->file, &t)) {
        return;
    }
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, &t, k->at);
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, k->file));
    mt_jw_end_object(c->w);
}

/* ---- links ---- */

/* Values that are files. */
void ls_data_links(ls_call *c)
{
    static const struct {
        ls_data_kind kind;
        const char *path;
    } LINKS[] = {{LS_DATA_SCRIPT, "/agent"},
                 {LS_DATA_SCENARIOS, "/contract"},
                 {LS_DATA_PROJECT, "/files/#"}};
    mt_str text = c->doc->lines.text, other;
    ls_data_kind kind = ls_data_kind_of(c->doc->path, text);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; i++) {
        ls_gathering all = {0};
        if (LINKS[i].kind == kind) {
            all = ls_gather(c->a, text, LINKS[i].path, false);
        }
        for (size_t n = 0; n < all.len; n++) {
            if (ls_read_beside(c->s, c->a, c->doc->path, all.items[n].text, &other)) {
                mt_str path =
                    mt_path_join(c->a, ls_folder_of(c->doc->path), all.items[n].text);
                mt_jw_begin_object(c->w);
                mt_jw_keyz(c->w, "range");
                ls_write_range(c->w, c->s, &c->doc->lines, all.items[n].at);
                mt_jw_key_str(c->w, "target", ls_uri_of(c->s, c->a, path));
                mt_jw_end_object(c->w);
            }
        }
    }
    mt_jw_end_array(c->w);
}
