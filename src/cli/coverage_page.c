/* cli/coverage_page.c - coverage as one page, with every flow drawn.
 *
 * Of each contract: the figures, then its flows as pictures in which every step and
 * every way out of it is marked as seen or never seen, then rules by polarity,
 * operations with their outcomes, and what is missing. The pictures are those of
 * `motet analyze --draw`, marked here and drawn by Graphviz; without it a table says
 * the same. The page has no script and asks for nothing: style and pictures are in it.
 *
 * A way out is found in the coverage by the word of a path ("step=result"); where there
 * is none, because no run can go there, it is not marked.
 *
 * May fail: the file. Text of the contract is escaped wherever it is written. */
#include <errno.h>

#include "analyze/explain/draw.h"
#include "base/html.h"
#include "cli/picture.h"
#include "cli/suite_run.h"
#include "os/file.h"

static void add_cell(mt_buf *out, mt_str text)
{
    mt_buf_addz(out, "<td>");
    mt_html_text(out, text);
    mt_buf_addz(out, "</td>");
}

static void add_seen(mt_buf *out, bool seen)
{
    mt_buf_addf(out, "<td class=\"%s\">%s</td>", seen ? "seen" : "never",
                seen ? "seen" : "never");
}

/* ---- Figures ---- */

/* A kind of which there is nothing shows a full bar: nothing is missing there. */
static void add_figures(mt_buf *out, const ct_coverage *c)
{
    mt_buf_addz(out, "<table><tr><th></th><th>seen</th><th>of</th><th></th></tr>\n");
    for (int k = 0; k < CT_COVER_COUNT; k++) {
        size_t seen = ct_coverage_seen(c, (ct_cover_kind)k);
        size_t total = ct_coverage_total(c, (ct_cover_kind)k);
        mt_buf_addf(out,
                    "<tr><td>%s</td><td>%zu</td><td>%zu</td><td><progress max=\"%zu\" "
                    "value=\"%zu\"></progress></td></tr>\n",
                    CT_COVER_NAMES[k], seen, total, total ? total : 1,
                    total ? seen : 1);
    }
    mt_buf_addz(out, "</table>\n");
}

/* Both polarities, since a rule that was only ever present was never seen to hold
 * back. */
static void add_rules(mt_buf *out, const ct_coverage *c)
{
    const ct_model *m = ct_coverage_plan(c)->model;
    mt_buf_addz(out, "<h3>Rules</h3>\n<table><tr><th>rule</th><th>verdict</th><th>"
                     "present</th><th>absent</th></tr>\n");
    for (uint32_t i = 0; i < m->rule_count; i++) {
        mt_buf_addz(out, "<tr>");
        add_cell(out, m->rules[i].id);
        add_cell(out, m->rules[i].verdict);
        add_seen(out, ct_coverage_item(c, CT_COVER_RULES, i).seen);
        add_seen(out, ct_coverage_item(c, CT_COVER_ABSENT, i).seen);
        mt_buf_addz(out, "</tr>\n");
    }
    mt_buf_addz(out, "</table>\n");
}

/* Items of one kind, a row each. What is complete is folded, so that the eye falls on
 * what is not. */
static void add_items(mt_buf *out, const ct_coverage *c, ct_cover_kind kind,
                      const char *heading)
{
    mt_buf_addf(out, "<details%s><summary>%s</summary>\n<table>\n",
                ct_coverage_seen(c, kind) < ct_coverage_total(c, kind) ? " open" : "",
                heading);
    for (size_t i = 0; i < ct_coverage_total(c, kind); i++) {
        ct_cover_item item = ct_coverage_item(c, kind, i);
        mt_buf_addz(out, "<tr>");
        add_cell(out, item.name);
        add_seen(out, item.seen);
        mt_buf_addz(out, "</tr>\n");
    }
    mt_buf_addz(out, "</table></details>\n");
}

/* ---- Pictures ---- */

typedef struct drawing {
    mt_buf *out;
    const ct_coverage *c;
    bool drawn; /* Graphviz is there */
} drawing;

/* Unmarked is not the same as never seen: there is no such thing to be seen. */
static mt_seen mark_of(const ct_coverage *c, ct_cover_kind kind, mt_str name)
{
    const ct_cover_item *item = ct_coverage_find(c, kind, name);
    return !item ? MT_UNMARKED : item->seen ? MT_SEEN : MT_NEVER_SEEN;
}

