/* analyze/version/diff.c - matching the constructs of two bundles.
 *
 * Constructs are matched by kind and id. What only one side has is an added or removed
 * construct, with its most severe consequence; what both have is compared field by
 * field (diff_fields.c), and every difference is classified by the taxonomy. Bundle
 * and manifest are compared at the end as the envelope.
 *
 * A field has parts: what was added, removed or changed in it, each with its own
 * class; the class of a field is the highest of its parts. Entries are sorted by kind
 * and id, fields by name, so an_diff_find() may search and reports are the same
 * however the bundles were ordered.
 *
 * It works on interchange, not on models: fields nobody knows are seen as well, and
 * require analysis. Nothing fails; everything lives in the caller's arena and borrows
 * texts from both bundles. */
#include <stdlib.h>

#include "analyze/version/diff_internal.h"
#include "base/form.h"

typedef struct differ {
    mt_arena *a;
    an_diff *d;
    const mt_json *old_bundle, *new_bundle;
    mt_map sources_used; /* by facts of the new bundle */
    MT_VEC(an_diff_entry) entries;
} differ;

/* ---- Parts and fields ---- */

void an_cmp_part(an_cmp *c, const char *change, const an_diff_names *names)
{
    an_diff_part part = {.taxon = an_classify(c->kind, c->field, mt_str_z(change))};
    if (names) {
        part.names = names->items;
        part.name_count = (uint32_t)names->len;
    }
    mt_vec_push(c->a, &c->parts, part);
}

void an_cmp_end_field(an_cmp *c, const mt_json *before, const mt_json *after)
{
    if (!c->parts.len) {
        return;
    }
    an_diff_field f = {.field = c->field,
                       .before = before,
                       .after = after,
                       .parts = c->parts.items,
                       .part_count = (uint32_t)c->parts.len};
    for (uint32_t i = 0; i < f.part_count; i++) {
        an_class class = f.parts[i].taxon->class;
        f.class = class > f.class ? class : f.class;
    }
    mt_vec_push(c->a, &c->fields, f);
    c->parts.items = NULL;
    c->parts.len = c->parts.cap = 0;
}

static int by_field(const void *x, const void *y)
{
    return mt_str_cmp(((const an_diff_field *)x)->field,
                      ((const an_diff_field *)y)->field);
}

/* An entry of what the comparison found, if it found anything. */
static void add_entry(differ *w, an_cmp *c, mt_str id, an_diff_change change)
{
    if (!c->fields.len) {
        return;
    }
    qsort(c->fields.items, c->fields.len, sizeof *c->fields.items, by_field);
    an_diff_entry e = {.kind = c->kind,
                       .id = id,
                       .change = change,
                       .fields = c->fields.items,
                       .field_count = (uint32_t)c->fields.len};
    for (uint32_t i = 0; i < e.field_count; i++) {
        e.class = e.fields[i].class > e.class ? e.fields[i].class : e.class;
    }
    mt_vec_push(w->a, &w->entries, e);
}

/* ---- Constructs ---- */

/* kind and id in one key; a kind has no NUL in it that would make two keys equal,
 * since it is one of a few words or compared with itself. */
static mt_str key_of(mt_arena *a, const mt_json *construct)
{
    mt_str kind = mt_text_at(construct, "kind");
    mt_str id = mt_text_at(construct, "id");
    char *key = mt_alloc(a, kind.len + id.len + 1);
    memcpy(key, kind.ptr ? kind.ptr : "", kind.len);
    key[kind.len] = '\0';
    memcpy(key + kind.len + 1, id.ptr ? id.ptr : "", id.len);
    return mt_str_from(key, kind.len + id.len + 1);
}

static const mt_json *constructs_of(const mt_json *bundle)
{
    const mt_json *list = mt_json_at(bundle, "constructs");
    return mt_json_is(list, MT_JSON_ARRAY) ? list : NULL;
}

static void index_constructs(differ *w, const mt_json *bundle, mt_map *out)
{
    const mt_json *list = constructs_of(bundle);
    mt_map_reserve(w->a, out, list ? list->count : 0);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *c = &list->as.items[i];
        if (c->type == MT_JSON_OBJECT) {
            mt_map_put(w->a, out, key_of(w->a, c), (uintptr_t)c);
        }
    }
}

/* Which sources the facts of the new version refer to. */
static void note_sources(differ *w)
{
    const mt_json *list = constructs_of(w->new_bundle);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *source = mt_json_at(&list->as.items[i], "source");
        mt_str id = mt_text_at(source, "source_id");
        if (id.len) {
            mt_map_put(w->a, &w->sources_used, id, 1);
        }
    }
}

static an_cmp start_cmp(differ *w, mt_str kind, const mt_json *before,
                        const mt_json *after)
{
    return (an_cmp){.a = w->a,
                    .kind = kind,
                    .before = before,
                    .after = after,
                    .old_bundle = w->old_bundle,
                    .new_bundle = w->new_bundle};
}

