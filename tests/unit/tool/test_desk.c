/* Who is admitted, pages of tools, names and keys at their limits, and many visitors at
 * once. What the tools say is in tests/golden/mcp. */
#include "../exec/exec_fixture.h"

#include "tool/turn.h"

/* ---- A desk with its tools ---- */

typedef struct office {
    desk d;
    tl_desk *tools;
    mt_arena arena;
} office;

#define ENTITY "entity E { states: [a, b] initial: a transitions: [(a, b), (b, a)] }\n"
#define TURN                                                                           \
    "operation turn { personas: [p] require: true effects: [(E, a, b), (E, b, a)] }\n"

static const char *write_contract(const char *name, const char *text)
{
    const char *path = temp_path(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

static office open_office(const char *text)
{
    static int number;
    char url[300], name[32];
    mt_buf why = {0};
    st_store *store;
    const char *file = write_contract("wheel.tenor", text);
    snprintf(name, sizeof name, "tool%d.db", number++);
    snprintf(url, sizeof url, "sqlite:%s", temp_path(name));
    assert_fine(st_open(url, NULL, &store, &why));
    office o = {.d = desk_on(store, file, NULL)};
    o.tools = tl_desk_new(o.d.x, "1");
    return o;
}

static void close_office(office *o)
{
    tl_desk_free(o->tools);
    desk_close(&o->d);
    mt_arena_free(&o->arena);
}

/* ---- Messages ---- */

typedef struct said {
    pthread_mutex_t lock;
    pthread_cond_t given;
    int times, status;
    mt_buf body;
} said;

static void done(void *state, int status, mt_buf *body)
{
    said *s = state;
    pthread_mutex_lock(&s->lock);
    s->times++;
    s->status = status;
    s->body = *body;
    *body = (mt_buf){0};
    pthread_cond_signal(&s->given);
    pthread_mutex_unlock(&s->lock);
}

static const mt_json *hear_from(tl_desk *tools, mt_arena *a, const tl_visit *v,
                                mt_str text)
{
    said s = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};
    tl_hear(tools, v, text, done, &s);
    pthread_mutex_lock(&s.lock);
    while (!s.times) {
        pthread_cond_wait(&s.given, &s.lock);
    }
    pthread_mutex_unlock(&s.lock);
    mt_json *tree = mt_new(a, mt_json);
    assert_fine(mt_json_read(a, mt_str_dup(a, mt_buf_str(&s.body)), NULL, tree, NULL));
    mt_buf_free(&s.body);
    assert_int_equal(s.times, 1);
    return tree;
}

#define META                                                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","           \
    "\"io.modelcontextprotocol/clientCapabilities\":{}%s}"

static mt_str request(mt_arena *a, const char *method, const char *params,
                      const char *meta)
{
    mt_str notes = mt_strf(a, META, meta);
    return mt_strf(
        a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s%.*s}}",
        method, params, *params ? "," : "", MT_ARG(notes));
}

static const tl_visit DRIVER = {
    .caller = &ANYONE, .contract = MT_STR_INIT("wheel"), .persona = MT_STR_INIT("p")};

/* ---- Who is let in ---- */

CALLER(HOLDER, "tok-1", LIST(T("wheel:p")), LIST(T("wheel/read")));
CALLER(EVERYWHERE, "tok-2", LIST(T("p")), LIST(T("read")));
CALLER(ELSEWHERE, "tok-3", LIST(T("other:p")), LIST(T("admin")));

static const struct admitted_row {
    const char *name, *contract, *persona;
    const ex_caller *caller;
    bool is;
} ADMITTED[] = {
    {"a persona of the contract", "wheel", "p", &HOLDER, true},
    {"a persona of every contract", "wheel", "p", &EVERYWHERE, true},
    {"anyone where all are", "wheel", "p", &ANYONE, true},
    {"a persona of another contract", "wheel", "p", &ELSEWHERE, false},
    {"another persona", "wheel", "q", &HOLDER, false},
    {"a persona that nobody declared", "wheel", "nobody", &ANYONE, false},
    {"no persona", "wheel", "", &ANYONE, false},
    {"a contract that is not there", "other", "p", &ELSEWHERE, false},
    {"the default contract has its name", "", "p", &ANYONE, false},
};

static void is_admitted(void **state)
{
    const struct admitted_row *row = *state;
    office o = open_office("persona p\npersona q\n" ENTITY TURN);
    tl_visit v = {.caller = row->caller,
                  .contract = mt_str_z(row->contract),
                  .persona = mt_str_z(row->persona)};
    assert_int_equal(tl_admits(o.tools, &v), row->is);
    close_office(&o);
}

