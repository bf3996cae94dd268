/* Which instances exist and in which state: from JSON and from the command line, the
 * last word counts; and which of them stand for the entities of a run. */
#include "../rows.h"
#include "flow_fixture.h"

static const char STATES_BUNDLE[] = BUNDLE(
    PERSONA("ann") ENTITY("Box", "open", "'open','shut','lost'", ARC("open", "shut"))
        ENTITY("Ship", "here", "'here','gone'", ARC("here", "gone")));

/* What is said in this order: an object as JSON, anything else as on the command line.
 */
static const struct said_row {
    const char *name;
    const char *said[8];
    mt_err err;
    const char *want; /* the map, or why not */
} SAID[] = {
    {"nothing", {"{}"}, MT_OK, "{}"},
    {"a lone state is that of the default instance",
     {"{'Ship':'gone'}", "Box=shut"},
     MT_OK,
     "{'Box':{'_default':'shut'},'Ship':{'_default':'gone'}}"},
    {"instances in the order of their names",
     {"{'Box':{'c':'lost','a':'open'}}", "Box/b=shut", "Box/B=lost", "Box/aa=open"},
     MT_OK,
     "{'Box':{'B':'lost','a':'open','aa':'open','b':'shut','c':'lost'}}"},
    {"the last word counts, of two",
     {"Box/a=shut", "Box/a=open"},
     MT_OK,
     "{'Box':{'a':'open'}}"},
    {"the last word counts, of many",
     {"{'Box':{'b':'shut','a':'shut','c':'shut'}}", "Box/b=lost", "Box/a=lost",
      "Box/c=lost", "Box/b=open", "Ship/b=gone"},
     MT_OK,
     "{'Box':{'a':'lost','b':'open','c':'lost'},'Ship':{'b':'gone'}}"},
    {"a name has what a state cannot have",
     {"Box/a=b/c=open", "Box/==shut"},
     MT_OK,
     "{'Box':{'=':'shut','a=b/c':'open'}}"},
    {"an object without instances", {"{'Box':{}}"}, MT_OK, "{}"},
    {"a list of states", {"[]"}, MT_E_TYPE, "states must be an object, not array"},
    {"a state that is a number",
     {"{'Ship':'gone','Box':1}"},
     MT_E_TYPE,
     "state of entity 'Box' must be a string, not number"},
    {"a state of an instance that is none",
     {"{'Box':{'a':'open','b':null}}"},
     MT_E_TYPE,
     "state of entity 'Box' must be a string, not null"},
    {"an entity that is near to one",
     {"{'Bxo':'open'}"},
     MT_E_NOTFOUND,
     "the contract has no entity 'Bxo'; did you mean 'Box'?"},
    {"an entity that is near to none",
     {"Elephant=open"},
     MT_E_NOTFOUND,
     "the contract has no entity 'Elephant'"},
    {"an entity without instances that is none",
     {"{'Ship':'gone','Shop':{}}"},
     MT_E_NOTFOUND,
     "the contract has no entity 'Shop'; did you mean 'Ship'?"},
    {"a state that is near to the last one",
     {"Box/a=lot"},
     MT_E_NOTFOUND,
     "entity 'Box' has no state 'lot'; did you mean 'lost'?"},
    {"a state that is near to the first one",
     {"{'Box':{'a':'opn'}}"},
     MT_E_NOTFOUND,
     "entity 'Box' has no state 'opn'; did you mean 'open'?"},
    {"a state that is near to none",
     {"{'Box':'elephantine'}"},
     MT_E_NOTFOUND,
     "entity 'Box' has no state 'elephantine'"},
    {"an instance without a name",
     {"{'Box':{'':'open'}}"},
     MT_E_TYPE,
     "an instance of entity 'Box' has an empty name"},
    {"an instance without a name, in words",
     {"Box/=open"},
     MT_E_TYPE,
     "an instance of entity 'Box' has an empty name"},
    {"an entity alone",
     {"Box"},
     MT_E_SYNTAX,
     "'Box' is not ENTITY=STATE or ENTITY/INSTANCE=STATE"},
    {"a state alone", {"=open"}, MT_E_NOTFOUND, "the contract has no entity ''"},
    {"an entity with an empty state",
     {"Box="},
     MT_E_NOTFOUND,
     "entity 'Box' has no state ''"},
};

static mt_json tree_of(fixture *f, const char *json)
{
    mt_json tree;
    assert_int_equal(mt_json_read(&f->a, fixture_json(&f->a, json), NULL, &tree, NULL),
                     MT_OK);
    return tree;
}

static mt_err say(fixture *f, ct_states *s, const char *text, mt_str *why)
{
    if (*text != '{' && *text != '[') {
        return ct_states_read_text(&f->a, s, mt_str_z(text), why);
    }
    mt_json *tree = mt_new(&f->a, mt_json);
    *tree = tree_of(f, text);
    return ct_states_read(&f->a, s, tree, why);
}

