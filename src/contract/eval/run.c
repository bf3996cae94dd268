/* contract/eval/run.c - runs the code of a program.
 *
 * The loop touches no name, hashes nothing and allocates nothing; texts are made only
 * when it stops with a fault. What walks no list and no long text is not counted: it
 * costs nothing, and there is no more of it than the contract is long.
 *
 * Every quantifier and every long comparison is charged before it begins, for all it
 * may do. Steps are taken from the budget (ct_patience) in slices, and at each slice
 * but the first the caller is asked whether it is late. So an evaluation ends in time,
 * whatever the facts are, and a short one never looks at a clock.
 *
 * `read` and `work` are the same when rules are evaluated. When a condition is asked
 * about frozen verdicts, `read` is the snapshot and `work` the caller's scratch, so
 * many threads may ask about one snapshot.
 *
 * What may fail: overflow, an index outside a list, another variant, an absent verdict
 * (MT_E_OVERFLOW, MT_E_RANGE, MT_E_TYPE), the budget (MT_E_LIMIT) and the deadline
 * (MT_E_TIMEOUT); the fault names the rule. Verdicts already made stay in `v` and mean
 * nothing then. */
#include "contract/eval/arith.h"

#include <stdlib.h>

#include "base/limits.h"

ct_verdicts *ct_verdicts_new(const ct_program *p)
{
    size_t rules = p->model->rule_count + 1;
    ct_verdicts *v = mt_xmalloc(sizeof *v);
    *v = (ct_verdicts){.program = p,
                       .present = mt_xmalloc(p->present_words * sizeof *v->present),
                       .payload = mt_xmalloc(rules * sizeof *v->payload),
                       .used = mt_xmalloc(rules * sizeof *v->used),
                       .order = mt_xmalloc(p->order_room * sizeof *v->order),
                       .store = mt_xmalloc(rules * sizeof *v->store),
                       .bases = mt_xmalloc(p->bases * sizeof *v->bases),
                       .left = mt_xmalloc(p->bases * sizeof *v->left),
                       .temps = mt_xmalloc(p->temps * sizeof *v->temps),
                       .seen = mt_xmalloc(p->seen_words * sizeof *v->seen)};
    memset(v->present, 0, p->present_words * sizeof *v->present);
    memset(v->order, 0, p->order_room * sizeof *v->order);
    ct_verdicts_limit(v, (ct_patience){.steps = MT_LIMITS_DEFAULT.eval_steps});
    return v;
}

void ct_verdicts_free(ct_verdicts *v)
{
    if (!v) {
        return;
    }
    free(v->present);
    free(v->payload);
    free(v->used);
    free(v->order);
    free(v->store);
    free(v->bases);
    free(v->left);
    free(v->temps);
    free(v->seen);
    free(v);
}

/* ---- Faults ---- */

/* The rule whose code holds the instruction; empty in a condition. */
static mt_str rule_at(const ct_program *p, const ct_insn *pc)
{
    uint32_t at = (uint32_t)(pc - p->code);
    for (uint32_t lo = 0, hi = at < p->rules_end ? p->model->rule_count : 0; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (at < p->rules[mid].start) {
            hi = mid;
        } else if (at >= p->rules[mid].end) {
            lo = mid + 1;
        } else {
            return p->model->rules[mid].id;
        }
    }
    return MT_STR("");
}

static mt_err stop(const ct_program *p, const ct_insn *pc, ct_fault *fault,
                   ct_fault_kind kind, mt_err err, mt_str message)
{
    *fault = (ct_fault){.kind = kind, .rule = rule_at(p, pc), .message = message};
    return err;
}

static mt_err overflow(const ct_program *p, const ct_insn *pc, const ct_value *a,
                       const ct_value *b, mt_arena *errors, ct_fault *fault)
{
    mt_str why = ct_arith_text(errors, p->types[pc->extra], pc, a, b);
    return stop(p, pc, fault, CT_FAULT_OVERFLOW, MT_E_OVERFLOW,
                mt_strf(errors, "numeric overflow: %.*s", MT_ARG(why)));
}

