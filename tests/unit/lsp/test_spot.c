/* Places in YAML and JSON that is being written: the path that leads there. */
#include "lsp/spot.h"

#include "../rows.h"

/* The cursor is the | of the text. `path` has the steps, # for items with their index;
 * what follows is K for a key, V for a value, with ? where a key may begin there, { in
 * brackets, ' in quotes, and what is written there. */
typedef struct spot_row {
    const char *name, *text, *path;
} spot_row;

static const spot_row SPOTS[] = {
    {"an empty document", "|", "/ K"},
    {"a key that is being written", "no|", "/no K no"},
    {"a key that is whole", "no|des: 1", "/nodes K nodes"},
    {"behind a colon", "kind: |", "/kind V"},
    {"a value", "kind: clu|ster", "/kind V cluster"},
    {"the end of a value", "kind: cluster|", "/kind V cluster"},
    {"blanks behind a value belong to it", "edge: a -> |", "/edge V a -> "},
    {"behind a value and a comment nothing", "kind: a # b|", "nothing"},
    {"between the colon and the value nothing", "kind:| a", "nothing"},
    {"a line further in", "nodes:\n  |", "/nodes V?"},
    {"a line as far in", "nodes:\n  a: 1\n  |", "/nodes/ K"},
    {"a line further out", "nodes:\n  a: 1\n|", "/ K"},
    {"a key further in", "nodes:\n  a:\n    im|", "/nodes/a V? im"},
    {"a key beside one further in", "nodes:\n  a:\n    b: 1\n    im|",
     "/nodes/a/im K im"},
    {"an item", "edges:\n  - |", "/edges/#0 V?"},
    {"the second item", "edges:\n  - a\n  - |b", "/edges/#1 V? b"},
    {"an item as far in as its key", "edges:\n- a\n- |b", "/edges/#1 V? b"},
    {"a key behind such items", "edges:\n- a\n|", "/ K"},
    {"a key of an item", "rows:\n  - a: 1\n    b|", "/rows/#0/b K b"},
    {"a value of an item", "rows:\n  - a: 1\n  - a: |", "/rows/#1/a V"},
    {"an item of an item", "rows:\n  - - a\n    - |b", "/rows/#0/#1 V? b"},
    {"brackets", "a: {|}", "/a/ K{"},
    {"a key in brackets", "a: {b|}", "/a/b K{ b"},
    {"a value in brackets", "a: {b: |}", "/a/b V{"},
    {"the next key in brackets", "a: {b: 1, |}", "/a/ K{"},
    {"a list in brackets", "a: [b, |]", "/a/#1 V{"},
    {"brackets in brackets", "a: {b: [{c: |}]}", "/a/b/#0/c V{"},
    {"brackets over lines", "a: {b: 1,\n  c: |}", "/a/c V{"},
    {"behind brackets the next line", "a: {b: 1}\n|", "/ K"},
    {"a comment in brackets", "a: {b: 1, # c: 2\n |}", "/a/ K{"},
    {"JSON", "{\"a\": {\"b\": \"|\"}}", "/a/b V{'"},
    {"JSON without blanks", "{\"a\":{\"b\":\"x|\"}}", "/a/b V{' x"},
    {"a key of JSON", "{\"a\": 1, \"b|\": 2}", "/b K{' b"},
    {"JSON that goes on", "{\"a\": 1, |", "/ K{"},
    {"single quotes", "a: 'b|'", "/a V' b"},
    {"quotes with a colon", "\"a: b\": |", "/a: b V"},
    {"an escaped quote", "a: \"b\\\"c|\"", "/a V' b\\\"c"},
    {"an escaped quote at the end is not the end", "a: \"b\\\"|", "/a V' b\\\""},
    {"a backslash at the end", "a: \"b\\|", "/a V' b\\"},
    {"one in single quotes escapes nothing", "a: 'b\\|'", "/a V' b\\"},
    {"a quote that is not closed", "a: \"|", "/a V'"},
    {"the line below a quote that is not closed", "a: {b: \"c\n|d: 1}", "/a/d K{ d"},
    {"text of many lines is passed over", "a: |\n  b: |c\nd: e", "nothing"},
    {"behind text of many lines", "a: >\n  b\n\nd|", "/d K d"},
    {"the beginning of a document", "---\na: |", "/a V"},
    {"a tab before the end", "a:\t|", "/a V"},
    {"lines that end with \\r\\n", "a: 1\r\nb: |\r\n", "/b V"},
    {"brackets that nobody opened", "a: }]\nb: |", "/b V"},
    {"an arrow of a route", "route: A --[f]--> |B", "/route V A --[f]--> B"},
};

