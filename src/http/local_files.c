/* http/local_files.c - the local Studio's files: listed, read, saved.
 *
 * A file is known by the hash of its bytes, its etag. The page saves with the etag that
 * it read (If-Match), or says that the file is new (If-None-Match: *); where the file
 * on disk is another one, nothing is written. Comparing and writing are one step among
 * requests here; an editor beside us that writes in that very moment is not seen.
 *
 * The page looks every two seconds. So what has the same size, place and times as at
 * the last look is not read again for a list (os/folder.h: marks). What is saved over
 * is always read.
 *
 * Only what was offered is read or replaced; a new file needs a name that would be. */
#include "http/local_state.h"

#include <errno.h>

#include "base/hash.h"
#include "base/utf8.h"

/* A file that is offered, or why it is not. */
typedef struct offer {
    mt_str path, etag;
    const char *why; /* NULL: it is */
    bool gone;       /* it was offered, and is not on disk any more */
    bool settled;    /* what is said of it holds as long as its mark does */
    bool told;       /* its text */
    os_file_mark mark;
} offer;

typedef struct offers {
    offer *items;
    size_t count, left; /* bytes that may still be offered */
    const os_folder_odd *odd;
    size_t odd_count;
    bool cut;
} offers;

/* ---- What is offered ---- */

static const char *reason(mt_err err)
{
    return err == MT_E_LIMIT      ? "is larger than 4 MB"
           : err == MT_E_DENIED   ? "is a link, or not a file"
           : err == MT_E_NOTFOUND ? "is gone"
                                  : "cannot be read";
}

static mt_str etag_of(mt_arena *a, mt_str text)
{
    return mt_sha256_hex(a, mt_sha256_of(text));
}

static mt_err read_text(const ht_local *s, mt_arena *a, offer *o, size_t most,
                        mt_str *text)
{
    mt_err err = os_folder_read(s->o.folder, a, o->path, most, text);
    o->gone = err == MT_E_NOTFOUND;
    o->why = err                                 ? reason(err)
             : mt_utf8_check(*text) != text->len ? "is not UTF-8"
                                                 : NULL;
    return err;
}

/* ORDER: whether the mark is settled is asked before the file is read, so that a change
 * while it is read leaves another mark. */
static void find_out(const ht_local *s, mt_arena *a, offer *o)
{
    mt_arena own = {0};
    mt_str text = {0};
    bool settled = os_file_mark_is_settled(&o->mark);
    mt_err err = read_text(s, &own, o, HT_LOCAL_FILE_BYTES, &text);
    o->settled = !err && settled && text.len == o->mark.size;
    o->mark.size = text.len;
    if (!o->why) {
        o->etag = etag_of(a, text);
    }
    mt_arena_free(&own);
}

static const ht_seen *recall(const ht_local *s, const offer *o, size_t place)
{
    for (size_t i = 0; i < s->seen_count; i++) { /* most often it is where it was */
        const ht_seen *one = &s->seen[(place + i) % s->seen_count];
        if (mt_str_eq(one->path, o->path)) {
            return os_file_mark_eq(&one->mark, &o->mark) ? one : NULL;
        }
    }
    return NULL;
}

static offer look_at(const ht_local *s, mt_arena *a, mt_str path, const offers *all)
{
    offer o = {.path = path};
    mt_err err = os_folder_look(s->o.folder, path, &o.mark);
    const ht_seen *before = err ? NULL : recall(s, &o, all->count);
    o.gone = err == MT_E_NOTFOUND;
    if (err || o.mark.size > HT_LOCAL_FILE_BYTES) {
        o.why = reason(err ? err : MT_E_LIMIT);
    } else if (o.mark.size <= all->left && before) {
        o.settled = true;
        o.why = before->why;
        o.etag = mt_str_dup(a, before->etag);
    } else if (o.mark.size <= all->left) {
        find_out(s, a, &o);
    }
    if (!err && !o.why && o.mark.size > all->left) {
        o.why = "would make it more than 16 MB";
        o.settled = false;
    }
    return o;
}

