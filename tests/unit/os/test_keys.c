/* Secrets, keys, programs that sign, and contract sources: what is read, and what is
 * said of the rest. */
#include "../rows.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/hash.h"
#include "os/file.h"
#include "os/key_file.h"
#include "os/secret.h"
#include "os/sign_command.h"
#include "os/sources.h"

static char directory[64];
static mt_arena arena;

static const char *in_directory(const char *name)
{
    return mt_strf(&arena, "%s/%s", directory, name).ptr;
}

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/motet-keys-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    mt_arena_free(&arena);
    return rmdir(directory);
}

static void write_file(const char *name, mt_str text, unsigned mode)
{
    assert_int_equal(os_write_file(in_directory(name), text, mode), MT_OK);
}

/* ---- Secrets ---- */

static const struct secret_row {
    const char *name, *text; /* NULL: there is no file */
    unsigned mode;
    const char *secret, *wrong; /* one of them */
} SECRETS[] = {
    {"a secret", "s3cret", 0600, "s3cret", NULL},
    {"line ends behind a secret", "a b\r\n\n", 0600, "a b", NULL},
    {"a secret that its group may read", "x", 0640, "x", NULL},
    {"one that its group may change", "x", 0660, NULL,
     "can be read or changed by others: chmod 600"},
    {"one that others may read", "x", 0604, NULL,
     "can be read or changed by others: chmod 600"},
    {"one that others may change", "x", 0602, NULL,
     "can be read or changed by others: chmod 600"},
    {"none", "", 0600, NULL, "is empty or has control characters"},
    {"line ends alone", "\n\r", 0600, NULL, "is empty or has control characters"},
    {"two lines", "a\nb", 0600, NULL, "is empty or has control characters"},
    {"a tab", "a\tb", 0600, NULL, "is empty or has control characters"},
    {"what deletes", "a\x7f", 0600, NULL, "is empty or has control characters"},
    {"no file", NULL, 0, NULL, "cannot be read"},
};

static void a_secret_is_read(void **state)
{
    const struct secret_row *r = *state;
    mt_str secret = {0};
    if (r->text) {
        write_file("s", mt_str_z(r->text), r->mode);
    }
    const char *why = os_secret_read(&arena, NULL, in_directory("s"), &secret);
    assert_string_equal(why ? why : "", r->wrong ? r->wrong : "");
    if (!why) {
        assert_text(secret, mt_str_z(r->secret));
    }
    unlink(in_directory("s"));
    if (r->text) { /* the same from the environment, where nothing is taken off */
        setenv("MOTET_TEST_SECRET", r->text, 1);
        why = os_secret_read(&arena, "MOTET_TEST_SECRET", NULL, &secret);
        bool clean = r->text[0] && !strpbrk(r->text, "\r\n\t\x7f");
        assert_string_equal(why ? why : "",
                            clean ? "" : "is empty or has control characters");
        assert_true(!clean || mt_str_eq(secret, mt_str_z(r->text)));
    }
}

static void a_secret_has_a_length_and_a_place(void **state)
{
    static char text[16 * 1024 + 1];
    mt_str secret = {0};
    (void)state;
    memset(text, 'a', sizeof text);
    write_file("s", mt_str_from(text, sizeof text - 1), 0600);
    assert_null(os_secret_read(&arena, NULL, in_directory("s"), &secret));
    assert_int_equal(secret.len, sizeof text - 1);
    write_file("s", mt_str_from(text, sizeof text), 0600);
    assert_string_equal(os_secret_read(&arena, NULL, in_directory("s"), &secret),
                        "cannot be read or is too long");
    assert_int_equal(unlink(in_directory("s")), 0);
    assert_string_equal(os_secret_read(&arena, NULL, directory, &secret),
                        "cannot be read");
    unsetenv("MOTET_TEST_SECRET");
    assert_string_equal(os_secret_read(&arena, "MOTET_TEST_SECRET", NULL, &secret),
                        "is not set");
    assert_null(os_secret_exposed(in_directory("none")));
}

/* ---- Keys ---- */

static void says(const char *name, const char *want, mt_buf *why)
{
    assert_text(mt_buf_str(why), mt_strf(&arena, "%s: %s", in_directory(name), want));
    mt_buf_clear(why);
}

