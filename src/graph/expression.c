/* graph/expression.c - a formula of a manifest as a cluster of standard primitives.
 *
 *     or < and < not < comparison < sum < product < unary < call, name, number
 *
 * Recursive descent; every operator and call becomes a node of a generated cluster
 * (OPERATORS, CALLS), types are checked as it grows, and the result is what an author
 * could have written by hand. So there is no second evaluator: a formula runs,
 * captures and replays like any graph.
 *
 * Names of generated nodes have a fixed width, so their byte order is the order of
 * generation and the provenance is the same everywhere. A trigger's formula is a
 * condition behind an emit; an output must be a node's, so a formula that is only an
 * input gets a node that changes nothing.
 *
 * Bounds: bytes of a formula and depth of nesting, counted at every level that can
 * call itself. What may fail: expression.syntax, X.10 or CMP-20 as a diagnostic, the
 * first fault only; NULL then. */
#include "graph/expression.h"

#include "base/number.h"
#include "base/vec.h"

enum { DEEPEST = 100, LONGEST = 65536 };

typedef enum token_kind { T_END, T_NUMBER, T_NAME, T_SIGN, T_BAD } token_kind;

typedef struct token {
    token_kind kind;
    mt_str text;
} token;

/* A value in the making: an output of a generated node, or an input of the manifest. */
typedef struct term {
    gr_type type;
    gr_endpoint at;
} term;

typedef struct parser {
    mt_arena *a;
    const gr_manifest *m;
    const gr_subject *s;
    mt_str rest; /* not yet cut into tokens */
    token now;
    unsigned depth;
    bool ok; /* no fault so far; the first one is reported */
    MT_VEC(gr_member) members;
    MT_VEC(gr_edge) edges;
} parser;

/* ---- faults ---- */

/* The first fault only; the term of no type lets the callers go on without checking. */
static term fault(parser *p, const char *rule, const char *fix, mt_str message)
{
    if (p->ok) {
        p->ok = gr_report(p->s, rule, 0, MT_STR("$.expression"), fix, "%.*s",
                          MT_ARG(message));
    }
    return (term){.type = GR_NONE};
}

static term syntax(parser *p, const char *expected)
{
    mt_str found = p->now.kind == T_END ? MT_STR("the end") : p->now.text;
    return fault(p, "expression.syntax", "see docs/reference/graphs.md for the grammar",
                 mt_strf(p->a, "expected %s, found %.*s", expected, MT_ARG(found)));
}

/* ---- tokens ---- */

static bool is_name(char c, bool first)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (!first && c >= '0' && c <= '9');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* As far as it looks like a number; whether it is one is asked later. */
static size_t number_length(mt_str s)
{
    size_t n = 0;
    while (n < s.len && (is_digit(s.ptr[n]) || s.ptr[n] == '.')) {
        n++;
    }
    if (n + 1 < s.len && (s.ptr[n] | 0x20) == 'e') {
        size_t sign = s.ptr[n + 1] == '-' || s.ptr[n + 1] == '+';
        if (n + 1 + sign < s.len && is_digit(s.ptr[n + 1 + sign])) {
            n += 1 + sign;
            while (n < s.len && is_digit(s.ptr[n])) {
                n++;
            }
        }
    }
    return n;
}

/* Longer signs come first, or "<=" would be read as "<". */
static size_t sign_length(mt_str s)
{
    static const char *const SIGNS[] = {"<=", ">=", "==", "!=", "<", ">", "+",
                                        "-",  "*",  "/",  "(",  ")", ","};
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        if (mt_str_starts(s, mt_str_z(SIGNS[i]))) {
            return strlen(SIGNS[i]);
        }
    }
    return 0;
}

/* The next token; T_BAD for a character that begins none. */
static void advance(parser *p)
{
    size_t n = 0;
    while (n < p->rest.len && strchr(" \t\r\n", p->rest.ptr[n]) && p->rest.ptr[n]) {
        n++;
    }
    p->rest = mt_str_skip(p->rest, n);
    mt_str s = p->rest;
    p->now = (token){T_END, MT_STR("")};
    if (!s.len) {
        return;
    }
    n = 0;
    if (is_digit(s.ptr[0])) {
        p->now.kind = T_NUMBER;
        n = number_length(s);
    } else if (is_name(s.ptr[0], true)) {
        p->now.kind = T_NAME;
        while (n < s.len && is_name(s.ptr[n], false)) {
            n++;
        }
    } else {
        n = sign_length(s);
        p->now.kind = n ? T_SIGN : T_BAD;
        n = n ? n : 1;
    }
    p->now.text = mt_str_from(s.ptr, n);
    p->rest = mt_str_skip(s, n);
}

