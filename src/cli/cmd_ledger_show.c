/* cli/cmd_ledger_show.c - motet ledger show: records for people, or as JSON lines.
 *
 * What a record says is told from its body alone, in words
 * (exec/evidence/record_words.h): a row for each, or with --explain one in full.
 *
 * Filters look at the body, too, so they work the same on a file and on a store.
 * Nothing is verified here, and the help says so; a line that is not a record or a
 * checkpoint ends the walk with its number. */
#include <stdint.h>
#include <stdlib.h>

#include "base/form.h"
#include "cli/commands.h"
#include "cli/ledger.h"
#include "cli/table.h"
#include "exec/evidence/record_words.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_LEDGER_SHOW_OPTIONS[] = {
    {"from",     "N",    "from record N on"},
    {"to",       "M",    "up to, not including, record M"},
    {"kind",     "NAME", "only records of this kind"},
    {"contract", "ID",   "only records of this contract"},
    {"flow",     "ID",   "only records of this flow or flow execution"},
    {"instance", "ID",   "only records about this instance: ID or Entity/ID"},
    {"most",     "N",    "stop after N records"},
    {"explain",  NULL,   "each in full: what happened, and why it was decided so"},
    {"json",     NULL,   "the records as they are, one per line"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_LEDGER_SHOW_DETAILS[] =
    "Shows what a ledger says; whether it can be "
    "believed is for `motet ledger verify`.\n"
    "Checkpoints are shown when no filter is given.\n"
    "A number after the file (or alone, with "
    "--store) is one record: "
    "`motet ledger show 7 --explain --store URL`.";

typedef struct filter {
    size_t from, to, most;
    mt_str kind, contract, flow; /* ptr NULL: any */
    mt_str entity, instance;     /* entity empty: any */
    bool all;                    /* no filter by content was given */
} filter;

/* ---- choosing ---- */

/* An instance may be ENTITY/ID, or ID alone for every entity. */
static bool read_filter(const cli_args *args, filter *f)
{
    *f = (filter){.to = SIZE_MAX,
                  .most = SIZE_MAX,
                  .kind = mt_str_z(cli_value(args, "kind")),
                  .contract = mt_str_z(cli_value(args, "contract")),
                  .flow = mt_str_z(cli_value(args, "flow")),
                  .instance = mt_str_z(cli_value(args, "instance"))};
    f->all = !f->kind.ptr && !f->contract.ptr && !f->flow.ptr && !f->instance.ptr;
    size_t slash = mt_str_find(f->instance, '/');
    if (f->instance.ptr && slash < f->instance.len) {
        f->entity = mt_str_from(f->instance.ptr, slash);
        f->instance = mt_str_skip(f->instance, slash + 1);
    }
    return cli_number(args, "from", SIZE_MAX - 1, &f->from) &&
           cli_number(args, "to", SIZE_MAX - 1, &f->to) &&
           cli_number(args, "most", SIZE_MAX - 1, &f->most);
}

static bool is_text(const mt_json *node, mt_str text)
{
    return mt_json_is(node, MT_JSON_STRING) && mt_str_eq(mt_json_text(node), text);
}

static bool has(const mt_json *body, const char *key, mt_str wanted)
{
    return !wanted.ptr || is_text(mt_json_get(body, mt_str_z(key)), wanted);
}

/* The body, then its provenance: where a record's members are. */
static const mt_json *part_of(const mt_json *body, int n)
{
    return n ? mt_json_at(body, "provenance") : body;
}

/* Kinds of records name a flow by different members; any of them counts. */
static bool of_flow(const mt_json *body, mt_str flow)
{
    return has(body, "flow", flow) || has(body, "flow_id", flow) ||
           has(body, "execution", flow);
}

/* "Entity/ID" or "ID". */
static bool names(const filter *f, mt_str text)
{
    size_t slash = mt_str_find(text, '/');
    bool split = slash < text.len;
    mt_str entity = split ? mt_str_from(text.ptr, slash) : (mt_str){0};
    mt_str id = split ? mt_str_skip(text, slash + 1) : text;
    return mt_str_eq(id, f->instance) &&
           (!f->entity.len || mt_str_eq(entity, f->entity));
}

/* {"Entity": "ID", ...}, or {"Entity": {"ID": state}} as states are written. */
static bool binds(const filter *f, const mt_json *map)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        bool entity = !f->entity.len || mt_str_eq(m->key, f->entity);
        bool inside = mt_json_is(&m->value, MT_JSON_OBJECT) &&
                      mt_json_get(&m->value, f->instance);
        if ((entity && (is_text(&m->value, f->instance) || inside)) ||
            names(f, m->key)) {
            return true;
        }
    }
    return false;
}

