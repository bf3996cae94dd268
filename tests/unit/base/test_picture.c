/* Pictures: texts that try to break the syntax of the writers, order, names, colours,
 * and the description itself. */
#include "../rows.h"

#include <math.h>

#include "base/json_write.h"
#include "base/picture.h"
#include "base/utf8.h"

typedef void writer(mt_buf *out, const mt_picture *p);

static mt_picture_node node_called(mt_str name, mt_str label)
{
    return (mt_picture_node){.name = name,
                             .label = label,
                             .group = MT_PICTURE_NONE,
                             .persona = MT_PICTURE_NONE,
                             .role = MT_ROLE_STATE};
}

/* The line of the writer's output with the node that has this label. */
static mt_str line_with(mt_arena *a, mt_str text, const char *what)
{
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_str line = mt_str_from(text.ptr, end);
        if (memmem(line.ptr, line.len, what, strlen(what))) {
            return mt_str_dup(a, line);
        }
        text = mt_str_skip(text, end + 1);
    }
    fail_msg("no line with %s", what);
    return (mt_str){0};
}

/* ---- escaping ---- */

static const struct label_row {
    const char *name;
    const char *label;
    const char *dot, *mermaid; /* between the quotes */
} LABELS[] = {
    /* clang-format off */
    {"a plain word stays", "held", "held", "held"},
    {"a quote does not end the label", "a\"];b", "a\\\"];b", "a#34;];b"},
    {"a backslash does not escape the quote behind it", "a\\", "a\\\\", "a#92;"},
    {"Graphviz does not read \\N as a name", "\\N\\G", "\\\\N\\\\G", "#92;N#92;G"},
    {"a newline is a line", "a\nb", "a\\nb", "a<br/>b"},
    {"brackets stay inside", "]})>", "]})>", "]#125;)#62;"},
    {"HTML is text", "<b>&amp;</b>", "<b>&amp;amp;</b>", "#60;b#62;#38;amp;#60;/b#62;"},
    {"an entity is text", "&#34; #quot;", "&amp;#34; #quot;", "#38;#35;34; #35;quot;"},
    {"a Mermaid directive is text", "%%{init: 1}%%", "%%{init: 1}%%",
     "#37;#37;#123;init: 1#125;#37;#37;"},
    {"Mermaid's words stay words", "end", "end", "end"},
    {"Markdown is not begun", "`x`", "`x`", "#96;x#96;"},
    {"a bar does not end the label of an edge", "a|b", "a|b", "a#124;b"},
    {"other scripts stay", "Zürich 東京 🚚", "Zürich 東京 🚚", "Zürich 東京 🚚"},
    {"a control character is shown", "a\x01\x1b[31mb", "a\xef\xbf\xbd\xef\xbf\xbd[31mb",
     "a\xef\xbf\xbd\xef\xbf\xbd[31mb"},
    {"a mark that turns the text is shown", "a\xe2\x80\xae" "b", "a\xef\xbf\xbd" "b",
     "a\xef\xbf\xbd" "b"},
    {"broken UTF-8 is shown", "a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd",
     "a\xef\xbf\xbd\xef\xbf\xbd"},
    {"half a surrogate is shown", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"a tab is a space", "a\tb", "a b", "a b"},
    /* clang-format on */
};

