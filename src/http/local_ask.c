/* http/local_ask.c - questions about the texts of the page that need the solver.
 *
 * The page sends its files, the contract first, and the question. They are written to a
 * folder of their own that nobody else may look into, `motet ask --json` is run on
 * them, and what it prints is the answer: the same program, so the same words. It has a
 * time, and memory, and is killed beyond either.
 *
 * One question at a time: who asks anew takes the place of who is being answered, which
 * is looked for every LOOK_MS. Stopping the server does the same.
 *
 * Invariants: the folder is gone when the request is answered. Names are checked as
 * those of saved files are, so nothing is written outside it. */
#include "http/local_state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/process.h"

/* END_MS: for ending, once it has answered: much memory is given back slowly. */
enum { LOOK_MS = 50, END_MS = 10000, ANSWER_BYTES = 16 << 20 };

typedef struct text_file {
    mt_str path, text;
} text_file;

typedef struct question {
    const text_file *files;
    uint32_t count;
    mt_str text;
} question;

static const mt_form_row FILE_ROWS[] = {
    MT_FORM_TEXT(text_file, path, "path", MT_FORM_REQUIRED),
    MT_FORM_TEXT(text_file, text, "text", MT_FORM_REQUIRED)};
static const mt_form_table FILE_TABLE =
    MT_FORM_TABLE("a file", FILE_ROWS, text_file, NULL);
static const mt_form_row QUESTION[] = {
    MT_FORM_EACH(question, files, count, "files", &FILE_TABLE, HT_LOCAL_FILES,
                 MT_FORM_REQUIRED),
    MT_FORM_NAME(question, text, "question", HT_LOCAL_QUESTION_BYTES,
                 MT_FORM_REQUIRED)};

/* ---- The folder ---- */

