/* contract/front/index.c - from a use to its definition.
 *
 * Constructs are walked in bundle order. Names of constructs are found as the passes
 * find them (fr_find()); states, outcomes and steps by their list; variables by a stack
 * of the quantifiers around. Pass 4 has noted what each name in an expression is, and
 * the type of each term, so fields and values lead to the type they were declared in.
 *
 * Types are shared and know no file, and references to them were replaced when they
 * were resolved. So the files are parsed once more, silently, for the references; and
 * every declared type that has parts is entered in a list, with its file and the
 * construct it belongs to, which is searched by address.
 *
 * INVARIANT: a mention is one token. Nothing fails: what leads nowhere is left out. */
#include "contract/front/index.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "contract/front/parser.h"
#include "contract/front/types.h"

const char *fr_named_text(fr_named kind)
{
    static const char *const TEXTS[] = {
#define FR_NAMED_TEXT(name, text) text,
        FR_NAMED_MAP(FR_NAMED_TEXT)
#undef FR_NAMED_TEXT
    };
    return TEXTS[kind];
}

/* Where a type with parts was written, and what it is called. Known by its parts: types
 * are copied, their parts are not. */
typedef struct home {
    const void *parts; /* fields or values */
    const fr_type *type;
    const fr_file *file;
    mt_str owner; /* "Address", "order.lines" */
} home;

typedef struct binder {
    fr_sym name;
    fr_tok tok;
} binder;

/* The columns of the tokens of a file: a line may be as long as the file. */
typedef struct columns {
    const fr_file *file;
    uint32_t *at;
} columns;

typedef struct indexer {
    mt_arena *a;
    MT_VEC(columns) columns;
    const columns *last; /* that was asked for */
    fr_unit *u;
    const fr_construct *c; /* that is walked; its tokens are of c->file */
    MT_VEC(home) homes;
    const fr_type **declared; /* the types of declarations, by address */
    size_t declared_count;
    MT_VEC(binder) binders; /* innermost last */
    struct mentions {
        fr_mention *items;
        size_t len, cap;
    } * out;
} indexer;

/* A place to lead to: a token of a file. */
typedef struct goal {
    const fr_file *file;
    fr_tok tok;
} goal;

/* ---- mentions ---- */

static size_t count_lines(mt_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        n += text.ptr[i] == '\n';
    }
    return n;
}

/* Columns count characters, not bytes: an editor converts them to its own units. */
static uint32_t *count_columns(mt_arena *a, const fr_file *f)
{
    uint32_t *at = mt_new_array(a, uint32_t, f->tokens.count);
    uint32_t column = 1;
    size_t done = 0;
    for (fr_tok tok = 0; tok < f->tokens.count; tok++) {
        size_t start = fr_token_at(f, tok)->start, from = start;
        while (from > done && f->text.ptr[from - 1] != '\n') {
            from--;
        }
        column = from > done ? 1 : column; /* a line has ended between them */
        column +=
            (uint32_t)mt_utf8_count(mt_str_from(f->text.ptr + from, start - from));
        at[tok] = column;
        done = start;
    }
    return at;
}

static uint32_t column_of(indexer *x, const fr_file *f, fr_tok tok)
{
    for (size_t i = 0; (!x->last || x->last->file != f) && i < x->columns.len; i++) {
        x->last = x->columns.items[i].file == f ? &x->columns.items[i] : x->last;
    }
    if (!x->last || x->last->file != f) {
        mt_vec_push(x->a, &x->columns, ((columns){f, count_columns(x->a, f)}));
        x->last = &x->columns.items[x->columns.len - 1];
    }
    return x->last->at[tok];
}

/* A name lies within one line; text in quotes may not (a newline behind a backslash).
 */
static fr_site site_of(indexer *x, const fr_file *f, fr_tok tok)
{
    const fr_token *t = fr_token_at(f, tok);
    size_t len = fr_token_len(f->text, t);
    mt_str text = mt_str_from(f->text.ptr + t->start, len);
    uint32_t column = column_of(x, f, tok);
    uint32_t lines = (uint32_t)count_lines(text);
    size_t last = len;
    while (lines && text.ptr[last - 1] != '\n') {
        last--;
    }
    uint32_t width = (uint32_t)mt_utf8_count(mt_str_skip(text, lines ? last : 0));
    return (fr_site){.file = f->path,
                     .line = t->line,
                     .column = column,
                     .end_line = t->line + lines,
                     .end_column = lines ? width + 1 : column + width,
                     .offset = t->start,
                     .length = len};
}

/* `to` is where the thing was named first; a mention of that token itself is the
 * definition. */
