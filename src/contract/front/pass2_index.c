/* contract/front/pass2_index.c - who is called what.
 * Duplicates over file boundaries count as pass 1 and are looked for from the end, so
 * that the file loaded first is the one reported; duplicates within a file are pass 2.
 */
#include "contract/front/unit.h"

/* By base name, as the suite reports them: two files of one name in different
 * directories count as one for the choice of the message. */
static bool same_file_name(const fr_construct *a, const fr_construct *b)
{
    return a->file == b->file || mt_str_eq(a->file->name, b->file->name);
}

/* At the second name for people, with where the other one is. */
static fr_place at_double(fr_unit *u, const fr_construct *c, const fr_construct *other)
{
    fr_place at = fr_exactly(fr_at(c, c->tok, FR_FIELD("id")), c->id_tok, c->id_tok);
    at.exact.message =
        fr_said(u, "%s '%.*s' is declared twice: also in %.*s:%u",
                fr_kind_name((fr_kind)c->kind), FR_ARG(u, c->id),
                MT_ARG(other->file->path), fr_line(other->file, other->tok));
    return at;
}

/* The index serves as scratch here and is emptied at the end. */
static void check_across_files(fr_unit *u)
{
    for (size_t i = u->all.len; i-- > 0;) {
        const fr_construct *c = u->all.items[i];
        uint32_t *seen = &u->index[c->id].of[c->kind];
        if (!c->id) {
            continue;
        }
        if (!*seen) {
            *seen = (uint32_t)i + 1;
            continue;
        }
        const fr_construct *other = u->all.items[*seen - 1];
        if (!same_file_name(c, other)) {
            fr_report(u, FR_E_DUPLICATE_ACROSS, at_double(u, c, other),
                      "duplicate %s id '%.*s': first declared in %.*s",
                      fr_kind_name((fr_kind)c->kind), FR_ARG(u, c->id),
                      MT_ARG(other->file->name));
        }
    }
    memset(u->index, 0, u->index_len * sizeof *u->index);
}

/* A double is kept in the list of its kind, so that it is checked like any other, but
 * names lead to the first. */
static void add_construct(fr_unit *u, fr_construct *c)
{
    fr_kind kind = (fr_kind)c->kind;
    uint32_t *known = &u->index[c->id].of[kind];
    if (c->id && *known) {
        const fr_construct *first = u->kinds[kind].items[*known - 1];
        if (same_file_name(c, first)) {
            fr_report(u, FR_E_DUPLICATE, at_double(u, c, first),
                      "duplicate %s id '%.*s': first declared at line %u",
                      fr_kind_name(kind), FR_ARG(u, c->id),
                      fr_line(first->file, first->tok));
        }
    }
    *mt_vec_add(u->keep, &u->kinds[kind]) = c;
    if (c->id && !*known) {
        *known = (uint32_t)u->kinds[kind].len;
    }
}

/* The first rule of two keeps the verdict; fr_validate_verdicts() reports the second
 * (S8). */
static void index_verdicts(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_RULE].len; i++) {
        const fr_rule *r = (const fr_rule *)u->kinds[FR_RULE].items[i];
        fr_ask_ahead(u->kinds[FR_RULE].items, u->kinds[FR_RULE].len, i, 12, 128);
        uint32_t *known = &u->index[r->verdict.sym].verdict;
        if (r->verdict.sym && !*known) {
            *known = (uint32_t)i + 1;
        }
    }
}

/* Sized by the symbols that exist now: later passes add none that could be a name, and
 * fr_find() asks for the bound. Whether any persona is declared decides if unknown ones
 * are reported (see fr_use_persona()). */
void fr_pass2_index(fr_unit *u)
{
    u->index_len = u->syms.len;
    u->index = mt_new_array(u->keep, fr_index_entry, u->index_len);
    u->marks = mt_new_array(u->keep, struct fr_mark, u->index_len);
    if (u->files.len > 1) {
        check_across_files(u);
    }
    for (size_t i = 0; i < u->all.len; i++) {
        fr_ask_ahead(u->all.items, u->all.len, i, 12, 64);
        add_construct(u, u->all.items[i]);
    }
    index_verdicts(u);
    u->has_personas = u->kinds[FR_PERSONA].len > 0;
}
