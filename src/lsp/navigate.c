/* lsp/navigate.c - from a name to what it means, and to everybody who uses it.
 *
 * The index of a view has every name of its files and what it means; two names are the
 * same thing if they have the same definition. A definition may be used by contracts
 * that are not open, so references and renames look through the views of all open texts
 * and then through the other files of the workspace, each elaborated once.
 *
 * A rename is tried before it is answered: the edited texts are elaborated, and if that
 * brings an error that was not there the rename is refused with its words. */
#include "lsp/server.h"

#include <stdlib.h>

enum { MOST_FILES = 10000 }; /* of a workspace, looked through for one answer */

/* ---- one name ---- */

static bool same_site(const fr_site *a, const fr_site *b)
{
    return a->offset == b->offset && mt_str_eq(a->file, b->file);
}

static const fr_mention *asked_for(ls_call *c, ls_view **v)
{
    *v = ls_view_of(c->s, c->doc);
    return ls_mention_at(*v, c->doc->path, c->offset);
}

/* ---- one name, while the text is broken ---- */

/* What two texts have in common at both ends. */
typedef struct common {
    size_t before, behind; /* bytes */
} common;

static common common_of(mt_str a, mt_str b)
{
    size_t most = a.len < b.len ? a.len : b.len;
    common n = {0};
    while (n.before < most && a.ptr[n.before] == b.ptr[n.before]) {
        n.before++;
    }
    while (n.behind < most - n.before &&
           a.ptr[a.len - 1 - n.behind] == b.ptr[b.len - 1 - n.behind]) {
        n.behind++;
    }
    return n;
}

/* Where a part of one text stands in the other; false: it is not in what they have in
 * common. */
static bool carry_over(common n, size_t from_len, size_t to_len, size_t length,
                       size_t *offset)
{
    if (*offset + length <= n.before) {
        return true;
    }
    if (*offset < from_len - n.behind) {
        return false;
    }
    *offset += to_len - from_len;
    return true;
}

/* By the last text that could be read whole; its places are carried over. */
static void define_from_before(ls_call *c)
{
    ls_view *good = ls_view_good(c->s, c->doc);
    mt_str now = c->doc->lines.text, then = mt_buf_str(&c->doc->whole);
    common n = common_of(then, now);
    size_t offset = c->offset;
    if (!good->is_whole || !carry_over(n, now.len, then.len, 0, &offset)) {
        return;
    }
    const fr_mention *m = ls_mention_at(good, c->doc->path, offset);
    if (m && !mt_str_eq(m->definition.file, c->doc->path)) {
        ls_write_location(c, good, &m->definition);
    } else if (m) {
        size_t at = m->definition.offset, length = m->definition.length;
        if (carry_over(n, then.len, now.len, length, &at)) {
            mt_jw_begin_object(c->w);
            mt_jw_keyz(c->w, "range");
            ls_write_range(c->w, c->s, &c->doc->lines, (ls_range){at, at + length});
            mt_jw_key_str(c->w, "uri", c->doc->uri);
            mt_jw_end_object(c->w);
        }
    }
}

void ls_definition(ls_call *c)
{
    ls_view *v;
    const fr_mention *m = asked_for(c, &v);
    if (m) {
        ls_write_location(c, v, &m->definition);
    } else if (!v->is_whole) {
        define_from_before(c);
    }
}

