/* generate/python.c - types of a contract and a typed client, in Python.
 *
 * Objects of JSON are TypedDicts, written as calls, since a name of a contract need not
 * be a name of Python; verdicts and answers are unions told apart by a Literal. The
 * client (client.py.in) needs the standard library only, and Python 3.11.
 *
 * Python reads from top to bottom: a type is assigned before
 * it is named. `declarations` collects those that spelling
 * makes, flush() puts them before the one that needs them. */
#include "generate/embedded.h"
#include "generate/words.h"

/* Names of head.py.in and client.py.in that
 * begin with a capital, as generated types do. */
static const char *const RESERVED[] = {
    "False",      "None",     "True",     "Facts",      "GivenFacts",
    "Verdict",    "Client",   "Problem",  "Change",     "Evaluation",
    "Instance",   "Persona",  "Entity",   "FlowAnswer", "OperationAnswer",
    "Provenance", "Any",      "Literal",  "TypedDict",  "NotRequired",
    "Union",      "Optional", "Bindings", NULL};

/* The key is the contract's name, in quotes; only
 * the TypedDict itself needs a name of Python. */
static mt_str record_type(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_str name = gn_type_name(f, path);
    mt_buf body = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.fields[i];
        mt_str of = gn_spell(f, x->type, gn_path(f, path, x->name));
        mt_str key = gn_quote(f, x->name);
        mt_buf_addf(&body, "    %.*s: %.*s,  # ", MT_ARG(key), MT_ARG(of));
        gn_remark(&body, ct_type_spell(f->a, x->type));
        mt_buf_addc(&body, '\n');
    }
    mt_buf_addf(&f->declarations, "%.*s = TypedDict(\"%.*s\", {\n%.*s})\n\n",
                MT_ARG(name), MT_ARG(name), MT_ARG(mt_buf_str(&body)));
    mt_buf_free(&body);
    return name;
}

/* One TypedDict per variant, and their union. */
static mt_str union_type(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_str name = gn_type_name(f, path);
    mt_buf cases = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.variants[i];
        mt_str of = gn_spell(f, x->type, gn_path(f, path, x->name));
        mt_str one =
            gn_type_name(f, gn_path(f, gn_path(f, path, x->name), MT_STR("case")));
        mt_str tag = gn_quote(f, x->name);
        mt_buf_addf(&f->declarations,
                    "%.*s = TypedDict(\"%.*s\", {\"payload\": %.*s, \"tag\": "
                    "Literal[%.*s]})\n",
                    MT_ARG(one), MT_ARG(one), MT_ARG(of), MT_ARG(tag));
        mt_buf_addf(&cases, "%s%.*s", i ? ", " : "", MT_ARG(one));
    }
    mt_buf_addf(&f->declarations, "%.*s = Union[%.*s]\n\n", MT_ARG(name),
                MT_ARG(mt_buf_str(&cases)));
    mt_buf_free(&cases);
    return name;
}

/* Literal["a", "b"]; str where there is none, because Literal[] is a mistake. */
static mt_str literals(gn_file_of *f, const mt_str *texts, size_t count)
{
    mt_str all = gn_quoted(f, texts, count, ", ", "");
    return count ? mt_strf(f->a, "Literal[%.*s]", MT_ARG(all)) : MT_STR("str");
}

/* Decimal is str: JSON has it as text, and float would lose digits. */
static mt_str scalar(gn_file_of *f, const ct_type *t)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: return MT_STR("bool");
    case LN_INTEGER: return ct_is_day(t) ? MT_STR("str") : MT_STR("int");
    case LN_CHOICE: return literals(f, t->as.values, t->count);
    case LN_DECIMAL:
    case LN_TEXT:
    case LN_TIME:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return MT_STR("str");
}

/* NAME = TypedDict("NAME", {members}). The same name twice, as type checkers demand. */
static mt_str declared(gn_file_of *f, mt_str path, mt_str members)
{
    mt_str name = gn_type_name(f, path);
    mt_buf_addf(&f->declarations, "%.*s = TypedDict(\"%.*s\", {%.*s})\n\n",
                MT_ARG(name), MT_ARG(name), MT_ARG(members));
    return name;
}

