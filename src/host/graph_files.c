/* host/graph_files.c - a graph with everything it needs, from files.
 *
 * Shared objects and manifests first (files, or all of a directory in byte order),
 * since their primitives are known by then; then the graph, which
 * asks for clusters by id while it is loaded, then adapter and egress. A cluster is
 * looked for beside the file that uses it, then in the directories that were given; a
 * file found twice by different names counts once. Ids come from files and must not
 * climb out of these directories.
 *
 * All faults are collected: a broken manifest does not hide a broken adapter; only a
 * shared object that cannot be loaded ends it. The
 * worst error is the answer; ho_graph_files_free() releases what there is, in the
 * order of dependence. */
#include "host/graph_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "host/graph_own.h"
#include "os/file.h"

enum { EGRESS_BYTES = 1 << 20 };

typedef struct search {
    mt_arena *arena; /* texts that live as long as the graph */
    const ho_graph_paths *paths;
    const mt_limits *limits;
} search;

/* The system's word if there is one, else ours. */
static mt_err complain(mt_diags *ds, const char *code, mt_err err, const char *path)
{
    const char *why = errno ? strerror(errno) : mt_err_text(err);
    mt_diag_add(
        ds, &(mt_diag){.severity = MT_ERROR,
                       .code = code,
                       .pass = -1,
                       .file = mt_str_dup(ds->arena, mt_str_z(path)),
                       .message = mt_strf(ds->arena, "cannot read %s: %s", path, why)});
    return err;
}

static mt_err read_text(search *s, mt_diags *ds, const char *path, gr_text *out)
{
    errno = 0;
    out->file = mt_str_dup(s->arena, mt_str_z(path));
    mt_err err = os_read_file(s->arena, path, s->limits->source_bytes, &out->text);
    return err ? complain(ds, "graph.load_failed", err, path) : MT_OK;
}

/* ---- clusters ---- */

typedef MT_VEC(gr_text) texts;
typedef MT_VEC(mt_str) names;

typedef struct hunt {
    search *s;
    mt_arena *a; /* of this hunt */
    mt_str id;
    texts found;
    names places; /* canonical paths of what was found */
    mt_buf trail;
    mt_err err;
} hunt;

static bool seen(const hunt *h, mt_str place)
{
    for (size_t i = 0; i < h->places.len; i++) {
        if (mt_str_eq(h->places.items[i], place)) {
            return true;
        }
    }
    return false;
}

/* Every place that was looked at is in the trail, for the message when nothing was
 * found. */
static void try_file(hunt *h, mt_str directory, const char *between, const char *ending)
{
    mt_str path = mt_strf(h->a, "%.*s%s%.*s%s", MT_ARG(directory), between,
                          MT_ARG(h->id), ending);
    char canonical[PATH_MAX];
    if (h->trail.len) {
        mt_buf_addz(&h->trail, ", ");
    }
    mt_buf_adds(&h->trail, path);
    if (!realpath(path.ptr, canonical) || seen(h, mt_str_z(canonical))) {
        return;
    }
    gr_text text = {.file = mt_str_dup(h->s->arena, path)};
    mt_err err =
        os_read_file(h->s->arena, path.ptr, h->s->limits->source_bytes, &text.text);
    if (err) {
        h->err = h->err ? h->err : err;
        return;
    }
    mt_vec_push(h->a, &h->places, mt_str_dup(h->a, mt_str_z(canonical)));
    mt_vec_push(h->a, &h->found, text);
}

static void try_directory(hunt *h, mt_str directory, bool clusters_too)
{
    static const char *const ENDINGS[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        try_file(h, directory, "/", ENDINGS[i]);
    }
    for (size_t i = 0; clusters_too && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        try_file(h, directory, "/clusters/", ENDINGS[i]);
    }
}

static mt_str directory_of(mt_str file)
{
    size_t name = mt_str_basename(file).len;
    return file.len > name ? mt_str_from(file.ptr, file.len - name - 1) : MT_STR(".");
}

