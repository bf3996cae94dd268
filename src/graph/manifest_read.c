/* graph/manifest_read.c - the file form of a manifest: shape only; the rules are
 * manifest_check.c's.
 *
 * First id and kind, because whatever is reported names them; then everything else, by
 * the tables below; then what one value decides about another (defaults, `required`).
 * INVARIANT: what cannot be read is left as a manifest without it has it, so that the
 * rules can be checked all the same and every fault is reported in one run.
 * May fail: text that is neither YAML nor JSON, another shape (manifest.decode), more
 * entries than a limit allows (LIMIT), an unknown kind (X.1 or its own rule). A key
 * that nobody knows is only a warning. */
#include "base/limits.h"
#include "graph/manifest.h"
#include "graph/report.h"

static const char SHAPE[] = "manifest.decode";
enum { MOST = MT_INITIAL_graph_ports };

/* ---- The form ---- */

/* Any cardinality but `single` is multiple. */
static bool read_cardinality(mt_form *f, const mt_form_row *row, const mt_json *v,
                             void *to)
{
    mt_str name;
    if (!mt_form_text(f, row, v, &name)) {
        return false;
    }
    *(bool *)to = name.len && !mt_str_is(name, "single") && !mt_str_is(name, "Single");
    return true;
}

static const mt_form_row PORT_ROWS[] = {
    MT_FORM_PLACE(gr_port, at),
    MT_FORM_TEXT(gr_port, name, "name", 0),
    MT_FORM_OWN(gr_port, type, "type", gr_read_type, 0),
    MT_FORM_FLAG(gr_port, required, "required", 0),
    MT_FORM_OWN(gr_port, multiple, "cardinality", read_cardinality, 0),
    MT_FORM_TEXT(gr_port, from, "from", 0),
    MT_FORM_NOTE("description"),
};
static const gr_port NEW_PORT = {.required = true};
static const mt_form_table PORT =
    MT_FORM_TABLE("a port", PORT_ROWS, gr_port, &NEW_PORT);

/* A parameter before its default has its type. */
typedef struct draft_param {
    gr_param param;
    const mt_json *initial;
    int required; /* -1: not said */
} draft_param;

/* A name that is not known becomes no type; the rule that names the types reports
 * it. */
static bool read_param_type(mt_form *f, const mt_form_row *row, const mt_json *v,
                            void *to)
{
    mt_str name;
    if (!mt_form_text(f, row, v, &name)) {
        return false;
    }
    *(gr_param_type *)to = gr_param_type_of(name);
    return true;
}

static const mt_form_row PARAM_ROWS[] = {
    MT_FORM_PLACE(draft_param, param.at),
    MT_FORM_TEXT(draft_param, param.name, "name", 0),
    MT_FORM_OWN(draft_param, param.type, "type", read_param_type, 0),
    MT_FORM_TEXT(draft_param, param.bounds, "bounds", 0),
    MT_FORM_ANY(draft_param, initial, "default", MT_FORM_NULLABLE),
    MT_FORM_SAYS(draft_param, required, "required", 0),
    MT_FORM_NOTE("description"),
};
static const draft_param NEW_PARAM = {.required = -1};
static const mt_form_table PARAM =
    MT_FORM_TABLE("a parameter", PARAM_ROWS, draft_param, &NEW_PARAM);

static const mt_form_row NEED_ROWS[] = {
    MT_FORM_PLACE(gr_need, at),
    MT_FORM_TEXT(gr_need, name, "name", 0),
    MT_FORM_OWN(gr_need, type, "type", gr_read_type, 0),
    MT_FORM_FLAG(gr_need, required, "required", 0),
};
static const gr_need NEW_NEED = {.required = true};
static const mt_form_table NEED =
    MT_FORM_TABLE("a required context key", NEED_ROWS, gr_need, &NEW_NEED);