/* With a `kind` as a result, without (NULL) as a fact. */
static mt_str money_or_duration(gn_file_of *f, const ct_type *t, mt_str path,
                                const char *kind)
{
    mt_str first =
        kind ? mt_strf(f->a, "\"kind\": Literal[\"%s\"], ", kind) : MT_STR("");
    if (ct_has(t, LN_CURRENCY)) {
        mt_str currency = gn_quote(f, t->as.currency);
        return declared(f, path,
                        mt_strf(f->a,
                                "%.*s\"amount\": str, \"currency\": "
                                "Literal[%.*s]",
                                MT_ARG(first), MT_ARG(currency)));
    }
    return declared(f, path,
                    mt_strf(f->a, "%.*s\"unit\": Literal[\"%s\"], \"value\": int",
                            MT_ARG(first), CT_UNIT_NAMES[t->unit]));
}

static mt_str spell_other(gn_file_of *f, const ct_type *t, mt_str path)
{
    return ct_has(t, LN_CURRENCY | LN_UNIT) ? money_or_duration(f, t, path, NULL)
                                            : scalar(f, t);
}

static const gn_speller PYTHON = {record_type, union_type, spell_other, "list[", "]"};

/* ---- Results ---- */

static mt_str result(gn_file_of *f, const ct_type *t, mt_str path);

/* {"kind": "record_value", "fields": {…}}: two
 * TypedDicts, since they cannot be written in place. */
static mt_str record_result(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_buf fields = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.fields[i];
        mt_str of = result(f, x->type, gn_path(f, path, x->name));
        mt_str key = gn_quote(f, x->name);
        mt_buf_addf(&fields, "%s%.*s: %.*s", i ? ", " : "", MT_ARG(key), MT_ARG(of));
    }
    mt_str inner =
        declared(f, gn_path(f, path, MT_STR("fields")), gn_kept(f->a, &fields));
    return declared(f, path,
                    mt_strf(f->a, "\"kind\": Literal[\"%s\"], \"fields\": %.*s",
                            gn_kind_of(t), MT_ARG(inner)));
}

/* A TypedDict per variant, told apart by `tag`. The union itself needs no name here. */
static mt_str union_result(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_buf cases = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.variants[i];
        mt_str inside = gn_path(f, path, x->name);
        mt_str of = result(f, x->type, inside), tag = gn_quote(f, x->name);
        mt_str one =
            declared(f, gn_path(f, inside, MT_STR("case")),
                     mt_strf(f->a,
                             "\"kind\": Literal[\"%s\"], \"payload\": %.*s, \"tag\": "
                             "Literal[%.*s]",
                             gn_kind_of(t), MT_ARG(of), MT_ARG(tag)));
        mt_buf_addf(&cases, "%s%.*s", i ? ", " : "Union[", MT_ARG(one));
    }
    mt_buf_addc(&cases, ']');
    return gn_kept(f->a, &cases);
}

/* The type of a value in a result. */
static mt_str result(gn_file_of *f, const ct_type *t, mt_str path)
{
    if (ct_held(t) == LN_RECORD) {
        return record_result(f, t, path);
    }
    if (ct_held(t) == LN_VARIANT) {
        return union_result(f, t, path);
    }
    if (ct_has(t, LN_CURRENCY | LN_UNIT)) {
        return money_or_duration(f, t, path, gn_kind_of(t));
    }
    bool list = ct_held(t) == LN_LIST;
    mt_str of = list ? result(f, t->as.list.element, gn_path(f, path, MT_STR("item")))
                     : scalar(f, t);
    return declared(f, path,
                    mt_strf(f->a,
                            list ? "\"kind\": Literal[\"%s\"], \"elements\": list[%.*s]"
                                 : "\"kind\": Literal[\"%s\"], \"value\": %.*s",
                            gn_kind_of(t), MT_ARG(of)));
}

/* ---- Parts of the file ---- */

/* Moves what was declared to the file. It must be empty when the file ends (gn_end). */
static void flush(gn_file_of *f)
{
    mt_buf_adds(&f->out, mt_buf_str(&f->declarations));
    mt_buf_clear(&f->declarations);
}

