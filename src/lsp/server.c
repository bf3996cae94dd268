/* lsp/server.c - messages in, messages out.
 *
 * Bytes are cut into messages by their Content-Length as they come and wait in a queue.
 * ls_work() takes one from it, or, when none waits, tells the diagnostics of one text
 * that has changed. A request is looked up in METHODS, its document and position are
 * found as its row says, and what its function writes becomes the answer.
 *
 * A request that fails is answered with an error and the server lives. What is not JSON
 * is answered, too; what is not even a header ends the connection, since nobody knows
 * where the next message begins.
 *
 * INVARIANT: every request with an id is answered once, and nothing else is. */
#include "lsp/server.h"

#include <stdlib.h>

#include "lsp/data.h"

enum {
    HEADER_BYTES = 4096,       /* of one message, at most */
    MESSAGE_DEPTH = 100,       /* of its JSON */
    MESSAGE_BYTES = 128 << 20, /* a whole text comes in one message */
    QUEUE_BYTES = 32 << 20,    /* what an editor may say before it is heard */
    QUEUE_LENGTH = 100000,
    KEPT_SCRATCH = 4 << 20 /* working room that is kept between messages */
};

enum {
    AT_DOCUMENT = 1,  /* textDocument is open */
    AT_POSITION = 2,  /* position lies in it */
    NOTIFICATION = 4, /* nobody waits for an answer */
    BEFORE_START = 8, /* allowed before `initialize` */
    OF_CONTRACT = 16  /* null for others than contracts, and data if there is a way */
};

static void initialize(ls_call *c);
static void initialized(ls_call *c);
static void shut_down(ls_call *c);
static void leave(ls_call *c);
static void ignore(ls_call *c);

typedef struct method {
    const char *name;
    unsigned flags;
    void (*answer)(ls_call *c);
    void (*of_data)(ls_call *c); /* the same for data, where a contract is not meant */
} method;