/* An id comes from a file: it must not climb out of the directories we look in. */
static bool plain_name(mt_str id)
{
    return id.len && id.len < 256 && mt_str_find(id, '/') == id.len &&
           mt_str_find(id, '\0') == id.len && id.ptr[0] != '.';
}

/* Beside the file that uses it first, then the directories in the order they were
 * given; all matches count, since versions are chosen among them. */
static mt_err find_cluster(void *user, mt_arena *a, mt_str id, mt_str from,
                           gr_text **found, size_t *count, mt_str *trail)
{
    hunt h = {.s = user, .a = a, .id = id};
    if (plain_name(id)) {
        try_directory(&h, directory_of(from), true);
        for (size_t i = 0; i < h.s->paths->cluster_path_count; i++) {
            mt_str path = mt_str_z(h.s->paths->cluster_paths[i]);
            try_directory(&h, path, !mt_str_is(mt_str_basename(path), "clusters"));
        }
    }
    *found = h.found.items;
    *count = h.found.len;
    *trail = mt_str_dup(a, mt_buf_str(&h.trail));
    mt_buf_free(&h.trail);
    return h.err;
}

/* ---- manifests ---- */

static mt_err add_manifest(search *s, gr_registry *registry, mt_diags *ds,
                           const char *path)
{
    gr_text text;
    mt_err err = read_text(s, ds, path, &text);
    return err ? err : gr_registry_declare(registry, text.file, text.text, ds);
}

static bool is_manifest_name(const struct dirent *entry)
{
    mt_str name = mt_str_z(entry->d_name);
    return entry->d_name[0] != '.' &&
           (mt_str_ends(name, MT_STR(".yaml")) || mt_str_ends(name, MT_STR(".yml")) ||
            mt_str_ends(name, MT_STR(".json")));
}

static int keep_manifest(const struct dirent *entry)
{
    return is_manifest_name(entry);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* alphasort() would ask the locale */
}