static mt_err out_of_list(const ct_program *p, const ct_insn *pc, int64_t index,
                          uint32_t count, mt_arena *errors, ct_fault *fault)
{
    return stop(p, pc, fault, CT_FAULT_INDEX_RANGE, MT_E_RANGE,
                mt_strf(errors, "index %lld is outside a list of %u elements",
                        (long long)index, count));
}

static mt_err other_tag(const ct_program *p, const ct_insn *pc, uint32_t tag,
                        mt_arena *errors, ct_fault *fault)
{
    const ct_field *variants = p->types[pc->target]->as.variants;
    return stop(p, pc, fault, CT_FAULT_TAG_MISMATCH, MT_E_TYPE,
                mt_strf(errors,
                        "type error: variant '%.*s' accessed, but the tag is '%.*s'",
                        MT_ARG(variants[pc->extra].name), MT_ARG(variants[tag].name)));
}

static mt_err absent(const ct_program *p, const ct_insn *pc, mt_arena *errors,
                     ct_fault *fault)
{
    return stop(p, pc, fault, CT_FAULT_ABSENT_VERDICT, MT_E_TYPE,
                mt_strf(errors, "payload reads verdict '%.*s', which is absent",
                        MT_ARG(p->model->rules[pc->extra].verdict)));
}

/* ---- Patience ---- */

/* Steps are taken from the budget in slices; whether it is late is asked once for each
 * but the first, which every evaluation begins with. */
enum { SLICE = 1 << 14 };

/* Both name their limit, so that a user knows what to raise. */
static mt_err out_of_patience(const ct_program *p, const ct_insn *pc,
                              const ct_patience *patience, ct_fault_kind kind,
                              mt_arena *errors, ct_fault *fault)
{
    return kind == CT_FAULT_DEADLINE
               ? stop(p, pc, fault, kind, MT_E_TIMEOUT,
                      MT_STR("the evaluation takes longer than it may (limit eval_ms)"))
               : stop(p, pc, fault, kind, MT_E_LIMIT,
                      mt_strf(errors,
                              "the evaluation takes more than %llu steps (limit "
                              "eval_steps)",
                              (unsigned long long)patience->steps));
}

/* work->steps_left is below zero: more steps, or the fault there is. */
__attribute__((noinline, cold)) static mt_err
take_steps(const ct_program *p, const ct_insn *pc, const ct_verdicts *read,
           ct_verdicts *work, mt_arena *errors, ct_fault *fault)
{
    const ct_patience *patience = &read->patience;
    uint64_t rest = patience->steps - (uint64_t)read->first_slice - work->steps_taken;
    uint64_t needed = (uint64_t)-work->steps_left;
    if (needed > rest) {
        return out_of_patience(p, pc, patience, CT_FAULT_BUDGET, errors, fault);
    }
    uint64_t slice = needed > SLICE ? needed : rest < SLICE ? rest : SLICE;
    work->steps_taken += slice;
    work->steps_left += (int64_t)slice;
    return patience->late && patience->late(patience->state)
               ? out_of_patience(p, pc, patience, CT_FAULT_DEADLINE, errors, fault)
               : MT_OK;
}

void ct_verdicts_limit(ct_verdicts *v, ct_patience patience)
{
    v->patience = patience;
    v->first_slice = patience.steps < SLICE ? (int64_t)patience.steps : SLICE;
}

/* ---- The loop ---- */

/* Four at a time: an element costs less than asking whether it is the last. */
static bool any_bool(const ct_value *list, uint32_t at, uint32_t slots, unsigned mask)
{
    const ct_value *v = list->list.items + at;
    uint32_t left = list->list.count;
    for (; left >= 4; left -= 4, v += 4 * (size_t)slots) {
        unsigned hits = mask >> v->boolean | mask >> v[slots].boolean |
                        mask >> v[2 * slots].boolean | mask >> v[3 * slots].boolean;
        if (hits & 1) {
            return true;
        }
    }
    for (; left; left--, v += slots) {
        if ((mask >> v->boolean) & 1) {
            return true;
        }
    }
    return false;
}

