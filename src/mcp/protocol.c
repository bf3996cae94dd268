/* mcp/protocol.c - one message: what it is, whether it may be, and how it is answered.
 * Room: mcp.
 * Reading goes in this order, and the first fault is the one that is told: text (JSON,
 * one object), envelope (jsonrpc, id, method), revision (`_meta`, header, what came
 * before), header fields (of the newer revision, over HTTP), method, what the client
 * has to be able to do, parameters.
 * INVARIANT: whatever is answered has the id of its message, as it was written, or none
 * if that could not be read. A notification is never answered. Nothing here fails: a
 * fault is a kind of message. */
#include "mcp/protocol.h"

#include "base/base64.h"
#include "base/form.h"
#include "base/utf8.h"

#define META         "io.modelcontextprotocol/"
#define META_VERSION META "protocolVersion"
#define META_CAN     META "clientCapabilities"
#define META_CLIENT  META "clientInfo"
#define META_SERVER  META "serverInfo"
#define TASKS        META "tasks"

/* ---- The tables ---- */

static const mt_str REVISIONS[] = {[MC_2025_11_25] = MT_STR_INIT("2025-11-25"),
                                   [MC_2026_07_28] = MT_STR_INIT("2026-07-28")};
_Static_assert(sizeof REVISIONS / sizeof *REVISIONS == MC_REVISION_COUNT,
               "one name per revision");

mt_str mc_revision_name(mc_revision r)
{
    return REVISIONS[r];
}

enum { NAME_BYTES = 4096, STATE_BYTES = 65536 };