static void mention(indexer *x, const fr_file *file, fr_tok tok, fr_named kind,
                    mt_str id, goal to)
{
    fr_mention m = {.at = site_of(x, file, tok),
                    .kind = kind,
                    .id = id,
                    .definition = site_of(x, to.file, to.tok),
                    .is_definition = file == to.file && tok == to.tok};
    mt_vec_push(x->a, x->out, m);
}

static void define(indexer *x, fr_name name, fr_named kind, mt_str id)
{
    mention(x, x->c->file, name.tok, kind, id, (goal){x->c->file, name.tok});
}

static mt_str joined(indexer *x, mt_str owner, fr_sym name)
{
    return mt_strf(x->a, "%.*s.%.*s", MT_ARG(owner), FR_ARG(x->u, name));
}

/* A name that was left out, or is empty text, leads nowhere. */
static bool is_given(fr_name name)
{
    return name.sym != FR_W_none && name.sym != FR_W_empty;
}

/* ---- constructs ---- */

/* By kind of construct. An import names a file; its path is mentioned by
 * walk_again(). */
static const fr_named NAMED[FR_KIND_COUNT] = {
    [FR_IMPORT] = FR_NAMED_FILE,         [FR_TYPEDECL] = FR_NAMED_TYPE,
    [FR_FACT] = FR_NAMED_FACT,           [FR_SOURCE] = FR_NAMED_SOURCE,
    [FR_ENTITY] = FR_NAMED_ENTITY,       [FR_RULE] = FR_NAMED_RULE,
    [FR_OPERATION] = FR_NAMED_OPERATION, [FR_PERSONA] = FR_NAMED_PERSONA,
    [FR_FLOW] = FR_NAMED_FLOW,           [FR_SYSTEM] = FR_NAMED_SYSTEM,
};

/* Unknown names are passed over: the elaborator has reported them. */
static void use_construct(indexer *x, fr_name name, fr_kind kind)
{
    const fr_construct *c = is_given(name) ? fr_find(x->u, kind, name.sym) : NULL;
    if (c) {
        mention(x, x->c->file, name.tok, NAMED[kind], fr_str(x->u, name.sym),
                (goal){c->file, c->id_tok});
    }
}

/* Leads to the first rule that produces it, whichever rule the reader has in mind. */
static void use_verdict(indexer *x, fr_name name)
{
    const fr_rule *r = fr_find_verdict(x->u, name.sym);
    if (r) {
        mention(x, x->c->file, name.tok, FR_NAMED_VERDICT, fr_str(x->u, name.sym),
                (goal){r->head.file, r->verdict.tok});
    }
}

/* A name of a list that belongs to another construct: a state, an outcome. */
static void use_of(indexer *x, const fr_construct *owner, const fr_names *names,
                   fr_name name, fr_named kind)
{
    for (size_t i = 0; is_given(name) && i < names->len; i++) {
        if (names->items[i].sym == name.sym) {
            mention(x, x->c->file, name.tok, kind,
                    joined(x, fr_str(x->u, owner->id), name.sym),
                    (goal){owner->file, names->items[i].tok});
            return;
        }
    }
}

/* "Order.paid": what belongs to a construct is called by both names. */
static void define_all(indexer *x, const fr_names *names, fr_named kind)
{
    mt_str owner = fr_str(x->u, x->c->id);
    for (size_t i = 0; i < names->len; i++) {
        define(x, names->items[i], kind, joined(x, owner, names->items[i].sym));
    }
}

/* ---- types and their parts ---- */

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? -1 : x > y;
}

static int compare_homes(const void *a, const void *b)
{
    return compare_addresses(((const home *)a)->parts, ((const home *)b)->parts);
}

/* NULL for types without parts, and for references that did not resolve. */
static const void *parts_of(const fr_type *t)
{
    if (!t) {
        return NULL;
    }
    return fr_has(t, LN_PARTED)     ? (const void *)t->fields
           : fr_holds(t, LN_CHOICE) ? (const void *)t->values
                                    : NULL;
}

/* Only after enter_types(): the list is sorted there. */
static const home *home_of(const indexer *x, const fr_type *t)
{
    home key = {.parts = parts_of(t)};
    return key.parts && x->homes.len ? bsearch(&key, x->homes.items, x->homes.len,
                                               sizeof *x->homes.items, compare_homes)
                                     : NULL;
}

static void enter_type(indexer *x, const fr_type *t, const fr_file *file, mt_str owner);

/* A field whose type is a name leads to a declaration, which is entered by itself;
 * enter_type() passes it over. */
