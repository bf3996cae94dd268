/* exec/evidence/witness.c - see witness.h.
 *
 * Order of an answer: read the request, decide by what was seen, write the new head to
 * the file, only then sign. A head that is seen already is signed again without
 * writing: the file has it.
 *
 * INVARIANT: the file has every head that was ever signed, or a later one of the same
 * log. Memory follows the file: a head is taken over when it is on the disk.
 * May fail: the file; then the answer is 500 and nothing was signed. */
#include "exec/evidence/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/form.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "os/file.h"

/* EX_WITNESS_LOGS lines of a few hundred bytes fit. */
enum { STATE_BYTES = 1 << 20, CONFLICT_BYTES = 1 << 20 };

struct ex_witness {
    ex_witness_options o;
    mt_arena arena;
    MT_VEC(lg_head) seen;
    int lock; /* descriptor of FILE.lock, or -1 */
};

/* ---- The file ---- */

static void write_line(mt_buf *out, const lg_head *h)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "origin", h->origin);
    mt_jw_key_hex(&w, "root", h->root.bytes, MT_SHA256_BYTES);
    mt_jw_key_i64(&w, "size", (int64_t)h->size);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* With `next` in the place of what was seen of its log; NULL: as it is. */
static mt_err write_state(const ex_witness *w, const lg_head *next)
{
    mt_buf text = {0};
    mt_jw j = mt_jw_start(&text, false);
    mt_jw_begin_object(&j);
    mt_jw_key_hex(&j, "key", w->o.key->open.bytes, MT_SIGN_PUBLIC);
    mt_jw_key_i64(&j, "witness", 1);
    mt_jw_end_object(&j);
    mt_buf_addc(&text, '\n');
    for (size_t i = 0; i < w->seen.len; i++) {
        if (!next || !mt_str_eq(w->seen.items[i].origin, next->origin)) {
            write_line(&text, &w->seen.items[i]);
        }
    }
    if (next) {
        write_line(&text, next);
    }
    mt_err err = os_write_file(w->o.state, mt_buf_str(&text), 0600);
    /* Freeing may change errno, and callers tell it. */
    int because = errno;
    mt_buf_free(&text);
    errno = because;
    return err;
}

typedef struct line {
    mt_str origin, root, key;
    int64_t size, witness;
} line;

static const mt_form_row HEAD_ROWS[] = {
    MT_FORM_TEXT(line, origin, "origin", MT_FORM_REQUIRED),
    MT_FORM_TEXT(line, root, "root", MT_FORM_REQUIRED),
    MT_FORM_INT(line, size, "size", 0, INT64_MAX, MT_FORM_REQUIRED),
};
static const mt_form_row FIRST_ROWS[] = {
    MT_FORM_TEXT(line, key, "key", MT_FORM_REQUIRED),
    MT_FORM_INT(line, witness, "witness", 1, 1, MT_FORM_REQUIRED),
};

static bool read_line(mt_arena *a, mt_str text, const mt_form_row *rows, size_t count,
                      line *out)
{
    mt_json tree;
    mt_form form = {.arena = a, .what = "a line"};
    *out = (line){0};
    return !mt_json_read(a, text, NULL, &tree, NULL) &&
           mt_form_read(&form, &tree, rows, count, out);
}

static const lg_head *seen_of(const ex_witness *w, mt_str origin)
{
    for (size_t i = 0; i < w->seen.len; i++) {
        if (mt_str_eq(w->seen.items[i].origin, origin)) {
            return &w->seen.items[i];
        }
    }
    return NULL;
}

static bool take_head(ex_witness *w, mt_str text)
{
    line l;
    lg_head h;
    if (!read_line(&w->arena, text, HEAD_ROWS, mt_form_count(HEAD_ROWS), &l) ||
        /* Two lines about one log: which of them was signed last cannot be told. */
        !lg_name_is_good(l.origin) || seen_of(w, l.origin) ||
        !mt_unhex_lower(l.root, h.root.bytes, MT_SHA256_BYTES)) {
        return false;
    }
    h.origin = mt_str_dup(&w->arena, l.origin);
    h.size = (uint64_t)l.size;
    mt_vec_push(&w->arena, &w->seen, h);
    return true;
}

