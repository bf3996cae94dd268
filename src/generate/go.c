/* generate/go.c - types of a contract and a typed client, in Go.
 *
 * Records are structs, enums and outcomes are texts with constants, unions are structs
 * of pointers that read and write themselves. Payloads of verdicts are read on demand,
 * by a method per verdict. The client (client.go.in) needs the standard library only,
 * and Go 1.19. */
#include "generate/embedded.h"
#include "generate/words.h"

/* Names of client.go.in and words of Go that a generated name could meet. Whoever adds
 * a type to the client adds it here. */
static const char *const RESERVED[] = {
    "Facts",      "GivenFacts",  "Verdict",    "Client",   "Problem",    "Change",
    "Evaluation", "Instance",    "Persona",    "Entity",   "Money",      "Duration",
    "List",       "Act",         "Provenance", "Bool",     "FlowStatus", "Contract",
    "ETag",       "New",         "Error",      "String",   "Waiting",    "break",
    "case",       "chan",        "const",      "continue", "default",    "defer",
    "else",       "fallthrough", "for",        "func",     "go",         "goto",
    "if",         "import",      "interface",  "map",      "package",    "range",
    "return",     "select",      "struct",     "switch",   "type",       "var",
    NULL};

/* A type of texts, and a constant for each: type EscrowState
 * string; const EscrowStateHeld EscrowState = "held".
 * Constants share the package's scope, so they carry the path. */
static mt_str choice_type(gn_file_of *f, mt_buf *out, mt_str path, const mt_str *values,
                          size_t count)
{
    mt_str name = gn_type_name(f, path);
    mt_buf_addf(out, "type %.*s string\n\n", MT_ARG(name));
    mt_buf_addz(out, count ? "const (\n" : "");
    for (size_t i = 0; i < count; i++) {
        mt_str one = gn_type_name(f, gn_path(f, path, values[i]));
        mt_str text = gn_quote(f, values[i]);
        mt_buf_addf(out, "\t%.*s %.*s = %.*s\n", MT_ARG(one), MT_ARG(name),
                    MT_ARG(text));
    }
    mt_buf_addz(out, count ? ")\n\n" : "");
    return name;
}

/* Fields begin with a capital, or encoding/json
 * does not see them; the tag has the true name. */
static mt_str record_type(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_str name = gn_type_name(f, path);
    gn_scope fields = {.a = f->a};
    mt_buf body = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.fields[i];
        mt_str of = gn_spell(f, x->type, gn_path(f, path, x->name));
        mt_str field = gn_unique(&fields, gn_camel(f->a, x->name));
        mt_buf_addf(&body, "\t%.*s %.*s `json:\"%.*s\"` // ", MT_ARG(field), MT_ARG(of),
                    MT_ARG(x->name));
        gn_remark(&body, ct_type_spell(f->a, x->type));
        mt_buf_addc(&body, '\n');
    }
    mt_buf_addf(&f->declarations, "type %.*s struct {\n%.*s}\n\n", MT_ARG(name),
                MT_ARG(mt_buf_str(&body)));
    mt_buf_free(&body);
    return name;
}

/* Exactly one pointer is set, and says the tag. Go has no unions, so the type reads and
 * writes {"tag": …, "payload": …} itself. */
