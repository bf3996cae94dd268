/* guard/init.c - the files that a guard begins with.
 * Room: guard.
 * Each tool is an operation. What it acts on is guessed from its first required
 * argument that is text and called like something that has a life: a path is a File, a
 * link a Link, an id or a name what it is of. A tool without one acts on the Server.
 * Tools that say they only read change nothing; those that say, or do not deny, that
 * they destroy are told apart from those that only change. Three switches are facts
 * with defaults: with one of them off, all tools of that class are refused. INVARIANT:
 * whatever a server calls its tools, the files hold: names are made of letters, digits
 * and underscores and are not words of the language, no two are alike, and its words
 * are in one line of a comment. */
#include "guard/init.h"

#include <strings.h>

#include "base/form.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"

enum { COMMENT_MOST = 100, NAME_MOST = 100, WRITABLE_MOST = 128 };

/* ---- Names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Printable ASCII: what a map and a contract can name and a terminal can show. */
bool gd_is_writable(mt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < 0x20 || name.ptr[i] > 0x7e) {
            return false;
        }
    }
    return name.len && name.len <= WRITABLE_MOST;
}

/* YAML takes these for something else than text, however they are written. */
static bool is_value(mt_str name)
{
    static const char *const VALUES[] = {"true", "false", "null"};
    bool is = false;
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        is |= name.len == strlen(VALUES[i]) &&
              !strncasecmp(name.ptr, VALUES[i], name.len);
    }
    return is;
}

/* Words that mean something, alone or at the place of a name. */
static bool is_taken(mt_str name)
{
    static const char *const WORDS[] = {
        "and",     "or",     "not",    "exists",   "forall",          "in",
        "present", "len",    "true",   "false",    "import",          "type",
        "fact",    "source", "entity", "rule",     "operation",       "persona",
        "flow",    "system", "module", "contract", "verdict_present", "agent",
        "operator"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (mt_str_eq(name, mt_str_z(WORDS[i]))) {
            return true;
        }
    }
    return is_value(name) || mt_str_starts(name, MT_STR("close_")) ||
           mt_str_ends(name, MT_STR("_allowed"));
}

mt_str gd_plain_name(mt_arena *a, mt_str name)
{
    size_t len = name.len < NAME_MOST ? name.len : NAME_MOST;
    char *text = mt_alloc(a, len + 8);
    size_t at = 0;
    bool first = len && is_letter(name.ptr[0]);
    bool taken = is_taken(name);
    if (!first || taken) {
        memcpy(text, "tool_", 5);
        at = 5;
    }
    for (size_t i = 0; i < len; i++) {
        bool keep = is_letter(name.ptr[i]) || is_digit(name.ptr[i]);
        text[at++] = keep ? name.ptr[i] : '_';
    }
    return mt_str_from(text, at);
}

/* `base`, or what is free of `base_2`, `base_3`, ...; how far that went is kept. */
static mt_str free_name(mt_arena *a, mt_map *taken, mt_str base)
{
    bool added;
    mt_str name = base;
    uintptr_t next = mt_map_add(a, taken, base, &added)->value;
    for (next = next < 2 ? 2 : next; !added; next++) {
        name = mt_strf(a, "%.*s_%zu", MT_ARG(base), (size_t)next);
        (void)mt_map_add(a, taken, name, &added);
    }
    mt_map_find(taken, base)->value = next;
    return name;
}

/* What each tool is called as an operation. */
static mt_str *names_of(mt_arena *a, const gd_tools *tools)
{
    mt_map taken = {0};
    mt_str *names = mt_new_array(a, mt_str, tools->count + 1);
    for (size_t i = 0; i < tools->count; i++) {
        mt_str base = gd_plain_name(a, mt_text_at(tools->items[i], "name"));
        names[i] = free_name(a, &taken, base);
    }
    return names;
}