/* "flow/GRAPH/STEP" to "GRAPH: " and "STEP"; false: it is not a step. */
static bool split_name(mt_arena *a, mt_str node, mt_str *graph, mt_str *step)
{
    mt_str rest = mt_str_skip(node, strlen("flow/"));
    const char *last = memrchr(rest.ptr, '/', rest.len);
    if (!mt_str_starts(node, MT_STR("flow/")) || !last || last == rest.ptr ||
        last[-1] == '/') {
        return false;
    }
    mt_str name = {rest.ptr, (size_t)(last - rest.ptr)};
    *graph = mt_strf(a, "%.*s: ", MT_ARG(name));
    *step = mt_str_skip(rest, name.len + 1);
    return true;
}

/* How the step ended where this edge leads away, as paths say it. */
static mt_str word_of(mt_arena *a, mt_role role, mt_str step, const mt_picture_edge *e)
{
    mt_str fails = MT_STR(" fails");
    if (e->line == MT_DOTTED && mt_str_ends(e->label, fails)) {
        return mt_strf(a, "comp:%.*s=error", (int)(e->label.len - fails.len),
                       e->label.ptr);
    }
    bool failed = e->line == MT_DASHED && mt_str_starts(e->label, MT_STR("failure"));
    mt_str result = role == MT_ROLE_OPERATION ? (failed ? MT_STR("error") : e->label)
                    : role == MT_ROLE_CHOICE  ? e->label
                    : role == MT_ROLE_HANDOFF ? MT_STR("handoff")
                    : failed                  ? MT_STR("failed")
                                              : MT_STR("success");
    return mt_strf(a, "%.*s=%.*s", MT_ARG(step), MT_ARG(result));
}

static void mark_edge(mt_arena *a, const ct_coverage *c, const mt_picture *p,
                      mt_picture_edge *e)
{
    const mt_picture_node *from = &p->nodes.items[e->from];
    const mt_picture_node *to = &p->nodes.items[e->to];
    mt_str graph, step;
    bool branch = from->role == MT_ROLE_PARALLEL && e->line == MT_DASHED &&
                  !mt_str_starts(e->label, MT_STR("failure"));
    if (from->role == MT_ROLE_START || branch) {
        e->seen = to->seen; /* whoever comes there came this way */
    } else if (split_name(a, from->name, &graph, &step)) {
        mt_str word = word_of(a, from->role, step, e);
        e->seen = mark_of(c, CT_COVER_EDGES,
                          mt_strf(a, "%.*s%.*s", MT_ARG(graph), MT_ARG(word)));
    }
}

/* Ends are seen by the edges that lead there. */
static void mark_ends(const mt_picture *p)
{
    for (size_t i = 0; i < p->edges.len; i++) {
        const mt_picture_edge *e = &p->edges.items[i];
        mt_picture_node *to = &p->nodes.items[e->to];
        if (to->role == MT_ROLE_SUCCESS || to->role == MT_ROLE_FAILURE) {
            to->seen = e->seen == MT_SEEN || to->seen == MT_SEEN ? MT_SEEN
                       : e->seen == MT_UNMARKED                  ? to->seen
                                                                 : MT_NEVER_SEEN;
        }
    }
}

/* Steps first: edges from a start or into a branch take their mark from where they
 * lead. */
static void mark(mt_arena *a, const ct_coverage *c, const mt_picture *p)
{
    for (size_t i = 0; i < p->nodes.len; i++) {
        mt_picture_node *n = &p->nodes.items[i];
        mt_str graph, step;
        if (split_name(a, n->name, &graph, &step)) {
            n->seen = mark_of(c, CT_COVER_STEPS,
                              mt_strf(a, "%.*s%.*s", MT_ARG(graph), MT_ARG(step)));
        }
    }
    for (size_t i = 0; i < p->edges.len; i++) {
        mark_edge(a, c, p, &p->edges.items[i]);
    }
    mark_ends(p);
}