static mt_str union_type(gn_file_of *f, const ct_type *t, mt_str path)
{
    mt_str name = gn_type_name(f, path);
    gn_scope fields = {.a = f->a};
    mt_buf body = {0}, write = {0}, read = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *x = &t->as.variants[i];
        mt_str of = gn_spell(f, x->type, gn_path(f, path, x->name));
        mt_str field = gn_unique(&fields, gn_camel(f->a, x->name));
        mt_str tag = gn_quote(f, x->name);
        mt_buf_addf(&body, "\t%.*s *%.*s\n", MT_ARG(field), MT_ARG(of));
        mt_buf_addf(&write,
                    "\tif u.%.*s != nil {\n\t\treturn json.Marshal(tagged{%.*s, "
                    "u.%.*s})\n\t}\n",
                    MT_ARG(field), MT_ARG(tag), MT_ARG(field));
        mt_buf_addf(&read,
                    "\tcase %.*s:\n\t\tu.%.*s = new(%.*s)\n\t\treturn "
                    "json.Unmarshal(in.Payload, u.%.*s)\n",
                    MT_ARG(tag), MT_ARG(field), MT_ARG(of), MT_ARG(field));
    }
    mt_buf_addf(&f->declarations,
                "// One of its members is set.\ntype %.*s struct {\n%.*s}\n\n"
                "func (u %.*s) MarshalJSON() ([]byte, error) {\n%.*s\treturn nil, "
                "errors.New(\"no variant of %.*s is set\")\n}\n\n"
                "func (u *%.*s) UnmarshalJSON(data []byte) error {\n\tvar in "
                "taggedRaw\n\tif err := json.Unmarshal(data, &in); err != nil "
                "{\n\t\treturn err\n\t}\n\tswitch in.Tag {\n%.*s\t}\n\treturn "
                "errors.New(\"no such variant: \" + in.Tag)\n}\n\n",
                MT_ARG(name), MT_ARG(mt_buf_str(&body)), MT_ARG(name),
                MT_ARG(mt_buf_str(&write)), MT_ARG(name), MT_ARG(name),
                MT_ARG(mt_buf_str(&read)));
    mt_buf_free(&body);
    mt_buf_free(&write);
    mt_buf_free(&read);
    return name;
}

/* Decimals are text, as float64 would lose digits;
 * moments and days are text as they are sent. */
static mt_str scalar(const ct_type *t)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: return MT_STR("bool");
    case LN_INTEGER:
        return ct_has(t, LN_UNIT) ? MT_STR("Duration")
               : ct_is_day(t)     ? MT_STR("string")
                                  : MT_STR("int64");
    case LN_DECIMAL: return ct_has(t, LN_CURRENCY) ? MT_STR("Money") : MT_STR("string");
    case LN_TEXT:
    case LN_CHOICE:
    case LN_TIME:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return MT_STR("string");
}

static mt_str spell_other(gn_file_of *f, const ct_type *t, mt_str path)
{
    return ct_held(t) == LN_CHOICE
               ? choice_type(f, &f->declarations, path, t->as.values, t->count)
               : scalar(t);
}

static const gn_speller GO = {record_type, union_type, spell_other, "List[", "]"};

/* The type of a value in a result, without names: nested anonymous structs. The payload
 * of a union stays raw JSON, since its shape depends on the tag. */
static void result(gn_file_of *f, mt_buf *out, const ct_type *t)
{
    gn_scope fields = {.a = f->a};
    mt_buf_addz(out, "struct {\nKind string `json:\"kind\"`\n");
    if (ct_held(t) == LN_RECORD) {
        mt_buf_addz(out, "Fields struct {\n");
        for (uint32_t i = 0; i < t->count; i++) {
            mt_str name = gn_unique(&fields, gn_camel(f->a, t->as.fields[i].name));
            mt_buf_addf(out, "%.*s ", MT_ARG(name));
            result(f, out, t->as.fields[i].type);
            mt_buf_addf(out, " `json:\"%.*s\"`\n", MT_ARG(t->as.fields[i].name));
        }
        mt_buf_addz(out, "} `json:\"fields\"`\n");
    } else if (ct_held(t) == LN_LIST) {
        mt_buf_addz(out, "Elements []");
        result(f, out, t->as.list.element);
        mt_buf_addz(out, " `json:\"elements\"`\n");
    } else if (ct_held(t) == LN_VARIANT) {
        mt_buf_addz(out, "Tag string `json:\"tag\"`\nPayload json.RawMessage "
                         "`json:\"payload\"`\n");
    } else if (ct_has(t, LN_CURRENCY)) {
        mt_buf_addz(out, "Amount string `json:\"amount\"`\nCurrency string "
                         "`json:\"currency\"`\n");
    } else {
        mt_str value = ct_has(t, LN_UNIT) ? MT_STR("int64") : scalar(t);
        mt_buf_addf(out, "Value %.*s `json:\"value\"`\n", MT_ARG(value));
        mt_buf_addz(out, ct_has(t, LN_UNIT) ? "Unit string `json:\"unit\"`\n" : "");
    }
    mt_buf_addc(out, '}');
}