/* NotRequired is not Optional: a fact may be left out, but not be None. */
static void facts(gn_file_of *f)
{
    mt_buf whole = {0}, given = {0};
    for (uint32_t i = 0; i < f->m->fact_count; i++) {
        const ct_fact *x = &f->m->facts[i];
        mt_str of = gn_spell(f, x->type, x->id), key = gn_quote(f, x->id);
        mt_str about = gn_about_fact(f, i);
        mt_buf_addf(&whole,
                    x->otherwise ? "    %.*s: NotRequired[%.*s],  # %.*s\n"
                                 : "    %.*s: %.*s,  # %.*s\n",
                    MT_ARG(key), MT_ARG(of), MT_ARG(about));
        mt_buf_addf(&given, "    %.*s: NotRequired[%.*s],\n", MT_ARG(key), MT_ARG(of));
    }
    flush(f);
    mt_buf_addf(&f->out,
                "# The facts of the contract. Those with a default may be left out.\n"
                "Facts = TypedDict(\"Facts\", {\n%.*s})\n\n# Some of them.\n"
                "GivenFacts = TypedDict(\"GivenFacts\", {\n%.*s})\n\n",
                MT_ARG(mt_buf_str(&whole)), MT_ARG(mt_buf_str(&given)));
    mt_buf_free(&whole);
    mt_buf_free(&given);
}

/* A TypedDict per case, and the union of all. `Any` where there is none. */
static void close_union(gn_file_of *f, const char *name, mt_buf *cases)
{
    flush(f);
    mt_str all = gn_kept(f->a, cases);
    mt_buf_addf(&f->out, all.len ? "%s = Union[%.*s]\n\n" : "%s = Any%.*s\n\n", name,
                MT_ARG(all));
}

/* "A, B", for Union[A, B]. */
static void add_case(mt_buf *cases, mt_str name)
{
    mt_buf_addf(cases, "%s%.*s", cases->len ? ", " : "", MT_ARG(name));
}

/* Changes and instances are typed per entity, so
 * that a type checker knows which states there are. */
static void entities(gn_file_of *f)
{
    mt_buf changes = {0}, instances = {0};
    gn_texts all = gn_entities(f);
    mt_str names = literals(f, all.items, all.len);
    mt_buf_addf(&f->out, "Entity = %.*s\n", MT_ARG(names));
    for (uint32_t i = 0; i < f->m->entity_count; i++) {
        const ct_entity *e = &f->m->entities[i];
        mt_str states = literals(f, e->states, e->state_count), id = gn_quote(f, e->id);
        mt_str state = gn_type_name(f, gn_path(f, e->id, MT_STR("state")));
        mt_buf_addf(&f->out, "%.*s = %.*s\n", MT_ARG(state), MT_ARG(states));
        add_case(&changes, declared(f, gn_path(f, e->id, MT_STR("change")),
                                    mt_strf(f->a,
                                            "\"entity_id\": Literal[%.*s], "
                                            "\"instance_id\": str, \"from\": %.*s, "
                                            "\"to\": %.*s",
                                            MT_ARG(id), MT_ARG(state), MT_ARG(state))));
        add_case(&instances,
                 declared(f, gn_path(f, e->id, MT_STR("instance")),
                          mt_strf(f->a,
                                  "\"entity\": Literal[%.*s], \"id\": str, \"state\": "
                                  "%.*s, \"version\": int, \"created_at\": str, "
                                  "\"updated_at\": str",
                                  MT_ARG(id), MT_ARG(state))));
    }
    mt_buf_addc(&f->out, '\n');
    close_union(f, "Change", &changes);
    close_union(f, "Instance", &instances);
}

/* One TypedDict per verdict, with the rule's condition as a comment above it. */
static void verdicts(gn_file_of *f)
{
    mt_buf cases = {0};
    for (uint32_t i = 0; i < f->m->rule_count; i++) {
        const ct_rule *r = &f->m->rules[i];
        mt_str path = gn_path(f, r->verdict, MT_STR("verdict"));
        mt_str of = result(f, r->payload_type, gn_path(f, path, MT_STR("payload")));
        mt_str type = gn_quote(f, r->verdict), about = gn_about_rule(f, i);
        mt_buf_addf(&f->declarations, "# %.*s\n", MT_ARG(about));
        add_case(&cases, declared(f, path,
                                  mt_strf(f->a,
                                          "\"type\": Literal[%.*s], \"payload\": %.*s, "
                                          "\"provenance\": Provenance",
                                          MT_ARG(type), MT_ARG(of))));
    }
    close_union(f, "Verdict", &cases);
    mt_buf_addz(&f->out, "Evaluation = TypedDict(\"Evaluation\", {\"contract\": str, "
                         "\"etag\": str, \"verdicts\": list[Verdict]})\n\n");
}

/* `outcomes` is the members that tell how it came
 * out, which differ between operations and flows. */