/* A file that is half right is not one. */
static mt_err parse_state(ex_witness *w, mt_str text, mt_buf *why)
{
    mt_str next;
    line first;
    mt_sign_public key;
    bool good =
        lg_line_take(&text, &next) &&
        read_line(&w->arena, next, FIRST_ROWS, mt_form_count(FIRST_ROWS), &first) &&
        mt_unhex_lower(first.key, key.bytes, MT_SIGN_PUBLIC);
    if (good && memcmp(key.bytes, w->o.key->open.bytes, MT_SIGN_PUBLIC) != 0) {
        mt_buf_addf(why, "%s is what another key has seen", w->o.state);
        return MT_E_CONFLICT;
    }
    while (good && text.len) {
        good = lg_line_take(&text, &next) && take_head(w, next);
    }
    if (!good) {
        mt_buf_addf(why, "%s is not the file of a witness, or was changed", w->o.state);
    }
    return good ? MT_OK : MT_E_CORRUPT;
}

static mt_err read_state(ex_witness *w, mt_buf *why)
{
    mt_str text;
    errno = 0;
    mt_err err = os_read_file(&w->arena, w->o.state, STATE_BYTES, &text);
    if (!err) {
        return parse_state(w, text, why);
    }
    if (err == MT_E_NOTFOUND) {
        mt_buf_addf(why,
                    "%s is not there: a witness that has forgotten could sign a second "
                    "history; --new begins with a file of its own",
                    w->o.state);
    } else {
        mt_buf_addf(why, "%s cannot be read: %s", w->o.state,
                    errno ? strerror(errno) : mt_err_text(err));
    }
    return err;
}

static mt_err begin_state(ex_witness *w, mt_buf *why)
{
    /* --new must not forget what was signed. The lock is held, so nobody else can
     * begin it between this look and the writing. */
    if (access(w->o.state, F_OK) == 0) {
        mt_buf_addf(why, "%s is there already: a witness goes on from it without --new",
                    w->o.state);
        return MT_E_EXISTS;
    }
    mt_err err = write_state(w, NULL);
    if (err) {
        mt_buf_addf(why, "%s cannot be written: %s", w->o.state, strerror(errno));
    }
    return err;
}