/* ---- Parts of the file ---- */

/* Facts: with a default a pointer, which nil leaves out. GivenFacts: all pointers, for
 * operations whose other facts the server fetches. */
static void facts(gn_file_of *f)
{
    gn_scope fields = {.a = f->a};
    mt_buf whole = {0}, given = {0};
    for (uint32_t i = 0; i < f->m->fact_count; i++) {
        const ct_fact *x = &f->m->facts[i];
        mt_str of = gn_spell(f, x->type, x->id), about = gn_about_fact(f, i);
        mt_str name = gn_unique(&fields, gn_camel(f->a, x->id));
        mt_buf_addf(&whole, "\t%.*s %s%.*s `json:\"%.*s%s\"` // %.*s\n", MT_ARG(name),
                    x->otherwise ? "*" : "", MT_ARG(of), MT_ARG(x->id),
                    x->otherwise ? ",omitempty" : "", MT_ARG(about));
        mt_buf_addf(&given, "\t%.*s *%.*s `json:\"%.*s,omitempty\"`\n", MT_ARG(name),
                    MT_ARG(of), MT_ARG(x->id));
    }
    mt_buf_adds(&f->out, mt_buf_str(&f->declarations));
    mt_buf_addf(
        &f->out,
        "// Facts of the contract. Those with a default may be nil.\ntype Facts "
        "struct {\n%.*s}\n\n// GivenFacts are some of them.\ntype GivenFacts "
        "struct {\n%.*s}\n\n",
        MT_ARG(mt_buf_str(&whole)), MT_ARG(mt_buf_str(&given)));
    mt_buf_free(&whole);
    mt_buf_free(&given);
}

/* Constants for names, so that a slip is found by
 * the compiler; and a type of states per entity. */
static void entities(gn_file_of *f)
{
    gn_texts all = gn_entities(f), who = gn_personas(f);
    mt_buf_addz(&f->out, "type Entity string\n\ntype Persona string\n\nconst (\n");
    for (size_t i = 0; i < all.len; i++) {
        mt_str name = gn_type_name(f, gn_path(f, MT_STR("entity"), all.items[i]));
        mt_str text = gn_quote(f, all.items[i]);
        mt_buf_addf(&f->out, "\t%.*s Entity = %.*s\n", MT_ARG(name), MT_ARG(text));
    }
    for (size_t i = 0; i < who.len; i++) {
        mt_str name = gn_type_name(f, gn_path(f, MT_STR("persona"), who.items[i]));
        mt_str text = gn_quote(f, who.items[i]);
        mt_buf_addf(&f->out, "\t%.*s Persona = %.*s\n", MT_ARG(name), MT_ARG(text));
    }
    mt_buf_addz(&f->out, ")\n\n");
    for (uint32_t i = 0; i < f->m->entity_count; i++) {
        const ct_entity *e = &f->m->entities[i];
        mt_buf_addf(&f->out, "// The states of %.*s.\n", MT_ARG(e->id));
        choice_type(f, &f->out, gn_path(f, e->id, MT_STR("state")), e->states,
                    e->state_count);
    }
}

/* A method per verdict instead of a field: a
 * payload is read when somebody asks for it. */
static void verdicts(gn_file_of *f)
{
    for (uint32_t i = 0; i < f->m->rule_count; i++) {
        const ct_rule *r = &f->m->rules[i];
        mt_str type = gn_type_name(f, gn_path(f, r->verdict, MT_STR("payload")));
        mt_str method = gn_type_name(f, gn_path(f, MT_STR("verdict"), r->verdict));
        mt_str text = gn_quote(f, r->verdict), about = gn_about_rule(f, i);
        mt_buf_addf(&f->out, "type %.*s ", MT_ARG(type));
        result(f, &f->out, r->payload_type);
        mt_buf_addf(&f->out,
                    "\n\n// %.*s: nil if it is absent.\n// %.*s\nfunc (e *Evaluation) "
                    "%.*s() (*%.*s, error) {\n\treturn payload[%.*s](e, %.*s)\n}\n\n",
                    MT_ARG(method), MT_ARG(about), MT_ARG(method), MT_ARG(type),
                    MT_ARG(type), MT_ARG(text));
    }
}

