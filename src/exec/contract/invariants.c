/* exec/contract/invariants.c - promises, read and judged.
 * Room: exec. */
#include "exec/contract/invariants.h"

#include <pthread.h>

#include "base/form.h"
#include "base/vec.h"

typedef struct held {
    const mt_json *invariants;
} held;
static const mt_form_row LIST =
    MT_FORM_TEXTS(held, invariants, "invariants", 0, EX_MOST_INVARIANTS, 0);

mt_err ex_promises_add(mt_arena *a, const mt_json *list, ex_promises *to, mt_buf *why)
{
    if (!list) {
        return MT_OK;
    }
    mt_json_member member = {MT_STR_INIT("invariants"), *list};
    mt_json object = {.type = MT_JSON_OBJECT, .count = 1, .as.members = &member};
    mt_form form = {.arena = a, .report = mt_form_join, .state = why};
    held h = {0};
    if (!mt_form_field(&form, &object, &LIST, &h)) {
        return MT_E_TYPE;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        an_invariant one = {.question = mt_json_text(&list->as.items[i])};
        mt_vec_push(a, to, one);
    }
    return MT_OK;
}

mt_err ex_promises_of(mt_arena *a, const mt_json *settings, mt_str contract,
                      ex_promises *to, mt_buf *why)
{
    const mt_json *all = mt_json_at(settings, "invariants");
    return ex_promises_add(a, mt_json_get(all, contract), to, why);
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

size_t ex_promises_judge(mt_arena *a, const ct_program *program,
                         const mt_limits *limits, ex_promises *p)
{
    mt_diags ds = {.arena = a};
    an_union all;
    p->unmet = 0;
    if (!p->len) {
        return 0;
    }
    if (an_union_of(a, program, &ds, &all)) {
        for (size_t i = 0; i < p->len; i++) {
            p->items[i].reply =
                (an_reply){.kind = AN_REPLY_FAULT, .text = ds.items[0].message};
        }
        return p->unmet = p->len;
    }
    pthread_mutex_lock(&one_at_a_time);
    an_asker *q = an_asker_new(&all, limits);
    p->unmet = an_invariants_ask(q, a, p->items, p->len);
    an_asker_free(q);
    pthread_mutex_unlock(&one_at_a_time);
    return p->unmet;
}

bool ex_question_ask(mt_arena *a, const ct_program *program, const mt_limits *limits,
                     mt_str question, an_reply *out)
{
    mt_diags ds = {.arena = a};
    an_union all;
    if (pthread_mutex_trylock(&one_at_a_time)) {
        return false;
    }
    if (an_union_of(a, program, &ds, &all)) {
        *out = (an_reply){.kind = AN_REPLY_FAULT, .text = ds.items[0].message};
    } else {
        an_asker *q = an_asker_new(&all, limits);
        *out = an_ask(q, a, question);
        an_asker_free(q);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return true;
}

void ex_promises_text(mt_buf *out, const ex_promises *p)
{
    size_t i = 0;
    while (p->items[i].reply.kind == AN_REPLY_YES) {
        i++;
    }
    an_invariant_text(out, &p->items[i]);
}

void ex_promises_json(mt_jw *w, const ex_promises *p)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < p->len; i++) {
        if (p->items[i].reply.kind != AN_REPLY_YES) {
            an_invariant_json(w, &p->items[i]);
        }
    }
    mt_jw_end_array(w);
}
