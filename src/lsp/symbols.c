/* lsp/symbols.c - the shape of a document: its symbols, folds, selections and links.
 *
 * Constructs come from the tree, what belongs to them from the index. Folds and
 * selections come from the tokens alone, so that a broken text has them, too. */
#include "contract/front/parser.h"
#include "lsp/server.h"

enum { MOST_FILES = 2000, MOST_SYMBOLS = 1000 };

/* ---- symbols ---- */

/* Numbers of the protocol's SymbolKind. */
static const int KINDS[FR_NAMED_COUNT] = {
    [FR_NAMED_FILE] = 1,     [FR_NAMED_TYPE] = 23,     [FR_NAMED_FIELD] = 8,
    [FR_NAMED_VALUE] = 22,   [FR_NAMED_FACT] = 14,     [FR_NAMED_SOURCE] = 20,
    [FR_NAMED_ENTITY] = 5,   [FR_NAMED_STATE] = 22,    [FR_NAMED_RULE] = 12,
    [FR_NAMED_VERDICT] = 17, [FR_NAMED_VARIABLE] = 13, [FR_NAMED_OPERATION] = 6,
    [FR_NAMED_OUTCOME] = 22, [FR_NAMED_ERROR] = 24,    [FR_NAMED_PERSONA] = 11,
    [FR_NAMED_FLOW] = 9,     [FR_NAMED_STEP] = 7,      [FR_NAMED_BRANCH] = 3,
    [FR_NAMED_SYSTEM] = 4,   [FR_NAMED_MEMBER] = 2,
};

static const fr_named NAMED_OF[FR_KIND_COUNT] = {
    [FR_IMPORT] = FR_NAMED_FILE,         [FR_TYPEDECL] = FR_NAMED_TYPE,
    [FR_FACT] = FR_NAMED_FACT,           [FR_SOURCE] = FR_NAMED_SOURCE,
    [FR_ENTITY] = FR_NAMED_ENTITY,       [FR_RULE] = FR_NAMED_RULE,
    [FR_OPERATION] = FR_NAMED_OPERATION, [FR_PERSONA] = FR_NAMED_PERSONA,
    [FR_FLOW] = FR_NAMED_FLOW,           [FR_SYSTEM] = FR_NAMED_SYSTEM,
};

/* "paid" of "Order.paid". */
static mt_str own_name(mt_str id)
{
    size_t at = id.len;
    while (at && id.ptr[at - 1] != '.') {
        at--;
    }
    return mt_str_skip(id, at);
}

static void write_symbol_keys(ls_call *c, const ls_text *t, fr_named kind, mt_str name,
                              ls_range whole, ls_range own)
{
    mt_jw_key_str(c->w, "detail", mt_str_z(fr_named_text(kind)));
    mt_jw_key_i64(c->w, "kind", KINDS[kind]);
    mt_jw_key_str(c->w, "name", name.len ? name : MT_STR("?"));
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, t, whole);
    mt_jw_keyz(c->w, "selectionRange");
    ls_write_range(c->w, c->s, t, own);
}

/* Definitions inside a construct, but its own; variables are too small to list. */
static void write_parts(ls_call *c, ls_view *v, const ls_text *t, ls_range whole,
                        size_t own)
{
    size_t count;
    const fr_mention *m = ls_mentions_in(v, c->doc->path, whole, &count);
    mt_jw_keyz(c->w, "children");
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < count; i++) {
        ls_range r = ls_site_range(&m[i].at);
        if (m[i].is_definition && m[i].kind != FR_NAMED_VARIABLE && r.from != own) {
            mt_jw_begin_object(c->w);
            write_symbol_keys(c, t, m[i].kind, own_name(m[i].id), r, r);
            mt_jw_end_object(c->w);
        }
    }
    mt_jw_end_array(c->w);
}

void ls_document_symbols(ls_call *c)
{
    ls_view *v = ls_view_of(c->s, c->doc);
    const fr_unit *u = v->e ? v->e->unit : NULL;
    const ls_text *t = ls_view_text(v, c->doc->path);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; u && t && i < u->all.len; i++) {
        const fr_construct *k = u->all.items[i];
        if (k->kind == FR_IMPORT || !mt_str_eq(k->file->path, c->doc->path)) {
            continue;
        }
        ls_range whole = ls_span_range(k->file, fr_construct_span(k));
        fr_tok name = k->id_tok > k->tok ? k->id_tok : k->tok;
        ls_range own = ls_span_range(k->file, (fr_span){name, name});
        mt_jw_begin_object(c->w);
        write_parts(c, v, t, whole, own.from);
        write_symbol_keys(c, t, NAMED_OF[k->kind], fr_str(u, k->id), whole, own);
        mt_jw_end_object(c->w);
    }
    mt_jw_end_array(c->w);
}

