/* generate/c_code.c - the instructions of a program as C.
 *
 * The compiler has decided everything already: which slot is read, where a test leads,
 * what is recorded. Here each instruction becomes a statement; a jump becomes a goto, a
 * register a pointer, and what the interpreter asks of an instruction while running is
 * written out. So both do the same in the same order, and take the same steps of the
 * budget.
 *
 * A rule is a function of its own: the compiler of C puts them together again. A rule
 * works on the struct of verdicts, a condition on the engine's view of it, with frozen
 * verdicts to read and scratch to work in; names of locals are the same for both.
 *
 * Without a `fault` to fill in (the typed call's first try) a fault is only noticed.
 *
 * Names in the text: f facts, K constants, t temporaries, bN register N, nN
 * how many elements it still has to walk, LN the instruction N. INVARIANT:
 * for every instruction the text must do what contract/eval/run.c does; a
 * new one is added in both. Nothing here can fail. */
#include <inttypes.h>

#include "generate/c.h"

/* One rule or condition while its text is written. */
typedef struct piece {
    gn_c *c;
    mt_buf *out;
    const ct_piece *p;
    uint8_t *labels; /* by instruction of the piece, and one behind it */
    uint32_t *bases; /* registers it uses */
    uint32_t base_count;
} piece;

/* ORDER ct_code: those that use `target` as an
 * instruction come first there, but for PAYLOAD. */
static bool jumps(uint8_t op)
{
    return op <= CT_CODE_ALL_BOOL || op == CT_CODE_PAYLOAD;
}

/* ---- Operands ---- */

/* An operand as an lvalue of type ct_value: "f[3]", "b5[0]". */
static mt_str slot(const piece *x, uint16_t base, uint32_t at)
{
    static const char *const NAMES[] = {
        [CT_AT_FACTS] = "f", [CT_AT_CONSTANTS] = "K", [CT_AT_TEMPS] = "t"};
    MT_TABLE_COVERS(NAMES, CT_AT_FIRST_FREE);
    return base < CT_AT_FIRST_FREE ? mt_strf(x->c->a, "%s[%u]", NAMES[base], at)
                                   : mt_strf(x->c->a, "b%u[%u]", base, at);
}

static mt_str slot_a(const piece *x, const ct_insn *in)
{
    return slot(x, in->a_base, in->a);
}

static mt_str slot_b(const piece *x, const ct_insn *in)
{
    return slot(x, in->b_base, in->b);
}

/* ---- Tests ---- */

/* Which orders (-1, 0, 1) a mask has, as a comparison; NULL: all or none. Bit 0 is
 * less, bit 1 equal, bit 2 greater. */
static const char *const COMPARISONS[8] = {
    NULL, "<", "==", "<=", ">", "!=", ">=", NULL};

/* Jumps when `left OP right`. A mask of all or none still evaluates `left`: it may be a
 * call that a compiler would otherwise say is unused. */
static void jump_when(piece *x, const ct_insn *in, const char *left, const char *right)
{
    const char *op = COMPARISONS[in->mask & 7];
    if (op) {
        mt_buf_addf(x->out, "    if (%s %s %s) goto L%u;\n", left, op, right,
                    in->target);
    } else {
        mt_buf_addf(x->out, "    (void)(%s);\n", left);
        if (in->mask & 7) {
            mt_buf_addf(x->out, "    goto L%u;\n", in->target);
        }
    }
}

/* Steps are paid before the work is done, at the same places as in the interpreter, so
 * that both run out at the same place. */
static void charge(piece *x, uint32_t at, const char *steps)
{
    mt_buf_addf(x->out, "    RT_CHARGE(%s, %u);\n", steps, at);
}

/* Everything that is compared by an order: rt_decimals() and
 * ct_order() give -1, 0 or 1. Texts and choices are only ever equal
 * or not, so 0 or 1 does for them. Text is paid for by its length,
 * but only if the lengths are equal: otherwise nothing is compared. */
