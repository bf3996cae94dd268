/* generate/words.c - see words.h. Nothing here can fail.
 *
 * Spelling is recursive over types, whose nesting the loader has bounded, and each type
 * is spelled once. Lists of names are short; add_once() compares each with all. */
#include "generate/words.h"

#include "base/json_write.h"
#include "contract/flow/text.h"

gn_file_of gn_begin(mt_arena *a, const gn_input *in, const char *const *words,
                    const gn_speller *speller)
{
    return (gn_file_of){.a = a,
                        .in = in,
                        .m = in->model,
                        .names = {.a = a, .words = words},
                        .speller = speller};
}

gn_file gn_end(gn_file_of *f, mt_str name)
{
    mt_buf_free(&f->declarations);
    return (gn_file){name, gn_kept(f->a, &f->out)};
}

mt_str gn_type_name(gn_file_of *f, mt_str path)
{
    return gn_unique(&f->names, gn_camel(f->a, path));
}

mt_str gn_path(gn_file_of *f, mt_str path, mt_str more)
{
    return mt_strf(f->a, "%.*s_%.*s", MT_ARG(path), MT_ARG(more));
}

/* A map borrows its keys, hence the copy in the arena. */
static mt_str key_of(gn_file_of *f, const ct_type *t)
{
    const ct_type **kept = mt_new(f->a, const ct_type *);
    *kept = t;
    return mt_str_from((const char *)kept, sizeof *kept);
}

/* Records and variants are declared by the language;
 * a list is around its element in all of them. */
static mt_str spell_new(gn_file_of *f, const ct_type *t, mt_str path)
{
    const gn_speller *how = f->speller;
    if (ct_held(t) == LN_RECORD) {
        return how->record(f, t, path);
    }
    if (ct_held(t) == LN_VARIANT) {
        return how->variant(f, t, path);
    }
    if (ct_held(t) != LN_LIST) {
        return how->other(f, t, path);
    }
    mt_str item = gn_spell(f, t->as.list.element, gn_path(f, path, MT_STR("item")));
    return mt_strf(f->a, "%s%.*s%s", how->list, MT_ARG(item), how->list_end);
}

/* Entered only after it was spelled: a type cannot contain itself. */
mt_str gn_spell(gn_file_of *f, const ct_type *t, mt_str path)
{
    size_t at = mt_map_get(&f->known, key_of(f, t), 0);
    if (!at) {
        mt_str spelled = spell_new(f, t, path);
        mt_vec_push(f->a, &f->spelled, spelled);
        at = f->spelled.len;
        mt_map_put(f->a, &f->known, key_of(f, t), at);
    }
    return f->spelled.items[at - 1];
}

mt_str gn_quote(gn_file_of *f, mt_str text)
{
    mt_buf b = {0};
    mt_json_quote(&b, text);
    return gn_kept(f->a, &b);
}

mt_str gn_quoted(gn_file_of *f, const mt_str *texts, size_t count, const char *between,
                 const char *none)
{
    mt_buf b = {0};
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(&b, i ? between : "");
        mt_json_quote(&b, texts[i]);
    }
    mt_buf_addz(&b, count ? "" : none);
    return gn_kept(f->a, &b);
}

/* ---- What the contract says ---- */

mt_str gn_about_fact(gn_file_of *f, uint32_t fact)
{
    mt_buf b = {0};
    gn_remark(&b, ct_type_spell(f->a, f->m->facts[fact].type));
    mt_buf_addz(&b, f->m->facts[fact].otherwise ? ", has a default" : "");
    return gn_kept(f->a, &b);
}

mt_str gn_about_rule(gn_file_of *f, uint32_t rule)
{
    const ct_rule *r = &f->m->rules[rule];
    mt_buf text = {0}, b = {0};
    ct_expr_text(&text, f->m, r->when);
    mt_buf_addf(&b, "By rule %.*s, stratum %u, when ", MT_ARG(r->id), r->stratum);
    gn_remark(&b, mt_buf_str(&text));
    mt_buf_free(&text);
    return gn_kept(f->a, &b);
}