/* Looks at the next token and takes it only if it is the one. */
static bool take(parser *p, token_kind kind, const char *text)
{
    bool there = p->now.kind == kind && mt_str_eq(p->now.text, mt_str_z(text));
    if (there) {
        advance(p);
    }
    return there;
}

/* ---- generated nodes ---- */

/* Fixed width, so that their byte order is the order of generation. */
static mt_str add_node(parser *p, const char *impl)
{
    gr_member m = {.name = mt_strf(p->a, "e%05zu", p->members.len),
                   .target = mt_str_z(impl),
                   .selector = MT_STR("*")};
    mt_vec_push(p->a, &p->members, m);
    return m.name;
}

/* For the node that was added last. */
static void bind(parser *p, gr_binding b)
{
    gr_binding *kept = mt_new(p->a, gr_binding);
    *kept = b;
    gr_member *m = &p->members.items[p->members.len - 1];
    m->bindings = kept;
    m->binding_count = 1;
}

static void feed(parser *p, term from, mt_str node, const char *port)
{
    gr_edge e = {.from = from.at, .to = {node, mt_str_z(port)}};
    mt_vec_push(p->a, &p->edges, e);
}

static term output(mt_str node, const char *port, gr_type type)
{
    return (term){type, {node, mt_str_z(port)}};
}

/* A literal becomes a node because edges begin at nodes; a number that stands alone is
 * still a formula. */
static term literal_node(parser *p, gr_literal value)
{
    bool number = value.type == GR_P_NUMBER;
    mt_str node = add_node(p, number ? "const_number" : "const_bool");
    bind(p, (gr_binding){.name = MT_STR("value"), .value = value});
    return output(node, "value", number ? GR_NUMBER : GR_BOOL);
}

/* A parameter becomes a constant that exposes it, so its value is bound as usual. */
static term param_node(parser *p, const gr_param *param)
{
    bool number = param->type == GR_P_NUMBER || param->type == GR_P_INT;
    if (!number && param->type != GR_P_BOOL) {
        return fault(p, "X.10", "use Number and Bool parameters in a formula",
                     mt_strf(p->a, "parameter \"%.*s\" is %s", MT_ARG(param->name),
                             gr_param_type_name(param->type)));
    }
    mt_str node = add_node(p, number ? "const_number" : "const_bool");
    bind(p, (gr_binding){.name = MT_STR("value"), .exposed = param->name});
    return output(node, "value", number ? GR_NUMBER : GR_BOOL);
}

/* ---- operators and calls ---- */

typedef struct operation {
    const char *name, *impl;
    const char *ports[3];
    gr_type takes[3], gives; /* by port */
    const char *parameter;   /* one more argument, a number or a parameter's name */
} operation;

#define N GR_NUMBER
#define B GR_BOOL
#define S GR_SERIES
#define AB                                                                             \
    {                                                                                  \
        "a", "b"                                                                       \
    }
/* clang-format off */
static const operation OPERATORS[] = {
    {"+", "add", AB, {N, N}, N, NULL},      {"-", "subtract", AB, {N, N}, N, NULL},
    {"*", "multiply", AB, {N, N}, N, NULL}, {"/", "divide", AB, {N, N}, N, NULL},
    {"<", "lt", AB, {N, N}, B, NULL},       {"<=", "lte", AB, {N, N}, B, NULL},
    {">", "gt", AB, {N, N}, B, NULL},       {">=", "gte", AB, {N, N}, B, NULL},
    {"==", "eq", AB, {N, N}, B, NULL},      {"!=", "neq", AB, {N, N}, B, NULL},
    {"and", "and", AB, {B, B}, B, NULL},    {"or", "or", AB, {B, B}, B, NULL},
};
static const operation NOT = {"not", "not", {"value"}, {B}, B, NULL};
static const operation NEGATE = {"-", "negate", {"value"}, {N}, N, NULL};
static const operation CALLS[] = {
    {"abs", "abs", {"value"}, {N}, N, NULL},
    {"min", "min", AB, {N, N}, N, NULL},
    {"max", "max", AB, {N, N}, N, NULL},
    {"select", "select", {"cond", "when_true", "when_false"}, {B, N, N}, N, NULL},
    {"append", "append", {"series", "value"}, {S, N}, S, NULL},
    {"window", "window", {"series"}, {S}, S, "size"},
    {"mean", "mean", {"series"}, {S}, N, NULL},
    {"sum", "sum", {"series"}, {S}, N, NULL},
    {"len", "len", {"series"}, {S}, N, NULL},
    {"safe_divide", "safe_divide", AB, {N, N}, N, "fallback"},
};
static const operation SELECT_BOOL =
    {"select", "select_bool", {"cond", "when_true", "when_false"}, {B, B, B}, B, NULL};