static void test_ordered(piece *x, uint32_t at, const ct_insn *in)
{
    mt_arena *m = x->c->a;
    mt_str a = slot_a(x, in), b = slot_b(x, in);
    mt_str order;
    if (in->op == CT_CODE_DECIMAL) {
        order = mt_strf(m, "rt_decimals(&%.*s, &%.*s)", MT_ARG(a), MT_ARG(b));
    } else if (in->op == CT_CODE_TEXT) {
        mt_buf_addf(x->out, "    if (%.*s.text.len == %.*s.text.len) {\n    ",
                    MT_ARG(a), MT_ARG(b));
        charge(x, at, mt_strf(m, "%.*s.text.len / CT_TEXT_OF_A_STEP", MT_ARG(a)).ptr);
        mt_buf_addz(x->out, "    }\n");
        order = mt_strf(m, "!mt_str_eq(%.*s.text, %.*s.text)", MT_ARG(a), MT_ARG(b));
    } else if (in->op == CT_CODE_CHOICE) {
        order = mt_strf(m, "(%.*s.choice != %.*s.choice)", MT_ARG(a), MT_ARG(b));
    } else if (in->op == CT_CODE_DEEP) {
        if (in->wide) {
            charge(
                x, at,
                mt_strf(m, "ct_breadth(TYPES[%u], &%.*s)", in->extra, MT_ARG(a)).ptr);
        }
        order = mt_strf(m, "ct_order(CODE + %u, TYPES[%u], TYPES[%u], &%.*s, &%.*s)",
                        at, in->extra, in->extra + 1, MT_ARG(a), MT_ARG(b));
    } else {
        order = mt_strf(m, "ct_order(CODE + %u, 0, 0, &%.*s, &%.*s)", at, MT_ARG(a),
                        MT_ARG(b));
    }
    jump_when(x, in, order.ptr, "0");
}

static void test_int(piece *x, const ct_insn *in)
{
    mt_str a = slot_a(x, in), b = slot_b(x, in);
    jump_when(x, in, mt_strf(x->c->a, "%.*s.integer", MT_ARG(a)).ptr,
              mt_strf(x->c->a, "%.*s.integer", MT_ARG(b)).ptr);
}

/* Bit 0 of the mask is false, bit 1 true; both is a jump, none is nothing. */
static void test_bool(piece *x, const ct_insn *in)
{
    mt_str a = slot_a(x, in);
    if ((in->mask & 3) == 3) {
        mt_buf_addf(x->out, "    goto L%u;\n", in->target);
    } else if (in->mask & 3) {
        mt_buf_addf(x->out, "    if (%s%.*s.boolean) goto L%u;\n",
                    in->mask & 1 ? "!" : "", MT_ARG(a), in->target);
    }
}

/* The verdicts that are wanted have 64 bits, of
 * which `a` is the low half and `b` the high one. */
static void test_present(piece *x, const ct_insn *in)
{
    uint64_t wanted = (uint64_t)in->a | (uint64_t)in->b << 32;
    mt_buf_addf(x->out,
                "    if ((present[%u] & UINT64_C(%" PRIu64 ")) != UINT64_C(%" PRIu64
                ")) goto L%u;\n",
                in->extra, in->wide, wanted, in->target);
}

/* ---- Loops ---- */

/* The whole list is paid for before its first element, `wide` steps each. */
static void each(piece *x, uint32_t at, const ct_insn *in)
{
    mt_str a = slot_a(x, in);
    mt_buf_addf(x->out,
                "    b%u = %.*s.list.items;\n    n%u = %.*s.list.count;\n"
                "    if (!n%u) goto L%u;\n",
                in->base, MT_ARG(a), in->base, MT_ARG(a), in->base, in->target);
    charge(x, at,
           mt_strf(x->c->a, "n%u * UINT64_C(%" PRIu64 ")", in->base, in->wide).ptr);
}

/* `extra` is the number of slots of one element. At the end it jumps: what a quantifier
 * means then, `target` says. */
static void next(piece *x, const ct_insn *in)
{
    mt_buf_addf(x->out,
                "    if (--n%u) {\n        b%u += %u;\n        goto L%u;\n    }\n"
                "    goto L%u;\n",
                in->base, in->base, in->extra, in->b, in->target);
}

static void all_bool(piece *x, uint32_t at, const ct_insn *in)
{
    mt_str a = slot_a(x, in);
    charge(
        x, at,
        mt_strf(x->c->a, "%.*s.list.count * UINT64_C(%" PRIu64 ")", MT_ARG(a), in->wide)
            .ptr);
    mt_buf_addf(x->out, "    if (any_bool(&%.*s, %u, %u, %u)) goto L%u;\n", MT_ARG(a),
                in->b, in->extra, in->mask, in->target);
}

/* ---- What was read ---- */