static void one_label(const char *label, writer *write, const char *what,
                      const char *open, const char *want)
{
    mt_arena a = {0};
    mt_buf out = {0};
    mt_picture p = mt_picture_new(&a, MT_STR("t"));
    mt_str text = fenced(mt_str_z(label));
    mt_picture_node n = node_called(MT_STR("x"), text);
    mt_picture_add_node(&p, n);
    write(&out, &p);
    mt_str line = line_with(&a, mt_buf_str(&out), what);
    mt_str wanted = mt_strf(&a, "%s%s\"", open, want);
    if (!memmem(line.ptr, line.len, wanted.ptr, wanted.len)) {
        fail_msg("%.*s\nhas no %.*s", MT_ARG(line), MT_ARG(wanted));
    }
    assert_int_equal(mt_utf8_check(mt_buf_str(&out)), out.len);
    fenced_free(text);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void labels_are_escaped(void **state)
{
    const struct label_row *r = *state;
    one_label(r->label, mt_picture_dot, "\"x\" [", "label=\"", r->dot);
    one_label(r->label, mt_picture_mermaid, "v0(", "v0(\"", r->mermaid);
}

/* ---- breaking ---- */

static const struct line_row {
    const char *name, *label, *want;
} LINES[] = {
    {"nothing is nothing", "", ""},
    {"36 characters are one line", "123456789012345678901234567890123456",
     "123456789012345678901234567890123456"},
    {"37 characters are two lines", "1234567890123456789012345678901234567",
     "123456789012345678901234567890123456\n7"},
    {"characters are counted, not bytes", "éééééééééééééééééééééééééééééééééééé",
     "éééééééééééééééééééééééééééééééééééé"},
    {"lines break at spaces",
     "verdict_present(release_approved) and verdict_present(b)",
     "verdict_present(release_approved)\nand verdict_present(b)"},
    {"a long name breaks between its parts",
     "the_price_of_it_as_it_was_last_seen_today",
     "the_price_of_it_as_it_was_last_seen_\ntoday"},
    {"the 18th character is not half of a line",
     "12345678901234567_9012345678901234567890123456",
     "12345678901234567_901234567890123456\n7890123456"},
    {"the 19th is", "123456789012345678_0123456789012345678901234567",
     "123456789012345678_\n0123456789012345678901234567"},
    {"newlines stay", "a\nb c", "a\nb c"},
    {"an empty line stays", "a\n\nb", "a\n\nb"},
    {"six lines are shown", "1\n2\n3\n4\n5\n6", "1\n2\n3\n4\n5\n6"},
    {"of seven lines six", "1\n2\n3\n4\n5\n6\n7", "1\n2\n3\n4\n5\n6…"},
};

static void breaks(void **state)
{
    const struct line_row *r = *state;
    mt_arena a = {0};
    assert_text(mt_picture_lines(&a, mt_str_z(r->label)), mt_str_z(r->want));
    mt_arena_free(&a);
}

static void a_million_characters_are_six_lines(void **state)
{
    (void)state;
    mt_arena a = {0};
    size_t len = 1000000;
    char *text = memset(mt_new_array(&a, char, len), 'x', len);
    mt_str lines = mt_picture_lines(&a, mt_str_from(text, len));
    assert_int_equal(mt_utf8_count(lines),
                     MT_PICTURE_LINE * MT_PICTURE_LINES + MT_PICTURE_LINES - 1 + 1);
    assert_true(mt_str_ends(lines, MT_STR("…")));
    mt_arena_free(&a);
}

static void a_tooltip_has_its_bound(void **state)
{
    (void)state;
    mt_arena a = {0};
    char text[MT_PICTURE_TOOLTIP + 1];
    memset(text, 'x', sizeof text);
    mt_str whole =
        mt_picture_text(&a, mt_str_from(text, MT_PICTURE_TOOLTIP), MT_PICTURE_TOOLTIP);
    mt_str cut = mt_picture_text(&a, mt_str_from(text, MT_PICTURE_TOOLTIP + 1),
                                 MT_PICTURE_TOOLTIP);
    assert_int_equal(whole.len, MT_PICTURE_TOOLTIP);
    assert_true(mt_str_ends(cut, MT_STR("x…")));
    assert_int_equal(mt_utf8_count(cut), MT_PICTURE_TOOLTIP + 1);
    mt_arena_free(&a);
}

/* ---- names ---- */

static const struct name_row {
    const char *name, *given, *dot;
} NAMES[] = {
    {"a runtime id needs no quotes", "n7", "  n7 ["},
    {"a path is quoted", "flow/a/b", "  \"flow/a/b\" ["},
    {"a keyword is quoted", "node", "  \"node\" ["},
    {"a port is not read", "a:b", "  \"a:b\" ["},
    {"a quote makes it a number", "a\"b", "  \"#0\" ["},
    {"a backslash makes it a number", "a\\", "  \"#0\" ["},
    {"another script makes it a number", "東", "  \"#0\" ["},
    {"what looks like a number becomes one", "#1", "  \"#0\" ["},
    {"an empty one becomes one", "", "  \"#0\" ["},
};

static void names_are_safe(void **state)
{
    const struct name_row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_picture p = mt_picture_new(&a, MT_STR("t"));
    mt_picture_node n = node_called(mt_str_z(r->given), MT_STR("label"));
    mt_picture_add_node(&p, n);
    mt_picture_dot(&out, &p);
    assert_true(mt_str_starts(line_with(&a, mt_buf_str(&out), "label=\"label\""),
                              mt_str_z(r->dot)));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void a_name_that_is_taken_gets_a_number(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_picture p = mt_picture_new(&a, MT_STR("t"));
    mt_picture_node n = node_called(MT_STR("x"), MT_STR(""));
    mt_picture_add_node(&p, n);
    mt_picture_add_node(&p, n);
    mt_picture_add_node(&p, n);
    assert_text(p.nodes.items[1].name, MT_STR("x~2"));
    assert_text(p.nodes.items[2].name, MT_STR("x~3"));
    assert_int_equal(mt_picture_find(&p, MT_STR("x~2")), 1);
    assert_int_equal(mt_picture_find(&p, MT_STR("y")), MT_PICTURE_NONE);
    mt_arena_free(&a);
}

/* ---- a whole picture ---- */

static mt_picture small_picture(mt_arena *a)
{
    mt_picture p = mt_picture_new(a, MT_STR("small"));
    uint32_t clerk = mt_picture_persona(&p, MT_STR("clerk"));
    mt_picture_group box = {.name = MT_STR("flow/f"),
                            .label = MT_STR("flow f"),
                            .parent = MT_PICTURE_NONE,
                            .persona = MT_PICTURE_NONE};
    uint32_t flow = mt_picture_add_group(&p, box);
    mt_picture_group lane = {.name = MT_STR("flow/f/lane/clerk"),
                             .label = MT_STR("clerk"),
                             .parent = flow,
                             .persona = clerk,
                             .frame = MT_LANE};
    mt_picture_node step = {.name = MT_STR("flow/f/a"),
                            .label = MT_STR("a"),
                            .tooltip = MT_STR("when x < \"5\""),
                            .group = mt_picture_add_group(&p, lane),
                            .persona = clerk,
                            .role = MT_ROLE_OPERATION};
    mt_picture_node end = {.name = MT_STR("flow/f//end"),
                           .label = MT_STR("success"),
                           .group = flow,
                           .persona = MT_PICTURE_NONE,
                           .role = MT_ROLE_SUCCESS};
    uint32_t from = mt_picture_add_node(&p, step), to = mt_picture_add_node(&p, end);
    mt_picture_add_start(&p, from, MT_STR("flow/f//start"), MT_STR("begins"));
    mt_picture_edge edge = {.from = from,
                            .to = to,
                            .label = MT_STR("done"),
                            .persona = clerk,
                            .line = MT_DASHED};
    mt_picture_add_edge(&p, edge);
    return p;
}

static const char SMALL_MERMAID[] = "flowchart LR\n"
                                    "  subgraph g0 [\"flow f\"]\n"
                                    "    v1([\"success\"]):::success\n"
                                    "    subgraph g1 [\"clerk\"]\n"
                                    "      v0(\"a\"):::p0\n"
                                    "      v2((\" \")):::start\n"
                                    "    end\n"
                                    "  end\n"
                                    "  v2 --> v0\n"
                                    "  v0 -.->|\"done\"| v1\n";

static const char *const SMALL_DOT[] = {
    "  subgraph cluster_0 {\n",
    "    graph [label=\"flow f\", class=\"box\", tooltip=\"flow f\"];\n",
    "    subgraph cluster_1 {\n",
    "class=\"lane p0\", style=\"rounded,filled\"",
    "      \"flow/f/a\" [shape=box, class=\"operation p0\", fillcolor=\"#dbeafe\", "
    "color=\"#1d4ed8\", label=\"a\", tooltip=\"when x < \\\"5\\\"\"];\n",
    "  \"flow/f//start\" -> \"flow/f/a\" [style=solid];\n",
    "  \"flow/f/a\" -> \"flow/f//end\" [style=dashed, class=\"dashed p0\", "
    "color=\"#1d4ed8\", label=\"done\"];\n",
};

static void every_writer_writes_the_same_things(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf dot = {0}, mermaid = {0}, json = {0};
    mt_picture p = small_picture(&a);
    mt_picture_dot(&dot, &p);
    mt_picture_mermaid(&mermaid, &p);
    mt_picture_json(&json, &p);
    for (size_t i = 0; i < rows_count(SMALL_DOT); i++) {
        if (!memmem(dot.ptr, dot.len, SMALL_DOT[i], strlen(SMALL_DOT[i]))) {
            fail_msg("%.*s\nhas no %s", MT_ARG(mt_buf_str(&dot)), SMALL_DOT[i]);
        }
    }
    assert_text(mt_str_from(mermaid.ptr, sizeof SMALL_MERMAID - 1),
                mt_str_z(SMALL_MERMAID));
    mt_json tree;
    assert_int_equal(mt_json_read(&a, mt_buf_str(&json), NULL, &tree, NULL), MT_OK);
    const mt_json *nodes = mt_json_at(&tree, "nodes"),
                  *edges = mt_json_at(&tree, "edges");
    assert_int_equal(nodes->count, 3);
    assert_int_equal(edges->count, 2);
    assert_text(mt_json_text(mt_json_at(&nodes->as.items[0], "group")),
                MT_STR("flow/f/lane/clerk"));
    assert_text(mt_json_text(mt_json_at(&nodes->as.items[0], "persona")),
                MT_STR("clerk"));
    assert_text(mt_json_text(mt_json_at(&nodes->as.items[2], "role")), MT_STR("start"));
    assert_text(mt_json_text(mt_json_at(&edges->as.items[1], "line")),
                MT_STR("dashed"));
    assert_int_equal(mt_json_at(&nodes->as.items[1], "persona")->type, MT_JSON_NULL);
    mt_buf again = {0};
    mt_json_write(&again, &tree, true);
    mt_buf_addc(&again, '\n');
    assert_text(mt_buf_str(&again), mt_buf_str(&json)); /* it is canonical */
    mt_buf_free(&again);
    mt_buf_free(&dot);
    mt_buf_free(&mermaid);
    mt_buf_free(&json);
    mt_arena_free(&a);
}

static void an_empty_picture_is_a_picture(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_picture p = mt_picture_new(&a, MT_STR("a\"b"));
    mt_picture_dot(&out, &p);
    assert_true(mt_str_starts(mt_buf_str(&out), MT_STR("digraph \"picture\" {\n")));
    assert_true(mt_str_ends(mt_buf_str(&out), MT_STR("}\n")));
    mt_buf_clear(&out);
    mt_picture_mermaid(&out, &p);
    assert_text(mt_buf_str(&out), MT_STR("flowchart LR\n"));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* ---- random bytes ---- */

/* Quotes of DOT come in pairs, and only what the writer wrote is outside of them. */
static bool dot_is_sound(mt_str text)
{
    bool quoted = false;
    int depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (quoted && c == '\\') {
            i++;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            depth += c == '{' || c == '[';
            depth -= c == '}' || c == ']';
        }
        if (depth < 0 || (quoted && c == '\n')) {
            return false;
        }
    }
    return !quoted && depth == 0;
}

/* Every line of Mermaid has its quotes in pairs. */
static bool mermaid_is_sound(mt_str text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') {
            quoted = !quoted;
        } else if (quoted && (text.ptr[i] == '\n' || text.ptr[i] == '%')) {
            return false;
        }
    }
    return !quoted;
}

