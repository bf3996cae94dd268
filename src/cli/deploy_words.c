/* cli/deploy_words.c - what a deployment did, would do, or was refused for, in words.
 *
 * From the server's answer: a sentence, the changes as a table, flows in flight and
 * instances that move. A refusal for want of a policy has the same table, so that
 * nobody has to ask for the difference again. Nothing can fail. */
#include "cli/deploy_words.h"

#include "base/form.h"
#include "cli/table.h"
#include "exec/evidence/record_words.h"

/* What fits beside four other columns; the whole difference is in --json. */
enum { SHORT = 60 };

/* "old -> new", where both are short. */
static mt_str what_changed(mt_arena *a, const mt_json *field)
{
    mt_buf old = {0}, fresh = {0};
    ex_plain_value(&old, mt_json_at(field, "before"));
    ex_plain_value(&fresh, mt_json_at(field, "after"));
    mt_str text = old.len + fresh.len > SHORT
                      ? MT_STR("changed")
                      : mt_strf(a, "%.*s -> %.*s", MT_ARG(mt_buf_str(&old)),
                                MT_ARG(mt_buf_str(&fresh)));
    mt_buf_free(&old);
    mt_buf_free(&fresh);
    return text;
}

/* Columns: kind, name, field, change, class. `class` is how the server judges the
 * change, breaking or not. */
static void row(cli_table *t, const mt_json *construct, mt_str field, mt_str change,
                mt_str class)
{
    cli_table_cell(t, mt_text_at(construct, "kind"));
    cli_table_cell(t, mt_text_at(construct, "id"));
    cli_table_cell(t, field);
    cli_table_cell(t, change);
    cli_table_cell(t, class);
}

/* Constructs that were added or removed whole have no field. */
static void rows(cli_table *t, const mt_json *list, const char *what)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        row(t, &list->as.items[i], MT_STR(""), mt_str_z(what),
            mt_text_at(&list->as.items[i], "class"));
    }
}

static void tell_diff(mt_buf *out, mt_arena *a, const mt_json *diff)
{
    cli_table t = {.titles = {"KIND", "NAME", "FIELD", "CHANGE", "CLASS"}};
    const mt_json *changed = mt_json_at(diff, "changed");
    rows(&t, mt_json_at(diff, "added"), "added");
    rows(&t, mt_json_at(diff, "removed"), "removed");
    for (uint32_t i = 0; changed && i < changed->count; i++) {
        const mt_json *one = &changed->as.items[i];
        const mt_json *fields = mt_json_at(one, "fields");
        for (uint32_t k = 0; fields && k < fields->count; k++) {
            const mt_json *field = &fields->as.items[k];
            row(&t, one, mt_text_at(field, "field"), what_changed(a, field),
                mt_text_at(field, "class"));
        }
    }
    cli_table_write(&t, out);
    cli_table_free(&t);
}

/* A refusal lists names only, an answer objects with an id and what becomes of it. Ids
 * are copied by people, so their column is broken last. */
static void tell_flows(mt_buf *out, const mt_json *flows)
{
    cli_table t = {.titles = {"FLOW IN FLIGHT", "EXECUTION", "WHAT BECOMES OF IT"},
                   .whole = 1u << 1};
    for (uint32_t i = 0; flows && i < flows->count; i++) {
        const mt_json *one = &flows->as.items[i];
        cli_table_cell(&t, mt_json_is(one, MT_JSON_STRING) ? mt_json_text(one)
                                                           : mt_text_at(one, "flow"));
        cli_table_cell(&t, mt_text_at(one, "id"));
        cli_table_cell(&t, mt_text_at(one, "fate"));
    }
    cli_table_write(&t, out);
    cli_table_free(&t);
}

/* Nothing is said about none. */
static void add_number(mt_buf *out, const mt_json *object, const char *key,
                       const char *after)
{
    mt_str number = mt_json_text(mt_json_get(object, mt_str_z(key)));
    if (number.len && !mt_str_is(number, "0")) {
        mt_buf_addf(out, "%.*s%s", MT_ARG(number), after);
    }
}

/* A name that nobody serves yet is easily a slip: it is said what would be another
 * version. */
static void tell_first(mt_buf *out, const mt_json *answer, bool tried)
{
    mt_str name = mt_text_at(answer, "contract");
    mt_buf_addf(out,
                tried
                    ? "would add the contract '%.*s', which is not served yet; nothing "
                      "was changed\n"
                    : "added the contract '%.*s', version 1\n",
                MT_ARG(name));
    mt_buf_addz(out,
                tried ? "to try a new version of a contract that is served, name it: "
                        "--contract ID\n"
                      : "");
}

/* "deployed 'escrow' as version 3 over 1a2b3c4d5e6f: CLASS, STATUS". A simulation says
 * "would deploy" and that nothing was changed. */
static void tell_next(mt_buf *out, const mt_json *answer, bool tried)
{
    mt_str from = mt_text_at(answer, "from");
    /* As many digits of an etag as people compare by eye. */
    from = mt_str_from(from.ptr, from.len < 12 ? from.len : 12);
    mt_buf_addf(out, tried ? "would deploy a new version of '%.*s'" : "deployed '%.*s'",
                MT_ARG(mt_text_at(answer, "contract")));
    if (!tried) {
        mt_buf_addf(out, " as version %.*s",
                    MT_ARG(mt_json_text(mt_json_at(answer, "number"))));
    }
    mt_buf_addf(out, " over %.*s: %.*s, %.*s%s\n", MT_ARG(from),
                MT_ARG(mt_text_at(answer, "class")),
                MT_ARG(mt_text_at(answer, "status")),
                tried ? "; nothing was changed" : "");
}

/* Three cases: served like this already, the first version of a name, another version
 * of one. The etag is last and whole, for scripts that read the last line. */
void cli_deploy_told(mt_buf *out, mt_arena *a, const mt_json *answer)
{
    bool tried = mt_json_at(answer, "simulation") != NULL;
    const mt_json *instances = mt_json_at(answer, "instances");
    if (mt_str_is(mt_text_at(answer, "status"), "unchanged")) {
        mt_buf_addf(out, "'%.*s' is served like this already; nothing was changed\n",
                    MT_ARG(mt_text_at(answer, "contract")));
    } else if (!mt_json_at(answer, "from")) {
        tell_first(out, answer, tried);
    } else {
        tell_next(out, answer, tried);
    }
    tell_diff(out, a, mt_json_at(answer, "diff"));
    tell_flows(out, mt_json_at(answer, "flows"));
    add_number(out, instances, "moved", " instances move to another state\n");
    add_number(out, instances, "left", " instances stay in a removed state\n");
    mt_buf_addf(out, "etag %.*s\n", MT_ARG(mt_text_at(answer, "etag")));
}

void cli_deploy_refused(mt_buf *out, mt_arena *a, const mt_json *problem)
{
    tell_diff(out, a, mt_json_at(problem, "diff"));
    tell_flows(out, mt_json_at(problem, "flows"));
}
