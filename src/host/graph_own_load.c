/* host/graph_own_load.c - shared objects of a user's primitives.
 *
 * In this order: the file is opened, its owner and mode are looked at by the open
 * descriptor, it is read, hashed, copied into sealed memory and loaded from there. So
 * what was judged, what the digest says and what runs are the same bytes, and a file
 * that is overwritten while a server runs harms nobody. Then its one symbol is found,
 * its version compared, and each manifest registered by the rules that hold for all.
 *
 * May fail: the file, the loader (its words are passed on), the version, a manifest. */
#include "host/graph_own.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/vec.h"
#include "os/file.h"

enum { LIBRARY_BYTES = 64 << 20, PRIMITIVES_MOST = 10000 };
#define SYMBOL    "motet_own"
#define COPY_ROOM 40 /* "/proc/self/fd/" and a number */

struct ho_own_library {
    void *handle;
    int copy; /* its bytes; open as long as it is loaded, since that is its name */
    char digest[MT_SHA256_HEX];
};

/* ---- the file ---- */

static mt_err complain(mt_diags *ds, const char *path, mt_err err, mt_str why,
                       const char *hint)
{
    mt_diag_add(ds, &(mt_diag){.severity = MT_ERROR,
                               .code = "primitives.load_failed",
                               .pass = -1,
                               .file = mt_str_dup(ds->arena, mt_str_z(path)),
                               .message = why,
                               .hint = mt_str_z(hint)});
    return err;
}

static mt_err cannot_read(mt_diags *ds, const char *path, mt_err err)
{
    const char *why = errno ? strerror(errno) : mt_err_text(err);
    return complain(ds, path, err, mt_strf(ds->arena, "cannot read %s: %s", path, why),
                    "");
}

/* Code runs with our rights, so only we and root may have written it. */
static mt_err judge_owner(int fd, const char *path, mt_diags *ds)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return cannot_read(ds, path, MT_E_IO);
    }
    if (!S_ISREG(st.st_mode)) {
        return complain(ds, path, MT_E_REJECTED,
                        mt_strf(ds->arena, "%s is not a file", path), "");
    }
    if (st.st_uid != 0 && st.st_uid != geteuid()) {
        return complain(ds, path, MT_E_DENIED,
                        mt_strf(ds->arena,
                                "%s belongs to user %u: its code would run with the "
                                "rights of user %u",
                                path, (unsigned)st.st_uid, (unsigned)geteuid()),
                        "give it to the user that runs it, or to root");
    }
    if (st.st_mode & (S_IWGRP | S_IWOTH)) {
        return complain(ds, path, MT_E_DENIED,
                        mt_strf(ds->arena, "others than its owner may write %s", path),
                        "chmod go-w, and build it with such an umask");
    }
    return MT_OK;
}

