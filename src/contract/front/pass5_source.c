/* contract/front/pass5_source.c - sources, and where facts come from. */
#include "contract/front/validate.h"

static const struct {
    ct_sym protocol, required;
} PROTOCOLS[] = {
    {CT_W_http, CT_W_base_url},    {CT_W_database, CT_W_dialect},
    {CT_W_graphql, CT_W_endpoint}, {CT_W_grpc, CT_W_endpoint},
    {CT_W_static, CT_W_none},      {CT_W_manual, CT_W_none},
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

static void check_required(ct_unit *u, const ct_source_decl *s, ct_sym required)
{
    for (size_t i = 0; i < s->fields.len; i++) {
        if (s->fields.items[i].name.sym == required) {
            return;
        }
    }
    ct_report(u, CT_E_SOURCE_FIELD, ct_at(&s->head, s->head.tok, CT_FIELD("protocol")),
              "source '%.*s' with protocol '%.*s' is missing required field '%.*s'",
              CT_ARG(u, s->head.id), CT_ARG(u, s->protocol), CT_ARG(u, required));
}

void ct_validate_source(ct_unit *u, ct_source_decl *s)
{
    mt_str tag = ct_str(u, s->protocol);
    ct_place at = ct_at(&s->head, s->head.tok, CT_FIELD("protocol"));
    for (size_t i = 0; i < sizeof PROTOCOLS / sizeof *PROTOCOLS; i++) {
        if (PROTOCOLS[i].protocol == s->protocol) {
            if (PROTOCOLS[i].required) {
                check_required(u, s, PROTOCOLS[i].required);
            }
            return;
        }
    }
    if (!mt_str_starts(tag, MT_STR("x_"))) {
        ct_report(u, CT_E_SOURCE_PROTOCOL, at, "unknown protocol tag '%.*s'",
                  MT_ARG(tag));
    } else if (!is_extension(tag)) {
        ct_report(u, CT_E_SOURCE_EXTENSION, at, "invalid extension protocol tag '%.*s'",
                  MT_ARG(tag));
    }
}

/* ---- paths ---- */

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

static const char *path_fault(ct_sym protocol, mt_str path)
{
    size_t count = count_segments(path, protocol == CT_W_http);
    switch (protocol) {
    case CT_W_http:
        return count ? NULL : "names or {name} separated by dots or slashes";
    case CT_W_database: return count == 2 || count == 3 ? NULL : "table.column";
    default: return path.len ? NULL : "not empty";
    }
}

static void check_path(ct_unit *u, const ct_fact *f, ct_source_decl *s)
{
    mt_str path = ct_str(u, f->path.sym);
    const char *shape = path_fault(s->protocol, path);
    if (shape) {
        ct_report(u, CT_E_SOURCE_PATH, ct_at(&f->head, f->path.tok, CT_FIELD("source")),
                  "path '%.*s' of a %.*s source must be %s", MT_ARG(path),
                  CT_ARG(u, s->protocol), shape);
    }
}

void ct_validate_fact(ct_unit *u, ct_fact *f)
{
    if (!f->structured) {
        if (f->source.sym == CT_W_empty) {
            ct_report(u, CT_E_SOURCE_EMPTY,
                      ct_at(&f->head, f->source.tok, CT_FIELD("source")),
                      "the source of fact '%.*s' is empty", CT_ARG(u, f->head.id));
        }
        return;
    }
    ct_source_decl *s = ct_find(u, CT_SOURCE, f->source.sym);
    if (s) {
        s->head.used = true;
        if (!s->head.broken) {
            check_path(u, f, s);
        }
    } else if (!u->incomplete) {
        ct_report(u, CT_E_SOURCE_UNDECLARED,
                  ct_at(&f->head, f->head.tok, CT_FIELD("source")),
                  "fact '%.*s' references undeclared source '%.*s'",
                  CT_ARG(u, f->head.id), CT_ARG(u, f->source.sym));
    }
}