static void enter_fields(indexer *x, const fr_type *t, const fr_file *file,
                         mt_str owner)
{
    for (uint32_t i = 0; i < t->field_count; i++) {
        const fr_type_field *f = &t->fields[i];
        mt_str id = joined(x, owner, f->name);
        mention(x, file, f->tok, FR_NAMED_FIELD, id, (goal){file, f->tok});
        enter_type(x, f->type, file, id);
    }
}

/* The token of a value in its Enum. Types keep no tokens of their values, so they are
 * looked for between the type's first token and the bracket that closes it. */
static fr_tok value_token(const home *h, fr_sym value)
{
    fr_tok last = fr_closing(h->file, h->type->tok + 1);
    for (fr_tok at = h->type->tok; at < last; at++) {
        const fr_token *t = fr_token_at(h->file, at);
        if (t->kind == FR_T_STR && t->sym == value) {
            return at;
        }
    }
    return h->type->tok;
}

/* Values are defined where they are entered, fields where they are entered: types are
 * walked here and nowhere else. */
static void enter_values(indexer *x, const home *h)
{
    for (uint32_t i = 0; i < h->type->value_count; i++) {
        fr_tok tok = value_token(h, h->type->values[i]);
        mention(x, h->file, tok, FR_NAMED_VALUE,
                joined(x, h->owner, h->type->values[i]), (goal){h->file, tok});
    }
}

static int compare_types(const void *a, const void *b)
{
    return compare_addresses(*(const fr_type *const *)a, *(const fr_type *const *)b);
}

/* A name's type is the declaration's own node, which is entered with the declaration.
 */
static bool is_declared(const indexer *x, const fr_type *t)
{
    return x->declared_count && bsearch(&t, x->declared, x->declared_count,
                                        sizeof *x->declared, compare_types);
}

/* Entered before its fields, whose types may be entered in turn. */
static void enter_parts(indexer *x, const fr_type *t, const fr_file *file, mt_str owner)
{
    home h = {parts_of(t), t, file, owner};
    if (!h.parts) {
        return;
    }
    mt_vec_push(x->a, &x->homes, h);
    if (fr_holds(t, LN_CHOICE)) {
        enter_values(x, &h);
    } else {
        enter_fields(x, t, file, owner);
    }
}

static void enter_type(indexer *x, const fr_type *t, const fr_file *file, mt_str owner)
{
    if (!t || t->base >= LN_BASE_COUNT || is_declared(x, t)) {
        return;
    }
    if (fr_holds(t, LN_LIST)) {
        enter_type(x, t->element, file, owner);
    } else {
        enter_parts(x, t, file, owner);
    }
}

static void find_declared(indexer *x)
{
    size_t count = x->u->kinds[FR_TYPEDECL].len;
    x->declared = mt_new_array(x->a, const fr_type *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const fr_typedecl *d = (const fr_typedecl *)x->u->kinds[FR_TYPEDECL].items[i];
        if (d->type) {
            x->declared[x->declared_count++] = d->type;
        }
    }
    qsort(x->declared, x->declared_count, sizeof *x->declared, compare_types);
}

/* The type of verdict v { payload: T = ... }; that of v(...) is inferred. */
static const fr_type *written_payload(const fr_rule *r)
{
    bool is_short = fr_token_at(r->head.file, r->verdict.tok + 1)->kind == FR_T_LPAREN;
    return r->payload && !is_short ? r->payload_type : NULL;
}

/* Before anything is walked, since uses may stand before the declaration. */
static void enter_types(indexer *x)
{
    find_declared(x);
    for (size_t i = 0; i < x->u->all.len; i++) {
        const fr_construct *c = x->u->all.items[i];
        mt_str id = fr_str(x->u, c->id);
        x->c = c;
        if (c->broken) {
            continue;
        }
        if (c->kind == FR_TYPEDECL) {
            enter_parts(x, ((const fr_typedecl *)c)->type, c->file, id);
        } else if (c->kind == FR_FACT) {
            enter_type(x, ((const fr_fact *)c)->type, c->file, id);
        } else if (c->kind == FR_RULE) {
            enter_type(x, written_payload((const fr_rule *)c), c->file, id);
        }
    }
    if (x->homes.len) {
        qsort(x->homes.items, x->homes.len, sizeof *x->homes.items, compare_homes);
    }
}

/* Fields of a type without a home, such as one that was inferred, are left out. */
static void use_field(indexer *x, const fr_type *of, fr_sym name, fr_tok tok)
{
    const home *h = home_of(x, of);
    for (uint32_t i = 0; h && fr_has(of, LN_PARTED) && i < of->field_count; i++) {
        if (of->fields[i].name == name) {
            mention(x, x->c->file, tok, FR_NAMED_FIELD, joined(x, h->owner, name),
                    (goal){h->file, of->fields[i].tok});
            return;
        }
    }
}