/* Kinds of records name instances in different members; all of them are looked at, so
 * that a history is whole. */
static bool about_instance_in(const filter *f, const mt_json *body)
{
    static const char *const TEXTS[] = {"instance", "instance_id", "subject"};
    static const char *const MAPS[] = {"instance_binding", "bindings", "instances",
                                       "state_before", "state_after"};
    const mt_json *entity = mt_json_at(body, "entity");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        const mt_json *text = mt_json_get(body, mt_str_z(TEXTS[i]));
        bool alone = is_text(text, f->instance) &&
                     (!f->entity.len || is_text(entity, f->entity));
        if (alone || (text && names(f, mt_json_text(text)))) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof MAPS / sizeof *MAPS; i++) {
        if (binds(f, mt_json_get(body, mt_str_z(MAPS[i])))) {
            return true;
        }
    }
    return false;
}

/* The parts of a body are itself and its provenance, where operations keep their
 * instances. */
static bool about_instance(const filter *f, const mt_json *body)
{
    return !f->instance.ptr || about_instance_in(f, part_of(body, 0)) ||
           about_instance_in(f, part_of(body, 1));
}

/* A filter that is not given fits everything. */
static bool chosen(const filter *f, const mt_json *body)
{
    bool flow =
        of_flow(part_of(body, 0), f->flow) || of_flow(part_of(body, 1), f->flow);
    return has(body, "kind", f->kind) && has(body, "contract", f->contract) && flow &&
           about_instance(f, body);
}

/* ---- showing ---- */

/* A row of the table: when, what and by whom, in words. */
static void add_row(cli_table *t, uint64_t seq, const mt_json *body)
{
    mt_buf what = {0}, who = {0};
    ex_record_what(&what, body);
    ex_record_who(&who, body);
    cli_table_cell(t, mt_strf(&t->a, "%llu", (unsigned long long)seq));
    cli_table_cell(t, cli_table_time(&t->a, mt_text_at(body, "time")));
    cli_table_cell(t, mt_text_at(body, "kind"));
    cli_table_cell(t, mt_text_at(body, "contract"));
    cli_table_cell(t, mt_buf_str(&what));
    cli_table_cell(t, mt_buf_str(&who));
    mt_buf_free(&what);
    mt_buf_free(&who);
}

/* One record in full: what happened, and why it was decided so. */
static void add_explanation(mt_buf *out, uint64_t seq, const mt_json *body)
{
    mt_buf why = {0};
    mt_str etag = mt_text_at(body, "etag");
    etag = mt_str_from(etag.ptr, etag.len < 12 ? etag.len : 12);
    mt_buf_addf(out, "record %llu, %.*s: %.*s", (unsigned long long)seq,
                MT_ARG(mt_text_at(body, "time")), MT_ARG(mt_text_at(body, "kind")));
    if (etag.len) {
        mt_buf_addf(out, ", contract %.*s (version %.*s)",
                    MT_ARG(mt_text_at(body, "contract")), MT_ARG(etag));
    }
    mt_buf_addz(out, "\n  ");
    ex_record_what(out, body);
    mt_buf_addz(out, "\n  by ");
    ex_record_who(out, body);
    ex_record_why(&why, body);
    mt_str rest = mt_buf_str(&why);
    mt_buf_addz(out, rest.len ? "\nbecause\n" : "\nthe record gives no reason\n");
    while (rest.len) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        mt_buf_addf(out, "  %.*s\n", MT_ARG(line));
        rest = mt_str_skip(rest, line.len + 1);
    }
    mt_buf_free(&why);
}

/* Shortened: a root is recognised by its beginning, and who compares by eye uses
 * `verify`. */
static void add_checkpoint(mt_buf *out, const lg_checkpoint *c)
{
    char name[MT_SIGN_NAME], root[17];
    mt_sign_name(&c->key, name);
    mt_hex(c->root.bytes, 8, root);
    root[16] = '\0';
    mt_buf_addf(out, "checkpoint: %llu records, root %s..., key %s\n",
                (unsigned long long)c->size, root, name);
}

/* ---- the walk ---- */

