/* cli/fix.c - applies what diagnostics offer.
 *
 * All happens in memory first: the contract is elaborated over texts that stand for its
 * files, the edits that are sure (mt_fix) and the stratum numbers that verdicts need
 * are made, and it is elaborated again, until there is nothing to do or ROUNDS are
 * over: one mended fault can uncover another. Edits that overlap wait for the next
 * round.
 *
 * INVARIANT: a round that leaves more errors than there were is taken back, so a file
 * is never written worse than it was. Files are written whole or not at all
 * (cli_rewrite), each as it was but for its edits; nothing of a file is laid out anew.
 *
 * What may fail: a file that cannot be written; those before it have been. */
#include "cli/fix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/vec.h"
#include "cli/diff_text.h"
#include "contract/elaborate.h"
#include "os/sources.h"

enum { ROUNDS = 8 };

/* A file of the contract: what it was, and what it is to be. Its path is known once
 * something is said about it. */
typedef struct file {
    mt_str id, path, old, new;
    size_t mended, renumbered;
} file;

typedef struct fixer {
    const cli_args *args;
    mt_arena keep; /* of the files */
    mt_limits limits;
    os_sources disk;
    mt_provider below;
    MT_VEC(file) files;
} fixer;

/* ---- texts that stand for files ---- */

static file *find_id(fixer *f, mt_str id)
{
    for (size_t i = 0; i < f->files.len; i++) {
        if (mt_str_eq(f->files.items[i].id, id)) {
            return &f->files.items[i];
        }
    }
    return NULL;
}

/* Names are resolved by the disk's provider: edits change texts, never which files
 * there are. */
static mt_err find_below(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                         mt_str *why)
{
    fixer *f = state;
    return f->below.find(f->below.state, a, dir, path, id, why);
}

/* A file that was read once is never read again: a change on the disk in the middle
 * would make edits of another text. The text that is given counts against the limit as
 * a file would. */
static mt_err read_over(void *state, mt_arena *a, mt_str id, size_t limit, mt_str *text,
                        mt_str *why)
{
    fixer *f = state;
    const file *known = find_id(f, id);
    if (known) {
        *text = known->new;
        return known->new.len > limit ? MT_E_LIMIT : MT_OK;
    }
    mt_err err = f->below.read(f->below.state, a, id, limit, text, why);
    if (!err) {
        mt_str kept = mt_str_dup(&f->keep, *text);
        file new = {.id = mt_str_dup(&f->keep, id), .old = kept, .new = kept};
        mt_vec_push(&f->keep, &f->files, new);
    }
    return err;
}

/* The file that diagnostics call `path`, also of a member that was refused. */
static file *find_path(fixer *f, mt_str path)
{
    mt_str id, why;
    for (size_t i = 0; i < f->files.len; i++) {
        if (mt_str_eq(f->files.items[i].path, path)) {
            return &f->files.items[i];
        }
    }
    if (f->below.find(f->below.state, &f->keep, MT_STR(""), path, &id, &why) != MT_OK) {
        return NULL;
    }
    file *known = find_id(f, id);
    if (known) {
        known->path = mt_str_dup(&f->keep, path);
    }
    return known;
}

/* ---- edits ---- */

typedef struct edit {
    mt_edit edit;
    bool is_stratum;
} edit;

typedef struct edits {
    edit *items;
    size_t len, cap;
} edits;

/* By file, then place, then length: so that edits of one file are together and from
 * left to right. */
static int compare(const void *a, const void *b)
{
    const mt_edit *x = &((const edit *)a)->edit, *y = &((const edit *)b)->edit;
    int order = mt_str_cmp(x->file, y->file);
    if (order) {
        return order;
    }
    if (x->offset != y->offset) {
        return x->offset < y->offset ? -1 : 1;
    }
    return x->length < y->length ? -1 : x->length > y->length;
}

/* Members of a System are contracts of their own, with strata of their own. */
static void add_strata(mt_arena *a, const ct_elaboration *e, edits *out)
{
    const mt_edit *found;
    size_t count = ct_fix_strata(a, e, &found);
    for (size_t i = 0; i < count; i++) {
        mt_vec_push(a, out, ((edit){found[i], true}));
    }
    for (size_t i = 0; i < e->member_count; i++) {
        if (e->members[i].contract) {
            add_strata(a, e->members[i].contract, out);
        }
    }
}

/* Only what is sure: a guess is shown by motet check, and left to the author. */
static edits gather(mt_arena *a, const mt_diags *ds, const ct_elaboration *e)
{
    edits all = {0};
    for (size_t i = 0; i < ds->len; i++) {
        const mt_fix *fix = ds->items[i].fix;
        if (fix && fix->sure) {
            mt_vec_push(a, &all, ((edit){fix->edit, false}));
        }
    }
    add_strata(a, e, &all);
    if (all.len) {
        qsort(all.items, all.len, sizeof *all.items, compare);
    }
    return all;
}

/* Two that begin at one place are not both made: which comes first would be a guess. */
static bool clash(const mt_edit *before, const mt_edit *e)
{
    return e->offset < before->offset + before->length || e->offset == before->offset;
}

/* The edits [first, end) of one file. Edits are in order and do not overlap after
 * clash(), so the new text is made in one pass. A file that cannot be found is left as
 * it is. */
