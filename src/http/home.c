/* http/home.c - the plain page at "/": what is served and what happens, for a browser.
 *
 * The page is a client like any other: every part of it is a call of the executor with
 * the visitor's own caller, so it shows what the visitor could have asked for, and
 * where a right is missing it says which. In this order: contracts, instances by state,
 * flows that wait, last decisions, lines to copy.
 *
 * INVARIANTS: no script, one style sheet whose hash stands in the policy, every text
 * escaped; without a caller only what is public. Bounded by pages of ROWS and WAITING
 * and CONTRACTS. May fail: a call; then its part says why. */
#include "http/home.h"

#include "base/base64.h"
#include "base/form.h"
#include "base/hash.h"
#include "base/html.h"
#include "base/json_read.h"
#include "exec/evidence/record_words.h"
#include "http/studio.h"

/* Texts, because they are parameters of a query like any client's. One screen of
 * each; the API has the rest. */
#define ROWS    "12"
#define WAITING "20"
enum { CONTRACTS = 20 };

/* ---- Text ---- */

static const char STYLE[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--dim:#626a73;--line:#d9dde2;"
    "--back:#fbfbfa;--card:#fff;--mark:#7a4b00;--soft:#f1efe9}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e3;--dim:#9aa3ad;--line:#"
    "33383e;"
    "--back:#15171a;--card:#1c1f23;--mark:#e8b25c;--soft:#23272c}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:66rem;padding:1.5rem 1rem "
    "3rem;background:var(--back);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .5rem}"
    "p{margin:.25rem 0}.dim{color:var(--dim)}"
    "section{background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:.75rem 1rem;margin:.5rem 0}"
    "section h3{margin:0;font-size:1rem}"
    "ul{list-style:none;margin:.5rem 0 "
    "0;padding:0;display:flex;flex-wrap:wrap;gap:.4rem}"
    "ul li{background:var(--soft);border-radius:6px;padding:.1rem "
    ".5rem;font-size:.9rem}"
    "b{font-variant-numeric:tabular-nums}"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}"
    "th{text-align:left;color:var(--dim);font-weight:500}"
    "th,td{padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);"
    "vertical-align:top}td:nth-child(3){overflow-wrap:anywhere}"
    "td time{white-space:nowrap;color:var(--dim)}"
    ".why{color:var(--dim);display:block}.who{color:var(--mark)}"
    "pre{background:var(--soft);border-radius:6px;padding:.6rem .75rem;overflow-x:auto;"
    "font:13px/1.45 ui-monospace,monospace;margin:.4rem 0}"
    "a{color:inherit}"
    "@media(max-width:40rem){table,tbody,tr,td{display:block}thead{display:none}"
    "td{border:0;padding:0}tr{display:block;padding:.5rem 0;"
    "border-bottom:1px solid var(--line)}}";

/* The hash is of the very bytes between the style tags. A browser refuses the style,
 * and only that, when the two differ. */
mt_str ht_home_policy(mt_arena *a)
{
    mt_sha256 digest = mt_sha256_of(mt_str_z(STYLE));
    mt_str hash = mt_base64(a, digest.bytes, MT_SHA256_BYTES);
    return mt_strf(a,
                   "default-src 'none'; style-src 'sha256-%.*s'; base-uri 'none'; "
                   "form-action 'none'; frame-ancestors 'none'",
                   MT_ARG(hash));
}

/* Everything that is not ours goes through here. */
static void say(mt_buf *out, mt_str text)
{
    mt_html_text(out, text);
}

static void say_member(mt_buf *out, const mt_json *object, const char *key)
{
    say(out, mt_text_at(object, key));
}

/* To the second, as people write it; the API has the rest. */
static void say_time(mt_buf *out, const mt_json *object, const char *key)
{
    mt_str time = mt_text_at(object, key);
    mt_buf_addz(out, "<time>");
    say(out, mt_str_from(time.ptr, mt_str_find(time, 'T')));
    mt_buf_addc(out, ' ');
    time = mt_str_skip(time, mt_str_find(time, 'T') + 1);
    say(out, mt_str_from(time.ptr, time.len < 8 ? time.len : 8));
    mt_buf_addz(out, "</time>");
}

/* ---- Calls ---- */

typedef struct page {
    const ht_home *h;
    mt_buf *out;
    mt_arena a;
} page;

typedef struct heard {
    mt_buf body;
    int status;
} heard;

static void hear(void *state, ex_reply *reply)
{
    heard *h = state;
    h->status = reply->status;
    h->body = reply->body;
    /* Taken over: whoever replies frees what is left in it. */
    reply->body = (mt_buf){0};
}