/* ---- Pages ---- */

static office with_operations(int count)
{
    mt_buf text = {0};
    mt_buf_addz(&text, "persona p\n" ENTITY);
    for (int i = 0; i < count; i++) {
        mt_buf_addf(&text,
                    "operation o%04d { personas: [p] require: true effects: [(E, a, "
                    "b)] }\n",
                    i);
    }
    mt_buf_addc(&text, '\0');
    office o = open_office(text.ptr);
    mt_buf_free(&text);
    return o;
}

/* Without flows five tools are our own. */
static const struct page_row {
    const char *name;
    int operations, pages, last;
} PAGES[] = {
    {"99 tools are one page", 94, 1, 99},  {"100 tools, too", 95, 1, 100},
    {"101 tools are two pages", 96, 2, 1}, {"200 tools are two", 195, 2, 100},
    {"201 tools are three", 196, 3, 1},
};

static void has_pages(void **state)
{
    const struct page_row *row = *state;
    office o = with_operations(row->operations);
    mt_str cursor = {0};
    int pages = 0;
    uint32_t all = 0, last = 0;
    do {
        mt_str params = cursor.len
                            ? mt_strf(&o.arena, "\"cursor\":\"%.*s\"", MT_ARG(cursor))
                            : MT_STR("");
        const mt_json *result = mt_json_at(
            hear_from(o.tools, &o.arena, &DRIVER,
                      request(&o.arena, "tools/list",
                              mt_strf(&o.arena, "%.*s", MT_ARG(params)).ptr, "")),
            "result");
        last = mt_json_at(result, "tools")->count;
        all += last;
        pages++;
        cursor = mt_text_at(result, "nextCursor");
    } while (cursor.len);
    assert_int_equal(pages, row->pages);
    assert_int_equal(last, row->last);
    assert_int_equal(all, row->operations + 5);
    close_office(&o);
}

static void the_last_tool_has_no_page_behind_it(void **state)
{
    (void)state;
    office o = with_operations(1);
    const mt_json *result = mt_json_at(
        hear_from(o.tools, &o.arena, &DRIVER,
                  request(&o.arena, "tools/list", "\"cursor\":\"explain\"", "")),
        "result");
    assert_int_equal(mt_json_at(result, "tools")->count, 0);
    assert_null(mt_json_at(result, "nextCursor"));
    close_office(&o);
}

/* ---- Names and keys ---- */

static void a_name_has_a_length_and_no_control_characters(void **state)
{
    (void)state;
    char text[4098];
    memset(text, 'x', sizeof text);
    assert_true(tl_is_name(mt_str_from(text, 4096)));
    assert_false(tl_is_name(mt_str_from(text, 4097)));
    assert_true(tl_is_name(MT_STR(" ")));
    assert_true(tl_is_name(MT_STR("é")));
    static const mt_str NOT[] = {MT_STR_INIT(""),     MT_STR_INIT("a\n"),
                                 MT_STR_INIT("\x1f"), MT_STR_INIT("a\x7f"),
                                 MT_STR_INIT("\xff"), MT_STR_INIT("a\0b")};
    for (size_t i = 0; i < sizeof NOT / sizeof *NOT; i++) {
        assert_false(tl_is_name(NOT[i]));
    }
}

static void keys_of_a_session_are_its_own(void **state)
{
    (void)state;
    mt_arena a = {0};
    tl_session one, two;
    tl_session_begin(&one);
    tl_session_begin(&two);
    assert_false(one.began);
    mt_str key = tl_session_key(&a, &one, MT_STR("1"));
    assert_int_equal(key.len, 64);
    assert_text(tl_session_key(&a, &one, MT_STR("1")), key);
    assert_false(mt_str_eq(tl_session_key(&a, &one, MT_STR("\"1\"")), key));
    assert_false(mt_str_eq(tl_session_key(&a, &two, MT_STR("1")), key));
    mt_arena_free(&a);
}

static const struct key_row {
    const char *name, *key;
    bool good;
} KEYS[] = {
    {"one character", "\"k\"", true},
    {"the least and the most that are printable", "\"!~\"", true},
    {"a space", "\"a b\"", false},
    {"a space before it", "\" a\"", false},
    {"a space behind it", "\"a \"", false},
    {"a character that is not printable", "\"a\\u007f\"", false},
    {"nothing", "\"\"", false},
    {"a number", "7", false},
    {"outside ASCII", "\"é\"", false},
};