/* Text beside a term: a value of its Enum, or the name of a variant beside a tag. */
static void use_text(indexer *x, const fr_expr *text, const fr_expr *beside)
{
    const fr_type *t = beside->type;
    if (beside->kind == FR_X_FIELD && beside->sym == FR_W_tag) {
        use_field(x, beside->left->type, text->sym, text->tok);
        return;
    }
    const home *h = home_of(x, t);
    if (h && fr_has_value(t, text->sym)) {
        mention(x, x->c->file, text->tok, FR_NAMED_VALUE,
                joined(x, h->owner, text->sym),
                (goal){h->file, value_token(h, text->sym)});
    }
}

/* A literal where a value of a type is wanted: a default, a payload. */
static void walk_literal(indexer *x, const fr_type *t, const fr_expr *e)
{
    fr_expr wanted = {.kind = FR_X_REF, .type = t};
    if (!t || t->base >= LN_BASE_COUNT) {
        return;
    }
    if (e->kind == FR_X_STR) {
        use_text(x, e, &wanted);
    } else if (e->kind == FR_X_LIST && fr_holds(t, LN_LIST)) {
        for (uint32_t i = 0; i < e->sym2; i++) {
            walk_literal(x, t->element, e->items[i]);
        }
    } else if (e->kind == FR_X_ENTRY && fr_has(t, LN_PARTED)) {
        use_field(x, t, e->sym, e->tok);
        walk_literal(x, fr_type_field_of(x->u, t, e->sym), e->left);
    } else if (e->kind == FR_X_RECORD && fr_holds(t, LN_VARIANT)) {
        use_field(x, t, e->sym, e->tok);
        t = fr_type_field_of(x->u, t, e->sym);
    } else if (e->kind == FR_X_RECORD) { /* perhaps the name of its type */
        use_construct(x, (fr_name){e->sym, e->tok}, FR_TYPEDECL);
    }
    for (uint32_t i = 0; e->kind == FR_X_RECORD && t && i < e->sym2; i++) {
        walk_literal(x, t, e->items[i]);
    }
}

/* ---- expressions ---- */

static void use_name(indexer *x, const fr_expr *e)
{
    fr_name name = {e->sym, e->tok};
    if (e->op == FR_REF_FACT) {
        use_construct(x, name, FR_FACT);
    } else if (e->op == FR_REF_VERDICT) {
        use_verdict(x, name);
    }
    for (size_t i = x->binders.len; e->op == FR_REF_VARIABLE && i-- > 0;) {
        if (x->binders.items[i].name == e->sym) {
            mention(x, x->c->file, e->tok, FR_NAMED_VARIABLE, fr_str(x->u, e->sym),
                    (goal){x->c->file, x->binders.items[i].tok});
            return;
        }
    }
}

static void walk_expr(indexer *x, const fr_expr *e);

/* The domain is walked before the variable is bound: it cannot mean it. */
static void walk_quantifier(indexer *x, const fr_expr *e)
{
    binder b = {e->sym, e->sym2};
    walk_expr(x, e->left);
    define(x, (fr_name){e->sym, e->sym2}, FR_NAMED_VARIABLE, fr_str(x->u, e->sym));
    mt_vec_push(x->a, &x->binders, b);
    walk_expr(x, e->right);
    /* Quantifiers nest, so a name means the innermost binder. */
    x->binders.len--;
}

/* `x in [...]` became equalities that share their left side; what is mentioned twice is
 * taken out in the end. */
static void walk_comparison(indexer *x, const fr_expr *e)
{
    walk_expr(x, e->left);
    walk_expr(x, e->right);
    if (e->right->kind >= FR_X_LIST || e->left->kind >= FR_X_LIST) {
        walk_literal(x, e->left->type, e->left);
        walk_literal(x, e->right->type, e->right);
    } else if (e->right->kind == FR_X_STR) {
        use_text(x, e->right, e->left);
    } else if (e->left->kind == FR_X_STR) {
        use_text(x, e->left, e->right);
    }
}

