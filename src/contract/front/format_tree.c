/* contract/front/format_tree.c - tokens to groups and items, and what each node means.
 * One pass over the tokens, comments included. Brackets become groups, fields and list
 * elements items. Words such as `forall` or `not` are operators only where the parser
 * takes them for one; a quantifier's dot is told from a field's by the parser's own
 * rule, because white space beside it decides what the text means.
 * INVARIANT: every token is in exactly one node, in its order. Building fails only on
 * text that does not parse. format_check.c checks what comes of it. */
#include "contract/front/format_tree.h"

#include "base/utf8.h"

typedef struct builder {
    fr_ftree *tree;
    mt_arena *a;
    const fr_token *t;    /* the current token */
    const fr_token *last; /* the one before it, comments too; NULL at the start */
    size_t depth;
    bool failed;
} builder;

static mt_str raw_text(const fr_ftree *tree, const fr_token *t)
{
    return mt_str_from(tree->text.ptr + t->start, fr_token_len(tree->text, t));
}

static mt_str trim_right(mt_str s)
{
    while (s.len && strchr(" \t\r", s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

mt_str fr_ftree_text(const fr_ftree *tree, const fr_token *t)
{
    mt_str text = raw_text(tree, t);
    return t->kind == FR_T_COMMENT ? trim_right(text) : text;
}

mt_str fr_ftree_node_text(const fr_ftree *tree, const fr_fnode *n)
{
    return n->end ? mt_str_from(tree->text.ptr + n->t->start, n->end - n->t->start)
                  : fr_ftree_text(tree, n->t);
}

/* Strings and comments may span lines. */
static uint32_t end_line(const fr_ftree *tree, const fr_token *t)
{
    mt_str text = raw_text(tree, t);
    uint32_t line = t->line;
    for (size_t at; (at = mt_str_find(text, '\n')) < text.len;) {
        line++;
        text = mt_str_skip(text, at + 1);
    }
    return line;
}

static bool is_line_comment(const fr_ftree *tree, const fr_token *t)
{
    return tree->text.ptr[t->start + 1] == '/';
}

/* Never beyond the end of the file. */
static void advance(builder *b)
{
    b->last = b->t;
    b->t += b->t->kind != FR_T_EOF;
}

/* The first token from `t` on that is not a comment. */
static const fr_token *solid(const fr_token *t)
{
    while (t->kind == FR_T_COMMENT) {
        t++;
    }
    return t;
}

static const fr_token *after(const fr_token *t)
{
    return t->kind == FR_T_EOF ? t : solid(t + 1);
}

static bool is_open(const fr_token *t)
{
    return t->kind == FR_T_LBRACE || t->kind == FR_T_LBRACKET || t->kind == FR_T_LPAREN;
}

static bool is_close(const fr_token *t)
{
    return t->kind == FR_T_RBRACE || t->kind == FR_T_RBRACKET ||
           t->kind == FR_T_RPAREN || t->kind == FR_T_EOF;
}

static bool is_word(const fr_token *t, fr_sym word)
{
    return t->kind == FR_T_WORD && t->sym == word;
}

/* ---- What a node means ---- */

static bool is_quantifier(const fr_fnode *n)
{
    return n->t && (n->t->kind == FR_T_FORALL || n->t->kind == FR_T_EXISTS ||
                    (n->role == FR_F_WORD_OP &&
                     (n->t->sym == FR_W_forall || n->t->sym == FR_W_exists)));
}

/* The node behind nodes[i], comments skipped; the number of nodes if there is none. */
static size_t next_node(const fr_fitem *item, size_t i)
{
    do {
        i++;
    } while (i < item->nodes.len && item->nodes.items[i].role == FR_F_COMMENT);
    return i;
}

/* The last of the first `end` nodes that is not a comment; NULL if there is none. */
static const fr_fnode *node_before(const fr_fitem *item, size_t end)
{
    while (end && item->nodes.items[end - 1].role == FR_F_COMMENT) {
        end--;
    }
    return end ? &item->nodes.items[end - 1] : NULL;
}

static bool is_kind(const fr_fitem *item, size_t i, fr_token_kind kind)
{
    return i < item->nodes.len && item->nodes.items[i].t &&
           item->nodes.items[i].t->kind == kind;
}

/* ---- The dots of quantifiers ---- */

static bool is_spaced_dot(const fr_fnode *dot, const fr_fnode *next)
{
    const fr_token *behind = next->t ? next->t : next->group->open;
    return (dot->t->flags | behind->flags) & FR_TOK_SPACED;
}

/* As the lexer flagged it: at the dot or at what stands behind it. */
static bool is_spaced(const fr_fitem *item, size_t dot)
{
    size_t next = next_node(item, dot);
    return next < item->nodes.len &&
           is_spaced_dot(&item->nodes.items[dot], &item->nodes.items[next]);
}

/* The separating dot of the chain `a.b.c` whose first word is nodes[from], as the
 * parser finds it: the first with white space beside it or without a word behind it,
 * else the first that the bound variable follows. Behind an index only white space
 * counts. Returns the number of nodes if there is none. */
static size_t separating_dot(const fr_fitem *item, size_t from, fr_sym bound)
{
    size_t none = item->nodes.len, glued = none, i = next_node(item, from);
    for (; is_kind(item, i, FR_T_DOT); i = next_node(item, next_node(item, i))) {
        size_t next = next_node(item, i);
        if (is_spaced(item, i) || !is_kind(item, next, FR_T_WORD)) {
            return i;
        }
        bool bound_next = item->nodes.items[next].t->sym == bound;
        glued = glued == none && bound_next ? i : glued;
    }
    if (glued != none) {
        return glued;
    }
    for (; i < none; i = next_node(item, i)) {
        bool dot = is_kind(item, i, FR_T_DOT);
        if (dot && is_spaced(item, i)) {
            return i;
        }
        if (!dot && !item->nodes.items[i].group && !is_kind(item, i, FR_T_WORD)) {
            break;
        }
    }
    return none;
}

/* The dot between domain and body of the quantifier nodes[i]; the number of nodes if
 * there is none. */
static size_t separator_of(const fr_fitem *item, size_t i)
{
    size_t variable = next_node(item, i);
    if (!is_kind(item, variable, FR_T_WORD)) {
        return item->nodes.len;
    }
    for (size_t j = variable + 1; j < item->nodes.len; j++) {
        const fr_token *t = item->nodes.items[j].t;
        if (t && (t->kind == FR_T_IN || is_word(t, FR_W_in))) {
            return separating_dot(item, next_node(item, j),
                                  item->nodes.items[variable].t->sym);
        }
    }
    return item->nodes.len;
}

/* When the item is complete, because the rule looks at everything behind the domain. */
static void mark_quantifiers(fr_fitem *item)
{
    for (size_t i = 0; i < item->nodes.len; i++) {
        size_t dot = is_quantifier(&item->nodes.items[i]) ? separator_of(item, i)
                                                          : item->nodes.len;
        if (dot < item->nodes.len) {
            item->nodes.items[dot].role = FR_F_DOT;
        }
    }
}

/* ---- Words that are operators in their place ---- */

/* Does a condition begin at `t`, the token behind the dot `dot` (an index)? Nodes
 * behind `t` cannot change the answer: `t` is followed by no dot, so the chain of names
 * the separator is looked for in ends here. */
static bool begins_body(builder *b, fr_fitem *item, size_t dot, const fr_token *t)
{
    fr_fnode probe = {.t = t};
    bool found = false;
    mt_vec_push(b->a, &item->nodes, probe);
    for (size_t i = dot; i-- > 0 && !found;) {
        if (is_quantifier(&item->nodes.items[i])) {
            found = separator_of(item, i) == dot;
            break;
        }
    }
    item->nodes.len--;
    return found;
}

/* Is the word `t` behind a dot, and so the name of a field? */
static bool is_field_name(builder *b, fr_fitem *item, const fr_token *t)
{
    const fr_fnode *before = node_before(item, item->nodes.len);
    if (!before || !before->t || before->t->kind != FR_T_DOT) {
        return false;
    }
    size_t dot = (size_t)(before - item->nodes.items);
    return after(t)->kind == FR_T_DOT || !begins_body(b, item, dot, t);
}

/* Can a condition begin behind the nodes of the item? The parser looks for quantifiers
 * nowhere else; a dot was looked at before. */
static bool begins_condition(const fr_fitem *item)
{
    const fr_fnode *before = node_before(item, item->nodes.len);
    if (!before) {
        return true;
    }
    if (!before->t || before->role == FR_F_LOGICAL) {
        return before->role == FR_F_LOGICAL;
    }
    return before->t->kind == FR_T_COLON || before->t->kind == FR_T_DOT ||
           before->t->kind == FR_T_NOT ||
           (before->role == FR_F_WORD_OP && is_word(before->t, FR_W_not));
}

/* `forall x in`, `exists x :`: anywhere else these words are names. */
static bool opens_quantifier(const fr_fitem *item, const fr_token *t)
{
    const fr_token *variable = after(t), *third = after(variable);
    return variable->kind == FR_T_WORD && begins_condition(item) &&
           (third->kind == FR_T_IN || third->kind == FR_T_COLON ||
            is_word(third, FR_W_in));
}

static fr_frole word_role(builder *b, fr_fitem *item, const fr_token *t)
{
    bool quantifier = t->sym == FR_W_forall || t->sym == FR_W_exists;
    if (!quantifier && t->sym != FR_W_and && t->sym != FR_W_or && t->sym != FR_W_not &&
        t->sym != FR_W_in) {
        return FR_F_PLAIN;
    }
    if (after(t)->kind == FR_T_COLON || is_field_name(b, item, t)) {
        return FR_F_PLAIN;
    }
    if (t->sym == FR_W_and || t->sym == FR_W_or) {
        return item->nodes.len ? FR_F_LOGICAL : FR_F_PLAIN;
    }
    return quantifier && !opens_quantifier(item, t) ? FR_F_PLAIN : FR_F_WORD_OP;
}

/* `forall x : T in ...`: the word before the colon is bound, no field begins. */
static bool binds(const fr_fitem *item)
{
    const fr_fnode *before = node_before(item, item->nodes.len);
    return before && is_quantifier(before);
}

static fr_frole colon_role(const fr_fitem *item)
{
    const fr_fnode *variable = node_before(item, item->nodes.len);
    const fr_fnode *before =
        variable ? node_before(item, (size_t)(variable - item->nodes.items)) : NULL;
    return before && is_quantifier(before) ? FR_F_BINDER : FR_F_PLAIN;
}

/* What a token is for spacing; the same word is a key in one place and an operator in
 * another. */
static fr_frole token_role(builder *b, fr_fitem *item, const fr_token *t)
{
    switch (t->kind) {
    case FR_T_AND:
    case FR_T_OR: return FR_F_LOGICAL;
    case FR_T_IN:
    case FR_T_FORALL:
    case FR_T_EXISTS: return FR_F_WORD_OP;
    case FR_T_COMMENT: return FR_F_COMMENT;
    case FR_T_WORD: return word_role(b, item, t);
    case FR_T_COLON: return colon_role(item);
    default: return FR_F_PLAIN;
    }
}

/* ---- Spacing and widths ---- */

static fr_token_kind kind_of(const fr_fnode *n)
{
    return n->t ? (fr_token_kind)n->t->kind : (fr_token_kind)n->group->open->kind;
}

/* A quantifier's dot always gets blanks on both sides, so the printed text means what
 * it meant whichever rule had found the dot. */
bool fr_ftree_spaced(const fr_fnode *before, const fr_fnode *n)
{
    fr_token_kind next = kind_of(n), last = kind_of(before);
    bool called = (before->group || last == FR_T_WORD) && before->role == FR_F_PLAIN;
    if (n->role == FR_F_DOT || before->role == FR_F_DOT || n->role == FR_F_BINDER) {
        return true;
    }
    if (n->role == FR_F_COMMENT || before->role == FR_F_COMMENT) {
        return true;
    }
    if (next == FR_T_DOT || last == FR_T_DOT || next == FR_T_COMMA ||
        next == FR_T_COLON || last == FR_T_NOT) {
        return false;
    }
    if (n->group && next != FR_T_LBRACE) {
        return !called;
    }
    return true;
}

/* FR_F_WIDE stays: what cannot stand on one line makes all around it several. */
static size_t add_width(size_t a, size_t b)
{
    return a == FR_F_WIDE || b == FR_F_WIDE ? FR_F_WIDE : a + b;
}

/* A line comment is wide although it has one line, since nothing may follow it. */
static size_t token_width(const fr_ftree *tree, const fr_fnode *n)
{
    mt_str text = fr_ftree_node_text(tree, n);
    bool wide = mt_str_find(text, '\n') < text.len ||
                (n->t->kind == FR_T_COMMENT && is_line_comment(tree, n->t));
    return wide ? FR_F_WIDE : mt_utf8_count(text);
}

static size_t item_width(const fr_ftree *tree, const fr_fitem *item)
{
    size_t width = 0;
    for (size_t i = 0; i < item->nodes.len; i++) {
        const fr_fnode *n = &item->nodes.items[i];
        width = add_width(width, n->t ? token_width(tree, n) : n->group->width);
        bool space = i && fr_ftree_spaced(n - 1, n);
        width = add_width(width, space);
    }
    return width;
}

/* As print_group_flat() prints it: brackets, blanks inside braces, one blank between
 * items. */
static size_t group_width(const fr_fgroup *g)
{
    if ((g->block && g->items.len) || g->head.len) {
        return FR_F_WIDE;
    }
    bool padded = g->open->kind == FR_T_LBRACE && g->items.len;
    size_t width = 2 + (padded ? 2u : 0u);
    for (size_t i = 0; i < g->items.len; i++) {
        const fr_fitem *item = &g->items.items[i];
        size_t own = item->is_comment || item->tail.len ? FR_F_WIDE : item->width;
        width = add_width(width, add_width(own, i ? 1 : 0));
    }
    return width;
}

/* ---- Building ---- */

static fr_fgroup *build_group(builder *b, bool block);

/* The author's empty line counts from the end of the token before, comments
 * included. */
static fr_fitem *new_item(builder *b, fr_fgroup *g)
{
    fr_fitem *item = mt_vec_add(b->a, &g->items);
    *item = (fr_fitem){0};
    item->blank_before = b->last && b->t->line > end_line(b->tree, b->last) + 1;
    return item;
}

static bool behind_on_line(const builder *b, const fr_token *t)
{
    return b->last && end_line(b->tree, b->last) == t->line;
}

/* `steps: {` and the bodies of steps, branches and joins always span lines. */
static bool opens_block(const fr_fitem *item)
{
    size_t n = item->nodes.len;
    const fr_token *t = n ? item->nodes.items[n - 1].t : NULL;
    if (t && t->kind == FR_T_COLON && n >= 2) {
        const fr_token *key = item->nodes.items[n - 2].t;
        return key && is_word(key, FR_W_steps);
    }
    if (!t || t->kind != FR_T_WORD) {
        return false;
    }
    return fr_step_of_word(t->sym) != LN_STEP_COUNT || t->sym == FR_W_Branch ||
           t->sym == FR_W_JoinPolicy;
}

/* `source: a.b(c)` without quotes is text: white space in it counts. */
static bool is_bare_source(const builder *b, const fr_fitem *item)
{
    const fr_fnode *colon = node_before(item, item->nodes.len);
    if (!colon || !colon->t || colon->t->kind != FR_T_COLON) {
        return false;
    }
    size_t at = (size_t)(colon - item->nodes.items);
    const fr_fnode *word = node_before(item, at);
    if (!word || !word->t || !is_word(word->t, FR_W_source) ||
        node_before(item, (size_t)(word - item->nodes.items))) {
        return false;
    }
    fr_token_kind next = (fr_token_kind)after(b->t)->kind;
    return b->t->kind == FR_T_WORD && (next == FR_T_DOT || next == FR_T_LPAREN);
}

/* The last token of the chain of names, dots and argument lists that begins at t. */
static const fr_token *bare_source_end(const fr_token *t)
{
    for (;;) {
        const fr_token *next = after(t);
        if (next->kind == FR_T_DOT && after(next)->kind == FR_T_WORD) {
            t = after(next);
        } else if (next->kind == FR_T_LPAREN) {
            for (t = next; t->kind != FR_T_RPAREN && t->kind != FR_T_EOF;) {
                t = after(t);
            }
        } else {
            return t;
        }
    }
}

static fr_fnode take_bare_source(builder *b)
{
    const fr_token *last = bare_source_end(b->t);
    fr_fnode node = {.t = b->t};
    node.end = last->start + (uint32_t)fr_token_len(b->tree->text, last);
    while (b->t < last) {
        advance(b);
    }
    advance(b);
    return node;
}

/* `block` says that this group is the body of a construct, which always has lines of
 * its own. */
static void add_node(builder *b, fr_fitem *item, bool block)
{
    fr_fnode node = {0};
    if (is_bare_source(b, item)) {
        node = take_bare_source(b);
    } else if (is_open(b->t)) {
        node.group =
            build_group(b, block || (b->t->kind == FR_T_LBRACE && opens_block(item)));
    } else {
        node.t = b->t;
        node.role = (uint8_t)token_role(b, item, b->t);
        advance(b);
    }
    mt_vec_push(b->a, &item->nodes, node);
}

static bool is_operand(const fr_fnode *n)
{
    return n->group || (n->role == FR_F_PLAIN &&
                        (n->t->kind == FR_T_WORD || n->t->kind == FR_T_STR));
}

static bool starts_operand(const fr_token *t)
{
    return t->kind == FR_T_WORD || t->kind == FR_T_STR || t->kind == FR_T_LPAREN ||
           t->kind == FR_T_LBRACE;
}

/* Does a new item of the group begin at the solid token `t`? Commas between fields and
 * list elements are optional, so it takes a look. */
static bool begins_item(const fr_fgroup *g, const fr_fitem *item, const fr_token *t)
{
    const fr_fnode *end = &item->nodes.items[item->nodes.len - 1];
    if (end->t && end->t->kind == FR_T_COMMA) {
        return true;
    }
    if (t->kind == FR_T_WORD && after(t)->kind == FR_T_COLON && !binds(item)) {
        return true;
    }
    if (g->open->kind != FR_T_LBRACKET || !is_operand(end) || !starts_operand(t)) {
        return false;
    }
    /* `Branch {`, `f(x)`: a name and what belongs to it. */
    bool belongs = !end->group && end->t->kind == FR_T_WORD && is_open(t);
    return !belongs;
}

/* A comment behind something on its line, at the end of an item. */
static bool take_tail(builder *b, fr_fitem *item, const fr_token *next, bool at_end)
{
    if (!at_end || !behind_on_line(b, b->t) || next->line == b->t->line) {
        return false;
    }
    mt_vec_push(b->a, &item->tail, b->t);
    advance(b);
    return true;
}

static void add_comment_item(builder *b, fr_fgroup *g)
{
    fr_fitem *item = new_item(b, g);
    item->is_comment = true;
    fr_fnode node = {.t = b->t, .role = FR_F_COMMENT};
    mt_vec_push(b->a, &item->nodes, node);
    item->width = FR_F_WIDE;
    advance(b);
}

/* Roles first: widths depend on the blanks, and those on the roles. */
static void close_item(builder *b, fr_fitem *item)
{
    mark_quantifiers(item);
    item->width = item_width(b->tree, item);
}

/* A comment belongs to the item behind it, or to the one before if it stands on its
 * line. */
static void build_items(builder *b, fr_fgroup *g)
{
    fr_fitem *item = NULL;
    while (!is_close(b->t) && !b->failed) {
        const fr_token *next = solid(b->t);
        bool at_end = !item || is_close(next) || begins_item(g, item, next);
        if (b->t->kind == FR_T_COMMENT && at_end) {
            if (item && take_tail(b, item, next, at_end)) {
                continue;
            }
            if (item) {
                close_item(b, item);
                item = NULL;
            }
            add_comment_item(b, g);
            continue;
        }
        if (item && at_end) {
            close_item(b, item);
            item = NULL;
        }
        item = item ? item : new_item(b, g);
        add_node(b, item, false);
    }
    if (item) {
        close_item(b, item);
    }
}

static fr_token_kind closing(const fr_token *open)
{
    return open->kind == FR_T_LBRACE     ? FR_T_RBRACE
           : open->kind == FR_T_LBRACKET ? FR_T_RBRACKET
                                         : FR_T_RPAREN;
}

/* Comments behind the bracket on its line stay there. */
static fr_fgroup *build_group(builder *b, bool block)
{
    fr_fgroup *g = mt_new(b->a, fr_fgroup);
    g->open = b->t;
    g->block = block;
    advance(b);
    if (b->depth == 0) {
        b->failed = true;
        return g;
    }
    while (b->t->kind == FR_T_COMMENT && behind_on_line(b, b->t) &&
           solid(b->t)->line != b->t->line) {
        mt_vec_push(b->a, &g->head, b->t);
        advance(b);
    }
    b->depth--;
    build_items(b, g);
    b->depth++;
    g->close = b->t;
    b->failed = b->failed || b->t->kind != closing(g->open);
    g->width = group_width(g);
    advance(b);
    return g;
}

/* ---- The file ---- */

/* How many solid tokens follow the keyword before the body, if there is one. */
static void build_construct(builder *b, fr_fgroup *file)
{
    fr_fitem *item = new_item(b, file);
    for (int words = 0; !is_close(b->t) && !b->failed;) {
        const fr_token *next = solid(b->t);
        bool starts_next =
            words >= 2 && next->kind == FR_T_WORD && fr_is_construct_word(next->sym) &&
            (after(next)->kind == FR_T_WORD || after(next)->kind == FR_T_STR);
        bool equals = item->nodes.len && item->nodes.items[item->nodes.len - 1].t &&
                      item->nodes.items[item->nodes.len - 1].t->kind == FR_T_EQ;
        if (is_close(next) || (starts_next && !equals)) {
            break;
        }
        bool brace = b->t->kind == FR_T_LBRACE;
        words += b->t->kind == FR_T_WORD || b->t->kind == FR_T_STR;
        add_node(b, item, brace);
        item->has_body = item->has_body || brace;
        if (brace) {
            break;
        }
    }
    while (b->t->kind == FR_T_COMMENT && behind_on_line(b, b->t)) {
        mt_vec_push(b->a, &item->tail, b->t);
        advance(b);
    }
    close_item(b, item);
}

/* Only words and comments stand at the outer level of text that parses. */
static void build_file(builder *b)
{
    fr_fgroup *file = mt_new(b->a, fr_fgroup);
    b->tree->file = file;
    while (b->t->kind != FR_T_EOF && !b->failed) {
        if (b->t->kind == FR_T_COMMENT) {
            add_comment_item(b, file);
        } else if (b->t->kind == FR_T_WORD) {
            build_construct(b, file);
        } else {
            b->failed = true;
        }
    }
}

bool fr_ftree_build(fr_ftree *tree, const fr_tokens *tokens, size_t depth)
{
    builder b = {.tree = tree, .a = tree->a, .t = tokens->items, .depth = depth};
    build_file(&b);
    return !b.failed;
}
