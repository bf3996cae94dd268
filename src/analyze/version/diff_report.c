/* analyze/version/diff_report.c - diffs as JSON and as text.
 *
 * JSON has every part with its class, impact and key; text has what a reviewer needs,
 * either construct by construct or class by class, with values as the language writes
 * them (diff_words.h). A baseline is an earlier report: parts are known again by their
 * keys, which hold a digest of both values.
 *
 * What may fail: MT_E_TYPE for a baseline that is not a diff. */
#include "analyze/version/diff_report.h"

#include "analyze/version/diff_words.h"
#include "base/hash.h"
#include "base/map.h"

/* ORDER an_resolution: before the sentence a proof left. */
static const char *const PROOFS[] = {
    [AN_UNRESOLVED] = "not proven",
    [AN_PROVEN_SAFE] = "proven safe",
    [AN_PROVEN_BREAKING] = "proven breaking",
};
MT_TABLE_COVERS(PROOFS, AN_PROVEN_BREAKING + 1);

/* Keys sorted, so equal values have equal digests whoever wrote them. */
static mt_str compact(mt_arena *a, const mt_json *value)
{
    if (!value) {
        return MT_STR("null");
    }
    mt_buf b = {0};
    mt_json_write(&b, value, false);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* What a change is known by in a baseline: "Entity/Order/states/remove@1f…": the
 * digest is that of the values before and after, so a further change is a new one. */
static mt_str diff_key(mt_arena *a, const an_diff_entry *e, const an_diff_field *f,
                       const an_diff_part *p)
{
    mt_sha256 digest = mt_sha256_of_two(compact(a, f->before), compact(a, f->after));
    mt_str hex = mt_sha256_hex(a, digest);
    return mt_strf(a, "%.*s/%.*s/%.*s/%s@%.12s", MT_ARG(e->kind), MT_ARG(e->id),
                   MT_ARG(f->field), p->taxon->change, hex.ptr);
}

/* ---- JSON ---- */

static void key_value(mt_jw *w, mt_str key, const mt_json *value)
{
    mt_jw_key(w, key);
    if (value) {
        mt_jw_json(w, value);
    } else {
        mt_jw_null(w);
    }
}

static void text_or_null(mt_jw *w, const char *text)
{
    if (text) {
        mt_jw_str(w, mt_str_z(text));
    } else {
        mt_jw_null(w);
    }
}

/* `resolution` and `proof` are there only when a proof was tried. */
static void part_json(mt_jw *w, mt_arena *a, const an_diff_entry *e,
                      const an_diff_field *f, const an_diff_part *p)
{
    /* SPARSE: what is open has no `resolution`. */
    static const char *const RESOLUTIONS[] = {
        [AN_PROVEN_SAFE] = "proven_safe",
        [AN_PROVEN_BREAKING] = "proven_breaking",
    };
    MT_TABLE_COVERS(RESOLUTIONS, AN_PROVEN_BREAKING + 1);
    const an_taxon *t = p->taxon;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "action");
    text_or_null(w, t->action);
    mt_jw_key_str(w, "change", mt_str_z(t->change));
    mt_jw_key_str(w, "class", AN_CLASS_NAMES[t->class]);
    mt_jw_keyz(w, "impact");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "in_flight", mt_str_z(t->in_flight));
    mt_jw_key_str(w, "new_flows", mt_str_z(t->new_flows));
    mt_jw_end_object(w);
    mt_jw_key_str(w, "key", diff_key(a, e, f, p));
    mt_jw_keyz(w, "names");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < p->name_count; i++) {
        mt_jw_str(w, p->names[i]);
    }
    mt_jw_end_array(w);
    if (p->proof.len) {
        mt_jw_key_str(w, "proof", p->proof);
    }
    mt_jw_key_str(w, "reason", mt_str_z(t->reason));
    if (p->resolution) {
        mt_jw_key_str(w, "resolution", mt_str_z(RESOLUTIONS[p->resolution]));
    }
    mt_jw_end_object(w);
}

/* A scratch arena per field: values may be large and their text is needed once per
 * part. */
static void field_json(mt_jw *w, const an_diff_entry *e, const an_diff_field *f)
{
    mt_arena scratch = {0};
    mt_jw_begin_object(w);
    key_value(w, MT_STR("after"), f->after);
    key_value(w, MT_STR("before"), f->before);
    mt_jw_keyz(w, "changes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < f->part_count; i++) {
        part_json(w, &scratch, e, f, &f->parts[i]);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "class", AN_CLASS_NAMES[f->class]);
    mt_jw_key_str(w, "field", f->field);
    mt_jw_end_object(w);
    mt_arena_free(&scratch);
}

static void entry_json(mt_jw *w, const an_diff_entry *e)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "class", AN_CLASS_NAMES[e->class]);
    mt_jw_keyz(w, "fields");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < e->field_count; i++) {
        field_json(w, e, &e->fields[i]);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "id", e->id);
    mt_jw_key_str(w, "kind", e->kind);
    mt_jw_end_object(w);
}

