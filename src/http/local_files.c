/* http/local_files.c - the local Studio's files: listed, read, saved.
 *
 * A file is known by the hash of its bytes, its etag. The page saves with the etag that
 * it read (If-Match), or says that the file is new (If-None-Match: *); where the file
 * on disk is another one, nothing is written. Comparing and writing are one step among
 * requests here; an editor beside us that writes in that very moment is not seen.
 *
 * Only what was offered is read or replaced; a new file needs a name that would be. */
#include "http/local_state.h"

#include <errno.h>

#include "base/hash.h"
#include "base/utf8.h"

/* A file that is offered, or why it is not. */
typedef struct offer {
    mt_str path, text, etag;
    const char *why; /* NULL: it is */
    bool gone;       /* it was offered, and is not on disk any more */
} offer;

typedef struct offers {
    offer *items;
    size_t count, left; /* bytes that may still be offered */
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

static offer look_at(mt_arena *a, const os_folder *folder, mt_str path, size_t left)
{
    offer o = {.path = path};
    mt_err err = os_folder_read(folder, a, path, HT_LOCAL_FILE_BYTES, &o.text);
    o.gone = err == MT_E_NOTFOUND;
    o.why = err                                   ? reason(err)
            : mt_utf8_check(o.text) != o.text.len ? "is not UTF-8"
            : o.text.len > left                   ? "would make it more than 16 MB"
                                                  : NULL;
    if (!o.why) {
        o.etag = mt_sha256_hex(a, mt_sha256_of(o.text));
    }
    return o;
}

static const offer *find(const offers *all, mt_str path)
{
    for (size_t i = 0; i < all->count; i++) {
        if (mt_str_eq(all->items[i].path, path)) {
            return &all->items[i];
        }
    }
    return NULL;
}

static void offer_one(const ht_visit *v, offers *all, mt_str path, mt_arena *a)
{
    if (!find(all, path)) {
        offer o = look_at(a, v->server->o.folder, path, all->left);
        all->left -= o.why ? 0 : o.text.len;
        all->items[all->count++] = o;
    }
}

/* What the page made itself is its own, though nothing may import it yet. */
static mt_err look_at_all(ht_visit *v, offers *out)
{
    ht_local *s = v->server;
    os_folder_names names;
    mt_err err = s->o.list(s->o.state, &v->arena, &names);
    if (err) {
        return err;
    }
    *out = (offers){.cut = names.cut, .left = HT_LOCAL_TOTAL_BYTES};
    out->items = mt_new_array(&v->arena, offer, names.count + HT_LOCAL_FILES);
    for (size_t i = 0; i < names.count; i++) {
        offer_one(v, out, names.items[i], &v->arena);
    }
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->made.len; i++) {
        offer_one(v, out, s->made.items[i], &v->arena);
    }
    pthread_mutex_unlock(&s->lock);
    return MT_OK;
}

static void remember_made(ht_local *s, mt_str path)
{
    pthread_mutex_lock(&s->lock);
    mt_vec_push(&s->arena, &s->made, mt_str_dup(&s->arena, path));
    pthread_mutex_unlock(&s->lock);
}

static int unlisted(ht_visit *v)
{
    return ht_local_problem(v, 503, "unreadable", "the folder cannot be read: %s",
                            strerror(errno));
}

/* ---- Listing and reading ---- */

static void tell_file(mt_jw *w, const offer *o, bool with_text)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "etag", o->etag);
    mt_jw_key_str(w, "path", o->path);
    if (with_text) {
        mt_jw_key_str(w, "text", o->text);
    }
    mt_jw_end_object(w);
}

static void tell_left_out(mt_jw *w, const offer *o)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "path", o->path);
    mt_jw_key_str(w, "why", mt_str_z(o->why));
    mt_jw_end_object(w);
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
            tell_file(&w, &all.items[i], false);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "folder", o->folder->path);
    mt_jw_keyz(&w, "left_out");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].why) {
            tell_left_out(&w, &all.items[i]);
        }
    }
    mt_jw_end_array(&w);
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
    mt_jw w = mt_jw_start(&v->out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "files");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < of.count; i++) {
        const offer *o = find(&all, of.paths[i]);
        if (o && !o->why) {
            tell_file(&w, o, true);
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

/* The etag of what is on disk now; empty: nothing is. */
static int changed(ht_visit *v, mt_str path, const offer *o)
{
    return ht_local_problem(v, 412, "changed", "%.*s %s", MT_ARG(path),
                            o ? "was changed on disk" : "is not on disk any more");
}

static bool names_etag(mt_str field, mt_str etag)
{
    return field.len == etag.len + 2 && field.ptr[0] == '"' &&
           field.ptr[field.len - 1] == '"' &&
           mt_str_eq(mt_str_from(field.ptr + 1, etag.len), etag);
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
        return v->server->made.len < HT_LOCAL_FILES
                   ? 0
                   : ht_local_problem(v, 413, "too_large", "no more than %d new files",
                                      HT_LOCAL_FILES);
    }
    if (look_at_all(v, &all)) {
        return unlisted(v);
    }
    const offer *o = find(&all, of->path);
    if (o && o->why && !o->gone) {
        return refuse_name(v, of->path, o->why);
    }
    return o && names_etag(v->head.if_match, o->etag) ? 0 : changed(v, of->path, o);
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
        remember_made(v->server, of->path);
    }
    offer now = {.path = of->path,
                 .etag = mt_sha256_hex(&v->arena, mt_sha256_of(of->text))};
    mt_jw w = mt_jw_start(&v->out, false);
    tell_file(&w, &now, false);
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
