/* lsp/hover.c - what a name is, told where it stands.
 *
 * A hover says what kind of thing the name means, shows its declaration as it was
 * written, adds what only the checked tree knows (types, strata, who uses it), and
 * explains the codes of the faults that are told at the place. */
#include "contract/front/types.h"
#include "lsp/server.h"

enum { SHOWN_LINES = 14, SHOWN_USERS = 8 };

/* ---- the declaration ---- */

static const fr_construct *construct_of(const ls_view *v, const fr_site *site)
{
    return ls_construct_at(v, site->file, site->offset);
}

static void add_source(mt_buf *out, const fr_construct *k)
{
    ls_range r = ls_span_range(k->file, fr_construct_span(k));
    mt_str rest = mt_str_from(k->file->text.ptr + r.from, r.to - r.from);
    mt_buf_addz(out, "```tenor\n");
    for (int n = 0; rest.len && n < SHOWN_LINES; n++) {
        size_t end = mt_str_find(rest, '\n');
        mt_buf_add(out, rest.ptr, end);
        mt_buf_addc(out, '\n');
        rest = mt_str_skip(rest, end + 1);
    }
    mt_buf_addz(out, rest.len ? "…\n```\n" : "```\n");
}

/* ---- what the tree knows ---- */

static void add_type(mt_buf *out, ls_call *c, const fr_unit *u, const fr_type *t)
{
    if (t && t->base < LN_BASE_COUNT) {
        mt_buf_addf(out, "\nType: `%.*s`\n", MT_ARG(fr_type_spell(u, c->a, t)));
    }
}

static void add_rule(mt_buf *out, ls_call *c, const fr_unit *u, const fr_rule *r)
{
    mt_buf_addf(out, "\nStratum %lld", (long long)r->stratum);
    if (r->verdict.sym != FR_W_none && r->verdict.sym != FR_W_empty) {
        mt_buf_addf(out, ", produces `%.*s`", FR_ARG(u, r->verdict.sym));
    }
    mt_buf_addc(out, '\n');
    add_type(out, c, u, r->payload_type);
}

static void add_details(mt_buf *out, ls_call *c, const fr_unit *u,
                        const fr_construct *k)
{
    if (k->broken) {
        return;
    }
    if (k->kind == FR_FACT) {
        add_type(out, c, u, ((const fr_fact *)(const void *)k)->type);
    } else if (k->kind == FR_RULE) {
        add_rule(out, c, u, (const fr_rule *)(const void *)k);
    }
}

/* The constructs that name it, each once, in their order. */
static void add_users(mt_buf *out, const ls_view *v, const fr_mention *m)
{
    const fr_construct *last = NULL;
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < v->mention_count; i++) {
        const fr_mention *x = &v->mentions[i];
        if (x->is_definition || x->definition.offset != m->definition.offset ||
            !mt_str_eq(x->definition.file, m->definition.file)) {
            continue;
        }
        const fr_construct *k = construct_of(v, &x->at);
        if (!k || k == last) {
            continue;
        }
        last = k;
        if (shown++ < SHOWN_USERS) {
            mt_buf_addf(out, "%s`%.*s`", shown == 1 ? "\nUsed by " : ", ",
                        FR_ARG(v->e->unit, k->id));
        } else {
            more++;
        }
    }
    if (more) {
        mt_buf_addf(out, " and %zu more", more);
    }
    mt_buf_addz(out, shown ? "\n" : "\nNothing uses it.\n");
}

/* ---- faults at the place ---- */

static bool stands_at(const ls_call *c, const mt_diag *d)
{
    mt_str text = c->doc->lines.text;
    size_t from = ls_place_offset(text, d->line, d->column);
    size_t to = d->end_line ? ls_place_offset(text, d->end_line, d->end_column)
                            : from + d->length;
    return d->line && from <= c->offset && c->offset <= to;
}

static void add_codes(mt_buf *out, ls_call *c, const ls_view *v)
{
    for (size_t i = 0; i < v->contract.ds.len; i++) {
        const mt_diag *d = &v->contract.ds.items[i];
        const ct_code_info *info = ct_code_find(mt_str_z(d->code));
        if (info && mt_str_eq(d->file, c->doc->path) && stands_at(c, d)) {
            mt_buf_addf(out, "%s**%s: %s** (%s)\n\n%s\n", out->len ? "\n---\n" : "",
                        info->code, info->title, info->rule, info->explanation);
        }
    }
}