/* clang-format off */
static const method METHODS[] = {
    {"initialize",                         BEFORE_START,               initialize, NULL},
    {"initialized",                        NOTIFICATION,               initialized, NULL},
    {"shutdown",                           0,                          shut_down, NULL},
    {"exit",                               NOTIFICATION | BEFORE_START, leave, NULL},
    {"$/setTrace",                         NOTIFICATION,               ignore, NULL},
    {"workspace/didChangeConfiguration",   NOTIFICATION,               ignore, NULL},
    {"workspace/didChangeWatchedFiles",    NOTIFICATION,               ls_did_change_files, NULL},
    {"textDocument/didOpen",               NOTIFICATION,               ls_did_open, NULL},
    {"textDocument/didChange",             NOTIFICATION,               ls_did_change, NULL},
    {"textDocument/didSave",               NOTIFICATION,               ls_did_save, NULL},
    {"textDocument/didClose",              NOTIFICATION,               ls_did_close, NULL},
    {"textDocument/diagnostic",            AT_DOCUMENT,                ls_pull_diagnostics, NULL},
    {"textDocument/hover",                 AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_hover, ls_data_hover},
    {"textDocument/definition",            AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_definition, ls_data_definition},
    {"textDocument/declaration",           AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_definition, ls_data_definition},
    {"textDocument/implementation",        AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_implementation, NULL},
    {"textDocument/references",            AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_references, ls_data_references},
    {"textDocument/documentHighlight",     AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_highlight, ls_data_highlight},
    {"textDocument/prepareRename",         AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_prepare_rename, ls_data_prepare_rename},
    {"textDocument/rename",                AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_rename, ls_data_rename},
    {"textDocument/completion",            AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_complete, ls_data_complete},
    {"textDocument/signatureHelp",         AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_signature, NULL},
    {"textDocument/documentSymbol",        AT_DOCUMENT | OF_CONTRACT,  ls_document_symbols, ls_data_symbols},
    {"textDocument/foldingRange",          AT_DOCUMENT | OF_CONTRACT,  ls_folding, NULL},
    {"textDocument/selectionRange",        AT_DOCUMENT | OF_CONTRACT,  ls_selection, NULL},
    {"textDocument/documentLink",          AT_DOCUMENT | OF_CONTRACT,  ls_document_links, ls_data_links},
    {"textDocument/semanticTokens/full",   AT_DOCUMENT | OF_CONTRACT,  ls_semantic_tokens, NULL},
    {"textDocument/semanticTokens/range",  AT_DOCUMENT | OF_CONTRACT,  ls_semantic_tokens, NULL},
    {"textDocument/inlayHint",             AT_DOCUMENT | OF_CONTRACT,  ls_inlay_hints, NULL},
    {"textDocument/codeAction",            AT_DOCUMENT | OF_CONTRACT,  ls_code_actions, ls_data_actions},
    {"textDocument/codeLens",              AT_DOCUMENT | OF_CONTRACT,  ls_code_lens, ls_data_lens},
    {"textDocument/formatting",            AT_DOCUMENT | OF_CONTRACT,  ls_format, NULL},
    {"textDocument/rangeFormatting",       AT_DOCUMENT | OF_CONTRACT,  ls_format_range, NULL},
    {"textDocument/onTypeFormatting",      AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_format_on_type, NULL},
    {"textDocument/prepareCallHierarchy",  AT_DOCUMENT | AT_POSITION | OF_CONTRACT,  ls_prepare_calls, NULL},
    {"callHierarchy/incomingCalls",        0,                          ls_incoming_calls, NULL},
    {"callHierarchy/outgoingCalls",        0,                          ls_outgoing_calls, NULL},
    {"codeAction/resolve",                 0,                          ls_resolve_action, NULL},
    {"workspace/symbol",                   0,                          ls_workspace_symbols, NULL},
    {"workspace/executeCommand",           0,                          ls_execute_command, NULL},
    {"motet/picture",                      AT_DOCUMENT | OF_CONTRACT,  ls_picture, NULL},
};
/* clang-format on */

/* ---- a server's life ---- */

ls_server *ls_new(const ls_world *world)
{
    ls_server *s = mt_xmalloc(sizeof *s);
    *s = (ls_server){.world = *world,
                     .limits = world->limits ? world->limits : &MT_LIMITS_DEFAULT,
                     .units = LS_UTF16,
                     .inbox.ceiling = MESSAGE_BYTES + HEADER_BYTES};
    s->files = ls_overlay(s);
    return s;
}

void ls_free(ls_server *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->documents.len; i++) {
        ls_document_free(s->documents.items[i]);
    }
    for (size_t i = s->queue.first; i < s->queue.len; i++) {
        mt_buf_free(&s->queue.items[i].text);
        mt_buf_free(&s->queue.items[i].id);
    }
    for (size_t i = 0; i < s->folders.len; i++) {
        free((void *)(uintptr_t)s->folders.items[i].ptr);
    }
    free(s->documents.items);
    free(s->queue.items);
    free(s->folders.items);
    mt_buf_free(&s->inbox);
    mt_arena_free(&s->scratch);
    free(s);
}

bool ls_has_ended(const ls_server *s, int *code)
{
    *code = s->exit_code;
    return s->has_ended;
}

static void end(ls_server *s, int code)
{
    s->has_ended = true;
    s->exit_code = code;
}

static void initialized(ls_call *c)
{
    (void)c;
}

static void ignore(ls_call *c)
{
    (void)c;
}

static void shut_down(ls_call *c)
{
    c->s->is_shutting_down = true;
    mt_jw_null(c->w);
}

/* 1: the editor did not say `shutdown` before. */
static void leave(ls_call *c)
{
    end(c->s, c->s->is_shutting_down ? 0 : 1);
}

/* ---- what both sides can do ---- */