static mt_str answer(gn_file_of *f, mt_str id, const char *what, mt_str outcomes)
{
    mt_str key = gn_quote(f, id);
    return declared(
        f, gn_path(f, id, MT_STR("answer")),
        mt_strf(f->a,
                "\"%s\": Literal[%.*s], %.*s, \"changes\": NotRequired[list[Change]], "
                "\"contract\": str, \"etag\": str, \"simulation\": NotRequired[bool]",
                what, MT_ARG(key), MT_ARG(outcomes)));
}

/* One overload per operation goes to `methods`, which the template's operate() gets. */
static void answers(gn_file_of *f, mt_buf *methods)
{
    mt_buf operations = {0}, flows = {0};
    for (uint32_t i = 0; i < f->m->operation_count; i++) {
        const ct_operation *o = &f->m->operations[i];
        gn_texts who = gn_operation_personas(f, i);
        mt_str outcomes = literals(f, o->outcomes, o->outcome_count);
        mt_str personas = literals(f, who.items, who.len);
        mt_str about = gn_about_operation(f, i), key = gn_quote(f, o->id);
        mt_buf_addf(&f->declarations, "# %.*s\n", MT_ARG(about));
        mt_str name = answer(f, o->id, "operation",
                             mt_strf(f->a,
                                     "\"outcome\": %.*s, \"persona\": str, \"record\": "
                                     "NotRequired[int], \"provenance\": Any",
                                     MT_ARG(outcomes)));
        add_case(&operations, name);
        mt_buf_addf(methods,
                    "    @overload\n    def operate(self, operation: Literal[%.*s], *, "
                    "persona: %.*s,\n                bindings: Optional[Bindings] = "
                    "..., facts: Optional[GivenFacts] = ...,\n                outcome: "
                    "Optional[%.*s] = ..., dry_run: bool = ...,\n                "
                    "idempotency_key: Optional[str] = ...) -> %.*s: ...\n\n",
                    MT_ARG(key), MT_ARG(personas), MT_ARG(outcomes), MT_ARG(name));
    }
    for (uint32_t i = 0; i < f->m->flow_count; i++) {
        gn_texts ends = gn_flow_outcomes(f, i);
        mt_str outcomes = literals(f, ends.items, ends.len);
        mt_str name = answer(
            f, gn_path(f, f->m->flows[i].id, MT_STR("flow")), "flow",
            mt_strf(f->a,
                    "\"id\": NotRequired[str], \"status\": FlowStatus, \"outcome\": "
                    "NotRequired[%.*s], \"waiting\": NotRequired[Any], \"error\": "
                    "NotRequired[str]",
                    MT_ARG(outcomes)));
        add_case(&flows, name);
    }
    close_union(f, "OperationAnswer", &operations);
    close_union(f, "FlowAnswer", &flows);
}

/* Cannot fail. The overloads take the place of `@p@` in the template. */
size_t gn_python(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files)
{
    gn_file_of f = gn_begin(a, in, RESERVED, &PYTHON);
    gn_texts all = gn_personas(&f);
    mt_str personas = literals(&f, all.items, all.len);
    mt_str id = gn_quote(&f, in->model->id);
    mt_buf methods = {0};
    gn_texts flows = {0};
    (void)ds;
    for (uint32_t i = 0; i < in->model->flow_count; i++) {
        mt_vec_push(a, &flows, in->model->flows[i].id);
    }
    mt_buf_addf(&f.out,
                "# Made by `motet generate python` from contract %.*s,\n# etag %.*s.\n"
                "# Do not change it: generate it again.\n%s\nCONTRACT = %.*s\nETAG = "
                "\"%.*s\"\n\nPersona = %.*s\nFlow = %.*s\n",
                MT_ARG(id), MT_ARG(in->etag), GN_HEAD_PY, MT_ARG(id), MT_ARG(in->etag),
                MT_ARG(personas), MT_ARG(literals(&f, flows.items, flows.len)));
    facts(&f);
    entities(&f);
    verdicts(&f);
    answers(&f, &methods);
    /* mypy wants two overloads or none. */
    mt_str overloads =
        in->model->operation_count > 1 ? mt_buf_str(&methods) : MT_STR("");
    gn_fill(&f.out, GN_CLIENT_PY, overloads, MT_STR(""));
    mt_buf_free(&methods);
    files[0] = gn_end(&f, mt_strf(a, "%.*s.py", MT_ARG(in->prefix)));
    return 1;
}
