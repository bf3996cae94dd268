/* exec/kinds/decide_question.c - a question as AuthZEN 1.0 has it.
 * Room: exec. Text in, an ex_question out; knows neither caller nor store. Members that
 * the specification does not have are passed over, as it demands; of `context.motet`,
 * which is ours, none is. INVARIANT: what goes into a record is bounded here
 * (EX_QUESTION_NAME_MOST). May fail: whatever the caller sent, with a sentence. */
#include "exec/call/problem.h"
#include "exec/kinds/decide.h"

static const mt_form_row THING[] = {
    MT_FORM_NAME(ex_thing, type, "type", EX_QUESTION_NAME_MOST, 0),
    MT_FORM_NAME(ex_thing, id, "id", EX_QUESTION_NAME_MOST, 0),
    MT_FORM_OBJECT(ex_thing, properties, "properties", MT_FORM_NULLABLE),
};
static const mt_form_table THING_TABLE =
    MT_FORM_TABLE("a subject or resource", THING, ex_thing, NULL);

static const mt_form_row DOING[] = {
    MT_FORM_NAME(ex_doing, name, "name", EX_QUESTION_NAME_MOST, 0),
    MT_FORM_OBJECT(ex_doing, properties, "properties", MT_FORM_NULLABLE),
};
static const mt_form_table DOING_TABLE =
    MT_FORM_TABLE("an action", DOING, ex_doing, NULL);

/* Nothing is required by the tables, since a search lacks a part and defaults fill
 * others: ex_question_whole() asks. */
static const mt_form_row ASK[] = {
    MT_FORM_INSIDE(ex_question, subject, "subject", &THING_TABLE, 0),
    MT_FORM_INSIDE(ex_question, action, "action", &DOING_TABLE, 0),
    MT_FORM_INSIDE(ex_question, resource, "resource", &THING_TABLE, 0),
    MT_FORM_OBJECT(ex_question, context, "context", MT_FORM_NULLABLE),
};

static const mt_form_row MORE[] = {
    MT_FORM_OBJECT(ex_question_more, bindings, "bindings", 0),
    MT_FORM_ANY(ex_question_more, outcome, "outcome", 0),
    MT_FORM_FLAG(ex_question_more, receipt, "receipt", 0),
};

bool ex_refused_question_body(ex_job *job, mt_json *out)
{
    mt_json_limits limits = {job->x->limits.json_bytes, job->x->limits.json_depth};
    mt_json_error error = {0};
    mt_err err = mt_json_read(&job->arena, job->call->body, &limits, out, &error);
    if (err) {
        uint32_t line, column;
        mt_json_place(job->call->body, error.offset, &line, &column);
        return ex_refuse(job, EX_BAD_REQUEST, "body, line %u, column %u: %s%s%.*s",
                         line, column, error.message ? error.message : "malformed",
                         error.detail.len ? " " : "", MT_ARG(error.detail));
    }
    return !mt_json_is(out, MT_JSON_OBJECT) &&
           ex_refuse(job, EX_BAD_REQUEST, "the body must be an object");
}

/* Of a part that is given anew, be it as null, no property of the default stays. */
static void drop_properties(const mt_json *from, ex_question *out)
{
    out->subject.properties =
        mt_json_at(from, "subject") ? NULL : out->subject.properties;
    out->resource.properties =
        mt_json_at(from, "resource") ? NULL : out->resource.properties;
    out->action.properties = mt_json_at(from, "action") ? NULL : out->action.properties;
    out->context = mt_json_at(from, "context") ? NULL : out->context;
}

/* Read anew for each question: what a default asked for in `context.motet` does not go
 * on when the context is another. */
static bool read_more(mt_arena *a, ex_question *out, mt_buf *why)
{
    const mt_json *more = mt_json_at(out->context, "motet");
    mt_form form = {.arena = a,
                    .path = MT_STR("context.motet"),
                    .what = "`context.motet`",
                    .report = mt_form_join,
                    .state = why};
    out->more = (ex_question_more){0};
    return !more || mt_form_read(&form, more, MORE, mt_form_count(MORE), &out->more);
}

/* A name that ends in the middle for some and not for others names two things. */
static bool is_one_name(mt_str part, const char *name, mt_buf *why)
{
    bool one = !part.len || !memchr(part.ptr, 0, part.len);
    if (!one) {
        mt_buf_addf(why, "%s`%s` has a zero character", why->len ? "; " : "", name);
    }
    return one;
}