/* ---- symbols of the workspace ---- */

typedef struct symbol_search {
    ls_call *c;
    mt_str query;
    size_t files, found;
    mt_map seen; /* id and offset of what was told */
} symbol_search;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Do the characters of the query stand in the name, in their order? */
static bool fits(mt_str name, mt_str query)
{
    size_t at = 0;
    for (size_t i = 0; i < name.len && at < query.len; i++) {
        at += lower(name.ptr[i]) == lower(query.ptr[at]);
    }
    return at == query.len;
}

static void tell_symbols(symbol_search *x, ls_view *v)
{
    ls_call *c = x->c;
    ls_view_index(v);
    for (size_t i = 0; i < v->mention_count && x->found < MOST_SYMBOLS; i++) {
        const fr_mention *m = &v->mentions[i];
        bool is_new;
        if (!m->is_definition || m->kind == FR_NAMED_VARIABLE ||
            m->kind == FR_NAMED_FILE || !fits(m->id, x->query)) {
            continue;
        }
        mt_map_add(c->a, &x->seen,
                   mt_strf(c->a, "%zu %.*s", m->at.offset, MT_ARG(m->at.file)),
                   &is_new);
        if (is_new && ls_view_text(v, m->at.file)) {
            x->found++;
            mt_jw_begin_object(c->w);
            mt_jw_key_i64(c->w, "kind", KINDS[m->kind]);
            mt_jw_keyz(c->w, "location");
            ls_write_location(c, v, &m->at);
            mt_jw_key_str(c->w, "name", m->id);
            mt_jw_end_object(c->w);
        }
    }
}

static bool tell_file(void *context, mt_str path)
{
    symbol_search *x = context;
    if (!ls_document_at(x->c->s, path)) {
        ls_view *v = ls_view_new(x->c->s, path, false);
        tell_symbols(x, v);
        ls_view_free(v);
    }
    return ++x->files < MOST_FILES && x->found < MOST_SYMBOLS;
}

void ls_workspace_symbols(ls_call *c)
{
    ls_server *s = c->s;
    symbol_search x = {.c = c, .query = mt_json_text(mt_json_at(c->params, "query"))};
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < s->documents.len; i++) {
        if (s->documents.items[i]->language == LS_CONTRACT) {
            tell_symbols(&x, ls_view_of(s, s->documents.items[i]));
        }
    }
    for (size_t i = 0; s->world.list && i < s->folders.len; i++) {
        s->world.list(s->world.state, s->folders.items[i], MT_STR(".tenor"), tell_file,
                      &x);
    }
    mt_jw_end_array(c->w);
}

/* ---- folds ---- */

/* Tokens with comments, made for one answer. */
static fr_tokens tokens_of(ls_call *c, fr_symbols *syms)
{
    fr_tokens tokens;
    fr_symbols_init(syms, c->a);
    fr_lex(c->a, syms, mt_buf_str(&c->doc->text), c->s->limits, FR_LEX_COMMENTS,
           &tokens);
    return tokens;
}

static void write_fold(ls_call *c, size_t from, size_t to, const char *kind)
{
    uint32_t first = ls_position_of(&c->doc->lines, from, LS_UTF8).line;
    uint32_t last = ls_position_of(&c->doc->lines, to, LS_UTF8).line;
    if (last > first) {
        mt_jw_begin_object(c->w);
        mt_jw_key_i64(c->w, "endLine", last);
        if (kind) {
            mt_jw_key_str(c->w, "kind", mt_str_z(kind));
        }
        mt_jw_key_i64(c->w, "startLine", first);
        mt_jw_end_object(c->w);
    }
}