static bool has_text(const mt_json *list, mt_str text)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        if (mt_str_eq(mt_json_text(&list->as.items[i]), text)) {
            return true;
        }
    }
    return false;
}

static bool is_true(const mt_json *v)
{
    return mt_json_is(v, MT_JSON_BOOL) && v->boolean;
}

/* UTF-8 if the editor has it, for then nothing is converted; UTF-16 otherwise, which
 * every editor has. */
static void agree(ls_server *s, const mt_json *can)
{
    const mt_json *general = mt_json_at(can, "general");
    const mt_json *encodings = mt_json_at(general, "positionEncodings");
    s->units = has_text(encodings, MT_STR("utf-8"))    ? LS_UTF8
               : has_text(encodings, MT_STR("utf-16")) ? LS_UTF16
               : has_text(encodings, MT_STR("utf-32")) ? LS_UTF32
                                                       : LS_UTF16;
    const mt_json *text = mt_json_at(can, "textDocument");
    const mt_json *item = mt_json_at(mt_json_at(text, "completion"), "completionItem");
    s->has_snippets = is_true(mt_json_at(item, "snippetSupport"));
    s->has_related = is_true(
        mt_json_at(mt_json_at(text, "publishDiagnostics"), "relatedInformation"));
    const mt_json *resolve =
        mt_json_at(mt_json_at(text, "codeAction"), "resolveSupport");
    s->has_resolve = has_text(mt_json_at(resolve, "properties"), MT_STR("edit"));
    const mt_json *workspace = mt_json_at(can, "workspace");
    s->has_pull = mt_json_is(mt_json_at(text, "diagnostic"), MT_JSON_OBJECT);
    s->has_refresh =
        is_true(mt_json_at(mt_json_at(workspace, "diagnostics"), "refreshSupport"));
    const mt_json *edit = mt_json_at(workspace, "workspaceEdit");
    s->has_create = is_true(mt_json_at(edit, "documentChanges")) &&
                    has_text(mt_json_at(edit, "resourceOperations"), MT_STR("create"));
}

static void add_folder(ls_call *c, mt_str uri)
{
    ls_server *s = c->s;
    mt_str path = mt_path_join(c->a, MT_STR(""), ls_path_of(c->a, uri));
    if (!path.len) {
        return;
    }
    if (s->folders.len == s->folders.cap) {
        s->folders.cap = s->folders.cap ? 2 * s->folders.cap : 4;
        s->folders.items =
            mt_xrealloc(s->folders.items, s->folders.cap * sizeof *s->folders.items);
    }
    char *copy = mt_xmalloc(path.len + 1);
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    s->folders.items[s->folders.len++] = mt_str_from(copy, path.len);
}

static void take_folders(ls_call *c)
{
    const mt_json *folders = mt_json_at(c->params, "workspaceFolders");
    if (mt_json_is(folders, MT_JSON_ARRAY) && folders->count) {
        for (uint32_t i = 0; i < folders->count; i++) {
            add_folder(c, mt_json_text(mt_json_at(&folders->as.items[i], "uri")));
        }
    } else {
        add_folder(c, mt_json_text(mt_json_at(c->params, "rootUri")));
    }
}

static void write_words(mt_jw *w, const char *const *words, size_t count)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, mt_str_z(words[i]));
    }
    mt_jw_end_array(w);
}