static const mt_form_row NOTHING[] = {{0}}; /* whatever it has is passed over */
static const mt_form_row START[] = {
    MT_FORM_TEXT(mc_params, version, "protocolVersion", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(mc_params, capabilities, "capabilities", MT_FORM_REQUIRED),
};
static const mt_form_row PAGE[] = {
    MT_FORM_ROW(mc_params, cursor, "cursor", MT_FORM_K_TEXT, 0, NAME_BYTES, 0),
};
static const mt_form_row CALL[] = {
    MT_FORM_NAME(mc_params, name, "name", NAME_BYTES, MT_FORM_REQUIRED),
    MT_FORM_OBJECT(mc_params, arguments, "arguments", 0),
    MT_FORM_OBJECT(mc_params, input, "inputResponses", 0),
    MT_FORM_ROW(mc_params, state, "requestState", MT_FORM_K_TEXT, 0, STATE_BYTES, 0),
};
static const mt_form_row READ[] = {
    MT_FORM_NAME(mc_params, uri, "uri", NAME_BYTES, MT_FORM_REQUIRED),
};
static const mt_form_row TASK[] = {
    MT_FORM_NAME(mc_params, task, "taskId", NAME_BYTES, MT_FORM_REQUIRED),
};
static const mt_form_row UPDATE[] = {
    MT_FORM_NAME(mc_params, task, "taskId", NAME_BYTES, MT_FORM_REQUIRED),
    MT_FORM_OBJECT(mc_params, input, "inputResponses", MT_FORM_REQUIRED),
};

typedef struct method_row {
    mt_str name;
    unsigned revisions;
    const mt_form_row *params;
    size_t param_count;
    const char *named; /* what Mcp-Name repeats */
    int keep_ms;
    unsigned needs;
} method_row;

static const method_row METHODS[] = {
#define METHOD_ROW(id, text, revisions, form, named, keep, needs)                      \
    [MC_##id] = {                                                                      \
        MT_STR_INIT(text), revisions, form, mt_form_count(form), named, keep, needs},
    MC_METHOD_MAP(METHOD_ROW)
#undef METHOD_ROW
};
_Static_assert(sizeof METHODS / sizeof *METHODS == MC_METHOD_COUNT, "all methods");

static const struct {
    int code[MC_REVISION_COUNT], status[MC_REVISION_COUNT];
} FAULTS[] = {
#define FAULT_ROW(id, older, newer, older_status, newer_status)                        \
    [MC_##id] = {{older, newer}, {older_status, newer_status}},
    MC_FAULT_MAP(FAULT_ROW)
#undef FAULT_ROW
};
_Static_assert(sizeof FAULTS / sizeof *FAULTS == MC_FAULT_COUNT, "all faults");

/* ---- Faults ---- */

/* What is wrong with a notification is nobody's to hear. */
void mc_spoil(mc_message *m, mc_fault fault, mt_str why, mt_str data)
{
    m->kind = m->kind == MC_NOTIFICATION ? MC_NOTIFICATION : MC_FAULTY;
    m->fault = fault;
    m->why = why;
    m->data = data;
}

/* True, so that checks read as one sentence. */
static bool spoilt(mc_message *m, mc_fault fault, const char *why)
{
    mc_spoil(m, fault, mt_str_z(why), (mt_str){0});
    return true;
}

/* Texts of strangers are shown up to here. */
enum { SHOWN = 80 };

/* With marks in the place of what a terminal would obey. */
static mt_str shown(mt_arena *a, mt_str text)
{
    mt_buf out = {0};
    mt_str begin = mt_utf8_cut(text, SHOWN);
    mt_json_show(&out, begin);
    mt_buf_addz(&out, begin.len < text.len ? "…" : "");
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* ---- The envelope ---- */

/* Not 1.0 and not 1e0: two spellings of one id would be two calls to some and one to
 * others. */
static bool is_whole(const mt_json *v)
{
    for (uint32_t i = v->as.text[0] == '-'; i < v->count; i++) {
        if (v->as.text[i] < '0' || v->as.text[i] > '9') {
            return false;
        }
    }
    return true;
}

/* Text or a whole number; kept as it is written, so that the client knows it again. */
static bool take_id(mt_arena *a, const mt_json *id, mc_message *m)
{
    if (mt_json_is(id, MT_JSON_NUMBER) && is_whole(id)) {
        m->id = mt_json_text(id);
        return true;
    }
    if (!mt_json_is(id, MT_JSON_STRING)) {
        return false;
    }
    mt_buf quoted = {0};
    mt_json_quote(&quoted, mt_json_text(id));
    m->id = mt_str_dup(a, mt_buf_str(&quoted));
    mt_buf_free(&quoted);
    return true;
}

/* The id is read first: whatever else is wrong, the fault is told to the right caller.
 */
static bool spoilt_envelope(mt_arena *a, const mt_json *all, mc_message *m)
{
    const mt_json *id = mt_json_at(all, "id"), *method = mt_json_at(all, "method");
    const mt_json *version = mt_json_at(all, "jsonrpc");
    if (!mt_json_is(all, MT_JSON_OBJECT)) {
        return spoilt(m, MC_NOT_A_MESSAGE,
                      mt_json_is(all, MT_JSON_ARRAY)
                          ? "there are no batches: send one message at a time"
                          : "a message is a JSON object");
    }
    if (id && !take_id(a, id, m)) {
        return spoilt(m, MC_NOT_A_MESSAGE, "`id` must be text or a whole number");
    }
    if (!mt_json_is(version, MT_JSON_STRING) ||
        !mt_str_is(mt_json_text(version), "2.0")) {
        return spoilt(m, MC_NOT_A_MESSAGE, "`jsonrpc` must be \"2.0\"");
    }
    if (!method && (mt_json_at(all, "result") || mt_json_at(all, "error"))) {
        m->kind = MC_RESPONSE;
        return true;
    }
    if (!mt_json_is(method, MT_JSON_STRING)) {
        return spoilt(m, MC_NOT_A_MESSAGE, "`method` must be text");
    }
    m->kind = id ? MC_REQUEST : MC_NOTIFICATION;
    return false;
}

/* ---- The revision ---- */

/* The newest first, as a client would like to choose. */
static mt_str unsupported_data(mt_arena *a, mt_str asked)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "requested", asked);
    mt_jw_keyz(&w, "supported");
    mt_jw_begin_array(&w);
    for (int r = MC_REVISION_COUNT - 1; r >= 0; r--) {
        mt_jw_str(&w, REVISIONS[r]);
    }
    mt_jw_end_array(&w);
    mt_jw_end_object(&w);
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* Whoever says 2025-11-25 in `_meta` knows neither revision quite: it is told how that
 * one begins. */
static bool spoilt_version(mt_arena *a, mc_message *m, mt_str asked)
{
    mt_str why = mt_str_eq(asked, REVISIONS[MC_2025_11_25])
                     ? MT_STR("revision 2025-11-25 begins with `initialize`")
                     : mt_strf(a, "protocol version %.*s is not supported",
                               MT_ARG(shown(a, asked)));
    mc_spoil(m, MC_UNSUPPORTED, why, unsupported_data(a, asked));
    return true;
}

static void take_abilities(const mt_json *capabilities, mc_message *m)
{
    const mt_json *asked = mt_json_at(capabilities, "elicitation");
    const mt_json *more = mt_json_at(capabilities, "extensions");
    /* By a form, if it does not say that it is by an address only. */
    bool form = asked && (!mt_json_at(asked, "url") || mt_json_at(asked, "form"));
    m->can = (form ? MC_CAN_BE_ASKED : 0u) |
             (mt_json_get(more, MT_STR(TASKS)) ? MC_CAN_TASKS : 0u);
}

/* The newer revision: everything is said in the message itself. */
static bool spoilt_newer(mt_arena *a, const mc_door *door, mc_message *m)
{
    const mt_json *version = mt_json_get(m->meta, MT_STR(META_VERSION));
    const mt_json *can = mt_json_get(m->meta, MT_STR(META_CAN));
    const mt_json *client = mt_json_get(m->meta, MT_STR(META_CLIENT));
    m->revision = MC_2026_07_28;
    if (!mt_json_is(version, MT_JSON_STRING)) {
        return spoilt(m, MC_NO_META, "`_meta` lacks " META_VERSION);
    }
    mt_str asked = mt_json_text(version);
    if (door->http && !door->version.ptr) {
        return spoilt(m, MC_WRONG_HEADER, "the header MCP-Protocol-Version is missing");
    }
    if (door->http && !mt_str_eq(door->version, asked)) {
        return spoilt(m, MC_WRONG_HEADER,
                      "the header MCP-Protocol-Version says another version than "
                      "`_meta`");
    }
    if (!mt_str_eq(asked, REVISIONS[MC_2026_07_28])) {
        return spoilt_version(a, m, asked);
    }
    if (!mt_json_is(can, MT_JSON_OBJECT)) {
        return spoilt(m, MC_NO_META, "`_meta` lacks " META_CAN);
    }
    if (client && !mt_json_is(client, MT_JSON_OBJECT)) {
        return spoilt(m, MC_NO_META, META_CLIENT " in `_meta` must be an object");
    }
    take_abilities(can, m);
    return false;
}

/* The older one: `initialize` and `ping` may come first; over HTTP, where we keep no
 * session, the header says it for the rest. */
static bool spoilt_older(mt_arena *a, const mc_door *door, mt_str method, mc_message *m)
{
    bool first = mt_str_eq(method, METHODS[MC_INITIALIZE].name);
    m->revision = MC_2025_11_25;
    if (door->http && mt_utf8_check(door->version) != door->version.len) {
        return spoilt(m, MC_WRONG_HEADER,
                      "the header MCP-Protocol-Version is malformed");
    }
    if (door->http && door->version.ptr &&
        !mt_str_eq(door->version, REVISIONS[MC_2025_11_25]) && !first) {
        return spoilt_version(a, m, door->version);
    }
    if (first || m->kind == MC_NOTIFICATION ||
        mt_str_eq(method, METHODS[MC_PING].name) || (!door->http && door->began)) {
        return false;
    }
    if (door->http) {
        return !door->version.ptr &&
               spoilt(m, MC_WRONG_HEADER, "the header MCP-Protocol-Version is missing");
    }
    m->revision = MC_2026_07_28;
    return spoilt(m, MC_NO_META,
                  "`_meta` lacks " META_VERSION " (revision 2026-07-28), and "
                  "`initialize` (2025-11-25) did not come first");
}

/* What decides is the message; a header alone makes a request of the newer revision, so
 * that one without `_meta` is told what it lacks. */
static bool spoilt_revision(mt_arena *a, const mc_door *door, mt_str method,
                            mc_message *m)
{
    bool newer = mt_json_get(m->meta, MT_STR(META_VERSION)) ||
                 (door->http && m->kind == MC_REQUEST &&
                  mt_str_eq(door->version, REVISIONS[MC_2026_07_28]));
    return newer ? spoilt_newer(a, door, m) : spoilt_older(a, door, method, m);
}

/* ---- Headers ---- */

/* Values that a field cannot carry come as =?base64?…?=. */
bool mc_header_text(mt_arena *a, mt_str value, mt_str *out)
{
    static const mt_str BEGIN = MT_STR_INIT("=?base64?"), END = MT_STR_INIT("?=");
    *out = value;
    if (value.len < BEGIN.len + END.len || !mt_str_starts(value, BEGIN) ||
        !mt_str_ends(value, END)) {
        return true;
    }
    mt_str text = mt_str_from(value.ptr + BEGIN.len, value.len - BEGIN.len - END.len);
    size_t pad = mt_str_ends(text, MT_STR("==")) ? 2 : mt_str_ends(text, MT_STR("="));
    size_t count = text.len / 4 * 3;
    count = count > pad ? count - pad : 0;
    unsigned char *bytes = mt_new_array(a, unsigned char, count + 1);
    *out = mt_str_from((const char *)bytes, count);
    return mt_unbase64(text, bytes, count) && mt_utf8_check(*out) == count;
}

static bool is_header_text(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < ' ' || text.ptr[i] > '~') {
            return false;
        }
    }
    return text.len && text.ptr[0] != ' ' && text.ptr[text.len - 1] != ' ' &&
           !mt_str_starts(text, MT_STR("=?base64?"));
}