/* order[0] is the count; each site is recorded where it is read first. */
static void touch_in_order(piece *x, const ct_insn *in)
{
    mt_buf_addf(x->out,
                "    if (!(seen[%u] >> %u & 1)) {\n        seen[%u] |= UINT64_C(1) << "
                "%u;\n        order[++order[0]] = %u;\n    }\n",
                in->extra / 64, in->extra % 64, in->extra / 64, in->extra % 64,
                in->extra);
}

/* A piece that records in order begins anew: rules
 * in a room of their own, conditions all in one. */
static void forget(piece *x, const ct_insn *in)
{
    const ct_program *p = x->c->p;
    if (in->extra) {
        mt_buf_addf(x->out,
                    "    order = orders + %u;\n    order[0] = 0;\n    memset(seen, 0, "
                    "%u * sizeof *seen);\n",
                    in->target == CT_NONE ? p->condition_order : in->target,
                    p->seen_words);
    }
}

/* ---- Terms ---- */

/* PAYLOAD: an absent verdict leads elsewhere. NEED: its absence is a fault. */
static void need_payload(piece *x, uint32_t at, const ct_insn *in)
{
    mt_buf_addf(x->out, "    if (!(present[%u] >> %u & 1)) ", in->extra / 64,
                in->extra % 64);
    if (in->op == CT_CODE_PAYLOAD) {
        mt_buf_addf(x->out, "goto L%u;\n", in->target);
    } else {
        mt_buf_addf(x->out,
                    "return RT_FAULT(absent(&PROGRAM, CODE + %u, errors, fault));\n",
                    at);
    }
    mt_buf_addf(x->out, "    b%u = payload[%u];\n", in->base, in->extra);
}

static void variant(piece *x, uint32_t at, const ct_insn *in)
{
    mt_str a = slot_a(x, in);
    mt_buf_addf(x->out,
                "    if (%.*s.variant.tag != %u) return RT_FAULT(other_tag(&PROGRAM, "
                "CODE + %u, %.*s.variant.tag, errors, fault));\n"
                "    b%u = %.*s.variant.payload;\n",
                MT_ARG(a), in->extra, at, MT_ARG(a), in->base, MT_ARG(a));
}

/* Both ends are tested; the number of elements
 * is compared as it is, unsigned 32 bits in 64. */
static void list_index(piece *x, uint32_t at, const ct_insn *in)
{
    mt_str a = slot_a(x, in), b = slot_b(x, in);
    mt_buf_addf(x->out,
                "    if (%.*s.integer < 0 || %.*s.integer >= %.*s.list.count) return "
                "RT_FAULT(out_of_list(&PROGRAM, CODE + %u, %.*s.integer, "
                "%.*s.list.count, errors, fault));\n"
                "    b%u = %.*s.list.items + (size_t)%.*s.integer * %u;\n",
                MT_ARG(b), MT_ARG(b), MT_ARG(a), at, MT_ARG(b), MT_ARG(a), in->base,
                MT_ARG(a), MT_ARG(b), in->extra);
}

/* The result goes to a value of its own first: it may be one of the operands. */
static void compute(piece *x, uint32_t at, const ct_insn *in)
{
    mt_str a = slot_a(x, in), b = slot_b(x, in);
    mt_buf_addf(x->out,
                "    if (ct_arith(TYPES[%u], CODE + %u, &%.*s, &%.*s, &made)) return "
                "RT_FAULT(overflow(&PROGRAM, CODE + %u, &%.*s, &%.*s, errors, fault));"
                "\n    t[%u] = made;\n",
                in->extra, at, MT_ARG(a), MT_ARG(b), at, MT_ARG(a), MT_ARG(b),
                in->target);
}

/* A list and a union point to where their parts are; only COPY copies. */
static void build(piece *x, const ct_insn *in)
{
    mt_str a = slot_a(x, in);
    if (in->op == CT_CODE_COPY) {
        mt_buf_addf(x->out, "    memcpy(&t[%u], &%.*s, %u * sizeof *t);\n", in->target,
                    MT_ARG(a), in->extra);
    } else if (in->op == CT_CODE_LIST) {
        mt_buf_addf(x->out,
                    "    t[%u].list.items = &%.*s;\n    t[%u].list.count = %u;\n",
                    in->target, MT_ARG(a), in->target, in->extra);
    } else {
        mt_buf_addf(x->out,
                    "    t[%u].variant.payload = &%.*s;\n    t[%u].variant.tag = %u;\n",
                    in->target, MT_ARG(a), in->target, in->extra);
    }
}

