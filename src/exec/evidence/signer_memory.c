#include "exec/evidence/signer_memory.h"

#include <errno.h>

#include "os/file.h"

enum { MEMORY_BYTES = 1 << 16 }; /* 65 hashes and a checkpoint are far less */

const char *ex_memory_path(mt_arena *a, const char *given, const char *key_file)
{
    return given ? given : mt_strf(a, "%s.memory", key_file).ptr;
}

/* One line with the checkpoint, one with the chain it ends. Both must verify and
 * agree; a memory that is half right is not one. */
static mt_err parse(mt_arena *a, mt_str text, ex_memory *out)
{
    size_t end = mt_str_find(text, '\n');
    mt_str chain = mt_str_trim(mt_str_skip(text, end + 1), MT_STR("\n"));
    *out = (ex_memory){.has_chain = chain.len != 0};
    mt_err err = lg_checkpoint_read(a, mt_str_from(text.ptr, end), &out->point);
    if (!err && out->has_chain) {
        err = lg_chain_read(chain, out->point.size, &out->chain);
    }
    bool good = !err && lg_checkpoint_verify(&out->point) &&
                (!out->has_chain || lg_chain_agrees(&out->chain, &out->point));
    return good ? MT_OK : MT_E_CORRUPT;
}

mt_err ex_memory_read(mt_arena *a, const char *path, const mt_sign_public *key,
                      ex_memory *out, mt_buf *why)
{
    mt_str text;
    errno = 0;
    mt_err err = os_read_file(a, path, MEMORY_BYTES, &text);
    if (err == MT_E_NOTFOUND) {
        return err;
    }
    if (err) {
        mt_buf_addf(why, "the signer's memory cannot be read: %s",
                    errno ? strerror(errno) : mt_err_text(err));
        return err == MT_E_LIMIT ? MT_E_CORRUPT : err;
    }
    if (parse(a, text, out)) {
        mt_buf_addz(why, "the signer's memory is none, or was changed");
        return MT_E_CORRUPT;
    }
    if (memcmp(out->point.key.bytes, key->bytes, MT_SIGN_PUBLIC) != 0) {
        mt_buf_addz(why, "the signer's memory is another key's");
        return MT_E_CONFLICT;
    }
    return MT_OK;
}

/* errno is kept for who says why. */
static mt_err write_file(const char *path, const ex_memory *m, bool replace)
{
    mt_buf text = {0};
    os_new_file f;
    lg_checkpoint_write(&text, &m->point);
    if (m->has_chain && m->chain.tree.size) {
        lg_chain_write(&text, &m->chain);
        mt_buf_addc(&text, '\n');
    }
    mt_err err = os_new_file_begin(&f, path, 0600);
    err = err ? err : os_new_file_add(&f, mt_buf_str(&text));
    err = os_new_file_end(&f, err, replace);
    int because = errno;
    mt_buf_free(&text);
    errno = because;
    return err;
}

static mt_err say(mt_err err, const char *path, mt_buf *why)
{
    if (err) {
        mt_buf_addf(why,
                    "the signer's memory %s cannot be written: %s (it may have another "
                    "place, outside of the store: --signer-memory)",
                    path, strerror(errno));
    }
    return err;
}

mt_err ex_memory_write(const char *path, const ex_memory *m, mt_buf *why)
{
    return say(write_file(path, m, true), path, why);
}

mt_err ex_memory_begin(const char *path, const ex_memory *m, bool replace, mt_buf *why)
{
    mt_err err = write_file(path, m, replace);
    return err && errno == EEXIST && !replace ? MT_OK : say(err, path, why);
}

ex_memory ex_memory_new(const mt_sign_key *key, mt_str domain)
{
    ex_memory m = {.has_chain = true};
    m.point = lg_chain_checkpoint(&m.chain, domain);
    lg_checkpoint_sign(&m.point, key);
    return m;
}