static void add_name(mt_buf *out, ls_call *c, const ls_view *v, const fr_mention *m)
{
    const fr_construct *k = construct_of(v, &m->definition);
    mt_buf_addf(out, "**%s** `%.*s`\n\n", fr_named_text(m->kind), MT_ARG(m->id));
    if (k && m->kind != FR_NAMED_VARIABLE) {
        add_source(out, k);
        add_details(out, c, v->e->unit, k);
        add_users(out, v, m);
    }
}

void ls_hover(ls_call *c)
{
    ls_view *v = ls_view_checked(c->s, c->doc);
    const fr_mention *m = ls_mention_at(v, c->doc->path, c->offset);
    mt_buf words = {0};
    if (m) {
        add_name(&words, c, v, m);
    }
    add_codes(&words, c, v);
    if (words.len) {
        ls_range r = m ? ls_site_range(&m->at) : (ls_range){0, 0};
        ls_write_markdown(c, mt_buf_str(&words), ls_view_text(v, c->doc->path),
                          m ? &r : NULL);
    }
    mt_buf_free(&words);
}

/* ---- hints between the words ---- */

static void write_hint(ls_call *c, const ls_text *t, size_t offset, mt_str label)
{
    mt_jw_begin_object(c->w);
    mt_jw_key_i64(c->w, "kind", 1);
    mt_jw_key_str(c->w, "label", label);
    mt_jw_key_bool(c->w, "paddingLeft", true);
    mt_jw_keyz(c->w, "position");
    ls_write_position(c->w, c->s, t, offset);
    mt_jw_end_object(c->w);
}

static size_t token_end(const fr_file *f, fr_tok tok)
{
    return ls_span_range(f, (fr_span){tok, tok}).to;
}

/* Where two numbers of different types are compared, the type in which they are. */
static void hint_compare(ls_call *c, const fr_unit *u, const ls_text *t,
                         const fr_file *f, const fr_expr *e)
{
    if (!e) {
        return;
    }
    switch ((fr_expr_kind)e->kind) {
    case FR_X_COMPARE:
        if (e->type && e->type->base < LN_BASE_COUNT) {
            write_hint(
                c, t, ls_span_range(f, fr_expr_span(f, e)).to,
                mt_strf(c->a, "as %.*s", MT_ARG(fr_type_spell(u, c->a, e->type))));
        }
        return;
    case FR_X_VERDICT: {
        const fr_rule *r = fr_find_verdict(u, e->sym);
        if (r) {
            write_hint(c, t, token_end(f, fr_verdict_name(f, e).tok),
                       mt_strf(c->a, "stratum %lld", (long long)r->stratum));
        }
        return;
    }
    case FR_X_AND:
    case FR_X_OR:
        hint_compare(c, u, t, f, e->left);
        hint_compare(c, u, t, f, e->right);
        return;
    case FR_X_NOT: hint_compare(c, u, t, f, e->left); return;
    case FR_X_FORALL:
    case FR_X_EXISTS: hint_compare(c, u, t, f, e->right); return;
    case FR_X_BOOL:
    case FR_X_INT:
    case FR_X_FLOAT:
    case FR_X_STR:
    case FR_X_MONEY:
    case FR_X_DURATION:
    case FR_X_REF:
    case FR_X_FIELD:
    case FR_X_INDEX:
    case FR_X_LEN:
    case FR_X_MUL:
    case FR_X_ADD:
    case FR_X_SUB:
    case FR_X_PRESENT:
    case FR_X_LIST:
    case FR_X_RECORD:
    case FR_X_ENTRY:
    case FR_X_ERROR: return;
    }
}

