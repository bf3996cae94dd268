/* contract/eval/compile.c - expressions to instructions.
 *
 * Conditions become jumping code: gen(e, yes, no) emits code that goes to label `yes`
 * or `no`, one of which is what follows. Labels are numbers until a piece is complete,
 * then resolve() makes addresses of them. A piece is a rule (condition, payload,
 * PRODUCE) or a condition of an operation or a branch; rules stand in order of strata,
 * so one run over the code from its beginning evaluates them all.
 *
 * Beside the value, provenance is wanted: which facts and verdicts were read. Three
 * ways to record it, chosen per piece before it is compiled (look(), choose()):
 * nothing to record because every reading is certain when the piece comes out true
 * (STATIC), a bit per site (MASK, up to 64), or a list in order of reading (ORDER).
 * The same code is emitted for all, with TOUCH instructions where needed.
 *
 * Constants are folded as far as that cannot fail; what would fail is left to fail
 * when it is run. Tests of several verdicts in a row become one test of a word. A loop
 * whose body is one Bool field becomes one instruction.
 *
 * A record, list or union of terms is put together in temporaries. A rule's payload
 * stays there: the temporaries of later rules and of conditions begin behind it, and
 * earlier rules have run when it is made.
 *
 * Invariants: registers (bases, temps) are used like a stack and their largest number
 * is known at the end; sites of one fact in one piece are one site; add_loop() leaves
 * a row per quantifier for work.c. Compiling cannot fail: the loader has checked
 * types, names and depth. Everything lives in the `keep` arena, and a program is
 * immutable afterwards. */
#include "base/vec.h"
#include "contract/eval/arith.h"

typedef struct operand {
    uint16_t base;
    uint32_t slot;
} operand;

typedef struct label {
    uint32_t at;    /* instruction, CT_NONE until bound */
    uint32_t jumps; /* how many lead here */
} label;

/* What is known about an outcome when a piece has come out true. */
typedef enum known { KNOWN_NOT, KNOWN_TRUE, KNOWN_FALSE } known;

typedef struct compiler {
    mt_arena *keep;
    const ct_model *m;
    MT_VEC(ct_insn) code;
    MT_VEC(ct_value) constants;
    MT_VEC(const ct_type *) constant_types;
    MT_VEC(const ct_type *) types;
    MT_VEC(ct_site) sites;
    MT_VEC(ct_loop) loops_found;
    uint64_t nodes;
    MT_VEC(label) labels;       /* of the piece being compiled */
    MT_VEC(uint16_t) variables; /* registers of the quantifiers around */
    uint32_t bases, temps;      /* in use */
    uint32_t kept; /* the first so many temporaries hold payloads of rules */
    uint32_t most_bases, most_temps; /* ever in use */
    uint32_t order_room, most_sites;
    /* The piece. */
    uint32_t piece_start, first_site, first_loop;
    uint8_t trace;
    bool certain;          /* the code being emitted runs in every case that matters */
    uint32_t loops;        /* quantifiers around */
    uint64_t static_sites; /* CT_TRACE_MASK: sites that need no recording */
    uint32_t barrier;      /* code before this may not be merged with what follows */
    uint32_t absent;       /* label for an absent verdict; CT_NONE: a fault */
    /* CT_TRACE_ORDER: the site of each fact and verdict in the piece, + 1 + first_site,
     * so that older pieces' entries are recognised as such. */
    uint32_t *fact_sites, *verdict_sites;
} compiler;

/* ---- Emitting ---- */

/* Instructions move when the vector grows: use the pointer before the next call. */
static ct_insn *emit(compiler *c, ct_code op)
{
    ct_insn *in = mt_vec_add(c->keep, &c->code);
    *in = (ct_insn){.op = (uint8_t)op};
    return in;
}

static ct_insn *emit_ab(compiler *c, ct_code op, operand a, operand b)
{
    ct_insn *in = emit(c, op);
    in->a_base = a.base;
    in->a = a.slot;
    in->b_base = b.base;
    in->b = b.slot;
    return in;
}

static uint32_t new_label(compiler *c)
{
    mt_vec_push(c->keep, &c->labels, ((label){CT_NONE, 0}));
    return (uint32_t)c->labels.len - 1;
}

static uint32_t here(const compiler *c)
{
    return (uint32_t)c->code.len;
}

static void bind(compiler *c, uint32_t l)
{
    c->labels.items[l].at = here(c);
    if (c->labels.items[l].jumps) {
        c->barrier = here(c);
    }
}

static void jump_to(compiler *c, ct_insn *in, uint32_t l)
{
    in->target = l;
    c->labels.items[l].jumps++;
}