static bool has_names(const ex_question *ask, mt_buf *why)
{
    bool good = is_one_name(ask->subject.type, "subject.type", why);
    good &= is_one_name(ask->subject.id, "subject.id", why);
    good &= is_one_name(ask->action.name, "action.name", why);
    good &= is_one_name(ask->resource.type, "resource.type", why);
    good &= is_one_name(ask->resource.id, "resource.id", why);
    return good;
}

bool ex_question_read(mt_arena *a, const mt_json *from, ex_question *out, mt_buf *why)
{
    mt_form form = {.arena = a,
                    .what = "a question",
                    .report = mt_form_join,
                    .state = why,
                    .unknown = MT_FORM_ALLOWED};
    drop_properties(from, out);
    return mt_form_read(&form, from, ASK, mt_form_count(ASK), out) &&
           has_names(out, why) && read_more(a, out, why);
}

static bool has(mt_str part, bool needed, const char *name, mt_buf *why)
{
    if (needed && !part.len) {
        mt_buf_addf(why, "%s`%s` is missing", why->len ? "; " : "", name);
    }
    return !needed || part.len;
}

bool ex_question_whole(const ex_question *ask, ex_lacks lacks, mt_buf *why)
{
    bool whole = has(ask->subject.type, true, "subject.type", why);
    whole &= has(ask->subject.id, lacks != EX_LACKS_SUBJECT, "subject.id", why);
    whole &= has(ask->action.name, lacks != EX_LACKS_ACTION, "action.name", why);
    whole &= has(ask->resource.type, true, "resource.type", why);
    whole &= has(ask->resource.id, lacks != EX_LACKS_RESOURCE, "resource.id", why);
    return whole;
}

/* Entities are names of the language, which have no dot. Before a dot that comes first
 * stands no contract, and no entity has such a name. */
void ex_question_resource(const ex_executor *x, mt_str type, mt_str *contract,
                          mt_str *entity)
{
    size_t dot = type.len;
    while (dot && type.ptr[dot - 1] != '.') {
        dot--;
    }
    bool named = dot > 1;
    *contract = named ? mt_str_from(type.ptr, dot - 1) : x->default_contract;
    *entity = named ? mt_str_skip(type, dot) : type;
}

/* ---- Facts ---- */

typedef struct given {
    const ct_model *m;
    const char **from; /* per fact: where it was given; NULL: nowhere */
    mt_buf text;
    mt_buf *why;
} given;

/* Members that are not facts are for others. A fact that stands in two places is
 * refused: which of them counts would be a guess. */
static bool take_fact(given *g, const mt_json_member *member, const char *place)
{
    uint32_t fact = ct_model_find(g->m, CT_KIND_FACT, member->key);
    if (fact == CT_NONE) {
        return true;
    }
    if (g->from[fact]) {
        mt_buf_addf(g->why, "the fact '%.*s' is given twice, in %s and in %s",
                    MT_ARG(member->key), g->from[fact], place);
        return false;
    }
    g->from[fact] = place;
    mt_buf_addc(&g->text, g->text.len > 1 ? ',' : ' ');
    mt_json_quote(&g->text, member->key);
    mt_buf_addc(&g->text, ':');
    mt_json_write(&g->text, &member->value, false);
    return true;
}

static bool take_facts(given *g, const mt_json *object, const char *place)
{
    bool good = true;
    for (uint32_t i = 0; object && i < object->count && good; i++) {
        good = take_fact(g, &object->as.members[i], place);
    }
    return good;
}

bool ex_question_facts(mt_arena *a, const ct_model *m, const ex_question *ask,
                       mt_str *facts, mt_buf *why)
{
    given g = {.m = m, .why = why};
    g.from = mt_new_array(a, const char *, m->fact_count + 1);
    mt_buf_addc(&g.text, '{');
    bool good = take_facts(&g, ask->context, "context") &&
                take_facts(&g, ask->subject.properties, "subject.properties") &&
                take_facts(&g, ask->action.properties, "action.properties") &&
                take_facts(&g, ask->resource.properties, "resource.properties");
    mt_buf_addc(&g.text, '}');
    *facts = mt_str_dup(a, mt_buf_str(&g.text));
    mt_buf_free(&g.text);
    return good;
}