/* clang-format on */

static uint32_t arity(const operation *o)
{
    uint32_t n = 0;
    while (n < 3 && o->ports[n]) {
        n++;
    }
    return n;
}

/* Types are checked here and only here. A term without a type has been reported. */
static term apply(parser *p, const operation *o, const term *args)
{
    for (uint32_t i = 0; i < arity(o); i++) {
        if (args[i].type == GR_NONE) {
            return args[i];
        }
        if (args[i].type != o->takes[i]) {
            return fault(p, "X.10", "give it a value of the type it takes",
                         mt_strf(p->a, "%s takes %s here, not %s", o->name,
                                 gr_type_name(o->takes[i]),
                                 gr_type_name(args[i].type)));
        }
    }
    mt_str node = add_node(p, o->impl);
    for (uint32_t i = 0; i < arity(o); i++) {
        feed(p, args[i], node, o->ports[i]);
    }
    return output(node, "result", o->gives);
}

static term expression(parser *p);

/* The argument that becomes a parameter of the node. */
static bool parameter_argument(parser *p, gr_binding *out)
{
    bool negative = take(p, T_SIGN, "-");
    if (p->now.kind == T_NUMBER) {
        out->value.type = GR_P_NUMBER;
        if (mt_number_parse(p->now.text, &out->value.number)) {
            syntax(p, "a number");
        }
        out->value.number = negative ? -out->value.number : out->value.number;
    } else if (!negative && p->now.kind == T_NAME &&
               gr_param_index(p->m, p->now.text) >= 0) {
        out->exposed = p->now.text;
    } else {
        syntax(p, "a number or a parameter's name");
    }
    advance(p);
    return p->ok;
}

/* Arguments that become parameters of a node are numbers or parameters' names, not
 * terms. */
static term call(parser *p, mt_str name)
{
    const operation *o = NULL;
    term args[3] = {{0}};
    gr_binding parameter = {0};
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS && !o; i++) {
        o = mt_str_eq(name, mt_str_z(CALLS[i].name)) ? &CALLS[i] : NULL;
    }
    if (!o) {
        return fault(p, "expression.syntax",
                     "see docs/reference/graphs.md for the functions",
                     mt_strf(p->a, "there is no function \"%.*s\"", MT_ARG(name)));
    }
    for (uint32_t i = 0; i < arity(o); i++) {
        if (i && !take(p, T_SIGN, ",")) {
            return syntax(p, "a comma");
        }
        args[i] = expression(p);
    }
    if (o->parameter) {
        parameter.name = mt_str_z(o->parameter);
        if (!take(p, T_SIGN, ",")) {
            return syntax(p, "a comma");
        }
        parameter_argument(p, &parameter);
    }
    if (!take(p, T_SIGN, ")")) {
        return syntax(p, "a closing bracket");
    }
    bool bools = args[1].type == GR_BOOL && strcmp(o->name, "select") == 0;
    term result = apply(p, bools ? &SELECT_BOOL : o, args);
    if (o->parameter && p->ok) {
        bind(p, parameter);
    }
    return result;
}

/* true and false, a function, an input, a parameter: in this order. */
static term name_or_call(parser *p)
{
    mt_str name = p->now.text;
    advance(p);
    if (mt_str_is(name, "true") || mt_str_is(name, "false")) {
        return literal_node(
            p, (gr_literal){.type = GR_P_BOOL, .boolean = mt_str_is(name, "true")});
    }
    if (take(p, T_SIGN, "(")) {
        return call(p, name);
    }
    int i = gr_input_index(p->m, name);
    if (i >= 0 && p->m->inputs[i].type != GR_EVENT) {
        return (term){p->m->inputs[i].type, {{0}, name}};
    }
    int k = gr_param_index(p->m, name);
    if (k >= 0) {
        return param_node(p, &p->m->params[k]);
    }
    return fault(
        p, "expression.syntax", "use inputs and parameters of the manifest",
        mt_strf(p->a, "\"%.*s\" is neither an input nor a parameter", MT_ARG(name)));
}

