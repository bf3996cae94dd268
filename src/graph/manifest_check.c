/* graph/manifest_check.c - the rules of the four kinds of primitive.
 *
 * One row per kind says which rule id a common check reports and which types its ports
 * and parameters may have; what only one kind has follows in its own function. All
 * faults of a manifest are reported, each with its rule, its place and what to do.
 *
 * Order: id and version, ports, parameters, promises (state, side effects,
 * determinism, cadence), then the kind's own rules: context keys of a Source, outputs
 * of a Compute, the one event of a Trigger, writes and intents of an Action with their
 * mirrors.
 *
 * The reader (manifest_read.c) has checked the form already; here every field has its
 * kind. Answers whether nothing was reported. */
#include "graph/manifest.h"
#include "graph/report.h"
#include "graph/version.h"

typedef struct rules {
    const char *id, *version, *input_names, *input_types, *cardinality, *output_names,
        *output_types, *state, *side_effects, *deterministic, *cadence, *param_types,
        *default_type;
    unsigned inputs, outputs, params; /* sets of allowed types, 1 << type */
} rules;

#define T(name) (1u << GR_##name)
#define P(name) (1u << GR_P_##name)

static const unsigned ANY_PARAM = P(INT) | P(NUMBER) | P(BOOL) | P(STRING) | P(ENUM);

/* clang-format off */
static const rules RULES[] = {
    [GR_SOURCE]  = {"SRC-1", "SRC-2", "SRC-4", "SRC-4", "SRC-4", "SRC-6", "SRC-7", "SRC-8", "SRC-9",
                    "SRC-12", "SRC-13", "SRC-15", "SRC-15",
                    0, T(NUMBER) | T(SERIES) | T(BOOL) | T(STRING),
                    P(INT) | P(NUMBER) | P(BOOL) | P(STRING) | P(ENUM)},
    [GR_COMPUTE] = {"CMP-1", "CMP-2", "CMP-5", "CMP-13", "CMP-14", "CMP-7", "CMP-20", NULL, "CMP-8",
                    "CMP-17", "CMP-16", "CMP-15", "CMP-19",
                    T(NUMBER) | T(SERIES) | T(BOOL), T(NUMBER) | T(SERIES) | T(BOOL) | T(STRING),
                    P(NUMBER) | P(BOOL)},
    [GR_TRIGGER] = {"TRG-1", "TRG-2", "TRG-5", "TRG-6", "TRG-12", "TRG-7", "TRG-8", "TRG-9", "TRG-10",
                    "TRG-11", NULL, "TRG-14", "TRG-14",
                    T(NUMBER) | T(SERIES) | T(BOOL) | T(EVENT), T(EVENT),
                    P(INT) | P(NUMBER) | P(BOOL) | P(STRING) | P(ENUM)},
    [GR_ACTION]  = {"ACT-1", "ACT-2", "ACT-5", "ACT-6", "ACT-6", "ACT-7", "ACT-9", "ACT-10", "ACT-11",
                    "ACT-17", NULL, "ACT-19", "ACT-19",
                    T(NUMBER) | T(SERIES) | T(BOOL) | T(STRING) | T(EVENT), T(EVENT),
                    P(INT) | P(NUMBER) | P(BOOL) | P(STRING) | P(ENUM)},
};
MT_TABLE_COVERS(RULES, GR_ACTION + 1);
/* clang-format on */

typedef struct checker {
    const gr_manifest *m;
    const rules *rules;
    gr_subject subject;
    size_t before; /* errors that were there already */
} checker;

#define REPORT(c, rule, at, path, fix, ...)                                            \
    gr_report(&(c)->subject, (rule), (at), MT_STR(path), (fix), __VA_ARGS__)