static void walk_expr(indexer *x, const fr_expr *e)
{
    if (!e) {
        return;
    }
    switch ((fr_expr_kind)e->kind) {
    case FR_X_REF: use_name(x, e); break;
    case FR_X_FIELD:
        walk_expr(x, e->left);
        use_field(x, e->left->type, e->sym, e->sym2);
        break;
    case FR_X_VERDICT: use_verdict(x, fr_verdict_name(x->c->file, e)); break;
    case FR_X_FORALL:
    case FR_X_EXISTS: walk_quantifier(x, e); break;
    case FR_X_COMPARE: walk_comparison(x, e); break;
    case FR_X_AND:
    case FR_X_OR:
    case FR_X_INDEX:
    case FR_X_MUL:
    case FR_X_ADD:
    case FR_X_SUB:
        walk_expr(x, e->left);
        walk_expr(x, e->right);
        break;
    case FR_X_BOOL: /* `x present` of a fact was turned into true */
    case FR_X_LEN:
    case FR_X_NOT:
    case FR_X_PRESENT:
    case FR_X_ENTRY: walk_expr(x, e->left); break;
    case FR_X_LIST:
    case FR_X_RECORD:
        for (uint32_t i = 0; i < e->sym2; i++) {
            walk_expr(x, e->items[i]);
        }
        break;
    case FR_X_INT:
    case FR_X_FLOAT:
    case FR_X_STR:
    case FR_X_MONEY:
    case FR_X_DURATION:
    case FR_X_ERROR: break;
    }
}

/* ---- entities, facts, rules, operations ---- */

static void walk_entity(indexer *x, const fr_entity *e)
{
    define_all(x, &e->states, FR_NAMED_STATE);
    use_of(x, &e->head, &e->states, e->initial, FR_NAMED_STATE);
    use_construct(x, e->parent, FR_ENTITY);
    for (size_t i = 0; i < e->transitions.len; i++) {
        use_of(x, &e->head, &e->states, e->transitions.items[i].from, FR_NAMED_STATE);
        use_of(x, &e->head, &e->states, e->transitions.items[i].to, FR_NAMED_STATE);
    }
}

static void walk_fact(indexer *x, const fr_fact *f)
{
    if (f->structured) {
        use_construct(x, f->source, FR_SOURCE);
    }
    if (f->initial) {
        walk_literal(x, f->type, f->initial);
    }
}

/* The verdict is a use as well: of the first rule that produces it, it is the
 * definition. */
static void walk_rule(indexer *x, const fr_rule *r)
{
    walk_expr(x, r->when);
    if (is_given(r->verdict)) {
        use_verdict(x, r->verdict);
    }
    if (r->payload) {
        walk_expr(x, r->payload);
        walk_literal(x, r->payload_type, r->payload);
    }
}

/* Outcomes and errors are defined here and used by effects and routes. */
static void walk_operation(indexer *x, const fr_operation *o)
{
    for (size_t i = 0; i < o->personas.len; i++) {
        use_construct(x, o->personas.items[i], FR_PERSONA);
    }
    walk_expr(x, o->precondition);
    define_all(x, &o->outcomes, FR_NAMED_OUTCOME);
    define_all(x, &o->errors, FR_NAMED_ERROR);
    for (size_t i = 0; i < o->effects.len; i++) {
        const fr_effect *e = &o->effects.items[i];
        const fr_entity *entity = fr_find(x->u, FR_ENTITY, e->entity.sym);
        use_construct(x, e->entity, FR_ENTITY);
        use_of(x, &o->head, &o->outcomes, e->outcome, FR_NAMED_OUTCOME);
        if (entity) {
            use_of(x, &entity->head, &entity->states, e->from, FR_NAMED_STATE);
            use_of(x, &entity->head, &entity->states, e->to, FR_NAMED_STATE);
        }
    }
}

/* ---- flows ---- */

/* Steps are known within their flow or branch only, so names of steps are looked up
 * there. */
typedef struct scope {
    indexer *x;
    const fr_steps *steps;
    mt_str prefix; /* "flow", or "flow.step.branch" */
} scope;

static void use_step(const scope *s, fr_name name)
{
    for (size_t i = 0; is_given(name) && i < s->steps->len; i++) {
        fr_name id = s->steps->items[i]->id;
        if (id.sym == name.sym) {
            mention(s->x, s->x->c->file, name.tok, FR_NAMED_STEP,
                    joined(s->x, s->prefix, name.sym), (goal){s->x->c->file, id.tok});
            return;
        }
    }
}

/* Terminal(outcome) names nothing that could be led to. */
static void use_target(const scope *s, const fr_target *t)
{
    if (!t->terminal) {
        use_step(s, t->name);
    }
}

static void walk_handler(const scope *s, const fr_handler *h)
{
    use_construct(s->x, h->persona, FR_PERSONA);
    use_step(s, h->next);
    for (size_t i = 0; i < h->steps.len; i++) {
        use_construct(s->x, h->steps.items[i].op, FR_OPERATION);
        use_construct(s->x, h->steps.items[i].persona, FR_PERSONA);
    }
}