/* ---- Ends ---- */

/* A payload that is a temporary is copied, as the next rule uses the same ones; one
 * that is in the facts or constants is pointed at. */
static void produce(piece *x, const ct_insn *in)
{
    mt_str a = slot_a(x, in);
    if (in->op == CT_CODE_PRODUCE_COPY) {
        mt_buf_addf(x->out, "    store[%u] = %.*s;\n    payload[%u] = &store[%u];\n",
                    in->extra, MT_ARG(a), in->extra, in->extra);
    } else {
        mt_buf_addf(x->out, "    payload[%u] = &%.*s;\n", in->extra, MT_ARG(a));
    }
    if (x->p->trace == CT_TRACE_MASK) {
        mt_buf_addf(x->out, "    used[%u] = mask | UINT64_C(%" PRIu64 ");\n", in->extra,
                    in->wide);
    }
    mt_buf_addf(x->out, "    present[%u] |= UINT64_C(1) << %u;\n", in->extra / 64,
                in->extra % 64);
}

/* One instruction, one statement or a few. A
 * switch without default: a new code is a warning. */
static void instruction(piece *x, uint32_t at)
{
    const ct_insn *in = &x->c->p->code[at];
    mt_str a = slot_a(x, in);
    switch ((ct_code)in->op) {
    case CT_CODE_BOOL: test_bool(x, in); break;
    case CT_CODE_INT: test_int(x, in); break;
    case CT_CODE_DECIMAL:
    case CT_CODE_TEXT:
    case CT_CODE_CHOICE:
    case CT_CODE_TIME:
    case CT_CODE_SECONDS:
    case CT_CODE_DEEP: test_ordered(x, at, in); break;
    case CT_CODE_HAVE: test_present(x, in); break;
    case CT_CODE_JUMP: mt_buf_addf(x->out, "    goto L%u;\n", in->target); break;
    case CT_CODE_EACH: each(x, at, in); break;
    case CT_CODE_NEXT: next(x, in); break;
    case CT_CODE_ALL_BOOL: all_bool(x, at, in); break;
    case CT_CODE_TOUCH:
        mt_buf_addf(x->out, "    mask |= UINT64_C(%" PRIu64 ");\n", in->wide);
        break;
    case CT_CODE_TOUCH_IN_ORDER: touch_in_order(x, in); break;
    case CT_CODE_FORGET: forget(x, in); break;
    case CT_CODE_PAYLOAD:
    case CT_CODE_NEED: need_payload(x, at, in); break;
    case CT_CODE_VARIANT: variant(x, at, in); break;
    case CT_CODE_TAG:
        mt_buf_addf(x->out, "    t[%u].choice = %.*s.variant.tag;\n", in->target,
                    MT_ARG(a));
        break;
    case CT_CODE_LEN:
        mt_buf_addf(x->out, "    t[%u].integer = %.*s.list.count;\n", in->target,
                    MT_ARG(a));
        break;
    case CT_CODE_INDEX: list_index(x, at, in); break;
    case CT_CODE_COPY:
    case CT_CODE_LIST:
    case CT_CODE_UNION: build(x, in); break;
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
    case CT_CODE_FIT_TEXT: compute(x, at, in); break;
    case CT_CODE_PRODUCE:
    case CT_CODE_PRODUCE_COPY: produce(x, in); break;
    case CT_CODE_TRUE: mt_buf_addz(x->out, "    RT_ANSWER(true);\n"); break;
    case CT_CODE_FALSE: mt_buf_addz(x->out, "    RT_ANSWER(false);\n"); break;
    case CT_CODE_DONE: break;
    }
}

/* ---- Pieces ---- */

/* Only labels that are jumped to are written, or compilers warn. A test with an empty
 * mask never jumps. One label may stand behind the last instruction. */
static void find_labels(piece *x)
{
    const ct_piece *p = x->p;
    x->labels = mt_new_array(x->c->a, uint8_t, p->end - p->start + 1);
    for (uint32_t i = p->start; i < p->end; i++) {
        const ct_insn *in = &x->c->p->code[i];
        bool test = in->op < CT_CODE_JUMP && in->op != CT_CODE_HAVE;
        if (jumps(in->op) && (!test || in->mask)) {
            x->labels[in->target - p->start] = 1;
        }
        if (in->op == CT_CODE_NEXT) {
            x->labels[in->b - p->start] = 1;
        }
    }
}