typedef struct show {
    const cli_args *args;
    filter filter; /* empty members let everything through */
    bool json, explain;
    size_t shown;     /* records that passed the filter */
    cli_table table;  /* rows that are not in `out` yet */
    mt_buf out;       /* flushed when it is large */
    mt_arena scratch; /* of one record */
} show;

/* The range is looked at before the body is read: most lines are outside it. */
static const char *show_record(show *s, mt_str line, const lg_entry *e)
{
    mt_json body;
    if (e->seq < s->filter.from || e->seq >= s->filter.to) {
        return NULL;
    }
    if (mt_json_read(&s->scratch, e->body, NULL, &body, NULL) ||
        body.type != MT_JSON_OBJECT) {
        return "the body is not a JSON object";
    }
    if (chosen(&s->filter, &body)) {
        s->shown++;
        if (s->json) {
            mt_buf_adds(&s->out, line);
            mt_buf_addc(&s->out, '\n');
        } else if (s->explain) {
            add_explanation(&s->out, e->seq, &body);
        } else {
            add_row(&s->table, e->seq, &body);
        }
    }
    return NULL;
}

/* NULL, or what is wrong with the line. */
static const char *show_line(show *s, mt_str line)
{
    lg_entry e;
    lg_checkpoint c;
    mt_arena_reset(&s->scratch);
    if (!lg_entry_read(line, &e)) {
        return show_record(s, line, &e);
    }
    if (lg_checkpoint_read(&s->scratch, line, &c)) {
        return "this line is neither a record nor a checkpoint";
    }
    if (s->filter.all && !s->json && c.size >= s->filter.from &&
        c.size <= s->filter.to) {
        cli_table_write(&s->table, &s->out);
        add_checkpoint(&s->out, &c);
    }
    return NULL;
}

enum { ROWS_AT_ONCE = CLI_TABLE_BATCH * 6 }; /* cells */

/* `above` keeps short outputs together; 0 at the end writes the rest. */
static int flush(show *s, size_t above)
{
    if (!above || s->table.cells.len > ROWS_AT_ONCE) {
        cli_table_write(&s->table, &s->out);
    }
    int code = s->out.len > above ? cli_print(mt_buf_str(&s->out)) : CLI_HOLDS;
    if (s->out.len > above) {
        mt_buf_clear(&s->out);
    }
    return code;
}

/* The chain is not verified here; a line that cannot be read ends it with its number.
 */
static int walk(show *s, const cli_ledger *l)
{
    int code = CLI_HOLDS;
    const char *fault = NULL;
    uint64_t number = 1;
    mt_err err = MT_OK;
    mt_str line;
    while (!code && !fault && s->shown < s->filter.most &&
           !(err = l->source.next(l->source.state, &line))) {
        fault = show_line(s, line);
        number += !fault;
        code = flush(s, 1 << 16);
    }
    code = code ? code : flush(s, 0);
    if (fault) {
        return cli_fail(s->args, CLI_FAILS, "%s, line %llu: %s", l->name,
                        (unsigned long long)number, fault);
    }
    return code ? code : cli_ledger_stop(s->args, l, err, number);
}

/* The last operand, if it is digits: one record. `named` is then without it. */
static const char *record_number(const cli_args *args, cli_args *named)
{
    const char *last = args->count ? args->operands[args->count - 1] : "";
    if (!*last || strlen(last) > 18 || strspn(last, "0123456789") != strlen(last)) {
        return NULL;
    }
    named->count--;
    return last;
}

/* From a store only the records from `from` on are read; from a file all are, and the
 * earlier ones skipped. */
int cmd_ledger_show(const cli_args *args)
{
    cli_ledger l;
    cli_args named = *args;
    const char *number = record_number(args, &named);
    show s = {.args = &named,
              .json = cli_flag(args, "json"),
              .explain = cli_flag(args, "explain"),
              .table = {.titles = {"N", "TIME", "KIND", "CONTRACT", "WHAT", "WHO"}}};
    if (!read_filter(args, &s.filter)) {
        return CLI_USAGE;
    }
    if (number) {
        s.filter.from = strtoull(number, NULL, 10);
        s.filter.to = s.filter.from + 1;
        s.filter.all = false;
    }
    int code = cli_ledger_open(&named, s.filter.from, &l);
    code = code ? code : walk(&s, &l);
    if (!code && number && !s.shown) {
        code = cli_fail(args, CLI_FAILS, "the ledger has no record %s", number);
    }
    cli_ledger_close(&l);
    cli_table_free(&s.table);
    mt_buf_free(&s.out);
    mt_arena_free(&s.scratch);
    return code;
}