/* Form only; whether the id is free is the registry's. */
static void check_header(checker *c)
{
    gr_version version;
    if (!gr_id_ok(c->m->id)) {
        REPORT(c, c->rules->id, 0, "$.id",
               "use lower-case letters, digits and _, beginning with a letter",
               "id \"%.*s\" is not a valid id", MT_ARG(c->m->id));
    }
    if (!gr_version_read(c->m->version, &version)) {
        REPORT(c, c->rules->version, 0, "$.version", "write three numbers, like 1.0.0",
               "version \"%.*s\" is not a semantic version", MT_ARG(c->m->version));
    }
}

static bool port_name_ok(mt_str name)
{
    return name.len && mt_str_find(name, '.') == name.len &&
           mt_str_find(name, ' ') == name.len;
}

static bool named_before(const gr_port *ports, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (mt_str_eq(ports[k].name, ports[i].name)) {
            return true;
        }
    }
    return false;
}

/* "a Compute", "an Action". */
static const char *article_of(gr_kind kind)
{
    return kind == GR_ACTION ? "an" : "a";
}

static void report_port_type(checker *c, const gr_port *p, bool input)
{
    const char *rule = input ? c->rules->input_types : c->rules->output_types;
    mt_str path = input ? MT_STR("$.inputs") : MT_STR("$.outputs");
    const char *title = gr_kind_title(c->m->kind);
    if (p->type == GR_NONE) {
        gr_report(&c->subject, rule, p->at, path,
                  "write number, series, bool, string or event",
                  "port \"%.*s\" has no type that is known", MT_ARG(p->name));
    } else {
        gr_report(&c->subject, rule, p->at, path,
                  "use a type this kind of primitive may have",
                  "port \"%.*s\" of %s %s cannot be %s", MT_ARG(p->name),
                  article_of(c->m->kind), title, gr_type_name(p->type));
    }
}

/* Names, repetition, types, each by the kind's own rule. */
static void check_ports(checker *c, const gr_port *ports, uint32_t count, bool input)
{
    mt_str path = input ? MT_STR("$.inputs") : MT_STR("$.outputs");
    unsigned allowed = input ? c->rules->inputs : c->rules->outputs;
    for (uint32_t i = 0; i < count; i++) {
        const gr_port *p = &ports[i];
        if (!port_name_ok(p->name)) {
            gr_report(&c->subject, "manifest.decode", p->at, path,
                      "give every port a name without dots and spaces",
                      "\"%.*s\" is not a port name", MT_ARG(p->name));
        }
        if (named_before(ports, i)) {
            gr_report(&c->subject,
                      input ? c->rules->input_names : c->rules->output_names, p->at,
                      path, "give every port its own name",
                      "two ports are named \"%.*s\"", MT_ARG(p->name));
        }
        if (!(allowed & 1u << p->type)) {
            report_port_type(c, p, input);
        }
        if (p->multiple) {
            gr_report(&c->subject, c->rules->cardinality, p->at, path,
                      "use cardinality single", "port \"%.*s\" is not single",
                      MT_ARG(p->name));
        }
    }
}

/* Types and defaults; a Compute may have fewer types. */
static void check_params(checker *c)
{
    unsigned allowed = c->m->kind == GR_COMPUTE ? c->rules->params : ANY_PARAM;
    for (uint32_t i = 0; i < c->m->param_count; i++) {
        const gr_param *p = &c->m->params[i];
        if (gr_param_index(c->m, p->name) != (int)i) {
            REPORT(c, "D.9", p->at, "$.parameters", "give every parameter its own name",
                   "two parameters are named \"%.*s\"", MT_ARG(p->name));
        }
        if (!(allowed & 1u << p->type)) {
            REPORT(c, c->rules->param_types, p->at, "$.parameters",
                   "use a type this kind of primitive may have",
                   "parameter \"%.*s\" cannot have this type", MT_ARG(p->name));
        } else if (p->initial.type != GR_P_NONE && p->initial.type != p->type) {
            REPORT(c, c->rules->default_type, p->at, "$.parameters",
                   "make the default a value of the declared type",
                   "the default of \"%.*s\" is %s, not %s", MT_ARG(p->name),
                   gr_param_type_name(p->initial.type), gr_param_type_name(p->type));
        }
    }
}