static bool jumps(uint8_t op)
{
    return op <= CT_CODE_ALL_BOOL || op == CT_CODE_PAYLOAD;
}

/* Labels of the finished piece become addresses. */
static void resolve(compiler *c)
{
    for (uint32_t i = c->piece_start; i < here(c); i++) {
        ct_insn *in = &c->code.items[i];
        if (jumps(in->op)) {
            in->target = c->labels.items[in->target].at;
        }
    }
    c->labels.len = 0;
}

static uint16_t new_base(compiler *c)
{
    if (++c->bases > c->most_bases) {
        c->most_bases = c->bases;
    }
    if (c->bases > UINT16_MAX) {
        MT_BUG("more registers than the bundle's depth allows");
    }
    return (uint16_t)(c->bases - 1);
}

static operand new_temps(compiler *c, uint32_t count)
{
    operand first = {CT_AT_TEMPS, c->temps};
    c->temps += count;
    if (c->temps > c->most_temps) {
        c->most_temps = c->temps;
    }
    return first;
}

static operand new_temp(compiler *c)
{
    return new_temps(c, 1);
}

/* A record without fields has no slots; it points at one all the same. */
static operand constant(compiler *c, const ct_value *value, const ct_type *type)
{
    operand o = {CT_AT_CONSTANTS, (uint32_t)c->constants.len};
    for (uint32_t i = 0; i < type->slots || !i; i++) {
        mt_vec_push(c->keep, &c->constants, i < type->slots ? value[i] : (ct_value){0});
        mt_vec_push(c->keep, &c->constant_types, i ? NULL : type);
    }
    return o;
}

static uint32_t add_type(compiler *c, const ct_type *t)
{
    mt_vec_push(c->keep, &c->types, t);
    return (uint32_t)c->types.len - 1;
}

/* ---- Recording what is read ---- */

/* A site in a loop, or one that may be skipped, is recorded; others are static. */
static void touch_in_mask(compiler *c, uint32_t site)
{
    if (c->certain) {
        c->static_sites |= (uint64_t)1 << site;
        return;
    }
    uint32_t at = here(c);
    if (at > c->piece_start && at > c->barrier &&
        c->code.items[at - 1].op == CT_CODE_TOUCH) {
        c->code.items[at - 1].wide |= (uint64_t)1 << site;
        return;
    }
    emit(c, CT_CODE_TOUCH)->wide = (uint64_t)1 << site;
}

/* One site for all places that read the same thing. */
static void touch_in_order(compiler *c, bool is_verdict, uint32_t index)
{
    uint32_t *site = is_verdict ? &c->verdict_sites[index] : &c->fact_sites[index];
    if (*site <= c->first_site) {
        mt_vec_push(c->keep, &c->sites, ((ct_site){is_verdict, index}));
        *site = (uint32_t)c->sites.len;
    }
    emit(c, CT_CODE_TOUCH_IN_ORDER)->extra = *site - 1 - c->first_site;
}

static void touch(compiler *c, bool is_verdict, uint32_t index)
{
    if (c->trace == CT_TRACE_ORDER) {
        touch_in_order(c, is_verdict, index);
        return;
    }
    mt_vec_push(c->keep, &c->sites, ((ct_site){is_verdict, index}));
    if (c->trace == CT_TRACE_MASK) {
        touch_in_mask(c, (uint32_t)c->sites.len - 1 - c->first_site);
    }
}

/* ---- Terms ---- */

static operand term(compiler *c, const ct_expr *e);

/* A verdict that is absent has no payload: where the condition asks, it is false
 * there; in a payload it is a fault. */
static operand gen_payload(compiler *c, const ct_expr *e)
{
    touch(c, true, e->index);
    ct_insn *in = emit(c, c->absent == CT_NONE ? CT_CODE_NEED : CT_CODE_PAYLOAD);
    in->extra = e->index;
    in->base = new_base(c);
    if (c->absent != CT_NONE) {
        jump_to(c, in, c->absent);
    }
    return (operand){in->base, 0};
}

static operand gen_variant(compiler *c, const ct_expr *e)
{
    operand of = term(c, e->left);
    uint16_t base = new_base(c);
    ct_insn *in = emit_ab(c, CT_CODE_VARIANT, of, of);
    in->base = base;
    in->extra = e->index;
    in->target = add_type(c, e->left->type);
    return (operand){base, 0};
}

static operand gen_to_temp(compiler *c, ct_code op, const ct_expr *e)
{
    operand of = term(c, e->left), out = new_temp(c);
    emit_ab(c, op, of, of)->target = out.slot;
    return out;
}

