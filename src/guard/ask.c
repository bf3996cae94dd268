/* guard/ask.c - asking a server which tools it has.
 * Room: guard. One conversation, then it is ended: initialize, tools/list until there
 * is no further page. What it sends besides is passed over. */
#include <stdio.h>

#include "base/json_write.h"
#include "base/vec.h"
#include "guard/init.h"
#include "mcp/protocol.h"
#include "os/clock.h"

enum { PAGES_MOST = 1000, TOOLS_MOST = 10000, LINES_MOST = 10000, STOP_MS = 2000 };

/* One deadline for the whole conversation, not for each answer: a server that answers
 * slowly for ever must end, too. */
typedef struct asking {
    mt_arena *a;
    os_child *child;
    int64_t until_ms;
    size_t bytes;
    mt_buf *why;
    int number;
    size_t left_out;
} asking;

/* What is left of the time bounds the writing as well. */
static mt_err say(asking *s, mt_str line)
{
    mt_err err = os_child_write(s->child, line, (int)(s->until_ms - os_now_ms()));
    if (err) {
        mt_buf_addz(s->why, err == MT_E_CLOSED ? "the server has ended"
                                               : "the server does not read");
    }
    return err;
}

/* The result of our last request. Lines that answer nothing of ours (notifications,
 * questions of the server) are passed over, up to LINES_MOST. What the server said on
 * its standard error is told with the fault: it often has the reason. */
static mt_err hear(asking *s, const mt_json **result)
{
    char id[16];
    int len = snprintf(id, sizeof id, "%d", s->number);
    for (int i = 0; i < LINES_MOST; i++) {
        mt_str line;
        mc_envelope e;
        int64_t left = s->until_ms - os_now_ms();
        mt_err err = os_child_read_line(s->child, left > 0 ? (int)left : 0, &line);
        if (err) {
            mt_str said = mt_str_trim(os_child_complaint(s->child), MT_STR(" \n\r\t"));
            mt_buf_addf(s->why, "the server %s",
                        err == MT_E_TIMEOUT  ? "did not answer in time"
                        : err == MT_E_CLOSED ? "has ended"
                                             : "says too much in one message");
            mt_buf_addz(s->why, said.len ? ": " : "");
            mt_json_show(s->why, said);
            return err;
        }
        mt_json_limits limits = {s->bytes, 0};
        mc_open(s->a, mt_str_dup(s->a, line), &limits, &e);
        if (e.m.kind == MC_RESPONSE &&
            mt_str_eq(e.m.id, mt_str_from(id, (size_t)len))) {
            *result = e.result;
            if (!e.result) {
                mt_buf_addz(s->why, "the server answers with an error");
            }
            return e.result ? MT_OK : MT_E_SYNTAX;
        }
    }
    mt_buf_addz(s->why, "the server talks and does not answer");
    return MT_E_LIMIT;
}

static mt_err ask(asking *s, const char *method, mt_str params, const mt_json **result)
{
    mt_buf line = {0};
    mt_buf_addf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":",
                ++s->number, method);
    mt_buf_adds(&line, params);
    mt_buf_addz(&line, "}\n");
    mt_err err = say(s, mt_buf_str(&line));
    mt_buf_free(&line);
    return err ? err : hear(s, result);
}

typedef MT_VEC(const mt_json *) found_tools;

static mt_err add_page(asking *s, const mt_json *result, found_tools *all)
{
    const mt_json *tools = mt_json_at(result, "tools");
    if (!mt_json_is(tools, MT_JSON_ARRAY)) {
        mt_buf_addz(s->why, "the server's list of tools is not one");
        return MT_E_SYNTAX;
    }
    for (uint32_t i = 0; i < tools->count && all->len < TOOLS_MOST; i++) {
        const mt_json *tool = &tools->as.items[i];
        if (gd_is_writable(mt_json_text(mt_json_at(tool, "name")))) {
            mt_vec_push(s->a, all, tool);
        } else {
            s->left_out++;
        }
    }
    return MT_OK;
}

/* Ends when there is no further page, or after PAGES_MOST. */
static mt_err list(asking *s, found_tools *all)
{
    mt_str params = MT_STR("{}");
    mt_err err = MT_OK;
    for (int page = 0; page < PAGES_MOST && params.len && !err; page++) {
        const mt_json *result = NULL;
        err = ask(s, "tools/list", params, &result);
        err = err ? err : add_page(s, result, all);
        mt_str next = mt_json_text(mt_json_at(result, "nextCursor"));
        mt_buf more = {0};
        mt_buf_addz(&more, "{\"cursor\":");
        mt_json_quote(&more, next);
        mt_buf_addc(&more, '}');
        params = next.len ? mt_str_dup(s->a, mt_buf_str(&more)) : (mt_str){0};
        mt_buf_free(&more);
    }
    return err;
}

static mt_err converse(asking *s, found_tools *all)
{
    static const char START[] =
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"motet guard\",\"version\":\"1\"}}";
    const mt_json *result;
    mt_err err = ask(s, "initialize", mt_str_z(START), &result);
    err = err ? err
              : say(s, MT_STR("{\"jsonrpc\":\"2.0\",\"method\":"
                              "\"notifications/initialized\"}\n"));
    return err ? err : list(s, all);
}

/* The server is ended in every case: after a fault at once, else with STOP_MS to end by
 * itself. Texts of the tools live in `a`. */
mt_err gd_ask_tools(mt_arena *a, const char *const *command, unsigned timeout_ms,
                    size_t most_bytes, gd_tools *out, mt_buf *why)
{
    asking s = {
        .a = a, .until_ms = os_now_ms() + timeout_ms, .bytes = most_bytes, .why = why};
    found_tools all = {0};
    os_child_options o = {.argv = command, .wants_stdin = true, .max_line = most_bytes};
    mt_err err = os_child_start(&o, &s.child);
    if (err) {
        mt_buf_addf(why, "%s cannot be started", command[0]);
        return err;
    }
    err = converse(&s, &all);
    os_child_close_stdin(s.child);
    (void)os_child_stop(s.child, err ? 0 : STOP_MS, NULL);
    os_child_free(s.child);
    *out = (gd_tools){all.items, all.len, s.left_out};
    return err;
}
