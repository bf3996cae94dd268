/* contract/wire/manifest.c - what surrounds a bundle: its etag, the manifest, the
 * laid-out form and the check of its version.
 *
 * The etag is the SHA-256 of the bundle's bytes as they are, so a manifest holds the
 * bundle verbatim and never a rewritten one. The laid-out form adds white space only.
 * Keys of the manifest are in byte order.
 *
 * A version is semver; only major 1 is read, and a suffix changes nothing about that.
 * MT_E_VERSION comes with a sentence. */
#include "base/hash.h"
#include "contract/elaborate.h"

mt_str ct_bundle_etag(mt_arena *a, mt_str bundle)
{
    return mt_sha256_hex(a, mt_sha256_of(bundle));
}

/* `,"key":value`, or nothing for an empty value. */
static void add_member(mt_buf *b, const char *key, mt_str value)
{
    if (value.len) {
        mt_buf_addf(b, ",\"%s\":", key);
        mt_buf_adds(b, value);
    }
}

/* `parts` are JSON already; what they hold is pasted as it is. bundle, capabilities,
 * etag, tenor, trust is byte order (§19.1). */
mt_str ct_manifest_of(mt_arena *a, const ct_manifest_parts *parts)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"bundle\":");
    mt_buf_adds(&b, parts->bundle);
    add_member(&b, "capabilities", parts->capabilities);
    mt_buf_addz(&b, ",\"etag\":\"");
    mt_buf_adds(&b, ct_bundle_etag(a, parts->bundle));
    mt_buf_addz(&b, "\",\"tenor\":\"1.0\"");
    add_member(&b, "trust", parts->trust);
    mt_buf_addc(&b, '}');
    mt_str manifest = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return manifest;
}

mt_str ct_manifest(mt_arena *a, mt_str bundle)
{
    ct_manifest_parts parts = {
        .bundle = bundle,
        .capabilities = MT_STR("{\"migration_analysis_mode\":\"conservative\"}")};
    return ct_manifest_of(a, &parts);
}

/* What nests deeper stands on one line: a chain of a thousand values would otherwise be
 * mostly white space. */
enum { DEEPEST_LINE = 64 };

static void new_line(mt_buf *b, size_t depth)
{
    static const char SPACES[] = "                                ";
    if (depth > DEEPEST_LINE) {
        return;
    }
    mt_buf_addc(b, '\n');
    for (size_t left = depth * 2; left;) {
        size_t step = left < sizeof SPACES - 1 ? left : sizeof SPACES - 1;
        mt_buf_add(b, SPACES, step);
        left -= step;
    }
}

/* Offset just behind the string that starts at text.ptr[at]. A backslash takes the next
 * byte along, so an escaped quote does not end the string. */
static size_t string_end(mt_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++) {
        at += text.ptr[at] == '\\';
    }
    return at < text.len ? at + 1 : text.len;
}

static bool closes(char c)
{
    return c == '}' || c == ']';
}

/* Works on the text and not on a tree, so numbers and escapes keep their spelling.
 * Relies on compact, well-formed JSON: depth cannot fall below 0 and there is no white
 * space outside strings. */
static void lay_out(mt_buf *b, mt_str text)
{
    size_t depth = 0;
    for (size_t at = 0; at < text.len;) {
        char c = text.ptr[at];
        if (c == '"') {
            size_t end = string_end(text, at);
            mt_buf_add(b, text.ptr + at, end - at);
            at = end;
            continue;
        }
        bool empty =
            (c == '{' || c == '[') && at + 1 < text.len && closes(text.ptr[at + 1]);
        if (empty) {
            mt_buf_add(b, text.ptr + at, 2);
            at += 2;
            continue;
        }
        if (closes(c)) {
            new_line(b, --depth);
        }
        mt_buf_addc(b, c);
        if (c == '{' || c == '[') {
            new_line(b, ++depth);
        } else if (c == ',') {
            new_line(b, depth);
        } else if (c == ':') {
            mt_buf_addc(b, ' ');
        }
        at++;
    }
}

mt_str ct_json_pretty(mt_arena *a, mt_str compact)
{
    mt_buf b = {0};
    lay_out(&b, compact);
    mt_str pretty = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return pretty;
}

enum { SUPPORTED_MAJOR = 1, SUPPORTED_MINOR = 1 };

/* Reads one number of a version and the dot behind it; false if there is none. More
 * than nine digits are refused, so the value, which may have wrapped meanwhile, is not
 * used; leading zeros are not semver. */
static bool take_number(mt_str *rest, bool last, uint64_t *out)
{
    size_t digits = 0;
    uint64_t value = 0;
    while (digits < rest->len && rest->ptr[digits] >= '0' && rest->ptr[digits] <= '9') {
        value = value * 10 + (uint64_t)(rest->ptr[digits] - '0');
        digits++;
    }
    bool padded = digits > 1 && rest->ptr[0] == '0';
    bool ended =
        last ? digits == rest->len : digits < rest->len && rest->ptr[digits] == '.';
    if (!digits || digits > 9 || padded || !ended) {
        return false;
    }
    *rest = mt_str_skip(*rest, digits + 1);
    *out = value;
    return true;
}

/* §14.2.1 asks consumers to refuse a higher major version; a lower one is refused too,
 * since 0.3 had other structures. Minor and patch decide nothing. */
/* A pre-release or build suffix does not change what may be read. */
static bool split_version(mt_str rest, uint64_t *major, uint64_t *minor)
{
    size_t dash = mt_str_find(rest, '-'), plus = mt_str_find(rest, '+');
    size_t suffix = dash < plus ? dash : plus;
    uint64_t patch;
    if (suffix < rest.len && suffix + 1 < rest.len) {
        rest.len = suffix;
    }
    return take_number(&rest, false, major) && take_number(&rest, false, minor) &&
           take_number(&rest, true, &patch);
}

bool ct_version_is_newer(mt_str tenor_version)
{
    uint64_t major, minor;
    return tenor_version.ptr && split_version(tenor_version, &major, &minor) &&
           major == SUPPORTED_MAJOR && minor > SUPPORTED_MINOR;
}

mt_err ct_check_version(mt_arena *a, mt_str tenor_version, mt_str *why)
{
    if (!tenor_version.ptr) {
        *why = MT_STR("the bundle has no tenor_version");
        return MT_E_VERSION;
    }
    uint64_t major, minor;
    if (!split_version(tenor_version, &major, &minor)) {
        *why = mt_strf(a, "tenor_version \"%.*s\" is not of the form MAJOR.MINOR.PATCH",
                       MT_ARG(tenor_version));
        return MT_E_VERSION;
    }
    if (major != SUPPORTED_MAJOR) {
        *why = mt_strf(a,
                       "tenor_version %.*s is not supported: this program reads "
                       "version %d bundles",
                       MT_ARG(tenor_version), SUPPORTED_MAJOR);
        return MT_E_VERSION;
    }
    return MT_OK;
}