void ls_highlight(ls_call *c)
{
    ls_view *v;
    const fr_mention *m = asked_for(c, &v);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; m && i < v->mention_count; i++) {
        const fr_mention *other = &v->mentions[i];
        if (same_site(&other->definition, &m->definition) &&
            mt_str_eq(other->at.file, c->doc->path)) {
            mt_jw_begin_object(c->w);
            mt_jw_key_i64(c->w, "kind", other->is_definition ? 3 : 2);
            mt_jw_keyz(c->w, "range");
            ls_write_site_range(c, v, &other->at);
            mt_jw_end_object(c->w);
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- every use, in every file ---- */

/* A use: where, and in which text. */
typedef struct use {
    mt_str file, id; /* the path; the file as the provider knows it */
    size_t offset, length;
    const ls_text *text;
    bool is_definition;
} use;

typedef struct uses {
    mt_arena *a;
    use *items;
    size_t len, cap;
    bool is_cut; /* there may be more, in files that were not looked at */
} uses;

/* The same file can be a source of several views, under several paths. */
static mt_str id_in(const ls_view *v, mt_str path)
{
    for (size_t i = 0; v->e && i < v->e->source_count; i++) {
        if (mt_str_eq(v->e->sources[i].path, path)) {
            return v->e->sources[i].id;
        }
    }
    return path;
}

static bool is_known(const uses *u, mt_str id, size_t offset)
{
    for (size_t i = 0; i < u->len; i++) {
        if (u->items[i].offset == offset && mt_str_eq(u->items[i].id, id)) {
            return true;
        }
    }
    return false;
}

static void add_uses_of(uses *u, ls_view *v, mt_str id, size_t offset)
{
    ls_view_index(v);
    for (size_t i = 0; i < v->mention_count; i++) {
        const fr_mention *m = &v->mentions[i];
        const ls_text *t = ls_view_text(v, m->at.file);
        if (m->definition.offset != offset || !t ||
            !mt_str_eq(id_in(v, m->definition.file), id)) {
            continue;
        }
        mt_str file = id_in(v, m->at.file);
        if (!is_known(u, file, m->at.offset)) {
            ls_text *copy = mt_new(u->a, ls_text);
            *copy = ls_text_of(u->a, mt_str_dup(u->a, t->text));
            use new = {.file = mt_str_dup(u->a, m->at.file),
                       .id = mt_str_dup(u->a, file),
                       .offset = m->at.offset,
                       .length = m->at.length,
                       .text = copy,
                       .is_definition = m->is_definition};
            mt_vec_push(u->a, u, new);
        }
    }
}

typedef struct search {
    ls_call *c;
    uses *found;
    mt_str id;
    size_t offset, files;
} search;

static bool look_through(void *context, mt_str path)
{
    search *x = context;
    if (!ls_document_at(x->c->s, path)) {
        ls_view *v = ls_view_new(x->c->s, path, false);
        add_uses_of(x->found, v, x->id, x->offset);
        ls_view_free(v);
    }
    x->found->is_cut = ++x->files == MOST_FILES;
    return !x->found->is_cut;
}

static int by_place(const void *a, const void *b)
{
    const use *x = a, *y = b;
    int order = mt_str_cmp(x->file, y->file);
    return order ? order : x->offset < y->offset ? -1 : x->offset > y->offset;
}

static uses find_uses(ls_call *c, const ls_view *v, const fr_mention *m)
{
    ls_server *s = c->s;
    uses found = {.a = c->a};
    search x = {.c = c,
                .found = &found,
                .id = mt_str_dup(c->a, id_in(v, m->definition.file)),
                .offset = m->definition.offset};
    for (size_t i = 0; i < s->documents.len; i++) {
        if (s->documents.items[i]->language == LS_CONTRACT) {
            add_uses_of(&found, ls_view_of(s, s->documents.items[i]), x.id, x.offset);
        }
    }
    for (size_t i = 0; s->world.list && i < s->folders.len; i++) {
        s->world.list(s->world.state, s->folders.items[i], MT_STR(".tenor"),
                      look_through, &x);
    }
    qsort(found.items, found.len, sizeof *found.items, by_place);
    return found;
}

static bool includes_definition(const ls_call *c)
{
    const mt_json *v =
        mt_json_at(mt_json_at(c->params, "context"), "includeDeclaration");
    return !mt_json_is(v, MT_JSON_BOOL) || v->boolean;
}

static void write_use(ls_call *c, const use *u)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, u->text, (ls_range){u->offset, u->offset + u->length});
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, u->file));
    mt_jw_end_object(c->w);
}

void ls_references(ls_call *c)
{
    ls_view *v;
    const fr_mention *m = asked_for(c, &v);
    bool all = includes_definition(c);
    mt_jw_begin_array(c->w);
    if (m) {
        uses found = find_uses(c, v, m);
        for (size_t i = 0; i < found.len; i++) {
            if (all || !found.items[i].is_definition) {
                write_use(c, &found.items[i]);
            }
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- what makes it so ---- */

static void write_place(ls_call *c, const fr_construct *k)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "range");
    ls_text t = ls_text_of(c->a, k->file->text);
    ls_write_range(c->w, c->s, &t,
                   ls_span_range(k->file, (fr_span){k->id_tok, k->id_tok}));
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, k->file->path));
    mt_jw_end_object(c->w);
}

static bool leads_to(const fr_unit *u, const fr_operation *op, mt_str entity_state)
{
    for (size_t i = 0; i < op->effects.len; i++) {
        const fr_effect *e = &op->effects.items[i];
        mt_str entity = fr_str(u, e->entity.sym), to = fr_str(u, e->to.sym);
        if (entity_state.len == entity.len + 1 + to.len &&
            mt_str_starts(entity_state, entity) && mt_str_ends(entity_state, to)) {
            return true;
        }
    }
    return false;
}