/* An operation or flow: its outcomes, its answer, its method. `what` is "Operation" or
 * "Flow", with which the embedded answer's type begins. A flow may answer without an
 * outcome, as it may wait. */
static void act(gn_file_of *f, const char *what, const char *verb, mt_str id,
                mt_str about, const mt_str *outcomes, size_t count)
{
    mt_str path = gn_path(f, mt_str_z(what), id), text = gn_quote(f, id);
    mt_str outcome =
        choice_type(f, &f->out, gn_path(f, path, MT_STR("outcome")), outcomes, count);
    mt_str answer = gn_type_name(f, gn_path(f, path, MT_STR("answer")));
    mt_str method = gn_type_name(f, gn_path(f, mt_str_z(verb), id));
    mt_buf_addf(&f->out,
                "type %.*s struct {\n\t%sAnswer\n\tOutcome %.*s "
                "`json:\"outcome%s\"`\n}\n\n// %.*s\n// %.*s\nfunc (c *Client) "
                "%.*s(ctx context.Context, in Act) (*%.*s, error) {\n\tout := "
                "new(%.*s)\n\treturn out, c.call(ctx, \"POST\", "
                "[]string{\"contracts\", Contract, \"%ss\", %.*s}, in, "
                "in.IdempotencyKey, out)\n}\n\n",
                MT_ARG(answer), what, MT_ARG(outcome), *what == 'F' ? ",omitempty" : "",
                MT_ARG(method), MT_ARG(about), MT_ARG(method), MT_ARG(answer),
                MT_ARG(answer), *what == 'F' ? "flow" : "operation", MT_ARG(text));
}

/* An operation's outcomes are declared, those of a flow are gathered from its steps. */
static void acts(gn_file_of *f)
{
    for (uint32_t i = 0; i < f->m->operation_count; i++) {
        const ct_operation *o = &f->m->operations[i];
        act(f, "Operation", "operate", o->id, gn_about_operation(f, i), o->outcomes,
            o->outcome_count);
    }
    for (uint32_t i = 0; i < f->m->flow_count; i++) {
        gn_texts ends = gn_flow_outcomes(f, i);
        act(f, "Flow", "start", f->m->flows[i].id, gn_about_flow(f, i), ends.items,
            ends.len);
    }
}

/* Cannot fail. The package has the prefix as its name, or one
 * that is not a word of Go. Order: head, facts, entities,
 * verdicts, acts, the client, which names types of all of them. */
size_t gn_go(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files)
{
    gn_file_of f = gn_begin(a, in, RESERVED, &GO);
    mt_str id = gn_quote(&f, in->model->id);
    gn_scope package = {.a = a, .words = RESERVED};
    mt_str name = gn_unique(&package, in->prefix);
    (void)ds;
    gn_unique(&f.names, MT_STR("OperationAnswer"));
    gn_unique(&f.names, MT_STR("FlowAnswer"));
    mt_buf_addf(
        &f.out,
        "// Code generated by `motet generate go` from contract %.*s,\n// etag "
        "%.*s. DO NOT EDIT.\n\n// Package %.*s has the types of the contract "
        "and a client of its routes.\npackage %.*s\n\n%s\nconst (\n\tContract = "
        "%.*s\n\tETag = \"%.*s\"\n)\n\n",
        MT_ARG(id), MT_ARG(in->etag), MT_ARG(name), MT_ARG(name), GN_HEAD_GO,
        MT_ARG(id), MT_ARG(in->etag));
    facts(&f);
    entities(&f);
    verdicts(&f);
    acts(&f);
    mt_buf_addz(&f.out, GN_CLIENT_GO);
    files[0] = gn_end(&f, mt_strf(a, "%.*s.go", MT_ARG(in->prefix)));
    return 1;
}