/* What a primitive says about itself must be what its kind demands. */
static void check_promises(checker *c)
{
    const gr_manifest *m = c->m;
    bool action = m->kind == GR_ACTION;
    if (!m->deterministic) {
        REPORT(c, c->rules->deterministic, 0, "$.execution.deterministic",
               "primitives must be deterministic", "deterministic is not true");
    }
    if (c->rules->cadence && !m->continuous) {
        REPORT(c, c->rules->cadence, 0, "$.execution.cadence", "use cadence continuous",
               "cadence is not continuous");
    }
    if (c->rules->state && m->state_allowed) {
        REPORT(c, c->rules->state, 0, "$.state.allowed",
               "keep memory in the context: a Source reads it, an Action writes it",
               "a %s has no state", gr_kind_title(m->kind));
    }
    if (m->side_effects != action) {
        REPORT(c, c->rules->side_effects, 0, "$.side_effects",
               action ? "say side_effects: true" : "say side_effects: false",
               action ? "an Action must say that it has side effects"
                      : "only Actions have side effects");
    }
}

/* Whatever is found by its name later has one. */
static void check_named(checker *c, mt_str name, uint32_t at, mt_str path,
                        const char *what)
{
    if (!name.len) {
        gr_report(&c->subject, "manifest.decode", at, path, "say `name:`",
                  "%s has no name", what);
    }
}

/* `name` may be "$param"; then that must be a String parameter. */
static void check_key_name(checker *c, mt_str name, uint32_t at, mt_str path,
                           const char *undeclared, const char *not_string)
{
    if (!name.len || name.ptr[0] != '$') {
        return;
    }
    int i = gr_param_index(c->m, mt_str_skip(name, 1));
    if (i < 0) {
        gr_report(&c->subject, undeclared, at, path,
                  "declare the parameter or write the key itself",
                  "%.*s names no parameter", MT_ARG(name));
    } else if (c->m->params[i].type != GR_P_STRING) {
        gr_report(&c->subject, not_string, at, path, "make the parameter a String",
                  "parameter %.*s is %s, a key name is a String", MT_ARG(name),
                  gr_param_type_name(c->m->params[i].type));
    }
}

/* A Source reads the context and has no inputs. */
static void check_source(checker *c)
{
    const gr_manifest *m = c->m;
    if (m->input_count) {
        REPORT(c, "SRC-4", m->inputs[0].at, "$.inputs", "remove the inputs",
               "a Source has no inputs");
    }
    if (!m->output_count) {
        REPORT(c, "SRC-5", 0, "$.outputs", "declare an output",
               "a Source needs an output");
    }
    for (uint32_t i = 0; i < m->need_count; i++) {
        check_key_name(c, m->needs[i].name, m->needs[i].at,
                       MT_STR("$.requires.context"), "SRC-16", "SRC-17");
        if (!(c->rules->outputs & 1u << m->needs[i].type)) {
            REPORT(c, "SRC-7", m->needs[i].at, "$.requires.context",
                   "use number, series, bool or string",
                   "context key \"%.*s\" has no legal type", MT_ARG(m->needs[i].name));
        }
    }
}

/* A Compute computes: inputs, outputs, and state only if it can be reset. */
static void check_compute(checker *c)
{
    const gr_manifest *m = c->m;
    if (!m->input_count) {
        REPORT(c, "CMP-4", 0, "$.inputs", "declare an input",
               "a Compute needs an input");
    }
    if (!m->output_count) {
        REPORT(c, "CMP-6", 0, "$.outputs", "declare an output",
               "a Compute needs an output");
    }
    if (m->state_allowed && !m->state_resettable) {
        REPORT(c, "CMP-9", 0, "$.state.resettable", "say resettable: true",
               "state that is allowed must be resettable");
    }
    if (m->errors_allowed && !m->errors_deterministic) {
        REPORT(c, "CMP-10", 0, "$.errors.deterministic", "say deterministic: true",
               "errors that are allowed must be deterministic");
    }
}

