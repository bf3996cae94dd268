/* ledger/note.c - see note.h.
 *
 * Order: names and keys, heads, then signature lines. Reading is strict: one spelling
 * for one value (decimal without leading zeros, padded base64, lower-case hex), UTF-8
 * without control characters, nothing before or behind. So whatever was read is written
 * back with the same bytes.
 *
 * A line of a key that nobody asked for is checked for its form and not decoded
 * further: other algorithms may stand there. A line whose name and id are those of a
 * known key must verify, or the note does not count.
 *
 * Nothing allocates but the buffers of the caller and one for what a witness signs.
 * May fail: only by MT_E_SYNTAX. */
#include "ledger/note.h"

#include "base/base64.h"
#include "base/utf8.h"

#define DASH        "\xE2\x80\x94 " /* an em dash and a space begin a signature line */
#define COSIGNATURE "cosignature/v1"

enum { ID_BYTES = 4, TIME_BYTES = 8 };

/* ---- Names ---- */

/* The property White_Space of Unicode. */
static bool is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

static bool is_plain(uint32_t c)
{
    return c >= 0x20 && c != 0x7F && c != '+' && !is_space(c);
}

bool lg_name_is_good(mt_str name)
{
    if (!name.len || name.len > LG_NAME_BYTES || mt_utf8_check(name) != name.len ||
        /* A head begins with its origin. With these a note could be taken for a
         * checkpoint in JSON, or for what a witness signs. */
        name.ptr[0] == '{' || mt_str_is(name, COSIGNATURE)) {
        return false;
    }
    for (size_t at = 0, len; at < name.len; at += len) {
        if (!is_plain(mt_utf8_decode(name.ptr + at, &len))) {
            return false;
        }
    }
    return true;
}

/* ---- Keys ---- */

static uint32_t id_of(mt_str name, lg_key_type type, const mt_sign_public *key)
{
    /* C2SP signed-note: SHA-256(name || 0x0A || type || key), its first four bytes. */
    char rest[2 + MT_SIGN_PUBLIC] = {'\n', (char)type};
    memcpy(rest + 2, key->bytes, MT_SIGN_PUBLIC);
    mt_sha256 h = mt_sha256_of_two(name, mt_str_from(rest, sizeof rest));
    return (uint32_t)h.bytes[0] << 24 | (uint32_t)h.bytes[1] << 16 |
           (uint32_t)h.bytes[2] << 8 | h.bytes[3];
}

mt_str lg_made_name(const mt_sha256 *first, char out[LG_MADE_NAME])
{
    static const char BEFORE[] = "motet-ledger/";
    memcpy(out, BEFORE, sizeof BEFORE - 1);
    mt_hex(first->bytes, 16, out + sizeof BEFORE - 1);
    return mt_str_from(out, LG_MADE_NAME);
}

uint32_t lg_note_key_id(const lg_note_key *key)
{
    return id_of(key->name, key->type, &key->key);
}

static void put_big_endian(unsigned char *out, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i--; value >>= 8) {
        out[i] = (unsigned char)(value & 0xFF);
    }
}

static uint64_t big_endian(const unsigned char *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value = value << 8 | in[i];
    }
    return value;
}

static void add_base64(mt_buf *out, const unsigned char *bytes, size_t count)
{
    char text[MT_BASE64_LEN(ID_BYTES + TIME_BYTES + MT_SIGN_BYTES) + 1];
    MT_ASSERT(MT_BASE64_LEN(count) < sizeof text);
    mt_base64_put(bytes, count, text);
    mt_buf_addz(out, text);
}

void lg_note_key_write(mt_buf *out, const lg_note_key *key)
{
    unsigned char id[ID_BYTES], bytes[1 + MT_SIGN_PUBLIC] = {(unsigned char)key->type};
    put_big_endian(id, lg_note_key_id(key), sizeof id);
    memcpy(bytes + 1, key->key.bytes, MT_SIGN_PUBLIC);
    mt_buf_adds(out, key->name);
    mt_buf_addc(out, '+');
    mt_buf_add_hex(out, id, sizeof id);
    mt_buf_addc(out, '+');
    add_base64(out, bytes, sizeof bytes);
}

/* The parts of NAME+ID+KEY; base64 may have a plus of its own, a name may not. */
mt_err lg_note_key_read(mt_str text, lg_note_key *out)
{
    unsigned char id[ID_BYTES], bytes[1 + MT_SIGN_PUBLIC];
    size_t name = mt_str_find(text, '+');
    mt_str rest = mt_str_skip(text, name + 1);
    size_t hex = mt_str_find(rest, '+');
    *out = (lg_note_key){.name = mt_str_from(text.ptr, name)};
    if (!lg_name_is_good(out->name) ||
        !mt_unhex_lower(mt_str_from(rest.ptr, hex), id, sizeof id) ||
        !mt_unbase64(mt_str_skip(rest, hex + 1), bytes, sizeof bytes) ||
        (bytes[0] != LG_LOG_KEY && bytes[0] != LG_WITNESS_KEY)) {
        return MT_E_SYNTAX;
    }
    out->type = (lg_key_type)bytes[0];
    memcpy(out->key.bytes, bytes + 1, MT_SIGN_PUBLIC);
    return big_endian(id, sizeof id) == lg_note_key_id(out) ? MT_OK : MT_E_SYNTAX;
}

