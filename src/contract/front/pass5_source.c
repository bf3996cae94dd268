/* contract/front/pass5_source.c - sources, and where facts come from.
 *
 * A protocol is one of the table's, or an extension x_...; each of the table's needs
 * one field. A structured fact names a declared source and a path in the form its
 * protocol has: segments of names or {name}, with dots, or slashes where the protocol
 * has resources.
 *
 * A source nobody reads is not a fault here; warn.c mentions it. */
#include "contract/front/suggest.h"
#include "contract/front/validate.h"

/* The core protocols of §5A.2 and the field each needs. */
static const struct {
    fr_sym protocol, required;
} PROTOCOLS[] = {
    {FR_W_http, FR_W_base_url},    {FR_W_database, FR_W_dialect},
    {FR_W_graphql, FR_W_endpoint}, {FR_W_grpc, FR_W_endpoint},
    {FR_W_static, FR_W_none},      {FR_W_manual, FR_W_none},
};

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* x_ and segments [a-z][a-z0-9_]* separated by dots */
static bool is_extension(mt_str tag)
{
    bool starts = true;
    for (size_t i = 2; i < tag.len; i++) {
        char c = tag.ptr[i];
        if (starts ? !is_lower(c)
                   : !is_lower(c) && !(c >= '0' && c <= '9') && c != '_' && c != '.') {
            return false;
        }
        starts = c == '.';
    }
    return tag.len > 2 && !starts;
}

/* The suite has its faults at the keyword. */
static fr_place at_protocol(const fr_source_decl *s)
{
    fr_place at = fr_at(&s->head, s->head.tok, FR_FIELD("protocol"));
    return fr_exactly(at, s->protocol_span.first, s->protocol_span.last);
}

/* C-SRC-03. */
static void check_required(fr_unit *u, const fr_source_decl *s, fr_sym required)
{
    for (size_t i = 0; i < s->fields.len; i++) {
        if (s->fields.items[i].name.sym == required) {
            return;
        }
    }
    fr_place at = at_protocol(s);
    at.exact.field = fr_str(u, required);
    at.hint = fr_said(u, "add %.*s: \"...\"", FR_ARG(u, required)).ptr;
    fr_report(u, FR_E_SOURCE_FIELD, at,
              "source '%.*s' with protocol '%.*s' is missing required field '%.*s'",
              FR_ARG(u, s->head.id), FR_ARG(u, s->protocol), FR_ARG(u, required));
}

static fr_place at_unknown_protocol(fr_unit *u, const fr_source_decl *s)
{
    mt_nearest n = fr_nearest(u, s->protocol);
    for (size_t i = 0; i < sizeof PROTOCOLS / sizeof *PROTOCOLS; i++) {
        fr_offer_sym(u, &n, PROTOCOLS[i].protocol);
    }
    return fr_meant(u, at_protocol(s), &n, s->protocol_span.first);
}

/* C-SRC-03 for core protocols, C-SRC-04 for extensions; what an extension needs is for
 * its adapter to say (§5A.3). */
void fr_validate_source(fr_unit *u, fr_source_decl *s)
{
    mt_str tag = fr_str(u, s->protocol);
    for (size_t i = 0; i < sizeof PROTOCOLS / sizeof *PROTOCOLS; i++) {
        if (PROTOCOLS[i].protocol == s->protocol) {
            if (PROTOCOLS[i].required) {
                check_required(u, s, PROTOCOLS[i].required);
            }
            return;
        }
    }
    if (!mt_str_starts(tag, MT_STR("x_"))) {
        fr_report(u, FR_E_SOURCE_PROTOCOL, at_unknown_protocol(u, s),
                  "unknown protocol tag '%.*s'", MT_ARG(tag));
    } else if (!is_extension(tag)) {
        fr_report(u, FR_E_SOURCE_EXTENSION, at_protocol(s),
                  "invalid extension protocol tag '%.*s'", MT_ARG(tag));
    }
}

/* ---- paths ---- */

/* Bytes of other scripts are admitted whole: the text is valid UTF-8. */
static bool is_name_byte(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* A segment is a name or {name}. */
static bool is_segment(mt_str s)
{
    if (s.len >= 2 && s.ptr[0] == '{' && s.ptr[s.len - 1] == '}') {
        s = mt_str_from(s.ptr + 1, s.len - 2);
    }
    for (size_t i = 0; i < s.len; i++) {
        if (!is_name_byte(s.ptr[i])) {
            return false;
        }
    }
    return s.len > 0;
}

/* Number of segments, 0 if one of them is malformed. */
static size_t count_segments(mt_str path, bool slashes)
{
    size_t count = 0, start = 0;
    if (slashes && path.len && path.ptr[0] == '/') {
        start = 1;
    }
    for (size_t i = start; i <= path.len; i++) {
        bool ends =
            i == path.len || path.ptr[i] == '.' || (slashes && path.ptr[i] == '/');
        if (!ends) {
            continue;
        }
        if (!is_segment(mt_str_from(path.ptr + start, i - start))) {
            return 0;
        }
        count++;
        start = i + 1;
    }
    return count;
}

/* The form only, never whether it exists: nothing is fetched (§5A.5). A database path
 * may have a schema in front. */
static const char *path_fault(fr_sym protocol, mt_str path)
{
    size_t count = count_segments(path, protocol == FR_W_http);
    switch (protocol) {
    case FR_W_http:
        return count ? NULL : "names or {name} separated by dots or slashes";
    case FR_W_database: return count == 2 || count == 3 ? NULL : "table.column";
    default: return path.len ? NULL : "not empty";
    }
}

static void check_path(fr_unit *u, const fr_fact *f, fr_source_decl *s)
{
    mt_str path = fr_str(u, f->path.sym);
    const char *shape = path_fault(s->protocol, path);
    if (shape) {
        fr_report(u, FR_E_SOURCE_PATH, fr_at(&f->head, f->path.tok, FR_FIELD("source")),
                  "path '%.*s' of a %.*s source must be %s", MT_ARG(path),
                  FR_ARG(u, s->protocol), shape);
    }
}

/* C-SRC-06, and a free text that is not empty (§5.1). */
void fr_validate_fact(fr_unit *u, fr_fact *f)
{
    if (!f->structured) {
        if (f->source.sym == FR_W_empty) {
            fr_report(u, FR_E_SOURCE_EMPTY,
                      fr_at(&f->head, f->source.tok, FR_FIELD("source")),
                      "the source of fact '%.*s' is empty", FR_ARG(u, f->head.id));
        }
        return;
    }
    fr_source_decl *s = fr_find(u, FR_SOURCE, f->source.sym);
    if (s) {
        s->head.used = true;
        if (!s->head.broken) {
            check_path(u, f, s);
        }
    } else if (!u->incomplete) {
        fr_place at = fr_at(&f->head, f->head.tok, FR_FIELD("source"));
        fr_report(u, FR_E_SOURCE_UNDECLARED, fr_meant_kind(u, at, FR_SOURCE, f->source),
                  "fact '%.*s' references undeclared source '%.*s'",
                  FR_ARG(u, f->head.id), FR_ARG(u, f->source.sym));
    }
}
