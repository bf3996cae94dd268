/* analyze/version/migration_contract.c - a diff as a contract that classifies itself.
 *
 * Six facts per change, whose defaults are the diff, and one rule per change that has
 * the taxonomy's pattern: so the contract needs no fact from outside, and a fact given
 * otherwise takes its verdict away. Above the changes, rules per construct and for the
 * bundle take the highest class.
 *
 * The output is source text of the language, in a fixed order and numbered with
 * leading zeros, so it sorts. Disjunctions are balanced: with thousands of changes
 * they would else nest deeper than any reader allows. Values that are long are
 * replaced by their hash; what a string of the language cannot hold becomes '?'.
 *
 * Nothing can fail; whether the text elaborates is for the tests. */
#include "analyze/version/diff_report.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "lang/lang.h"

enum { MAX_VALUE = 2000 }; /* bytes of a value before it is replaced by its hash */

static const char *const CLASS_WORDS[AN_CLASS_COUNT] = {
    [AN_NON_BREAKING] = "non_breaking",
    [AN_INFRASTRUCTURE] = "infrastructure",
    [AN_REQUIRES_ANALYSIS] = "requires_analysis",
    [AN_BREAKING] = "breaking",
};
MT_TABLE_COVERS(CLASS_WORDS, AN_CLASS_COUNT);

/* In byte order, as everything here. */
static const char CHANGES[] =
    "[\"add\", \"base\", \"change\", \"freetext\", \"narrow\", \"path\", \"remove\", "
    "\"remove_in_use\", \"source_id\", \"to_freetext\", \"to_structured\", \"widen\"]";

typedef struct writer {
    mt_buf *out;
    const an_diff *d;
    int digits;
    const char *kinds; /* what can change, as the values of an Enum */
    mt_arena scratch;
    an_class *classes;      /* of change i */
    uint32_t *first_change; /* of entry i; one more at the end */
    uint32_t changes;
} writer;

static int digits_for(const an_diff *d)
{
    uint32_t n = 0;
    int digits = 4;
    for (int i = 0; i < AN_CLASS_COUNT; i++) {
        n += d->counts[i];
    }
    for (uint32_t limit = 10000; n >= limit && limit < 1000000000; limit *= 10) {
        digits++;
    }
    return digits;
}

mt_str an_migration_verdict(mt_arena *a, const an_diff *d, const char *what,
                            uint32_t number, an_class class)
{
    return mt_strf(a, "%s_%0*u_%s", what, digits_for(d), number, CLASS_WORDS[class]);
}

/* ---- Facts ---- */

/* A string of the language: what it cannot hold becomes '?'. */
static void quote(mt_buf *out, mt_str s)
{
    mt_buf_addc(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '"' || c == '\\') {
            mt_buf_addc(out, '\\');
        }
        mt_buf_addc(out, (unsigned char)c < ' ' ? '?' : c);
    }
    mt_buf_addc(out, '"');
}

static void start_fact(writer *w, uint32_t change, const char *part)
{
    mt_buf_addf(w->out, "fact change_%0*u_%s {\n  type:    ", w->digits, change, part);
}

static void end_fact(writer *w, uint32_t change, const char *part, mt_str value)
{
    mt_buf_addf(w->out,
                "\n  source:  \"tenor-diff.change_%0*u.%s\"\n  default: ", w->digits,
                change, part);
    quote(w->out, value);
    mt_buf_addz(w->out, "\n}\n\n");
}

static void text_fact(writer *w, uint32_t change, const char *part, mt_str value)
{
    size_t length = mt_utf8_count(value);
    start_fact(w, change, part);
    mt_buf_addf(w->out, "Text(max_length: %zu)", length ? length : 1);
    end_fact(w, change, part, value);
}

static void enum_fact(writer *w, uint32_t change, const char *part, const char *values,
                      mt_str value)
{
    start_fact(w, change, part);
    mt_buf_addf(w->out, "Enum(values: %s)", values);
    end_fact(w, change, part, value);
}

static mt_str value_text(writer *w, const mt_json *value)
{
    if (!value) {
        return MT_STR("");
    }
    mt_buf b = {0};
    mt_json_write(&b, value, false);
    mt_str text =
        b.len <= MAX_VALUE
            ? mt_str_dup(&w->scratch, mt_buf_str(&b))
            : mt_strf(&w->scratch, "sha256:%s",
                      mt_sha256_hex(&w->scratch, mt_sha256_of(mt_buf_str(&b))).ptr);
    mt_buf_free(&b);
    return text;
}