/* The other way round. */
mt_str mc_header_value(mt_arena *a, mt_str text)
{
    if (is_header_text(text)) {
        return text;
    }
    mt_str encoded = mt_base64(a, (const unsigned char *)text.ptr, text.len);
    return mt_strf(a, "=?base64?%.*s?=", MT_ARG(encoded));
}

mt_str mc_method_name(const mc_message *m)
{
    return METHODS[m->method].name;
}

mt_str mc_named(const mc_message *m)
{
    const mc_params *p = &m->params;
    bool has = METHODS[m->method].named;
    return !has ? (mt_str){0} : p->name.ptr ? p->name : p->uri.ptr ? p->uri : p->task;
}

/* Whether a message whose answer was lost may be sent again without a key. */
bool mc_only_asks(const mc_message *m)
{
    return m->method != MC_TOOLS_CALL && m->method != MC_TASKS_UPDATE &&
           m->method != MC_TASKS_CANCEL;
}

/* What stands before this server may have looked at the header alone. */
static bool spoilt_headers(mt_arena *a, const mc_door *door, const mt_json *params,
                           mt_str method, const method_row *row, mc_message *m)
{
    mt_str named = {0};
    if (!door->http || m->revision != MC_2026_07_28 || m->kind != MC_REQUEST) {
        return false;
    }
    if (!door->method.ptr || !mt_str_eq(door->method, method)) {
        return spoilt(m, MC_WRONG_HEADER,
                      door->method.ptr
                          ? "the header Mcp-Method names another method than the body"
                          : "the header Mcp-Method is missing");
    }
    if (!row || !row->named) {
        return false;
    }
    const mt_json *in_body = mt_json_get(params, mt_str_z(row->named));
    if (!door->named.ptr) {
        return spoilt(m, MC_WRONG_HEADER, "the header Mcp-Name is missing");
    }
    return (!mc_header_text(a, door->named, &named) ||
            (mt_json_is(in_body, MT_JSON_STRING) &&
             !mt_str_eq(named, mt_json_text(in_body)))) &&
           spoilt(m, MC_WRONG_HEADER,
                  "the header Mcp-Name names something else than the body");
}