#define WORDS(w, ...)                                                                  \
    write_words((w), (const char *const[]){__VA_ARGS__},                               \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void write_flag_object(mt_jw *w, mt_str key)
{
    mt_jw_begin_object(w);
    mt_jw_key(w, key);
    mt_jw_bool(w, true);
    mt_jw_end_object(w);
}

/* Keys in byte order. */
static void write_capabilities(mt_jw *w, const ls_server *s)
{
    static const char *const UNITS[] = {
        [LS_UTF8] = "utf-8", [LS_UTF16] = "utf-16", [LS_UTF32] = "utf-32"};
    MT_TABLE_COVERS(UNITS, LS_UTF32 + 1);
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "callHierarchyProvider", true);
    mt_jw_keyz(w, "codeActionProvider");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "codeActionKinds");
    WORDS(w, "quickfix", "refactor.extract", "refactor.scenario", "source.fixAll");
    mt_jw_key_bool(w, "resolveProvider", true);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "codeLensProvider");
    mt_jw_begin_object(w);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "completionProvider");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "triggerCharacters");
    WORDS(w, ".", ":", "(", "[", "\"", ",", "{", "$");
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "declarationProvider", true);
    mt_jw_key_bool(w, "definitionProvider", true);
    mt_jw_keyz(w, "diagnosticProvider");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "interFileDependencies", true);
    mt_jw_key_bool(w, "workspaceDiagnostics", false);
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "documentFormattingProvider", true);
    mt_jw_key_bool(w, "documentHighlightProvider", true);
    mt_jw_keyz(w, "documentLinkProvider");
    mt_jw_begin_object(w);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "documentOnTypeFormattingProvider");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "firstTriggerCharacter", MT_STR("}"));
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "documentRangeFormattingProvider", true);
    mt_jw_key_bool(w, "documentSymbolProvider", true);
    mt_jw_keyz(w, "executeCommandProvider");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "commands");
    WORDS(w, "motet.ask", "motet.test");
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "foldingRangeProvider", true);
    mt_jw_key_bool(w, "hoverProvider", true);
    mt_jw_key_bool(w, "implementationProvider", true);
    mt_jw_key_bool(w, "inlayHintProvider", true);
    mt_jw_key_str(w, "positionEncoding", mt_str_z(UNITS[s->units]));
    mt_jw_key_bool(w, "referencesProvider", true);
    mt_jw_keyz(w, "renameProvider");
    write_flag_object(w, MT_STR("prepareProvider"));
    mt_jw_key_bool(w, "selectionRangeProvider", true);
    mt_jw_keyz(w, "semanticTokensProvider");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "full", true);
    mt_jw_keyz(w, "legend");
    ls_write_token_legend(w);
    mt_jw_key_bool(w, "range", true);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "signatureHelpProvider");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "triggerCharacters");
    WORDS(w, "(", ",");
    mt_jw_end_object(w);
    mt_jw_keyz(w, "textDocumentSync");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "change", 2);
    mt_jw_key_bool(w, "openClose", true);
    mt_jw_keyz(w, "save");
    write_flag_object(w, MT_STR("includeText"));
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "workspaceSymbolProvider", true);
    mt_jw_end_object(w);
}

static void initialize(ls_call *c)
{
    if (c->s->is_initialized) {
        ls_refuse(c, LS_INVALID_REQUEST, MT_STR("it is initialized already"));
        return;
    }
    c->s->is_initialized = true;
    agree(c->s, mt_json_at(c->params, "capabilities"));
    take_folders(c);
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "capabilities");
    write_capabilities(c->w, c->s);
    mt_jw_keyz(c->w, "serverInfo");
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "name", MT_STR("motet"));
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
}

/* ---- one message ---- */

static const method *method_of(mt_str name)
{
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        if (mt_str_eq(name, mt_str_z(METHODS[i].name))) {
            return &METHODS[i];
        }
    }
    return NULL;
}