static offer *find(const offers *all, mt_str path)
{
    for (size_t i = 0; i < all->count; i++) {
        if (mt_str_eq(all->items[i].path, path)) {
            return &all->items[i];
        }
    }
    return NULL;
}

static void offer_all(ht_visit *v, offers *all, const mt_str *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!find(all, paths[i])) {
            offer o = look_at(v->server, &v->arena, paths[i], all);
            all->left -= o.why ? 0 : o.mark.size;
            all->items[all->count++] = o;
        }
    }
}

/* For the next look. */
static void keep(ht_local *s, const offers *all)
{
    mt_arena_reset(&s->seen_arena);
    s->seen = mt_new_array(&s->seen_arena, ht_seen, all->count);
    s->seen_count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const offer *o = &all->items[i];
        if (o->settled) {
            s->seen[s->seen_count++] =
                (ht_seen){.path = mt_str_dup(&s->seen_arena, o->path),
                          .etag = mt_str_dup(&s->seen_arena, o->etag),
                          .why = o->why,
                          .mark = o->mark};
        }
    }
}

static void stay_open(ht_local *s, mt_str path)
{
    pthread_mutex_lock(&s->lock);
    bool known = s->open.len == HT_LOCAL_FILES;
    for (size_t i = 0; i < s->open.len && !known; i++) {
        known = mt_str_eq(s->open.items[i], path);
    }
    if (!known) {
        mt_vec_push(&s->arena, &s->open, mt_str_dup(&s->arena, path));
    }
    pthread_mutex_unlock(&s->lock);
}

/* A copy: files are not looked at under the lock that every request needs. The names
 * themselves stay where they are until the end. */
static os_folder_names still_open(ht_visit *v)
{
    ht_local *s = v->server;
    mt_str *names = mt_new_array(&v->arena, mt_str, HT_LOCAL_FILES);
    pthread_mutex_lock(&s->lock);
    size_t count = s->open.len;
    for (size_t i = 0; i < count; i++) {
        names[i] = s->open.items[i];
    }
    pthread_mutex_unlock(&s->lock);
    return (os_folder_names){.items = names, .count = count};
}

static mt_err look_at_all(ht_visit *v, offers *out)
{
    ht_local *s = v->server;
    os_folder_names names;
    mt_err err = s->o.list(s->o.state, &v->arena, &names);
    if (err) {
        return err;
    }
    for (size_t i = 0; i < names.count && s->o.root.len; i++) {
        stay_open(s, names.items[i]);
    }
    os_folder_names open = still_open(v);
    *out = (offers){.odd = names.odd,
                    .odd_count = names.odd_count,
                    .cut = names.cut,
                    .left = HT_LOCAL_TOTAL_BYTES};
    out->items = mt_new_array(&v->arena, offer, names.count + open.count);
    pthread_mutex_lock(&s->looking);
    offer_all(v, out, names.items, names.count);
    offer_all(v, out, open.items, open.count);
    keep(s, out);
    pthread_mutex_unlock(&s->looking);
    return MT_OK;
}

static int unlisted(ht_visit *v)
{
    return ht_local_problem(v, 503, "unreadable", "the folder cannot be read: %s",
                            strerror(errno));
}

/* ---- Listing and reading ---- */

/* `text`: NULL: without. */
static void tell_file(mt_jw *w, mt_str path, mt_str etag, const mt_str *text)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "etag", etag);
    mt_jw_key_str(w, "path", path);
    if (text) {
        mt_jw_key_str(w, "text", *text);
    }
    mt_jw_end_object(w);
}

static void tell_why(mt_jw *w, mt_str path, const char *why)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "path", path);
    mt_jw_key_str(w, "why", mt_str_z(why));
    mt_jw_end_object(w);
}