/* ---- Heads ---- */

void lg_head_write(mt_buf *out, const lg_head *head)
{
    mt_buf_adds(out, head->origin);
    mt_buf_addc(out, '\n');
    mt_buf_add_u64(out, head->size);
    mt_buf_addc(out, '\n');
    add_base64(out, head->root.bytes, MT_SHA256_BYTES);
    mt_buf_addc(out, '\n');
}

bool lg_line_take(mt_str *rest, mt_str *line)
{
    size_t end = mt_str_find(*rest, '\n');
    bool whole = end < rest->len;
    *line = mt_str_from(rest->ptr, end);
    *rest = mt_str_skip(*rest, end + 1);
    return whole;
}

bool lg_size_read(mt_str digits, uint64_t *out)
{
    int64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = (unsigned)((unsigned char)digits.ptr[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (int)digit, &value)) {
            return false;
        }
    }
    *out = (uint64_t)value;
    return digits.len && (digits.len == 1 || digits.ptr[0] != '0');
}

/* No line of the text is empty. */
static bool read_head(mt_str text, lg_head *out)
{
    mt_str size, root, more;
    bool good = lg_line_take(&text, &out->origin) && out->origin.len &&
                lg_line_take(&text, &size) && lg_size_read(size, &out->size) &&
                lg_line_take(&text, &root) &&
                mt_unbase64(root, out->root.bytes, MT_SHA256_BYTES);
    while (good && text.len) {
        good = lg_line_take(&text, &more) && more.len;
    }
    return good;
}

static bool has_control(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 && c != '\n') {
            return true;
        }
    }
    return false;
}

/* Where the last blank line begins: behind a newline. note.len: there is none. */
static size_t find_blank(mt_str note)
{
    for (size_t at = note.len; at >= 2; at--) {
        if (note.ptr[at - 1] == '\n' && note.ptr[at - 2] == '\n') {
            return at - 1;
        }
    }
    return note.len;
}

mt_err lg_note_read(mt_str note, lg_note *out)
{
    *out = (lg_note){0};
    if (note.len > LG_NOTE_BYTES || mt_utf8_check(note) != note.len ||
        has_control(note)) {
        return MT_E_SYNTAX;
    }
    size_t blank = find_blank(note);
    if (blank == note.len) {
        return MT_E_SYNTAX;
    }
    out->text = mt_str_from(note.ptr, blank);
    out->signatures = mt_str_skip(note, blank + 1);
    return out->signatures.len && lg_note_lines_are_good(out->signatures) &&
                   read_head(out->text, &out->head)
               ? MT_OK
               : MT_E_SYNTAX;
}

/* ---- Signature lines ---- */

typedef struct signature_line {
    mt_str name;
    uint32_t id;
    unsigned char bytes[ID_BYTES + LG_SIGNATURE_BYTES];
    size_t count; /* with the id */
} signature_line;

/* How many bytes padded base64 stands for. */
static size_t base64_bytes(mt_str text)
{
    size_t padding = 0;
    while (padding < 2 && padding < text.len &&
           text.ptr[text.len - 1 - padding] == '=') {
        padding++;
    }
    return text.len / 4 * 3 - (text.len ? padding : 0);
}

static bool read_signature(mt_str line, signature_line *out)
{
    mt_str dash = MT_STR(DASH);
    if (!mt_str_starts(line, dash)) {
        return false;
    }
    line = mt_str_skip(line, dash.len);
    size_t name = mt_str_find(line, ' ');
    mt_str text = mt_str_skip(line, name + 1);
    out->name = mt_str_from(line.ptr, name);
    out->count = base64_bytes(text);
    if (name == line.len || !lg_name_is_good(out->name) || out->count <= ID_BYTES ||
        out->count > sizeof out->bytes || !mt_unbase64(text, out->bytes, out->count)) {
        return false;
    }
    out->id = (uint32_t)big_endian(out->bytes, ID_BYTES);
    return true;
}

bool lg_note_lines_are_good(mt_str lines)
{
    signature_line s;
    mt_str line;
    size_t count = 0;
    bool good = true;
    while (good && lines.len) {
        good = lg_line_take(&lines, &line) && read_signature(line, &s) &&
               ++count <= LG_NOTE_SIGNATURES;
    }
    return good;
}

void lg_cosigned_text(mt_buf *out, int64_t time, mt_str text)
{
    mt_buf_addz(out, COSIGNATURE "\ntime ");
    mt_buf_add_i64(out, time);
    mt_buf_addc(out, '\n');
    mt_buf_adds(out, text);
}