/* ---- Method and parameters ---- */

static const method_row *find_method(mt_str name, mc_revision r)
{
    for (size_t i = 0; i < MC_METHOD_COUNT; i++) {
        if ((METHODS[i].revisions >> r & 1) && mt_str_eq(METHODS[i].name, name)) {
            return &METHODS[i];
        }
    }
    return NULL;
}

/* The name says it; there is no column for it. */
static bool has_no_answer(const method_row *row)
{
    return mt_str_starts(row->name, MT_STR("notifications/"));
}

/* A request without an id would be done without anybody hearing of it, a notification
 * with one would be waited for. */
static bool spoilt_method(mt_arena *a, mt_str method, const method_row *row,
                          mc_message *m)
{
    if (!row) {
        mc_spoil(m, MC_NO_SUCH_METHOD,
                 mt_strf(a, "there is no method %.*s", MT_ARG(shown(a, method))),
                 (mt_str){0});
        return true;
    }
    m->method = (mc_method)(row - METHODS);
    if (m->kind == MC_REQUEST && has_no_answer(row)) {
        return spoilt(m, MC_NOT_A_MESSAGE, "a notification has no `id`");
    }
    if (m->kind == MC_NOTIFICATION && !has_no_answer(row)) {
        return spoilt(m, MC_NOT_A_MESSAGE, "a request has an `id`");
    }
    return false;
}