static operand gen_index(compiler *c, const ct_expr *e)
{
    operand list = term(c, e->left), index = term(c, e->right);
    uint16_t base = new_base(c);
    ct_insn *in = emit_ab(c, CT_CODE_INDEX, list, index);
    in->base = base;
    in->extra = e->type->slots;
    return (operand){base, 0};
}

/* An instruction on two operands into a new temporary; constants are folded unless that
 * fails, which is then left to fail at its time. */
static operand gen_arith(compiler *c, ct_code op, const ct_type *t, operand a,
                         operand b, uint64_t wide)
{
    ct_insn in = {.op = (uint8_t)op,
                  .a_base = a.base,
                  .a = a.slot,
                  .b_base = b.base,
                  .b = b.slot,
                  .wide = wide};
    if (a.base == CT_AT_CONSTANTS && b.base == CT_AT_CONSTANTS) {
        ct_value v = {0};
        if (ct_arith(t, &in, &c->constants.items[a.slot], &c->constants.items[b.slot],
                     &v) == MT_OK) {
            return constant(c, &v, t);
        }
    }
    operand out = new_temp(c);
    in.target = out.slot;
    in.extra = add_type(c, t);
    mt_vec_push(c->keep, &c->code, in);
    return out;
}

static operand as_decimal(compiler *c, const ct_type *from, operand o)
{
    return ct_is_int(from)
               ? gen_arith(c, CT_CODE_TO_DECIMAL, &CT_TYPE_ANY_DECIMAL, o, o, 0)
               : o;
}

/* By what the operands are, not by the operator: see ct_arith_plan_of(). */
static operand gen_binary(compiler *c, const ct_expr *e)
{
    ct_arith_plan plan = ct_arith_plan_of(e);
    operand a = term(c, e->left), b = term(c, e->right);
    if (plan.decimal) {
        a = as_decimal(c, e->left->type, a);
        b = as_decimal(c, e->right->type, b);
    }
    return plan.swap ? gen_arith(c, plan.op, e->type, b, a, plan.wide)
                     : gen_arith(c, plan.op, e->type, a, b, plan.wide);
}

/* The payload's own type, or that of a part, may be wider than the declared one. */
static operand gen_fit(compiler *c, const ct_type *to, const ct_type *from, operand o)
{
    ct_code op;
    if (!ct_fit_of(to, from, &op)) {
        return o;
    }
    if (op == CT_CODE_FIT_DECIMAL) {
        o = as_decimal(c, from, o);
    }
    return gen_arith(c, op, to, o, o, 0);
}

static void make_at(compiler *c, const ct_expr *e, operand at);

/* A part where it belongs; one that is made itself is made there. */
static void part_at(compiler *c, const ct_expr *part, operand at)
{
    if (part->op == CT_MAKE) {
        make_at(c, part, at);
        return;
    }
    operand from = term(c, part);
    if (part->type->slots) {
        ct_insn *in = emit_ab(c, CT_CODE_COPY, from, from);
        in->target = at.slot;
        in->extra = part->type->slots;
    }
}

/* A list or union: what it points at stands in temporaries of its own. */
static void point_at(compiler *c, ct_code op, operand parts, uint32_t extra, operand at)
{
    ct_insn *in = emit_ab(c, op, parts, parts);
    in->target = at.slot;
    in->extra = extra;
}

/* The temporaries are taken before the parts are computed, and given back by whoever
 * compiles the whole, so nothing of it is overwritten while it is used. */
static void make_at(compiler *c, const ct_expr *e, operand at)
{
    const ct_type *t = e->type;
    uint32_t count = ct_part_count(e);
    uint32_t step = ct_held(t) == LN_LIST      ? t->as.list.element->slots
                    : ct_held(t) == LN_VARIANT ? t->as.variants[e->index].type->slots
                                               : 0;
    operand parts = ct_held(t) == LN_RECORD ? at : new_temps(c, count * step);
    for (uint32_t i = 0; i < count; i++) {
        operand part = parts;
        part.slot += ct_held(t) == LN_RECORD ? t->as.fields[i].offset : i * step;
        part_at(c, ct_part_of(e, i), part);
    }
    if (ct_held(t) != LN_RECORD) {
        point_at(c, ct_held(t) == LN_LIST ? CT_CODE_LIST : CT_CODE_UNION, parts,
                 ct_held(t) == LN_LIST ? count : e->index, at);
    }
}

static operand gen_make(compiler *c, const ct_expr *e)
{
    operand at = new_temps(c, e->type->slots);
    make_at(c, e, at);
    return at;
}

