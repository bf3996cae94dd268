/* generate/typescript.c - types of a contract and a typed client, in TypeScript.
 *
 * Facts are what one gives, so they are written as facts are: numbers, texts, objects.
 * Payloads are what one gets, with a `kind`; verdicts are told apart by `type`,
 * outcomes of operations by `operation` and `outcome`. Records and unions of facts are
 * types with a name. The client is the same for all contracts (client.ts.in), its
 * types are not. */
#include "generate/embedded.h"
#include "generate/words.h"

/* Types of client.ts.in, and global ones that a generated name would hide. */
static const char *const RESERVED[] = {
    "Facts",      "Verdict",     "Verdicts", "Persona",         "States",
    "Operations", "Flows",       "Client",   "Problem",         "Change",
    "Provenance", "Evaluation",  "Instance", "OperationAnswer", "OperationOutcome",
    "FlowAnswer", "FlowOutcome", "Options",  "Entity",          "Payload",
    "String",     "Number",      "Boolean",  "Object",          "Array",
    "Promise",    "Error",       "Record",   "Partial",         "Required",
    "Date",       "Map",         "Set",      "Symbol",          NULL};

/* Keys are quoted: a name of a contract need not be a name of TypeScript. */
static mt_str record_type(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_str name = gn_type_name(f, path);
    mt_buf body = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.fields[i];
        mt_str of = gn_spell(f, x->type, gn_path(f, path, x->name));
        mt_str key = gn_quote(f, x->name);
        mt_buf_addz(&body, "  /** ");
        gn_remark(&body, ct_type_spell(f->a, x->type));
        mt_buf_addf(&body, " */\n  %.*s: %.*s;\n", MT_ARG(key), MT_ARG(of));
    }
    mt_buf_addf(&f->declarations, "export interface %.*s {\n%.*s}\n\n", MT_ARG(name),
                MT_ARG(mt_buf_str(&body)));
    mt_buf_free(&body);
    return name;
}

/* Cases that the compiler tells apart by `tag`. */
static mt_str union_type(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_str name = gn_type_name(f, path);
    mt_buf body = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.variants[i];
        mt_str of = gn_spell(f, x->type, gn_path(f, path, x->name));
        mt_str tag = gn_quote(f, x->name);
        mt_buf_addf(&body, "\n  | { tag: %.*s; payload: %.*s }", MT_ARG(tag),
                    MT_ARG(of));
    }
    mt_buf_addf(&f->declarations, "export type %.*s =%.*s;\n\n", MT_ARG(name),
                MT_ARG(mt_buf_str(&body)));
    mt_buf_free(&body);
    return name;
}

/* Enums are unions of literals, without a name. Int is number: beyond 2^53 it loses
 * digits, as JSON.parse() does. */