/* Makes, or takes away, the folders on the way to a file. */
static void each_folder(mt_arena *a, const char *root, mt_str path, bool make)
{
    size_t ends[OS_FOLDER_DEPTH], count = 0;
    for (size_t i = 0; i < path.len && count < OS_FOLDER_DEPTH; i++) {
        if (path.ptr[i] == '/') {
            ends[count++] = i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        size_t end = ends[make ? i : count - 1 - i];
        const char *folder = mt_strf(a, "%s/%.*s", root, (int)end, path.ptr).ptr;
        int ignored = make ? mkdir(folder, 0700) : rmdir(folder); /* it may be there */
        (void)ignored;
    }
}

static mt_err write_all(ht_visit *v, const char *root, const question *q)
{
    os_folder folder;
    mt_err err = os_folder_open(&v->arena, root, &folder);
    for (uint32_t i = 0; !err && i < q->count; i++) {
        const text_file *f = &q->files[i];
        if (os_folder_name_fault(f->path)) {
            err = MT_E_USAGE;
        } else {
            each_folder(&v->arena, root, f->path, true);
            err = os_folder_write(&folder, f->path, f->text, true);
        }
    }
    os_folder_close(&folder);
    return err;
}

static void remove_all(ht_visit *v, const char *root, const question *q)
{
    for (uint32_t i = 0; i < q->count; i++) {
        if (!os_folder_name_fault(q->files[i].path)) {
            unlink(mt_strf(&v->arena, "%s/%.*s", root, MT_ARG(q->files[i].path)).ptr);
        }
    }
    for (uint32_t i = 0; i < q->count; i++) {
        if (!os_folder_name_fault(q->files[i].path)) {
            each_folder(&v->arena, root, q->files[i].path, false);
        }
    }
    rmdir(root);
}

/* ---- Running ---- */

static bool is_over(ht_local *s, uint64_t turn)
{
    return atomic_load(&s->turn) != turn || atomic_load(&s->stopping);
}

/* The line it prints. MT_E_TIMEOUT: its time is over; MT_E_BUSY: somebody asked anew.
 */
static mt_err await(ht_local *s, os_child *child, uint64_t turn, mt_str *line)
{
    int64_t end = os_now_ms() + (int64_t)s->o.ask_ms;
    mt_err err = MT_E_TIMEOUT;
    while (err == MT_E_TIMEOUT && os_now_ms() < end) {
        if (is_over(s, turn)) {
            return MT_E_BUSY;
        }
        err = os_child_read_line(child, LOOK_MS, line);
    }
    return err;
}

/* Of a contract that does not hold the program says what is wrong instead. */
static int told(ht_visit *v, int code, mt_str line)
{
    mt_json tree;
    if (mt_json_read(&v->arena, line, NULL, &tree, NULL) ||
        !mt_json_at(&tree, "reply")) {
        return ht_local_problem(v, 422, "refused", "the contract has faults");
    }
    mt_jw w = mt_jw_start(&v->out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "code", code);
    mt_jw_key_str(&w, "text", line);
    mt_jw_end_object(&w);
    return 200;
}

static int refused(ht_visit *v, mt_err err)
{
    return err == MT_E_BUSY
               ? ht_local_problem(v, 409, "asked_anew", "another question was asked")
           : err == MT_E_TIMEOUT
               ? ht_local_problem(v, 504, "too_long",
                                  "it takes longer than %u s; motet studio "
                                  "--ask-seconds gives it more, motet ask all it needs",
                                  v->server->o.ask_ms / 1000)
               : ht_local_problem(v, 500, "failed", "the answer could not be read");
}

/* Exit status 0 and 1 are answers; 2 is a question that was not understood, which the
 * program says on stderr; everything else is its own fault. */
static int finish(ht_visit *v, os_child *child, mt_err err, mt_str line)
{
    int status = 0;
    if (err && err != MT_E_CLOSED) {
        return refused(v, err);
    }
    line = err ? (mt_str){0} : mt_str_dup(&v->arena, line);
    bool ended = os_child_stop(child, END_MS, &status);
    if (ended && status <= 1 && line.len) {
        return told(v, status, line);
    }
    mt_str why = mt_str_trim(os_child_complaint(child), MT_STR("\n"));
    return ended && status <= 2 && why.len
               ? ht_local_problem(v, 422, "refused", "%.*s", MT_ARG(why))
               : ht_local_problem(v, 500, "failed", "motet ask ended early (%d): %.*s",
                                  status, MT_ARG(why));
}

/* `--` before operands: a question is not an option, whatever it begins with. */
static int run(ht_visit *v, const char *root, const question *q, uint64_t turn)
{
    ht_local *s = v->server;
    const char *file = mt_str_dup(&v->arena, q->files[0].path).ptr;
    const char *asked = mt_str_dup(&v->arena, q->text).ptr;
    MT_VEC(const char *) words = {0};
    const char *const before[] = {s->o.program, "ask", "--json", "--color", "never"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        mt_vec_push(&v->arena, &words, before[i]);
    }
    for (size_t i = 0; s->o.limits && s->o.limits[i]; i++) {
        mt_vec_push(&v->arena, &words, "--limit");
        mt_vec_push(&v->arena, &words, s->o.limits[i]);
    }
    mt_vec_push(&v->arena, &words, "--");
    mt_vec_push(&v->arena, &words, file);
    mt_vec_push(&v->arena, &words, asked);
    mt_vec_push(&v->arena, &words, NULL);
    os_child_options o = {.argv = words.items,
                          .directory = root,
                          .max_line = ANSWER_BYTES,
                          .memory = s->o.ask_memory};
    os_child *child;
    mt_str line = {0};
    if (os_child_start(&o, &child)) {
        return ht_local_problem(v, 500, "failed", "%s: %s", s->o.program,
                                strerror(errno));
    }
    mt_err err = await(s, child, turn, &line);
    int status = finish(v, child, err, line);
    os_child_free(child);
    return status;
}

/* The folder's name begins with a dot: it may be inside one that is open. */
static int answer(ht_visit *v, const question *q, uint64_t turn)
{
    const char *place = getenv("TMPDIR");
    char root[PATH_MAX];
    snprintf(root, sizeof root, "%s/.motet-ask-XXXXXX",
             place && *place ? place : P_tmpdir);
    if (is_over(v->server, turn)) {
        return refused(v, MT_E_BUSY);
    }
    if (!mkdtemp(root)) {
        return ht_local_problem(v, 500, "failed", "%s: %s", root, strerror(errno));
    }
    mt_err err = write_all(v, root, q);
    int status =
        err == MT_E_USAGE || err == MT_E_EXISTS || err == MT_E_DENIED
            ? ht_local_problem(v, 422, "refused",
                               "two files have one name, or one that is not "
                               "a name below a folder")
        : err ? ht_local_problem(v, 500, "failed", "%s: %s", root, strerror(errno))
              : run(v, root, q, turn);
    remove_all(v, root, q);
    return status;
}

int ht_local_ask(ht_visit *v)
{
    ht_local *s = v->server;
    question q = {0};
    if (!ht_local_form(v, QUESTION, mt_form_count(QUESTION), &q) || !q.count ||
        memchr(q.text.ptr, '\0', q.text.len)) {
        return ht_local_problem(v, 400, "bad_request",
                                "send {\"files\": [{\"path\": TEXT, \"text\": TEXT}], "
                                "\"question\": TEXT}, the contract first");
    }
    if (!s->o.program) {
        return ht_local_problem(v, 404, "not_found", "no questions are answered here");
    }
    uint64_t turn = atomic_fetch_add(&s->turn, 1) + 1;
    pthread_mutex_lock(&s->asking);
    int status = answer(v, &q, turn);
    pthread_mutex_unlock(&s->asking);
    return status;
}

void ht_local_ask_stop(ht_local *s)
{
    atomic_store(&s->stopping, true);
}