static operand term(compiler *c, const ct_expr *e)
{
    operand o;
    switch ((ct_op)e->op) {
    case CT_LITERAL: return constant(c, e->value, e->type);
    case CT_FACT:
        touch(c, false, e->index);
        return (operand){CT_AT_FACTS, c->m->facts[e->index].slot};
    case CT_VARIABLE: return (operand){c->variables.items[e->index], 0};
    case CT_PAYLOAD: return gen_payload(c, e);
    case CT_FIELD:
        o = term(c, e->left);
        o.slot += e->left->type->as.fields[e->index].offset;
        return o;
    case CT_VARIANT: return gen_variant(c, e);
    case CT_TAG: return gen_to_temp(c, CT_CODE_TAG, e);
    case CT_AMOUNT: return term(c, e->left);
    case CT_LEN: return gen_to_temp(c, CT_CODE_LEN, e);
    case CT_INDEX: return gen_index(c, e);
    case CT_ADD:
    case CT_SUB:
    case CT_MUL: return gen_binary(c, e);
    case CT_MAKE: return gen_make(c, e);
    case CT_FIT: return gen_fit(c, e->type, e->left->type, term(c, e->left));
    case CT_PARTS:
    case CT_COMPARE:
    case CT_PRESENT:
    case CT_AND:
    case CT_OR:
    case CT_NOT:
    case CT_FORALL:
    case CT_EXISTS: break;
    }
    MT_BUG("a predicate where a term is due");
}

/* ---- Loops ---- */

/* Nodes of an expression; a quantifier inside counts with its list alone, since its
 * body has a loop of its own. */
static uint32_t count_nodes(const ct_expr *e)
{
    bool loop = e->op == CT_FORALL || e->op == CT_EXISTS;
    return 1 + (e->left ? count_nodes(e->left) : 0) +
           (e->right && !loop ? count_nodes(e->right) : 0);
}

static uint32_t fact_slot(operand o)
{
    return o.base == CT_AT_FACTS ? o.slot : CT_NONE;
}

/* A quantifier over `list`, whose body is about to be compiled. */
static uint32_t add_loop(compiler *c, const ct_expr *e, operand list)
{
    size_t max = e->left->type->as.list.max;
    ct_loop l = {.kind = CT_LOOP_LIST,
                 .depth = c->loops + 1,
                 .weight = count_nodes(e->right),
                 .slot = fact_slot(list),
                 .max = max < UINT32_MAX ? (uint32_t)max : UINT32_MAX};
    mt_vec_push(c->keep, &c->loops_found, l);
    return l.weight;
}

/* A comparison that walks both its sides. */
static void add_walk(compiler *c)
{
    ct_loop l = {.kind = CT_LOOP_WHOLE,
                 .depth = c->loops + 1,
                 .weight = 1,
                 .slot = CT_NONE,
                 .max = UINT32_MAX};
    mt_vec_push(c->keep, &c->loops_found, l);
}

/* The most steps that a side of a comparison of texts can take. */
static uint32_t text_steps(const compiler *c, const ct_type *t, operand o)
{
    uint64_t chars = t->as.max_length ? t->as.max_length : UINT32_MAX;
    uint64_t steps = o.base == CT_AT_CONSTANTS
                         ? c->constants.items[o.slot].text.len / CT_TEXT_OF_A_STEP
                     : chars < UINT32_MAX ? chars * 4 / CT_TEXT_OF_A_STEP
                                          : UINT32_MAX;
    return steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
}

/* Texts are compared only if they are equally long, so the shorter one counts. */
static void add_texts(compiler *c, const ct_type *at, operand a, const ct_type *bt,
                      operand b)
{
    uint32_t x = text_steps(c, at, a), y = text_steps(c, bt, b);
    ct_loop l = {.kind = CT_LOOP_TEXT,
                 .depth = c->loops + 1,
                 .weight = 1,
                 .slot = fact_slot(a),
                 .other = fact_slot(b),
                 .max = x < y ? x : y};
    if (l.max) {
        mt_vec_push(c->keep, &c->loops_found, l);
    }
}

/* ---- Predicates ---- */

/* Emits a test that falls through to whichever of the labels `next` is. */
static void branch(compiler *c, ct_insn *in, uint8_t holds, uint8_t all, uint32_t yes,
                   uint32_t no, uint32_t next)
{
    in->mask = next == yes ? (uint8_t)(all & ~holds) : holds;
    jump_to(c, in, next == yes ? no : yes);
}

/* An outcome known when compiling: a jump, or nothing if it falls through. */
static void go(compiler *c, bool outcome, uint32_t yes, uint32_t no, uint32_t next)
{
    uint32_t l = outcome ? yes : no;
    if (l != next) {
        jump_to(c, emit(c, CT_CODE_JUMP), l);
    }
}