static bool allows(const fr_operation *op, const fr_unit *u, mt_str persona)
{
    for (size_t i = 0; i < op->personas.len; i++) {
        if (mt_str_eq(fr_str(u, op->personas.items[i].sym), persona)) {
            return true;
        }
    }
    return false;
}

/* Of a state the operations that lead to it, of a persona those it may perform, of a
 * verdict the rules that produce it. */
static bool implements(const fr_unit *u, const fr_construct *k, const fr_mention *m)
{
    if (m->kind == FR_NAMED_STATE || m->kind == FR_NAMED_PERSONA) {
        const fr_operation *op = (const fr_operation *)(const void *)k;
        return k->kind == FR_OPERATION &&
               (m->kind == FR_NAMED_STATE ? leads_to(u, op, m->id)
                                          : allows(op, u, m->id));
    }
    return m->kind == FR_NAMED_VERDICT && k->kind == FR_RULE &&
           mt_str_eq(fr_str(u, ((const fr_rule *)(const void *)k)->verdict.sym), m->id);
}

void ls_implementation(ls_call *c)
{
    ls_view *v;
    const fr_mention *m = asked_for(c, &v);
    const fr_unit *u = m ? v->e->unit : NULL;
    mt_jw_begin_array(c->w);
    for (size_t i = 0; u && i < u->all.len; i++) {
        if (!u->all.items[i]->broken && implements(u, u->all.items[i], m)) {
            write_place(c, u->all.items[i]);
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- renaming ---- */

/* Values of an Enum stand in quotes, which stay. */
static bool is_quoted(const use *u)
{
    return u->length >= 2 && u->text->text.ptr[u->offset] == '"';
}

static ls_range name_range(const use *u)
{
    return is_quoted(u) ? (ls_range){u->offset + 1, u->offset + u->length - 1}
                        : (ls_range){u->offset, u->offset + u->length};
}

void ls_prepare_rename(ls_call *c)
{
    ls_view *v;
    const fr_mention *m = asked_for(c, &v);
    if (!m || m->kind == FR_NAMED_FILE) {
        return;
    }
    use here = {.offset = m->at.offset,
                .length = m->at.length,
                .text = ls_view_text(v, m->at.file)};
    ls_write_range(c->w, c->s, here.text, name_range(&here));
}

/* One word as the lexer reads it, or text that needs no escapes in quotes. */
static bool is_fit(ls_call *c, mt_str name, bool quoted)
{
    if (quoted) {
        for (size_t i = 0; i < name.len; i++) {
            if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == '"' ||
                name.ptr[i] == '\\') {
                return false;
            }
        }
        return name.len;
    }
    fr_symbols syms;
    fr_tokens tokens;
    fr_symbols_init(&syms, c->a);
    fr_lex(c->a, &syms, name, c->s->limits, 0, &tokens);
    return tokens.count == 2 && !tokens.fault_count &&
           tokens.items[0].kind == FR_T_WORD && tokens.items[0].len == name.len;
}

/* The text of a file with its uses renamed; uses[*at..] of other files come after. */
static mt_str renamed(ls_call *c, const uses *u, size_t *at, mt_str name)
{
    const use *first = &u->items[*at];
    mt_str text = first->text->text;
    mt_buf b = {0};
    size_t done = 0;
    for (; *at < u->len && mt_str_eq(u->items[*at].file, first->file); ++*at) {
        ls_range r = name_range(&u->items[*at]);
        mt_buf_add(&b, text.ptr + done, r.from - done);
        mt_buf_adds(&b, name);
        done = r.to;
    }
    mt_buf_adds(&b, mt_str_skip(text, done));
    mt_str out = mt_str_dup(c->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return out;
}

/* Files as they would be, before those that are. */
typedef struct trial {
    ls_server *s;
    mt_memory_file *files; /* path is the provider's id */
    size_t count;
} trial;

static mt_err find_as_is(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                         mt_str *why)
{
    trial *t = state;
    return t->s->files.find(t->s->files.state, a, dir, path, id, why);
}

static mt_err read_as_would_be(void *state, mt_arena *a, mt_str id, size_t limit,
                               mt_str *text, mt_str *why)
{
    trial *t = state;
    for (size_t i = 0; i < t->count; i++) {
        if (mt_str_eq(t->files[i].path, id)) {
            *text = t->files[i].text;
            return text->len > limit ? MT_E_LIMIT : MT_OK;
        }
    }
    return t->s->files.read(t->s->files.state, a, id, limit, text, why);
}

/* The first error of the root as it would be; empty if there are no more than before.
 */
static mt_str new_fault(ls_call *c, trial *t, mt_str root, size_t before)
{
    mt_arena room = {0};
    mt_diags ds = {.arena = &room, .limit = c->s->limits->diagnostics};
    mt_provider files = {t, find_as_is, read_as_would_be};
    ct_options options = {.limits = c->s->limits};
    const ct_elaboration *e;
    ct_elaborate(&room, root, &files, &options, &ds, &e);
    const mt_diag *first = ds.errors > before ? ct_first_error(&ds) : NULL;
    mt_str words = first ? mt_str_dup(c->a, first->message) : (mt_str){0};
    mt_arena_free(&room);
    return words;
}

/* Was it made with a file that would change? A System's members are, too. */
static bool is_touched(const ct_elaboration *e, const trial *t)
{
    for (size_t i = 0; e && i < e->source_count; i++) {
        for (size_t j = 0; j < t->count; j++) {
            if (mt_str_eq(e->sources[i].id, t->files[j].path)) {
                return true;
            }
        }
    }
    for (size_t i = 0; e && i < e->member_count; i++) {
        if (is_touched(e->members[i].contract, t)) {
            return true;
        }
    }
    return false;
}

typedef struct trials {
    ls_call *c;
    trial t;
    mt_str words; /* the first fault, or empty */
    size_t files;
} trials;

/* A contract need not name what changes to be made wrong by it: a System holds its
 * members against each other. */
static bool try_root(void *context, mt_str root)
{
    trials *x = context;
    ls_view *v = ls_view_new(x->c->s, root, false);
    if (is_touched(v->e, &x->t)) {
        x->words = new_fault(x->c, &x->t, root, v->contract.ds.errors);
    }
    ls_view_free(v);
    return !x->words.len && ++x->files < MOST_FILES;
}

static bool try_closed(void *context, mt_str path)
{
    trials *x = context;
    return ls_document_at(x->c->s, path) ? true : try_root(context, path);
}

static mt_str fault_of_trial(ls_call *c, const uses *u, mt_str name)
{
    ls_server *s = c->s;
    trials x = {.c = c,
                .t = {.s = s, .files = mt_new_array(c->a, mt_memory_file, u->len)}};
    for (size_t at = 0; at < u->len;) {
        mt_str id = u->items[at].id;
        x.t.files[x.t.count++] = (mt_memory_file){id, renamed(c, u, &at, name)};
    }
    bool more = try_root(&x, c->doc->path);
    for (size_t i = 0; more && i < s->documents.len; i++) {
        const ls_document *d = s->documents.items[i];
        more = d == c->doc || d->language != LS_CONTRACT || try_root(&x, d->path);
    }
    for (size_t i = 0; more && s->world.list && i < s->folders.len; i++) {
        s->world.list(s->world.state, s->folders.items[i], MT_STR(".tenor"), try_closed,
                      &x);
        more = !x.words.len;
    }
    return x.words;
}

static void write_rename(ls_call *c, const uses *u, mt_str name)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "changes");
    mt_jw_begin_unsorted(c->w);
    for (size_t at = 0; at < u->len;) {
        mt_str file = u->items[at].file;
        mt_jw_key(c->w, ls_uri_of(c->s, c->a, file));
        mt_jw_begin_array(c->w);
        for (; at < u->len && mt_str_eq(u->items[at].file, file); at++) {
            ls_write_edit(c, u->items[at].text, name_range(&u->items[at]), name);
        }
        mt_jw_end_array(c->w);
    }
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
}

void ls_rename(ls_call *c)
{
    ls_view *v;
    const fr_mention *m = asked_for(c, &v);
    mt_str name = mt_json_text(mt_json_at(c->params, "newName"));
    if (!m || m->kind == FR_NAMED_FILE) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  MT_STR("there is no name here that can be changed"));
        return;
    }
    uses u = find_uses(c, v, m);
    if (!u.len || !is_fit(c, name, is_quoted(&u.items[0]))) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  mt_strf(c->a, "'%.*s' is not a name", MT_ARG(name)));
        return;
    }
    if (u.is_cut) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  mt_strf(c->a,
                          "the workspace has more than %d contracts, and those "
                          "that were not looked at may use it",
                          MOST_FILES - 1));
        return;
    }
    mt_str fault = fault_of_trial(c, &u, name);
    if (fault.len) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  mt_strf(c->a, "'%.*s' would be an error: %.*s", MT_ARG(name),
                          MT_ARG(fault)));
        return;
    }
    write_rename(c, &u, name);
}