/* Finds what the row wants; false: it is refused, or answered with null. */
static bool is_ready(ls_call *c, const method *m)
{
    if (!c->s->is_initialized && !(m->flags & BEFORE_START)) {
        ls_refuse(c, LS_NOT_INITIALIZED, MT_STR("`initialize` comes first"));
    } else if (c->s->is_shutting_down && !(m->flags & NOTIFICATION)) {
        ls_refuse(c, LS_INVALID_REQUEST, MT_STR("it is shutting down"));
    } else if (m->flags & AT_DOCUMENT) {
        mt_str uri =
            mt_json_text(mt_json_at(mt_json_at(c->params, "textDocument"), "uri"));
        c->doc = ls_document_find(c->s, uri);
        if (!c->doc) {
            ls_refuse(c, LS_INVALID_PARAMS, MT_STR("the document is not open"));
        } else if (m->flags & AT_POSITION &&
                   !ls_read_place(c->s, &c->doc->lines,
                                  mt_json_at(c->params, "position"), &c->offset)) {
            ls_refuse(c, LS_INVALID_PARAMS, MT_STR("`position` is not a position"));
        } else {
            return !(m->flags & OF_CONTRACT) || c->doc->language == LS_CONTRACT ||
                   (c->doc->language == LS_DATA && m->of_data);
        }
    }
    return !c->fault;
}

static void perform(ls_call *c, const mt_json *id, const method *m)
{
    mt_buf result = {0};
    mt_jw w = mt_jw_start(&result, false);
    c->w = &w;
    if (is_ready(c, m)) {
        bool is_data = m->flags & OF_CONTRACT && c->doc->language == LS_DATA;
        (is_data ? m->of_data : m->answer)(c);
    }
    if (id && c->fault) {
        ls_answer_error(c->out, id, c->fault, c->message);
    } else if (id) {
        ls_answer(c->out, id, &result);
    }
    mt_buf_free(&result);
}

/* An id is text or a number; anything else is not a request we can answer. */
static const mt_json *id_of(const mt_json *message)
{
    const mt_json *id = mt_json_at(message, "id");
    return mt_json_is(id, MT_JSON_STRING) || mt_json_is(id, MT_JSON_NUMBER) ? id : NULL;
}