static inline bool present_bit(const uint64_t *present, uint32_t rule)
{
    return (present[rule / 64] >> (rule % 64)) & 1;
}

#define A      (bases[pc->a_base] + pc->a)
#define B      (bases[pc->b_base] + pc->b)
#define JUMP() (pc = code + pc->target - 1)
/* Jumps when the order of the operands is one the mask names. */
#define JUMP_ON(order)                                                                 \
    do {                                                                               \
        if ((pc->mask >> ((order) + 1)) & 1) {                                         \
            JUMP();                                                                    \
        }                                                                              \
    } while (0)

/* Pays for what a quantifier or a long comparison is about to do, also if it will stop
 * early: so an element costs nothing more. */
#define CHARGE(steps)                                                                  \
    do {                                                                               \
        work->steps_left -= (int64_t)(steps);                                          \
        if (MT_UNLIKELY(work->steps_left < 0)) {                                       \
            mt_err err = take_steps(p, pc, read, work, errors, fault);                 \
            if (err) {                                                                 \
                return err;                                                            \
            }                                                                          \
        }                                                                              \
    } while (0)

mt_err ct_program_run(const ct_program *p, const ct_insn *pc, const ct_value *facts,
                      const ct_verdicts *read, ct_verdicts *work, bool *holds,
                      mt_arena *errors, ct_fault *fault)
{
    const ct_insn *const code = p->code;
    const ct_value **const bases = work->bases;
    uint64_t *const present = read->present;
    uint64_t mask = 0;
    uint32_t *order = NULL;
    work->steps_left = read->first_slice;
    work->steps_taken = 0;
    bases[CT_AT_FACTS] = facts;
    bases[CT_AT_CONSTANTS] = p->constants;
    bases[CT_AT_TEMPS] = work->temps;
    for (;; pc++) {
        switch ((ct_code)pc->op) {
        case CT_CODE_BOOL:
            if ((pc->mask >> A->boolean) & 1) {
                JUMP();
            }
            break;
        case CT_CODE_INT: {
            int64_t a = A->integer, b = B->integer;
            JUMP_ON((a > b) - (a < b));
            break;
        }
        case CT_CODE_DECIMAL: {
            const mt_decimal *a = &A->decimal, *b = &B->decimal;
            if (MT_LIKELY(!((a->hi | b->hi) | (uint32_t)(a->scale ^ b->scale) |
                            a->negative | b->negative))) {
                JUMP_ON((a->lo > b->lo) - (a->lo < b->lo));
            } else {
                JUMP_ON(mt_decimal_cmp(*a, *b));
            }
            break;
        }
        case CT_CODE_CHOICE: JUMP_ON(A->choice != B->choice); break;
        case CT_CODE_TEXT:
            if (A->text.len == B->text.len) { /* otherwise nothing is compared */
                CHARGE(A->text.len / CT_TEXT_OF_A_STEP);
            }
            JUMP_ON(ct_order(pc, NULL, NULL, A, B));
            break;
        case CT_CODE_TIME:
        case CT_CODE_SECONDS: JUMP_ON(ct_order(pc, NULL, NULL, A, B)); break;
        case CT_CODE_DEEP: {
            const ct_type *const *types = &p->types[pc->extra];
            if (pc->wide) {
                CHARGE(ct_breadth(types[0], A));
            }
            JUMP_ON(ct_order(pc, types[0], types[1], A, B));
            break;
        }
        case CT_CODE_HAVE:
            if ((present[pc->extra] & pc->wide) !=
                ((uint64_t)pc->a | (uint64_t)pc->b << 32)) {
                JUMP();
            }
            break;
        case CT_CODE_JUMP: JUMP(); break;
        case CT_CODE_EACH: {
            const ct_value *list = A;
            bases[pc->base] = list->list.items;
            work->left[pc->base] = list->list.count;
            if (!list->list.count) {
                JUMP();
            } else {
                CHARGE(list->list.count * pc->wide);
            }
            break;
        }
        case CT_CODE_NEXT:
            if (--work->left[pc->base]) {
                bases[pc->base] += pc->extra;
                pc = code + pc->b - 1;
            } else {
                JUMP();
            }
            break;
        case CT_CODE_ALL_BOOL:
            CHARGE(A->list.count * pc->wide);
            if (any_bool(A, pc->b, pc->extra, pc->mask)) {
                JUMP();
            }
            break;
        case CT_CODE_TOUCH: mask |= pc->wide; break;
        case CT_CODE_TOUCH_IN_ORDER: {
            uint64_t bit = (uint64_t)1 << (pc->extra % 64);
            if (!(work->seen[pc->extra / 64] & bit)) {
                work->seen[pc->extra / 64] |= bit;
                order[++order[0]] = pc->extra;
            }
            break;
        }
        case CT_CODE_FORGET:
            mask = 0;
            if (pc->extra) {
                order = work->order +
                        (pc->target == CT_NONE ? p->condition_order : pc->target);
                order[0] = 0;
                memset(work->seen, 0, p->seen_words * sizeof *work->seen);
            }
            break;
        case CT_CODE_PAYLOAD:
            if (!present_bit(present, pc->extra)) {
                JUMP();
            } else {
                bases[pc->base] = read->payload[pc->extra];
            }
            break;
        case CT_CODE_NEED:
            if (!present_bit(present, pc->extra)) {
                return absent(p, pc, errors, fault);
            }
            bases[pc->base] = read->payload[pc->extra];
            break;
        case CT_CODE_VARIANT: {
            const ct_value *u = A;
            if (u->variant.tag != pc->extra) {
                return other_tag(p, pc, u->variant.tag, errors, fault);
            }
            bases[pc->base] = u->variant.payload;
            break;
        }
        case CT_CODE_TAG: work->temps[pc->target].choice = A->variant.tag; break;
        case CT_CODE_LEN: work->temps[pc->target].integer = A->list.count; break;
        case CT_CODE_INDEX: {
            const ct_value *list = A;
            int64_t index = B->integer;
            if (index < 0 || index >= list->list.count) {
                return out_of_list(p, pc, index, list->list.count, errors, fault);
            }
            bases[pc->base] = list->list.items + (size_t)index * pc->extra;
            break;
        }
        case CT_CODE_COPY:
            memcpy(work->temps + pc->target, A, pc->extra * sizeof *work->temps);
            break;
        case CT_CODE_LIST:
            work->temps[pc->target].list.items = A;
            work->temps[pc->target].list.count = pc->extra;
            break;
        case CT_CODE_UNION:
            work->temps[pc->target].variant.payload = A;
            work->temps[pc->target].variant.tag = pc->extra;
            break;
        case CT_CODE_TO_DECIMAL:
        case CT_CODE_ADD_INT:
        case CT_CODE_SUB_INT:
        case CT_CODE_MUL_INT:
        case CT_CODE_ADD_DECIMAL:
        case CT_CODE_SUB_DECIMAL:
        case CT_CODE_MUL_DECIMAL:
        case CT_CODE_MUL_DECIMALS:
        case CT_CODE_ADD_MONEY:
        case CT_CODE_SUB_MONEY:
        case CT_CODE_ADD_DURATION:
        case CT_CODE_SUB_DURATION:
        case CT_CODE_ADD_TIME:
        case CT_CODE_TIME_DIFFERENCE:
        case CT_CODE_FIT_INT:
        case CT_CODE_FIT_DECIMAL:
        case CT_CODE_FIT_TEXT: {
            ct_value out;
            if (ct_arith(p->types[pc->extra], pc, A, B, &out) != MT_OK) {
                return overflow(p, pc, A, B, errors, fault);
            }
            work->temps[pc->target] = out;
            break;
        }
        case CT_CODE_PRODUCE_COPY:
            work->store[pc->extra] = *A;
            work->payload[pc->extra] = &work->store[pc->extra];
            work->used[pc->extra] = mask | pc->wide;
            present[pc->extra / 64] |= (uint64_t)1 << (pc->extra % 64);
            break;
        case CT_CODE_PRODUCE:
            work->payload[pc->extra] = A;
            work->used[pc->extra] = mask | pc->wide;
            present[pc->extra / 64] |= (uint64_t)1 << (pc->extra % 64);
            break;
        case CT_CODE_DONE: return MT_OK;
        case CT_CODE_TRUE:
        case CT_CODE_FALSE:
            work->mask = mask;
            *holds = pc->op == CT_CODE_TRUE;
            return MT_OK;
        default: __builtin_unreachable(); /* no range check per instruction */
        }
    }
}