/* `x = true`, `x != false` and the like test x itself. */
static bool gen_bool_test(compiler *c, const ct_expr *e, uint32_t yes, uint32_t no,
                          uint32_t next)
{
    const ct_expr *x = e->left, *y = e->right;
    if (x->op == CT_LITERAL) {
        x = e->right;
        y = e->left;
    }
    if (ct_held(x->type) != LN_BOOLEAN || y->op != CT_LITERAL) {
        return false;
    }
    bool wanted = y->value->boolean == (e->compare == CT_EQ);
    if (x->op == CT_LITERAL) {
        go(c, x->value->boolean == wanted, yes, no, next);
        return true;
    }
    operand o = term(c, x);
    branch(c, emit_ab(c, CT_CODE_BOOL, o, o), wanted ? 2 : 1, 3, yes, no, next);
    return true;
}

/* Jumps to `yes` or `no`; `next` is the one that follows, so that no jump is needed
 * for it. */
static void gen_compare(compiler *c, const ct_expr *e, uint32_t yes, uint32_t no,
                        uint32_t next)
{
    const ct_type *at = e->left->type, *bt = e->right->type;
    if (gen_bool_test(c, e, yes, no, next)) {
        return;
    }
    operand a = term(c, e->left), b = term(c, e->right);
    ct_code op = ct_test_of(at, bt);
    if (op == CT_CODE_DECIMAL) {
        a = as_decimal(c, at, a);
        b = as_decimal(c, bt, b);
    }
    ct_insn in = {.op = (uint8_t)op,
                  .a_base = a.base,
                  .a = a.slot,
                  .b_base = b.base,
                  .b = b.slot,
                  .wide = op == CT_CODE_SECONDS ? ct_factors(at, bt, 1) : 0};
    if (a.base == CT_AT_CONSTANTS && b.base == CT_AT_CONSTANTS) {
        const ct_value *k = c->constants.items;
        int order = ct_order(&in, at, bt, &k[a.slot], &k[b.slot]);
        go(c, (CT_COMPARE_HOLDS[e->compare] >> (order + 1)) & 1, yes, no, next);
        return;
    }
    if (op == CT_CODE_DEEP) {
        in.extra = add_type(c, at);
        add_type(c, bt);
        in.wide = ct_type_is_large(at);
    }
    if (op == CT_CODE_DEEP && in.wide) {
        add_walk(c);
    } else if (op == CT_CODE_TEXT) {
        add_texts(c, at, a, bt, b);
    }
    mt_vec_push(c->keep, &c->code, in);
    branch(c, &c->code.items[c->code.len - 1], CT_COMPARE_HOLDS[e->compare], 7, yes, no,
           next);
}

/* verdict_present: one test for several verdicts where they stand in a row. */
static void gen_present(compiler *c, uint32_t rule, uint32_t yes, uint32_t no,
                        uint32_t next)
{
    touch(c, true, rule);
    uint64_t bit = (uint64_t)1 << (rule % 64);
    /* Jump when it is absent (fall through to yes), or when it is present. */
    bool want = next == yes;
    uint32_t target = want ? no : yes;
    uint32_t at = here(c);
    ct_insn *last = at ? &c->code.items[at - 1] : NULL;
    if (at > c->piece_start && at > c->barrier && last->op == CT_CODE_HAVE &&
        last->extra == rule / 64 && last->target == target && !(last->wide & bit)) {
        last->wide |= bit;
    } else {
        last = emit(c, CT_CODE_HAVE);
        last->extra = rule / 64;
        last->wide = bit;
        jump_to(c, last, target);
    }
    /* The wanted bits, 64 of them in a and b. */
    uint64_t wanted = (uint64_t)last->a | (uint64_t)last->b << 32;
    wanted |= want ? bit : 0;
    last->a = (uint32_t)wanted;
    last->b = (uint32_t)(wanted >> 32);
}

static void gen(compiler *c, const ct_expr *e, known outcome, uint32_t yes, uint32_t no,
                uint32_t next);

/* A quantifier whose body is one Bool field of the element. */
static const ct_expr *bool_body(const ct_expr *e, bool *wanted)
{
    const ct_expr *b = e->right;
    if (b->op == CT_COMPARE && ct_held(b->left->type) == LN_BOOLEAN &&
        b->right->op == CT_LITERAL) {
        *wanted = b->right->value->boolean == (b->compare == CT_EQ);
        b = b->left;
    } else {
        *wanted = true;
    }
    for (const ct_expr *x = b; x; x = x->left) {
        if (x->op == CT_VARIABLE && x->index == e->index) {
            return b;
        }
        if (x->op != CT_FIELD) {
            break;
        }
    }
    return NULL;
}