/* As it is written, so that 1 and "1" are two; empty: there is none. */
static mt_str text_of_id(mt_arena *a, const mt_json *id)
{
    mt_buf b = {0};
    if (id) {
        mt_json_write(&b, id, false);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Requests with a row for a notification and the other way round are taken as they
 * come: what counts is whether there is an id. What begins with $/ may be ignored. */
static void hear(ls_server *s, mt_str text, mt_buf *out)
{
    mt_json message;
    mt_json_limits limits = {.bytes = MESSAGE_BYTES, .depth = MESSAGE_DEPTH};
    mt_json_error why;
    if (mt_json_read(&s->scratch, text, &limits, &message, &why)) {
        ls_answer_error(out, NULL, LS_PARSE_ERROR, mt_str_z(why.message));
        return;
    }
    const mt_json *id = id_of(&message);
    mt_str name = mt_json_text(mt_json_at(&message, "method"));
    if (!mt_json_is(&message, MT_JSON_OBJECT) ||
        (!name.len && !mt_json_at(&message, "result") &&
         !mt_json_at(&message, "error"))) {
        ls_answer_error(out, id, LS_INVALID_REQUEST, MT_STR("it is not a message"));
        return;
    }
    if (!id && name.len && mt_json_at(&message, "id")) {
        ls_answer_error(out, NULL, LS_INVALID_REQUEST,
                        MT_STR("an id is a number or text"));
        return;
    }
    const method *m = method_of(name);
    ls_call c = {
        .s = s, .a = &s->scratch, .params = mt_json_at(&message, "params"), .out = out};
    if (m) {
        perform(&c, id, m);
    } else if (id && name.len) {
        ls_answer_error(out, id, LS_METHOD_NOT_FOUND,
                        mt_strf(&s->scratch, "there is no '%.*s'", MT_ARG(name)));
    }
}

/* ---- messages in ---- */

static void enqueue(ls_server *s, mt_str text)
{
    if (s->queue.first > s->queue.len / 2) { /* what is done makes room */
        s->queue.len -= s->queue.first;
        memmove(s->queue.items, s->queue.items + s->queue.first,
                s->queue.len * sizeof *s->queue.items);
        s->queue.first = 0;
    }
    if (s->queue.len == s->queue.cap) {
        s->queue.cap = s->queue.cap ? 2 * s->queue.cap : 16;
        s->queue.items =
            mt_xrealloc(s->queue.items, s->queue.cap * sizeof *s->queue.items);
    }
    ls_message *m = &s->queue.items[s->queue.len++];
    *m = (ls_message){.is_dropped = false};
    mt_buf_adds(&m->text, text);
    s->queue.bytes += text.len;
}

bool ls_is_full(const ls_server *s)
{
    return s->queue.bytes > QUEUE_BYTES || s->queue.len - s->queue.first > QUEUE_LENGTH;
}

/* ---- what is taken back ---- */

/* The id that `$/cancelRequest` names, as text; false: it is something else. Others are
 * told from it by their bytes, so that this costs nothing for them. */
static bool is_cancel(mt_arena *a, mt_str text, mt_str *id)
{
    mt_str word = MT_STR("cancelRequest"); /* the slash before it may be escaped */
    mt_json message;
    if (text.len > 300 || !memmem(text.ptr, text.len, word.ptr, word.len) ||
        mt_json_read(a, text, NULL, &message, NULL) ||
        !mt_str_is(mt_json_text(mt_json_at(&message, "method")), "$/cancelRequest")) {
        return false;
    }
    *id = text_of_id(a, mt_json_at(mt_json_at(&message, "params"), "id"));
    return true;
}

/* A message is read for its id once, when the first of those behind it is a
 * cancellation: each of many would read it again. */
static void know_id(ls_server *s, ls_message *m)
{
    mt_json message;
    mt_json_limits limits = {.bytes = MESSAGE_BYTES, .depth = MESSAGE_DEPTH};
    if (!m->is_known) {
        m->is_known = true;
        if (!mt_json_read(&s->scratch, mt_buf_str(&m->text), &limits, &message, NULL) &&
            mt_json_at(&message, "method")) {
            mt_buf_adds(&m->id, text_of_id(&s->scratch, id_of(&message)));
        }
    }
}

/* Takes back what waits and has the id. */
static void cancel(ls_server *s, mt_str id)
{
    for (size_t i = s->queue.first; id.len && i < s->queue.len; i++) {
        ls_message *m = &s->queue.items[i];
        mt_mark mark = mt_arena_mark(&s->scratch);
        know_id(s, m);
        m->is_dropped |= mt_str_eq(mt_buf_str(&m->id), id);
        mt_arena_rewind(&s->scratch, mark);
    }
}

/* A cancellation is over when it has come: it does not wait with the others. */
static void take(ls_server *s, mt_str text)
{
    mt_str id;
    mt_mark mark = mt_arena_mark(&s->scratch);
    if (is_cancel(&s->scratch, text, &id)) {
        cancel(s, id);
    } else {
        enqueue(s, text);
    }
    mt_arena_rewind(&s->scratch, mark);
}

static void answer_dropped(ls_server *s, const ls_message *m, mt_buf *out)
{
    mt_json id;
    mt_json_read(&s->scratch, mt_buf_str(&m->id), NULL, &id, NULL);
    ls_answer_error(out, &id, LS_REQUEST_CANCELLED, MT_STR("it was taken back"));
}

/* ---- bytes in ---- */

/* The value of a header in bytes[0..len), whose lines end with \r\n; empty if it is
 * not there. Names are compared without regard to case. */
static mt_str header_value(mt_str headers, mt_str name)
{
    while (headers.len) {
        size_t end = mt_str_find(headers, '\n');
        mt_str line = mt_str_trim(mt_str_from(headers.ptr, end), MT_STR("\r"));
        if (line.len > name.len && line.ptr[name.len] == ':' &&
            strncasecmp(line.ptr, name.ptr, name.len) == 0) {
            return mt_str_trim(mt_str_skip(line, name.len + 1), MT_STR(" \t"));
        }
        headers = mt_str_skip(headers, end + 1);
    }
    return (mt_str){0};
}

static bool read_length(mt_str digits, size_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9' || *out > MESSAGE_BYTES) {
            return false;
        }
        *out = *out * 10 + (size_t)(digits.ptr[i] - '0');
    }
    return digits.len > 0 && *out <= MESSAGE_BYTES;
}