/* Each tool once: a map has one row for a name. The first counts. */
static gd_tools once(mt_arena *a, const gd_tools *tools)
{
    mt_map seen = {0};
    const mt_json **items = mt_new_array(a, const mt_json *, tools->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < tools->count; i++) {
        bool added;
        (void)mt_map_add(a, &seen, mt_text_at(tools->items[i], "name"), &added);
        if (added) {
            items[count++] = tools->items[i];
        }
    }
    return (gd_tools){items, count, tools->left_out};
}

/* ---- What a tool acts on ---- */

static const struct guess {
    const char *end, *entity;
    bool path;
} GUESSES[] = {
    {"path", "File", true},   {"file", "File", true},      {"filename", "File", true},
    {"source", "File", true}, {"directory", "File", true}, {"uri", "Link", false},
    {"url", "Link", false},   {"id", "Thing", false},      {"key", "Thing", false},
    {"name", "Thing", false},
};

typedef struct subject {
    const char *entity;
    mt_str argument; /* empty: the server itself */
    bool path;
} subject;

/* The argument's name ends like the guess, as a word: file_path, filePath, path. */
static bool ends_like(mt_str name, const char *end)
{
    size_t len = strlen(end);
    if (name.len < len) {
        return false;
    }
    const char *tail = name.ptr + name.len - len;
    bool whole = name.len == len;
    bool joined = !whole && tail[-1] == '_' && !memcmp(tail, end, len);
    bool camel = !whole && tail[0] == (char)(end[0] - 'a' + 'A') &&
                 !memcmp(tail + 1, end + 1, len - 1);
    return (whole && !memcmp(tail, end, len)) || joined || camel;
}

static bool is_path_segment(mt_str name)
{
    /* A dot leads inside, in a map. */
    return mt_str_find(name, '.') == name.len && gd_is_writable(name);
}

bool gd_is_path(mt_str name)
{
    bool is = false;
    for (size_t k = 0; k < sizeof GUESSES / sizeof *GUESSES; k++) {
        is |= GUESSES[k].path && ends_like(name, GUESSES[k].end);
    }
    return is && is_path_segment(name);
}

/* The first guess in the order of the required arguments; the table's order decides
 * between several endings of one. */
static subject subject_of(const mt_json *tool)
{
    const mt_json *schema = mt_json_at(tool, "inputSchema");
    const mt_json *properties = mt_json_at(schema, "properties");
    const mt_json *required = mt_json_at(schema, "required");
    for (uint32_t i = 0; mt_json_is(required, MT_JSON_ARRAY) && i < required->count;
         i++) {
        mt_str name = mt_json_text(&required->as.items[i]);
        bool text =
            mt_str_is(mt_text_at(mt_json_get(properties, name), "type"), "string");
        for (size_t k = 0; text && k < sizeof GUESSES / sizeof *GUESSES; k++) {
            if (ends_like(name, GUESSES[k].end) && is_path_segment(name)) {
                return (subject){GUESSES[k].entity, name, GUESSES[k].path};
            }
        }
    }
    return (subject){"Server", (mt_str){0}, false};
}

/* ---- What a tool does ---- */

typedef enum doing { READS, CHANGES, DESTROYS, DOINGS } doing;
static const char *const SWITCHES[] = {
    [READS] = "reading_allowed",
    [CHANGES] = "changing_allowed",
    [DESTROYS] = "destroying_allowed",
};
_Static_assert(sizeof SWITCHES / sizeof *SWITCHES == DOINGS, "one for each");

/* What the protocol says that a missing hint means. */
static bool hint(const mt_json *tool, const char *name, bool otherwise)
{
    const mt_json *v = mt_json_get(mt_json_at(tool, "annotations"), mt_str_z(name));
    return mt_json_is(v, MT_JSON_BOOL) ? v->boolean : otherwise;
}

/* A server that says nothing about a tool is taken to destroy: as the protocol reads a
 * missing hint. */
static doing doing_of(const mt_json *tool)
{
    return hint(tool, "readOnlyHint", false)     ? READS
           : hint(tool, "destructiveHint", true) ? DESTROYS
                                                 : CHANGES;
}

