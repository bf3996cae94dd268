/* host/agent_service.c - an agent served from the store, one message at a time.
 *
 * The state is a document with a version; the agent in memory is a reading of it.
 * ho_agent_service_receive() runs the cycle outside any transaction, since handlers
 * may take long; ho_agent_service_keep() then writes messages and state in the group's
 * transaction if the version is still the one that was read, otherwise MT_E_CONFLICT
 * and the caller begins anew. ho_agent_service_forget() throws the reading away.
 *
 * Messages in and out are documents of their own, in order, so a log can be paged. The
 * trace of the cycle goes into the ledger's record. One thread at a time; the executor
 * sees to it. */
#include "host/agent_service.h"

#include <stdlib.h>

#include "agent/trace.h"
#include "base/form.h"
#include "base/yaml_read.h"
#include "host/agent_triggers.h"
#include "os/file.h"

struct ho_agent_service {
    mt_arena arena; /* the file, all its life */
    mt_str name;
    const char *directory;
    mt_limits limits;
    os_report *report;
    void *report_state;
    ag_file file;
    ho_agent *agent; /* NULL: to be read from the store */
    ho_keep *keep;   /* the agent's */
    mt_arena scratch;
    mt_buf trace, sent;
    mt_str line;  /* received last */
    bool written; /* what it led to, in some transaction */
};

/* ---- opening ---- */

static mt_err read_file(ho_agent_service *s, const char *path, mt_diags *ds,
                        mt_buf *why)
{
    mt_str text;
    mt_json *tree = mt_new(&s->arena, mt_json);
    mt_err err = os_read_file(&s->arena, path, s->limits.yaml_bytes, &text);
    if (err) {
        mt_buf_addf(why, "cannot read %s: %s", path, mt_err_text(err));
        return err;
    }
    err = mt_str_ends(mt_str_z(path), MT_STR(".json"))
              ? mt_json_read(&s->arena, text, NULL, tree, NULL)
              : mt_yaml_read(&s->arena, text, NULL, tree, NULL);
    if (err) {
        mt_buf_addf(why, "%s: %s", path, mt_err_text(err));
        return err;
    }
    err = ho_agent_triggers(&s->arena, path, tree, why);
    return err ? err
               : ag_file_read(&s->arena, mt_str_z(path), text, tree, ds, &s->file);
}

/* An entry of `agents`. */
typedef struct entry {
    const char *file;
} entry;
static const mt_form_row ENTRY[] = {
    MT_FORM_WORD(entry, file, "file", MT_FORM_REQUIRED),
};

/* Programs of the agent are found beside its file. */
static mt_err open_file(ho_agent_service *s, const mt_json *config, mt_buf *why)
{
    entry e = {0};
    mt_form form = {
        .arena = &s->arena, .what = "an agent", .report = mt_form_join, .state = why};
    if (!mt_form_read(&form, config, ENTRY, mt_form_count(ENTRY), &e)) {
        return MT_E_REJECTED;
    }
    mt_str path = mt_str_z(e.file);
    size_t len = path.len - mt_str_basename(path).len;
    s->directory = len ? mt_str_dup(&s->arena, mt_str_from(path.ptr, len)).ptr : ".";
    mt_diags ds = {.arena = &s->arena, .limit = s->limits.diagnostics};
    mt_err err = read_file(s, path.ptr, &ds, why);
    for (size_t i = 0; i < ds.len; i++) {
        mt_buf_addf(why, "%s%.*s", why->len ? "; " : "", MT_ARG(ds.items[i].message));
    }
    return err;
}

mt_err ho_agent_service_open(mt_str name, const mt_json *config,
                             const mt_limits *limits, os_report *report,
                             void *report_state, ho_agent_service **out, mt_buf *why)
{
    ho_agent_service *s = mt_xmalloc(sizeof *s);
    *s = (ho_agent_service){.limits = limits ? *limits : MT_LIMITS_DEFAULT,
                            .report = report,
                            .report_state = report_state};
    s->name = mt_str_dup(&s->arena, name);
    mt_err err = open_file(s, config, why);
    if (err) {
        ho_agent_service_close(s);
        s = NULL;
    }
    *out = s;
    return err;
}

void ho_agent_service_forget(ho_agent_service *s)
{
    ho_agent_free(s->agent); /* its keep goes with it */
    s->agent = NULL;
    s->keep = NULL;
}

