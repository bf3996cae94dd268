/* What an editor is offered against nodes.def: in every body the fields of its shape,
 * but for the words that the source has instead, which are listed here; in a
 * parenthesis the same names as parameters. So a field that is added to nodes.def is
 * offered, and a new construct, step, handler or type has a row. */
#include "../rows.h"

#include "base/json_read.h"
#include "lang/shape.h"
#include "lsp/lsp.h"

typedef struct body_row {
    const char *name;    /* family and case; the keys that lead on from there */
    const char *text;    /* @ is where the cursor stands */
    const char *more;    /* words that only the source has */
    const char *less;    /* keys that only interchange has */
    const char *unnamed; /* offered words that are no parameters in a parenthesis */
} body_row;

/* clang-format off */
#define STEP(kind) "flow f { steps: { s: " kind " { @ } } }"
#define HANDLER(kind) "flow f { steps: { s: OperationStep { on_failure: " kind "(@) } } }"
#define PARALLEL(body) "flow f { steps: { s: ParallelStep { " body " } } }"
#define TYPE(name) "fact f { type: " name "(@) }"
static const body_row BODIES[] = {
    {"CONSTRUCT Fact", "fact f { @ }", "", "", ""},
    {"CONSTRUCT Entity", "entity E { @ }", "", "", ""},
    {"CONSTRUCT Rule", "rule r { @ }", "when produce", "body", ""},
    {"CONSTRUCT Operation", "operation o { @ }", "", "", ""},
    {"CONSTRUCT Flow", "flow f { @ }", "", "", ""},
    {"CONSTRUCT System", "system s { @ }", "", "", ""},
    {"CONSTRUCT System shared_personas", "system s { shared_personas: [{ @ }] }", "", "", ""},
    {"CONSTRUCT System shared_entities", "system s { shared_entities: [{ @ }] }", "", "", ""},
    {"CONSTRUCT System triggers", "system s { triggers: [{ @ }] }", "source target",
     "source_contract source_flow target_contract target_flow", ""},
    {"CONSTRUCT Source", "source s { @ }",
     "base_url endpoint dialect auth schema_ref proto_ref", "fields", ""},
    {"STEP OperationStep", STEP("OperationStep"), "", "", ""},
    {"STEP BranchStep", STEP("BranchStep"), "", "", ""},
    {"STEP HandoffStep", STEP("HandoffStep"), "", "", ""},
    {"STEP SubFlowStep", STEP("SubFlowStep"), "", "", ""},
    {"STEP ParallelStep", STEP("ParallelStep"), "", "", ""},
    {"STEP ParallelStep branches", PARALLEL("branches: [Branch { @ }]"), "", "", ""},
    {"STEP ParallelStep join", PARALLEL("join: JoinPolicy { @ }"), "", "", ""},
    {"STEP Terminal", STEP("Terminal"), "", "", ""},
    {"HANDLER Terminate", HANDLER("Terminate"), "", "", ""},
    {"HANDLER Compensate", HANDLER("Compensate"), "", "", ""},
    {"HANDLER Compensate steps", "flow f { steps: { s: OperationStep { on_failure: Compensate(steps: [{ @ }]) } } }",
     "", "", ""},
    {"HANDLER Escalate", HANDLER("Escalate"), "to", "to_persona", ""},
    {"TYPE Int", TYPE("Int"), "", "", ""},
    {"TYPE Decimal", TYPE("Decimal"), "", "", ""},
    {"TYPE Text", TYPE("Text"), "", "", ""},
    {"TYPE Money", TYPE("Money"), "amount", "", "amount"},
    {"TYPE Duration", TYPE("Duration"), "value", "", "value"},
    {"TYPE Enum", TYPE("Enum"), "", "", ""},
    {"TYPE List", TYPE("List"), "", "", ""},
    {"TYPE Record", "fact f { type: Record { @ } }", "", "fields", ""},
    {"TYPE TaggedUnion", "fact f { type: TaggedUnion { @ } }", "", "variants", ""},
};
/* clang-format on */

/* Nothing is written behind their names. */
static const char *const NO_BODIES[] = {"CONSTRUCT Persona", "TYPE Bool", "TYPE Date",
                                        "TYPE DateTime"};