static bool spoilt_abilities(const method_row *row, mc_message *m)
{
    if ((m->can & row->needs) == row->needs) {
        return false;
    }
    mc_spoil(m, MC_CANNOT, MT_STR("the client does not say that it knows " TASKS),
             MT_STR("{\"requiredCapabilities\":{\"extensions\":{\"" TASKS "\":{}}}}"));
    return true;
}

/* Members that nobody knows are allowed: later revisions add some. */
static bool spoilt_params(mt_arena *a, const mt_json *params, const method_row *row,
                          mc_message *m)
{
    static const mt_json NONE = {.type = MT_JSON_OBJECT};
    mt_buf why = {0};
    mt_form form = {.arena = a,
                    .what = "the parameters",
                    .report = mt_form_join,
                    .state = &why,
                    .unknown = MT_FORM_ALLOWED};
    bool good = row->params == NOTHING ||
                mt_form_read(&form, params ? params : &NONE, row->params,
                             row->param_count, &m->params);
    if (!good) {
        mc_spoil(m, MC_BAD_PARAMS, mt_str_dup(a, mt_buf_str(&why)), (mt_str){0});
    }
    mt_buf_free(&why);
    return !good;
}

static void judge(mt_arena *a, const mt_json *all, const mc_door *door, mc_message *m)
{
    mt_str method = mt_json_text(mt_json_at(all, "method"));
    const mt_json *params = mt_json_at(all, "params");
    if (params && !mt_json_is(params, MT_JSON_OBJECT)) {
        spoilt(m, MC_BAD_PARAMS, "`params` must be an object");
        return;
    }
    m->meta = mt_json_at(params, "_meta");
    if (m->meta && !mt_json_is(m->meta, MT_JSON_OBJECT)) {
        spoilt(m, MC_NO_META, "`_meta` must be an object");
        return;
    }
    if (spoilt_revision(a, door, method, m)) {
        return;
    }
    const method_row *row = find_method(method, m->revision);
    (void)(spoilt_headers(a, door, params, method, row, m) ||
           spoilt_method(a, method, row, m) || spoilt_abilities(row, m) ||
           spoilt_params(a, params, row, m));
}

/* NULL: it is spoilt. */
static const mt_json *read_text(mt_arena *a, mt_str text, const mt_json_limits *limits,
                                mc_message *out)
{
    mt_json *all = mt_new(a, mt_json);
    mt_json_error error = {0};
    mt_err err = mt_json_read(a, text, limits, all, &error);
    if (!err) {
        return all;
    }
    mt_str why = mt_strf(a, "%sbyte %zu: %s", err == MT_E_LIMIT ? "" : "not JSON, ",
                         error.offset, error.message ? error.message : "malformed");
    mc_spoil(out, err == MT_E_LIMIT ? MC_NOT_A_MESSAGE : MC_NOT_JSON, why, (mt_str){0});
    return NULL;
}

void mc_read(mt_arena *a, mt_str text, const mc_door *door, mc_message *out)
{
    *out =
        (mc_message){.kind = MC_FAULTY, .revision = MC_2026_07_28, .http = door->http};
    const mt_json *all = read_text(a, text, door->limits, out);
    if (all && !spoilt_envelope(a, all, out)) {
        judge(a, all, door, out);
    }
}

void mc_open(mt_arena *a, mt_str text, const mt_json_limits *limits, mc_envelope *out)
{
    *out = (mc_envelope){.m = {.kind = MC_FAULTY, .revision = MC_2025_11_25}};
    const mt_json *all = read_text(a, text, limits, &out->m);
    if (!all) {
        return;
    }
    (void)spoilt_envelope(a, all, &out->m);
    out->all = mt_json_is(all, MT_JSON_OBJECT) ? all : NULL;
    out->method = mt_json_text(mt_json_at(all, "method"));
    out->params = mt_json_at(all, "params");
    out->result = mt_json_at(all, "result");
    out->error = mt_json_at(all, "error");
    out->m.meta = mt_json_at(out->params, "_meta");
    if (mt_json_get(out->m.meta, MT_STR(META_VERSION))) {
        out->m.revision = MC_2026_07_28;
    }
}