/* The payload's type where the short form leaves it to be inferred: v(expr). */
static void hint_rule(ls_call *c, const fr_unit *u, const ls_text *t, const fr_rule *r)
{
    const fr_file *f = r->head.file;
    hint_compare(c, u, t, f, r->when);
    bool is_short = r->payload && r->payload_type &&
                    fr_token_at(f, r->verdict.tok + 1)->kind == FR_T_LPAREN;
    if (is_short) {
        write_hint(
            c, t, token_end(f, r->verdict.tok),
            mt_strf(c->a, ": %.*s", MT_ARG(fr_type_spell(u, c->a, r->payload_type))));
    }
}

/* Only of what was checked: types of what has faults are guesses. */
void ls_inlay_hints(ls_call *c)
{
    const ls_view *v = ls_view_of(c->s, c->doc);
    const fr_unit *u = v->e && !v->contract.ds.errors ? v->e->unit : NULL;
    const ls_text *t = ls_view_text(v, c->doc->path);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; u && t && i < u->all.len; i++) {
        const fr_construct *k = u->all.items[i];
        if (k->broken || !mt_str_eq(k->file->path, c->doc->path)) {
            continue;
        }
        if (k->kind == FR_RULE) {
            hint_rule(c, u, t, (const fr_rule *)(const void *)k);
        } else if (k->kind == FR_OPERATION) {
            hint_compare(c, u, t, k->file,
                         ((const fr_operation *)(const void *)k)->precondition);
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- what stands in parentheses ---- */

typedef struct signature {
    const char *word, *label, *help;
} signature;

static const signature SIGNATURES[] = {
    {"Decimal", "Decimal(precision: N, scale: N)",
     "digits in all, digits behind the dot"},
    {"Enum", "Enum(values: [\"a\", \"b\"])", "the values, in quotes"},
    {"Int", "Int(min: N, max: N)", "the least and the largest value"},
    {"List", "List(element_type: T, max: N)", "at most N elements of type T"},
    {"Money", "Money(currency: \"USD\")", "ISO 4217"},
    {"Text", "Text(max_length: N)", "at most N characters"},
    {"Duration", "Duration(unit: \"days\", min: N, max: N)",
     "seconds, minutes, hours or days"},
    {"Terminal", "Terminal(outcome)", "ends the flow with the outcome"},
    {"Terminate", "Terminate(outcome: NAME)", "ends the flow"},
    {"Compensate", "Compensate(steps: [...], then: Terminal(NAME))",
     "undoes what was done, then ends"},
    {"Escalate", "Escalate(to: PERSONA, next: STEP)",
     "hands the flow to somebody else"},
    {"len", "len(list)", "the number of elements"},
    {"verdict_present", "verdict_present(verdict)", "does a rule produce it?"},
};

/* The word before the parenthesis that is open at the offset. */
static mt_str word_before(mt_str text, size_t offset)
{
    int depth = 0;
    while (offset && depth >= 0) {
        char ch = text.ptr[--offset];
        depth += ch == ')' || ch == ']' || ch == '}';
        depth -= ch == '(' || ch == '[' || ch == '{';
        if (ch == '\n' && depth > 0) {
            break;
        }
    }
    if (depth >= 0 || text.ptr[offset] != '(') {
        return (mt_str){0};
    }
    size_t from = offset;
    while (from && (text.ptr[from - 1] == '_' || (text.ptr[from - 1] | 32) >= 'a') &&
           (text.ptr[from - 1] | 32) <= 'z') {
        from--;
    }
    return mt_str_from(text.ptr + from, offset - from);
}

void ls_signature(ls_call *c)
{
    mt_str word = word_before(c->doc->lines.text, c->offset);
    for (size_t i = 0; i < sizeof SIGNATURES / sizeof *SIGNATURES; i++) {
        if (mt_str_eq(word, mt_str_z(SIGNATURES[i].word))) {
            mt_jw_begin_object(c->w);
            mt_jw_key_i64(c->w, "activeSignature", 0);
            mt_jw_keyz(c->w, "signatures");
            mt_jw_begin_array(c->w);
            mt_jw_begin_object(c->w);
            mt_jw_key_str(c->w, "documentation", mt_str_z(SIGNATURES[i].help));
            mt_jw_key_str(c->w, "label", mt_str_z(SIGNATURES[i].label));
            mt_jw_end_object(c->w);
            mt_jw_end_array(c->w);
            mt_jw_end_object(c->w);
            return;
        }
    }
}