static bool any_does(const gd_tools *tools, doing what)
{
    for (size_t i = 0; i < tools->count; i++) {
        if (doing_of(tools->items[i]) == what) {
            return true;
        }
    }
    return false;
}

/* One line of what a stranger says. */
static void comment(mt_buf *out, const char *before, mt_str words)
{
    mt_buf shown = {0};
    size_t line = mt_str_find(mt_utf8_cut(words, COMMENT_MOST), '\n');
    mt_json_show(&shown, mt_str_from(words.ptr, line));
    if (shown.len) {
        mt_buf_addz(out, before);
        mt_buf_adds(out, mt_buf_str(&shown));
        mt_buf_addc(out, '\n');
    }
    mt_buf_free(&shown);
}

/* ---- The contract ---- */

static const char *const ENTITIES[] = {"File", "Link", "Thing", "Server"};
enum { ENTITY_COUNT = (int)(sizeof ENTITIES / sizeof *ENTITIES) };

/* Only what some tool changes: an entity that nothing moves is none. */
static bool is_changed(const gd_tools *tools, const char *entity)
{
    for (size_t i = 0; i < tools->count; i++) {
        if (doing_of(tools->items[i]) != READS &&
            !strcmp(subject_of(tools->items[i]).entity, entity)) {
            return true;
        }
    }
    return false;
}

/* What changes a thing needs it to be active, so that closing it stops every such
 * tool. */
static void add_operation(mt_buf *out, mt_str name, const mt_json *tool)
{
    doing what = doing_of(tool);
    mt_buf_addc(out, '\n');
    comment(out, "// ", mt_text_at(tool, "description"));
    mt_buf_addf(out,
                "operation %.*s {\n  allowed_personas: [agent]\n"
                "  precondition: %s\n",
                MT_ARG(name), SWITCHES[what]);
    if (what == READS) {
        mt_buf_addz(out, "  effects: []\n");
    } else {
        mt_buf_addf(out, "  effects: [(%s, active, active)]\n",
                    subject_of(tool).entity);
    }
    mt_buf_addf(out, "  error_contract: [persona_rejected, precondition_failed%s]\n}\n",
                what == READS ? "" : ", invalid_entity_state");
}

static void add_entity(mt_buf *out, const char *entity)
{
    mt_buf_addf(out,
                "\nentity %s {\n  states: [active, closed]\n  initial: active\n"
                "  transitions: [(active, active), (active, closed)]\n}\n",
                entity);
}

static void add_close(mt_buf *out, const char *entity)
{
    mt_buf_addf(out,
                "\noperation close_%c%s {\n  allowed_personas: [operator]\n"
                "  precondition: true\n  effects: [(%s, active, closed)]\n"
                "  error_contract: [persona_rejected, invalid_entity_state]\n}\n",
                entity[0] - 'A' + 'a', entity + 1, entity);
}

void gd_init_contract(mt_buf *out, mt_arena *a, const gd_tools *all)
{
    gd_tools single = once(a, all);
    const gd_tools *tools = &single;
    mt_str *names = names_of(a, tools);
    mt_buf_addz(out,
                "// What an agent may do with the tools of a server, and what each of "
                "them changes.\n// Begin with the switches; then say of single tools "
                "when they may be used.\n\npersona agent\n");
    bool moves = any_does(tools, CHANGES) || any_does(tools, DESTROYS);
    mt_buf_addz(out, moves ? "persona operator\n" : "");
    mt_buf_addz(out, "\n// Switches: with a default of false, tools of that class are "
                     "refused.\n");
    for (int d = 0; d < DOINGS; d++) {
        if (any_does(tools, (doing)d)) {
            mt_buf_addf(out,
                        "fact %s {\n  type: Bool\n  source: \"guard.settings\"\n"
                        "  default: true\n}\n",
                        SWITCHES[d]);
        }
    }
    if (moves) {
        mt_buf_addz(out, "\n// What tools change. Once an operator has closed one, no "
                         "tool changes it any more.");
    }
    for (int e = 0; e < ENTITY_COUNT; e++) {
        if (is_changed(tools, ENTITIES[e])) {
            add_entity(out, ENTITIES[e]);
        }
    }
    for (size_t i = 0; i < tools->count; i++) {
        add_operation(out, names[i], tools->items[i]);
    }
    for (int e = 0; e < ENTITY_COUNT; e++) {
        if (is_changed(tools, ENTITIES[e])) {
            add_close(out, ENTITIES[e]);
        }
    }
}