/* A bracket that spans lines, and comments that stand on lines one after the other. */
void ls_folding(ls_call *c)
{
    fr_symbols syms;
    fr_tokens tokens = tokens_of(c, &syms);
    mt_str text = mt_buf_str(&c->doc->text);
    MT_VEC(uint32_t) open = {0};
    mt_jw_begin_array(c->w);
    for (uint32_t i = 0; i < tokens.count; i++) {
        const fr_token *t = &tokens.items[i];
        int nest = FR_NEST[t->kind];
        if (nest > 0) {
            mt_vec_push(c->a, &open, i);
        } else if (nest < 0 && open.len) {
            /* the line of the closing bracket stays in sight */
            size_t close = t->start ? t->start - 1 : 0;
            while (close && (text.ptr[close] == ' ' || text.ptr[close] == '\t')) {
                close--;
            }
            write_fold(c, tokens.items[open.items[--open.len]].start, close, NULL);
        } else if (t->kind == FR_T_COMMENT) {
            uint32_t last = i;
            while (tokens.items[last + 1].kind == FR_T_COMMENT) {
                last++;
            }
            const fr_token *end = &tokens.items[last];
            write_fold(c, t->start, end->start + fr_token_len(text, end) - 1,
                       "comment");
            i = last;
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- selections ---- */

/* From the inside out: the token, what stands between the brackets around, these with
 * their brackets, the word before them, the text. */
static void write_selection(ls_call *c, const ls_range *ranges, size_t count)
{
    mt_jw_begin_object(c->w);
    if (count > 1) {
        mt_jw_keyz(c->w, "parent");
        write_selection(c, ranges + 1, count - 1);
    }
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, &c->doc->lines, ranges[0]);
    mt_jw_end_object(c->w);
}

enum { MOST_LEVELS = 200 };

static void add_level(ls_range *out, size_t *count, ls_range r)
{
    bool is_wider =
        !*count || (r.from <= out[*count - 1].from && r.to >= out[*count - 1].to &&
                    (r.from < out[*count - 1].from || r.to > out[*count - 1].to));
    if (is_wider && *count < MOST_LEVELS) {
        out[(*count)++] = r;
    }
}

static size_t levels_at(const fr_tokens *tokens, mt_str text, size_t offset,
                        ls_range *out)
{
    size_t count = 0;
    uint32_t at = 0;
    while (at + 1 < tokens->count &&
           tokens->items[at].start + fr_token_len(text, &tokens->items[at]) < offset) {
        at++;
    }
    const fr_token *t = &tokens->items[at];
    if (t->start <= offset && t->kind != FR_T_EOF) {
        add_level(out, &count, (ls_range){t->start, t->start + fr_token_len(text, t)});
    }
    uint32_t left = at;
    int depth = FR_NEST[t->kind] > 0 && t->start < offset ? 1 : 0;
    left += (uint32_t)depth;
    for (depth = 0; left-- > 0;) {
        int nest = FR_NEST[tokens->items[left].kind];
        depth -= nest;
        if (nest <= 0 || depth >= 0) {
            continue;
        }
        depth = 0;
        uint32_t right = left;
        for (int open = 0; right + 1 < tokens->count; right++) {
            open += FR_NEST[tokens->items[right].kind];
            if (open <= 0) {
                break;
            }
        }
        size_t inner = tokens->items[left].start + 1,
               outer = tokens->items[right].start;
        add_level(out, &count, (ls_range){inner, outer});
        add_level(out, &count, (ls_range){inner - 1, outer + 1});
        uint32_t head = left;
        while (head && tokens->items[head - 1].kind == FR_T_WORD && left - head < 2) {
            head--;
        }
        add_level(out, &count, (ls_range){tokens->items[head].start, outer + 1});
    }
    add_level(out, &count, (ls_range){0, text.len});
    return count;
}

void ls_selection(ls_call *c)
{
    const mt_json *places = mt_json_at(c->params, "positions");
    fr_symbols syms;
    fr_tokens tokens = tokens_of(c, &syms);
    ls_range *room = mt_new_array(c->a, ls_range, MOST_LEVELS);
    mt_jw_begin_array(c->w);
    for (uint32_t i = 0; mt_json_is(places, MT_JSON_ARRAY) && i < places->count; i++) {
        size_t offset = 0;
        ls_read_place(c->s, &c->doc->lines, &places->as.items[i], &offset);
        size_t count = levels_at(&tokens, mt_buf_str(&c->doc->text), offset, room);
        write_selection(c, room, count);
    }
    mt_jw_end_array(c->w);
}

/* ---- links ---- */

void ls_document_links(ls_call *c)
{
    ls_view *v = ls_view_of(c->s, c->doc);
    ls_view_index(v);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < v->mention_count; i++) {
        const fr_mention *m = &v->mentions[i];
        if (m->kind == FR_NAMED_FILE && mt_str_eq(m->at.file, c->doc->path)) {
            mt_jw_begin_object(c->w);
            mt_jw_keyz(c->w, "range");
            ls_write_site_range(c, v, &m->at);
            mt_jw_key_str(c->w, "target", ls_uri_of(c->s, c->a, m->definition.file));
            mt_jw_end_object(c->w);
        }
    }
    mt_jw_end_array(c->w);
}