mt_str gn_about_operation(gn_file_of *f, uint32_t operation)
{
    const ct_operation *o = &f->m->operations[operation];
    gn_texts personas = gn_operation_personas(f, operation);
    mt_buf text = {0}, b = {0};
    mt_buf_addz(&b, "For ");
    gn_remark(&b, gn_quoted(f, personas.items, personas.len, ", ", "nobody"));
    if (o->precondition) {
        ct_expr_text(&text, f->m, o->precondition);
        mt_buf_addz(&b, "; requires ");
        gn_remark(&b, mt_buf_str(&text));
    }
    mt_buf_free(&text);
    return gn_kept(f->a, &b);
}

mt_str gn_about_flow(gn_file_of *f, uint32_t flow)
{
    gn_texts ends = gn_flow_outcomes(f, flow);
    mt_buf b = {0};
    mt_buf_addz(&b, "Ends as ");
    gn_remark(&b, gn_quoted(f, ends.items, ends.len, ", ", "nothing"));
    return gn_kept(f->a, &b);
}

/* ---- Names ---- */

static void add_once(gn_file_of *f, gn_texts *texts, mt_str text)
{
    for (size_t i = 0; i < texts->len; i++) {
        if (mt_str_eq(texts->items[i], text)) {
            return;
        }
    }
    mt_vec_push(f->a, texts, text);
}

gn_texts gn_operation_personas(gn_file_of *f, uint32_t operation)
{
    const ct_operation *o = &f->m->operations[operation];
    gn_texts out = {0};
    for (uint32_t i = 0; i < o->persona_count; i++) {
        add_once(f, &out, f->m->personas[o->personas[i]].id);
    }
    return out;
}

gn_texts gn_operation_entities(gn_file_of *f, uint32_t operation)
{
    const ct_operation *o = &f->m->operations[operation];
    gn_texts out = {0};
    for (uint32_t i = 0; i < o->effect_count; i++) {
        add_once(f, &out, f->m->entities[o->effects[i].entity].id);
    }
    return out;
}

/* How a handler can end: with its outcome, or,
 * if a compensation fails, as that step says. */
static void add_handler_ends(gn_file_of *f, gn_texts *out, const ct_handler *h)
{
    if (h->outcome.ptr) {
        add_once(f, out, h->outcome);
    }
    for (uint32_t i = 0; i < h->step_count; i++) {
        add_once(f, out, h->steps[i].on_failure);
    }
}

/* Branches of a parallel step end for themselves; where they lead is the step's. */
gn_texts gn_flow_outcomes(gn_file_of *f, uint32_t flow)
{
    const ct_steps *steps = &f->m->flows[flow].steps;
    gn_texts out = {0};
    for (uint32_t i = 0; i < steps->count; i++) {
        const ct_step *s = &steps->items[i];
        for (uint32_t k = 0; k < s->target_count; k++) {
            if (s->targets[k].step == CT_NONE && s->targets[k].outcome.ptr) {
                add_once(f, &out, s->targets[k].outcome);
            }
        }
        add_handler_ends(f, &out, &s->on_failure);
    }
    return out;
}

gn_texts gn_personas(gn_file_of *f)
{
    gn_texts out = {0};
    for (uint32_t i = 0; i < f->m->persona_count; i++) {
        add_once(f, &out, f->m->personas[i].id);
    }
    return out;
}

gn_texts gn_entities(gn_file_of *f)
{
    gn_texts out = {0};
    for (uint32_t i = 0; i < f->m->entity_count; i++) {
        add_once(f, &out, f->m->entities[i].id);
    }
    return out;
}

/* From nodes.def, so a new base type brings its kind along. */
const char *gn_kind_of(const ct_type *t)
{
    static const char *const KINDS[] = {
#define X_BASE(ID, text, HELD, TRAITS, result) [LN_BASE_##ID] = result,
#include "lang/nodes.def"
    };
    MT_TABLE_COVERS(KINDS, LN_BASE_COUNT);
    return KINDS[t->base];
}
