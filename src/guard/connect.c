/* guard/connect.c - lines to requests, answers to lines.
 * Room: guard.
 * One loop over all transfers and the input; MOST at once, then the input waits. What a
 * server says is cut into lines as it comes, so an event reaches the client before its
 * stream ends. INVARIANT: a request is answered once: by the first response with its
 * id, or, when its transfer ends without one, by an error of ours. Header fields are
 * made of what the message says; whatever could end a field and begin another is not
 * sent. */
#include "guard/connect.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/late_curl.h"
#include "mcp/protocol.h"

enum { MOST = 64, CHUNK = 64 << 10, WAIT_MS = 1000, FIELD_MOST = 1000 };

typedef struct bridge {
    const gd_connect_options *o;
    CURLM *multi;
    size_t running;
    bool begins;    /* `initialize` is on its way */
    mt_buf waiting; /* read and not yet taken */
    bool input_over, output_over;
    mt_str session, version; /* of the older revision, once it began */
    mt_arena keep;
} bridge;

/* One message on its way. */
typedef struct transfer {
    bridge *b;
    CURL *easy;
    struct curl_slist *fields;
    mt_arena arena;
    mt_str text, id; /* id empty: nothing answers it */
    bool begins;     /* `initialize` */
    bool stream, answered, too_long;
    mt_buf body; /* what came and is not a line yet */
    mt_buf event;
} transfer;

/* ---- Lines out ---- */

/* What is written must be one line, whatever the server put between its tokens. */
static void put(bridge *b, mt_str text)
{
    mt_buf line = {0};
    for (size_t i = 0; i < text.len;
         i++) { /* between tokens, JSON may have line ends */
        char c = text.ptr[i];
        mt_buf_addc(&line, c == '\n' || c == '\r' ? ' ' : c);
    }
    mt_buf_addc(&line, '\n');
    for (mt_str rest = mt_buf_str(&line); rest.len && !b->output_over;) {
        ssize_t n = write(b->o->out, rest.ptr, rest.len);
        b->output_over = n < 0 && errno != EINTR && errno != EAGAIN;
        rest = mt_str_skip(rest, n > 0 ? (size_t)n : 0);
    }
    mt_buf_free(&line);
}

/* An error of ours in the place of the answer. `unknown`: the server may have done it.
 */
static void put_error(transfer *t, mt_str why, bool unknown)
{
    mc_message m = {.kind = MC_REQUEST, .id = t->id, .revision = MC_2025_11_25};
    mt_buf line = {0};
    mc_spoil(&m, MC_INTERNAL, why,
             unknown ? MT_STR("{\"" GD_UNKNOWN_KEY "\":\"" GD_UNKNOWN "\"}")
                     : (mt_str){0});
    mc_refuse(&line, &m);
    put(t->b, mt_buf_str(&line));
    mt_buf_free(&line);
    t->answered = true;
}

/* ---- What comes back ---- */

/* Which revision was agreed on goes into a header field of all that follows. */
static void note_start(transfer *t, const mc_envelope *e)
{
    mt_str version = mt_json_text(mt_json_at(e->result, "protocolVersion"));
    if (t->begins && version.len && version.len < FIELD_MOST) {
        t->b->version = mt_str_dup(&t->b->keep, version);
    }
}

/* One message of the server, passed on as it was written; what is not a message is
 * dropped and told. */
static void give(transfer *t, mt_str text)
{
    mt_arena a = {0};
    mc_envelope e;
    mt_json_limits limits = {t->b->o->answer_bytes, 0};
    text = mt_str_trim(text, MT_STR(" \t\r\n"));
    mc_open(&a, text, &limits, &e);
    if (text.len && e.m.kind != MC_FAULTY) {
        t->answered |= e.m.kind == MC_RESPONSE && mt_str_eq(e.m.id, t->id);
        note_start(t, &e);
        put(t->b, text);
    } else if (text.len) {
        os_say(t->b->o->report, t->b->o->report_state,
               "the server said what is not a message (%.*s); dropped",
               MT_ARG(e.m.why));
    }
    mt_arena_free(&a);
}