/* All manifests of it, in byte order, whatever one of them says. */
static mt_err add_directory(search *s, gr_registry *registry, mt_diags *ds,
                            const char *directory)
{
    struct dirent **entries;
    mt_err worst = MT_OK;
    int count = scandir(directory, &entries, keep_manifest, by_bytes);
    if (count < 0) {
        return complain(ds, "graph.load_failed", MT_E_IO, directory);
    }
    for (int i = 0; i < count; i++) {
        mt_str path = mt_strf(s->arena, "%s/%s", directory, entries[i]->d_name);
        mt_err err = add_manifest(s, registry, ds, path.ptr);
        worst = err ? err : worst;
        free(entries[i]);
    }
    free(entries);
    return worst;
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Those beside the graph come without being asked. */
static mt_err add_beside(search *s, gr_registry *registry, mt_diags *ds)
{
    mt_str beside = mt_strf(s->arena, "%.*s/manifests",
                            MT_ARG(directory_of(mt_str_z(s->paths->graph))));
    return is_directory(beside.ptr) ? add_directory(s, registry, ds, beside.ptr)
                                    : MT_OK;
}

/* Then what was given, files or directories. */
static mt_err add_manifests(search *s, gr_registry *registry, mt_diags *ds)
{
    mt_err worst = s->paths->graph ? add_beside(s, registry, ds) : MT_OK;
    for (size_t i = 0; i < s->paths->manifest_count; i++) {
        const char *path = s->paths->manifests[i];
        mt_err err = is_directory(path) ? add_directory(s, registry, ds, path)
                                        : add_manifest(s, registry, ds, path);
        worst = err ? err : worst;
    }
    return worst;
}

/* ---- shared objects ---- */

static mt_err add_own(search *s, ho_graph_files *out, mt_diags *ds)
{
    const ho_graph_paths *p = s->paths;
    mt_err worst = MT_OK;
    out->own = mt_new_array(&out->arena, ho_own_library *, p->primitive_count);
    for (size_t i = 0; i < p->primitive_count; i++) {
        mt_err err = ho_own_load(p->primitives[i], out->registry, ds, &out->own[i]);
        out->own_count++;
        worst = err ? err : worst;
    }
    return worst;
}

/* ---- everything ---- */

static mt_err read_egress(mt_arena *a, const char *path, mt_diags *ds, ho_egress **out)
{
    mt_str text;
    errno = 0;
    mt_err err = os_read_file(a, path, EGRESS_BYTES, &text);
    return err ? complain(ds, "egress.config_read_failed", err, path)
               : ho_egress_read(mt_str_dup(a, mt_str_z(path)), text, ds, out);
}

mt_err ho_graph_files_load(const ho_graph_paths *paths, const mt_limits *limits,
                           mt_diags *ds, ho_graph_files *out)
{
    *out = (ho_graph_files){.registry = gr_registry_new()};
    search s = {&out->arena, paths, limits ? limits : &MT_LIMITS_DEFAULT};
    gr_text text;
    mt_err err = add_own(&s, out, ds);
    if (err) {
        return err; /* what it should have brought would be missed everywhere */
    }
    mt_err worst = add_manifests(&s, out->registry, ds);
    err = read_text(&s, ds, paths->graph, &text);
    if (!err) {
        gr_finder finder = {&s, find_cluster};
        err = paths->look
                  ? gr_cluster_load(out->registry, text, &finder, s.limits, ds,
                                    &out->graph)
                  : gr_graph_load_set(out->registry, text, &finder, s.limits,
                                      paths->sets, paths->set_count, ds, &out->graph);
    }
    if (!err) {
        out->own_used = ho_own_used(&out->arena, out->graph);
    }
    worst = err ? err : worst;
    if (paths->adapter) {
        err = read_text(&s, ds, paths->adapter, &text);
        err = err ? err : gr_adapter_read(text, ds, &out->adapter);
        worst = err ? err : worst;
    }
    if (paths->egress) {
        err = read_egress(&out->arena, paths->egress, ds, &out->egress);
        worst = worst ? worst : err;
    }
    return worst;
}

mt_err ho_manifest_try(const ho_graph_paths *paths, const mt_limits *limits,
                       mt_diags *ds, ho_graph_files *out)
{
    *out = (ho_graph_files){.registry = gr_registry_new()};
    search s = {&out->arena, paths, limits ? limits : &MT_LIMITS_DEFAULT};
    gr_finder finder = {&s, find_cluster};
    gr_text text;
    mt_err err = add_own(&s, out, ds);
    err = err ? err : read_text(&s, ds, paths->graph, &text);
    mt_err worst = err ? err : gr_manifest_try(out->registry, text, &finder, ds);
    if (paths->adapter) {
        err = read_text(&s, ds, paths->adapter, &text);
        err = err ? err : gr_adapter_read(text, ds, &out->adapter);
        worst = err ? err : worst;
    }
    return worst;
}

mt_err ho_primitives_load(const ho_graph_paths *paths, const mt_limits *limits,
                          mt_diags *ds, ho_graph_files *out)
{
    *out = (ho_graph_files){.registry = gr_registry_new()};
    search s = {&out->arena, paths, limits ? limits : &MT_LIMITS_DEFAULT};
    mt_err err = add_own(&s, out, ds);
    return err ? err : add_manifests(&s, out->registry, ds);
}

void ho_graph_files_free(ho_graph_files *f)
{
    ho_egress_free(f->egress);
    gr_adapter_free(f->adapter);
    gr_graph_free(f->graph);
    gr_registry_free(f->registry);
    for (size_t i = 0; i < f->own_count; i++) {
        ho_own_free(f->own[i]);
    }
    mt_arena_free(&f->arena);
    *f = (ho_graph_files){0};
}