/* What only reads is answered before the call returns, on this thread. True: *tree is
 * the answer; else it is the problem, if it could be read. */
static bool ask(page *p, ex_action action, mt_str contract, const ad_param *query,
                size_t count, mt_json *tree)
{
    heard h = {0};
    ex_call call = {.action = action,
                    .caller = p->h->caller,
                    .contract = contract,
                    .query = query,
                    .query_count = count};
    ex_executor_call(p->h->executor, &call, hear, &h);
    mt_str text = mt_str_dup(&p->a, mt_buf_str(&h.body));
    mt_buf_free(&h.body);
    *tree = (mt_json){0};
    bool read = !mt_json_read(&p->a, text, NULL, tree, NULL);
    return h.status == 200 && read;
}

static const mt_json *items(const mt_json *tree)
{
    return mt_json_at(tree, "items");
}

static void say_problem(page *p, const mt_json *problem)
{
    mt_buf_addz(p->out, "<p class=dim>");
    say_member(p->out, problem, "detail");
    mt_buf_addz(p->out, "</p>\n");
}

/* ---- Parts ---- */

static void states(page *p, mt_str contract)
{
    mt_json tree;
    if (!ask(p, EX_INSTANCE_COUNT, contract, NULL, 0, &tree)) {
        say_problem(p, &tree);
        return;
    }
    const mt_json *list = items(&tree);
    if (!list->count) {
        mt_buf_addz(p->out, "<p class=dim>no instances yet</p>\n");
        return;
    }
    mt_buf_addz(p->out, "<ul>\n");
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *one = &list->as.items[i];
        mt_buf_addz(p->out, "<li>");
        say_member(p->out, one, "entity");
        mt_buf_addz(p->out, " ");
        say_member(p->out, one, "state");
        mt_buf_addz(p->out, " <b>");
        ex_plain_value(p->out, mt_json_at(one, "count"));
        mt_buf_addz(p->out, "</b></li>\n");
    }
    mt_buf_addz(p->out, "</ul>\n");
    if (mt_json_at(&tree, "more")) {
        mt_buf_addz(p->out, "<p class=dim>and more: not all were counted</p>\n");
    }
}

static void names(page *p, const char *label, const mt_json *list)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        mt_buf_addz(p->out, i ? ", " : label);
        say(p->out, mt_json_text(&list->as.items[i]));
    }
}

/* An etag is shown as far as people compare it; the API has all of it. */
static void contract(page *p, const mt_json *c)
{
    mt_str id = mt_text_at(c, "id"), etag = mt_text_at(c, "etag");
    mt_buf_addz(p->out, "<section><h3>");
    say(p->out, id);
    mt_buf_addz(p->out, "</h3><p class=dim>version ");
    ex_plain_value(p->out, mt_json_at(c, "version"));
    mt_buf_addz(p->out, ", etag ");
    say(p->out, mt_str_from(etag.ptr, etag.len < 12 ? etag.len : 12));
    names(p, "<br>personas: ", mt_json_at(c, "personas"));
    names(p, "<br>operations: ", mt_json_at(c, "operations"));
    names(p, "<br>flows: ", mt_json_at(c, "flows"));
    mt_buf_addz(p->out, "</p>\n");
    states(p, id);
    mt_buf_addz(p->out, "</section>\n");
}

static void contracts(page *p, const mt_json *list)
{
    mt_buf_addz(p->out, "<h2>Served</h2>\n");
    for (uint32_t i = 0; i < list->count && i < CONTRACTS; i++) {
        contract(p, &list->as.items[i]);
    }
    if (list->count > CONTRACTS) {
        mt_buf_addf(p->out, "<p class=dim>and %u more</p>\n", list->count - CONTRACTS);
    }
}

static void begin_table(page *p, const char *titles)
{
    mt_buf_addz(p->out, "<section><table><thead><tr>");
    mt_buf_addz(p->out, titles);
    mt_buf_addz(p->out, "</tr></thead><tbody>\n");
}

static void end_table(page *p)
{
    mt_buf_addz(p->out, "</tbody></table></section>\n");
}

static void waiting_row(page *p, const mt_json *flow)
{
    const mt_json *w = mt_json_at(flow, "waiting");
    mt_buf_addz(p->out, "<tr><td><span class=who>");
    say_member(p->out, w, "persona");
    mt_buf_addz(p->out, "</span><td>");
    say_member(p->out, flow, "flow");
    mt_buf_addz(p->out, " at ");
    say_member(p->out, w, mt_json_at(w, "operation") ? "operation" : "step");
    const mt_json *outcomes = mt_json_at(w, "outcomes");
    names(p, "<span class=why>outcomes: ", outcomes);
    mt_buf_addz(p->out, outcomes && outcomes->count ? "</span>" : "");
    mt_buf_addz(p->out, "<td>");
    say_member(p->out, flow, "id");
    mt_buf_addz(p->out, "<td>");
    say_time(p->out, flow, "updated_at");
    mt_buf_addz(p->out, "</tr>\n");
}

