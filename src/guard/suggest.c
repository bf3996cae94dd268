/* guard/suggest.c - what was seen, as edits of the files.
 * Room: guard.
 * Files are edited line by line, as people lay them out and motet guard init does, so
 * that comments and everything else stay; what is laid out otherwise is not touched,
 * and said. Order: for each row of the map, whether it was called; then, for each
 * argument that is a path, the directory that all calls have in common: a fact of the
 * map says whether the path is below it, and the operation's precondition asks for that
 * fact. INVARIANT: a fact is in the map, the contract and the scenarios, or in none of
 * them. */
#include "guard/suggest.h"

#include "base/json_write.h"
#include "base/vec.h"
#include "guard/init.h"

typedef MT_VEC(mt_str) text_lines;

typedef struct work {
    mt_arena *a;
    const gd_seen *seen;
    size_t count;
    const gd_map *map;
    text_lines contract, rows; /* rows: of the map */
    text_lines facts;          /* new ones */
    mt_buf *notes;
} work;

/* ---- Lines ---- */

/* A last line without its end counts; join() gives every line one. */
static text_lines split(mt_arena *a, mt_str text)
{
    text_lines all = {0};
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_str line = mt_str_from(text.ptr, end);
        mt_vec_push(a, &all, line);
        text = mt_str_skip(text, end < text.len ? end + 1 : text.len);
    }
    return all;
}