static bool is_taken(office *o, mt_str key)
{
    mt_str meta = mt_strf(&o->arena, ",\"motet/callId\":%.*s", MT_ARG(key));
    const mt_json *reply = hear_from(o->tools, &o->arena, &DRIVER,
                                     request(&o->arena, "tools/list", "", meta.ptr));
    int64_t code = 0;
    (void)mt_json_i64(mt_json_at(mt_json_at(reply, "error"), "code"), &code);
    assert_true(code == 0 || code == -32602);
    return code == 0;
}

static void is_a_key(void **state)
{
    const struct key_row *row = *state;
    office o = open_office("persona p\n" ENTITY TURN);
    assert_int_equal(is_taken(&o, mt_str_z(row->key)), row->good);
    close_office(&o);
}

static void a_key_has_at_most_200_characters(void **state)
{
    (void)state;
    char key[204];
    memset(key, 'k', sizeof key);
    key[0] = '"';
    office o = open_office("persona p\n" ENTITY TURN);
    key[201] = '"';
    assert_true(is_taken(&o, mt_str_from(key, 202)));
    key[201] = 'k';
    key[202] = '"';
    assert_false(is_taken(&o, mt_str_from(key, 203)));
    close_office(&o);
}

/* ---- A persona that goes, and many visitors ---- */

static void a_visitor_whose_persona_is_gone_is_told(void **state)
{
    (void)state;
    office o = open_office("persona p\n" ENTITY TURN);
    tl_visit v = DRIVER;
    v.persona = MT_STR("gone");
    const mt_json *error = mt_json_at(
        hear_from(o.tools, &o.arena, &v, request(&o.arena, "tools/list", "", "")),
        "error");
    int64_t code = 0;
    assert_fine(mt_json_i64(mt_json_at(error, "code"), &code));
    assert_int_equal(code, -32603);
    assert_text(mt_text_at(error, "message"),
                MT_STR("the contract has no such persona any more"));
    mt_buf names = {0};
    tl_names(o.tools, MT_STR("wheel"), MT_STR("gone"), &names);
    tl_names(o.tools, MT_STR("no"), MT_STR("p"), &names);
    assert_int_equal(names.len, 0);
    tl_names(o.tools, MT_STR("wheel"), MT_STR("p"), &names);
    assert_text(mt_buf_str(&names),
                MT_STR("turn\nactions\nwhy\ndry_run\nask\nexplain\n"));
    mt_buf_free(&names);
    close_office(&o);
}

enum { VISITORS = 6, CALLS = 20 };

typedef struct visitor {
    office *o;
    int number, moved;
} visitor;

static void *visit(void *state)
{
    visitor *v = state;
    mt_arena a = {0};
    for (int i = 0; i < CALLS; i++) {
        mt_str given = mt_strf(&a,
                               "\"name\":\"turn\",\"arguments\":{\"bindings\":{\"E\":"
                               "\"e%d\"}}",
                               v->number);
        const mt_json *result =
            mt_json_at(hear_from(v->o->tools, &a, &DRIVER,
                                 request(&a, i % 5 ? "tools/call" : "tools/list",
                                         i % 5 ? given.ptr : "", "")),
                       "result");
        const mt_json *wrong = mt_json_at(result, "isError");
        v->moved += wrong && !wrong->boolean;
    }
    mt_arena_free(&a);
    return NULL;
}

static void many_visitors_are_each_answered_once(void **state)
{
    (void)state;
    office o = open_office("persona p\n" ENTITY TURN);
    pthread_t threads[VISITORS];
    visitor visitors[VISITORS];
    for (int i = 0; i < VISITORS; i++) {
        char body[32];
        snprintf(body, sizeof body, "{\"id\":\"e%d\"}", i);
        ask(&o.d, &ANYONE, EX_INSTANCE_CREATE, "E", "", body);
        assert_int_equal(o.d.status, 201);
    }
    for (int i = 0; i < VISITORS; i++) {
        visitors[i] = (visitor){&o, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, visit, &visitors[i]), 0);
    }
    for (int i = 0; i < VISITORS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(visitors[i].moved, CALLS - CALLS / 5);
    }
    close_office(&o);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ADMITTED, is_admitted);
    rows_add(&list, PAGES, has_pages);
    rows_test(&list, the_last_tool_has_no_page_behind_it);
    rows_test(&list, a_name_has_a_length_and_no_control_characters);
    rows_test(&list, keys_of_a_session_are_its_own);
    rows_add(&list, KEYS, is_a_key);
    rows_test(&list, a_key_has_at_most_200_characters);
    rows_test(&list, a_visitor_whose_persona_is_gone_is_told);
    rows_test(&list, many_visitors_are_each_answered_once);
    return rows_run(&list, "tool/desk");
}
