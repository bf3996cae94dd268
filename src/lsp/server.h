/* lsp/server.h - what the files of the language server share.
 * Room: lsp, private.
 *
 * An open text is a document. What is known of it is a view: the elaboration with it as
 * the root, its diagnostics and its index of names, all in an arena of the view's own.
 * A view is made when somebody asks and is dropped when one of the texts it was made
 * from changes, or when there is nothing left to do: making one is so fast, and holding
 * one so large, that only the text of the last one that could be read whole is kept. So
 * an unfinished line does not make everything unknown.
 *
 * INVARIANT: a view holds copies of the texts it was made from, so places in it fit
 * those texts whatever the editor does meanwhile. */
#ifndef LS_SERVER_H
#define LS_SERVER_H

#include "answer/contract.h"
#include "base/vec.h"
#include "contract/front/index.h"
#include "contract/front/unit.h"
#include "lsp/lsp.h"
#include "lsp/text.h"

/* What a document is, by its name. */
typedef enum ls_language { LS_CONTRACT, LS_DATA, LS_OTHER } ls_language;

/* The mentions of one file: those from `first` to before `end`. */
typedef struct ls_part {
    mt_str file;
    size_t first, end;
} ls_part;

typedef struct ls_view {
    aw_contract contract;    /* its arena holds everything of the view */
    const ct_elaboration *e; /* the contract's; NULL: it could not be read at all */
    ls_text *texts;          /* of e->sources, in their order */
    bool is_whole;           /* every construct could be read */
    bool is_checked;         /* it has a model if it can, and all diagnostics */
    bool is_indexed;
    const fr_mention *mentions; /* in the order of the sources and of their text */
    size_t mention_count;
    struct {
        ls_part *items;
        size_t len, cap;
    } parts;
} ls_view;

typedef struct ls_document {
    mt_str uri, path; /* owned */
    mt_str id;        /* owned: as the provider knows the file, or its path */
    mt_buf text;
    int64_t version;
    ls_language language;
    bool is_dirty;        /* its diagnostics have to be told */
    mt_buf whole;         /* the last text of which every construct could be read */
    ls_view *view, *last; /* of the text; of `whole`, NULL where that is the text */
    /* Of the last view: the files it was made with, as the provider knows them, and
     * whether something may have been missing. */
    mt_arena sources_arena;
    struct {
        mt_str *items;
        size_t len, cap;
    } sources;
    bool had_errors;
    mt_arena lines_arena;
    ls_text lines; /* of the text */
} ls_document;

typedef struct ls_message {
    mt_buf text;
    mt_buf id;       /* of a request, as text, once somebody asked for it */
    bool is_known;   /* `id` is read */
    bool is_dropped; /* a request that was taken back */
} ls_message;

struct ls_server {
    ls_world world;
    mt_provider files; /* open texts first, then the world's */
    const mt_limits *limits;
    mt_buf inbox;     /* bytes that are not yet a message */
    mt_arena scratch; /* for one message */
    ls_units units;
    bool is_initialized, is_shutting_down, has_ended;
    bool has_snippets, has_related, has_create,
        has_resolve;            /* what the editor can do */
    bool has_pull, has_refresh; /* it asks for diagnostics; it can be told to */
    int64_t asked;              /* requests of ours, which are numbered */
    int exit_code;
    struct {
        ls_document **items;
        size_t len, cap;
    } documents;
    struct {
        ls_message *items;
        size_t len, cap, first;
        size_t bytes; /* of the messages that wait */
    } queue;
    struct {
        mt_str *items; /* owned paths of the workspace */
        size_t len, cap;
    } folders;
    const ls_document *recalled; /* whose `whole` is read for its text, or NULL */
    ls_document *noting; /* whose sources are noted as they are found, or NULL */
};

/* One request or notification. */
typedef struct ls_call {
    ls_server *s;
    mt_arena *a; /* until it is answered */
    const mt_json *params;
    mt_jw *w;    /* the result is written here */
    mt_buf *out; /* notifications go here */
    ls_document *doc;
    size_t offset;  /* of `position` */
    ls_range asked; /* of `range`, for those who read it */
    int fault;      /* not 0: refused, with `message` */
    mt_str message;
} ls_call;

enum {
    LS_PARSE_ERROR = -32700,
    LS_INVALID_REQUEST = -32600,
    LS_METHOD_NOT_FOUND = -32601,
    LS_INVALID_PARAMS = -32602,
    LS_INTERNAL_ERROR = -32603,
    LS_NOT_INITIALIZED = -32002,
    LS_REQUEST_FAILED = -32803,
    LS_REQUEST_CANCELLED = -32800
};

/* Answers with an error; nothing that was written counts. */
void ls_refuse(ls_call *c, int code, mt_str message);

/* ---- answer.c: messages out ---- */

/* `id` NULL: nobody knows to whom. */
void ls_answer_error(mt_buf *out, const mt_json *id, int code, mt_str message);
void ls_answer(mt_buf *out, const mt_json *id, const mt_buf *result);

/* ---- documents.c ---- */

ls_document *ls_document_find(const ls_server *s, mt_str uri);
ls_document *ls_document_at(const ls_server *s, mt_str path);
void ls_document_free(ls_document *d);
/* Notifications of the editor. */
void ls_did_open(ls_call *c);
void ls_did_change(ls_call *c);
void ls_did_save(ls_call *c);
void ls_did_close(ls_call *c);
void ls_did_change_files(ls_call *c);
/* The path of file://…; everything else as it is. */
mt_str ls_path_of(mt_arena *a, mt_str uri);
/* Of an open text its own address, else file://… */
mt_str ls_uri_of(const ls_server *s, mt_arena *a, mt_str path);