/* The entries are in one list; three passes keep each group in its order. */
static void entries_json(mt_jw *w, const an_diff *d, an_diff_change change)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < d->entry_count; i++) {
        if (d->entries[i].change == change) {
            entry_json(w, &d->entries[i]);
        }
    }
    mt_jw_end_array(w);
}

static uint32_t total(const an_diff *d)
{
    uint32_t n = 0;
    for (int i = 0; i < AN_CLASS_COUNT; i++) {
        n += d->counts[i];
    }
    return n;
}

void an_diff_json_members(mt_jw *w, const an_diff *d)
{
    mt_jw_keyz(w, "added");
    entries_json(w, d, AN_ADDED);
    mt_jw_keyz(w, "changed");
    entries_json(w, d, AN_CHANGED);
    mt_jw_key_str(w, "class", AN_CLASS_NAMES[d->class]);
    mt_jw_key_str(w, "new", d->new_id);
    mt_jw_key_str(w, "old", d->old_id);
    mt_jw_key_bool(w, "operator_notice", d->infrastructure);
    mt_jw_key_bool(w, "policy_required", d->policy_required);
    mt_jw_keyz(w, "removed");
    entries_json(w, d, AN_REMOVED);
    mt_jw_keyz(w, "summary");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "breaking_count", d->counts[AN_BREAKING]);
    mt_jw_key_i64(w, "infrastructure_count", d->counts[AN_INFRASTRUCTURE]);
    mt_jw_key_i64(w, "non_breaking_count", d->counts[AN_NON_BREAKING]);
    mt_jw_key_i64(w, "requires_analysis_count", d->counts[AN_REQUIRES_ANALYSIS]);
    mt_jw_key_i64(w, "total_changes", total(d));
    mt_jw_end_object(w);
}

void an_diff_json(mt_jw *w, const an_diff *d)
{
    mt_jw_begin_object(w);
    an_diff_json_members(w, d);
    mt_jw_end_object(w);
}

/* ---- Text ---- */

static const char SIGNS[] = {
    [AN_ADDED] = '+',
    [AN_CHANGED] = '~',
    [AN_REMOVED] = '-',
};
MT_TABLE_COVERS(SIGNS, AN_REMOVED + 1);

static void names_text(mt_buf *out, const an_diff_part *p)
{
    for (uint32_t i = 0; i < p->name_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : " ", MT_ARG(p->names[i]));
    }
}

/* Harmless changes get their reason only: what they mean is nothing. */
static void impact_text(mt_buf *out, const an_taxon *t)
{
    mt_buf_addf(out, "        %s\n", t->reason);
    if (t->class == AN_NON_BREAKING) {
        return;
    }
    mt_buf_addf(out, "        new flows: %s\n        in flight: %s\n", t->new_flows,
                t->in_flight);
    if (t->action) {
        mt_buf_addf(out, "        do: %s\n", t->action);
    }
}

/* Names where the change has some, otherwise both values. What does not fit on the
 * line, and what of a named element changed, has lines of its own. */
static void values_text(mt_buf *out, mt_str kind, const an_diff_field *f,
                        const an_diff_part *p)
{
    static const char INDENT[] = "        ";
    const ln_shape *shape = an_words_shape(kind, f->field);
    bool named = p->name_count, whole = false;
    mt_buf_addf(out, "    %.*s: ", MT_ARG(f->field));
    if (named || !(whole = an_words_change(out, shape, f->before, f->after))) {
        mt_buf_addz(out, p->taxon->change);
        names_text(out, p);
    }
    mt_buf_addf(out, "  [%.*s]\n", MT_ARG(AN_CLASS_NAMES[p->taxon->class]));
    if (named && !strcmp(p->taxon->change, "change")) {
        an_words_elements(out, INDENT, shape, f->before, f->after, p->names,
                          p->name_count);
    } else if (!named && !whole) {
        an_words_parts(out, INDENT, shape, f->before, f->after);
    }
}

static void part_text(mt_buf *out, mt_str kind, const an_diff_field *f,
                      const an_diff_part *p)
{
    values_text(out, kind, f, p);
    impact_text(out, p->taxon);
    if (p->proof.len) {
        mt_buf_addf(out, "        %s: %.*s\n", PROOFS[p->resolution], MT_ARG(p->proof));
    }
}

/* A construct that came or went has one field and one part, made by diff.c. */
static void entry_text(mt_buf *out, const an_diff_entry *e)
{
    mt_buf_addf(out, "%c %.*s %.*s  [%.*s]\n", SIGNS[e->change], MT_ARG(e->kind),
                MT_ARG(e->id), MT_ARG(AN_CLASS_NAMES[e->class]));
    if (e->change != AN_CHANGED) {
        impact_text(out, e->fields[0].parts[0].taxon);
        return;
    }
    for (uint32_t i = 0; i < e->field_count; i++) {
        for (uint32_t k = 0; k < e->fields[i].part_count; k++) {
            part_text(out, e->kind, &e->fields[i], &e->fields[i].parts[k]);
        }
    }
}