/* What is gone is not left out: it is not there. */
static void tell_left_out(mt_jw *w, const offers *all)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].why && !all->items[i].gone) {
            tell_why(w, all->items[i].path, all->items[i].why);
        }
    }
    for (size_t i = 0; i < all->odd_count; i++) {
        tell_why(w, all->odd[i].shown, all->odd[i].fault);
    }
    mt_jw_end_array(w);
}

/* Where drafts of the page belong: another folder, another file, another place. */
static mt_str place_of(ht_visit *v)
{
    const ht_local_options *o = &v->server->o;
    mt_str all =
        mt_strf(&v->arena, "%.*s\n%.*s", MT_ARG(o->folder->path), MT_ARG(o->root));
    return mt_str_from(mt_sha256_hex(&v->arena, mt_sha256_of(all)).ptr, 16);
}

int ht_local_list(ht_visit *v)
{
    const ht_local_options *o = &v->server->o;
    offers all;
    if (look_at_all(v, &all)) {
        return unlisted(v);
    }
    mt_jw w = mt_jw_start(&v->out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_bool(&w, "asks", o->program != NULL);
    mt_jw_key_bool(&w, "cut", all.cut);
    mt_jw_keyz(&w, "files");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < all.count; i++) {
        if (!all.items[i].why) {
            tell_file(&w, all.items[i].path, all.items[i].etag, NULL);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "folder", o->folder->path);
    mt_jw_keyz(&w, "left_out");
    tell_left_out(&w, &all);
    mt_jw_key_str(&w, "place", place_of(v));
    mt_jw_key_str(&w, "root", o->root);
    mt_jw_end_object(&w);
    return 200;
}

typedef struct wanted {
    const mt_str *paths;
    uint32_t count;
} wanted;
static const mt_form_row WANTED[] = {
    MT_FORM_STRS(wanted, paths, count, "paths", HT_LOCAL_FILES, MT_FORM_REQUIRED)};

typedef struct saved {
    mt_str path, text;
} saved;
static const mt_form_row SAVED[] = {
    MT_FORM_TEXT(saved, path, "path", MT_FORM_REQUIRED),
    MT_FORM_TEXT(saved, text, "text", MT_FORM_REQUIRED)};

/* As it is now, not as it was listed. Once: a page that asks twice gets it once. */
static void tell_text(ht_visit *v, mt_jw *w, offer *o, size_t *left)
{
    size_t most = *left < HT_LOCAL_FILE_BYTES ? *left : HT_LOCAL_FILE_BYTES;
    mt_str text;
    if (!o->told && !read_text(v->server, &v->arena, o, most, &text) && !o->why) {
        tell_file(w, o->path, etag_of(&v->arena, text), &text);
        o->told = true;
        *left -= text.len;
    }
}

int ht_local_read(ht_visit *v)
{
    wanted of = {0};
    offers all;
    if (!ht_local_form(v, WANTED, mt_form_count(WANTED), &of)) {
        return ht_local_problem(v, 400, "bad_request", "send {\"paths\": [TEXT, …]}");
    }
    if (look_at_all(v, &all)) {
        return unlisted(v);
    }
    size_t left = HT_LOCAL_TOTAL_BYTES;
    mt_jw w = mt_jw_start(&v->out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "files");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < of.count; i++) {
        offer *o = find(&all, of.paths[i]);
        if (o && !o->why) {
            tell_text(v, &w, o, &left);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_end_object(&w);
    return 200;
}

/* ---- Saving ---- */

static bool has_suffix(mt_str path)
{
    for (const char *const *s = HT_LOCAL_SUFFIXES; *s; s++) {
        if (mt_str_ends(path, mt_str_z(*s))) {
            return true;
        }
    }
    return false;
}

static int refuse_name(ht_visit *v, mt_str path, const char *why)
{
    return ht_local_problem(v, 403, "bad_name", "%.*s %s", MT_ARG(path), why);
}

static int unwritten(ht_visit *v, mt_str path, mt_err err)
{
    int why = errno;
    bool ours = err == MT_E_EXISTS || err == MT_E_NOTFOUND;
    return err == MT_E_DENIED ? refuse_name(v, path, "is, or goes through, a link")
           : err == MT_E_USAGE
               ? refuse_name(v, path, os_folder_name_fault(path))
               : ht_local_problem(v, ours ? 412 : 507, ours ? "changed" : "unwritten",
                                  "%.*s: %s", MT_ARG(path),
                                  err == MT_E_EXISTS ? "is there already"
                                  : err == MT_E_NOTFOUND
                                      ? "the folder, or the file, is "
                                        "not there"
                                      : strerror(why));
}

static bool names_etag(mt_str field, mt_str etag)
{
    return field.len == etag.len + 2 && field.ptr[0] == '"' &&
           field.ptr[field.len - 1] == '"' &&
           mt_str_eq(mt_str_from(field.ptr + 1, etag.len), etag);
}

/* 0: what is on disk is what the page read. */
static int compare(ht_visit *v, mt_str path)
{
    mt_str text;
    mt_err err = os_folder_read(v->server->o.folder, &v->arena, path,
                                HT_LOCAL_FILE_BYTES, &text);
    if (err && err != MT_E_NOTFOUND) {
        return refuse_name(v, path, reason(err));
    }
    return !err && names_etag(v->head.if_match, etag_of(&v->arena, text))
               ? 0
               : ht_local_problem(v, 412, "changed", "%.*s %s", MT_ARG(path),
                                  err ? "is not on disk any more"
                                      : "was changed on disk");
}

/* 0: it may be written. */
static int judge(ht_visit *v, const saved *of, bool *is_new)
{
    offers all;
    const char *fault = os_folder_name_fault(of->path);
    *is_new = mt_str_is(v->head.if_none_match, "*");
    if (fault) {
        return refuse_name(v, of->path, fault);
    }
    if (!has_suffix(of->path)) {
        return refuse_name(v, of->path, "does not end in .tenor, .json, .yaml or .yml");
    }
    if (of->text.len > HT_LOCAL_FILE_BYTES) {
        return ht_local_problem(v, 413, "too_large", "%.*s is larger than 4 MB",
                                MT_ARG(of->path));
    }
    if (!*is_new && !v->head.if_match.ptr) {
        return ht_local_problem(v, 428, "bad_request",
                                "say with If-Match what it was when it was read, or "
                                "that it is new: If-None-Match: *");
    }
    if (*is_new) {
        return still_open(v).count < HT_LOCAL_FILES
                   ? 0
                   : ht_local_problem(v, 413, "too_large", "no more than %d new files",
                                      HT_LOCAL_FILES);
    }
    if (look_at_all(v, &all)) {
        return unlisted(v);
    }
    const offer *o = find(&all, of->path);
    if (!o) {
        return ht_local_problem(v, 412, "changed", "%.*s is not on disk, or not open",
                                MT_ARG(of->path));
    }
    return o->why && !o->gone ? refuse_name(v, of->path, o->why) : compare(v, of->path);
}

static int save(ht_visit *v, const saved *of)
{
    bool is_new;
    int status = judge(v, of, &is_new);
    if (status) {
        return status;
    }
    mt_err err = os_folder_write(v->server->o.folder, of->path, of->text, is_new);
    if (err) {
        return unwritten(v, of->path, err);
    }
    if (is_new) {
        stay_open(v->server, of->path);
    }
    mt_jw w = mt_jw_start(&v->out, false);
    tell_file(&w, of->path, etag_of(&v->arena, of->text), NULL);
    return 200;
}

int ht_local_save(ht_visit *v)
{
    saved of = {0};
    if (!ht_local_form(v, SAVED, mt_form_count(SAVED), &of)) {
        return ht_local_problem(v, 400, "bad_request",
                                "send {\"path\": TEXT, \"text\": TEXT}");
    }
    pthread_mutex_lock(&v->server->write);
    int status = save(v, &of);
    pthread_mutex_unlock(&v->server->write);
    return status;
}
