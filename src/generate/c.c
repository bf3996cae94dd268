/* generate/c.c - an evaluator of one contract in C: NAME.h and NAME.c.
 *
 * The header has types and doors; the source has the runtime (the engine's own text, as
 * amalgamate.py embedded it), the contract as tables, its rules as functions, and the
 * doors. A contract without operations gets no part that acts.
 *
 * Conditions of rules are compiled a second time as conditions, since the provenance of
 * an operation asks what an absent verdict rests on.
 *
 * Order: names of the templates are taken, then the header, then the
 * source. What may fail: the prefix is one of the engine's, or the
 * flows cannot be planned; then nothing is given. What the contract
 * says in its own words goes through gn_remark() or gn_literal() only. */
#include "generate/c.h"

#include "contract/flow/operation.h"
#include "contract/flow/text.h"
#include "generate/embedded.h"

/* A model whose conditions are its own and then those of its rules: condition number
 * own_conditions + i is that of rule i. The rest is shared with the model given. */
static const ct_model *with_rules_as_conditions(mt_arena *a, const ct_model *m)
{
    ct_model *wider = mt_new(a, ct_model);
    uint32_t count = m->condition_count + m->rule_count;
    const ct_expr **conditions = mt_new_array(a, const ct_expr *, count);
    for (uint32_t i = 0; i < m->condition_count; i++) {
        conditions[i] = m->conditions[i];
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        conditions[m->condition_count + i] = m->rules[i].when;
    }
    *wider = *m;
    wider->conditions = conditions;
    wider->condition_count = count;
    return wider;
}

/* The beginning of a comment, which the caller goes on with and ends. */
static void head(gn_c *c, mt_buf *out, const char *suffix)
{
    mt_buf_addf(out, "/* %.*s.%s - made by `motet generate c` from contract '",
                MT_ARG(c->prefix), suffix);
    gn_remark(out, c->m->id);
    mt_buf_addf(out, "',\n * etag %.*s.\n * Do not change it: generate it again.",
                MT_ARG(c->in->etag));
}

/* The numbers are the engine's own, so a fault needs no translation. */
static void add_fault_kinds(gn_c *c)
{
    mt_buf_addf(&c->header, "typedef enum %.*s_fault_kind {", MT_ARG(c->prefix));
    for (int i = 0; i < CT_FAULT_COUNT; i++) {
        mt_str name = gn_upper(c->a, mt_str_z(ct_fault_name((ct_fault_kind)i)));
        mt_buf_addf(&c->header, "\n    %.*s_FAULT_%.*s = %d,", MT_ARG(c->upper),
                    MT_ARG(name), i);
    }
    mt_buf_addf(&c->header, "\n} %.*s_fault_kind;\n\n", MT_ARG(c->prefix));
}

/* As with fault kinds: a number is that of the engine, 0 is "none". */
static void add_errors(gn_c *c)
{
    mt_buf_addf(&c->header,
                "/* Why an operation is refused. */\ntypedef enum "
                "%.*s_error {\n    %.*s_ERROR_NONE = 0,",
                MT_ARG(c->prefix), MT_ARG(c->upper));
    for (int i = 1; i < CT_OP_ERROR_COUNT; i++) {
        mt_str name = gn_upper(c->a, ct_op_error_name((ct_op_error)i));
        mt_buf_addf(&c->header, "\n    %.*s_ERROR_%.*s = %d,", MT_ARG(c->upper),
                    MT_ARG(name), i);
    }
    mt_buf_addf(&c->header, "\n} %.*s_error;\n\n", MT_ARG(c->prefix));
}

/* NOTES is how many notes the reader of facts
 * may take; they are in the caller's room. */
