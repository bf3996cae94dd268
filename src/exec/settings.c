/* exec/settings.c - what stands under `executor` in the configuration.
 * Room: exec. Opening reads them and says the first that is wrong; checking says all.
 */
#include "exec/settings.h"

#include "base/form.h"
#include "exec/executor_internal.h"

typedef struct numbers {
    int64_t answer_days, clock_skew_ms, eval_ms, eval_steps, flow_turn,
        trigger_attempts, trigger_pause_ms;
    int refusals;  /* ex_refusals */
    int decisions; /* ex_decisions */
} numbers;

static const char *const REFUSALS[] = {[EX_REFUSALS_REASONS] = "reasons",
                                       [EX_REFUSALS_ALL] = "all",
                                       [EX_REFUSALS_NONE] = "none",
                                       NULL};
MT_TABLE_COVERS(REFUSALS, EX_REFUSALS_NONE + 2);

static const char *const DECISIONS[] = {[EX_DECISIONS_ALL] = "all",
                                        [EX_DECISIONS_DENIED] = "denied",
                                        [EX_DECISIONS_NONE] = "none",
                                        NULL};
MT_TABLE_COVERS(DECISIONS, EX_DECISIONS_NONE + 2);

static const numbers USUAL = {
    .answer_days = 7,
    .clock_skew_ms = 1000,
    .eval_ms = 0, /* as the limits say */
    .eval_steps = 0,
    .flow_turn = 256,
    .trigger_attempts = 8,
    .trigger_pause_ms = 500,
};

static const mt_form_row ROWS[] = {
    MT_FORM_INT(numbers, answer_days, "answer_days", 1, 3660, 0),
    MT_FORM_INT(numbers, clock_skew_ms, "clock_skew_ms", 1, 86400000, 0),
    MT_FORM_CHOICE(numbers, decisions, "decisions", DECISIONS, 0),
    MT_FORM_INT(numbers, eval_ms, "eval_ms", 1, 600000, 0),
    MT_FORM_INT(numbers, eval_steps, "eval_steps", 1, 4000000000, 0),
    MT_FORM_INT(numbers, flow_turn, "flow_turn", 1, 100000, 0),
    MT_FORM_CHOICE(numbers, refusals, "refusals", REFUSALS, 0),
    MT_FORM_INT(numbers, trigger_attempts, "trigger_attempts", 1, 1000, 0),
    MT_FORM_INT(numbers, trigger_pause_ms, "trigger_pause_ms", 1, 60000, 0),
};

typedef struct told {
    mt_arena arena;
    ex_config_fault *fault;
    void *state;
    size_t count;
} told;

static int64_t most_of(mt_str key)
{
    size_t i = 0;
    while (!mt_str_eq(key, mt_str_z(ROWS[i].key))) {
        i++;
    }
    return ROWS[i].most;
}

/* Every other setting is a whole number with a least of 1; the sentence has the most.
 */
static void tell(void *state, const mt_form_fault *f)
{
    told *t = state;
    mt_str reason = f->said; /* of `executor` itself */
    if (f->wrong == MT_FORM_UNKNOWN_KEY) {
        reason = mt_strf(&t->arena, "there is no such setting%s%.*s",
                         f->hint.len ? "; " : "", MT_ARG(f->hint));
    } else if (mt_str_is(f->key, "refusals")) {
        reason = MT_STR("it is `reasons`, `all` or `none`");
    } else if (mt_str_is(f->key, "decisions")) {
        reason = MT_STR("it is `all`, `denied` or `none`");
    } else if (f->key.len) {
        reason = mt_strf(&t->arena, "it is a whole number from 1 to %lld",
                         (long long)most_of(f->key));
    }
    t->count++;
    t->fault(t->state, f->path, f->offset, reason);
}

/* Usual values first: what is not given, or wrong, stays usual. */
static size_t read_all(const mt_json *settings, numbers *out, ex_config_fault *fault,
                       void *state)
{
    const mt_json *all = mt_json_at(settings, "executor");
    told t = {.fault = fault, .state = state};
    mt_form form = {.arena = &t.arena,
                    .path = MT_STR("executor"),
                    .what = "`executor`",
                    .report = tell,
                    .state = &t};
    *out = USUAL;
    if (all) {
        (void)mt_form_read(&form, all, ROWS, mt_form_count(ROWS), out);
    }
    mt_arena_free(&t.arena);
    return t.count;
}

size_t ex_numbers_check(const mt_json *settings, ex_config_fault *fault, void *state)
{
    numbers ignored;
    return read_all(settings, &ignored, fault, state);
}

void ex_say_first(void *why, mt_str key, size_t offset, mt_str reason)
{
    (void)offset;
    mt_buf *text = why;
    if (!text->len) {
        mt_buf_addf(text, "%.*s: %.*s", MT_ARG(key), MT_ARG(reason));
    }
}

mt_err ex_numbers_read(ex_executor *x, const ex_executor_options *o, mt_buf *why)
{
    numbers n;
    if (read_all(o->settings, &n, ex_say_first, why)) {
        return MT_E_REJECTED;
    }
    x->answer_days = (unsigned)n.answer_days;
    x->clock_skew_ms = (unsigned)n.clock_skew_ms;
    x->flow_turn = (unsigned)n.flow_turn;
    x->refusals = (ex_refusals)n.refusals;
    x->decisions = (ex_decisions)n.decisions;
    x->trigger_attempts = (unsigned)n.trigger_attempts;
    x->trigger_pause_ms = (unsigned)n.trigger_pause_ms;
    /* An option wins over the file. */
    if (n.eval_ms && x->limits.eval_ms == MT_LIMITS_DEFAULT.eval_ms) {
        x->limits.eval_ms = (size_t)n.eval_ms;
    }
    if (n.eval_steps && x->limits.eval_steps == MT_LIMITS_DEFAULT.eval_steps) {
        x->limits.eval_steps = (size_t)n.eval_steps;
    }
    return MT_OK;
}