static void waiting(page *p)
{
    static const ad_param QUERY[] = {
        {MT_STR_INIT("status"), MT_STR_INIT("waiting")},
        {MT_STR_INIT("limit"), MT_STR_INIT(WAITING)},
    };
    mt_json tree;
    mt_buf_addz(p->out, "<h2>Flows that wait</h2>\n");
    if (!ask(p, EX_FLOW_LIST, MT_STR(""), QUERY, 2, &tree)) {
        say_problem(p, &tree);
        return;
    }
    const mt_json *list = items(&tree);
    if (!list->count) {
        mt_buf_addz(p->out, "<p class=dim>none</p>\n");
        return;
    }
    begin_table(p, "<th>for<th>flow<th>execution<th>since");
    for (uint32_t i = 0; i < list->count; i++) {
        waiting_row(p, &list->as.items[i]);
    }
    end_table(p);
    if (mt_json_at(&tree, "next")) {
        mt_buf_addz(p->out, "<p class=dim>and more</p>\n");
    }
}

static void say_words(page *p, void (*tell)(mt_buf *, const mt_json *),
                      const mt_json *body)
{
    mt_buf b = {0};
    tell(&b, body);
    mt_str text = mt_str_trim(mt_buf_str(&b), MT_STR("\n"));
    while (text.len) {
        mt_str one = mt_str_from(text.ptr, mt_str_find(text, '\n'));
        text = mt_str_skip(text, one.len + 1);
        say(p->out, one);
        mt_buf_addz(p->out, text.len ? "<br>" : "");
    }
    mt_buf_free(&b);
}

static void decision_row(page *p, const mt_json *record)
{
    const mt_json *body = mt_json_at(record, "body");
    mt_buf_addz(p->out, "<tr><td>");
    say_time(p->out, body, "time");
    mt_buf_addz(p->out, "<td>");
    say_member(p->out, body, "kind");
    mt_buf_addz(p->out, "<td>");
    say_words(p, ex_record_what, body);
    mt_buf_addz(p->out, "<span class=why>");
    say_words(p, ex_record_why, body);
    mt_buf_addz(p->out, "</span><td><span class=who>");
    say_words(p, ex_record_who, body);
    mt_buf_addz(p->out, "</span></tr>\n");
}

static void decisions(page *p)
{
    static const ad_param QUERY[] = {
        {MT_STR_INIT("order"), MT_STR_INIT("desc")},
        {MT_STR_INIT("limit"), MT_STR_INIT(ROWS)},
    };
    mt_json tree;
    mt_buf_addz(p->out, "<h2>Last decisions</h2>\n");
    if (!ask(p, EX_LEDGER_LIST, MT_STR(""), QUERY, 2, &tree)) {
        say_problem(p, &tree);
        return;
    }
    begin_table(p, "<th>when<th>kind<th>what, and why<th>who");
    for (uint32_t i = 0; i < items(&tree)->count; i++) {
        decision_row(p, &items(&tree)->as.items[i]);
    }
    end_table(p);
}

/* ---- Lines to copy ---- */

/* A line to copy should work as it is, so it names something that exists where there
 * is something. */
static mt_str first_of(const mt_json *c, const char *key)
{
    const mt_json *list = mt_json_get(c, mt_str_z(key));
    return mt_json_is(list, MT_JSON_ARRAY) && list->count
               ? mt_json_text(&list->as.items[0])
               : MT_STR("NAME");
}

static void line(page *p, const char *what, mt_str path, const char *body)
{
    const ht_home *h = p->h;
    mt_buf_addz(p->out, "<p>");
    mt_buf_addz(p->out, what);
    mt_buf_addz(p->out, "</p><pre>curl ");
    if (!h->open) {
        mt_buf_addz(p->out, "-H \"Authorization: Bearer $MOTET_TOKEN\" ");
    }
    if (body) {
        mt_buf_addf(p->out, "-H 'Content-Type: application/json' -d '%s' ", body);
    }
    mt_buf_addz(p->out, h->tls ? "https://" : "http://");
    say(p->out, h->host);
    say(p->out, path);
    mt_buf_addz(p->out, "</pre>\n");
}