/* A line of an event stream: data is gathered, an empty line ends the event. */
static void take_event_line(transfer *t, mt_str line)
{
    static const mt_str DATA = MT_STR_INIT("data:");
    if (!line.len && t->event.len) {
        give(t, mt_buf_str(&t->event));
        mt_buf_clear(&t->event);
    } else if (mt_str_starts(line, DATA)) {
        mt_str data = mt_str_skip(line, DATA.len);
        mt_buf_addz(&t->event, t->event.len ? "\n" : "");
        mt_buf_adds(&t->event,
                    data.len && data.ptr[0] == ' ' ? mt_str_skip(data, 1) : data);
    }
}

/* Whole lines are taken out of what came; the rest waits for its end. */
static void take_events(transfer *t)
{
    mt_str rest = mt_buf_str(&t->body);
    for (size_t end; (end = mt_str_find(rest, '\n')) < rest.len;) {
        take_event_line(t, mt_str_trim(mt_str_from(rest.ptr, end), MT_STR("\r")));
        rest = mt_str_skip(rest, end + 1);
    }
    if (rest.len) {
        memmove(t->body.ptr, rest.ptr, rest.len);
    }
    t->body.len = rest.len;
}

/* Less than was given makes curl end the transfer: that is how too much is refused. */
static size_t take_body(char *bytes, size_t size, size_t count, void *state)
{
    transfer *t = state;
    size_t most = t->b->o->answer_bytes;
    if (t->body.len + t->event.len + size * count > most) {
        t->too_long = true;
        return 0;
    }
    mt_buf_add(&t->body, bytes, size * count);
    if (t->stream) {
        take_events(t);
    }
    return size * count;
}

/* The value of the header field, if it is this one. */
static bool is_field(mt_str line, const char *name, mt_str *value)
{
    size_t len = strlen(name);
    if (line.len <= len || line.ptr[len] != ':' || strncasecmp(line.ptr, name, len)) {
        return false;
    }
    *value = mt_str_trim(mt_str_skip(line, len + 1), MT_STR(" \t\r\n"));
    return true;
}

/* What a header field can carry without becoming two. */
static bool is_printable(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 0x20 || text.ptr[i] > 0x7e) {
            return false;
        }
    }
    return text.len && text.len < FIELD_MOST;
}

/* A session is given once, in the answer to `initialize`; later fields of that name are
 * passed over, so that a server cannot move us to another session. */
static size_t take_header(char *bytes, size_t size, size_t count, void *state)
{
    transfer *t = state;
    mt_str line = mt_str_from(bytes, size * count), value;
    if (is_field(line, "content-type", &value)) {
        static const char STREAM[] = "text/event-stream";
        t->stream = value.len >= sizeof STREAM - 1 &&
                    !strncasecmp(value.ptr, STREAM, sizeof STREAM - 1);
    } else if (t->begins && is_field(line, "mcp-session-id", &value) &&
               is_printable(value)) {
        t->b->session = mt_str_dup(&t->b->keep, value);
    }
    return size * count;
}

/* ---- What is sent ---- */

/* A value that no field can carry is left out: the server then says what it lacks. */
static void add_field(transfer *t, const char *name, mt_str value)
{
    if (is_printable(value)) {
        mt_str field = mt_strf(&t->arena, "%s: %.*s", name, MT_ARG(value));
        t->fields = curl_slist_append(t->fields, field.ptr);
    }
}