static void walk_routes(const scope *s, const fr_step *step)
{
    const fr_operation *o = fr_find(s->x->u, FR_OPERATION, step->op.sym);
    for (size_t i = 0; i < step->routes.len; i++) {
        const fr_route *r = &step->routes.items[i];
        if (o) {
            use_of(s->x, &o->head, &o->outcomes, r->label, FR_NAMED_OUTCOME);
        }
        use_target(s, &r->target);
    }
}

static void walk_steps(indexer *x, const fr_steps *steps, fr_name entry, mt_str prefix);

/* Each branch has steps of its own; the targets of the join are steps around it. */
static void walk_branches(const scope *s, const fr_step *step)
{
    mt_str owner = joined(s->x, s->prefix, step->id.sym);
    for (size_t i = 0; i < step->branches.len; i++) {
        const fr_branch *b = &step->branches.items[i];
        mt_str id = joined(s->x, owner, b->id.sym);
        if (is_given(b->id)) {
            define(s->x, b->id, FR_NAMED_BRANCH, id);
        }
        walk_steps(s->x, &b->steps, b->entry, id);
    }
    use_target(s, &step->all_success);
    use_target(s, &step->all_complete);
}

static void walk_step(const scope *s, const fr_step *step)
{
    define(s->x, step->id, FR_NAMED_STEP, joined(s->x, s->prefix, step->id.sym));
    use_construct(s->x, step->persona, FR_PERSONA);
    switch (fr_does(step)) {
    case LN_OPERATES:
        use_construct(s->x, step->op, FR_OPERATION);
        walk_routes(s, step);
        break;
    case LN_DECIDES:
        walk_expr(s->x, step->condition);
        use_target(s, &step->if_true);
        use_target(s, &step->if_false);
        break;
    case LN_GOES_ON:
        use_construct(s->x, step->to_persona, FR_PERSONA);
        use_step(s, step->next);
        break;
    case LN_CALLS:
        use_construct(s->x, step->op, FR_FLOW);
        use_target(s, &step->on_success);
        break;
    case LN_FORKS: walk_branches(s, step); break;
    case LN_ENDS: break;
    }
    walk_handler(s, &step->handler);
}

static void walk_steps(indexer *x, const fr_steps *steps, fr_name entry, mt_str prefix)
{
    scope s = {x, steps, prefix};
    use_step(&s, entry);
    for (size_t i = 0; i < steps->len; i++) {
        walk_step(&s, steps->items[i]);
    }
}

/* ---- systems ---- */

/* NULL: there is no such member, or its file could not be read. */
static const fr_unit *member_unit(const ct_elaboration *e, mt_str id)
{
    for (size_t i = 0; i < e->member_count; i++) {
        if (mt_str_eq(e->members[i].id, id)) {
            return e->members[i].contract ? e->members[i].contract->unit : NULL;
        }
    }
    return NULL;
}

static void use_member(indexer *x, const fr_system *s, fr_name name)
{
    for (size_t i = 0; is_given(name) && i < s->members.len; i++) {
        if (s->members.items[i].id.sym == name.sym) {
            mention(x, x->c->file, name.tok, FR_NAMED_MEMBER, fr_str(x->u, name.sym),
                    (goal){x->c->file, s->members.items[i].id.tok});
            return;
        }
    }
}

/* A name of this unit that means a construct of a member, whose symbols are its own. */
static void use_in_member(indexer *x, const ct_elaboration *e, fr_sym member,
                          fr_name name, fr_kind kind)
{
    const fr_unit *other = member_unit(e, fr_str(x->u, member));
    fr_sym there = other ? fr_symbol_find(&other->syms, fr_str(x->u, name.sym)) : 0;
    const fr_construct *c = there ? fr_find(other, kind, there) : NULL;
    if (c) {
        mention(x, x->c->file, name.tok, NAMED[kind],
                joined(x, fr_str(x->u, member), name.sym), (goal){c->file, c->id_tok});
    }
}

/* The name leads to the first member that has it. */
static void walk_shared(indexer *x, const ct_elaboration *e, const fr_system *s,
                        const fr_shared_list *list, fr_kind kind)
{
    for (size_t i = 0; i < list->len; i++) {
        const fr_shared *shared = &list->items[i];
        for (size_t c = 0; c < shared->contracts.len; c++) {
            use_member(x, s, shared->contracts.items[c]);
        }
        /* Grows with the first that is found, which ends the loop. */
        size_t members = x->out->len;
        for (size_t c = 0; c < shared->contracts.len && x->out->len == members; c++) {
            use_in_member(x, e, shared->contracts.items[c].sym, shared->name, kind);
        }
    }
}