static void write_header(gn_c *c)
{
    mt_buf *out = &c->header;
    head(c, out, "h");
    mt_buf_addf(out, " */\n#ifndef MOTET_%.*s_H\n#define MOTET_%.*s_H\n\n",
                MT_ARG(c->upper), MT_ARG(c->upper));
    mt_buf_addf(out, "#define %.*s_ETAG \"%.*s\"\n#define %.*s_NOTES %u\n\n",
                MT_ARG(c->upper), MT_ARG(c->in->etag), MT_ARG(c->upper),
                c->m->note_count + c->m->fact_count + 1);
    gn_fill(out, GN_C_TYPES_H, c->prefix, c->upper);
    mt_buf_addz(out, "/* ---- Facts ---- */\n\n");
    gn_c_header_types(c);
    mt_buf_addz(out, "/* ---- Verdicts ---- */\n\n");
    gn_c_verdict_header(c);
    add_fault_kinds(c);
    gn_fill(out, GN_C_API_H, c->prefix, c->upper);
    if (c->plan) {
        gn_c_act_header(c);
        add_errors(c);
        gn_fill(out, GN_C_ACT_H, c->prefix, c->upper);
    }
    mt_buf_addz(out, "#endif\n");
}

/* Text of the conditions that the contract itself has, for
 * what a run says of its branches. It is written out now,
 * so that the evaluator needs no printer of expressions. */
static void add_condition_texts(gn_c *c)
{
    mt_buf text = {0};
    mt_buf_addz(&c->source, "static const mt_str CONDITION_TEXTS[] = {");
    for (uint32_t i = 0; i < c->own_conditions; i++) {
        mt_buf_clear(&text);
        ct_expr_text(&text, c->m, c->m->conditions[i]);
        mt_buf_addz(&c->source, "\n    ");
        gn_c_text(&c->source, mt_buf_str(&text));
        mt_buf_addc(&c->source, ',');
    }
    mt_buf_addz(&c->source, "{0}};\nstatic const mt_str *rt_condition_texts(void)\n{\n "
                            "   return CONDITION_TEXTS;\n}\n");
    mt_buf_free(&text);
}

/* In the order that amalgamate.py gave the parts;
 * those that act only with something to act on. */
static void add_runtime(gn_c *c)
{
    mt_buf_addz(&c->source, "/* ---- The engine ---- */\n\n");
    for (size_t i = 0; i < GN_RUNTIME_PARTS; i++) {
        if (c->plan || !GN_RUNTIME[i].acts) {
            mt_buf_add(&c->source, GN_RUNTIME[i].text, GN_RUNTIME[i].len);
        }
    }
}

/* The runtime first, since all else is made of its types;
 * the doors last, as they call everything. Unused functions
 * are expected: the runtime is cut by part, not by contract. */
static void write_source(gn_c *c, mt_str asserts)
{
    mt_buf *out = &c->source;
    head(c, out, "c");
    mt_buf_addf(out,
                "\n * C11 as GCC and Clang have it; no allocation; nothing but "
                "the C library. */\n#include \"%.*s.h\"\n\n",
                MT_ARG(c->prefix));
    static const char *const HEADERS[] = {"setjmp", "stdarg", "stdio", "stdlib",
                                          "string"};
    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++) {
        mt_buf_addf(out, "#include <%s.h>\n", HEADERS[i]);
    }
    mt_buf_addz(out, "#if defined(__SSE2__) && defined(__x86_64__)\n#include "
                     "<emmintrin.h>\n#endif\n\n"
                     "/* Not every contract needs every function. */\n"
                     "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
                     "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
                     "#pragma GCC diagnostic ignored \"-Wunused-const-variable\"\n"
                     "#if !defined(__clang__)\n/* Slots are read as what they "
                     "are declared to be, and as slots. */\n#pragma GCC optimize "
                     "(\"no-strict-aliasing\")\n#endif\n\n");
    mt_buf_adds(out, asserts);
    mt_buf_addc(out, '\n');
    add_runtime(c);
    gn_c_tables(c);
    gn_c_code(c);
    if (c->plan) {
        gn_c_plan(c);
        add_condition_texts(c);
    }
    gn_fill(out, GN_C_API_C, c->prefix, c->upper);
    if (c->plan) {
        gn_fill(out, GN_C_ACT_C, c->prefix, c->upper);
    }
}