/* Where the headers end, behind their empty line; 0: not yet. */
static size_t headers_end(mt_str bytes)
{
    for (size_t i = 3; i < bytes.len && i < HEADER_BYTES; i++) {
        if (memcmp(bytes.ptr + i - 3, "\r\n\r\n", 4) == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* The next whole message in bytes; false: there is none. *used bytes are done with. */
static bool next_message(ls_server *s, mt_str bytes, mt_str *message, size_t *used)
{
    size_t head = headers_end(bytes), length;
    *used = 0;
    if (!head) {
        if (bytes.len >= HEADER_BYTES) {
            end(s, 1);
        }
        return false;
    }
    mt_str value = header_value(mt_str_from(bytes.ptr, head), MT_STR("Content-Length"));
    if (!read_length(value, &length)) {
        end(s, 1);
        return false;
    }
    if (bytes.len - head < length) {
        return false;
    }
    *message = mt_str_from(bytes.ptr + head, length);
    *used = head + length;
    return true;
}

void ls_feed(ls_server *s, mt_str bytes)
{
    mt_buf_adds(&s->inbox, bytes);
    if (s->inbox.full) {
        end(s, 1);
    }
    size_t done = 0, used;
    mt_str message;
    while (!s->has_ended &&
           next_message(s, mt_str_skip(mt_buf_str(&s->inbox), done), &message, &used)) {
        take(s, message);
        done += used;
    }
    memmove(s->inbox.ptr, s->inbox.ptr + done, s->inbox.len - done);
    s->inbox.len -= done;
}

/* ---- work ---- */

static bool work_on_message(ls_server *s, mt_buf *out)
{
    if (s->queue.first == s->queue.len) {
        return false;
    }
    ls_message m = s->queue.items[s->queue.first++];
    s->queue.bytes -= m.text.len;
    if (m.is_dropped) {
        answer_dropped(s, &m, out);
    } else {
        hear(s, mt_buf_str(&m.text), out);
    }
    mt_buf_free(&m.text);
    mt_buf_free(&m.id);
    if (s->scratch.reserved > KEPT_SCRATCH) {
        mt_arena_free(&s->scratch);
        s->scratch = (mt_arena){0};
    } else {
        mt_arena_reset(&s->scratch);
    }
    return true;
}

/* An editor that asks for diagnostics would show what it is told a second time. It is
 * told to ask again where something changed that it may not know of. */
static bool ask_to_ask(ls_server *s, mt_buf *out)
{
    bool is_due = false;
    for (size_t i = 0; i < s->documents.len; i++) {
        is_due |= s->documents.items[i]->is_dirty;
        s->documents.items[i]->is_dirty = false;
    }
    if (is_due && s->has_refresh) {
        ls_request(s, out, "workspace/diagnostic/refresh");
    }
    return is_due;
}

static bool work_on_text(ls_server *s, mt_buf *out)
{
    if (s->has_pull) {
        return ask_to_ask(s, out);
    }
    for (size_t i = 0; i < s->documents.len; i++) {
        ls_document *d = s->documents.items[i];
        if (d->is_dirty) {
            d->is_dirty = false;
            ls_publish(s, d, out);
            return true;
        }
    }
    return false;
}

bool ls_work(ls_server *s, mt_buf *out)
{
    if (s->has_ended) {
        return false;
    }
    if (work_on_message(s, out) || (!s->has_ended && work_on_text(s, out))) {
        return true;
    }
    ls_views_rest(s);
    return false;
}