/* A number, a name, or something in parentheses. */
static term atom(parser *p)
{
    if (p->now.kind == T_NUMBER) {
        gr_literal l = {.type = GR_P_NUMBER};
        if (mt_number_parse(p->now.text, &l.number)) {
            return syntax(p, "a finite number");
        }
        advance(p);
        return literal_node(p, l);
    }
    if (p->now.kind == T_NAME) {
        return name_or_call(p);
    }
    if (take(p, T_SIGN, "(")) {
        term inner = expression(p);
        return take(p, T_SIGN, ")") ? inner : syntax(p, "a closing bracket");
    }
    return syntax(p, "a value");
}

/* Counts every level that can call itself; false ends the descent. */
static bool deeper(parser *p)
{
    if (p->depth < DEEPEST) {
        p->depth++;
        return true;
    }
    fault(p, "LIMIT", "make the formula simpler", MT_STR("the formula is too deep"));
    return false;
}

/* Signs may repeat, so the depth is counted. */
static term unary(parser *p)
{
    if (!deeper(p)) {
        return (term){.type = GR_NONE};
    }
    term t;
    if (take(p, T_SIGN, "-")) {
        t = unary(p);
        t = apply(p, &NEGATE, &t);
    } else {
        t = atom(p);
    }
    p->depth--;
    return t;
}

/* Words and signs are operators alike; a name in `names` is always in the table, so the
 * inner loop ends. */
static const operation *operator_here(parser *p, const char *const *names)
{
    for (; *names; names++) {
        token_kind kind = is_name(**names, true) ? T_NAME : T_SIGN;
        if (take(p, kind, *names)) {
            for (size_t i = 0;; i++) {
                if (strcmp(OPERATORS[i].name, *names) == 0) {
                    return &OPERATORS[i];
                }
            }
        }
    }
    return NULL;
}

/* `chain` false: a comparison of comparisons is refused by not being read. */
static term binary(parser *p, term (*operand)(parser *), const char *const *names,
                   bool chain)
{
    term left = operand(p);
    const operation *o;
    while (p->ok && (o = operator_here(p, names))) {
        term pair[2] = {left, operand(p)};
        left = apply(p, o, pair);
        if (!chain) {
            break;
        }
    }
    return left;
}

/* Left to right; unary binds tighter. */
static term product(parser *p)
{
    static const char *const SIGNS[] = {"*", "/", NULL};
    return binary(p, unary, SIGNS, true);
}

static term sum(parser *p)
{
    static const char *const SIGNS[] = {"+", "-", NULL};
    return binary(p, product, SIGNS, true);
}

/* Comparisons do not chain: a < b < c would compare a truth value. */
static term compare(parser *p)
{
    static const char *const SIGNS[] = {"<=", ">=", "==", "!=", "<", ">", NULL};
    return binary(p, sum, SIGNS, false);
}

/* `not` binds looser than a comparison. */
static term negation(parser *p)
{
    if (!deeper(p)) {
        return (term){.type = GR_NONE};
    }
    term t;
    if (take(p, T_NAME, "not")) {
        t = negation(p);
        t = apply(p, &NOT, &t);
    } else {
        t = compare(p);
    }
    p->depth--;
    return t;
}

static term conjunction(parser *p)
{
    static const char *const WORDS[] = {"and", NULL};
    return binary(p, negation, WORDS, true);
}

static term expression(parser *p)
{
    static const char *const WORDS[] = {"or", NULL};
    return binary(p, conjunction, WORDS, true);
}

/* ---- the cluster ---- */

/* An output must be a node's: max(x, x), or(x, x) and an endless window are x. */
static term as_node(parser *p, term t)
{
    if (t.at.node.ptr || t.type == GR_NONE) {
        return t;
    }
    if (t.type == GR_SERIES) {
        mt_str node = add_node(p, "window");
        bind(p, (gr_binding){.name = MT_STR("size"),
                             .value = {.type = GR_P_NUMBER, .number = 4294967295.0}});
        feed(p, t, node, "series");
        return output(node, "result", GR_SERIES);
    }
    term pair[2] = {t, t};
    static const operation SAME[] = {{"", "max", AB, {N, N}, N, NULL},
                                     {"", "or", AB, {B, B}, B, NULL}};
    return apply(p, &SAME[t.type == GR_BOOL], pair);
}