/* ---- Answers ---- */

static void envelope(mt_jw *w, const mc_message *m)
{
    mt_jw_begin_object(w);
    if (m->id.len) {
        mt_jw_keyz(w, "id");
        mt_jw_raw(w, m->id);
    }
    mt_jw_keyz(w, "jsonrpc");
    mt_jw_str(w, MT_STR("2.0"));
}

static void server_json(mt_jw *w, const mc_server *s)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "name", s->name);
    mt_jw_key_str(w, "version", s->version);
    mt_jw_end_object(w);
}

/* Members that are text already. */
static void add_members(mt_jw *w, mt_str members)
{
    if (members.len) {
        mt_jw_raw(w, members);
    }
}

static void meta_json(mt_jw *w, const mc_server *s, const mc_message *m, mt_str more)
{
    if (m->revision == MC_2025_11_25 && !more.len) {
        return;
    }
    mt_jw_keyz(w, "_meta");
    mt_jw_begin_unsorted(w);
    if (m->revision != MC_2025_11_25) {
        mt_jw_key_plain(w, MT_STR("\"" META_SERVER "\": "));
        server_json(w, s);
    }
    add_members(w, more);
    mt_jw_end_object(w);
}

/* What the newer revision has in every result, or in every list. */
static void newer_members(mt_jw *w, const mc_message *m, const mc_result *r)
{
    if (m->revision == MC_2025_11_25) {
        return;
    }
    if (METHODS[m->method].keep_ms >= 0) {
        mt_jw_key_str(w, "cacheScope", MT_STR("private"));
    }
    mt_jw_key_str(w, "resultType", mt_str_z(r->type));
    if (METHODS[m->method].keep_ms >= 0) {
        mt_jw_key_i64(w, "ttlMs", METHODS[m->method].keep_ms);
    }
}

void mc_answer(mt_buf *out, const mc_server *s, const mc_message *m, const mc_result *r)
{
    mt_jw w = mt_jw_start(out, false);
    envelope(&w, m);
    mt_jw_keyz(&w, "result");
    mt_jw_begin_unsorted(&w);
    meta_json(&w, s, m, r->meta);
    add_members(&w, r->members);
    newer_members(&w, m, r);
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
}

void mc_refuse(mt_buf *out, const mc_message *m)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "error");
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "code", FAULTS[m->fault].code[m->revision]);
    if (m->data.len) {
        mt_jw_keyz(&w, "data");
        mt_jw_raw(&w, m->data);
    }
    mt_jw_key_str(&w, "message", m->why);
    mt_jw_end_object(&w);
    if (m->id.len) {
        mt_jw_keyz(&w, "id");
        mt_jw_raw(&w, m->id);
    }
    mt_jw_key_str(&w, "jsonrpc", MT_STR("2.0"));
    mt_jw_end_object(&w);
}

int mc_status(const mc_message *m)
{
    if (m->kind == MC_REQUEST) {
        return 200;
    }
    return m->kind == MC_FAULTY ? FAULTS[m->fault].status[m->revision] : 202;
}

/* ---- The beginning ---- */

/* `initialize` is told the older revision, whatever it asks for: the newer one has no
 * such method, and whoever knows neither ends the connection. */
void mc_members_of_start(mt_buf *out, const mc_server *s, const mc_message *m,
                         mt_str instructions)
{
    bool newer = m->revision == MC_2026_07_28;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_keyz(&w, "capabilities");
    mt_jw_raw(&w, newer ? MT_STR("{\"extensions\":{\"" TASKS
                                 "\":{}},\"resources\":{},\"tools\":{}}")
                        : MT_STR("{\"resources\":{},\"tools\":{}}"));
    mt_jw_key_str(&w, "instructions", instructions);
    if (newer) {
        mt_jw_keyz(&w, "supportedVersions");
        mt_jw_begin_array(&w);
        mt_jw_str(&w, REVISIONS[MC_2026_07_28]);
        mt_jw_str(&w, REVISIONS[MC_2025_11_25]);
        mt_jw_end_array(&w);
    } else {
        mt_jw_key_str(&w, "protocolVersion", REVISIONS[MC_2025_11_25]);
        mt_jw_keyz(&w, "serverInfo");
        server_json(&w, s);
    }
}
