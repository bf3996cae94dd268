/* contract/front/error_json.c - one diagnostic as the suite's object of seven keys. */
#include "base/json_write.h"
#include "contract/elaborate.h"

static void put(mt_buf *b, const char *key, mt_str value)
{
    mt_buf_addz(b, key);
    if (value.ptr) {
        mt_json_quote(b, value);
    } else {
        mt_buf_addz(b, "null");
    }
}

/* The keys and their order are the suite's (§14.3). */
mt_str ct_error_json(mt_arena *a, const mt_diag *shown, bool pretty)
{
    const mt_diag *d = shown->suite ? shown->suite : shown;
    mt_buf b = {0};
    /* Faults of a whole file show its path; all others only its name. */
    mt_str file = d->line ? mt_str_basename(d->file) : d->file;
    put(&b, "{\"construct_id\":", d->construct_id);
    put(&b, ",\"construct_kind\":", d->construct_kind);
    put(&b, ",\"field\":", d->field);
    put(&b, ",\"file\":", file);
    mt_buf_addf(&b, ",\"line\":%u", d->line);
    put(&b, ",\"message\":", d->message);
    mt_buf_addf(&b, ",\"pass\":%d}", d->pass);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return pretty ? ct_json_pretty(a, text) : text;
}