static const mt_form_row WRITE_ROWS[] = {
    MT_FORM_PLACE(gr_write, at),
    MT_FORM_TEXT(gr_write, name, "name", 0),
    MT_FORM_OWN(gr_write, type, "type", gr_read_type, 0),
    MT_FORM_TEXT(gr_write, from, "from_input", 0),
};
static const mt_form_table WRITE = MT_FORM_TABLE("a write", WRITE_ROWS, gr_write, NULL);

static const mt_form_row MIRROR_ROWS[] = {
    MT_FORM_PLACE(gr_write, at),
    MT_FORM_TEXT(gr_write, name, "name", 0),
    MT_FORM_OWN(gr_write, type, "type", gr_read_type, 0),
    MT_FORM_TEXT(gr_write, from, "from_field", 0),
};
static const mt_form_table MIRROR =
    MT_FORM_TABLE("a mirror write", MIRROR_ROWS, gr_write, NULL);

static const mt_form_row FIELD_ROWS[] = {
    MT_FORM_PLACE(gr_field, at),
    MT_FORM_TEXT(gr_field, name, "name", 0),
    MT_FORM_OWN(gr_field, type, "type", gr_read_type, 0),
    MT_FORM_TEXT(gr_field, from_input, "from_input", 0),
    MT_FORM_TEXT(gr_field, from_param, "from_param", 0),
};
static const mt_form_table FIELD = MT_FORM_TABLE("a field", FIELD_ROWS, gr_field, NULL);