/* §5: without an input it could only repeat itself; its one output is the event. */
static void check_trigger(checker *c)
{
    if (!c->m->input_count) {
        REPORT(c, "TRG-4", 0, "$.inputs", "declare an input",
               "a Trigger needs an input");
    }
    if (c->m->output_count != 1) {
        REPORT(c, "TRG-7", 0, "$.outputs", "declare one output of type event",
               "a Trigger has exactly one output");
    }
}

/* §6.5: without an event input nothing would decide whether the action runs. */
static bool has_gate(const gr_manifest *m)
{
    for (uint32_t i = 0; i < m->input_count; i++) {
        if (m->inputs[i].type == GR_EVENT) {
            return true;
        }
    }
    return false;
}

/* Is `name` used by an earlier write, counting mirror writes? */
static bool written_before(const gr_manifest *m, const gr_write *stop)
{
    for (uint32_t i = 0; i < m->write_count; i++) {
        if (&m->writes[i] == stop) {
            return false;
        }
        if (mt_str_eq(m->writes[i].name, stop->name)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        for (uint32_t k = 0; k < m->intents[i].mirror_count; k++) {
            if (&m->intents[i].mirrors[k] == stop) {
                return false;
            }
            if (mt_str_eq(m->intents[i].mirrors[k].name, stop->name)) {
                return true;
            }
        }
    }
    return false;
}

static const unsigned SCALARS = T(NUMBER) | T(SERIES) | T(BOOL) | T(STRING);

/* Also for mirrors: no key is written twice by one action. */
static void check_write_target(checker *c, const gr_write *w, mt_str path)
{
    check_named(c, w->name, w->at, path, "a write");
    if (written_before(c->m, w)) {
        gr_report(&c->subject, "ACT-14", w->at, path, "write every key once",
                  "two writes go to \"%.*s\"", MT_ARG(w->name));
    }
    if (!(SCALARS & 1u << w->type)) {
        gr_report(&c->subject, "ACT-15", w->at, path,
                  "use number, series, bool or string",
                  "write \"%.*s\" has no legal type", MT_ARG(w->name));
    }
    check_key_name(c, w->name, w->at, path, "ACT-20", "ACT-21");
}

/* The value comes from an input of the same type. */
static void check_write(checker *c, const gr_write *w)
{
    mt_str path = MT_STR("$.effects.writes");
    check_write_target(c, w, path);
    int i = gr_input_index(c->m, w->from);
    if (i < 0) {
        gr_report(&c->subject, "ACT-22", w->at, path, "name a declared input",
                  "write \"%.*s\" reads input \"%.*s\", which is not declared",
                  MT_ARG(w->name), MT_ARG(w->from));
    } else if (c->m->inputs[i].type != w->type || w->type == GR_EVENT) {
        gr_report(
            &c->subject, "ACT-23", w->at, path, "give the write the type of its input",
            "write \"%.*s\" is %s, its input \"%.*s\" is %s", MT_ARG(w->name),
            gr_type_name(w->type), MT_ARG(w->from), gr_type_name(c->m->inputs[i].type));
    }
}

/* Integers and enums are not values of a graph. */
static bool param_fits(gr_param_type p, gr_type t)
{
    return (p == GR_P_NUMBER && t == GR_NUMBER) || (p == GR_P_BOOL && t == GR_BOOL) ||
           (p == GR_P_STRING && t == GR_STRING);
}

/* From an input or from a parameter; which of both is there was checked before. */
static void check_field_source(checker *c, const gr_field *f, mt_str path)
{
    const gr_manifest *m = c->m;
    if (f->from_input.len) {
        int i = gr_input_index(m, f->from_input);
        if (i < 0) {
            gr_report(&c->subject, "ACT-28", f->at, path, "name a declared input",
                      "field \"%.*s\" reads input \"%.*s\", which is not declared",
                      MT_ARG(f->name), MT_ARG(f->from_input));
        } else if (m->inputs[i].type != f->type || f->type == GR_EVENT) {
            gr_report(&c->subject, "ACT-29", f->at, path,
                      "give the field the type of its input; it cannot be an event",
                      "field \"%.*s\" is %s, its input is %s", MT_ARG(f->name),
                      gr_type_name(f->type), gr_type_name(m->inputs[i].type));
        }
        return;
    }
    int i = gr_param_index(m, f->from_param);
    if (i < 0) {
        gr_report(&c->subject, "ACT-30", f->at, path, "name a declared parameter",
                  "field \"%.*s\" reads parameter \"%.*s\", which is not declared",
                  MT_ARG(f->name), MT_ARG(f->from_param));
    } else if (!param_fits(m->params[i].type, f->type)) {
        gr_report(&c->subject, "ACT-31", f->at, path,
                  "pair Number, Bool or String with the same type",
                  "field \"%.*s\" is %s, its parameter is %s", MT_ARG(f->name),
                  gr_type_name(f->type), gr_param_type_name(m->params[i].type));
    }
}

/* Different names, one source each. */
static void check_fields(checker *c, const gr_intent_decl *intent)
{
    mt_str path = MT_STR("$.effects.intents[].fields");
    for (uint32_t i = 0; i < intent->field_count; i++) {
        const gr_field *f = &intent->fields[i];
        check_named(c, f->name, f->at, path, "a field of an intent");
        for (uint32_t k = 0; k < i; k++) {
            if (mt_str_eq(intent->fields[k].name, f->name)) {
                gr_report(&c->subject, "ACT-25", f->at, path,
                          "give every field its own name",
                          "two fields are named \"%.*s\"", MT_ARG(f->name));
                break;
            }
        }
        if (!f->from_input.len && !f->from_param.len) {
            gr_report(&c->subject, "ACT-26", f->at, path,
                      "say from_input or from_param", "field \"%.*s\" has no source",
                      MT_ARG(f->name));
        } else if (f->from_input.len && f->from_param.len) {
            gr_report(&c->subject, "ACT-27", f->at, path,
                      "keep one of from_input and from_param",
                      "field \"%.*s\" has two sources", MT_ARG(f->name));
        } else {
            check_field_source(c, f, path);
        }
    }
}

/* A mirror writes a field of its own intent into the context. */
static void check_mirrors(checker *c, const gr_intent_decl *intent)
{
    mt_str path = MT_STR("$.effects.intents[].mirror_writes");
    for (uint32_t i = 0; i < intent->mirror_count; i++) {
        const gr_write *w = &intent->mirrors[i];
        const gr_field *field = NULL;
        check_write_target(c, w, path);
        for (uint32_t k = 0; k < intent->field_count && !field; k++) {
            field =
                mt_str_eq(intent->fields[k].name, w->from) ? &intent->fields[k] : NULL;
        }
        if (!field) {
            gr_report(&c->subject, "ACT-32", w->at, path,
                      "name a field of the same intent",
                      "mirror write \"%.*s\" reads field \"%.*s\", which is not there",
                      MT_ARG(w->name), MT_ARG(w->from));
        } else if (field->type != w->type) {
            gr_report(&c->subject, "ACT-33", w->at, path,
                      "give the mirror write the type of its field",
                      "mirror write \"%.*s\" is %s, its field is %s", MT_ARG(w->name),
                      gr_type_name(w->type), gr_type_name(field->type));
        }
    }
}

/* A gate, one outcome, writes and intents. */
static void check_action(checker *c)
{
    const gr_manifest *m = c->m;
    if (!has_gate(m)) {
        REPORT(c, "ACT-4", 0, "$.inputs", "declare an input of type event",
               "an Action needs an Event input");
    }
    if (m->output_count != 1) {
        REPORT(c, "ACT-7", 0, "$.outputs", "declare one output, outcome: event",
               "an Action has exactly one output");
    } else if (!mt_str_is(m->outputs[0].name, "outcome")) {
        REPORT(c, "ACT-8", m->outputs[0].at, "$.outputs", "name the output outcome",
               "the output is named \"%.*s\"", MT_ARG(m->outputs[0].name));
    }
    if (m->retryable) {
        REPORT(c, "ACT-16", 0, "$.execution.retryable", "say retryable: false",
               "an Action is not retryable");
    }
    for (uint32_t i = 0; i < m->write_count; i++) {
        check_write(c, &m->writes[i]);
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        const gr_intent_decl *intent = &m->intents[i];
        check_named(c, intent->name, intent->at, MT_STR("$.effects.intents"),
                    "an intent");
        for (uint32_t k = 0; k < i; k++) {
            if (mt_str_eq(m->intents[k].name, intent->name)) {
                REPORT(c, "ACT-24", intent->at, "$.effects.intents",
                       "give every intent its own name",
                       "two intents are named \"%.*s\"", MT_ARG(intent->name));
                break;
            }
        }
        check_fields(c, intent);
        check_mirrors(c, intent);
    }
}

/* Declared once, whoever reads it. */
static void check_needs(checker *c)
{
    const gr_manifest *m = c->m;
    for (uint32_t i = 0; i < m->need_count; i++) {
        mt_str name = m->needs[i].name;
        check_named(c, name, m->needs[i].at, MT_STR("$.requires.context"),
                    "a required context key");
        for (uint32_t k = 0; k < i; k++) {
            if (mt_str_eq(m->needs[k].name, name)) {
                REPORT(c, "manifest.decode", m->needs[i].at, "$.requires.context",
                       "require every key once", "key \"%.*s\" is required twice",
                       MT_ARG(name));
                break;
            }
        }
    }
}

/* What a kind does not have would be passed over in silence. */
static void check_body(checker *c)
{
    const gr_manifest *m = c->m;
    bool computes = m->kind == GR_COMPUTE || m->kind == GR_TRIGGER;
    if (m->expression.len && m->body.len) {
        REPORT(c, "manifest.decode", 0, "$.cluster", "keep one of them",
               "it has both `expression` and `cluster`");
    } else if (!computes && (m->expression.len || m->body.len)) {
        REPORT(c, "manifest.decode", 0, "$.expression",
               m->kind == GR_SOURCE ? "say `from:` for its outputs" : "remove it",
               "%s %s has neither `expression` nor `cluster`", article_of(m->kind),
               gr_kind_title(m->kind));
    }
    if (m->kind != GR_ACTION && (m->write_count || m->intent_count)) {
        REPORT(c, "manifest.decode", 0, "$.effects",
               "move them to an action, or say `kind: action`",
               "only an Action has effects");
    }
    for (uint32_t i = 0; m->expression.len && i < m->param_count; i++) {
        if (gr_input_index(m, m->params[i].name) >= 0) {
            REPORT(c, "expression.syntax", m->params[i].at, "$.parameters",
                   "give the parameter another name",
                   "\"%.*s\" is both an input and a parameter of the formula",
                   MT_ARG(m->params[i].name));
        }
    }
}

/* The rules all kinds share, then the kind's own (OWN is indexed by gr_kind). All are
 * asked, so that one reading tells all faults. */
bool gr_manifest_check(const gr_manifest *m, mt_diags *ds)
{
    static void (*const OWN[])(checker *) = {check_source, check_compute, check_trigger,
                                             check_action};
    checker c = {m,
                 &RULES[m->kind],
                 {ds, m->file, m->text, gr_kind_name(m->kind), m->id},
                 ds->errors};
    check_header(&c);
    check_body(&c);
    check_needs(&c);
    if (m->kind != GR_SOURCE) {
        check_ports(&c, m->inputs, m->input_count, true);
    }
    check_ports(&c, m->outputs, m->output_count, false);
    check_params(&c);
    check_promises(&c);
    OWN[m->kind](&c);
    return ds->errors == c.before;
}