/* One instruction for all elements: their Bools are a column. */
static void gen_bool_loop(compiler *c, const ct_expr *e, const ct_expr *field,
                          bool wanted, uint32_t yes, uint32_t no, uint32_t next)
{
    bool all = e->op == CT_FORALL;
    operand list = term(c, e->left);
    uint32_t offset = 0;
    for (const ct_expr *x = field; x->op == CT_FIELD; x = x->left) {
        offset += x->left->type->as.fields[x->index].offset;
    }
    ct_insn *in = emit(c, CT_CODE_ALL_BOOL);
    in->a_base = list.base;
    in->a = list.slot;
    in->b = offset;
    in->extra = e->left->type->as.list.element->slots;
    in->mask = wanted == all ? 1 : 2; /* what decides against `all`, for `exists` */
    in->wide = add_loop(c, e, list);
    jump_to(c, in, all ? no : yes);
    go(c, all, yes, no, next);
}

/* A body that is one Bool field is a loop of its own instruction, since lists of flags
 * are common. */
static void gen_quantifier(compiler *c, const ct_expr *e, uint32_t yes, uint32_t no,
                           uint32_t next)
{
    bool all = e->op == CT_FORALL, wanted;
    uint32_t bases = c->bases, temps = c->temps;
    const ct_expr *field = bool_body(e, &wanted);
    if (field) {
        gen_bool_loop(c, e, field, wanted, yes, no, next);
        return;
    }
    operand list = term(c, e->left);
    uint16_t base = new_base(c);
    ct_insn *in = emit_ab(c, CT_CODE_EACH, list, list);
    in->base = base;
    in->wide = add_loop(c, e, list);
    uint32_t over = new_label(c), more = new_label(c);
    jump_to(c, in, over);
    uint32_t body = here(c);
    c->barrier = body;
    mt_vec_push(c->keep, &c->variables, base);
    bool certain = c->certain;
    c->certain = false;
    c->loops++;
    gen(c, e->right, KNOWN_NOT, all ? more : yes, all ? no : more, more);
    c->loops--;
    c->certain = certain;
    c->variables.len--;
    bind(c, more);
    in = emit(c, CT_CODE_NEXT);
    in->base = base;
    in->b = body;
    in->extra = e->left->type->as.list.element->slots;
    jump_to(c, in, over);
    bind(c, over);
    c->barrier = here(c);
    go(c, all, yes, no, next);
    c->bases = bases;
    c->temps = temps;
}

/* Bases and temporaries are given back behind each atom: atoms share nothing. */
static void gen_atom(compiler *c, const ct_expr *e, uint32_t yes, uint32_t no,
                     uint32_t next)
{
    uint32_t bases = c->bases, temps = c->temps;
    c->absent = no;
    if (e->op == CT_COMPARE) {
        gen_compare(c, e, yes, no, next);
    } else if (e->op == CT_PRESENT) {
        gen_present(c, e->index, yes, no, next);
    } else if (e->op == CT_FORALL || e->op == CT_EXISTS) {
        gen_quantifier(c, e, yes, no, next);
    } else if (e->op == CT_LITERAL) {
        go(c, e->value->boolean, yes, no, next);
    } else {
        operand o = term(c, e);
        branch(c, emit_ab(c, CT_CODE_BOOL, o, o), 2, 3, yes, no, next);
    }
    c->bases = bases;
    c->temps = temps;
}

/* `x and y`: y runs only if x is true; `or` likewise. `certain` follows: after the
 * piece came out true, a known outcome tells whether the right side was reached. */
static void gen_junction(compiler *c, const ct_expr *e, known outcome, uint32_t yes,
                         uint32_t no, uint32_t next)
{
    bool both = e->op == CT_AND;
    known decisive = both ? KNOWN_TRUE : KNOWN_FALSE;
    known inner = outcome == decisive ? decisive : KNOWN_NOT;
    uint32_t second = new_label(c);
    bool certain = c->certain;
    gen(c, e->left, inner, both ? second : yes, both ? no : second, second);
    bind(c, second);
    c->certain = certain && outcome == decisive;
    gen(c, e->right, inner, yes, no, next);
    c->certain = certain;
}