/* A condition, and perhaps one event that must have been emitted as well. */
static term trigger(parser *p, term condition)
{
    const gr_port *gate = NULL;
    if (condition.type != GR_BOOL) {
        return fault(p, "X.10", "compare something",
                     MT_STR("the formula is not a Bool"));
    }
    for (uint32_t i = 0; i < p->m->input_count; i++) {
        if (p->m->inputs[i].type == GR_EVENT) {
            if (gate) {
                return fault(p, "TRG-6", "chain two Triggers instead",
                             MT_STR("a formula has at most one Event input"));
            }
            gate = &p->m->inputs[i];
        }
    }
    mt_str node = add_node(p, gate ? "emit_if_event_and_true" : "emit_if_true");
    if (gate) {
        feed(p, (term){GR_EVENT, {{0}, gate->name}}, node, "event");
    }
    feed(p, condition, node, gate ? "condition" : "input");
    return output(node, "event", GR_EVENT);
}

/* The manifest's ports and parameters are the cluster's. */
static void boundary(parser *p, gr_cluster *c)
{
    gr_cluster_input *inputs = mt_new_array(p->a, gr_cluster_input, p->m->input_count);
    for (uint32_t i = 0; i < p->m->input_count; i++) {
        const gr_port *in = &p->m->inputs[i];
        inputs[i] = (gr_cluster_input){in->name, in->type, in->required, 0};
    }
    gr_cluster_param *params = mt_new_array(p->a, gr_cluster_param, p->m->param_count);
    for (uint32_t i = 0; i < p->m->param_count; i++) {
        const gr_param *in = &p->m->params[i];
        params[i] =
            (gr_cluster_param){in->name, in->type, in->initial, {0}, in->required, 0};
    }
    c->inputs = inputs;
    c->input_count = p->m->input_count;
    c->params = params;
    c->param_count = p->m->param_count;
}

/* It claims nothing about itself: everything is inferred. */
static const gr_cluster *finish(parser *p, term result)
{
    gr_cluster *c = mt_new(p->a, gr_cluster);
    gr_cluster_output *out = mt_new(p->a, gr_cluster_output);
    *c = (gr_cluster){.id = p->m->id,
                      .version = p->m->version,
                      .file = p->m->file,
                      .text = p->m->text,
                      .formula = p->m->expression,
                      .claimed_effects = -1,
                      .claimed_origin = -1,
                      .edges = p->edges.items,
                      .edge_count = (uint32_t)p->edges.len,
                      .member_count = (uint32_t)p->members.len,
                      .output_count = 1};
    *out = (gr_cluster_output){p->m->outputs[0].name, result.at, 0};
    boundary(p, c);
    gr_cluster_finish(p->a, c, p->members.items, out);
    return c;
}

/* A formula becomes a cluster of standard primitives: it needs no evaluator of its own,
 * and provenance shows what it is made of. Length is bounded first. */
const gr_cluster *gr_expression_cluster(mt_arena *a, const gr_manifest *m,
                                        const gr_subject *s)
{
    parser p = {.a = a, .m = m, .s = s, .rest = m->expression, .ok = true};
    if (m->output_count != 1 || m->expression.len > LONGEST) {
        fault(&p, "expression.syntax",
              "declare one output, and a formula of bounded size",
              MT_STR("a formula has exactly one output and at most 65536 bytes"));
        return NULL;
    }
    advance(&p);
    term result = expression(&p);
    if (p.ok && p.now.kind != T_END) {
        syntax(&p, "an operator or the end");
    }
    if (p.ok) {
        result = m->kind == GR_TRIGGER ? trigger(&p, result) : as_node(&p, result);
    }
    if (p.ok && result.type != m->outputs[0].type) {
        fault(&p, "CMP-20", "declare the output with the formula's type",
              mt_strf(a, "the formula is %s, the output is %s",
                      gr_type_name(result.type), gr_type_name(m->outputs[0].type)));
    }
    return p.ok ? finish(&p, result) : NULL;
}
