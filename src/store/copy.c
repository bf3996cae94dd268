#include "store/copy.h"

static mt_err bad(st_copy *c, mt_err err, const char *fault)
{
    c->fault = fault;
    return err;
}

/* Without the digest being told. */
static mt_err next_line(st_copy *c, mt_str *line, mt_json *out)
{
    mt_err err = c->read(c->state, line);
    c->line++;
    if (err == MT_E_NOTFOUND) {
        return bad(c, MT_E_CORRUPT, "the copy ends before its digest: it was cut off");
    }
    if (err) {
        return bad(c, err, "it cannot be read");
    }
    mt_arena_reset(&c->arena);
    mt_json_limits limits = {.bytes = (size_t)1 << 30, .depth = 4};
    return mt_json_read(&c->arena, *line, &limits, out, NULL)
               ? bad(c, MT_E_CORRUPT, "it is not JSON")
               : MT_OK;
}

static void count_line(st_copy *c, mt_str line)
{
    mt_sha256_add(c->digest, line);
    mt_sha256_add(c->digest, MT_STR("\n"));
}

mt_err st_copy_begin(st_copy *c, mt_err (*read)(void *state, mt_str *line), void *state)
{
    mt_str line;
    mt_json head;
    int64_t format;
    *c = (st_copy){.read = read, .state = state, .digest = mt_sha256_stream_new()};
    mt_sha256_start(c->digest);
    mt_err err = next_line(c, &line, &head);
    if (err) {
        return err;
    }
    if (mt_json_i64(mt_json_at(&head, "motet_store"), &format) ||
        mt_json_i64(mt_json_at(&head, "schema"), &c->schema)) {
        return bad(c, MT_E_CORRUPT, "it is not the copy of a store");
    }
    if (format != ST_COPY_FORMAT) {
        return bad(c, MT_E_VERSION, "the copy was made by another version");
    }
    count_line(c, line);
    return MT_OK;
}

/* Number of rows and digest, then nothing may follow: what stands behind the digest is
 * covered by nothing. */
static mt_err check_end(st_copy *c, const mt_json *node)
{
    int64_t rows;
    mt_str more;
    mt_sha256 given, made = mt_sha256_end(c->digest);
    bool same = mt_json_i64(mt_json_at(node, "rows"), &rows) == MT_OK &&
                rows == c->rows &&
                mt_unhex(mt_json_text(mt_json_at(node, "sha256")), given.bytes,
                         sizeof given.bytes) &&
                memcmp(given.bytes, made.bytes, sizeof made.bytes) == 0;
    if (!same) {
        return bad(c, MT_E_CORRUPT, "the digest does not fit what came before");
    }
    mt_err err = c->read(c->state, &more);
    c->line++;
    return err == MT_E_NOTFOUND ? err
           : err                ? bad(c, err, "it cannot be read")
                                : bad(c, MT_E_CORRUPT, "something follows the end");
}

mt_err st_copy_next(st_copy *c, mt_json *line)
{
    mt_str text;
    mt_err err = next_line(c, &text, line);
    if (err) {
        return err;
    }
    if (mt_json_at(line, "sha256")) {
        return check_end(c, line);
    }
    count_line(c, text);
    if (!mt_json_is(mt_json_at(line, "row"), MT_JSON_ARRAY)) {
        return bad(c, MT_E_CORRUPT, "it is not a row of a table");
    }
    c->rows++;
    return MT_OK;
}

void st_copy_end(st_copy *c)
{
    mt_sha256_stream_free(c->digest);
    mt_arena_free(&c->arena);
}