static mt_str random_text(dice *d, mt_arena *a)
{
    static const char LIKELY[] = "\"\\]}>|<&;#%{`\n\r\t -_end";
    size_t len = dice_below(d, 60);
    char *text = mt_new_array(a, char, len + 1);
    for (size_t i = 0; i < len; i++) {
        text[i] = dice_below(d, 2) ? LIKELY[dice_below(d, sizeof LIKELY)]
                                   : (char)dice_below(d, 256);
    }
    return mt_str_from(text, len);
}

static void no_bytes_break_the_syntax(void **state)
{
    (void)state;
    dice d = dice_from_environment();
    mt_arena a = {0};
    for (size_t i = 0; i < soak_or(20000, 500); i++) {
        mt_buf out = {0};
        mt_picture p = mt_picture_new(&a, random_text(&d, &a));
        mt_picture_group g = {.name = random_text(&d, &a),
                              .label = random_text(&d, &a),
                              .tooltip = random_text(&d, &a),
                              .parent = MT_PICTURE_NONE,
                              .persona = mt_picture_persona(&p, random_text(&d, &a))};
        uint32_t group = mt_picture_add_group(&p, g);
        for (int k = 0; k < 3; k++) {
            mt_picture_node n = {.name = random_text(&d, &a),
                                 .label = random_text(&d, &a),
                                 .tooltip = random_text(&d, &a),
                                 .group = k ? group : MT_PICTURE_NONE,
                                 .persona = MT_PICTURE_NONE,
                                 .role = (mt_role)dice_below(&d, MT_ROLE_COUNT)};
            mt_picture_add_node(&p, n);
        }
        mt_picture_edge e = {.to = 2,
                             .label = random_text(&d, &a),
                             .tooltip = random_text(&d, &a),
                             .persona = 0,
                             .line = (mt_line)dice_below(&d, MT_LINE_COUNT)};
        mt_picture_add_edge(&p, e);
        mt_picture_dot(&out, &p);
        assert_true(dot_is_sound(mt_buf_str(&out)));
        mt_buf_clear(&out);
        mt_picture_mermaid(&out, &p);
        assert_true(mermaid_is_sound(mt_buf_str(&out)));
        mt_buf_clear(&out);
        mt_picture_json(&out, &p);
        mt_json tree;
        assert_int_equal(mt_json_read(&a, mt_buf_str(&out), NULL, &tree, NULL), MT_OK);
        mt_buf_free(&out);
        mt_arena_reset(&a);
    }
    mt_arena_free(&a);
}

