/* lsp/hints.c - what stands between the words, and what goes into parentheses.
 *
 * Hints tell what only the checked tree knows: inferred types, the type in which two
 * numbers are compared, strata. Signatures are a table. */
#include "contract/front/types.h"
#include "lsp/server.h"

/* ---- hints between the words ---- */

/* c->asked has the lines that are shown. */
static void write_hint(ls_call *c, const ls_text *t, size_t offset, mt_str label)
{
    if (offset < c->asked.from || offset > c->asked.to) {
        return;
    }
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
    c->asked = (ls_range){0, SIZE_MAX};
    (void)ls_read_range(c->s, &c->doc->lines, mt_json_at(c->params, "range"),
                        &c->asked);
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

/* The parenthesis that is open at the offset; text.len: none is. */
static size_t open_before(mt_str text, size_t offset)
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
    return depth < 0 && text.ptr[offset] == '(' ? offset : text.len;
}

static mt_str word_before(mt_str text, size_t offset)
{
    size_t from = offset;
    while (from && (text.ptr[from - 1] == '_' || (text.ptr[from - 1] | 32) >= 'a') &&
           (text.ptr[from - 1] | 32) <= 'z') {
        from--;
    }
    return mt_str_from(text.ptr + from, offset - from);
}

/* The end of the part that begins at `at`: a comma or the bracket that closes. */
static size_t part_end(mt_str text, size_t at, size_t end)
{
    for (int depth = 0; at < end; at++) {
        char ch = text.ptr[at];
        depth += ch == '(' || ch == '[' || ch == '{';
        depth -= ch == ')' || ch == ']' || ch == '}';
        if (depth < 0 || (!depth && ch == ',')) {
            break;
        }
    }
    return at;
}

/* Is it `name: …` with the name that the label's part has? */
static bool is_part(mt_str label, mt_str written)
{
    size_t colon = mt_str_find(label, ':');
    mt_str said = mt_str_trim(written, MT_STR(" \n"));
    return colon < label.len && said.len > colon &&
           mt_str_starts(said, mt_str_from(label.ptr, colon + 1));
}

/* The parameters of the label, and which of them is written at the cursor: the one
 * that is named, else the one whose turn it is. */
static int64_t write_parameters(ls_call *c, mt_str label, size_t open)
{
    mt_str text = c->doc->lines.text, written = {0};
    int64_t turn = 0, active = -1, n = 0;
    for (size_t at = open + 1; at <= c->offset; turn++) {
        size_t end = part_end(text, at, text.len);
        written = mt_str_from(text.ptr + at, end - at);
        if (end >= c->offset) {
            break;
        }
        at = end + 1;
    }
    mt_jw_keyz(c->w, "parameters");
    mt_jw_begin_array(c->w);
    for (size_t at = mt_str_find(label, '(') + 1; at < label.len; n++) {
        size_t end = part_end(label, at, label.len);
        mt_str part = mt_str_trim(mt_str_from(label.ptr + at, end - at), MT_STR(" "));
        active = is_part(part, written) ? n : active;
        mt_jw_begin_object(c->w);
        mt_jw_key_str(c->w, "label", part);
        mt_jw_end_object(c->w);
        at = end + 1;
    }
    mt_jw_end_array(c->w);
    return active >= 0 ? active : turn < n ? turn : n ? n - 1 : 0;
}

void ls_signature(ls_call *c)
{
    mt_str text = c->doc->lines.text;
    size_t open = open_before(text, c->offset);
    mt_str word = open < text.len ? word_before(text, open) : (mt_str){0};
    for (size_t i = 0; i < sizeof SIGNATURES / sizeof *SIGNATURES; i++) {
        if (mt_str_eq(word, mt_str_z(SIGNATURES[i].word))) {
            mt_jw_begin_unsorted(c->w);
            mt_jw_keyz(c->w, "signatures");
            mt_jw_begin_array(c->w);
            mt_jw_begin_object(c->w);
            mt_jw_key_str(c->w, "documentation", mt_str_z(SIGNATURES[i].help));
            mt_jw_key_str(c->w, "label", mt_str_z(SIGNATURES[i].label));
            int64_t active = write_parameters(c, mt_str_z(SIGNATURES[i].label), open);
            mt_jw_end_object(c->w);
            mt_jw_end_array(c->w);
            mt_jw_key_i64(c->w, "activeParameter", active);
            mt_jw_key_i64(c->w, "activeSignature", 0);
            mt_jw_end_object(c->w);
            return;
        }
    }
}