/* ---- Entry points ---- */

mt_err ct_evaluate(const ct_program *p, const ct_facts *facts, ct_verdicts *v,
                   mt_arena *errors, ct_fault *fault)
{
    for (uint32_t i = 0; i < p->present_words; i++) {
        v->present[i] = 0;
    }
    v->memo = NULL;
    return ct_program_run(p, p->code, facts->values, v, v, NULL, errors, fault);
}

void ct_verdicts_clear(ct_verdicts *v)
{
    memset(v->present, 0, v->program->present_words * sizeof *v->present);
    v->memo = NULL;
}

void ct_verdicts_put(ct_verdicts *v, uint32_t rule, const ct_value *payload)
{
    v->present[rule / 64] |= (uint64_t)1 << (rule % 64);
    v->payload[rule] = payload;
}

bool ct_verdict_present(const ct_verdicts *v, uint32_t rule)
{
    return present_bit(v->present, rule);
}

const ct_value *ct_verdict_payload(const ct_verdicts *v, uint32_t rule)
{
    return present_bit(v->present, rule) ? v->payload[rule] : NULL;
}

/* What came of it when it was evaluated. */
static mt_err tell(const ct_program *p, const ct_piece *piece, const ct_memo *memo,
                   bool *holds, mt_arena *a, ct_used *used, ct_fault *fault)
{
    if (memo->err) {
        *fault = memo->fault;
        return memo->err;
    }
    *holds = memo->holds;
    if (used) {
        *used = ct_piece_used(a, p, piece, memo->mask, memo->order);
    }
    return MT_OK;
}