/* A field the taxonomy does not know has changed, however it has. */
static mt_str change_word(const an_taxon *t)
{
    return t->change[0] ? mt_str_z(t->change) : MT_STR("change");
}

/* The constructs and what is around them, in byte order: ["Bundle", "Entity", ...]. */
static mt_str list_of_kinds(mt_arena *a)
{
    mt_str names[LN_CONSTRUCT_COUNT + 2] = {MT_STR("Bundle"), MT_STR("Manifest")};
    enum { COUNT = sizeof names / sizeof *names };
    for (int k = 0; k < LN_CONSTRUCT_COUNT; k++) {
        names[k + 2] = mt_str_z(LN_CONSTRUCTS[k].name);
    }
    mt_str_sort(names, COUNT);
    mt_str list = MT_STR("[");
    for (int i = 0; i < COUNT; i++) {
        list =
            mt_strf(a, "%.*s%s\"%.*s\"", MT_ARG(list), i ? ", " : "", MT_ARG(names[i]));
    }
    return mt_strf(a, "%.*s]", MT_ARG(list));
}

/* A kind of a later version changes the bundle, whatever else it is. */
static mt_str kind_word(mt_str kind)
{
    bool known =
        ln_construct_named(kind) != LN_CONSTRUCT_COUNT || mt_str_is(kind, "Manifest");
    return known ? kind : MT_STR("Bundle");
}

static void change_facts(writer *w, uint32_t n, const an_diff_entry *e,
                         const an_diff_field *f, const an_diff_part *p)
{
    text_fact(w, n, "after", value_text(w, f->after));
    text_fact(w, n, "before", value_text(w, f->before));
    enum_fact(w, n, "change_type", CHANGES, change_word(p->taxon));
    text_fact(w, n, "construct_id", e->id);
    enum_fact(w, n, "construct_kind", w->kinds, kind_word(e->kind));
    text_fact(w, n, "field", f->field);
    mt_arena_reset(&w->scratch);
}

/* ---- Rules ---- */

static void change_rule(writer *w, uint32_t n, const an_diff_entry *e,
                        const an_diff_field *f, const an_diff_part *p)
{
    mt_buf_addf(w->out,
                "rule classify_change_%0*u {\n  stratum: 0\n"
                "  when: change_%0*u_construct_kind = \"%.*s\"\n"
                "    and change_%0*u_field = ",
                w->digits, n, w->digits, n, MT_ARG(kind_word(e->kind)), w->digits, n);
    quote(w->out, f->field);
    mt_buf_addf(w->out,
                "\n    and change_%0*u_change_type = \"%.*s\"\n"
                "  produce: verdict change_%0*u_%s { payload: Text(max_length: %zu) = ",
                w->digits, n, MT_ARG(change_word(p->taxon)), w->digits, n,
                CLASS_WORDS[p->taxon->class],
                mt_utf8_count(mt_str_z(p->taxon->reason)));
    quote(w->out, mt_str_z(p->taxon->reason));
    mt_buf_addz(w->out, " }\n}\n\n");
}

/* Names of verdicts to ask for. */
typedef struct verdict_list {
    const char *what;
    uint32_t *numbers;
    an_class *classes;
    uint32_t count;
} verdict_list;

static void any_of(writer *w, const verdict_list *l, uint32_t from, uint32_t to)
{
    if (to - from == 1) {
        mt_buf_addf(w->out, "verdict_present(%s_%0*u_%s)", l->what, w->digits,
                    l->numbers[from], CLASS_WORDS[l->classes[from]]);
        return;
    }
    uint32_t middle = from + (to - from) / 2;
    mt_buf_addc(w->out, '(');
    any_of(w, l, from, middle);
    mt_buf_addz(w->out, " or ");
    any_of(w, l, middle, to);
    mt_buf_addc(w->out, ')');
}

static void push(verdict_list *l, uint32_t number, an_class class)
{
    l->numbers[l->count] = number;
    l->classes[l->count++] = class;
}

static verdict_list new_list(writer *w, const char *what, uint32_t room)
{
    return (verdict_list){.what = what,
                          .numbers = mt_new_array(&w->scratch, uint32_t, room),
                          .classes = mt_new_array(&w->scratch, an_class, room)};
}

