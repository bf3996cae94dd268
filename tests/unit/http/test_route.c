/* The table of routes. */
#include "../rows.h"
#include "http/route.h"
#include "os/file.h"

#ifndef DOCS
#define DOCS "docs"
#endif

static void find(const char *method, const char *path, ht_match *m)
{
    static ht_target t; /* matches borrow from it */
    mt_arena arena = {0};
    const char *why;
    assert_int_equal(ht_target_read(&arena, mt_str_z(path), &t, &why), MT_OK);
    ht_route_find(mt_str_z(method), &t, m);
    mt_arena_free(&arena);
}

static const struct row {
    const char *name, *method, *path, *pattern, *allow;
} ROWS[] = {
    {"an operation", "POST", "/v1/contracts/escrow/operations/release",
     "/v1/contracts/{contract}/operations/{operation}", ""},
    {"HEAD is GET without a body", "HEAD", "/healthz", "/healthz", ""},
    {"a fixed word beats a parameter", "GET", "/v1/ledger/checkpoint",
     "/v1/ledger/checkpoint", ""},
    {"a parameter takes what is left", "GET", "/v1/ledger/17", "/v1/ledger/{id}", ""},
    {"discovery of one contract", "GET", "/v1/contracts/a/.well-known/tenor",
     "/v1/contracts/{contract}/.well-known/tenor", ""},
    {"another method is told which there are", "PATCH", "/v1/contracts", NULL,
     "GET, HEAD, POST, OPTIONS"},
    {"methods are case sensitive", "get", "/healthz", NULL, "GET, HEAD, OPTIONS"},
    {"a longer path is another path", "GET", "/healthz/x", NULL, ""},
    {"a shorter path is another path", "GET", "/v1", NULL, ""},
    {"the root is a page", "GET", "/", "/", ""},
    {"tools of a persona", "POST", "/mcp/escrow/seller", "/mcp/{contract}/{persona}",
     ""},
    {"tools have no stream", "GET", "/mcp/escrow/seller", NULL, "POST, OPTIONS"},
    {"FU6 addresses of tenants are free", "GET", "/t/acme/v1/contracts", NULL, ""},
    {"Studio is a page", "GET", "/studio", "/studio", ""},
    {"with files", "GET", "/studio/index.html", "/studio/{file}", ""},
    {"the desk's place is free", "GET", "/desk", NULL, ""},
    {"words are case sensitive", "GET", "/V1/ledger", NULL, ""},
};

static void is_found(void **state)
{
    const struct row *row = *state;
    ht_match m;
    find(row->method, row->path, &m);
    assert_string_equal(m.route ? m.route->pattern : "",
                        row->pattern ? row->pattern : "");
    assert_string_equal(m.allow, row->allow);
}

static void parameters_are_kept(void **state)
{
    (void)state;
    ht_match m;
    find("GET", "/v1/contracts/escrow/instances/Order/o-1/history", &m);
    assert_non_null(m.route);
    assert_int_equal(m.route->action, EX_INSTANCE_HISTORY);
    assert_text(m.contract, MT_STR("escrow"));
    assert_text(m.name, MT_STR("Order"));
    assert_text(m.id, MT_STR("o-1"));
}

/* Every action of the executor can be asked for, and what writes is no GET. */
static void every_action_has_a_route(void **state)
{
    (void)state;
    static const bool WRITES[] = {
#define WRITES_ROW(name, writes) writes,
        EX_ACTION_MAP(WRITES_ROW)
#undef WRITES_ROW
    };
    bool seen[EX_ACTION_COUNT] = {0};
    for (size_t i = 0; i < HT_ROUTE_COUNT; i++) {
        const ht_route *r = &HT_ROUTES[i];
        if (r->page == HT_CALL) {
            seen[r->action] = true;
            assert_false(WRITES[r->action] && strcmp(r->method, "GET") == 0);
            assert_false(r->flags & HT_PUBLIC);
        }
    }
    for (size_t i = 0; i < EX_ACTION_COUNT; i++) {
        /* By the server's clock alone, and by a guard in its own process. */
        bool inner = i == EX_GRAPH_PUMP || i == EX_GUARD_BEGIN || i == EX_GUARD_END ||
                     i == EX_GUARD_FLOW || i == EX_GUARD_FLOW_END;
        assert_int_equal(seen[i], !inner);
    }
}

/* docs/reference/http-api.md has a line for each row, and no line more. */
static void the_documentation_has_the_same_table(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str text;
    size_t lines = 0;
    assert_int_equal(os_read_file(&a, DOCS "/reference/http-api.md", 1 << 20, &text),
                     MT_OK);
    for (size_t i = 0; i < HT_ROUTE_COUNT; i++) {
        const ht_route *r = &HT_ROUTES[i];
        mt_str row = mt_strf(&a, "\n| %s | `%s` | %s | %s |\n", r->method, r->pattern,
                             r->flags & HT_PUBLIC ? "anyone" : "token", r->summary);
        if (!strstr(text.ptr, row.ptr)) {
            fail_msg("docs/reference/http-api.md lacks %s", row.ptr);
        }
    }
    for (const char *at = text.ptr; (at = strstr(at, " | `/")); at++) {
        lines++;
    }
    assert_int_equal(lines, HT_ROUTE_COUNT);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, is_found);
    rows_test(&list, parameters_are_kept);
    rows_test(&list, every_action_has_a_route);
    rows_test(&list, the_documentation_has_the_same_table);
    return rows_run(&list, "http/route");
}