static mt_str shown(fixture *f, const ct_states *s)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ct_states_json(&w, s);
    mt_str text = mt_str_dup(&f->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static void is_the_map(void **state)
{
    const struct said_row *row = *state;
    fixture f;
    fixture_open(&f, STATES_BUNDLE);
    ct_states s = ct_states_new(&f.a, f.model);
    mt_str why = {0};
    mt_err err = MT_OK;
    for (const char *const *said = row->said; *said && !err; said++) {
        err = say(&f, &s, *said, &why);
    }
    assert_int_equal(err, row->err);
    ct_states_seal(&s);
    assert_text(err ? why : shown(&f, &s),
                err ? mt_str_z(row->want) : fixture_json(&f.a, row->want));
    fixture_close(&f);
}

/* However many there are and in whichever order they come. */
static void every_instance_is_found(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, STATES_BUNDLE);
    for (uint32_t count = 0; count < 40; count++) {
        ct_states s = ct_states_new(&f.a, f.model);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t n = (i * 17 + 5) % 41;
            ct_states_put(&f.a, &s, 0, mt_strf(&f.a, "i%02u", n), n % 2);
            ct_states_put(&f.a, &s, 0, mt_strf(&f.a, "i%02u", n), n % 3);
        }
        ct_states_seal(&s);
        assert_int_equal(s.entities[0].len, count);
        for (uint32_t i = 0; i < 41; i++) {
            uint32_t n = (i * 17 + 5) % 41;
            assert_int_equal(ct_states_get(&s, 0, mt_strf(&f.a, "i%02u", n)),
                             i < count ? n % 3 : CT_NONE);
        }
        assert_int_equal(ct_states_get(&s, 0, MT_STR("")), CT_NONE);
        assert_int_equal(ct_states_get(&s, 0, MT_STR("z")), CT_NONE);
        assert_int_equal(ct_states_get(&s, 1, MT_STR("i05")), CT_NONE);
    }
    fixture_close(&f);
}

static void what_nobody_spoke_of_is_in_its_initial_state(void **state)
{
    (void)state;
    static const char *const ROWS[][2] = {
        {"{}", "{'Box':{'_default':'open'},'Ship':{'_default':'here'}}"},
        {"{'Box':{'a':'lost'}}", "{'Box':{'a':'lost'},'Ship':{'_default':'here'}}"},
        {"{'Ship':'gone'}", "{'Box':{'_default':'open'},'Ship':{'_default':'gone'}}"},
    };
    fixture f;
    fixture_open(&f, STATES_BUNDLE);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        fixture_states(&f, ROWS[i][0]);
        assert_text(shown(&f, &f.states), fixture_json(&f.a, ROWS[i][1]));
    }
    fixture_close(&f);
}

/* Of the entities Box and Ship, whose instances are a: shut and _default: gone. */
static const struct bound_row {
    const char *name, *said;
    mt_err err;
    const char *alone, *defaults; /* as `defaults` asks; or why not */
} BOUND[] = {
    {"nothing is bound", "{}", MT_OK, "- -", "- _default=gone"},
    {"an instance that exists", "{'Box':'a'}", MT_OK, "a=shut -",
     "a=shut _default=gone"},
    {"in words", "Box=a", MT_OK, "a=shut -", "a=shut _default=gone"},
    {"an instance that does not exist", "Ship=x=y", MT_OK, "- x=y=none", "- x=y=none"},
    {"two", "{'Ship':'_default','Box':'b'}", MT_OK, "b=none _default=gone",
     "b=none _default=gone"},
    {"a list", "[]", MT_E_TYPE, "bindings must be an object, not array", ""},
    {"a number", "{'Box':'a','Ship':1}", MT_E_TYPE,
     "binding of entity 'Ship' must be a string, not number", ""},
    {"an entity that is none", "{'Box':'a','Shp':'a'}", MT_E_NOTFOUND,
     "the contract has no entity 'Shp'; did you mean 'Ship'?", ""},
    {"an empty name", "Box=", MT_E_TYPE, "entity 'Box' is bound to an empty name", ""},
    {"an entity alone", "Box", MT_E_SYNTAX, "'Box' is not ENTITY=INSTANCE", ""},
    {"an instance alone", "=a", MT_E_NOTFOUND, "the contract has no entity ''", ""},
};

static mt_str bound(fixture *f, const ct_binding *b)
{
    mt_str text = MT_STR("");
    for (uint32_t e = 0; e < f->model->entity_count; e++) {
        mt_str state = b->states[e] == CT_NONE
                           ? MT_STR("none")
                           : f->model->entities[e].states[b->states[e]];
        mt_str one =
            b->instances[e].ptr
                ? mt_strf(&f->a, "%.*s=%.*s", MT_ARG(b->instances[e]), MT_ARG(state))
                : MT_STR("-");
        text = mt_strf(&f->a, "%.*s%s%.*s", MT_ARG(text), e ? " " : "", MT_ARG(one));
    }
    return text;
}

static void stands_for_the_entities(void **state)
{
    const struct bound_row *row = *state;
    fixture f;
    fixture_open(&f, STATES_BUNDLE);
    ct_states s = ct_states_new(&f.a, f.model);
    mt_str why = {0};
    assert_int_equal(say(&f, &s, "{'Box':{'a':'shut'},'Ship':'gone'}", &why), MT_OK);
    ct_states_seal(&s);
    for (int defaults = 0; defaults < 2; defaults++) {
        ct_binding b = ct_binding_new(&f.a, f.model);
        mt_err err;
        if (*row->said == '{' || *row->said == '[') {
            mt_json tree = tree_of(&f, row->said);
            err = ct_binding_read(&f.a, &b, f.model, &tree, &why);
        } else {
            err = ct_binding_read_text(&f.a, &b, f.model, mt_str_z(row->said), &why);
        }
        assert_int_equal(err, row->err);
        if (!err) {
            ct_binding_resolve(&b, &s, defaults);
        }
        assert_text(err ? why : bound(&f, &b),
                    mt_str_z(defaults && !err ? row->defaults : row->alone));
    }
    fixture_close(&f);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, SAID, is_the_map);
    rows_test(&list, every_instance_is_found);
    rows_test(&list, what_nobody_spoke_of_is_in_its_initial_state);
    rows_add(&list, BOUND, stands_for_the_entities);
    return rows_run(&list, "contract/states");
}