/* What stands before the tag belongs to a file of its own. */
static void add_inline(mt_buf *out, mt_str svg)
{
    const char *tag = memmem(svg.ptr, svg.len, "<svg", 4);
    mt_buf_addz(out, "<figure>");
    mt_buf_adds(out, mt_str_skip(svg, tag ? (size_t)(tag - svg.ptr) : 0));
    mt_buf_addz(out, "</figure>\n");
}

/* The first picture that cannot be drawn ends the drawing: without Graphviz none
 * can. */
static bool draw_page(void *context, mt_str file, const mt_picture *p)
{
    drawing *d = context;
    mt_arena a = {0};
    mt_buf svg = {0};
    (void)file;
    mark(&a, d->c, p);
    d->drawn = cli_picture(&svg, p, CLI_FORM_SVG) == MT_OK;
    if (d->drawn) {
        add_inline(d->out, mt_buf_str(&svg));
    }
    mt_buf_free(&svg);
    mt_arena_free(&a);
    return d->drawn;
}

/* Drawn from a plan alone: nothing else is asked of the analysis. */
static void add_flows(mt_buf *out, const ct_coverage *c)
{
    const ct_plan *plan = ct_coverage_plan(c);
    an_analysis analysis = {.plan = plan, .model = plan->model};
    an_subject subject = {.contract = &analysis};
    drawing d = {.out = out, .c = c, .drawn = true};
    if (!plan->model->flow_count) {
        return;
    }
    mt_buf_addz(out, "<h3>Flows</h3>\n<p><b class=\"seen\">seen</b>, "
                     "<b class=\"never\">never seen</b></p>\n");
    (void)an_draw_each(&subject, 1u << AN_DRAW_FLOWS, draw_page, &d);
    if (!d.drawn) {
        mt_buf_addz(out, "<p>Graphviz is not there to draw the flows; the tables below "
                         "say the same.</p>\n");
    }
}

/* ---- The page ---- */

static void add_contract(void *state, mt_str contract, const ct_coverage *c)
{
    mt_buf *out = state;
    unsigned part = ct_coverage_permille(c);
    mt_buf_addz(out, "<section>\n<h2>");
    mt_html_text(out, contract);
    mt_buf_addf(out, ": %u.%u %%</h2>\n", part / 10, part % 10);
    add_figures(out, c);
    add_flows(out, c);
    add_rules(out, c);
    add_items(out, c, CT_COVER_OUTCOMES, "Operations and their outcomes");
    add_items(out, c, CT_COVER_PATHS, "Paths");
    add_items(out, c, CT_COVER_EDGES, "Steps and how they end");
    mt_buf_addz(out, "</section>\n");
}

/* Colours are those of the pictures (base/picture.h), so that page and drawing agree in
 * light and dark. */
static void add_style(mt_buf *out)
{
    const mt_paint *page = &MT_PAINT_PAGE;
    const mt_paint *good = &MT_PAINT_SUCCESS, *bad = &MT_PAINT_FAILURE;
    mt_buf_addf(out,
                "<style>\nbody{font:15px/1.4 sans-serif;max-width:75em;margin:1em "
                "auto;padding:0 1em;background:%s;color:%s}\n"
                "table{border-collapse:collapse}td,th{padding:.15em .7em;text-align:"
                "left}\nfigure{margin:1em 0;overflow:auto}\n"
                ".seen{color:%s}.never{color:%s}\n"
                "@media (prefers-color-scheme: dark){body{background:%s;color:%s}"
                ".seen{color:%s}.never{color:%s}}\n</style>\n",
                page->light.fill, page->light.line, good->light.line, bad->light.line,
                page->dark.fill, page->dark.line, good->dark.line, bad->dark.line);
}

int cli_coverage_page(const cli_args *args, const char *path)
{
    mt_buf out = {0};
    mt_buf_addz(&out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset="
                      "\"utf-8\">\n<title>Coverage</title>\n");
    add_style(&out);
    mt_buf_addz(&out, "</head>\n<body>\n<h1>What the scenarios reached</h1>\n");
    cli_coverage_each(add_contract, &out);
    mt_buf_addz(&out, "</body>\n</html>\n");
    int code = os_write_file(path, mt_buf_str(&out), 0644)
                   ? cli_fail(args, CLI_WORLD, "%s: %s", path, strerror(errno))
                   : CLI_HOLDS;
    mt_buf_free(&out);
    return code;
}
