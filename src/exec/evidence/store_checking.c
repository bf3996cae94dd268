/* exec/evidence/store_checking.c - what every part of a check needs: telling of
 * differences, how far it is, names. Room: exec. Calls none of the parts. */
#include "exec/evidence/store_checking.h"

#include "base/json_write.h"
#include "exec/evidence/record.h"

enum { TELL_EVERY = 1000 };

/* ---- What is told ---- */

void ex_check_differs(ex_checking *c, const char *part, mt_str name, const char *format,
                      ...)
{
    mt_buf text = {0};
    va_list args;
    va_start(args, format);
    mt_buf_addfv(&text, format, args);
    va_end(args);
    c->out->differences++;
    c->o->found(c->o->found_state, mt_str_z(part), name, mt_buf_str(&text));
    mt_buf_free(&text);
}

ex_sides ex_check_sides(ex_checking *c)
{
    return (ex_sides){.store = c->tx,
                      .expected = c->et,
                      .scratch = &c->scratch,
                      .shared = st_is_shared(c->o->store),
                      .newer_at = c->newer_at,
                      .accepted = c->accepted};
}

mt_err ex_check_progress(ex_checking *c, const char *what, uint64_t done, uint64_t all)
{
    bool go = !c->o->progress || done % TELL_EVERY ||
              c->o->progress(c->o->progress_state, what, done, all);
    return go ? MT_OK : MT_E_CLOSED;
}

mt_err ex_check_step(ex_checking *c, const char *what, uint64_t done)
{
    return ex_check_progress(c, what, done, 0);
}

bool *ex_check_newer(ex_checking *c)
{
    return &c->newer;
}

void ex_check_accepted(ex_checking *c)
{
    c->accepted = true;
}

mt_str ex_check_record_name(mt_arena *a, const st_record *row)
{
    return row->seq < 0 ? mt_strf(a, "queued record %lld", (long long)row->id)
                        : mt_strf(a, "record %lld", (long long)row->seq);
}

mt_err ex_check_counted(ex_checking *c)
{
    return ex_check_progress(c, "documents", ++c->out->documents, 0);
}

/* ---- Systems ---- */

static bool shares(const mt_json *declaration, mt_str contract, mt_str entity)
{
    const mt_json *shared = mt_json_at(declaration, "shared_entities");
    for (uint32_t i = 0; mt_json_is(shared, MT_JSON_ARRAY) && i < shared->count; i++) {
        const mt_json *row = &shared->as.items[i];
        const mt_json *members = mt_json_at(row, "contracts");
        bool same = mt_str_eq(mt_json_text(mt_json_at(row, "entity")), entity) &&
                    mt_json_is(members, MT_JSON_ARRAY);
        for (uint32_t m = 0; same && m < members->count; m++) {
            if (mt_str_eq(mt_json_text(&members->as.items[m]), contract)) {
                return true;
            }
        }
    }
    return false;
}

mt_str ex_check_scope(ex_checking *c, mt_arena *a, mt_str contract, mt_str entity)
{
    for (size_t i = 0; i < c->systems.len; i++) {
        if (shares(c->systems.items[i].declaration, contract, entity)) {
            return mt_strf(a, "system:%.*s", MT_ARG(c->systems.items[i].system));
        }
    }
    return contract;
}

/* ---- Comparing ---- */

mt_str ex_check_says(mt_arena *a, int64_t number)
{
    return number == INT64_MAX ? MT_STR("a queued record says")
                               : mt_strf(a, "record %lld says", (long long)number);
}

void ex_check_same(ex_checking *c, const char *part, mt_str name, const char *what,
                   mt_str is, mt_str must, int64_t number)
{
    if (!mt_str_eq(is, must)) {
        mt_str who = ex_check_says(&c->scratch, number);
        ex_check_differs(c, part, name, "%s is '%.*s', %.*s '%.*s'", what, MT_ARG(is),
                         MT_ARG(who), MT_ARG(must));
    }
}

void ex_check_member(ex_checking *c, mt_str name, const char *what, mt_str is,
                     mt_str must, int64_t number)
{
    ex_check_same(c, "documents", name, what, is, must, number);
}

mt_str ex_check_moment(mt_arena *a, const mt_json *body, const char *key)
{
    int64_t ms = 0;
    mt_buf out = {0};
    if (mt_json_i64(mt_json_get(body, mt_str_z(key)), &ms) || !ms) {
        return (mt_str){0};
    }
    mt_jw w = mt_jw_start(&out, false);
    ex_time_json(&w, ms);
    mt_str text = mt_str_dup(a, mt_str_trim(mt_buf_str(&out), MT_STR("\"")));
    mt_buf_free(&out);
    return text;
}