static void keys_are_made_once_and_read_by_nobody_else(void **state)
{
    mt_sign_public open, again;
    mt_sign_key key;
    mt_buf why = {0};
    mt_str text;
    struct stat st;
    (void)state;
    assert_int_equal(os_key_create(in_directory("k"), &open, &why), MT_OK);
    assert_int_equal(stat(in_directory("k.secret"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(in_directory("k.pub"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    assert_int_equal(os_key_read(in_directory("k.secret"), &key, &why), MT_OK);
    assert_memory_equal(&key.open, &open, sizeof open);
    assert_int_equal(os_key_public(in_directory("k.pub"), &again, &why), MT_OK);
    assert_memory_equal(&again, &open, sizeof open);
    /* As hexadecimal text with a line end, in a file or as a word. */
    char hex[2 * MT_SIGN_SEED + 3] = {0};
    mt_hex(key.seed, MT_SIGN_SEED, hex);
    hex[2 * MT_SIGN_SEED] = '\n';
    write_file("h", mt_str_z(hex), 0400);
    assert_int_equal(os_key_read(in_directory("h"), &key, &why), MT_OK);
    assert_memory_equal(&key.open, &open, sizeof open);
    hex[2 * MT_SIGN_SEED + 1] = '\n'; /* one byte too many */
    write_file("h", mt_str_z(hex), 0600);
    assert_int_equal(os_key_read(in_directory("h"), &key, &why), MT_E_SYNTAX);
    says("h", "holds no key", &why);
    mt_hex(open.bytes, MT_SIGN_PUBLIC, hex);
    hex[2 * MT_SIGN_PUBLIC] = '\0';
    assert_int_equal(os_key_public(hex, &again, &why), MT_OK);
    assert_memory_equal(&again, &open, sizeof open);
    assert_int_equal(why.len, 0);

    assert_int_equal(os_key_create(in_directory("k"), &again, &why), MT_E_EXISTS);
    says("k.secret", "exists; keys are never replaced", &why);
    assert_int_equal(unlink(in_directory("k.secret")), 0);
    assert_int_equal(os_key_create(in_directory("k"), &again, &why), MT_E_EXISTS);
    says("k.pub", "exists; keys are never replaced", &why);
    assert_int_equal(access(in_directory("k.secret"), F_OK), -1); /* nothing is left */
    assert_int_equal(os_read_file(&arena, in_directory("k.pub"), 100, &text), MT_OK);
    assert_true(mt_sign_public_read(text, &again));
    assert_memory_equal(&again, &open, sizeof open);
    assert_int_equal(os_key_create(in_directory("no/k"), &again, &why), MT_E_NOTFOUND);
    says("no/k.secret", "No such file or directory", &why);
    assert_int_equal(os_key_read(in_directory("k.pub/x"), &key, &why), MT_E_NOTFOUND);
    says("k.pub/x", "Not a directory", &why);
    assert_int_equal(os_key_read(in_directory("k.pub"), &key, &why), MT_E_DENIED);
    says("k.pub",
         "others may read this secret key (mode 0644); make a new one, or if nobody "
         "did: chmod 600",
         &why);
    assert_int_equal(chmod(in_directory("k.pub"), 0610), 0);
    assert_int_equal(os_key_read(in_directory("k.pub"), &key, &why), MT_E_DENIED);
    mt_buf_clear(&why);
    assert_int_equal(os_key_read(directory, &key, &why), MT_E_IO);
    assert_int_equal(unlink(in_directory("k.pub")) | unlink(in_directory("h")), 0);
    mt_buf_free(&why);
}

/* ---- Programs that sign ---- */

/* %B: the signature in base64, %H: in hexadecimal. */
static const struct sign_row {
    const char *name, *script, *wrong; /* NULL: it signs */
    unsigned timeout_ms;
} SIGNERS[] = {
    {"base64", "cat >/dev/null; printf %B", NULL, 5000},
    {"base64 and a line end", "cat >/dev/null; echo %B", NULL, 5000},
    {"hexadecimal", "cat >/dev/null; echo; printf ' %H\\r\\n'", NULL, 5000},
    {"without reading", "printf %H", NULL, 5000},
    {"something else", "cat >/dev/null; printf x%H",
     "sh gave something else than a signature of 64 bytes", 5000},
    {"nothing", "cat >/dev/null", "sh gave something else than a signature of 64 bytes",
     5000},
    {"of something else",
     "cat >/dev/null; printf %H | sed 's/^./0/; s/.$/0/; s/^0000/1111/'",
     "sh gave a signature that is not by the public key", 5000},
    {"too much in a line", "head -c 5000 /dev/zero",
     "sh gave an answer that is too long", 5000},
    {"too many lines", "yes | head -c 5000", "sh gave an answer that is too long",
     5000},
    {"a failure without words", "cat >/dev/null; printf %B; exit 3",
     "sh ended with status 3", 5000},
    {"a failure with its last words",
     "echo first >&2; printf 'last \\n\\n' >&2; exit 1", "sh ended with status 1: last",
     5000},
    {"too late", "cat >/dev/null; sleep 60", "sh did not sign within 20 ms", 20},
    {"too late in its end", "cat >/dev/null; printf %B; exec >&-; sleep 60",
     "sh did not sign within 20 ms", 20},
};

static const char *script_of(const char *text, const mt_signature *s)
{
    char hex[2 * MT_SIGN_BYTES + 1] = {0}, base64[MT_BASE64_LEN(MT_SIGN_BYTES) + 1];
    mt_hex(s->bytes, MT_SIGN_BYTES, hex);
    mt_base64_put(s->bytes, MT_SIGN_BYTES, base64);
    base64[MT_BASE64_LEN(MT_SIGN_BYTES)] = '\0';
    const char *at = strchr(text, '%');
    return at ? mt_strf(&arena, "%.*s%s%s", (int)(at - text), text,
                        at[1] == 'H' ? hex : base64, at + 2)
                    .ptr
              : text;
}

static void a_program_signs(void **state)
{
    const struct sign_row *r = *state;
    unsigned char seed[MT_SIGN_SEED] = {7};
    mt_sign_key key, elsewhere;
    mt_sign_from_seed(seed, &key);
    mt_signature good = mt_sign(&key, MT_STR("message")), none = {{0}};
    const char *const argv[] = {"sh", "-c", script_of(r->script, &good), NULL};
    os_sign_command *c = os_sign_command_new(argv, r->timeout_ms, &key.open);
    os_sign_command_key(c, &elsewhere);
    mt_signature got = mt_sign(&elsewhere, MT_STR("message"));
    mt_buf why = {0};
    os_sign_command_why(c, &why);
    assert_text(mt_buf_str(&why), mt_str_z(r->wrong ? r->wrong : ""));
    assert_memory_equal(&got, r->wrong ? &none : &good, sizeof got);
    mt_buf_free(&why);
    os_sign_command_free(c);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    (void)state;
    unsigned char seed[MT_SIGN_SEED] = {7};
    mt_sign_key key, elsewhere;
    mt_sign_from_seed(seed, &key);
    const char *const argv[] = {"/nowhere/signer", NULL};
    os_sign_command *c = os_sign_command_new(argv, 1000, &key.open);
    os_sign_command_key(c, &elsewhere);
    (void)mt_sign(&elsewhere, MT_STR("m"));
    mt_buf why = {0};
    os_sign_command_why(c, &why);
    assert_text(mt_buf_str(&why),
                MT_STR("/nowhere/signer cannot be started: No such file or directory"));
    mt_buf_free(&why);
    os_sign_command_free(c);
    os_sign_command_free(NULL);
}

/* ---- Contract sources ---- */

static mt_err find(mt_provider *p, const char *dir, const char *path, mt_str *id,
                   mt_str *why)
{
    return p->find(p->state, &arena, mt_str_z(dir), mt_str_z(path), id, why);
}

static void sources_are_read_within_two_limits(void **state)
{
    mt_limits limits = MT_LIMITS_DEFAULT;
    os_sources s = {0};
    mt_str id, text, why;
    (void)state;
    limits.source_total_bytes = 7;
    mt_provider p = os_sources_provider(&s, &limits);
    write_file("a", MT_STR("abcd"), 0600);
    assert_int_equal(symlink("a", in_directory("link")), 0);
    assert_int_equal(find(&p, directory, "link", &id, &why), MT_OK);
    assert_text(id, mt_str_z(in_directory("a")));
    assert_int_equal(find(&p, "/nowhere", in_directory("a"), &id, &why), MT_OK);
    assert_int_equal(p.read(p.state, &arena, id, 3, &text, &why), MT_E_LIMIT);
    assert_text(why, MT_STR("more than 3 bytes (limit source_bytes)"));
    assert_int_equal(p.read(p.state, &arena, id, 4, &text, &why), MT_OK);
    assert_text(text, MT_STR("abcd"));
    assert_int_equal(s.bytes_left, 3);
    assert_int_equal(p.read(p.state, &arena, id, 3, &text, &why), MT_E_LIMIT);
    assert_text(why, MT_STR("more than 3 bytes (limit source_bytes)"));
    assert_int_equal(p.read(p.state, &arena, id, 4, &text, &why), MT_E_LIMIT);
    assert_text(why, MT_STR("more than 3 bytes left for all sources (limit "
                            "source_total_bytes)"));
    assert_int_equal(s.failure, MT_OK);
    assert_int_equal(
        p.read(p.state, &arena, mt_str_z(in_directory("link")), 9, &text, &why),
        MT_E_NOTFOUND);
    assert_text(why, MT_STR("Too many levels of symbolic links (os error 40)"));
    assert_int_equal(s.failure, MT_E_NOTFOUND);
    assert_int_equal(find(&p, directory, "b", &id, &why), MT_E_NOTFOUND);
    assert_text(why, MT_STR("No such file or directory (os error 2)"));
    assert_int_equal(find(&p, directory, "a/b", &id, &why), MT_E_NOTFOUND);
    assert_text(why, MT_STR("Not a directory (os error 20)"));
    assert_int_equal(
        p.find(p.state, &arena, mt_str_z(directory), MT_STR("a\0b"), &id, &why),
        MT_E_NOTFOUND);
    assert_int_equal(find(&p, "", directory, &id, &why), MT_OK);
    assert_int_equal(p.read(p.state, &arena, id, 9, &text, &why), MT_E_IO);
    assert_text(why, MT_STR("Is a directory (os error 21)"));
    assert_int_equal(mkfifo(in_directory("f"), 0600), 0);
    assert_int_equal(find(&p, directory, "f", &id, &why), MT_OK);
    assert_int_equal(p.read(p.state, &arena, id, 9, &text, &why), MT_E_IO);
    assert_text(why, MT_STR("Invalid argument (os error 22)"));
    assert_int_equal(unlink(in_directory("f")) | unlink(in_directory("a")) |
                         unlink(in_directory("link")),
                     0);
}

static void a_source_may_be_the_standard_input(void **state)
{
    os_sources s = {.standard_input = MT_STR("fact")};
    mt_str id, text, why;
    (void)state;
    mt_provider p = os_sources_provider(&s, NULL);
    assert_int_equal(s.bytes_left, MT_LIMITS_DEFAULT.source_total_bytes);
    assert_int_equal(find(&p, "", OS_STDIN_NAME, &id, &why), MT_OK);
    assert_true(mt_str_ends(id, MT_STR("/" OS_STDIN_NAME)));
    assert_int_equal(p.read(p.state, &arena, id, 4, &text, &why), MT_OK);
    assert_text(text, MT_STR("fact"));
    assert_int_equal(p.read(p.state, &arena, id, 3, &text, &why), MT_E_LIMIT);
    assert_text(why, MT_STR("more than 3 bytes (limit source_bytes)"));
    assert_int_equal(find(&p, directory, OS_STDIN_NAME, &id, &why), MT_E_NOTFOUND);
    s.standard_input = (mt_str){0};
    assert_int_equal(find(&p, "", OS_STDIN_NAME, &id, &why), MT_E_NOTFOUND);
}

int main(void)
{
    rows_list list = {.count = 0};
    signal(SIGPIPE, SIG_IGN);
    rows_add(&list, SECRETS, a_secret_is_read);
    rows_test(&list, a_secret_has_a_length_and_a_place);
    rows_test(&list, keys_are_made_once_and_read_by_nobody_else);
    rows_add(&list, SIGNERS, a_program_signs);
    rows_test(&list, a_program_that_is_not_there_is_named);
    rows_test(&list, sources_are_read_within_two_limits);
    rows_test(&list, a_source_may_be_the_standard_input);
    return _cmocka_run_group_tests("os/keys", list.tests, list.count, make_directory,
                                   remove_directory);
}