static void gen(compiler *c, const ct_expr *e, known outcome, uint32_t yes, uint32_t no,
                uint32_t next)
{
    static const known OPPOSITE[] = {
        [KNOWN_NOT] = KNOWN_NOT,
        [KNOWN_TRUE] = KNOWN_FALSE,
        [KNOWN_FALSE] = KNOWN_TRUE,
    };
    MT_TABLE_COVERS(OPPOSITE, KNOWN_FALSE + 1);
    if (e->op == CT_AND || e->op == CT_OR) {
        gen_junction(c, e, outcome, yes, no, next);
    } else if (e->op == CT_NOT) {
        gen(c, e->left, OPPOSITE[outcome], no, yes, next);
    } else {
        gen_atom(c, e, yes, no, next);
    }
}

/* ---- Choosing how to record ---- */

/* What an expression reads, found before it is compiled. */
typedef struct survey {
    size_t sites;
    size_t in_loop;   /* in the bodies of one outermost quantifier, at most */
    bool conditional; /* some site may be skipped though the whole comes out true */
} survey;

/* Counts where facts and verdicts are read, and whether they are read for certain;
 * this chooses how provenance is traced. */
static void look(const ct_expr *e, bool certain, known outcome, bool looping,
                 size_t *here_in_loop, survey *s)
{
    if (!e) {
        return;
    }
    if (e->op == CT_FACT || e->op == CT_PAYLOAD || e->op == CT_PRESENT) {
        s->sites++;
        *here_in_loop += looping;
        s->conditional |= !certain;
        return;
    }
    if (e->op == CT_AND || e->op == CT_OR) {
        known decisive = e->op == CT_AND ? KNOWN_TRUE : KNOWN_FALSE;
        known inner = outcome == decisive ? decisive : KNOWN_NOT;
        look(e->left, certain, inner, looping, here_in_loop, s);
        look(e->right, certain && outcome == decisive, inner, looping, here_in_loop, s);
        return;
    }
    if (e->op == CT_FORALL || e->op == CT_EXISTS) {
        size_t inside = 0;
        look(e->left, certain, KNOWN_NOT, looping, here_in_loop, s);
        look(e->right, false, KNOWN_NOT, true, looping ? here_in_loop : &inside, s);
        s->in_loop = inside > s->in_loop ? inside : s->in_loop;
        return;
    }
    if (e->op == CT_NOT) {
        outcome = outcome == KNOWN_TRUE    ? KNOWN_FALSE
                  : outcome == KNOWN_FALSE ? KNOWN_TRUE
                                           : KNOWN_NOT;
    }
    look(e->left, certain, outcome, looping, here_in_loop, s);
    look(e->right, certain, outcome, looping, here_in_loop, s);
}

/* An absent payload ends a comparison early: then not everything in it was read. */
static bool reads_payload(const ct_expr *e)
{
    return e &&
           (e->op == CT_PAYLOAD || reads_payload(e->left) || reads_payload(e->right));
}

static ct_trace choose(const survey *s, bool must_record)
{
    if (!s->conditional && !must_record) {
        return CT_TRACE_STATIC;
    }
    return s->sites > 64 || s->in_loop > 1 ? CT_TRACE_ORDER : CT_TRACE_MASK;
}

/* ---- Pieces ---- */

/* `order_at`: where CT_TRACE_ORDER writes, CT_NONE in a condition. */
static void begin_piece(compiler *c, ct_trace trace, uint32_t order_at)
{
    c->piece_start = here(c);
    c->first_loop = (uint32_t)c->loops_found.len;
    c->barrier = here(c);
    c->first_site = (uint32_t)c->sites.len;
    c->trace = (uint8_t)trace;
    c->static_sites = 0;
    c->bases = CT_AT_FIRST_FREE;
    c->temps = c->kept;
    if (trace != CT_TRACE_STATIC) {
        ct_insn *in = emit(c, CT_CODE_FORGET);
        in->extra = trace == CT_TRACE_ORDER;
        in->target = order_at;
        c->barrier = here(c);
    }
}

/* Labels are resolved here: no jump leaves its piece. */
static ct_piece end_piece(compiler *c)
{
    uint32_t count = (uint32_t)c->sites.len - c->first_site;
    ct_piece p = {.start = c->piece_start,
                  .end = here(c),
                  .first_site = c->first_site,
                  .site_count = count,
                  .trace = c->trace,
                  .first_loop = c->first_loop,
                  .loop_count = (uint32_t)c->loops_found.len - c->first_loop};
    resolve(c);
    if (count > c->most_sites) {
        c->most_sites = count;
    }
    return p;
}

/* Payload behind the condition, in one piece: it is evaluated only if the condition
 * holds. One that is made stays in the temporaries it is made in, which no later rule
 * uses. */