static void whole_construct(differ *w, const mt_json *before, const mt_json *after)
{
    const mt_json *one = before ? before : after;
    mt_str kind = mt_text_at(one, "kind"), id = mt_text_at(one, "id");
    an_cmp c = start_cmp(w, kind, before, after);
    c.field = MT_STR("id");
    bool used =
        before && mt_str_is(kind, "Source") && mt_map_find(&w->sources_used, id);
    an_cmp_part(&c, after ? "add" : used ? "remove_in_use" : "remove", NULL);
    an_cmp_end_field(&c, before, after);
    add_entry(w, &c, id, after ? AN_ADDED : AN_REMOVED);
}

static void compare_construct(differ *w, const mt_json *before, const mt_json *after)
{
    an_cmp c = start_cmp(w, mt_text_at(after, "kind"), before, after);
    an_cmp_fields(&c);
    add_entry(w, &c, mt_text_at(after, "id"), AN_CHANGED);
    w->d->common++;
}

static void compare_constructs(differ *w)
{
    mt_map old = {0}, now = {0};
    note_sources(w);
    index_constructs(w, w->old_bundle, &old);
    index_constructs(w, w->new_bundle, &now);
    for (uint32_t i = 0; i < now.len; i++) {
        const mt_json *after = (const mt_json *)now.entries[i].value;
        const mt_map_entry *was = mt_map_find(&old, now.entries[i].key);
        if (was) {
            compare_construct(w, (const mt_json *)was->value, after);
        } else {
            whole_construct(w, NULL, after);
        }
    }
    for (uint32_t i = 0; i < old.len; i++) {
        if (!mt_map_find(&now, old.entries[i].key)) {
            whole_construct(w, (const mt_json *)old.entries[i].value, NULL);
        }
    }
}

/* ---- The envelope ---- */

static void compare_version(an_cmp *c, mt_str key)
{
    const mt_json *before = mt_json_get(c->old_bundle, key);
    const mt_json *after = mt_json_get(c->new_bundle, key);
    if (!mt_str_eq(mt_json_text(before), mt_json_text(after))) {
        c->field = key;
        an_cmp_part(c, "change", NULL);
        an_cmp_end_field(c, before, after);
    }
}

static void compare_envelope(differ *w, an_diff_side before, an_diff_side after)
{
    an_cmp c = start_cmp(w, MT_STR("Bundle"), NULL, NULL);
    compare_version(&c, MT_STR("tenor"));
    compare_version(&c, MT_STR("tenor_version"));
    add_entry(w, &c, w->d->new_id, AN_CHANGED);
    an_cmp m = start_cmp(w, MT_STR("Manifest"), NULL, NULL);
    an_cmp_trust(&m, before.manifest, after.manifest);
    add_entry(w, &m, w->d->new_id, AN_CHANGED);
}

/* ---- The whole ---- */

static int by_kind_and_id(const void *x, const void *y)
{
    const an_diff_entry *a = x, *b = y;
    int by_kind = mt_str_cmp(a->kind, b->kind);
    return by_kind ? by_kind : mt_str_cmp(a->id, b->id);
}

bool an_diff_part_breaks(const an_diff_part *p)
{
    return p->taxon->class == AN_BREAKING ||
           (p->taxon->class == AN_REQUIRES_ANALYSIS && p->resolution != AN_PROVEN_SAFE);
}

bool an_diff_entry_breaks(const an_diff_entry *e)
{
    for (uint32_t f = 0; f < e->field_count; f++) {
        for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
            if (an_diff_part_breaks(&e->fields[f].parts[p])) {
                return true;
            }
        }
    }
    return false;
}

void an_diff_decide(an_diff *d)
{
    d->policy_required = false;
    for (uint32_t i = 0; i < d->entry_count; i++) {
        d->policy_required |= an_diff_entry_breaks(&d->entries[i]);
    }
}

static void count_parts(an_diff *d, const an_diff_entry *e)
{
    for (uint32_t f = 0; f < e->field_count; f++) {
        for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
            d->counts[e->fields[f].parts[p].taxon->class]++;
        }
    }
    d->class = e->class > d->class ? e->class : d->class;
}

an_diff *an_diff_bundles(mt_arena *a, an_diff_side before, an_diff_side after)
{
    an_diff *d = mt_new(a, an_diff);
    differ w = {
        .a = a, .d = d, .old_bundle = before.bundle, .new_bundle = after.bundle};
    d->old_id = mt_text_at(before.bundle, "id");
    d->new_id = mt_text_at(after.bundle, "id");
    compare_constructs(&w);
    compare_envelope(&w, before, after);
    d->entries = w.entries.items;
    d->entry_count = (uint32_t)w.entries.len;
    if (d->entry_count > 1) {
        qsort(d->entries, d->entry_count, sizeof *d->entries, by_kind_and_id);
    }
    for (uint32_t i = 0; i < d->entry_count; i++) {
        count_parts(d, &d->entries[i]);
    }
    d->infrastructure = d->counts[AN_INFRASTRUCTURE] > 0;
    an_diff_decide(d);
    return d;
}

const an_diff_entry *an_diff_find(const an_diff *d, mt_str kind, mt_str id)
{
    an_diff_entry key = {.kind = kind, .id = id};
    return d->entry_count ? bsearch(&key, d->entries, d->entry_count,
                                    sizeof *d->entries, by_kind_and_id)
                          : NULL;
}

bool an_diff_related(const an_diff *d)
{
    return d->common || mt_str_eq(d->old_id, d->new_id);
}