/* Present when a change of the construct has the class and none has a higher one. */
static void construct_rule(writer *w, uint32_t entry, an_class class)
{
    uint32_t first = w->first_change[entry], end = w->first_change[entry + 1];
    verdict_list same = new_list(w, "change", end - first);
    verdict_list higher = new_list(w, "change", end - first);
    for (uint32_t i = first; i < end; i++) {
        if (w->classes[i] == class) {
            push(&same, i + 1, class);
        } else if (w->classes[i] > class) {
            push(&higher, i + 1, w->classes[i]);
        }
    }
    if (!same.count) {
        return;
    }
    mt_buf_addf(w->out,
                "rule classify_construct_%0*u_%s {\n  stratum: 1\n  when: ", w->digits,
                entry + 1, CLASS_WORDS[class]);
    any_of(w, &same, 0, same.count);
    if (higher.count) {
        mt_buf_addz(w->out, "\n    and not ");
        any_of(w, &higher, 0, higher.count);
    }
    const an_diff_entry *e = &w->d->entries[entry];
    mt_str name = mt_strf(&w->scratch, "%.*s %.*s", MT_ARG(e->kind), MT_ARG(e->id));
    mt_buf_addf(w->out,
                "\n  produce: verdict construct_%0*u_%s { payload: Text(max_length: "
                "%zu) = ",
                w->digits, entry + 1, CLASS_WORDS[class], mt_utf8_count(name));
    quote(w->out, name);
    mt_buf_addz(w->out, " }\n}\n\n");
}

/* What follows for the whole bundle. */
static void bundle_rule(writer *w, const char *name, an_class least, an_class most)
{
    verdict_list l = new_list(w, "change", w->changes);
    for (uint32_t i = 0; i < w->changes; i++) {
        if (w->classes[i] >= least && w->classes[i] <= most) {
            push(&l, i + 1, w->classes[i]);
        }
    }
    if (!l.count) {
        return;
    }
    mt_buf_addf(w->out, "rule %s {\n  stratum: 2\n  when: ", name);
    any_of(w, &l, 0, l.count);
    mt_buf_addf(w->out, "\n  produce: verdict %s { payload: Bool = true }\n}\n\n",
                name);
}

/* ---- The whole ---- */

typedef void per_change(writer *w, uint32_t n, const an_diff_entry *e,
                        const an_diff_field *f, const an_diff_part *p);

static void each_change(writer *w, per_change *what)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->d->entry_count; i++) {
        const an_diff_entry *e = &w->d->entries[i];
        for (uint32_t f = 0; f < e->field_count; f++) {
            for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
                what(w, ++n, e, &e->fields[f], &e->fields[f].parts[p]);
            }
        }
    }
}

static void note_class(writer *w, uint32_t n, const an_diff_entry *e,
                       const an_diff_field *f, const an_diff_part *p)
{
    (void)f;
    w->classes[n - 1] = p->taxon->class;
    w->first_change[e - w->d->entries + 1] = n;
}

void an_migration_contract(mt_buf *out, const an_diff *d)
{
    mt_arena lists = {0};
    writer w = {.out = out,
                .d = d,
                .digits = digits_for(d),
                .kinds = list_of_kinds(&lists).ptr};
    for (int i = 0; i < AN_CLASS_COUNT; i++) {
        w.changes += d->counts[i];
    }
    w.classes = mt_new_array(&lists, an_class, w.changes);
    w.first_change = mt_new_array(&lists, uint32_t, d->entry_count + 1);
    each_change(&w, note_class);
    mt_buf_addf(out,
                "// What changed from one version of a contract to the next, and how "
                "much it may break.\n\n");
    each_change(&w, change_facts);
    mt_buf_addf(out,
                "fact change_count {\n  type:    Int(min: 0, max: %u)\n"
                "  source:  \"tenor-diff.change_count\"\n  default: %u\n}\n\n",
                w.changes, w.changes);
    each_change(&w, change_rule);
    for (uint32_t i = 0; i < d->entry_count; i++) {
        for (int class = AN_BREAKING; class >= AN_NON_BREAKING; class --) {
            construct_rule(&w, i, (an_class) class);
        }
        mt_arena_reset(&w.scratch);
    }
    bundle_rule(&w, "operator_notice", AN_INFRASTRUCTURE, AN_INFRASTRUCTURE);
    bundle_rule(&w, "policy_required", AN_REQUIRES_ANALYSIS, AN_BREAKING);
    out->len -= out->len > 1 && out->ptr[out->len - 2] == '\n'; /* one at the end */
    mt_arena_free(&w.scratch);
    mt_arena_free(&lists);
}