static mt_str join(mt_arena *a, const text_lines *all)
{
    mt_buf out = {0};
    for (size_t i = 0; i < all->len; i++) {
        mt_buf_adds(&out, all->items[i]);
        mt_buf_addc(&out, '\n');
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* The vector grows by one, then the place is made free. */
static void insert(mt_arena *a, text_lines *all, size_t at, mt_str line)
{
    mt_vec_push(a, all, line);
    memmove(all->items + at + 1, all->items + at,
            (all->len - 1 - at) * sizeof *all->items);
    all->items[at] = line;
}

static void take_out(text_lines *all, size_t from, size_t to)
{
    memmove(all->items + from, all->items + to, (all->len - to) * sizeof *all->items);
    all->len -= to - from;
}

static size_t indent(mt_str line)
{
    size_t n = 0;
    while (n < line.len && line.ptr[n] == ' ') {
        n++;
    }
    return n;
}

static bool is_blank(mt_str line)
{
    size_t n = indent(line);
    return n == line.len || line.ptr[n] == '#' || line.ptr[n] == '\r';
}

/* ---- Rows of the map ---- */

typedef struct span {
    size_t from, to; /* from == to: not found */
} span;

/* The three ways to write a key in YAML that need no parser to see. */
static bool begins_with_key(mt_arena *a, mt_str line, mt_str key)
{
    mt_buf quoted = {0};
    mt_json_quote(&quoted, key);
    mt_str rest = mt_str_skip(line, indent(line));
    mt_str forms[] = {mt_strf(a, "%.*s:", MT_ARG(key)),
                      mt_strf(a, "'%.*s':", MT_ARG(key)),
                      mt_strf(a, "%.*s:", MT_ARG(mt_buf_str(&quoted)))};
    mt_buf_free(&quoted);
    return mt_str_eq(rest, forms[0]) || mt_str_eq(rest, forms[1]) ||
           mt_str_eq(rest, forms[2]);
}

/* A row in lines of its own: its key alone in the first, deeper ones behind it. */
static span row_of(const work *w, mt_str tool)
{
    const text_lines *all = &w->rows;
    size_t at = 0;
    while (at < all->len && !mt_str_is(all->items[at], "tools:")) {
        at++;
    }
    size_t deep = 0;
    for (at++; at < all->len; at++) {
        mt_str line = all->items[at];
        if (is_blank(line)) {
            continue;
        }
        deep = deep ? deep : indent(line);
        if (indent(line) < deep) {
            break;
        }
        if (indent(line) == deep && begins_with_key(w->a, line, tool)) {
            size_t end = at + 1;
            while (end < all->len &&
                   (is_blank(all->items[end]) || indent(all->items[end]) > deep)) {
                end++;
            }
            while (is_blank(all->items[end - 1])) {
                end--; /* what stands above the next row is its own */
            }
            return (span){at, end};
        }
    }
    return (span){0, 0};
}

/* How far in the lines below a key stand: as the first does, else by two. */
static size_t depth_below(const work *w, span row, size_t key)
{
    size_t deep = indent(w->rows.items[key]), next = key + 1;
    while (next < row.to && is_blank(w->rows.items[next])) {
        next++;
    }
    size_t below = next < row.to ? indent(w->rows.items[next]) : 0;
    return below > deep ? below : deep + 2;
}

/* Where a further fact goes: behind `facts: {…`, below `facts:`, or in a line that is
 * new. False: they are written in some other way. */
static bool add_to_row(work *w, span row, mt_str fact)
{
    size_t deep = indent(w->rows.items[row.from + 1]);
    for (size_t i = row.from + 1; i < row.to; i++) {
        mt_str line = w->rows.items[i], rest = mt_str_skip(line, indent(line));
        if (indent(line) != deep || !mt_str_starts(rest, MT_STR("facts:"))) {
            continue;
        }
        mt_str value = mt_str_trim(mt_str_skip(rest, 6), MT_STR(" \r"));
        if (!value.len) {
            mt_str new =
                mt_strf(w->a, "%*s%.*s", (int)depth_below(w, row, i), "", MT_ARG(fact));
            insert(w->a, &w->rows, i + 1, new);
        } else if (value.len > 2 && value.ptr[0] == '{') {
            size_t open = mt_str_find(line, '{') + 1;
            w->rows.items[i] = mt_strf(w->a, "%.*s%.*s, %.*s", (int)open, line.ptr,
                                       MT_ARG(fact), MT_ARG(mt_str_skip(line, open)));
        } else {
            return false;
        }
        return true;
    }
    mt_str new = mt_strf(w->a, "%*sfacts: {%.*s}", (int)deep, "", MT_ARG(fact));
    insert(w->a, &w->rows, row.to, new);
    return true;
}

/* ---- The contract ---- */

/* Only an operation whose head is a line of its own. */
static size_t operation_at(const work *w, mt_str name)
{
    mt_str head = mt_strf(w->a, "operation %.*s {", MT_ARG(name));
    for (size_t i = 0; i < w->contract.len; i++) {
        if (mt_str_eq(mt_str_trim(w->contract.items[i], MT_STR(" \r")), head)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Is the line before it complete? A condition may go on in the next line. */
static bool begins_member(mt_str line)
{
    mt_str rest = mt_str_trim(line, MT_STR(" \r"));
    size_t n = 0;
    while (n < rest.len &&
           ((rest.ptr[n] >= 'a' && rest.ptr[n] <= 'z') || rest.ptr[n] == '_')) {
        n++;
    }
    return mt_str_is(rest, "}") || (n && n < rest.len && rest.ptr[n] == ':');
}

/* The line of its condition, if that is all of it. */
static size_t condition_at(const work *w, mt_str operation, size_t *value)
{
    static const char *const KEYS[] = {"precondition:", "require:"};
    size_t at = operation_at(w, operation);
    for (size_t i = at == SIZE_MAX ? w->contract.len : at + 1;
         i + 1 < w->contract.len && !mt_str_is(w->contract.items[i], "}"); i++) {
        mt_str line = w->contract.items[i], rest = mt_str_skip(line, indent(line));
        for (size_t k = 0; k < 2; k++) {
            if (mt_str_starts(rest, mt_str_z(KEYS[k])) &&
                begins_member(w->contract.items[i + 1]) &&
                mt_str_find(rest, '/') == rest.len) {
                *value = indent(line) + strlen(KEYS[k]);
                return i;
            }
        }
    }
    return SIZE_MAX;
}

/* In parentheses, since what was there may be an `or`. */
static void ask_for(work *w, size_t line, size_t value, mt_str fact)
{
    mt_str text = w->contract.items[line];
    mt_str old = mt_str_trim(mt_str_skip(text, value), MT_STR(" \r"));
    bool all = mt_str_is(old, "true");
    w->contract.items[line] =
        all ? mt_strf(w->a, "%.*s %.*s", (int)value, text.ptr, MT_ARG(fact))
            : mt_strf(w->a, "%.*s (%.*s) and %.*s", (int)value, text.ptr, MT_ARG(old),
                      MT_ARG(fact));
}

/* Before the first operation and the comment above it. */
static void declare(work *w, mt_str fact, mt_str argument)
{
    size_t at = 0;
    while (at < w->contract.len &&
           !mt_str_starts(w->contract.items[at], MT_STR("operation "))) {
        at++;
    }
    while (at && mt_str_starts(w->contract.items[at - 1], MT_STR("//"))) {
        at--;
    }
    mt_buf source = {0};
    mt_json_quote(&source, mt_strf(w->a, "arguments.%.*s", MT_ARG(argument)));
    mt_str lines[] = {mt_strf(w->a, "fact %.*s {", MT_ARG(fact)),
                      MT_STR("  type: Bool"),
                      mt_strf(w->a, "  source: %.*s", MT_ARG(mt_buf_str(&source))),
                      MT_STR("  default: false"),
                      MT_STR("}"),
                      MT_STR("")};
    mt_buf_free(&source);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        insert(w->a, &w->contract, at + i, lines[i]);
    }
}

/* ---- What calls have in common ---- */

/* The directory that both are below: that of the first is given, without its slash. */
static mt_str common(mt_str directory, mt_str path)
{
    size_t n = 0, last = 0;
    while (n < directory.len && n < path.len && directory.ptr[n] == path.ptr[n]) {
        n++;
        bool ends = (n == directory.len || directory.ptr[n] == '/') && n < path.len &&
                    path.ptr[n] == '/';
        last = ends ? n : last;
    }
    return mt_str_from(directory.ptr, last);
}

/* Without its slash; empty for a path that has none, and for one just below the root:
 * "below /" says nothing. */
static mt_str directory_of(mt_str path)
{
    size_t last = 0;
    for (size_t i = 0; i < path.len; i++) {
        last = path.ptr[i] == '/' ? i : last;
    }
    return mt_str_from(path.ptr, last);
}

/* Above ".." there is more than what was seen below it; a path with a zero is none. */
static bool is_place(mt_str directory)
{
    return !mt_str_is(directory, "..") && !mt_str_ends(directory, MT_STR("/..")) &&
           mt_str_find(directory, '\0') == directory.len;
}

/* Below which directory the argument led in every call; empty: none. */
static mt_str place_of(const work *w, mt_str tool, mt_str argument)
{
    mt_str place = {0};
    for (size_t i = 0; i < w->count; i++) {
        mt_json tree;
        if (!mt_str_eq(w->seen[i].tool, tool)) {
            continue;
        }
        if (!w->seen[i].arguments.len ||
            mt_json_read(w->a, w->seen[i].arguments, NULL, &tree, NULL)) {
            return (mt_str){0}; /* what is not known may have led anywhere */
        }
        mt_str path = gd_path_plain(w->a, mt_json_text(mt_json_get(&tree, argument)));
        place = place.ptr ? common(place, path) : directory_of(path);
        if (!place.len) {
            return place;
        }
    }
    return is_place(place) ? place : (mt_str){0};
}

/* `first`: its arguments are looked at for paths; the others must agree with it. */
static size_t calls_of(const work *w, mt_str tool, const gd_seen **first)
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (mt_str_eq(w->seen[i].tool, tool)) {
            *first = n++ ? *first : &w->seen[i];
        }
    }
    return n;
}

static bool is_asked_already(const gd_tool *t, mt_str argument)
{
    for (uint32_t i = 0; i < t->fact_count; i++) {
        if (t->facts[i].under && mt_str_eq(t->facts[i].from, argument)) {
            return true;
        }
    }
    return false;
}

/* An operation that several tools have cannot be narrowed for one of them. */
static bool is_shared(const work *w, const gd_tool *t)
{
    for (uint32_t i = 0; i < w->map->tool_count; i++) {
        if (&w->map->tools[i] != t &&
            mt_str_eq(w->map->tools[i].operation, t->operation)) {
            return true;
        }
    }
    return false;
}

/* ---- All together ---- */

static void note(work *w, mt_str tool, const char *what)
{
    mt_buf_addz(w->notes, "tool ");
    mt_json_show(w->notes, tool);
    mt_buf_addf(w->notes, "%s\n", what);
}

/* All three files or none: what cannot be edited is told instead. */
static void narrow(work *w, const gd_tool *t, mt_str argument, mt_str place)
{
    mt_buf row = {0};
    size_t value, line = condition_at(w, t->operation, &value);
    span at = row_of(w, t->name);
    mt_str fact = mt_strf(w->a, "%.*s_place", MT_ARG(gd_plain_name(w->a, t->name)));
    mt_buf_addf(&row, "%.*s: {from: ", MT_ARG(fact));
    mt_json_quote(&row, argument);
    mt_buf_addz(&row, ", under: [");
    mt_json_quote(&row, place);
    mt_buf_addz(&row, "]}");
    bool fits = line != SIZE_MAX && at.to > at.from + 1 && !is_shared(w, t) &&
                add_to_row(w, at, mt_str_dup(w->a, mt_buf_str(&row)));
    mt_buf_free(&row);
    if (!fits) {
        mt_buf shown = {0};
        mt_buf_addz(&shown, ": ");
        mt_json_show(&shown, argument);
        mt_buf_addz(&shown, " was always below ");
        mt_json_show(&shown, place);
        mt_buf_addz(&shown, "; its row or its operation cannot be edited line by line");
        note(w, t->name, mt_strf(w->a, "%.*s", MT_ARG(mt_buf_str(&shown))).ptr);
        mt_buf_free(&shown);
        return;
    }
    ask_for(w, line, value, fact);
    declare(w, fact, argument);
    mt_vec_push(w->a, &w->facts, fact);
}

/* Rows that nobody called go; a tool without a row is refused. */
static void look_at(work *w, const gd_tool *t)
{
    const gd_seen *first = NULL;
    mt_json tree;
    span at = row_of(w, t->name);
    if (!calls_of(w, t->name, &first)) {
        note(w, t->name, " was never called");
        if (at.to > at.from) {
            take_out(&w->rows, at.from, at.to);
        }
        return;
    }
    if (!first->arguments.len ||
        mt_json_read(w->a, first->arguments, NULL, &tree, NULL)) {
        return;
    }
    for (uint32_t i = 0; mt_json_is(&tree, MT_JSON_OBJECT) && i < tree.count; i++) {
        mt_str name = tree.as.members[i].key;
        mt_str place = gd_is_path(name) && !is_asked_already(t, name)
                           ? place_of(w, t->name, name)
                           : (mt_str){0};
        if (place.len) {
            narrow(w, t, name, place);
            return; /* one fact for each tool has this name */
        }
    }
}

/* Calls of tools without a row, each once: whether they should have one is for people.
 */
static void note_unmapped(work *w)
{
    for (size_t i = 0; i < w->count; i++) {
        bool again = gd_map_tool(w->map, w->seen[i].tool) != NULL;
        for (size_t k = 0; k < i && !again; k++) {
            again = mt_str_eq(w->seen[k].tool, w->seen[i].tool);
        }
        if (!again) {
            note(w, w->seen[i].tool, " was called and has no row");
        }
    }
}

/* `given` of the whole file; one that has it already is left alone. */
static mt_str scenarios_with(work *w, mt_str old)
{
    text_lines all = split(w->a, old);
    size_t at = SIZE_MAX;
    bool given = false;
    for (size_t i = 0; i < all.len; i++) {
        at = mt_str_is(all.items[i], "scenarios:") ? i : at;
        given |= mt_str_starts(all.items[i], MT_STR("given:"));
    }
    if (!w->facts.len || at == SIZE_MAX || given) {
        return old;
    }
    mt_buf line = {0};
    mt_buf_addz(&line, "  facts: {");
    for (size_t i = 0; i < w->facts.len; i++) {
        mt_buf_addf(&line, "%s%.*s: true", i ? ", " : "", MT_ARG(w->facts.items[i]));
    }
    mt_buf_addc(&line, '}');
    insert(w->a, &all, at, mt_str_dup(w->a, mt_buf_str(&line)));
    insert(w->a, &all, at, MT_STR("given:"));
    mt_buf_free(&line);
    return join(w->a, &all);
}

/* The files as they would be; nothing is written here. */
gd_files gd_suggest(mt_arena *a, const gd_seen *seen, size_t count, const gd_map *map,
                    const gd_files *old, mt_buf *notes)
{
    work w = {.a = a, .seen = seen, .count = count, .map = map, .notes = notes};
    w.contract = split(a, old->contract);
    w.rows = split(a, old->map);
    for (uint32_t i = 0; i < map->tool_count; i++) {
        look_at(&w, &map->tools[i]);
    }
    note_unmapped(&w);
    gd_files out = {.contract = join(a, &w.contract), .map = join(a, &w.rows)};
    if (old->scenarios.ptr) {
        out.scenarios = scenarios_with(&w, old->scenarios);
    }
    return out;
}