/* ---- The shapes ---- */

static bool is_among(const char *words, mt_str word)
{
    mt_str rest = mt_str_z(words);
    while (rest.len) {
        size_t end = mt_str_find(rest, ' ');
        if (mt_str_eq(mt_str_from(rest.ptr, end), word)) {
            return true;
        }
        rest = mt_str_skip(rest, end + 1);
    }
    return false;
}

static const ln_shape *family_named(mt_str id)
{
    const ln_shape *const families[] = {LN_SHAPE_CONSTRUCT, LN_SHAPE_STEP,
                                        LN_SHAPE_HANDLER, LN_SHAPE_TYPE};
    for (size_t i = 0; i < rows_count(families); i++) {
        if (mt_str_eq(id, mt_str_z(families[i]->id))) {
            return families[i];
        }
    }
    fail_msg("there is no family %.*s", MT_ARG(id));
    return NULL;
}

static const ln_field *fields_behind(const ln_field *fields, mt_str key)
{
    for (; fields->key; fields++) {
        const ln_shape *s = fields->shape;
        if (mt_str_eq(key, mt_str_z(fields->key))) {
            return s->kind == LN_SHAPE_LIST ? s->element->fields : s->fields;
        }
    }
    fail_msg("there is no key %.*s", MT_ARG(key));
    return NULL;
}

static const ln_field *fields_named(const char *name)
{
    mt_str rest = mt_str_z(name);
    size_t end = mt_str_find(rest, ' ');
    const ln_shape *family = family_named(mt_str_from(rest.ptr, end));
    rest = mt_str_skip(rest, end + 1);
    end = mt_str_find(rest, ' ');
    const ln_case *c = ln_case_find(family, mt_str_from(rest.ptr, end));
    assert_non_null(c);
    rest = end < rest.len ? mt_str_skip(rest, end + 1) : (mt_str){0};
    return rest.len ? fields_behind(c->fields, rest) : c->fields;
}

/* ---- The server ---- */

typedef struct editor {
    mt_arena a;
    ls_server *s;
    mt_buf out;
} editor;