static mt_str scalar(gn_file_of *f, const ct_type *t)
{
    mt_str text;
    switch (ct_held(t)) {
    case LN_BOOLEAN: return MT_STR("boolean");
    case LN_INTEGER:
        if (ct_has(t, LN_UNIT)) {
            return mt_strf(f->a, "{ value: number; unit: \"%s\" }",
                           CT_UNIT_NAMES[t->unit]);
        }
        return ct_is_day(t) ? MT_STR("string") : MT_STR("number");
    case LN_DECIMAL:
        if (ct_has(t, LN_CURRENCY)) {
            text = gn_quote(f, t->as.currency);
            return mt_strf(f->a, "{ amount: string; currency: %.*s }", MT_ARG(text));
        }
        return MT_STR("string");
    case LN_CHOICE: return gn_quoted(f, t->as.values, t->count, " | ", "never");
    case LN_TEXT:
    case LN_TIME:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return MT_STR("string");
}

static mt_str spell_other(gn_file_of *f, const ct_type *t, mt_str path)
{
    (void)path;
    return scalar(f, t);
}

static const gn_speller TYPESCRIPT = {record_type, union_type, spell_other, "Array<",
                                      ">"};

/* The type of a value in a result, in place: { kind: "int_value"; value: number }. */
static void result(gn_file_of *f, mt_buf *out, const ct_type *t)
{
    const char *kind = gn_kind_of(t);
    mt_str text;
    if (ct_held(t) == LN_RECORD) {
        mt_buf_addf(out, "{ kind: \"%s\"; fields: {", kind);
        for (uint32_t i = 0; i < t->count; i++) {
            text = gn_quote(f, t->as.fields[i].name);
            mt_buf_addf(out, " %.*s: ", MT_ARG(text));
            result(f, out, t->as.fields[i].type);
            mt_buf_addc(out, ';');
        }
        mt_buf_addz(out, " } }");
    } else if (ct_held(t) == LN_LIST) {
        mt_buf_addf(out, "{ kind: \"%s\"; elements: Array<", kind);
        result(f, out, t->as.list.element);
        mt_buf_addz(out, "> }");
    } else if (ct_held(t) == LN_VARIANT) {
        for (uint32_t i = 0; i < t->count; i++) {
            text = gn_quote(f, t->as.variants[i].name);
            mt_buf_addf(out, "%s{ kind: \"%s\"; tag: %.*s; payload: ", i ? " | " : "(",
                        kind, MT_ARG(text));
            result(f, out, t->as.variants[i].type);
            mt_buf_addz(out, " }");
        }
        mt_buf_addz(out, t->count ? ")" : "never");
    } else if (ct_has(t, LN_CURRENCY)) {
        text = gn_quote(f, t->as.currency);
        mt_buf_addf(out, "{ kind: \"%s\"; amount: string; currency: %.*s }", kind,
                    MT_ARG(text));
    } else if (ct_has(t, LN_UNIT)) {
        mt_buf_addf(out, "{ kind: \"%s\"; value: number; unit: \"%s\" }", kind,
                    CT_UNIT_NAMES[t->unit]);
    } else {
        text = scalar(f, t);
        mt_buf_addf(out, "{ kind: \"%s\"; value: %.*s }", kind, MT_ARG(text));
    }
}

/* ---- Parts of the file ---- */

/* Declarations were collected while the facts were spelled, and stand before them. */
static void facts(gn_file_of *f)
{
    mt_buf body = {0};
    for (uint32_t i = 0; i < f->m->fact_count; i++) {
        const ct_fact *x = &f->m->facts[i];
        mt_str of = gn_spell(f, x->type, x->id), key = gn_quote(f, x->id);
        mt_str about = gn_about_fact(f, i);
        mt_buf_addf(&body, "  /** %.*s */\n  %.*s%s: %.*s;\n", MT_ARG(about),
                    MT_ARG(key), x->otherwise ? "?" : "", MT_ARG(of));
    }
    mt_buf_adds(&f->out, mt_buf_str(&f->declarations));
    mt_buf_addf(&f->out,
                "/** The facts of the contract. Those with a default may be left out. "
                "*/\nexport interface Facts {\n%.*s}\n\n",
                MT_ARG(mt_buf_str(&body)));
    mt_buf_free(&body);
}

/* An interface from entity to its states, so that Instance<"Order"> knows them. */
static void entities(gn_file_of *f)
{
    mt_buf_addz(&f->out,
                "/** The states of each entity. */\nexport interface States {\n");
    for (uint32_t i = 0; i < f->m->entity_count; i++) {
        const ct_entity *e = &f->m->entities[i];
        mt_str key = gn_quote(f, e->id), initial = e->states[e->initial];
        mt_str states = gn_quoted(f, e->states, e->state_count, " | ", "never");
        mt_buf_addz(&f->out, "  /** Begins as ");
        gn_remark(&f->out, initial);
        mt_buf_addf(&f->out, ". */\n  %.*s: %.*s;\n", MT_ARG(key), MT_ARG(states));
    }
    mt_buf_addz(&f->out, "}\nexport type Entity = keyof States;\n\n");
}

/* An interface from verdict to its payload:
 * the client's Verdict is made of its keys. */
static void verdicts(gn_file_of *f)
{
    mt_buf_addz(&f->out, "/** The payload of each verdict. */\nexport interface "
                         "Verdicts {\n");
    for (uint32_t i = 0; i < f->m->rule_count; i++) {
        const ct_rule *r = &f->m->rules[i];
        mt_str about = gn_about_rule(f, i), key = gn_quote(f, r->verdict);
        mt_buf_addf(&f->out, "  /** %.*s */\n  %.*s: ", MT_ARG(about), MT_ARG(key));
        result(f, &f->out, r->payload_type);
        mt_buf_addz(&f->out, ";\n");
    }
    mt_buf_addz(&f->out, "}\n\n");
}

/* A map from each operation to who may, how it ends and what changes. The client's
 * types look up in it, so that operate("release", …) takes only personas that may. */
static void operations(gn_file_of *f)
{
    const ct_model *m = f->m;
    mt_buf_addz(&f->out, "/** Who may perform each operation, how it can come out, "
                         "what it can change. */\nexport interface Operations {\n");
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        gn_texts who = gn_operation_personas(f, i), what = gn_operation_entities(f, i);
        mt_str about = gn_about_operation(f, i), key = gn_quote(f, o->id);
        mt_str personas = gn_quoted(f, who.items, who.len, " | ", "never");
        mt_str changed = gn_quoted(f, what.items, what.len, " | ", "never");
        mt_str outcomes = gn_quoted(f, o->outcomes, o->outcome_count, " | ", "never");
        mt_buf_addf(&f->out,
                    "  /** %.*s */\n  %.*s: { persona: %.*s; outcome: %.*s; entity: "
                    "%.*s };\n",
                    MT_ARG(about), MT_ARG(key), MT_ARG(personas), MT_ARG(outcomes),
                    MT_ARG(changed));
    }
    mt_buf_addz(&f->out, "}\n\n/** How each flow can end. */\nexport interface Flows "
                         "{\n");
    for (uint32_t i = 0; i < m->flow_count; i++) {
        gn_texts ends = gn_flow_outcomes(f, i);
        mt_str about = gn_about_flow(f, i), key = gn_quote(f, m->flows[i].id);
        mt_str outcomes = gn_quoted(f, ends.items, ends.len, " | ", "never");
        mt_buf_addf(&f->out, "  /** %.*s */\n  %.*s: %.*s;\n", MT_ARG(about),
                    MT_ARG(key), MT_ARG(outcomes));
    }
    mt_buf_addz(&f->out, "}\n\n");
}

/* Cannot fail. The client comes last; TypeScript does not mind the order of types. */
size_t gn_typescript(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files)
{
    gn_file_of f = gn_begin(a, in, RESERVED, &TYPESCRIPT);
    gn_texts all = gn_personas(&f);
    mt_str personas = gn_quoted(&f, all.items, all.len, " | ", "never");
    mt_str id = gn_quote(&f, in->model->id);
    (void)ds;
    mt_buf_addz(&f.out, "/* Made by `motet generate typescript` from contract ");
    gn_remark(&f.out, id);
    mt_buf_addf(&f.out,
                ",\n * etag %.*s.\n * Do not change it: generate it again. */\n\n"
                "export const CONTRACT = %.*s;\nexport const ETAG = \"%.*s\";\n\n"
                "export type Persona = %.*s;\n\n",
                MT_ARG(in->etag), MT_ARG(id), MT_ARG(in->etag), MT_ARG(personas));
    facts(&f);
    entities(&f);
    verdicts(&f);
    operations(&f);
    mt_buf_addz(&f.out, GN_CLIENT_TS);
    files[0] = gn_end(&f, mt_strf(a, "%.*s.ts", MT_ARG(in->prefix)));
    return 1;
}