void ho_agent_service_close(ho_agent_service *s)
{
    if (s) {
        ho_agent_service_forget(s);
        mt_buf_free(&s->trace);
        mt_buf_free(&s->sent);
        mt_arena_free(&s->scratch);
        mt_arena_free(&s->arena);
        free(s);
    }
}

mt_str ho_agent_service_name(const ho_agent_service *s)
{
    return s->name;
}

/* ---- the stored state ---- */

/* The keep is a store's here, so the agent goes on where any node left it. */
static mt_err start_agent(ho_agent_service *s)
{
    mt_buf why = {0};
    ho_agent_options options = {.file = &s->file,
                                .limits = &s->limits,
                                .directory = s->directory,
                                .keep = s->keep,
                                .report = s->report,
                                .report_state = s->report_state};
    mt_err err = ho_agent_open(&options, &s->agent, &why);
    if (err) {
        s->keep = NULL; /* taken over and closed */
        os_say(s->report, s->report_state, "agent %.*s: %.*s", MT_ARG(s->name),
               MT_ARG(why));
    }
    mt_buf_free(&why);
    return err;
}

static mt_err load_if_needed(ho_agent_service *s, st_store *store)
{
    st_tx *tx;
    if (s->agent) {
        return MT_OK;
    }
    mt_err err = st_begin(store, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = ho_keep_open_store(s->name, tx, &s->keep);
    st_rollback(tx);
    return err ? err : start_agent(s);
}

/* ---- a message ---- */

static size_t count_lines(mt_str lines)
{
    size_t count = 0;
    for (size_t i = 0; i < lines.len; i++) {
        count += lines.ptr[i] == '\n';
    }
    return count;
}

mt_err ho_agent_service_receive(ho_agent_service *s, st_store *store, mt_str line,
                                ho_agent_done *done)
{
    *done = (ho_agent_done){0};
    mt_arena_reset(&s->scratch);
    mt_err err = load_if_needed(s, store);
    if (err) {
        return err;
    }
    ag_actor *actor = ho_agent_actor(s->agent);
    mt_str before = ag_trace_tape(&s->scratch, ag_actor_tape(actor));
    s->line = mt_str_dup(&s->scratch, line);
    s->written = false;
    ho_agent_counts counts = ho_agent_count(s->agent);
    ho_agent_receive(s->agent, line);
    if (ho_agent_count(s->agent).unreadable != counts.unreadable) {
        return MT_E_SYNTAX; /* no cycle ran and nothing changed */
    }
    if (ho_agent_count(s->agent).refused != counts.refused) {
        return MT_E_DENIED; /* nor here */
    }
    mt_buf_clear(&s->trace);
    ag_trace_message(&s->trace, (uint32_t)(ho_keep_messages(s->keep) + 1), before,
                     ag_actor_program(actor), ag_actor_cycle(actor),
                     ag_actor_tape(actor));
    done->trace = mt_str_trim(mt_buf_str(&s->trace), MT_STR("\n"));
    return MT_OK;
}

mt_err ho_agent_service_keep(ho_agent_service *s, st_tx *tx, int64_t now_ms,
                             ho_agent_done *done)
{
    if (s->written) {
        return MT_E_CONFLICT; /* and its transaction failed */
    }
    int64_t number = ho_keep_messages(s->keep);
    mt_err err = ho_keep_store_begin(s->keep, tx, now_ms, s->line);
    if (err) {
        s->written = err != MT_E_CONFLICT;
        return err;
    }
    s->written = true;
    err = ho_agent_commit(s->agent);
    err = err ? err : ho_keep_store_end(s->keep);
    mt_buf_clear(&s->sent);
    mt_buf_adds(&s->sent, ho_agent_unsent(s->agent));
    ho_agent_sent(s->agent, count_lines(mt_buf_str(&s->sent)));
    done->number = number;
    done->sent = mt_buf_str(&s->sent);
    return err;
}

/* ---- reading for others ---- */

mt_err ho_agent_service_tape(const ho_agent_service *s, st_tx *tx, mt_jw *w)
{
    mt_buf state = {0};
    mt_err err = ho_keep_store_state(tx, s->name, &state);
    mt_jw_raw(w, mt_buf_str(&state));
    mt_buf_free(&state);
    return err;
}

mt_err ho_agent_service_log(const ho_agent_service *s, st_tx *tx, st_page page,
                            st_doc_walker *each, void *state)
{
    return ho_keep_store_log(tx, s->name, page, each, state);
}