static bool sets_register(uint8_t op)
{
    return op == CT_CODE_EACH || op == CT_CODE_PAYLOAD || op == CT_CODE_NEED ||
           op == CT_CODE_VARIANT || op == CT_CODE_INDEX;
}

/* Each register once, and a count beside it where it walks a list. */
static void declare_registers(piece *x)
{
    uint8_t *done = mt_new_array(x->c->a, uint8_t, x->c->p->bases + 1);
    for (uint32_t i = x->p->start; i < x->p->end; i++) {
        const ct_insn *in = &x->c->p->code[i];
        uint8_t want = sets_register(in->op) ? (in->op == CT_CODE_EACH ? 3 : 1) : 0;
        if (want & ~done[in->base] & 1) {
            mt_buf_addf(x->out, "    const ct_value *b%u = f;\n    (void)b%u;\n",
                        in->base, in->base);
        }
        if (want & ~done[in->base] & 2) {
            mt_buf_addf(x->out, "    uint32_t n%u = 0;\n", in->base);
        }
        done[in->base] |= want;
    }
}

/* Locals that the statements may name; most are not used in most pieces. `of` is where
 * the working memory is: "v->" in a rule, "work->" in a condition. */
static void declare_rest(piece *x, const char *of)
{
    mt_buf_addf(x->out,
                "    ct_value *const t = (ct_value *)%stemps;\n"
                "    uint64_t *const seen = %sseen;\n"
                "    uint32_t *const orders = %sorder, *order = orders;\n"
                "    uint64_t mask = 0;\n    ct_value made = {0};\n"
                "    (void)t, (void)seen, (void)order, (void)mask, (void)made, "
                "(void)orders;\n",
                of, of, of);
}

/* One label may stand behind the last statement: a test that leads to the end of the
 * piece. The empty statement after it is there because C wants one. */
static void statements(piece *x)
{
    for (uint32_t i = x->p->start; i < x->p->end; i++) {
        if (x->labels[i - x->p->start]) {
            mt_buf_addf(x->out, "L%u:;\n", i);
        }
        instruction(x, i);
    }
    if (x->labels[x->p->end - x->p->start]) {
        mt_buf_addf(x->out, "L%u:;\n", x->p->end);
    }
}

static piece piece_of(gn_c *c, const ct_piece *p)
{
    piece x = {.c = c, .out = &c->source, .p = p};
    find_labels(&x);
    return x;
}

/* MT_OK at its end, whether the rule has produced or not. */
static void add_rule(gn_c *c, uint32_t i)
{
    piece x = piece_of(c, &c->p->rules[i]);
    mt_buf_addz(&c->source, "\n/* ");
    gn_remark(&c->source, c->m->rules[i].id);
    mt_buf_addf(&c->source,
                " */\nstatic inline mt_err rule_%u(const ct_value *f, %.*s_verdicts "
                "*v, int64_t *steps, mt_arena *errors, ct_fault *fault)\n{\n",
                i, MT_ARG(c->prefix));
    declare_registers(&x);
    declare_rest(&x, "v->");
    mt_buf_addz(&c->source,
                "    uint64_t *const present = v->present, *const used = v->used;\n"
                "    const void **const payload = v->payload;\n"
                "    ct_value *const store = (ct_value *)v->store;\n"
                "    (void)f, (void)steps, (void)errors, (void)fault, (void)used, "
                "(void)store;\n");
    statements(&x);
    mt_buf_addz(&c->source, "    return MT_OK;\n}\n");
}

/* All its ways end with RT_ANSWER, so nothing is returned behind the statements. */
static void add_condition(gn_c *c, uint32_t i)
{
    piece x = piece_of(c, &c->p->conditions[i]);
    mt_buf_addf(&c->source,
                "\nstatic mt_err condition_%u(const ct_value *f, const ct_verdicts "
                "*read, ct_verdicts *work, int64_t *steps, bool *holds, mt_arena "
                "*errors, ct_fault *fault)\n{\n",
                i);
    declare_registers(&x);
    declare_rest(&x, "work->");
    mt_buf_addz(&c->source, "    const uint64_t *const present = read->present;\n"
                            "    const ct_value **const payload = read->payload;\n"
                            "    (void)f, (void)present, (void)payload, (void)steps, "
                            "(void)errors, (void)fault;\n");
    statements(&x);
    mt_buf_addz(&c->source, "}\n");
}

