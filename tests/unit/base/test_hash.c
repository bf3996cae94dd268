/* SHA-256 and hex, against published vectors. */
#include "../rows.h"

#include "base/hash.h"

static const struct row {
    const char *name, *text, *hex;
} ROWS[] = {
    {"hashes nothing", "",
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"hashes abc", "abc",
     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"hashes two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void hashes(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_str text = mt_str_z(r->text);
    assert_text(mt_sha256_hex(&a, mt_sha256_of(text)), mt_str_z(r->hex));
    mt_sha256_stream *s = mt_sha256_stream_new();
    for (int again = 0; again < 2; again++) {
        mt_sha256_start(s);
        for (size_t i = 0; i < text.len; i++) {
            mt_sha256_add(s, mt_str_from(text.ptr + i, 1));
        }
        assert_text(mt_sha256_hex(&a, mt_sha256_end(s)), mt_str_z(r->hex));
    }
    mt_sha256_stream_free(s);
    mt_arena_free(&a);
}

static const struct hex {
    const char *name, *text;
    bool ok;
} HEXES[] = {
    {"reads both cases", "00ffAbcD", true},
    {"refuses a short text", "00ffAbc", false},
    {"refuses a long text", "00ffAbcD0", false},
    {"refuses a bad high digit", "00ffgbcD", false},
    {"refuses a bad low digit", "00ffAbc ", false},
    {"refuses a sign", "00ff-1cD", false},
};

static void reads_hex(void **state)
{
    const struct hex *r = *state;
    unsigned char bytes[4];
    assert_int_equal(mt_unhex(mt_str_z(r->text), bytes, 4), r->ok);
    if (r->ok) {
        char text[8];
        mt_hex(bytes, 4, text);
        assert_text(mt_str_from(text, 8), MT_STR("00ffabcd"));
    }
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, hashes);
    rows_add(&list, HEXES, reads_hex);
    return rows_run(&list, "base/hash");
}