static mt_err read_library(mt_arena *a, const char *path, mt_diags *ds, mt_str *bytes)
{
    errno = 0;
    /* A pipe must not make us wait: it is refused a moment later. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return cannot_read(ds, path, errno == ENOENT ? MT_E_NOTFOUND : MT_E_IO);
    }
    mt_err err = judge_owner(fd, path, ds);
    if (!err && (err = os_read_open(a, fd, LIBRARY_BYTES, bytes))) {
        err = cannot_read(ds, path, err);
    }
    close(fd);
    return err;
}

/* Is every part of it there that the loader maps? It trusts that, and would fall over
 * a file whose copying broke off. */
static bool is_whole(mt_str bytes)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    if (bytes.len < sizeof head || memcmp(bytes.ptr, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    memcpy(&head, bytes.ptr, sizeof head);
    for (size_t i = 0; i < head.e_phnum; i++) {
        size_t at = i * sizeof part;
        if (head.e_phentsize != sizeof part || head.e_phoff > bytes.len ||
            bytes.len - head.e_phoff < at + sizeof part) {
            return false;
        }
        memcpy(&part, bytes.ptr + head.e_phoff + at, sizeof part);
        if (part.p_type == PT_LOAD &&
            (part.p_offset > bytes.len || bytes.len - part.p_offset < part.p_filesz)) {
            return false;
        }
    }
    return true;
}

/* ---- the library ---- */

static const char *copy_name(int copy, char room[static COPY_ROOM])
{
    snprintf(room, COPY_ROOM, "/proc/self/fd/%d", copy);
    return room;
}

/* Memory that looks like a file and cannot be written any more; -1 and errno. */
static int sealed_copy(mt_str bytes)
{
    int fd = memfd_create("motet-primitives", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        return -1;
    }
    if (os_write_all(fd, bytes) ||
        fcntl(fd, F_ADD_SEALS,
              F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

/* What the loader says begins with the name of the copy, which tells nobody anything.
 */
static mt_str loader_words(const char *name)
{
    mt_str said = mt_str_z(dlerror());
    return mt_str_starts(said, mt_str_z(name)) ? mt_str_skip(said, strlen(name) + 2)
                                               : said;
}

/* Constructors of a library that was built for speed alone may change how the
 * processor computes (-ffast-math): that is put back. */
static void *load_copy(const char *name)
{
    fenv_t before;
    fegetenv(&before);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    fesetenv(&before);
    return handle;
}

static mt_err open_library(mt_str bytes, const char *path, mt_diags *ds,
                           ho_own_library *l)
{
    char name[COPY_ROOM];
    mt_sha256 digest = mt_sha256_of(bytes);
    if (!is_whole(bytes)) {
        return complain(
            ds, path, MT_E_REJECTED,
            mt_strf(ds->arena, "%s is not a whole shared object of this machine", path),
            "build it again with cc -shared -fPIC");
    }
    mt_hex(digest.bytes, MT_SHA256_BYTES, l->digest);
    l->copy = sealed_copy(bytes);
    if (l->copy < 0) {
        return complain(ds, path, MT_E_IO,
                        mt_strf(ds->arena, "cannot load %s: %s", path, strerror(errno)),
                        "");
    }
    l->handle = load_copy(copy_name(l->copy, name));
    if (!l->handle) {
        mt_str said = loader_words(name);
        return complain(
            ds, path, MT_E_REJECTED,
            mt_strf(ds->arena, "cannot load %s: %.*s", path, MT_ARG(said)),
            "build it with cc -shared -fPIC; it may use motet_call_*() of motet.h");
    }
    return MT_OK;
}

static mt_err find_table(const ho_own_library *l, const char *path, mt_diags *ds,
                         const motet_own_library **out)
{
    const motet_own_library *table = dlsym(l->handle, SYMBOL);
    *out = table;
    if (!table) {
        return complain(ds, path, MT_E_REJECTED,
                        mt_strf(ds->arena,
                                "%s has no primitives: it does not define %s", path,
                                SYMBOL),
                        "end the source with MOTET_OWN_PRIMITIVES(list)");
    }
    if (table->abi != MOTET_OWN_ABI) {
        return complain(ds, path, MT_E_VERSION,
                        mt_strf(ds->arena,
                                "%s was built for version %u of the interface; "
                                "this program has version %u",
                                path, table->abi, MOTET_OWN_ABI),
                        "build it again with this program's motet.h");
    }
    if (!table->count || table->count > PRIMITIVES_MOST || !table->primitives) {
        return complain(ds, path, MT_E_REJECTED,
                        mt_strf(ds->arena, "%s has %u primitives; 1 to %d are allowed",
                                path, table->count, PRIMITIVES_MOST),
                        "");
    }
    return MT_OK;
}

/* All faults are told; `added` counts those that are registered and so need the
 * library. */
static mt_err register_all(const ho_own_library *l, const motet_own_library *table,
                           const char *path, gr_registry *registry, mt_diags *ds,
                           size_t *added)
{
    mt_err worst = MT_OK;
    for (uint32_t i = 0; i < table->count; i++) {
        const motet_own_primitive *p = &table->primitives[i];
        ho_own_function *f = mt_new(&registry->arena, ho_own_function);
        *f = (ho_own_function){p->run, p->user, l};
        mt_str place = mt_strf(ds->arena, "%s[%u]", path, i);
        mt_err err = gr_registry_add(registry, place, mt_str_z(p->manifest),
                                     p->run ? ho_own_run : NULL, f, ds);
        *added += !err;
        worst = err ? err : worst;
    }
    return worst;
}

mt_err ho_own_load(const char *path, gr_registry *registry, mt_diags *ds,
                   ho_own_library **out)
{
    mt_arena a = {0};
    mt_str bytes;
    const motet_own_library *table;
    size_t added = 0;
    ho_own_library *l = mt_xmalloc(sizeof *l);
    *l = (ho_own_library){.copy = -1};
    mt_err err = read_library(&a, path, ds, &bytes);
    err = err ? err : open_library(bytes, path, ds, l);
    err = err ? err : find_table(l, path, ds, &table);
    err = err ? err : register_all(l, table, path, registry, ds, &added);
    if (!added) {
        ho_own_free(l);
        l = NULL;
    }
    *out = l;
    mt_arena_free(&a);
    return err;
}

/* A library that cannot be unloaded keeps its name, so that no other gets it: the
 * loader would take that for the same. */
static void close_copy(const ho_own_library *l)
{
    char name[COPY_ROOM];
    void *still =
        l->handle ? dlopen(copy_name(l->copy, name), RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (still) {
        dlclose(still);
    } else {
        close(l->copy);
    }
}

void ho_own_free(ho_own_library *l)
{
    if (!l) {
        return;
    }
    if (l->handle) {
        dlclose(l->handle);
    }
    if (l->copy >= 0) {
        close_copy(l);
    }
    free(l);
}

/* ---- which of them a graph uses ---- */

typedef MT_VEC(mt_str) digests;

static const ho_own_library *library_of(const gr_primitive *p)
{
    return p->run == ho_own_run ? ((const ho_own_function *)p->user)->library : NULL;
}

static bool has(const digests *list, mt_str digest)
{
    for (size_t i = 0; i < list->len; i++) {
        if (mt_str_eq(list->items[i], digest)) {
            return true;
        }
    }
    return false;
}

static int by_digest(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

mt_str ho_own_used(mt_arena *a, const gr_graph *g)
{
    digests list = {0};
    mt_str text = {0};
    for (uint32_t i = 0; i < g->node_count; i++) {
        const ho_own_library *l = library_of(g->nodes[i].primitive);
        if (l && !has(&list, mt_str_from(l->digest, sizeof l->digest))) {
            mt_vec_push(a, &list, mt_str_from(l->digest, sizeof l->digest));
        }
    }
    if (list.len) {
        qsort(list.items, list.len, sizeof *list.items, by_digest);
    }
    for (size_t i = 0; i < list.len; i++) {
        text = mt_strf(a, "%.*s%ssha256:%.*s", MT_ARG(text), i ? " " : "",
                       MT_ARG(list.items[i]));
    }
    return text;
}