static void write_path(mt_buf *out, const ls_spot *s)
{
    for (size_t i = 0; i < s->depth; i++) {
        if (s->path[i].is_item) {
            mt_buf_addf(out, "/#%u", s->path[i].index);
        } else {
            mt_buf_addf(out, "/%.*s", MT_ARG(s->path[i].key));
        }
    }
    mt_buf_addf(out, " %s%s%s%s", s->is_key ? "K" : "V", s->may_be_key ? "?" : "",
                s->is_flow ? "{" : "", s->is_quoted ? "'" : "");
    mt_buf_addf(out, "%s%.*s", s->text.len ? " " : "", MT_ARG(s->text));
    assert_int_equal(s->range.to - s->range.from, s->text.len);
}

/* The last | is the cursor: text of many lines begins with one. */
static void a_place_has_its_path(void **state)
{
    const spot_row *r = *state;
    mt_buf text = {0}, path = {0};
    const char *bar = strrchr(r->text, '|');
    ls_spot s;
    mt_buf_add(&text, r->text, (size_t)(bar - r->text));
    mt_buf_addz(&text, bar + 1);
    if (ls_spot_at(mt_buf_str(&text), (size_t)(bar - r->text), &s)) {
        write_path(&path, &s);
    } else {
        mt_buf_addz(&path, "nothing");
    }
    mt_buf_addc(&path, '\0');
    assert_string_equal(path.ptr, r->path);
    mt_buf_free(&text);
    mt_buf_free(&path);
}

typedef struct pattern_row {
    const char *name, *pattern;
    bool fits;
} pattern_row;

/* Of the place /rows/#0/a. */
static const pattern_row PATTERNS[] = {
    {"the end", "a", true},
    {"an item before it", "#/a", true},
    {"any key", "#/*", true},
    {"all of it", "/rows/#/a", true},
    {"not the beginning", "/a", false},
    {"another key", "b", false},
    {"a key is no item", "#", false},
    {"an item is no key", "*/a", false},
    {"too long", "x/rows/#/a", false},
    {"too long from the beginning", "/x/rows/#/a", false},
};

static void a_pattern_fits_the_end(void **state)
{
    const pattern_row *r = *state;
    mt_str text = MT_STR("rows: [{a: 1}]");
    ls_spot s;
    assert_true(ls_spot_at(text, text.len - 3, &s));
    assert_int_equal(ls_spot_is(&s, r->pattern), r->fits);
}

/* Deeper than there are frames: no crash, and the end of it is found again. */
static void depth_is_bounded(void **state)
{
    (void)state;
    mt_buf text = {0};
    ls_spot s;
    for (int i = 0; i < 4 * LS_SPOT_DEPTH; i++) {
        mt_buf_addz(&text, "{a: [");
    }
    size_t deep = text.len;
    for (int i = 0; i < 4 * LS_SPOT_DEPTH; i++) {
        mt_buf_addz(&text, "]}");
    }
    mt_buf_addz(&text, "\nb: ");
    assert_true(ls_spot_at(mt_buf_str(&text), deep, &s));
    assert_true(s.depth <= LS_SPOT_DEPTH);
    assert_true(ls_spot_at(mt_buf_str(&text), text.len, &s));
    assert_true(ls_spot_is(&s, "/b"));
    mt_buf_clear(&text);
    for (int i = 0; i < 4 * LS_SPOT_DEPTH; i++) {
        mt_buf_addf(&text, "%*sa:\n", i, "");
    }
    assert_true(ls_spot_at(mt_buf_str(&text), text.len - 1, &s));
    mt_buf_free(&text);
}

int main(void)
{
    static rows_list rows;
    rows_add(&rows, SPOTS, a_place_has_its_path);
    rows_add(&rows, PATTERNS, a_pattern_fits_the_end);
    rows_test(&rows, depth_is_bounded);
    return rows_run(&rows, "lsp/spot");
}