/* ---- The map ---- */

static void add_binding(mt_buf *out, const mt_json *tool)
{
    subject s = subject_of(tool);
    mt_buf_addf(out, "    bindings: {%s: {", s.entity);
    if (s.argument.len) {
        mt_buf_addz(out, "from: ");
        mt_json_quote(out, s.argument);
        mt_buf_addz(out, s.path ? ", as: path" : "");
    } else {
        mt_buf_addz(out, "id: server");
    }
    mt_buf_addz(out, ", create: true}}\n");
}

void gd_init_map(mt_buf *out, mt_arena *a, const gd_tools *all)
{
    gd_tools single = once(a, all);
    const gd_tools *tools = &single;
    mt_str *names = names_of(a, tools);
    mt_buf_addz(out,
                "# Which tool is which operation of the contract.\n"
                "persona: agent\nunmapped: refuse\ntimeout: 60s\nrecord_bytes: 1024\n"
                "tools:");
    mt_buf_addz(out, tools->count ? "\n" : " {}\n");
    for (size_t i = 0; i < tools->count; i++) {
        mt_buf_addz(out, "  ");
        mt_json_quote(out, mt_text_at(tools->items[i], "name"));
        mt_buf_addf(out, ":\n    operation: %.*s\n", MT_ARG(names[i]));
        if (doing_of(tools->items[i]) != READS) {
            add_binding(out, tools->items[i]);
        }
    }
}

/* ---- Scenarios ---- */

/* Two of each class: allowed as written, refused with its switch off. */
static void add_scenario(mt_buf *out, mt_str name, doing what, bool allowed)
{
    mt_buf_addf(out, "  - name: %.*s is %s\n", MT_ARG(name),
                allowed ? "allowed" : "refused when its switch is off");
    if (!allowed) {
        mt_buf_addf(out, "    given: {facts: {%s: false}}\n", SWITCHES[what]);
    }
    mt_buf_addf(out, "    when: {persona: agent, operation: %.*s}\n", MT_ARG(name));
    mt_buf_addf(out, "    then: {%s}\n",
                allowed ? "outcome: success" : "error: precondition_failed");
}

static void add_closed(mt_buf *out, mt_str name, const char *entity)
{
    mt_buf_addf(out,
                "  - name: %.*s is refused for what was closed\n"
                "    given: {states: {%s: closed}}\n"
                "    when: {persona: agent, operation: %.*s}\n"
                "    then: {error: \"in state 'closed'\"}\n",
                MT_ARG(name), entity, MT_ARG(name));
}

/* The first tool of each class. */
void gd_init_scenarios(mt_buf *out, mt_arena *a, const gd_tools *all)
{
    gd_tools single = once(a, all);
    const gd_tools *tools = &single;
    mt_str *names = names_of(a, tools);
    mt_buf_addz(out, "# What the contract promises: motet test runs it.\n"
                     "contract: guard.tenor\nscenarios:\n");
    for (int d = 0; d < DOINGS; d++) {
        for (size_t i = 0; i < tools->count; i++) {
            if (doing_of(tools->items[i]) == (doing)d) {
                add_scenario(out, names[i], (doing)d, true);
                add_scenario(out, names[i], (doing)d, false);
                if (d != READS) {
                    add_closed(out, names[i], subject_of(tools->items[i]).entity);
                }
                break;
            }
        }
    }
}