/* The newer revision wants what the message says in header fields, too. */
static void add_fields(transfer *t, const mc_envelope *e)
{
    bridge *b = t->b;
    bool newer = e->m.revision == MC_2026_07_28;
    mt_str version = newer ? mt_json_text(mt_json_at(
                                 e->m.meta, "io.modelcontextprotocol/protocolVersion"))
                           : b->version;
    const mt_json *name = mt_json_at(e->params, "name");
    name = name ? name : mt_json_at(e->params, "uri");
    name = name ? name : mt_json_at(e->params, "taskId");
    add_field(t, "Content-Type", MT_STR("application/json"));
    add_field(t, "Accept", MT_STR("application/json, text/event-stream"));
    t->fields = curl_slist_append(t->fields, "Expect:");
    add_field(t, "MCP-Protocol-Version", version);
    add_field(t, "Mcp-Session-Id", newer ? (mt_str){0} : b->session);
    if (newer && e->method.len) {
        add_field(t, "Mcp-Method", e->method);
        add_field(t, "Mcp-Name",
                  name ? mc_header_value(&t->arena, mt_json_text(name)) : (mt_str){0});
    }
    if (b->o->token.len) {
        add_field(t, "Authorization",
                  mt_strf(&t->arena, "Bearer %.*s", MT_ARG(b->o->token)));
    }
}

#define SET(option, value)                                                             \
    MT_ASSERT(curl_easy_setopt(t->easy, option, (value)) == CURLE_OK)

/* No redirects: where the calls of an agent go is the operator's to say. No proxy of
 * the environment either: the address given is the one that is asked. */
static void set_up(transfer *t)
{
    const gd_connect_options *o = t->b->o;
    SET(CURLOPT_URL, o->url);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2); /* at least */
    SET(CURLOPT_USERAGENT, "motet");
    SET(CURLOPT_HTTPHEADER, t->fields);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, t->text.ptr);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->text.len);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)o->connect_ms);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, t);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, t);
    SET(CURLOPT_PRIVATE, t);
    if (o->ca_file) {
        SET(CURLOPT_CAINFO, o->ca_file);
    }
}

static void drop(transfer *t)
{
    if (t->easy) {
        curl_easy_cleanup(t->easy);
    }
    curl_slist_free_all(t->fields);
    mt_buf_free(&t->body);
    mt_buf_free(&t->event);
    mt_arena arena = t->arena;
    free(t);
    mt_arena_free(&arena);
}

/* A line that is not a message is dropped without a word: the proxy before us has
 * judged it already, and nobody waits for an answer to it. */
static void send_line(bridge *b, mt_str line)
{
    mc_envelope e;
    transfer *t = mt_xmalloc(sizeof *t);
    *t = (transfer){.b = b};
    mt_json_limits limits = {b->o->line_bytes, 0};
    t->text = mt_str_dup(&t->arena, line);
    mc_open(&t->arena, t->text, &limits, &e);
    t->id = e.m.kind == MC_REQUEST ? e.m.id : (mt_str){0};
    t->begins = mt_str_is(e.method, "initialize");
    t->easy = e.m.kind == MC_FAULTY ? NULL : curl_easy_init();
    if (!t->easy) {
        drop(t);
        return;
    }
    add_fields(t, &e);
    set_up(t);
    if (curl_multi_add_handle(b->multi, t->easy) != CURLM_OK) {
        put_error(t, MT_STR("the request cannot be sent"), false);
        drop(t);
        return;
    }
    b->running++;
    b->begins |= t->begins;
}

/* ---- The end of a transfer ---- */

/* Before anything was sent nothing can have happened; a status of 4xx is the server's
 * word. Whatever else is missing is not known. */
static bool is_unknown(CURLcode code, long status)
{
    bool before = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
                  code == CURLE_SSL_CONNECT_ERROR ||
                  code == CURLE_PEER_FAILED_VERIFICATION ||
                  code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
    return !before && !(code == CURLE_OK && status >= 300 && status < 500);
}

/* 202 answers notifications and has no body. An event stream may end without the empty
 * line behind its last event. */
