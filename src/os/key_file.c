/* os/key_file.c - Ed25519 keys in files: base64 or hexadecimal text, one line.
 *
 * A secret key is written with mode 0600 from its creation and never over a file that
 * is there. Reading one refuses a file that others may read: such a key is no longer
 * secret, and a chmod does not undo that. The check is made on the open descriptor, so
 * the file that was checked is the file that is read.
 *
 * Bytes of a secret are wiped from every buffer they passed through before it is left,
 * also when they turn out not to be a key.
 *
 * What may fail: MT_E_NOTFOUND, MT_E_EXISTS, MT_E_DENIED, MT_E_SYNTAX, MT_E_IO, each
 * with a sentence in `why` that names the path and never the contents. */
#include "os/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/hash.h"
#include "os/file.h"

/* Seeds and public keys have the same size, so they share their spellings. */
_Static_assert((int)MT_SIGN_SEED == (int)MT_SIGN_PUBLIC, "one text form for both");
enum { KEY_BYTES = MT_SIGN_SEED, TEXT_MOST = 2 * KEY_BYTES };

static mt_err say(mt_err err, mt_buf *why, const char *path, const char *what)
{
    mt_buf_addf(why, "%s: %s", path, what);
    return err;
}

/* The system's word for it, in ours. */
static mt_err say_errno(mt_buf *why, const char *path)
{
    mt_err err = errno == EEXIST                       ? MT_E_EXISTS
                 : errno == ENOENT || errno == ENOTDIR ? MT_E_NOTFOUND
                                                       : MT_E_IO;
    return say(err, why, path,
               err == MT_E_EXISTS ? "exists; keys are never replaced"
                                  : strerror(errno));
}

/* ---- writing ---- */

/* The mode is given at creation: there is no moment at which others could look in. */
static mt_err write_new(const char *path, mt_str text, mode_t mode, mt_buf *why)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0) {
        return say_errno(why, path);
    }
    bool ok = fchmod(fd, mode) == 0 && !os_write_all(fd, text) && fsync(fd) == 0;
    int because = errno;
    ok = close(fd) == 0 && ok;
    if (ok) {
        return MT_OK;
    }
    unlink(path);
    errno = because;
    return say_errno(why, path);
}

static mt_err write_base64(const char *path, const unsigned char *bytes, mode_t mode,
                           mt_buf *why)
{
    char text[MT_BASE64_LEN(KEY_BYTES) + 1];
    mt_base64_put(bytes, KEY_BYTES, text);
    mt_err err = write_new(path, mt_str_from(text, sizeof text - 1), mode, why);
    explicit_bzero(text, sizeof text);
    return err;
}

mt_err os_key_write(const char *path, const mt_sign_key *key, mt_buf *why)
{
    return write_base64(path, key->seed, 0600, why);
}

mt_err os_key_create(const char *prefix, mt_sign_public *out, mt_buf *why)
{
    mt_arena a = {0};
    mt_sign_key key;
    mt_str secret = mt_strf(&a, "%s.secret", prefix);
    mt_str open = mt_strf(&a, "%s.pub", prefix);
    mt_sign_generate(&key);
    *out = key.open;
    mt_err err = os_key_write(secret.ptr, &key, why);
    mt_sign_wipe(&key);
    if (!err) {
        err = write_base64(open.ptr, out->bytes, 0644, why);
        if (err) {
            unlink(secret.ptr);
        }
    }
    mt_arena_free(&a);
    return err;
}

/* ---- reading ---- */

/* Reads at most `size` bytes; *len says how many there were. */
static mt_err read_some(int fd, char *to, size_t size, size_t *len)
{
    for (*len = 0; *len < size;) {
        ssize_t got = read(fd, to + *len, size - *len);
        if (got < 0 && errno != EINTR) {
            return MT_E_IO;
        }
        if (got == 0) {
            break;
        }
        *len += got > 0 ? (size_t)got : 0;
    }
    return MT_OK;
}

/* The mode is asked of the open file; the text is wiped whatever it was. */
static mt_err read_open(int fd, const char *path, bool secret, unsigned char *out,
                        mt_buf *why)
{
    struct stat st;
    char text[TEXT_MOST + 2]; /* a newline, and one byte too many */
    size_t len;
    if (fstat(fd, &st) != 0) {
        return say_errno(why, path);
    }
    if (secret && S_ISREG(st.st_mode) && (st.st_mode & 077)) {
        mt_buf_addf(
            why,
            "%s: others may read this secret key (mode %04o); make a new one, or "
            "if nobody did: chmod 600",
            path, (unsigned)(st.st_mode & 07777));
        return MT_E_DENIED;
    }
    if (read_some(fd, text, sizeof text, &len)) {
        return say_errno(why, path);
    }
    /* Seeds are spelled as public keys are. */
    mt_sign_public key;
    bool good = mt_sign_public_read(mt_str_from(text, len), &key);
    memcpy(out, key.bytes, good ? KEY_BYTES : 0);
    explicit_bzero(&key, sizeof key);
    explicit_bzero(text, sizeof text);
    return good ? MT_OK : say(MT_E_SYNTAX, why, path, "holds no key");
}

/* "-" is standard input, which has no mode to be checked. */
static mt_err read_bytes(const char *path, bool secret, unsigned char *out, mt_buf *why)
{
    bool is_input = strcmp(path, "-") == 0;
    int fd = is_input ? STDIN_FILENO : os_open_ready(path);
    if (fd < 0) {
        return say_errno(why, path);
    }
    mt_err err = read_open(fd, path, secret, out, why);
    if (!is_input) {
        close(fd);
    }
    return err;
}

mt_err os_key_read(const char *path, mt_sign_key *out, mt_buf *why)
{
    unsigned char seed[MT_SIGN_SEED];
    mt_err err = read_bytes(path, true, seed, why);
    if (!err) {
        mt_sign_from_seed(seed, out);
    }
    explicit_bzero(seed, sizeof seed);
    return err;
}

mt_err os_key_public(const char *text_or_path, mt_sign_public *out, mt_buf *why)
{
    return mt_sign_public_read(mt_str_z(text_or_path), out)
               ? MT_OK
               : read_bytes(text_or_path, false, out->bytes, why);
}