static void walk_system(indexer *x, const ct_elaboration *e, const fr_system *s)
{
    for (size_t i = 0; i < s->members.len; i++) {
        const fr_system_member *m = &s->members.items[i];
        const fr_unit *other = member_unit(e, fr_str(x->u, m->id.sym));
        define(x, m->id, FR_NAMED_MEMBER, fr_str(x->u, m->id.sym));
        if (other && other->files.len) {
            mention(x, x->c->file, m->path.tok, FR_NAMED_FILE,
                    other->files.items[0]->path, (goal){other->files.items[0], 0});
        }
    }
    walk_shared(x, e, s, &s->personas, FR_PERSONA);
    walk_shared(x, e, s, &s->entities, FR_ENTITY);
    for (size_t i = 0; i < s->triggers.len; i++) {
        const fr_trigger *t = &s->triggers.items[i];
        use_member(x, s, t->source_contract);
        use_in_member(x, e, t->source_contract.sym, t->source_flow, FR_FLOW);
        use_member(x, s, t->target_contract);
        use_in_member(x, e, t->target_contract.sym, t->target_flow, FR_FLOW);
        use_in_member(x, e, t->target_contract.sym, t->persona, FR_PERSONA);
    }
}

/* ---- all constructs ---- */

static void walk_construct(indexer *x, const ct_elaboration *e, const fr_construct *c)
{
    x->c = c;
    if (c->id) {
        define(x, (fr_name){c->id, c->id_tok}, NAMED[c->kind], fr_str(x->u, c->id));
    }
    if (c->broken) {
        return;
    }
    switch ((fr_kind)c->kind) {
    case FR_FACT: walk_fact(x, (const fr_fact *)c); break;
    case FR_ENTITY: walk_entity(x, (const fr_entity *)c); break;
    case FR_RULE: walk_rule(x, (const fr_rule *)c); break;
    case FR_OPERATION: walk_operation(x, (const fr_operation *)c); break;
    case FR_FLOW: {
        const fr_flow *f = (const fr_flow *)c;
        walk_steps(x, &f->steps, f->entry, fr_str(x->u, c->id));
        break;
    }
    case FR_SYSTEM: walk_system(x, e, (const fr_system *)c); break;
    case FR_IMPORT:
    case FR_TYPEDECL:
    case FR_SOURCE:
    case FR_PERSONA:
    case FR_KIND_COUNT: break;
    }
}

/* ---- references to types, and imports: from a second parse ---- */

static void walk_type(indexer *x, const fr_type *t)
{
    if (!t) {
        return;
    }
    if (t->base == FR_TYPE_REF) {
        use_construct(x, (fr_name){t->ref, t->tok}, FR_TYPEDECL);
    } else if (fr_holds(t, LN_LIST)) {
        walk_type(x, t->element);
    }
    for (uint32_t i = 0; fr_has(t, LN_PARTED) && i < t->field_count; i++) {
        walk_type(x, t->fields[i].type);
    }
}

/* Types behind bound variables, which stand in conditions only. */
static void walk_binders(indexer *x, const fr_expr *e)
{
    if (!e) {
        return;
    }
    if (e->kind == FR_X_FORALL || e->kind == FR_X_EXISTS) {
        walk_type(x, e->type);
        walk_binders(x, e->right);
    } else if (e->kind == FR_X_AND || e->kind == FR_X_OR) {
        walk_binders(x, e->left);
        walk_binders(x, e->right);
    } else if (e->kind == FR_X_NOT) {
        walk_binders(x, e->left);
    }
}

static void walk_step_binders(indexer *x, const fr_steps *steps)
{
    for (size_t i = 0; i < steps->len; i++) {
        const fr_step *s = steps->items[i];
        if (fr_does(s) == LN_DECIDES) {
            walk_binders(x, s->condition);
        }
        for (size_t b = 0; fr_does(s) == LN_FORKS && b < s->branches.len; b++) {
            walk_step_binders(x, &s->branches.items[b].steps);
        }
    }
}

/* The file that a path leads to, by its canonical id; NULL if it could not be read. */
static const fr_file *imported(indexer *x, const fr_construct *import)
{
    mt_str id =
        mt_path_join(x->a, mt_path_dir(import->file->id), fr_str(x->u, import->id));
    for (size_t i = 0; i < x->u->files.len; i++) {
        const fr_file *file = x->u->files.items[i];
        if (mt_str_eq(file->id, id)) {
            return file->tokens.count ? file : NULL;
        }
    }
    return NULL;
}