static void send(editor *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void send(editor *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str text = mt_strfv(&e->a, format, args);
    va_end(args);
    ls_feed(e->s,
            mt_strf(&e->a, "Content-Length: %zu\r\n\r\n%.*s", text.len, MT_ARG(text)));
    mt_buf_clear(&e->out);
    while (ls_work(e->s, &e->out)) {
    }
}

static void open_editor(editor *e)
{
    static const mt_memory NOTHING = {0};
    ls_world world = {.files = mt_memory_provider(&NOTHING)};
    *e = (editor){.s = ls_new(&world)};
    send(e, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
            "\"params\":{\"capabilities\":{}}}");
    send(e, "{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}");
}

static void close_editor(editor *e)
{
    ls_free(e->s);
    mt_buf_free(&e->out);
    mt_arena_free(&e->a);
}

static void open_text(editor *e, const char *text)
{
    const char *at = strchr(text, '@');
    send(e,
         "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":"
         "{\"textDocument\":{\"uri\":\"file:///t.tenor\",\"languageId\":\"tenor\","
         "\"version\":1,\"text\":\"%.*s%s\"}}}",
         (int)(at - text), text, at + 1);
}

/* The result of the last answer that has one. */
static const mt_json *ask(editor *e, const char *method, const char *text)
{
    send(e,
         "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"textDocument/%s\",\"params\":"
         "{\"textDocument\":{\"uri\":\"file:///t.tenor\"},\"position\":{\"line\":0,"
         "\"character\":%zu}}}",
         method, (size_t)(strchr(text, '@') - text));
    mt_str all = mt_buf_str(&e->out);
    size_t body = mt_str_find(all, '{');
    mt_json *tree = mt_new(&e->a, mt_json);
    assert_int_equal(mt_json_read(&e->a, mt_str_skip(all, body), NULL, tree, NULL),
                     MT_OK);
    const mt_json *result = mt_json_at(tree, "result");
    assert_non_null(result);
    return result;
}

/* ---- Together ---- */

/* Is each of the names a wanted one, and each wanted one among them? */
static void compare(const body_row *r, const char *what, const mt_str *names,
                    size_t count, const char *but)
{
    const ln_field *fields = fields_named(r->name);
    size_t wanted = 0;
    for (const ln_field *f = fields; f->key; f++) {
        wanted += !is_among(r->less, mt_str_z(f->key));
    }
    for (mt_str rest = mt_str_z(r->more); rest.len;) {
        size_t end = mt_str_find(rest, ' ');
        wanted += !is_among(but, mt_str_from(rest.ptr, end));
        rest = end < rest.len ? mt_str_skip(rest, end + 1) : (mt_str){0};
    }
    for (size_t i = 0; i < count; i++) {
        bool stated = false;
        for (const ln_field *f = fields; f->key; f++) {
            stated |= mt_str_eq(names[i], mt_str_z(f->key));
        }
        stated = stated && !is_among(r->less, names[i]);
        if (!stated && !(is_among(r->more, names[i]) && !is_among(but, names[i]))) {
            fail_msg("%s: `%.*s` is %s", r->name, MT_ARG(names[i]), what);
        }
    }
    if (count != wanted) {
        fail_msg("%s: %zu of %zu are %s", r->name, count, wanted, what);
    }
}

static void a_body_is_offered_the_fields_of_its_shape(void **state)
{
    const body_row *r = *state;
    editor e;
    mt_str names[32];
    size_t count = 0;
    open_editor(&e);
    open_text(&e, r->text);
    const mt_json *items = mt_json_at(ask(&e, "completion", r->text), "items");
    for (uint32_t i = 0; i < items->count; i++) {
        assert_text(mt_json_text(mt_json_at(&items->as.items[i], "detail")),
                    MT_STR("field"));
        names[count++] = mt_json_text(mt_json_at(&items->as.items[i], "label"));
    }
    compare(r, "offered", names, count, "");
    close_editor(&e);
}

/* `Int(min: N, max: N)`: the parameters of the signature. */
static void a_parenthesis_has_a_signature_of_its_shape(void **state)
{
    const body_row *r = *state;
    editor e;
    mt_str names[32];
    size_t count = 0;
    if (strchr(r->text, '@')[-1] != '(') {
        return;
    }
    open_editor(&e);
    open_text(&e, r->text);
    const mt_json *all = mt_json_at(ask(&e, "signatureHelp", r->text), "signatures");
    assert_non_null(all);
    const mt_json *list = mt_json_at(&all->as.items[0], "parameters");
    for (uint32_t i = 0; i < list->count; i++) {
        mt_str label = mt_json_text(mt_json_at(&list->as.items[i], "label"));
        size_t colon = mt_str_find(label, ':');
        assert_true(colon < label.len);
        names[count++] = mt_str_from(label.ptr, colon);
    }
    compare(r, "parameters", names, count, r->unnamed);
    close_editor(&e);
}

static void every_case_has_a_row(void **state)
{
    (void)state;
    mt_arena a = {0};
    const ln_shape *const families[] = {LN_SHAPE_CONSTRUCT, LN_SHAPE_STEP,
                                        LN_SHAPE_HANDLER, LN_SHAPE_TYPE};
    for (size_t f = 0; f < rows_count(families); f++) {
        const ln_shape *s = families[f];
        for (const ln_case *c = s->cases; c->family == s; c++) {
            mt_str name = mt_strf(&a, "%s %s", s->id, c->text);
            unsigned rows = 0;
            for (size_t i = 0; i < rows_count(BODIES); i++) {
                rows += mt_str_eq(name, mt_str_z(BODIES[i].name));
            }
            for (size_t i = 0; i < rows_count(NO_BODIES); i++) {
                rows += mt_str_eq(name, mt_str_z(NO_BODIES[i]));
            }
            if (rows != 1) {
                fail_msg("%.*s has %u rows", MT_ARG(name), rows);
            }
        }
    }
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, BODIES, a_body_is_offered_the_fields_of_its_shape);
    rows_add(&list, BODIES, a_parenthesis_has_a_signature_of_its_shape);
    rows_test(&list, every_case_has_a_row);
    return rows_run(&list, "lsp/complete");
}