static void finish(transfer *t, CURLcode code)
{
    long status = 0;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (t->stream) {
        take_event_line(t, MT_STR("")); /* the last may lack its empty line */
    } else if (code == CURLE_OK && status != 202) {
        give(t, mt_buf_str(&t->body));
    }
    if (t->id.len && !t->answered) {
        const char *why = t->too_long ? "its answer is too long"
                          : code      ? curl_easy_strerror(code)
                                      : "it gave no answer";
        put_error(
            t,
            status ? mt_strf(&t->arena, "the server's status was %ld: %s", status, why)
                   : mt_strf(&t->arena, "the server cannot be asked: %s", why),
            is_unknown(code, status));
    }
    curl_multi_remove_handle(t->b->multi, t->easy);
    t->b->running--;
    t->b->begins &= !t->begins;
    drop(t);
}

/* curl gives each ended transfer once. */
static void finish_some(bridge *b)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(b->multi, &left));) {
        if (m->msg == CURLMSG_DONE) {
            transfer *t;
            CURLcode code = m->data.result;
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
            finish(t, code);
        }
    }
}

/* ---- The loop ---- */

/* Until `initialize` is answered the session is not known: what comes behind it waits.
 */
static void take_lines(bridge *b)
{
    mt_str rest = mt_buf_str(&b->waiting);
    for (size_t end; !b->begins && b->running < MOST &&
                     (end = mt_str_find(rest, '\n')) < rest.len;) {
        mt_str line = mt_str_trim(mt_str_from(rest.ptr, end), MT_STR(" \t\r"));
        rest = mt_str_skip(rest, end + 1);
        if (line.len) {
            send_line(b, line);
        }
    }
    if (rest.len) {
        memmove(b->waiting.ptr, rest.ptr, rest.len);
    }
    b->waiting.len = rest.len;
    b->input_over |= !b->begins && b->running < MOST && rest.len > b->o->line_bytes;
}

/* Where there is no memory for more, the input counts as ended: what is under way is
 * still answered. */
static void read_input(bridge *b)
{
    ssize_t n = -1;
    if (mt_buf_room(&b->waiting, CHUNK)) {
        n = read(b->o->in, b->waiting.ptr + b->waiting.len, CHUNK);
    }
    b->input_over |= n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    b->waiting.len += n > 0 ? (size_t)n : 0;
}

static bool has_line(const bridge *b)
{
    mt_str text = mt_buf_str(&b->waiting);
    return mt_str_find(text, '\n') < text.len;
}

/* While all places are taken, or `initialize` is under way, the input is not looked at:
 * the client then waits in its own write. */
static void run(bridge *b)
{
    while ((!b->input_over || b->running || has_line(b)) && !b->output_over) {
        int running;
        bool reads = !b->input_over && !b->begins && b->running < MOST;
        struct curl_waitfd in = {.fd = b->o->in, .events = CURL_WAIT_POLLIN};
        curl_multi_poll(b->multi, &in, reads ? 1 : 0, WAIT_MS, NULL);
        if (reads && in.revents) {
            read_input(b);
        }
        take_lines(b);
        curl_multi_perform(b->multi, &running);
        finish_some(b);
    }
}

mt_err gd_connect(const gd_connect_options *o, mt_buf *why)
{
    bridge b = {.o = o};
    const char *missing = mt_late_load(&mt_late_curl);
    mt_str url = mt_str_z(o->url);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    if (!mt_str_starts(url, MT_STR("http://")) &&
        !mt_str_starts(url, MT_STR("https://"))) {
        mt_buf_addf(why, "'%s' is not an http or https address", o->url);
        return MT_E_USAGE;
    }
    curl_global_init(CURL_GLOBAL_ALL);
    b.multi = curl_multi_init();
    if (b.multi) {
        run(&b);
        curl_multi_cleanup(b.multi);
    }
    mt_buf_free(&b.waiting);
    mt_arena_free(&b.keep);
    return b.multi ? MT_OK : MT_E_IO;
}