void lg_note_add_line(mt_buf *out, const lg_note_key *key, int64_t time,
                      const mt_signature *signature)
{
    unsigned char bytes[ID_BYTES + TIME_BYTES + MT_SIGN_BYTES];
    size_t count = ID_BYTES;
    put_big_endian(bytes, lg_note_key_id(key), ID_BYTES);
    if (key->type == LG_WITNESS_KEY) {
        put_big_endian(bytes + count, (uint64_t)time, TIME_BYTES);
        count += TIME_BYTES;
    }
    memcpy(bytes + count, signature->bytes, MT_SIGN_BYTES);
    mt_buf_addz(out, DASH);
    mt_buf_adds(out, key->name);
    mt_buf_addc(out, ' ');
    add_base64(out, bytes, count + MT_SIGN_BYTES);
    mt_buf_addc(out, '\n');
}

void lg_note_sign(mt_buf *out, mt_str name, mt_str text, const mt_sign_key *key)
{
    lg_note_key as = {name, LG_LOG_KEY, key->open};
    mt_signature s = mt_sign(key, text);
    lg_note_add_line(out, &as, 0, &s);
}

void lg_note_cosign(mt_buf *out, mt_str name, mt_str text, int64_t time,
                    const mt_sign_key *key)
{
    lg_note_key as = {name, LG_WITNESS_KEY, key->open};
    mt_buf message = {0};
    lg_cosigned_text(&message, time, text);
    mt_signature s = mt_sign(key, mt_buf_str(&message));
    lg_note_add_line(out, &as, time, &s);
    mt_buf_free(&message);
}

static bool log_line_holds(const signature_line *s, mt_str text, const lg_note_key *key)
{
    mt_signature signature;
    if (s->count != ID_BYTES + MT_SIGN_BYTES) {
        return false;
    }
    memcpy(signature.bytes, s->bytes + ID_BYTES, MT_SIGN_BYTES);
    return mt_sign_verify(&key->key, text, &signature);
}

/* The time is at most 2^63 - 1, as the format says. */
static bool witness_line_holds(const signature_line *s, mt_str text,
                               const lg_note_key *key, int64_t *time)
{
    mt_signature signature;
    if (s->count != ID_BYTES + TIME_BYTES + MT_SIGN_BYTES) {
        return false;
    }
    uint64_t at = big_endian(s->bytes + ID_BYTES, TIME_BYTES);
    if (at > INT64_MAX) {
        return false;
    }
    mt_buf message = {0};
    memcpy(signature.bytes, s->bytes + ID_BYTES + TIME_BYTES, MT_SIGN_BYTES);
    lg_cosigned_text(&message, (int64_t)at, text);
    bool good = mt_sign_verify(&key->key, mt_buf_str(&message), &signature);
    mt_buf_free(&message);
    *time = (int64_t)at;
    return good;
}

static bool is_of(const signature_line *s, const lg_note_key *key)
{
    /* A key without a name fits any: --key may be given as the bare key. */
    return (!key->name.len || mt_str_eq(s->name, key->name)) &&
           s->id == id_of(s->name, key->type, &key->key);
}

/* Of what holds, the latest that is not later than `until`; *time is 0 of the log. */
static lg_signed look_at_lines(mt_str text, mt_str lines, const lg_note_key *key,
                               int64_t until, int64_t *time)
{
    lg_signed found = LG_NOT_SIGNED;
    signature_line s;
    mt_str line;
    *time = 0;
    while (lines.len && lg_line_take(&lines, &line) && read_signature(line, &s)) {
        int64_t at = 0;
        if (!is_of(&s, key)) {
            continue;
        }
        if (!(key->type == LG_WITNESS_KEY ? witness_line_holds(&s, text, key, &at)
                                          : log_line_holds(&s, text, key))) {
            return LG_FORGED;
        }
        if (at <= until) {
            found = LG_SIGNED;
            *time = at > *time ? at : *time;
        } else if (found == LG_NOT_SIGNED) {
            found = LG_AHEAD;
        }
    }
    return found;
}

lg_signed lg_note_signed(mt_str text, mt_str lines, const lg_note_key *key,
                         int64_t *time)
{
    int64_t latest;
    lg_signed found = look_at_lines(text, lines, key, INT64_MAX, &latest);
    if (time) {
        *time = latest;
    }
    return found;
}

lg_signed lg_note_cosigned(mt_str text, mt_str lines, const lg_note_key *key,
                           int64_t now, int64_t *time)
{
    int64_t until =
        now > INT64_MAX - LG_AHEAD_SECONDS ? INT64_MAX : now + LG_AHEAD_SECONDS;
    return look_at_lines(text, lines, key, until, time);
}

mt_str lg_note_line_of(mt_str lines, const lg_note_key *key)
{
    signature_line s;
    mt_str line;
    while (lines.len && lg_line_take(&lines, &line) && read_signature(line, &s)) {
        if (is_of(&s, key)) {
            return mt_str_from(line.ptr, line.len + 1);
        }
    }
    return (mt_str){0};
}