static ct_piece compile_rule(compiler *c, uint32_t index)
{
    const ct_rule *r = &c->m->rules[index];
    survey s = {0};
    size_t none = 0;
    c->nodes += count_nodes(r->when) + count_nodes(r->payload);
    look(r->when, true, KNOWN_TRUE, false, &none, &s);
    look(r->payload, true, KNOWN_NOT, false, &none, &s);
    ct_trace trace = choose(&s, reads_payload(r->when));
    begin_piece(c, trace, c->order_room);
    c->certain = !reads_payload(r->when);
    uint32_t yes = new_label(c), no = new_label(c);
    gen(c, r->when, KNOWN_TRUE, yes, no, yes);
    bind(c, yes);
    c->absent = CT_NONE;
    bool made = r->payload->op == CT_MAKE;
    operand o = gen_fit(c, r->payload_type, r->payload->type, term(c, r->payload));
    bool copied = o.base == CT_AT_TEMPS && !made;
    ct_insn *in = emit_ab(c, copied ? CT_CODE_PRODUCE_COPY : CT_CODE_PRODUCE, o, o);
    c->kept = made ? c->temps : c->kept;
    in->extra = index;
    in->wide = c->static_sites;
    bind(c, no);
    ct_piece p = end_piece(c);
    p.order_at = c->order_room;
    c->order_room += trace == CT_TRACE_ORDER ? p.site_count + 1 : 0;
    return p;
}

static ct_piece compile_condition(compiler *c, const ct_expr *e)
{
    survey s = {0};
    size_t none = 0;
    c->nodes += count_nodes(e);
    look(e, true, KNOWN_TRUE, false, &none, &s);
    begin_piece(c, choose(&s, true), CT_NONE);
    c->certain = false;
    uint32_t yes = new_label(c), no = new_label(c);
    gen(c, e, KNOWN_NOT, yes, no, yes);
    bind(c, yes);
    emit(c, CT_CODE_TRUE);
    bind(c, no);
    emit(c, CT_CODE_FALSE);
    return end_piece(c);
}

static ct_program *finish(compiler *c, const ct_piece *rules,
                          const ct_piece *conditions)
{
    ct_program *p = mt_new(c->keep, ct_program);
    *p = (ct_program){.model = c->m,
                      .code = c->code.items,
                      .code_count = here(c),
                      .constants = c->constants.items,
                      .constant_types = c->constant_types.items,
                      .constant_count = (uint32_t)c->constants.len,
                      .types = c->types.items,
                      .type_count = (uint32_t)c->types.len,
                      .sites = c->sites.items,
                      .site_count = (uint32_t)c->sites.len,
                      .rules = rules,
                      .conditions = conditions,
                      .bases = c->most_bases + 1,
                      .temps = c->most_temps + 1,
                      .order_room = c->order_room + c->most_sites + 1,
                      .condition_order = c->order_room,
                      .seen_words = c->most_sites / 64 + 1,
                      .present_words = c->m->rule_count / 64 + 1,
                      .loops = c->loops_found.items,
                      .loop_count = (uint32_t)c->loops_found.len,
                      .nodes = c->nodes};
    return p;
}

static compiler start(mt_arena *keep, const ct_model *m)
{
    return (compiler){.keep = keep,
                      .m = m,
                      .most_bases = CT_AT_FIRST_FREE,
                      .fact_sites = mt_new_array(keep, uint32_t, m->fact_count),
                      .verdict_sites = mt_new_array(keep, uint32_t, m->rule_count)};
}

const ct_program *ct_compile(mt_arena *keep, const ct_model *m)
{
    compiler c = start(keep, m);
    ct_piece *rules = mt_new_array(keep, ct_piece, m->rule_count);
    ct_piece *conditions = mt_new_array(keep, ct_piece, m->condition_count);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        rules[i] = compile_rule(&c, i);
    }
    uint32_t rules_end = here(&c), rule_loops = (uint32_t)c.loops_found.len;
    emit(&c, CT_CODE_DONE);
    for (uint32_t i = 0; i < m->condition_count; i++) {
        conditions[i] = compile_condition(&c, m->conditions[i]);
    }
    ct_program *p = finish(&c, rules, conditions);
    p->rules_end = rules_end;
    p->rule_loops = rule_loops;
    ct_prepare_json(keep, p);
    return p;
}

const ct_program *ct_compile_one(mt_arena *keep, const ct_program *base,
                                 const ct_expr *predicate)
{
    compiler c = start(keep, base->model);
    ct_piece *condition = mt_new(keep, ct_piece);
    *condition = compile_condition(&c, predicate);
    return finish(&c, base->rules, condition);
}

const ct_model *ct_program_model(const ct_program *p)
{
    return p->model;
}