void an_diff_summary_text(mt_buf *out, const an_diff *d)
{
    uint32_t n = total(d);
    mt_buf_addf(out,
                "%u change%s: %u breaking, %u requires analysis, %u infrastructure, "
                "%u non-breaking\n",
                n, n == 1 ? "" : "s", d->counts[AN_BREAKING],
                d->counts[AN_REQUIRES_ANALYSIS], d->counts[AN_INFRASTRUCTURE],
                d->counts[AN_NON_BREAKING]);
}

/* §18.3: a policy for breaking changes; operators are told of infrastructure. */
static void decision_text(mt_buf *out, const an_diff *d)
{
    if (d->policy_required) {
        mt_buf_addz(out, "\na migration policy must be declared to deploy this\n");
    }
    if (d->infrastructure) {
        mt_buf_addz(out, "\nthe operator must be told: infrastructure changes\n");
    }
}

void an_diff_text(mt_buf *out, const an_diff *d)
{
    if (!d->entry_count) {
        mt_buf_addz(out, "no differences\n");
        return;
    }
    an_diff_summary_text(out, d);
    mt_buf_addc(out, '\n');
    for (uint32_t i = 0; i < d->entry_count; i++) {
        entry_text(out, &d->entries[i]);
    }
    decision_text(out, d);
}

static void line_text(mt_buf *out, const an_diff_entry *e, const an_diff_field *f,
                      const an_diff_part *p)
{
    mt_buf_addf(out, "  %c %.*s %.*s", SIGNS[e->change], MT_ARG(e->kind),
                MT_ARG(e->id));
    if (e->change == AN_CHANGED) {
        mt_buf_addf(out, " .%.*s", MT_ARG(f->field));
        if (p->name_count) {
            mt_buf_addf(out, " (%s", p->taxon->change);
            names_text(out, p);
            mt_buf_addc(out, ')');
        }
    }
    mt_buf_addf(out, " \xE2\x80\x94 %s", p->taxon->reason);
    if (p->proof.len) {
        mt_buf_addf(out, "; %s: %.*s", PROOFS[p->resolution], MT_ARG(p->proof));
    }
    mt_buf_addc(out, '\n');
}

static void class_text(mt_buf *out, const an_diff *d, an_class class)
{
    if (!d->counts[class]) {
        return;
    }
    mt_buf_addf(out, "\n%.*s:\n", MT_ARG(AN_CLASS_NAMES[class]));
    for (uint32_t i = 0; i < d->entry_count; i++) {
        const an_diff_entry *e = &d->entries[i];
        for (uint32_t f = 0; f < e->field_count; f++) {
            for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
                if (e->fields[f].parts[p].taxon->class == class) {
                    line_text(out, e, &e->fields[f], &e->fields[f].parts[p]);
                }
            }
        }
    }
}

/* From the worst class down, which relies on the order of an_class. */
void an_diff_text_by_class(mt_buf *out, const an_diff *d)
{
    an_diff_summary_text(out, d);
    for (int class = AN_BREAKING; class >= AN_NON_BREAKING; class --) {
        class_text(out, d, (an_class) class);
    }
    decision_text(out, d);
}

/* ---- Baselines ---- */

/* A baseline is a report that was written before; what is missing in it adds
 * nothing. */
static void note_keys(mt_arena *a, mt_map *keys, const mt_json *entries)
{
    for (uint32_t i = 0; mt_json_is(entries, MT_JSON_ARRAY) && i < entries->count;
         i++) {
        const mt_json *fields = mt_json_at(&entries->as.items[i], "fields");
        for (uint32_t f = 0; mt_json_is(fields, MT_JSON_ARRAY) && f < fields->count;
             f++) {
            const mt_json *parts = mt_json_at(&fields->as.items[f], "changes");
            for (uint32_t p = 0; mt_json_is(parts, MT_JSON_ARRAY) && p < parts->count;
                 p++) {
                mt_map_put(a, keys,
                           mt_json_text(mt_json_at(&parts->as.items[p], "key")), 1);
            }
        }
    }
}

/* Breaking parts only: others never fail a build. */
static uint32_t fresh_parts(mt_arena *a, const mt_map *known, const an_diff_entry *e)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < e->field_count; f++) {
        for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
            const an_diff_part *part = &e->fields[f].parts[p];
            n += an_diff_part_breaks(part) &&
                 !mt_map_find(known, diff_key(a, e, &e->fields[f], part));
        }
    }
    return n;
}

/* `changed` is asked for to tell a diff from any other JSON. */
mt_err an_diff_against(mt_arena *a, const an_diff *d, const mt_json *baseline,
                       uint32_t *fresh)
{
    mt_map known = {0};
    const mt_json *changed = mt_json_at(baseline, "changed");
    if (!mt_json_is(changed, MT_JSON_ARRAY)) {
        return MT_E_TYPE;
    }
    note_keys(a, &known, mt_json_at(baseline, "added"));
    note_keys(a, &known, changed);
    note_keys(a, &known, mt_json_at(baseline, "removed"));
    *fresh = 0;
    for (uint32_t i = 0; i < d->entry_count; i++) {
        *fresh += fresh_parts(a, &known, &d->entries[i]);
    }
    return MT_OK;
}