/* Constructs of the second parse are walked for what the first no longer knows:
 * references to types, and imports. Everything else would be found twice. */
static void walk_again(indexer *x, const fr_construct *c)
{
    x->c = c;
    if (c->kind == FR_IMPORT && c->id) {
        const fr_file *file = imported(x, c);
        if (file) {
            mention(x, c->file, c->id_tok, FR_NAMED_FILE, file->path, (goal){file, 0});
        }
    }
    if (c->broken) {
        return;
    }
    switch ((fr_kind)c->kind) {
    case FR_TYPEDECL: walk_type(x, ((const fr_typedecl *)c)->type); break;
    case FR_FACT: walk_type(x, ((const fr_fact *)c)->type); break;
    case FR_RULE:
        walk_type(x, ((const fr_rule *)c)->payload_type);
        walk_binders(x, ((const fr_rule *)c)->when);
        break;
    case FR_OPERATION: walk_binders(x, ((const fr_operation *)c)->precondition); break;
    case FR_FLOW: walk_step_binders(x, &((const fr_flow *)c)->steps); break;
    case FR_IMPORT:
    case FR_SOURCE:
    case FR_ENTITY:
    case FR_PERSONA:
    case FR_SYSTEM:
    case FR_KIND_COUNT: break;
    }
}

/* Every text has been parsed before, so no symbol is new and what is reported was. */
static void parse_again(indexer *x)
{
    /* A list for what is thrown away: one is kept at most, the rest is counted. */
    mt_arena room = {0};
    mt_diags heard = {.arena = &room, .limit = 1};
    fr_unit silent = *x->u;
    silent.keep = &room;
    silent.first = &heard;
    silent.later = silent.remarks = heard;
    for (size_t i = 0; i < x->u->files.len; i++) {
        fr_construct **items;
        size_t count;
        if (!x->u->files.items[i]->tokens.count) {
            continue; /* it could not be read */
        }
        fr_parse(&silent, x->u->files.items[i], &items, &count);
        for (size_t c = 0; c < count; c++) {
            walk_again(x, items[c]);
        }
    }
    mt_arena_free(&room);
}

/* ---- the whole ---- */

/* The place of a file among those of the unit, so that mentions come file by file in
 * the order in which files were first met. */
static size_t rank_of(const fr_unit *u, mt_str path)
{
    size_t i = 0;
    while (i < u->files.len && !mt_str_eq(u->files.items[i]->path, path)) {
        i++;
    }
    return i;
}

static int compare_mentions(const void *a, const void *b, void *unit)
{
    const fr_mention *x = a, *y = b;
    if (!mt_str_eq(x->at.file, y->at.file)) {
        size_t i = rank_of(unit, x->at.file), j = rank_of(unit, y->at.file);
        return i < j ? -1 : 1;
    }
    if (x->at.offset != y->at.offset) {
        return x->at.offset < y->at.offset ? -1 : 1;
    }
    return (int)x->kind - (int)y->kind;
}

static bool is_same(const fr_mention *a, const fr_mention *b)
{
    return a->at.offset == b->at.offset && a->kind == b->kind &&
           mt_str_eq(a->at.file, b->at.file);
}

/* Sorted, each once: shared expressions were walked several times. */
static void settle(struct mentions *out, size_t first, fr_unit *u)
{
    size_t kept = first;
    if (out->len == first) {
        return;
    }
    qsort_r(out->items + first, out->len - first, sizeof *out->items, compare_mentions,
            u);
    for (size_t i = first; i < out->len; i++) {
        if (kept == first || !is_same(&out->items[i], &out->items[kept - 1])) {
            out->items[kept++] = out->items[i];
        }
    }
    out->len = kept;
}

/* Members of a System follow behind it, each sorted by itself. */
static void index_unit(mt_arena *a, const ct_elaboration *e, struct mentions *out)
{
    fr_unit *u = (fr_unit *)(uintptr_t)e->unit; /* only read */
    indexer x = {.a = a, .u = u, .out = out};
    size_t first = out->len;
    if (!u->index) {
        return; /* the root could not be read */
    }
    enter_types(&x);
    for (size_t i = 0; i < u->all.len; i++) {
        walk_construct(&x, e, u->all.items[i]);
    }
    parse_again(&x);
    settle(out, first, u);
    for (size_t i = 0; i < e->member_count; i++) {
        if (e->members[i].contract) {
            index_unit(a, e->members[i].contract, out);
        }
    }
}

size_t fr_index(mt_arena *a, const ct_elaboration *e, const fr_mention **out)
{
    struct mentions all = {0};
    index_unit(a, e, &all);
    *out = all.items;
    return all.len;
}
