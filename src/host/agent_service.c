/* host/agent_service.c - see agent_service.h.
 *
 * Order of a message: read the state from the store if it is not here, let the agent
 * hear the line, and keep message, answers and state in one transaction.
 * Invariant: the agent in memory is what the store said at `version`; when another node
 * kept something since, keeping answers MT_E_CONFLICT and the caller forgets the agent.
 * May fail: the store, an agent's file (with a sentence), a state that is not ours
 * (MT_E_CORRUPT). */
#include "host/agent_service.h"

#include <stdlib.h>

#include "agent/trace.h"
#include "base/form.h"
#include "base/yaml_read.h"
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
    int64_t version; /* of the stored state the agent has read; -1: none stored */
    int64_t number;  /* messages stored by then */
    mt_arena scratch;
    mt_buf trace, sent, text;
    mt_str line; /* received last */
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
    return ag_file_read(&s->arena, mt_str_z(path), text, tree, ds, &s->file);
}

/* An entry of `agents`. */
typedef struct entry {
    const char *file;
} entry;
static const mt_form_row ENTRY[] = {
    MT_FORM_WORD(entry, file, "file", MT_FORM_REQUIRED),
};

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
        mt_buf_free(&s->text);
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

/* {"messages":N,"state":S}. */
static mt_err read_state(ho_agent_service *s, const st_doc *doc, mt_buf *state)
{
    mt_json body;
    const mt_json *kept;
    if (mt_json_read(&s->scratch, doc->body, NULL, &body, NULL) ||
        mt_json_i64(mt_json_at(&body, "messages"), &s->number) ||
        !(kept = mt_json_at(&body, "state"))) {
        return MT_E_CORRUPT;
    }
    mt_json_write(state, kept, false);
    s->version = doc->version;
    return MT_OK;
}

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

static mt_err load(ho_agent_service *s, st_tx *tx)
{
    st_doc doc;
    s->version = -1;
    s->number = 0;
    s->keep = ho_keep_open_memory();
    mt_err err = st_doc_get(tx, &s->scratch, MT_STR("agent"), s->name, &doc);
    if (!err) {
        err = read_state(s, &doc, &s->keep->state);
    } else if (err == MT_E_NOTFOUND) {
        err = MT_OK;
    }
    if (err) {
        ho_keep_close(s->keep);
        s->keep = NULL;
        return err;
    }
    return start_agent(s);
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
    err = load(s, tx);
    st_rollback(tx);
    return err;
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
    uint64_t unreadable = ho_agent_count(s->agent).unreadable;
    ho_agent_receive(s->agent, line);
    if (ho_agent_count(s->agent).unreadable != unreadable) {
        return MT_E_SYNTAX; /* no cycle ran and nothing changed */
    }
    mt_buf_clear(&s->trace);
    ag_trace_message(&s->trace, (uint32_t)(s->number + 1), before,
                     ag_actor_program(actor), ag_actor_cycle(actor),
                     ag_actor_tape(actor));
    err = ho_agent_commit(s->agent);
    mt_buf_clear(&s->sent);
    mt_buf_adds(&s->sent, ho_agent_unsent(s->agent));
    ho_agent_sent(s->agent, count_lines(mt_buf_str(&s->sent)));
    done->trace = mt_str_trim(mt_buf_str(&s->trace), MT_STR("\n"));
    done->sent = mt_buf_str(&s->sent);
    return err;
}

static mt_err keep_message(ho_agent_service *s, st_tx *tx, const char *direction,
                           mt_str line, int64_t now_ms)
{
    mt_buf_clear(&s->text);
    mt_jw w = mt_jw_start(&s->text, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "direction", mt_str_z(direction));
    mt_jw_key_str(&w, "line", line);
    mt_jw_key_i64(&w, "number", s->number);
    mt_jw_end_object(&w);
    mt_str id =
        mt_strf(&s->scratch, "%.*s/%012lld", MT_ARG(s->name), (long long)s->number++);
    return st_doc_put(tx, &(st_doc){.kind = MT_STR("agent_message"),
                                    .id = id,
                                    .tag = s->name,
                                    .body = mt_buf_str(&s->text),
                                    .updated_ms = now_ms});
}

static mt_err keep_state(ho_agent_service *s, st_tx *tx, int64_t now_ms)
{
    mt_buf_clear(&s->text);
    mt_buf_addf(&s->text, "{\"messages\":%lld,\"state\":", (long long)s->number);
    mt_buf_adds(&s->text,
                s->keep->state.len ? mt_buf_str(&s->keep->state) : MT_STR("null"));
    mt_buf_addc(&s->text, '}');
    return st_doc_put(tx, &(st_doc){.kind = MT_STR("agent"),
                                    .id = s->name,
                                    .body = mt_buf_str(&s->text),
                                    .version = ++s->version,
                                    .updated_ms = now_ms});
}

/* Has nobody else kept a message since the agent read the state? */
static mt_err check_version(ho_agent_service *s, st_tx *tx)
{
    st_doc doc;
    mt_err err = st_doc_lock(tx, &s->scratch, MT_STR("agent"), s->name, &doc);
    int64_t stored = err == MT_E_NOTFOUND ? -1 : doc.version;
    if (err && err != MT_E_NOTFOUND) {
        return err;
    }
    return stored == s->version ? MT_OK : MT_E_CONFLICT;
}

mt_err ho_agent_service_keep(ho_agent_service *s, st_tx *tx, int64_t now_ms,
                             ho_agent_done *done)
{
    mt_err err = check_version(s, tx);
    if (err) {
        return err;
    }
    done->number = s->number;
    err = keep_message(s, tx, "in", s->line, now_ms);
    mt_str rest = done->sent;
    while (rest.len && !err) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        err = keep_message(s, tx, "out", line, now_ms);
        rest = mt_str_skip(rest, line.len + 1);
    }
    return err ? err : keep_state(s, tx, now_ms);
}

/* ---- reading for others ---- */

mt_err ho_agent_service_tape(const ho_agent_service *s, st_tx *tx, mt_jw *w)
{
    mt_arena a = {0};
    mt_json body;
    st_doc doc;
    mt_err err = st_doc_get(tx, &a, MT_STR("agent"), s->name, &doc);
    if (err == MT_E_NOTFOUND) {
        mt_jw_null(w);
        err = MT_OK;
    } else if (!err && mt_json_read(&a, doc.body, NULL, &body, NULL)) {
        err = MT_E_CORRUPT;
    } else if (!err) {
        mt_jw_json(w, mt_json_at(&body, "state"));
    }
    mt_arena_free(&a);
    return err;
}

mt_err ho_agent_service_log(const ho_agent_service *s, st_tx *tx, st_page page,
                            st_doc_walker *each, void *state)
{
    return st_doc_walk(tx, MT_STR("agent_message"), s->name, page, each, state);
}