/* Names that the templates use are taken before any other: a fact `room` of the
 * contract `a` would be a_room, which is a type of the API. Whoever adds a name to
 * c_*.in adds it here. */
static void reserve_names(gn_c *c)
{
    static const char *const TAKEN[] = {
        "text",       "decimal",       "moment",         "facts",        "verdicts",
        "fault",      "room",          "result",         "fault_kind",   "fault_name",
        "facts_read", "facts_check",   "facts_start",    "evaluate",     "eval_json",
        "states",     "change",        "attempt",        "end",          "run",
        "run_json",   "operate",       "operate_json",   "states_start", "apply",
        "entity",     "operation",     "flow",           "error",        "text_of",
        "fault_json", "verdicts_json", "evaluation_json"};
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++) {
        gn_unique(&c->globals, mt_strf(c->a, "%.*s_%s", MT_ARG(c->prefix), TAKEN[i]));
    }
    static const char *const CONSTANTS[] = {
        "OK",        "FAULT",      "ROOM",         "NONE",         "NOTES",
        "ETAG",      "FACT_COUNT", "MOST_CHANGES", "ENTITY_COUNT", "OPERATION_COUNT",
        "FLOW_COUNT"};
    for (size_t i = 0; i < sizeof CONSTANTS / sizeof *CONSTANTS; i++) {
        gn_unique(&c->globals,
                  mt_strf(c->a, "%.*s_%s", MT_ARG(c->upper), CONSTANTS[i]));
    }
    for (int i = 0; i < CT_FAULT_COUNT; i++) {
        mt_str name = gn_upper(c->a, mt_str_z(ct_fault_name((ct_fault_kind)i)));
        gn_unique(&c->globals,
                  mt_strf(c->a, "%.*s_FAULT_%.*s", MT_ARG(c->upper), MT_ARG(name)));
    }
}

/* Names of the engine's text begin with these, in either case (mt_str, MT_OK): a
 * contract's must not. E901 says so. */
static bool is_taken(mt_arena *a, mt_str prefix)
{
    static const char *const TAKEN[] = {"MT", "CT", "LN", "RT"};
    mt_str upper = gn_upper(a, prefix);
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++) {
        if (mt_str_eq(upper, mt_str_z(TAKEN[i]))) {
            return true;
        }
    }
    return false;
}

/* The plan is made only for a contract that has operations; without one `plan` is NULL,
 * which is what every part asks. The conditions of rules are added before the program
 * is compiled, so that it has code for them. */
size_t gn_c_generate(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files)
{
    if (is_taken(a, in->prefix)) {
        mt_diag_add(ds, &(mt_diag){.severity = MT_ERROR,
                                   .code = "E901",
                                   .pass = -1,
                                   .message = mt_strf(a,
                                                      "the prefix '%.*s' is the "
                                                      "evaluator's own; choose "
                                                      "another with --prefix",
                                                      MT_ARG(in->prefix))});
        return 0;
    }
    bool acts = in->model->operation_count > 0;
    gn_c c = {.a = a,
              .in = in,
              .m = acts ? with_rules_as_conditions(a, in->model) : in->model,
              .own_conditions = in->model->condition_count,
              .prefix = in->prefix,
              .upper = gn_upper(a, in->prefix),
              .globals = {.a = a, .words = GN_C_WORDS}};
    c.p = ct_compile(a, c.m);
    if (acts && ct_plan_build(a, c.p, ds, &c.plan)) {
        return 0;
    }
    reserve_names(&c);
    write_header(&c);
    mt_str asserts = gn_kept(a, &c.source);
    write_source(&c, asserts);
    files[0] =
        (gn_file){mt_strf(a, "%.*s.h", MT_ARG(in->prefix)), gn_kept(a, &c.header)};
    files[1] =
        (gn_file){mt_strf(a, "%.*s.c", MT_ARG(in->prefix)), gn_kept(a, &c.source)};
    return 2;
}
