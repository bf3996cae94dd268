/* exec/commit/distinct_rules.c - which personas are to be different people, as the
 * configuration says: `distinct: {escrow: [[requester, approver]]}`.
 * Room: exec. Rules are read when opening, and whether they separate anybody is judged
 * against the contracts that are served: when opening in the log, by `--check-config`
 * as a fault. What keeps somebody from acting is distinct.c. */
#include "base/vec.h"
#include "exec/commit/distinct.h"
#include "exec/machine.h"
#include "exec/settings.h"

typedef struct rules {
    mt_arena *a;
    ex_config_fault *fault;
    void *state;
    size_t wrong;
    MT_VEC(ex_distinct) list;
} rules;

static void tell(rules *r, mt_str contract, const mt_json *at)
{
    r->wrong++;
    r->fault(r->state, mt_strf(r->a, "distinct.%.*s", MT_ARG(contract)),
             at ? at->offset : EX_NO_PLACE,
             MT_STR("it is a list of personas, or a list of such lists, each with two "
                    "or more different names"));
}

/* Two names at least, none twice: a rule about one persona would keep nobody apart. */
static bool is_set(const mt_json *list)
{
    bool good = mt_json_is(list, MT_JSON_ARRAY) && list->count >= 2;
    for (uint32_t i = 0; good && i < list->count; i++) {
        good = mt_json_is(&list->as.items[i], MT_JSON_STRING) &&
               mt_json_text(&list->as.items[i]).len > 0;
        for (uint32_t k = 0; good && k < i; k++) {
            good = !mt_str_eq(mt_json_text(&list->as.items[i]),
                              mt_json_text(&list->as.items[k]));
        }
    }
    return good;
}

static void add_set(rules *r, mt_str contract, const mt_json *list)
{
    if (!is_set(list)) {
        tell(r, contract, list);
        return;
    }
    mt_str *names = mt_new_array(r->a, mt_str, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        names[i] = mt_str_dup(r->a, mt_json_text(&list->as.items[i]));
    }
    ex_distinct one = {mt_str_dup(r->a, contract), names, list->count};
    mt_vec_push(r->a, &r->list, one);
}

/* One list of names, or a list of such lists: the first item says which. */
static void add_contract(rules *r, mt_str contract, const mt_json *sets)
{
    bool nested = mt_json_is(sets, MT_JSON_ARRAY) && sets->count &&
                  mt_json_is(&sets->as.items[0], MT_JSON_ARRAY);
    for (uint32_t i = 0; nested && i < sets->count; i++) {
        add_set(r, contract, &sets->as.items[i]);
    }
    if (!nested) {
        add_set(r, contract, sets);
    }
}

size_t ex_distinct_read(mt_arena *a, const mt_json *settings, ex_config_fault *fault,
                        void *state, const ex_distinct **out, size_t *count)
{
    const mt_json *all = mt_json_at(settings, "distinct");
    rules r = {.a = a, .fault = fault, .state = state};
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        add_contract(&r, all->as.members[i].key, &all->as.members[i].value);
    }
    *out = r.list.items;
    *count = r.list.len;
    return r.wrong;
}

static void judge_persona(const ex_rule_judge *j, const ex_distinct *d, mt_str persona,
                          const ct_model *m)
{
    mt_str near = ct_model_nearest(m, CT_KIND_PERSONA, persona);
    if (ct_model_find(m, CT_KIND_PERSONA, persona) == CT_NONE) {
        j->told(j->state, d->contract,
                mt_strf(j->arena, "the contract has no persona '%.*s'%s%.*s%s",
                        MT_ARG(persona), near.len ? " (did you mean '" : "",
                        MT_ARG(near), near.len ? "'?)" : ""));
    } else if (ex_personas_cover(j->auto_personas, j->auto_persona_count, d->contract,
                                 persona)) {
        j->told(j->state, d->contract,
                mt_strf(j->arena,
                        "'%.*s' is one of auto_personas, which act for nobody",
                        MT_ARG(persona)));
    }
}

void ex_distinct_judge(const ex_rule_judge *j, const ex_distinct *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ct_model *m = j->model_of(j->state, all[i].contract);
        for (size_t k = 0; m && k < all[i].count; k++) {
            judge_persona(j, &all[i], all[i].personas[k], m);
        }
        if (!m) {
            j->told(j->state, all[i].contract,
                    MT_STR("there is no contract of this name"));
        }
    }
}

static const ct_model *served_model(void *state, mt_str contract)
{
    const ex_version *v = ex_current(state, contract);
    return v ? v->model : NULL;
}

static void warn(void *state, mt_str contract, mt_str what)
{
    ex_log(state, 2, "distinct_unknown",
           "distinct.%.*s: %.*s, so nobody is kept apart by it", MT_ARG(contract),
           MT_ARG(what));
}

void ex_distinct_warn(ex_executor *x)
{
    mt_arena a = {0};
    ex_rule_judge j = {.arena = &a,
                       .model_of = served_model,
                       .told = warn,
                       .state = x,
                       .auto_personas = x->auto_personas,
                       .auto_persona_count = x->auto_persona_count};
    ex_distinct_judge(&j, x->distinct, x->distinct_count);
    mt_arena_free(&a);
}
