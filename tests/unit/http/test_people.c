/* Whom decisions are asked about: what a subject is by the rules of the configuration,
 * which types can be listed, and what is refused when it is read. */
#include "../rows.h"
#include "http/people.h"

static mt_arena arena;

static mt_json tree(const char *text)
{
    mt_json out;
    assert_int_equal(mt_json_read(&arena, mt_str_z(text), NULL, &out, NULL), MT_OK);
    return out;
}

static void hear(void *state, mt_str key, size_t offset, mt_str reason)
{
    (void)offset;
    mt_buf_addf(state, "%.*s: %.*s\n", MT_ARG(key), MT_ARG(reason));
}

/* NULL with the faults in `said`. */
static ht_people *people_of(const mt_json *all, mt_buf *said)
{
    ht_people *p;
    au_settings in = {.all = all,
                      .persona_known = ex_persona_known,
                      .right_known = ex_right_known,
                      .fault = hear,
                      .state = said};
    size_t faults = ht_people_read(&in, &p);
    assert_int_equal(faults > 0, said->len > 0);
    return p;
}

static const char SETTINGS[] =
    "{\"authzen\":{\"subjects\":{"
    "\"user\":{\"rules\":[{\"claim\":\"id\",\"equals\":\"ada\",\"personas\":[\"a:x\"]},"
    "{\"claim\":[\"properties\",\"groups\"],\"contains\":\"staff\",\"personas\":[\"y\"]"
    "}]},"
    "\"robot\":{\"rules\":[{\"claim\":\"id\",\"equals\":\"r2\",\"personas\":[\"x\"]},"
    "{\"claim\":\"id\",\"equals\":\"r2\",\"personas\":[\"y\"]},"
    "{\"claim\":\"id\",\"equals\":\"r3\",\"personas\":[\"x\"]}]}}}}";

/* ---- Who somebody is ---- */

static const struct find_row {
    const char *name, *subject, *want;
} FOUND[] = {
    {"by the id", "{\"type\":\"user\",\"id\":\"ada\"}", "a:x"},
    {"another id is nobody", "{\"type\":\"user\",\"id\":\"adA\"}", ""},
    {"by what the caller vouches for",
     "{\"type\":\"user\",\"id\":\"bo\",\"properties\":{\"groups\":[\"staff\"]}}", "y"},
    {"both add up",
     "{\"type\":\"user\",\"id\":\"ada\",\"properties\":{\"groups\":\"all staff\"}}",
     "a:x y"},
    {"rules are of one type", "{\"type\":\"robot\",\"id\":\"ada\"}", ""},
    {"two rules for one id", "{\"type\":\"robot\",\"id\":\"r2\"}", "x y"},
    {"an unknown type is nobody", "{\"type\":\"ship\",\"id\":\"ada\"}", ""},
    {"a type is no claim", "{\"type\":\"id\",\"id\":\"user\"}", ""},
};

static void is_found(void **state)
{
    const struct find_row *r = *state;
    mt_json all = tree(SETTINGS), subject = tree(r->subject);
    mt_buf said = {0}, got = {0};
    ht_known known = {.people = people_of(&all, &said)};
    ex_subject_of who;
    ht_people_find(&known, &arena, &subject, &who);
    for (size_t i = 0; i < who.persona_count; i++) {
        mt_buf_addf(&got, "%s%.*s", i ? " " : "", MT_ARG(who.personas[i]));
    }
    assert_true(mt_str_eq(mt_buf_str(&got), mt_str_z(r->want)));
    mt_buf_free(&got);
    ht_people_free((ht_people *)(uintptr_t)known.people);
}

/* ---- Who there is ---- */

static const struct list_row {
    const char *name, *type;
    mt_err want;
    size_t count;
} LISTS[] = {
    {"each id once", "robot", MT_OK, 2},
    {"not where properties decide", "user", MT_E_RANGE, 0},
    {"tokens are nobody's list", "token", MT_E_RANGE, 0},
    {"an unknown type has nobody", "ship", MT_E_NOTFOUND, 0},
};

static void is_listed(void **state)
{
    const struct list_row *r = *state;
    mt_json all = tree(SETTINGS);
    mt_buf said = {0};
    ht_known known = {.people = people_of(&all, &said)};
    const mt_str *ids;
    size_t count;
    assert_int_equal(ht_people_list(&known, &arena, mt_str_z(r->type), &ids, &count),
                     r->want);
    assert_int_equal(count, r->count);
    ht_people_free((ht_people *)(uintptr_t)known.people);
}

/* ---- What is refused ---- */

#define SUBJECTS(inside) "{\"authzen\":{\"subjects\":" inside "}}"

static const struct fault_row {
    const char *name, *settings, *want; /* "": it is good */
} FAULTS[] = {
    {"nothing is good", "{}", ""},
    {"no types are good", SUBJECTS("{}"), ""},
    {"subjects are needed", "{\"authzen\":{}}", "subjects"},
    {"a rule grants something", SUBJECTS("{\"u\":{\"rules\":[{}]}}"), "grants nothing"},
    {"personas only", SUBJECTS("{\"u\":{\"rules\":[{\"rights\":[\"read\"]}]}}"),
     "rights are for who calls"},
    {"in their grammar", SUBJECTS("{\"u\":{\"rules\":[{\"personas\":[\"a:\"]}]}}"),
     "a persona is"},
    {"persona is taken", SUBJECTS("{\"persona\":{\"rules\":[{\"personas\":[\"a\"]}]}}"),
     "its own meaning"},
    {"token is taken", SUBJECTS("{\"token\":{\"rules\":[{\"personas\":[\"a\"]}]}}"),
     "its own meaning"},
    {"a misspelt key", SUBJECTS("{\"u\":{\"rule\":[]}}"), "rule"},
};

static void is_refused(void **state)
{
    const struct fault_row *r = *state;
    mt_json all = tree(r->settings);
    mt_buf said = {0};
    ht_people *p = people_of(&all, &said);
    assert_int_equal(said.len > 0, r->want[0] != '\0');
    assert_true(!said.len ||
                (!p && memmem(said.ptr, said.len, r->want, strlen(r->want))));
    mt_buf_free(&said);
    ht_people_free(p);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, FOUND, is_found);
    rows_add(&l, LISTS, is_listed);
    rows_add(&l, FAULTS, is_refused);
    int failed = rows_run(&l, "http/people");
    mt_arena_free(&arena);
    return failed;
}
