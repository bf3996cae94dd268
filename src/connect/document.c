/* connect/document.c - which kind of document it is, and its reader. Room: connect.
 *
 * The order of cn_read(): the number of bytes, then UTF-8 (not asked of
 * CN_PROTO, which may be a binary descriptor set), then the reader of
 * the format. A document that was read but offers nothing is a fault,
 * too: a person who named it should learn that it does not help. */
#include "base/utf8.h"
#include "base/yaml_read.h"
#include "connect/build.h"

/* No text has such bytes, and of the four formats only a descriptor set has them. */
static bool is_binary(mt_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        if (c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') {
            return true;
        }
    }
    return false;
}

/* The first place of a word, letters of either case; hay.len if there is none. Only the
 * first part of a document is looked at. */
static size_t find_word(mt_str hay, const char *word)
{
    size_t len = strlen(word), most = hay.len < 1 << 20 ? hay.len : 1 << 20;
    for (size_t i = 0; i + len <= most; i++) {
        if ((hay.ptr[i] | 0x20) == (word[0] | 0x20) &&
            !strncasecmp(hay.ptr + i, word, len)) {
            return i;
        }
    }
    return hay.len;
}

/* Endings that mean one format. .json, .yaml and .yml
 * are missing: they say nothing of what is inside. */
static const struct ending {
    const char *suffix;
    cn_format format;
} ENDINGS[] = {
    {".proto", CN_PROTO},      {".pb", CN_PROTO},    {".protoset", CN_PROTO},
    {".sql", CN_SQL},          {".ddl", CN_SQL},     {".graphql", CN_GRAPHQL},
    {".graphqls", CN_GRAPHQL}, {".gql", CN_GRAPHQL},
};

/* Words by which a document is known; the first row that is found
 * counts. The answer to an introspection may speak of "openapi"
 * in a description, an OpenAPI document hardly of "__schema". */
static const struct mark {
    const char *word;
    cn_format format;
} MARKS[] = {
    {"__schema", CN_GRAPHQL},     {"openapi", CN_OPENAPI},
    {"create table", CN_SQL},     {"syntax = \"proto", CN_PROTO},
    {"syntax=\"proto", CN_PROTO}, {"type query", CN_GRAPHQL},
};

/* The name first: who wrote `orders.graphql` meant it. */
cn_format cn_format_of(mt_str name, mt_str bytes)
{
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        if (mt_str_ends(name, mt_str_z(ENDINGS[i].suffix))) {
            return ENDINGS[i].format;
        }
    }
    if (is_binary(bytes)) {
        return CN_PROTO;
    }
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++) {
        if (find_word(bytes, MARKS[i].word) < bytes.len) {
            return MARKS[i].format;
        }
    }
    return CN_FORMAT_COUNT;
}

/* JSON or YAML, by the first character. JSON is nearly YAML, but the faults of its own
 * reader are said in words of JSON. */
static bool read_tree(cn_build *b, mt_str bytes, mt_json *tree)
{
    mt_str start = mt_str_trim(bytes, MT_STR(" \t\r\n"));
    mt_json_error error = {0};
    bool json = mt_str_starts(start, MT_STR("{"));
    mt_yaml_limits limits = {.bytes = b->limits->connect_bytes,
                             .nodes = b->limits->yaml_nodes};
    mt_json_limits plain = {.bytes = b->limits->connect_bytes};
    mt_err err = json ? mt_json_read(b->arena, bytes, &plain, tree, &error)
                      : mt_yaml_read(b->arena, bytes, &limits, tree, &error);
    uint32_t line = 1, column = 1;
    if (err) {
        mt_json_place(bytes, error.offset, &line, &column);
        return cn_fault(b, err, "%u:%u: it is not %s: %s", line, column,
                        json ? "JSON" : "YAML",
                        error.message ? error.message : mt_err_text(err));
    }
    return true;
}

/* pb_read() has written into `why` itself, so only its code is kept here. */
static bool read_proto(cn_build *b, mt_str name, mt_str bytes, pb_loader *loader,
                       void *state)
{
    const pb_schema *schema;
    mt_err err = pb_read(b->arena, name, bytes, loader, state, b->why, &schema);
    b->err = b->err ? b->err : err;
    return !err && cn_read_proto(b, schema);
}

static bool read_graphql(cn_build *b, mt_str bytes)
{
    mt_json tree;
    bool json = mt_str_starts(mt_str_trim(bytes, MT_STR(" \t\r\n")), MT_STR("{"));
    return json ? read_tree(b, bytes, &tree) && cn_read_graphql_json(b, &tree)
                : cn_read_graphql_text(b, bytes);
}

static bool read_as(cn_build *b, cn_format format, mt_str name, mt_str bytes,
                    pb_loader *loader, void *state)
{
    mt_json tree;
    size_t bad = format == CN_PROTO ? bytes.len : mt_utf8_check(bytes);
    if (bad != bytes.len) {
        return cn_fault(b, MT_E_SYNTAX, "it is not UTF-8 at byte %zu", bad);
    }
    switch (format) {
    case CN_OPENAPI: return read_tree(b, bytes, &tree) && cn_read_openapi(b, &tree);
    case CN_GRAPHQL: return read_graphql(b, bytes);
    case CN_SQL: return cn_read_sql(b, bytes);
    case CN_PROTO: return read_proto(b, name, bytes, loader, state);
    case CN_FORMAT_COUNT: break;
    }
    return cn_fault(b, MT_E_SYNTAX, "it is none of OpenAPI 3, GraphQL, SQL and .proto");
}

mt_err cn_read(mt_arena *a, cn_format format, mt_str name, mt_str bytes,
               const mt_limits *limits, pb_loader *loader, void *state, mt_buf *why,
               cn_document *out)
{
    cn_build b = {.arena = a, .limits = limits, .why = why};
    *out = (cn_document){.format = format};
    if (bytes.len > limits->connect_bytes) {
        cn_fault(&b, MT_E_LIMIT, "it has more than %zu bytes (limit connect_bytes)",
                 limits->connect_bytes);
        return b.err;
    }
    if (read_as(&b, format, name, bytes, loader, state) && !b.places.len) {
        cn_fault(&b, MT_E_SYNTAX,
                 "it describes nothing that a fact could be taken from");
    }
    out->places = b.places.items;
    out->count = b.places.len;
    return b.err;
}