mt_err ct_holds(const ct_snapshot *s, uint32_t index, ct_verdicts *scratch, bool *holds,
                mt_arena *a, ct_used *used, ct_fault *fault)
{
    const ct_program *p = s->program;
    const ct_piece *piece = &p->conditions[index];
    /* What ct_holds_expr() asks about is a condition of another program. */
    bool ours = s->verdicts->memo && s->verdicts->program == p;
    if (ours && s->verdicts->memo[index].known) {
        return tell(p, piece, &s->verdicts->memo[index], holds, a, used, fault);
    }
    mt_err err = ct_program_run(p, p->code + piece->start, s->facts->values,
                                s->verdicts, scratch, holds, a, fault);
    if (err == MT_OK && used) {
        *used = ct_piece_used(a, p, piece, scratch->mask,
                              scratch->order + p->condition_order);
    }
    return err;
}

mt_err ct_holds_expr(const ct_snapshot *s, const ct_expr *predicate, bool *holds,
                     mt_arena *a, ct_used *used, ct_fault *fault)
{
    const ct_program *p = ct_compile_one(a, s->program, predicate);
    ct_verdicts *scratch = ct_verdicts_new(p);
    ct_snapshot part = {p, s->facts, s->verdicts};
    mt_err err = ct_holds(&part, 0, scratch, holds, a, used, fault);
    ct_verdicts_free(scratch);
    return err;
}