static void apply(fixer *f, const edits *all, size_t first, size_t end)
{
    file *to = find_path(f, all->items[first].edit.file);
    const mt_edit *before = NULL;
    mt_buf out = {0};
    size_t at = 0;
    for (size_t i = first; to && i < end; i++) {
        const mt_edit *e = &all->items[i].edit;
        if (before && clash(before, e)) {
            continue;
        }
        mt_buf_add(&out, to->new.ptr + at, e->offset - at);
        mt_buf_adds(&out, e->text);
        at = e->offset + e->length;
        before = e;
        to->renumbered += all->items[i].is_stratum;
        to->mended += !all->items[i].is_stratum;
    }
    if (to) {
        mt_buf_adds(&out, mt_str_skip(to->new, at));
        to->new = mt_str_dup(&f->keep, mt_buf_str(&out));
    }
    mt_buf_free(&out);
}

static void apply_all(fixer *f, const edits *all)
{
    for (size_t i = 0; i < all->len;) {
        size_t end = i;
        while (end < all->len &&
               mt_str_eq(all->items[end].edit.file, all->items[i].edit.file)) {
            end++;
        }
        apply(f, all, i, end);
        i = end;
    }
}

/* ---- rounds ---- */

/* Elaborates what the files are to be; `made` gets the edits it asks for. Returns how
 * many errors there are: what decides whether a round was any good. */
static size_t look(fixer *f, mt_arena *a, edits *made)
{
    mt_provider over = {f, find_below, read_over};
    ct_options options = {.limits = &f->limits};
    mt_diags ds = {.arena = a, .limit = f->limits.diagnostics};
    const ct_elaboration *e = NULL;
    ct_elaborate(a, mt_str_z(f->args->operands[0]), &over, &options, &ds, &e);
    *made = gather(a, &ds, e);
    return ds.errors;
}

/* What a round may have to take back. */
static file *copied(fixer *f)
{
    file *copy = mt_new_array(&f->keep, file, f->files.len + 1);
    memcpy(copy, f->files.items, f->files.len * sizeof *copy);
    return copy;
}

/* Two arenas take turns: the edits of one round live in the arena of the look before
 * it, while the next look needs one of its own. Files that a round uncovered stay when
 * it is taken back, with the text they have on the disk. */
static void mend(fixer *f)
{
    mt_arena first = {0}, second = {0};
    edits todo;
    size_t errors = look(f, &first, &todo);
    for (int round = 0; round < ROUNDS && todo.len; round++) {
        size_t count = f->files.len;
        const file *before = copied(f);
        apply_all(f, &todo);
        mt_arena_reset(&second);
        size_t left = look(f, &second, &todo);
        if (left > errors) {
            memcpy(f->files.items, before, count * sizeof *before);
            break;
        }
        errors = left;
        mt_arena swap = first;
        first = second;
        second = swap;
    }
    mt_arena_free(&first);
    mt_arena_free(&second);
}

/* ---- what became of it ---- */

static bool is_changed(const file *f)
{
    return !mt_str_eq(f->old, f->new);
}

/* "rules.tenor: 2 faults mended". To standard error, as everything that is not a
 * result. */
static void say(const file *f)
{
    if (f->mended) {
        fprintf(stderr, "%.*s: %zu %s mended\n", MT_ARG(f->path), f->mended,
                f->mended == 1 ? "fault" : "faults");
    }
    if (f->renumbered) {
        fprintf(stderr, "%.*s: %zu %s renumbered\n", MT_ARG(f->path), f->renumbered,
                f->renumbered == 1 ? "stratum" : "strata");
    }
}

/* In the order in which they were read; each is said as soon as it is written. */
static int write_files(fixer *f)
{
    for (size_t i = 0; i < f->files.len; i++) {
        const file *to = &f->files.items[i];
        if (is_changed(to) && cli_rewrite(to->path.ptr, to->new) != MT_OK) {
            return cli_fail(f->args, CLI_WORLD, "cannot write %s: %s", to->path.ptr,
                            strerror(errno));
        }
        if (is_changed(to)) {
            say(to);
        }
    }
    return CLI_HOLDS;
}

static void write_json(mt_buf *out, const fixer *f, mt_str diff)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "changed");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < f->files.len; i++) {
        if (is_changed(&f->files.items[i])) {
            mt_jw_str(&w, f->files.items[i].path);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "diff", diff);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static int show_diff(fixer *f)
{
    mt_buf diff = {0}, out = {0};
    for (size_t i = 0; i < f->files.len; i++) {
        const file *to = &f->files.items[i];
        cli_diff_text(&diff, to->path, to->old, to->new);
    }
    bool json = cli_flag(f->args, "json");
    if (json) {
        write_json(&out, f, mt_buf_str(&diff));
    }
    int code = cli_print(mt_buf_str(json ? &out : &diff));
    code = code ? code : diff.len ? CLI_FAILS : CLI_HOLDS;
    mt_buf_free(&diff);
    mt_buf_free(&out);
    return code;
}

/* The exit status does not say whether faults are left: motet check goes on and tells
 * them. */
int cli_fix(const cli_args *args)
{
    fixer f = {.args = args, .limits = cli_limits(args)};
    f.below = os_sources_provider(&f.disk, &f.limits);
    mend(&f);
    int code = cli_flag(args, "dry-run") ? show_diff(&f) : write_files(&f);
    mt_arena_free(&f.keep);
    return code;
}