/* In the order of the program, which is by stratum: a rule reads only verdicts of those
 * before. One budget of steps is for all of them. */
static void add_rules(gn_c *c)
{
    for (uint32_t i = 0; i < c->m->rule_count; i++) {
        add_rule(c, i);
    }
    mt_buf_addf(&c->source,
                "\n/* All rules, stratum by stratum. */\nstatic mt_err "
                "rt_rules(const ct_value *f, %.*s_verdicts *v, mt_arena *errors, "
                "ct_fault *fault)\n{\n    int64_t steps = MT_INITIAL_eval_steps;\n    "
                "mt_err err = MT_OK;\n",
                MT_ARG(c->prefix));
    for (uint32_t i = 0; i < c->p->present_words; i++) {
        mt_buf_addf(&c->source, "    v->present[%u] = 0;\n", i);
    }
    for (uint32_t i = 0; i < c->m->rule_count; i++) {
        mt_buf_addf(&c->source,
                    "    if ((err = rule_%u(f, v, &steps, errors, fault))) return "
                    "err;\n",
                    i);
    }
    mt_buf_addz(&c->source, "    (void)f, (void)errors, (void)fault, (void)steps;\n"
                            "    return err;\n}\n");
}

/* Dispatches by where the code of the condition begins. */
static void add_conditions(gn_c *c)
{
    for (uint32_t i = 0; i < c->m->condition_count; i++) {
        add_condition(c, i);
    }
    mt_buf_addz(&c->source,
                "\nstatic mt_err ct_program_run(const ct_program *p, const ct_insn "
                "*pc, const ct_value *facts, const ct_verdicts *read, ct_verdicts "
                "*work, bool *holds, mt_arena *errors, ct_fault *fault)\n{\n"
                "    int64_t steps = MT_INITIAL_eval_steps;\n    switch (pc - "
                "p->code) {\n");
    for (uint32_t i = 0; i < c->m->condition_count; i++) {
        mt_buf_addf(&c->source,
                    "    case %u: return condition_%u(facts, read, work, &steps, "
                    "holds, errors, fault);\n",
                    c->p->conditions[i].start, i);
    }
    mt_buf_addz(&c->source,
                "    default: (void)facts, (void)read, (void)work, (void)steps, "
                "(void)holds, (void)errors, (void)fault; abort();\n    }\n}\n");
}

/* The macros and helpers first. RT_FAULT without a `fault` to
 * fill skips making the message; decimals of one scale that
 * are small and not negative are compared by their low words. */
void gn_c_code(gn_c *c)
{
    mt_buf_addz(
        &c->source,
        "\n#define RT_FAULT(told) (fault ? (told) : MT_E_REJECTED)\n"
        "#define RT_CHARGE(n, at) \\\n    do { \\\n        *steps -= (int64_t)(n); \\\n"
        "        if (*steps < 0) return RT_FAULT(rt_no_steps(CODE + (at), errors, "
        "fault)); \\\n    } while (0)\n"
        "#define RT_ANSWER(yes) \\\n    do { \\\n        work->mask = mask; \\\n"
        "        *holds = (yes); \\\n        return MT_OK; \\\n    } while (0)\n\n"
        "static mt_err rt_no_steps(const ct_insn *pc, mt_arena *errors, ct_fault "
        "*fault)\n{\n    ct_patience patience = {.steps = MT_INITIAL_eval_steps};\n"
        "    return out_of_patience(&PROGRAM, pc, &patience, CT_FAULT_BUDGET, errors, "
        "fault);\n}\n\n"
        "static inline int rt_decimals(const ct_value *x, const ct_value *y)\n{\n"
        "    const mt_decimal *a = &x->decimal, *b = &y->decimal;\n"
        "    if (__builtin_expect(!((a->hi | b->hi) | (uint32_t)(a->scale ^ b->scale) "
        "| a->negative | b->negative), 1)) {\n"
        "        return (a->lo > b->lo) - (a->lo < b->lo);\n    }\n"
        "    return mt_decimal_cmp(*a, *b);\n}\n");
    add_rules(c);
    if (c->plan) {
        add_conditions(c);
    }
}