static const mt_form_row INTENT_ROWS[] = {
    MT_FORM_PLACE(gr_intent_decl, at),
    MT_FORM_TEXT(gr_intent_decl, name, "name", 0),
    MT_FORM_EACH(gr_intent_decl, fields, field_count, "fields", &FIELD, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_EACH(gr_intent_decl, mirrors, mirror_count, "mirror_writes", &MIRROR, MOST,
                 MT_FORM_NULLABLE),
};
static const mt_form_table INTENT =
    MT_FORM_TABLE("an intent", INTENT_ROWS, gr_intent_decl, NULL);

/* A manifest while it is read. */
typedef struct draft {
    gr_manifest m;
    mt_str kind, cadence;
    const draft_param *params;
    uint32_t param_count;
    int side_effects; /* -1: not said */
    int outcome;      /* of OUTCOMES */
} draft;

/* What an executed action may report, from GR_ATTEMPTED on. */
static const char *const OUTCOMES[] = {"Attempted", "Completed", "Rejected",
                                       "Cancelled", "Failed",    NULL};
_Static_assert(mt_form_count(OUTCOMES) - 1 == GR_FAILED - GR_ATTEMPTED + 1,
               "one name per outcome");

static const mt_form_row REQUIRES_ROWS[] = {
    MT_FORM_EACH(draft, m.needs, m.need_count, "context", &NEED, MOST,
                 MT_FORM_NULLABLE),
};
static const mt_form_table REQUIRES =
    MT_FORM_TABLE("`requires`", REQUIRES_ROWS, draft, NULL);

static const mt_form_row EFFECTS_ROWS[] = {
    MT_FORM_EACH(draft, m.writes, m.write_count, "writes", &WRITE, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, m.intents, m.intent_count, "intents", &INTENT, MOST,
                 MT_FORM_NULLABLE),
};
static const mt_form_table EFFECTS =
    MT_FORM_TABLE("`effects`", EFFECTS_ROWS, draft, NULL);

static const mt_form_row EXECUTION_ROWS[] = {
    MT_FORM_FLAG(draft, m.deterministic, "deterministic", 0),
    MT_FORM_TEXT(draft, cadence, "cadence", 0),
    MT_FORM_FLAG(draft, m.retryable, "retryable", 0),
    MT_FORM_NOTE("may_error"),
};
static const mt_form_table EXECUTION =
    MT_FORM_TABLE("`execution`", EXECUTION_ROWS, draft, NULL);

static const mt_form_row STATE_ROWS[] = {
    MT_FORM_FLAG(draft, m.state_allowed, "allowed", 0),
    MT_FORM_FLAG(draft, m.state_resettable, "resettable", 0),
    MT_FORM_NOTE("description"),
};
static const mt_form_table STATE = MT_FORM_TABLE("`state`", STATE_ROWS, draft, NULL);

static const mt_form_row ERRORS_ROWS[] = {
    MT_FORM_FLAG(draft, m.errors_allowed, "allowed", 0),
    MT_FORM_FLAG(draft, m.errors_deterministic, "deterministic", 0),
    MT_FORM_NOTE("types"),
};
static const mt_form_table ERRORS = MT_FORM_TABLE("`errors`", ERRORS_ROWS, draft, NULL);

static const mt_form_row HEAD[] = {
    MT_FORM_TEXT(draft, m.id, "id", 0),
    MT_FORM_TEXT(draft, kind, "kind", 0),
};

static const mt_form_row MANIFEST[] = {
    MT_FORM_NOTE("id"), /* both are read before, see HEAD */
    MT_FORM_NOTE("kind"),
    MT_FORM_TEXT(draft, m.version, "version", 0),
    MT_FORM_TEXT(draft, m.summary, "summary", 0),
    MT_FORM_NOTE("description"),
    MT_FORM_TEXT(draft, m.expression, "expression", 0),
    MT_FORM_TEXT(draft, m.body, "cluster", 0),
    MT_FORM_EACH(draft, m.inputs, m.input_count, "inputs", &PORT, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, m.outputs, m.output_count, "outputs", &PORT, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, params, param_count, "parameters", &PARAM, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_PART("requires", &REQUIRES, MT_FORM_NULLABLE),
    MT_FORM_PART("effects", &EFFECTS, MT_FORM_NULLABLE),
    MT_FORM_PART("execution", &EXECUTION, MT_FORM_NULLABLE),
    MT_FORM_PART("state", &STATE, MT_FORM_NULLABLE),
    MT_FORM_PART("errors", &ERRORS, MT_FORM_NULLABLE),
    MT_FORM_SAYS(draft, side_effects, "side_effects", 0),
    MT_FORM_CHOICE(draft, outcome, "outcome", OUTCOMES, 0),
};
const mt_form_table GR_MANIFEST_FORM =
    MT_FORM_TABLE("a manifest", MANIFEST, draft, NULL);

/* ---- Reading ---- */

typedef struct reader {
    mt_arena *arena;
    gr_subject subject;
    bool ok;
} reader;

/* Numbers that no double can hold are told apart from wrong types, since the remedy is
 * another. */
static gr_literal initial_value(reader *r, const mt_json *node, gr_param_type type)
{
    gr_literal raw, cast;
    if (!node) {
        return (gr_literal){.type = GR_P_NONE};
    }
    mt_err err = gr_literal_from_json(node, &raw);
    if (err == MT_E_RANGE) {
        r->ok = gr_report(&r->subject, "NUM-FINITE-1", node->offset,
                          MT_STR("$.parameters"), "write a number a double can hold",
                          "the default is not a finite number");
    } else if (err) {
        r->ok = gr_report(&r->subject, SHAPE, node->offset, MT_STR("$.parameters"),
                          "write a number, a boolean or text", "a default cannot be %s",
                          mt_form_name(node));
    }
    /* A default of the wrong type stays as it is for SRC-15 and its sisters. */
    return gr_literal_cast(&raw, type, &cast) == MT_OK ? cast : raw;
}

/* For a source a parameter is required exactly when it has no default; elsewhere the
 * file may say. */
static gr_param param_of(reader *r, const draft_param *d, gr_kind kind)
{
    gr_param p = d->param;
    /* In Compute files int is another word for number. */
    if (kind == GR_COMPUTE && p.type == GR_P_INT) {
        p.type = GR_P_NUMBER;
    }
    p.initial = initial_value(r, d->initial, p.type);
    bool has_default = p.initial.type != GR_P_NONE;
    p.required = kind == GR_SOURCE || d->required < 0 ? !has_default : d->required;
    return p;
}

static void settle_params(reader *r, draft *d)
{
    gr_param *out = mt_new_array(r->arena, gr_param, d->param_count);
    for (uint32_t i = 0; i < d->param_count; i++) {
        out[i] = param_of(r, &d->params[i], d->m.kind);
    }
    d->m.params = out;
    d->m.param_count = d->param_count;
}

/* The kind literal, exactly; another spelling of one is that kind's own rule. */
static bool kind_of(reader *r, const mt_json *root, mt_str kind, gr_kind *out)
{
    static const char *const RULES[] = {[GR_SOURCE] = "SRC-3",
                                        [GR_COMPUTE] = "CMP-3",
                                        [GR_TRIGGER] = "TRG-3",
                                        [GR_ACTION] = "ACT-3"};
    MT_TABLE_COVERS(RULES, GR_ACTION + 1);
    const char *rule = "X.1";
    for (gr_kind k = GR_SOURCE; k <= GR_ACTION; k++) {
        if (mt_str_eq(kind, mt_str_z(gr_kind_name(k)))) {
            *out = k;
            return true;
        }
        rule = mt_str_eq(kind, mt_str_z(gr_kind_title(k))) ? RULES[k] : rule;
    }
    const mt_json *node = mt_json_at(root, "kind");
    return gr_report(&r->subject, rule, node ? node->offset : 0, MT_STR("$.kind"),
                     "write source, compute, trigger or action",
                     "unknown kind \"%.*s\"", MT_ARG(kind));
}

/* The id is taken as soon as it is read, so that the very next fault can name the
 * primitive. The kind decides which members are expected. */
static bool read_manifest(reader *r, const mt_json *root, draft *d)
{
    gr_form_report to = {&r->subject, SHAPE,
                         "see docs/reference/graphs.md for the form of a manifest",
                         "split the primitive"};
    mt_form f = gr_form(r->arena, &to, "a manifest");
    if (!mt_json_is(root, MT_JSON_OBJECT)) {
        return mt_form_read(&f, root, NULL, 0, NULL);
    }
    for (size_t i = 0; i < mt_form_count(HEAD); i++) {
        r->ok &= mt_form_field(&f, root, &HEAD[i], d);
        r->subject.id = d->m.id;
    }
    if (!kind_of(r, root, d->kind, &d->m.kind)) {
        return false;
    }
    r->subject.kind = gr_kind_name(d->m.kind);
    r->ok &= mt_form_read(&f, root, MANIFEST, mt_form_count(MANIFEST), d);
    settle_params(r, d);
    d->m.continuous = !d->cadence.len || mt_str_is(d->cadence, "continuous");
    d->m.side_effects = d->side_effects < 0 ? d->m.kind == GR_ACTION : d->side_effects;
    d->m.outcome = (gr_event)(GR_ATTEMPTED + d->outcome);
    const mt_json *outcome = mt_json_at(root, "outcome");
    if (outcome && d->m.kind != GR_ACTION) {
        gr_warn(&r->subject, SHAPE, outcome->offset, MT_STR("$.outcome"), "remove it",
                "only an Action has an outcome");
    }
    return true;
}

/* Checks follow even after faults of form, as long as the kind is known; MT_OK needs
 * both. */
mt_err gr_manifest_from_json(mt_arena *a, mt_str file, mt_str text, const mt_json *root,
                             mt_diags *ds, gr_manifest *out)
{
    reader r = {a, {ds, file, text, "manifest", MT_STR("")}, true};
    draft d = {.m = {.file = file,
                     .text = text,
                     .deterministic = true,
                     .errors_deterministic = true},
               .side_effects = -1};
    bool holds = read_manifest(&r, root, &d) && gr_manifest_check(&d.m, ds);
    *out = d.m;
    return r.ok && holds ? MT_OK : MT_E_REJECTED;
}

mt_err gr_manifest_read(mt_arena *a, mt_str file, mt_str text, mt_diags *ds,
                        gr_manifest *out)
{
    gr_subject subject = {ds, file, text, "manifest", MT_STR("")};
    mt_json root;
    if (!gr_read_tree(a, &subject, SHAPE, NULL, &root)) {
        return MT_E_REJECTED;
    }
    return gr_manifest_from_json(a, file, text, &root, ds, out);
}
