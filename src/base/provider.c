/* base/provider.c - paths as text, and sources that live in memory. */
#include "base/provider.h"

mt_str mt_path_dir(mt_str path)
{
    size_t at = path.len;
    while (at && path.ptr[at - 1] != '/') {
        at--;
    }
    return mt_str_from(path.ptr, at > 1 ? at - 1 : at);
}

/* Removes the last segment written to out[0..len) and returns the new length;
 * `floor` is where removable segments begin. */
static size_t drop_segment(const char *out, size_t len, size_t floor)
{
    while (len > floor && out[len - 1] != '/') {
        len--;
    }
    return len > floor ? len - 1 : len;
}

typedef struct path_builder {
    char *out;
    size_t len;   /* of what is written so far */
    size_t floor; /* nothing before this can be taken back by `..` */
} path_builder;

static void append_segment(path_builder *b, mt_str segment)
{
    if (b->len && b->out[b->len - 1] != '/') {
        b->out[b->len++] = '/';
    }
    memcpy(b->out + b->len, segment.ptr, segment.len);
    b->len += segment.len;
}

/* `..` never climbs over the floor: above the root of an absolute path it means
 * nothing, at the head of a relative one it stays as it is. */
static void add_segment(path_builder *b, mt_str segment, bool absolute)
{
    if (!segment.len || mt_str_is(segment, ".")) {
        return;
    }
    if (!mt_str_is(segment, "..")) {
        append_segment(b, segment);
    } else if (b->len > b->floor) {
        b->len = drop_segment(b->out, b->len, b->floor);
    } else if (!absolute) {
        append_segment(b, segment);
        b->floor = b->len;
    }
}

mt_str mt_path_join(mt_arena *a, mt_str dir, mt_str path)
{
    bool rooted = path.len && path.ptr[0] == '/';
    mt_str parts[2] = {rooted ? MT_STR("") : dir, path};
    bool absolute = rooted || (dir.len && dir.ptr[0] == '/');
    path_builder b = {.out = mt_alloc(a, dir.len + path.len + 3)};
    if (absolute) {
        b.out[b.len++] = '/';
        b.floor = 1;
    }
    for (size_t i = 0; i < 2; i++) {
        mt_str rest = parts[i];
        while (rest.len) {
            size_t end = mt_str_find(rest, '/');
            add_segment(&b, mt_str_from(rest.ptr, end), absolute);
            rest = mt_str_skip(rest, end + 1);
        }
    }
    b.out[b.len] = '\0';
    return mt_str_from(b.out, b.len);
}

static const mt_memory_file *find_memory_file(const mt_memory *m, mt_str id)
{
    for (size_t i = 0; i < m->count; i++) {
        if (mt_str_eq(m->files[i].path, id)) {
            return &m->files[i];
        }
    }
    return NULL;
}

static mt_err memory_find(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                          mt_str *why)
{
    *id = mt_path_join(a, dir, path);
    *why = MT_STR("No such file or directory (os error 2)");
    return find_memory_file(state, *id) ? MT_OK : MT_E_NOTFOUND;
}

/* The words are those of the operating system, because the conformance suite compares
 * them. */
static mt_err memory_read(void *state, mt_arena *a, mt_str id, size_t limit,
                          mt_str *text, mt_str *why)
{
    (void)a;
    const mt_memory_file *file = find_memory_file(state, id);
    if (!file) {
        *why = MT_STR("No such file or directory (os error 2)");
        return MT_E_NOTFOUND;
    }
    if (file->text.len > limit) {
        *why = MT_STR("it is too large");
        return MT_E_LIMIT;
    }
    *text = file->text;
    return MT_OK;
}

mt_provider mt_memory_provider(const mt_memory *files)
{
    /* The callbacks only read; the cast drops a const the interface cannot carry. */
    return (mt_provider){
        .state = (void *)(uintptr_t)files, .find = memory_find, .read = memory_read};
}