/* ---- colours ---- */

/* Relative luminance, as WCAG 2.1 defines it. */
static double luminance(const char *colour)
{
    static const double SHARE[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    assert_int_equal(strlen(colour), 7);
    for (int i = 0; i < 3; i++) {
        char digits[3] = {colour[1 + 2 * i], colour[2 + 2 * i], 0};
        double c = (double)strtol(digits, NULL, 16) / 255;
        sum += SHARE[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void is_readable(const mt_colours *c, const mt_colours *page)
{
    assert_true(contrast(c->fill, page->line) >= 7);
    assert_true(contrast(c->line, page->fill) >= 3);
    assert_true(contrast(c->line, c->fill) >= 3);
}

static void colours_are_readable_in_both_modes(void **state)
{
    (void)state;
    const mt_paint *all[MT_PALETTE_COUNT + 3] = {&MT_PAINT_PLAIN, &MT_PAINT_SUCCESS,
                                                 &MT_PAINT_FAILURE};
    for (int i = 0; i < MT_PALETTE_COUNT; i++) {
        all[3 + i] = &MT_PALETTE[i];
    }
    for (size_t i = 0; i < rows_count(all); i++) {
        is_readable(&all[i]->light, &MT_PAINT_PAGE.light);
        is_readable(&all[i]->dark, &MT_PAINT_PAGE.dark);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(all[i]->light.fill, all[k]->light.fill);
            assert_string_not_equal(all[i]->dark.fill, all[k]->dark.fill);
        }
    }
}

static void the_ninth_persona_has_the_first_colour(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_picture p = mt_picture_new(&a, MT_STR("t"));
    for (uint32_t i = 0; i < 9; i++) {
        mt_picture_node n = node_called(mt_strf(&a, "node%u", i), MT_STR("x"));
        n.persona = mt_picture_persona(&p, mt_strf(&a, "persona%u", i));
        assert_int_equal(n.persona, i);
        mt_picture_add_node(&p, n);
    }
    assert_int_equal(mt_picture_persona(&p, MT_STR("persona3")), 3);
    mt_picture_dot(&out, &p);
    assert_non_null(strstr(line_with(&a, mt_buf_str(&out), "node7").ptr, "p7"));
    assert_non_null(strstr(line_with(&a, mt_buf_str(&out), "node8").ptr, "p0"));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void the_style_sheet_has_a_dark_mode_for_every_colour(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_picture_css(&out);
    mt_buf_addc(&out, '\0');
    assert_non_null(strstr(out.ptr, "@media (prefers-color-scheme: dark)"));
    assert_null(strchr(out.ptr, '<'));
    assert_non_null(strstr(out.ptr, "\n.node :is("));
    assert_non_null(strstr(out.ptr, "\n.node.success :is("));
    assert_non_null(strstr(out.ptr, "\n.node.failure :is("));
    for (int i = 0; i < MT_PALETTE_COUNT; i++) {
        char node[] = "\n.node.p0 :is(", edge[] = "\n.edge.p0 path";
        node[8] = edge[8] = (char)('0' + i);
        assert_non_null(strstr(out.ptr, node));
        assert_non_null(strstr(out.ptr, edge));
        assert_non_null(strstr(out.ptr, MT_PALETTE[i].dark.fill));
        assert_non_null(strstr(out.ptr, MT_PALETTE[i].dark.line));
    }
    mt_buf_free(&out);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, LABELS, labels_are_escaped);
    rows_add(&l, LINES, breaks);
    rows_add(&l, NAMES, names_are_safe);
    rows_test(&l, a_million_characters_are_six_lines);
    rows_test(&l, a_tooltip_has_its_bound);
    rows_test(&l, a_name_that_is_taken_gets_a_number);
    rows_test(&l, every_writer_writes_the_same_things);
    rows_test(&l, an_empty_picture_is_a_picture);
    rows_test(&l, no_bytes_break_the_syntax);
    rows_test(&l, colours_are_readable_in_both_modes);
    rows_test(&l, the_ninth_persona_has_the_first_colour);
    rows_test(&l, the_style_sheet_has_a_dark_mode_for_every_colour);
    return rows_run(&l, "base/picture");
}