static void how_to_call(page *p, const mt_json *c)
{
    mt_str id = c ? mt_text_at(c, "id") : MT_STR("CONTRACT");
    mt_arena *a = &p->a;
    mt_buf_addz(p->out, "<h2>How to call</h2>\n<section>\n");
    line(p, "What do these facts decide, as far as they are known?",
         mt_strf(a, "/v1/contracts/%.*s/partial", MT_ARG(id)), "{\"facts\": {}}");
    line(p, "Create an instance:",
         mt_strf(a, "/v1/contracts/%.*s/instances/%.*s", MT_ARG(id),
                 MT_ARG(first_of(c, "entities"))),
         "{\"id\": \"one\"}");
    line(p, "Every decision, chained:", MT_STR("/v1/ledger"), NULL);
    line(p, "What happens, as it happens:", MT_STR("/v1/events"), NULL);
    mt_buf_addz(
        p->out,
        "<p>Every operation and fact with its type: <a "
        "href=\"/openapi.json\">/openapi.json</a>, for generating a client. What "
        "an agent reads first: <a href=\"/.well-known/tenor\">"
        "/.well-known/tenor</a>.</p></section>\n");
}

/* ---- The page ---- */

static void visitor(page *p)
{
    const ht_home *h = p->h;
    if (h->open) {
        mt_buf_addz(p->out,
                    "<p class=dim>Open to whoever reaches this machine: no token "
                    "was made yet.</p>\n");
    } else if (h->caller) {
        mt_buf_addz(p->out, "<p class=dim>You are ");
        say(p->out, h->caller->name.len ? h->caller->name : h->caller->id);
        mt_buf_addz(p->out, ".</p>\n");
    } else {
        mt_buf_addz(p->out,
                    "<section><p>What is served and decided here is for those who sign "
                    "in. ");
        mt_buf_addz(p->out,
                    h->login ? "People do so <a href=\"/login\">here</a>. " : "");
        mt_buf_addz(p->out,
                    "Programs send a token of <code>motet token create</code>:</p>"
                    "<pre>curl -H \"Authorization: Bearer $MOTET_TOKEN\" ");
        mt_buf_addz(p->out, h->tls ? "https://" : "http://");
        say(p->out, h->host);
        mt_buf_addz(p->out, "/v1/contracts</pre></section>\n");
    }
}

/* Without a caller: the default contract's name, if discovery is public. */
static void public_part(page *p)
{
    ex_manifest m;
    mt_json tree;
    if (!p->h->public_manifest ||
        ex_executor_manifest(p->h->executor, MT_STR(""), &m)) {
        return;
    }
    /* A manifest holds the bundle and may nest as deep as one. */
    mt_json_limits limits = {0, MT_LIMITS_DEFAULT.bundle_depth};
    mt_str text = mt_str_dup(&p->a, m.text);
    ex_executor_release(p->h->executor, &m);
    if (!mt_json_read(&p->a, text, &limits, &tree, NULL)) {
        mt_buf_addz(p->out, "<h2>Served</h2>\n<section><h3>");
        say_member(p->out, mt_json_at(&tree, "bundle"), "id");
        mt_buf_addz(p->out,
                    "</h3><p class=dim>its manifest is at <a "
                    "href=\"/.well-known/tenor\">/.well-known/tenor</a>, its API "
                    "at <a href=\"/openapi.json\">/openapi.json</a></p></section>\n");
    }
}

static void caller_part(page *p)
{
    mt_json tree;
    bool known = ask(p, EX_CONTRACT_LIST, MT_STR(""), NULL, 0, &tree);
    if (known) {
        contracts(p, items(&tree));
    } else {
        say_problem(p, &tree);
    }
    waiting(p);
    decisions(p);
    how_to_call(p, known && items(&tree)->count ? &items(&tree)->as.items[0] : NULL);
}

/* Relative, as everything that leads from here to there. */
static void studio_part(page *p)
{
    mt_buf_addz(p->out, ht_studio_is_there()
                            ? "<p><a href=\"studio/\">Open Studio</a>: write a "
                              "contract, see it, try it.</p>\n"
                            : "<p class=dim>This program was built without Studio, the "
                              "page for authors. <code>make studio</code> builds it, "
                              "or says why it cannot.</p>\n");
}

void ht_home_write(mt_buf *out, const ht_home *h)
{
    page p = {.h = h, .out = out};
    mt_buf_addz(out,
                "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
                "<meta name=viewport content=\"width=device-width,initial-scale=1\">"
                "<title>motet</title><style>");
    mt_buf_addz(out, STYLE);
    mt_buf_addz(out, "</style></head><body>\n<h1>motet</h1>\n");
    studio_part(&p);
    visitor(&p);
    if (h->caller) {
        caller_part(&p);
    } else {
        public_part(&p);
    }
    mt_buf_addz(out, "</body></html>\n");
    mt_arena_free(&p.a);
}