/* The file itself is replaced with every head, so the lock is another one. */
static mt_err lock_state(ex_witness *w, mt_buf *why)
{
    mt_str path = mt_strf(&w->arena, "%s.lock", w->o.state);
    w->lock = open(path.ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (w->lock < 0) {
        mt_buf_addf(why, "%s cannot be opened: %s", path.ptr, strerror(errno));
        return MT_E_IO;
    }
    if (!os_lock(w->lock)) {
        mt_buf_addf(why, "another process is the witness with %s", w->o.state);
        return MT_E_BUSY;
    }
    return MT_OK;
}

mt_err ex_witness_open(const ex_witness_options *options, ex_witness **out, mt_buf *why)
{
    ex_witness *w = mt_xmalloc(sizeof *w);
    *w = (ex_witness){.o = *options, .lock = -1};
    mt_err err = lock_state(w, why);
    err = err ? err : options->is_new ? begin_state(w, why) : read_state(w, why);
    if (err) {
        ex_witness_close(w);
        return err;
    }
    *out = w;
    return MT_OK;
}

void ex_witness_close(ex_witness *w)
{
    if (!w) {
        return;
    }
    if (w->lock >= 0) {
        close(w->lock);
    }
    mt_arena_free(&w->arena);
    free(w);
}

/* ---- Answers ---- */

/* Two signed heads that do not fit together are what others have to see. Bounded: who
 * has the log's key could fill the disk. */
static void keep_conflict(const ex_witness *w, const lg_witness_request *r, mt_str body)
{
    mt_arena a = {0};
    struct stat there;
    mt_str path = mt_strf(&a, "%s.conflicts", w->o.state);
    const lg_head *seen = seen_of(w, r->note.head.origin);
    int fd = open(path.ptr, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && !fstat(fd, &there) && there.st_size < CONFLICT_BYTES) {
        mt_buf text = {0};
        mt_buf_addz(&text, "seen: ");
        write_line(&text, seen);
        mt_buf_adds(&text, body);
        mt_buf_addc(&text, '\n');
        (void)os_write_all(fd, mt_buf_str(&text));
        mt_buf_free(&text);
    }
    if (fd >= 0) {
        close(fd);
    }
    mt_arena_free(&a);
}

static void take_over(ex_witness *w, const lg_head *next)
{
    for (size_t i = 0; i < w->seen.len; i++) {
        lg_head *h = &w->seen.items[i];
        if (mt_str_eq(h->origin, next->origin)) {
            h->size = next->size;
            h->root = next->root;
            return;
        }
    }
    lg_head h = *next;
    h.origin = mt_str_dup(&w->arena, next->origin);
    mt_vec_push(&w->arena, &w->seen, h);
}

/* Nothing is signed that is not on the disk. */
static int remember(ex_witness *w, const lg_head *next, mt_buf *why)
{
    const lg_head *seen = seen_of(w, next->origin);
    /* The same size has the same root, or it would have been refused. */
    if (seen && seen->size == next->size) {
        return LG_COSIGN;
    }
    if (write_state(w, next)) {
        mt_buf_addf(why, "%s cannot be written: %s", w->o.state, strerror(errno));
        return 500;
    }
    take_over(w, next);
    return LG_COSIGN;
}

static void write_answer(const ex_witness *w, const lg_witness_request *r, int status,
                         int64_t now, mt_buf *answer, const char *sentence)
{
    const lg_head *seen = seen_of(w, r->note.head.origin);
    if (status == LG_COSIGN) {
        lg_note_cosign(answer, w->o.name, r->note.text, now, w->o.key);
    } else if (status == LG_CONFLICT) {
        mt_buf_add_u64(answer, seen ? seen->size : 0);
        mt_buf_addc(answer, '\n');
    } else {
        mt_buf_addf(answer, "%s\n", sentence);
    }
}

int ex_witness_answer(ex_witness *w, mt_str body, int64_t now, mt_buf *answer,
                      mt_buf *why)
{
    lg_witness_request r;
    const char *sentence = NULL;
    if (lg_witness_request_read(body, &r)) {
        sentence = "this is not a request of c2sp.org/tlog-witness";
        mt_buf_addz(why, sentence);
        mt_buf_addf(answer, "%s\n", sentence);
        return LG_BAD_REQUEST;
    }
    const lg_head *seen = seen_of(w, r.note.head.origin);
    lg_verdict verdict =
        lg_witness_decide(&r, w->o.logs, w->o.log_count, seen, &sentence);
    if (seen && lg_witness_suspects(&r, verdict, seen)) {
        keep_conflict(w, &r, body);
    }
    mt_buf_addz(why, sentence ? sentence : "");
    int status = verdict == LG_COSIGN ? remember(w, &r.note.head, why) : (int)verdict;
    write_answer(w, &r, status, now, answer,
                 status == 500 ? "the witness cannot remember, and so signs nothing"
                               : sentence);
    return status;
}

const char *ex_witness_type(int status)
{
    return status == LG_CONFLICT ? "text/x.tlog.size" : "text/plain; charset=utf-8";
}

void ex_witness_show(const ex_witness *w, mt_buf *out)
{
    mt_arena a = {0};
    lg_head *all = mt_new_array(&a, lg_head, w->seen.len + 1);
    if (w->seen.len) {
        memcpy(all, w->seen.items, w->seen.len * sizeof *all);
        mt_sort_by(all, w->seen.len, origin);
    }
    for (size_t i = 0; i < w->seen.len; i++) {
        mt_buf_addf(out, "%.*s %llu\n", MT_ARG(all[i].origin),
                    (unsigned long long)all[i].size);
    }
    mt_arena_free(&a);
}
