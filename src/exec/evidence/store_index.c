/* exec/evidence/store_index.c - what the columns of a record must be, by its body.
 * Room: exec. Columns are what records are found by: one that was changed hides the
 * record from whoever asks for it, though the chain holds. The column of an effect's
 * flow is that of the operation it belongs to. What it is about: store_subjects. */
#include "base/form.h"
#include "base/json_write.h"
#include "exec/evidence/record.h"
#include "exec/evidence/store_check.h"

static bool is_kind(const st_record *r, const char *kind)
{
    return mt_str_eq(r->kind, mt_str_z(kind));
}

static mt_str flow_of(st_tx *tx, mt_arena *a, const st_record *row, const mt_json *body)
{
    st_record of;
    mt_json tree;
    int64_t id;
    if (is_kind(row, "trigger")) {
        return mt_text_at(body, "source_execution");
    }
    if (is_kind(row, "effect") && !mt_json_i64(mt_json_at(body, "of"), &id) &&
        !st_record_get(tx, a, id, &of) &&
        !mt_json_read(a, of.body, NULL, &tree, NULL)) {
        return mt_text_at(&tree, "execution");
    }
    return mt_text_at(body, "execution");
}

static void compare(ex_checking *c, mt_str name, const char *column, mt_str is,
                    mt_str must)
{
    if (!mt_str_eq(is, must)) {
        ex_check_differs(c, "index", name, "%s is '%.*s', its body says '%.*s'", column,
                         MT_ARG(is), MT_ARG(must));
    }
}

static mt_str time_text(mt_arena *a, int64_t ms)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ex_time_json(&w, ms);
    mt_str text = mt_str_dup(a, mt_str_trim(mt_buf_str(&out), MT_STR("\"")));
    mt_buf_free(&out);
    return text;
}

void ex_check_index(ex_checking *c, st_tx *tx, mt_arena *a, const st_record *row,
                    const mt_json *body)
{
    mt_str name = ex_check_record_name(a, row);
    compare(c, name, "kind", row->kind, mt_text_at(body, "kind"));
    compare(c, name, "contract", row->contract,
            is_kind(row, "trigger") ? mt_text_at(body, "target_contract")
                                    : mt_text_at(body, "contract"));
    compare(c, name, "flow", row->flow, flow_of(tx, a, row, body));
    compare(c, name, "time", time_text(a, row->time_ms), mt_text_at(body, "time"));
}