/* ---- view.c ---- */

mt_provider ls_overlay(ls_server *s);
/* The view of the document's text, made if it is not there: its names and types. */
ls_view *ls_view_of(ls_server *s, ls_document *d);
/* The same with all that `motet check` finds, and the model. */
ls_view *ls_view_checked(ls_server *s, ls_document *d);
/* For a file that need not be open; the caller frees it. */
ls_view *ls_view_new(ls_server *s, mt_str path, bool check);
void ls_view_free(ls_view *v);
/* The last that could be read whole, or the present one. */
ls_view *ls_view_good(ls_server *s, ls_document *d);
/* What a document was made with: nothing; one file more, as the provider knows it
 * (`d` NULL: nobody wants to know). */
void ls_sources_forget(ls_document *d);
void ls_note_source(ls_document *d, mt_str id);
/* Drops the views that were made with the file; the diagnostics of their documents are
 * due. */
void ls_views_forget(ls_server *s, mt_str id);
/* Drops all views. */
void ls_views_rest(ls_server *s);
/* The index, made when it is first asked for. */
void ls_view_index(ls_view *v);
/* Of the file of that path; NULL if the view has none. */
const ls_text *ls_view_text(const ls_view *v, mt_str path);
const fr_file *ls_view_file(const ls_view *v, mt_str path);
/* The name that the offset of the document is at, its end included; NULL if none. */
const fr_mention *ls_mention_at(ls_view *v, mt_str path, size_t offset);
/* The mentions of the file that begin in the range, which stand together. */
const fr_mention *ls_mentions_in(ls_view *v, mt_str path, ls_range r, size_t *count);
/* The construct the offset stands in, NULL: none. */
const fr_construct *ls_construct_at(const ls_view *v, mt_str path, size_t offset);
/* By its name; NULL: there is none. */
const fr_construct *ls_construct_named(const fr_unit *u, fr_kind kind, mt_str name);
/* Bytes of tokens. */
ls_range ls_span_range(const fr_file *f, fr_span span);

/* ---- places.c: reading and writing what every message has ---- */

/* The offset of a position in the text; false: it is not a position. */
bool ls_read_place(const ls_server *s, const ls_text *t, const mt_json *at,
                   size_t *offset);
/* The part of the text that `range` says, or only its first and last line; false: it is
 * not a range, and what is there stays. */
bool ls_read_range(const ls_server *s, const ls_text *t, const mt_json *range,
                   ls_range *out);
bool ls_read_lines(const mt_json *range, uint32_t *first, uint32_t *last);
void ls_write_position(mt_jw *w, const ls_server *s, const ls_text *t, size_t offset);
void ls_write_range(mt_jw *w, const ls_server *s, const ls_text *t, ls_range r);
/* {"range","uri"} of a site in the view. */
void ls_write_location(ls_call *c, const ls_view *v, const fr_site *site);
/* Where the file of the site is not known nothing is written, and it is false. */
bool ls_write_site_range(ls_call *c, const ls_view *v, const fr_site *site);
/* {"newText","range"} */
void ls_write_edit(ls_call *c, const ls_text *t, ls_range r, mt_str text);
/* A hover: words about a range of the text, or (NULL) about the place. */
void ls_write_markdown(ls_call *c, mt_str words, const ls_text *t, const ls_range *r);
static inline ls_range ls_site_range(const fr_site *s)
{
    return (ls_range){s->offset, s->offset + s->length};
}

/* ---- what can be asked ---- */

/* diagnose.c */
void ls_publish(ls_server *s, ls_document *d, mt_buf *out);
void ls_pull_diagnostics(ls_call *c);
/* Where it is told. */
ls_range ls_diag_range(const ls_text *t, const mt_diag *d);
/* mend.c */
void ls_code_actions(ls_call *c);
void ls_data_actions(ls_call *c);
/* mend_scenario.c: the edit of an action that was offered without one */
void ls_resolve_action(ls_call *c);
/* navigate.c */
void ls_definition(ls_call *c);
void ls_references(ls_call *c);
void ls_highlight(ls_call *c);
void ls_implementation(ls_call *c);
void ls_prepare_rename(ls_call *c);
void ls_rename(ls_call *c);
/* symbols.c */
void ls_document_symbols(ls_call *c);
void ls_workspace_symbols(ls_call *c);
void ls_folding(ls_call *c);
void ls_selection(ls_call *c);
void ls_document_links(ls_call *c);
/* tokens.c */
void ls_semantic_tokens(ls_call *c);
void ls_write_token_legend(mt_jw *w);
/* hover.c */
void ls_hover(ls_call *c);
/* Of a code, as `motet help CODE` has it. */
mt_str ls_help_page(mt_arena *a, const ct_code_info *info);
/* hints.c */
void ls_inlay_hints(ls_call *c);
void ls_signature(ls_call *c);
/* layout.c */
void ls_format(ls_call *c);
void ls_format_range(ls_call *c);
void ls_format_on_type(ls_call *c);
/* complete.c */
void ls_complete(ls_call *c);
/* lens.c */
void ls_code_lens(ls_call *c);
void ls_execute_command(ls_call *c);
void ls_picture(ls_call *c);
/* calls.c */
void ls_prepare_calls(ls_call *c);
void ls_incoming_calls(ls_call *c);
void ls_outgoing_calls(ls_call *c);

/* Asks the editor for something, without parameters; nothing waits for the answer. */
void ls_request(ls_server *s, mt_buf *out, const char *name);
/* Sends a notification whose parameters `params` holds. */
void ls_notify(mt_buf *out, const char *name, const mt_buf *params);

#endif
