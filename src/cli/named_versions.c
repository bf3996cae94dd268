/* cli/named_versions.c - see named_versions.h.
 * Room: cli. Nothing can fail: a record that is not JSON, or names no contract, is not
 * about a version. */
#include "cli/named_versions.h"

/* The key has a newline between both parts, which ids of contracts and etags do not
 * have. Pointers are good until the next version is added. */
static cli_named_version *version_of(cli_named *v, mt_str contract, mt_str etag,
                                     uint64_t seq, mt_str time)
{
    bool added;
    mt_str key = mt_strf(&v->scratch, "%.*s\n%.*s", MT_ARG(contract), MT_ARG(etag));
    mt_map_entry *e = mt_map_find(&v->index, key);
    if (!e) {
        e = mt_map_add(&v->arena, &v->index, mt_str_dup(&v->arena, key), &added);
        cli_named_version fresh = {.contract = mt_str_dup(&v->arena, contract),
                                   .etag = mt_str_dup(&v->arena, etag),
                                   .first = seq,
                                   .first_time = mt_str_dup(&v->arena, time)};
        mt_vec_push(&v->arena, &v->list, fresh);
        e->value = v->list.len;
    }
    return &v->list.items[e->value - 1];
}

/* The last time is copied only when it changes, as many records are of the same
 * moment. */
void cli_named_note(cli_named *v, uint64_t seq, mt_str body)
{
    mt_json tree;
    mt_arena_reset(&v->scratch);
    if (mt_json_read(&v->scratch, body, NULL, &tree, NULL)) {
        return;
    }
    mt_str contract = mt_json_text(mt_json_at(&tree, "contract"));
    mt_str etag = mt_json_text(mt_json_at(&tree, "etag"));
    mt_str time = mt_json_text(mt_json_at(&tree, "time"));
    if (!contract.len || !etag.len) {
        return;
    }
    cli_named_version *named = version_of(v, contract, etag, seq, time);
    named->last = seq;
    if (!mt_str_eq(named->last_time, time)) {
        named->last_time = mt_str_dup(&v->arena, time);
    }
}

void cli_named_free(cli_named *v)
{
    mt_arena_free(&v->arena);
    mt_arena_free(&v->scratch);
    *v = (cli_named){0};
}
