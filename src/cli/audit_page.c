/* cli/audit_page.c - an audit as one page: style inside, no script, nothing fetched.
 *
 * The same order as the text. Every text of the ledger is escaped where it is written,
 * and the page's own policy forbids whatever a mistake there could load or run. Light
 * and dark follow the reader's system. Nothing here can fail. */
#include "base/html.h"
#include "cli/audit.h"

/* 'unsafe-inline' is for styles alone: the page has one, and nothing of the ledger
 * is ever written into it. A hash would have to be computed anew with every change
 * of it. */
static const char HEAD[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>Audit of a ledger</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d0d7de;"
    "--soft:#57606a;--bad:#b42318;--good:#18794e}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;"
    "--line:#30363d;--soft:#9198a1;--bad:#ff7b72;--good:#56d364}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:70rem;margin:2rem auto;padding:0 1rem}\n"
    "table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}\n"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;"
    "border-bottom:1px solid var(--line);overflow-wrap:anywhere}\n"
    "th{color:var(--soft);font-weight:600}\ncode{font-size:.9em}\n"
    ".soft{color:var(--soft)}.bad{color:var(--bad)}.good{color:var(--good)}\n"
    "</style>\n";

static void add_cell(mt_buf *out, mt_str text)
{
    mt_buf_addz(out, "<td>");
    mt_html_text(out, text);
    mt_buf_addz(out, "</td>");
}

/* What was verified comes first, since all that follows rests on it: the ledger's id is
 * the hash of its record 0, and "consistent" is said of every record read. Who signed
 * stands beside it, as a chain that nobody signed could have been written anew. */
static void add_summary(mt_buf *out, const cli_audit *a)
{
    char id[MT_SHA256_HEX];
    mt_buf words = {0};
    mt_hex(a->ledger.bytes, MT_SHA256_BYTES, id);
    cli_signed_words(&words, &a->found);
    mt_buf_addf(out,
                "<h1>Audit of a ledger</h1>\n<p>Ledger <code>%.16s</code>…, %llu "
                "records, consistent; signed by <strong>",
                id, (unsigned long long)a->found.records);
    mt_html_text(out, mt_buf_str(&words));
    mt_buf_addf(
        out, "</strong>. %zu decisions, <span class=\"bad\">%zu refused</span>.</p>\n",
        a->decisions.len, a->refused);
    mt_buf_free(&words);
}

static void add_operation(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    mt_buf text = {0};
    mt_buf_addz(out, "<tr>");
    add_cell(out, op->id);
    cli_allowed(&text, m, op);
    add_cell(out, mt_buf_str(&text));
    mt_buf_clear(&text);
    cli_condition(&text, m, op);
    mt_buf_addz(out, "<td><code>");
    mt_html_text(out, mt_buf_str(&text));
    mt_buf_addz(out, "</code></td></tr>\n");
    mt_buf_free(&text);
}

/* One version and who was allowed what by it. Etags are cut to 12 digits here, as in
 * the text: enough to tell versions apart by eye. */
static void add_version(mt_buf *out, const cli_rules *r)
{
    const cli_named_version *v = r->version;
    mt_buf_addz(out, "<h3>");
    mt_html_text(out, v->contract);
    mt_buf_addz(out, " <code>");
    mt_html_text(out, mt_str_from(v->etag.ptr, v->etag.len < 12 ? v->etag.len : 12));
    mt_buf_addf(out, "</code></h3>\n<p class=\"soft\">records %llu to %llu, ",
                (unsigned long long)v->first, (unsigned long long)v->last);
    mt_html_text(out, v->first_time);
    mt_buf_addz(out, " to ");
    mt_html_text(out, v->last_time);
    mt_buf_addz(out, "</p>\n");
    if (!r->model) {
        mt_buf_addz(out, "<p class=\"bad\">Its rules are not in the export.</p>\n");
        return;
    }
    mt_buf_addz(out, "<table><tr><th>operation</th><th>by</th><th>if</th></tr>\n");
    for (uint32_t i = 0; i < r->model->operation_count; i++) {
        add_operation(out, r->model, &r->model->operations[i]);
    }
    mt_buf_addz(out, "</table>\n");
}

/* One row. The id "r17" lets somebody link to the record from elsewhere. Persona,
 * instance and reason are left out with their markup where the record has none. */
static void add_decision(mt_buf *out, const cli_audited *d)
{
    const cli_decision *s = &d->said;
    mt_buf_addf(out, "<tr id=\"r%llu\"><td>%llu</td>", (unsigned long long)d->seq,
                (unsigned long long)d->seq);
    add_cell(out, s->time);
    mt_buf_addz(out, "<td>");
    mt_html_text(out, s->who);
    mt_buf_addz(out, s->as.len ? "<br><span class=\"soft\">as " : "");
    mt_html_text(out, s->as);
    mt_buf_addz(out, s->as.len ? "</span></td><td>" : "</td><td>");
    mt_html_text(out, s->what);
    mt_buf_addz(out, s->on.len ? "<br><span class=\"soft\">" : "");
    mt_html_text(out, s->on);
    mt_buf_addz(out, s->on.len ? "</span></td>" : "</td>");
    mt_buf_addf(out, "<td><span class=\"%s\">", s->refused ? "bad" : "good");
    mt_html_text(out, s->result);
    mt_buf_addz(out, s->why.len ? "</span><br>" : "</span>");
    mt_html_text(out, s->why);
    mt_buf_addz(out, "</td><td><code>");
    mt_html_text(out, mt_str_from(s->etag.ptr, s->etag.len < 12 ? s->etag.len : 12));
    mt_buf_addz(out, "</code></td></tr>\n");
}

/* Rules before decisions: a reader has to know what was allowed before judging what was
 * done. */
void cli_audit_page(mt_buf *out, const cli_audit *a)
{
    mt_buf_addz(out, HEAD);
    add_summary(out, a);
    mt_buf_addz(out, "<h2>Who was allowed what</h2>\n");
    for (size_t i = 0; i < a->rules.len; i++) {
        add_version(out, &a->rules.items[i]);
    }
    mt_buf_addz(out,
                "<h2>What was decided</h2>\n<table><tr><th>record</th><th>when</th>"
                "<th>who</th><th>what</th><th>result</th><th>version</th></tr>\n");
    for (size_t i = 0; i < a->decisions.len; i++) {
        add_decision(out, &a->decisions.items[i]);
    }
    mt_buf_addz(out, "</table>\n</html>\n");
}
