/* Random pairs of versions: a flow instance judged compatible runs to a terminal under
 * the new version whatever its operations choose, and what is judged incompatible has a
 * reason that is true.
 * 300 pairs; MOTET_SOAK=1 runs 20,000. MOTET_SEED chooses others. */
#include "../contract/random_flow.h"
#include "contract/flow/paths.h"
#include "version_fixture.h"

enum { MAX_CONSTRUCTS = 64, MAX_CHOICES = 24, MAX_RUNS = 64 };

typedef struct texts {
    mt_str items[MAX_CONSTRUCTS];
    uint32_t count;
} texts;

/* ---- making pairs ---- */

static texts split(mt_arena *a, const mt_buf *bundle)
{
    texts t = {0};
    mt_json *tree = mt_new(a, mt_json);
    mt_str kept = mt_str_dup(a, mt_buf_str(bundle));
    assert_int_equal(mt_json_read(a, kept, NULL, tree, NULL), MT_OK);
    const mt_json *list = mt_json_at(tree, "constructs");
    assert_true(list->count <= MAX_CONSTRUCTS);
    for (uint32_t i = 0; i < list->count; i++) {
        mt_buf out = {0};
        mt_json_write(&out, &list->as.items[i], false);
        t.items[t.count++] = mt_str_dup(a, mt_buf_str(&out));
        mt_buf_free(&out);
    }
    return t;
}

static mt_str replaced(mt_arena *a, mt_str text, const char *from, const char *to,
                       int which)
{
    mt_buf out = {0};
    size_t length = strlen(from);
    int met = 0;
    for (size_t i = 0; i < text.len;) {
        bool hit = text.len - i >= length && !memcmp(text.ptr + i, from, length);
        if (hit && (which < 0 || met++ == which)) {
            mt_buf_addz(&out, to);
            i += length;
        } else {
            mt_buf_addc(&out, text.ptr[i++]);
        }
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* Small changes inside one construct. */
static mt_str nudged(mt_arena *a, mt_str text)
{
    static const char *const EDITS[][2] = {
        {"\"literal\":true", "\"literal\":false"},
        {"\"verdict_present\":\"v0\"", "\"verdict_present\":\"v1\""},
        {"\"verdict_present\":\"v2\"", "\"verdict_present\":\"v3\""},
        {"\"fact_ref\":\"f0\"", "\"fact_ref\":\"f3\""},
        {"\"persona\":\"p0\"", "\"persona\":\"p1\""},
        {"\"persona\":\"p1\"", "\"persona\":\"p0\""},
        {"[\"p0\"]", "[\"p1\"]"},
        {"\"to\":\"s1\"", "\"to\":\"s0\""},
        {"\"from\":\"s0\"", "\"from\":\"s2\""},
        {"\"op\":\"op1\"", "\"op\":\"op5\""},
        {"\"op\":\"and\"", "\"op\":\"or\""},
        {"\"flow\":\"w0\"", "\"flow\":\"w1\""},
        {"\"outcome\":\"failure\"", "\"outcome\":\"success\""},
    };
    const char *const *edit = EDITS[draw(sizeof EDITS / sizeof *EDITS)];
    return replaced(a, text, edit[0], edit[1], (int)draw(3));
}

/* State s2 of entity k gets another name, in its operations too. */
static void rename_state(mt_arena *a, texts *t, uint32_t k)
{
    char entity[32];
    snprintf(entity, sizeof entity, "\"E%u\"", k);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_str text = t->items[i];
        if (memmem(text.ptr, text.len, entity, strlen(entity)) &&
            !memmem(text.ptr, text.len, "\"Flow\"", 6)) {
            t->items[i] = replaced(a, text, "\"s2\"", "\"s9\"", -1);
        }
    }
}

static void mutate(mt_arena *a, texts *t, const texts *other)
{
    uint32_t at = draw(t->count);
    switch (draw(7)) {
    case 0: t->items[at] = other->items[at]; break;
    case 2: /* all flows and operations at once */
        for (at = t->count - OPS - FLOWS; at < t->count; at++) {
            t->items[at] = other->items[at];
        }
        break;
    case 1: rename_state(a, t, draw(ENTITIES)); break;
    default:
        at = t->count - 1 - draw(OPS + FLOWS);
        t->items[at] = nudged(a, t->items[at]);
    }
}

/* The old version may not know a fact the new one has. */
static void forget_fact(mt_arena *a, texts *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!memmem(t->items[i].ptr, t->items[i].len, "\"id\":\"f3\"", 9)) {
            t->items[kept++] = replaced(a, t->items[i], "\"fact_ref\":\"f3\"",
                                        "\"fact_ref\":\"f2\"", -1);
        }
    }
    t->count = kept;
}

/* False when the loader refuses it. */
static bool open_texts(version *v, const texts *t)
{
    mt_buf out = {0};
    *v = (version){0};
    v->ds.arena = &v->a;
    mt_buf_addz(&out, "{\"constructs\":[");
    for (uint32_t i = 0; i < t->count; i++) {
        mt_buf_addf(&out, "%s%.*s", i ? "," : "", MT_ARG(t->items[i]));
    }
    mt_buf_addz(&out, "],\"id\":\"random\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                      "\"tenor_version\":\"1.0.0\"}");
    v->bundle = mt_str_dup(&v->a, mt_buf_str(&out));
    mt_buf_free(&out);
    if (ct_load(&v->a, v->bundle, MT_STR("t"), NULL, &v->ds, &v->model) ||
        ct_plan_build(&v->a, ct_compile(&v->a, v->model), &v->ds, &v->plan)) {
        return false;
    }
    v->facts = ct_facts_new(v->model);
    v->verdicts = ct_verdicts_new(v->plan->program);
    return true;
}

/* ---- every choice ---- */

typedef struct script {
    uint32_t taken[MAX_CHOICES], options[MAX_CHOICES];
    uint32_t used;
} script;

static uint32_t choose(void *context, const ct_run *run, uint32_t step, uint32_t op,
                       const uint32_t *matching, uint32_t count)
{
    script *s = context;
    (void)run;
    (void)step;
    (void)op;
    if (s->used == MAX_CHOICES) {
        return matching[0];
    }
    s->options[s->used] = count;
    uint32_t pick = s->taken[s->used] < count ? s->taken[s->used] : 0;
    s->used++;
    return matching[pick];
}

/* The next script, false when all were tried. */
static bool advance(script *s)
{
    uint32_t used = s->used;
    s->used = 0;
    while (used--) {
        if (++s->taken[used] < s->options[used]) {
            return true;
        }
        s->taken[used] = 0;
    }
    return false;
}

typedef struct tally {
    uint64_t pairs, compatible, incompatible, bolder, kinds[AN_OBSTACLE_COUNT];
} tally;

static void runs_to_a_terminal(version *v1, version *v2)
{
    script s = {0};
    int runs = 0;
    do {
        ct_run_status status =
            version_migrate_with(v1, v2, (ct_host){.context = &s, .choose = choose});
        if (status != CT_RUN_DONE) {
            print_error("old: %.*s\nnew: %.*s\n", MT_ARG(v1->bundle),
                        MT_ARG(v2->bundle));
            fail_msg("compatible, but it ends with: %.*s", MT_ARG(v2->run.fault));
        }
        for (size_t i = 0; i < v2->run.records.len; i++) {
            assert_int_not_equal(v2->run.records.items[i].error, CT_OP_PERSONA);
        }
    } while (advance(&s) && ++runs < MAX_RUNS);
}

/* ---- reasons ---- */

/* What the obstacle says can be seen in the new version. */
static void reason_is_true(const version *v1, const version *v2, const an_obstacle *o)
{
    const ct_model *m = v2->model;
    assert_true(o->reason.len > 0 && o->flow.len > 0);
    uint32_t entity = ct_model_find(m, CT_KIND_ENTITY, o->subject);
    uint32_t was = ct_model_find(v1->model, CT_KIND_ENTITY, o->subject);
    uint32_t rule = ct_model_find(v1->model, CT_KIND_VERDICT, o->subject);
    switch ((int)o->kind) {
    case AN_STATE_REMOVED:
        assert_int_equal(
            ct_state_find(&m->entities[entity],
                          ct_plan_state_id(v1->plan, was, v1->run.states[was])),
            CT_NONE);
        break;
    case AN_VERDICT_LACKING:
        assert_true(rule == CT_NONE || !ct_verdict_present(v1->verdicts, rule));
        break;
    case AN_FACT_MISSING:
        assert_int_equal(ct_model_find(v1->model, CT_KIND_FACT, o->subject), CT_NONE);
        break;
    case AN_PERSONA_REFUSED:
        assert_int_not_equal(ct_model_find(m, CT_KIND_PERSONA, o->subject), CT_NONE);
        break;
    default: break;
    }
}

static void judge(version *v1, version *v2, tally *t)
{
    an_compatibility safe, bold;
    mt_mark mark = mt_arena_mark(&v2->a);
    an_compat(&v2->a, &v1->run, v2->plan, NULL, &safe);
    an_compat(&v2->a, &v1->run, v2->plan, &(an_compat_options){true}, &bold);
    assert_true(bold.compatible || !safe.compatible);
    if (safe.compatible) {
        t->compatible++;
    } else {
        t->incompatible++;
        t->bolder += bold.compatible;
        for (size_t i = 0; i < safe.obstacles.len; i++) {
            reason_is_true(v1, v2, &safe.obstacles.items[i]);
            t->kinds[safe.obstacles.items[i].kind]++;
        }
    }
    if (bold.compatible) {
        runs_to_a_terminal(v1, v2);
    }
    mt_arena_rewind(&v2->a, mark);
}

/* One instance per fact set, judged at every step of its way. */
static void walk_instance(version *v1, version *v2, uint32_t facts, tally *t)
{
    mt_mark mark = mt_arena_mark(&v1->a);
    mt_str json = mt_strf(&v1->a, "{\"f0\":%s,\"f1\":%s,\"f2\":%s,\"f3\":%s}",
                          facts & 1 ? "true" : "false", facts & 2 ? "true" : "false",
                          facts & 4 ? "true" : "false", facts & 8 ? "true" : "false");
    version_begin(v1, json.ptr, "w2", "p0");
    do {
        judge(v1, v2, t);
    } while (ct_run_step(&v1->run) == CT_RUN_MORE);
    mt_arena_rewind(&v1->a, mark);
}

/* Authority is drawn at random; most pairs let everybody act, or little else is met. */
static void let_everybody_act(mt_arena *a, texts *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        t->items[i] = replaced(a, t->items[i], "_personas\":[\"p1\"]",
                               "_personas\":[\"p0\",\"p1\"]", -1);
        t->items[i] = replaced(a, t->items[i], "_personas\":[\"p0\"]",
                               "_personas\":[\"p0\",\"p1\"]", -1);
        t->items[i] = replaced(a, t->items[i], "_personas\":[\"p0\",\"p0\"]",
                               "_personas\":[\"p0\",\"p1\"]", -1);
    }
}

static void one_pair(tally *t)
{
    mt_arena a = {0};
    mt_buf text = {0};
    make_contract(&text);
    texts old = split(&a, &text);
    make_contract(&text);
    texts other = split(&a, &text);
    if (draw(8)) {
        let_everybody_act(&a, &old);
        let_everybody_act(&a, &other);
    }
    texts new = old;
    for (uint32_t n = 1 + draw(3); n; n--) {
        mutate(&a, &new, &other);
    }
    if (!draw(4)) {
        forget_fact(&a, &old);
    }
    version v1, v2;
    bool opened = open_texts(&v1, &old);
    if (open_texts(&v2, &new) && opened) {
        t->pairs++;
        for (uint32_t facts = 0; facts < 16; facts++) {
            walk_instance(&v1, &v2, facts, t);
        }
    }
    version_close(&v1);
    version_close(&v2);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

/* A version is compatible with itself, wherever an instance stands, unless it may end a
 * parallel step without a way on. */
static void an_unchanged_contract_is_compatible_everywhere(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t i = 0; i < 200; i++) {
        mt_arena a = {0};
        mt_buf text = {0};
        seed_state = i * 7919 + 5;
        make_contract(&text);
        texts same = split(&a, &text);
        let_everybody_act(&a, &same);
        version v1, v2;
        bool opened = open_texts(&v1, &same);
        if (open_texts(&v2, &same) && opened) {
            for (uint32_t facts = 0; facts < 16; facts++) {
                walk_instance(&v1, &v2, facts, &t);
            }
        }
        version_close(&v1);
        version_close(&v2);
        mt_buf_free(&text);
        mt_arena_free(&a);
    }
    for (int i = 0; i < AN_OBSTACLE_COUNT; i++) {
        if (t.kinds[i] && i != AN_NO_JOIN) {
            fail_msg("%s: %llu", an_obstacle_name((an_obstacle_kind)i),
                     (unsigned long long)t.kinds[i]);
        }
    }
    assert_true(t.compatible > 1000);
}

static void compatible_instances_end_and_obstacles_are_true(void **state)
{
    (void)state;
    const char *seed = getenv("MOTET_SEED");
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    uint64_t pairs = getenv("MOTET_SOAK") ? 20000 : 300;
    tally t = {0};
    for (uint64_t i = 0; t.pairs < pairs && i < 20 * pairs; i++) {
        seed_state = (first * 1000003 + i) * 2654435761u + 1;
        one_pair(&t);
    }
    print_message("seed %llu: %llu pairs, %llu compatible, %llu incompatible, of which "
                  "aggressive forgives %llu\n",
                  (unsigned long long)first, (unsigned long long)t.pairs,
                  (unsigned long long)t.compatible, (unsigned long long)t.incompatible,
                  (unsigned long long)t.bolder);
    for (int i = 0; i < AN_OBSTACLE_COUNT; i++) {
        print_message("  %s: %llu\n", an_obstacle_name((an_obstacle_kind)i),
                      (unsigned long long)t.kinds[i]);
    }
    assert_int_equal(t.pairs, pairs);
    assert_true(t.compatible > pairs && t.incompatible > pairs);
}

/* ---- what the new version makes worse ---- */

/* Adds every transition that operations of the texts use on the entity. */
static void add_transitions(mt_arena *a, mt_buf *out, const texts *t, mt_str entity)
{
    for (uint32_t i = 0; i < t->count; i++) {
        mt_json *tree = mt_new(a, mt_json);
        assert_int_equal(mt_json_read(a, t->items[i], NULL, tree, NULL), MT_OK);
        const mt_json *effects = mt_json_at(tree, "effects");
        for (uint32_t k = 0; effects && k < effects->count; k++) {
            const mt_json *e = &effects->as.items[k];
            mt_str from = mt_json_text(mt_json_at(e, "from"));
            mt_str to = mt_json_text(mt_json_at(e, "to"));
            if (!mt_str_eq(mt_json_text(mt_json_at(e, "entity_id")), entity)) {
                continue;
            }
            mt_str one = mt_strf(a, "{\"from\":\"%.*s\",\"to\":\"%.*s\"}", MT_ARG(from),
                                 MT_ARG(to));
            if (!out->len || !memmem(out->ptr, out->len, one.ptr, one.len)) {
                mt_buf_addf(out, "%s%.*s", out->len ? "," : "", MT_ARG(one));
            }
        }
    }
}

/* With all transitions declared every state leads to every other; with those that are
 * used only, instances get stuck. Those of both versions, or neither would load. */
static void thin_transitions(mt_arena *a, texts *t, const texts *other)
{
    for (uint32_t i = 0; i < t->count; i++) {
        mt_str text = t->items[i];
        const char *at = memmem(text.ptr, text.len, "\"transitions\":[", 15);
        if (!at) {
            continue;
        }
        mt_json *tree = mt_new(a, mt_json);
        assert_int_equal(mt_json_read(a, text, NULL, tree, NULL), MT_OK);
        mt_buf list = {0};
        mt_str id = mt_json_text(mt_json_at(tree, "id"));
        add_transitions(a, &list, t, id);
        add_transitions(a, &list, other, id);
        t->items[i] = mt_strf(a, "%.*s\"transitions\":[%.*s]}", (int)(at - text.ptr),
                              text.ptr, MT_ARG(mt_buf_str(&list)));
        mt_buf_free(&list);
    }
}

/* A record as text, by names, so that runs under two versions compare. */
static mt_str record_name(mt_arena *a, const ct_run *run, const ct_record *r)
{
    const ct_plan *p = run->plan;
    mt_str result = MT_STR("");
    if (r->op != CT_NONE && !r->error && r->result != CT_NONE) {
        result = p->outcomes[r->result].label;
    } else if (r->kind == CT_RECORD_BRANCH) {
        result = r->result ? MT_STR("true") : MT_STR("false");
    }
    return mt_strf(a, "%d %d %.*s.%.*s %.*s %.*s", (int)r->kind, (int)r->error,
                   MT_ARG(ct_graph_name(a, p, r->graph)), MT_ARG(p->steps[r->step].id),
                   MT_ARG(r->op == CT_NONE ? MT_STR("") : ct_operation_id(p, r->op)),
                   MT_ARG(result));
}

static bool is_obstacle(const version *v, const an_compatibility *c, const ct_record *r)
{
    for (size_t i = 0; i < c->obstacles.len; i++) {
        if (mt_str_eq(c->obstacles.items[i].step, v->plan->steps[r->step].id)) {
            return true;
        }
    }
    return false;
}

/* Whatever is chosen: up to the first obstacle it meets, and there, the run does the
 * same under both versions. */
static uint64_t meets_the_same(version *v1, version *same, version *v2,
                               const an_compatibility *c)
{
    script one = {0}, two = {0};
    uint64_t met = 0;
    int runs = 0;
    do {
        two = one;
        version_migrate_with(v1, v2, (ct_host){.context = &one, .choose = choose});
        version_migrate_with(v1, same, (ct_host){.context = &two, .choose = choose});
        for (size_t i = 0; i < v2->run.records.len; i++) {
            const ct_record *now = &v2->run.records.items[i];
            if (i >= same->run.records.len) {
                fail_msg("the old version ends earlier");
            }
            mt_str x = record_name(&v2->a, &v2->run, now);
            mt_str y = record_name(&v2->a, &same->run, &same->run.records.items[i]);
            if (!mt_str_eq(x, y)) {
                print_error("old: %.*s\nnew: %.*s\n", MT_ARG(v1->bundle),
                            MT_ARG(v2->bundle));
                fail_msg("%.*s and not %.*s", MT_ARG(x), MT_ARG(y));
            }
            if (is_obstacle(v2, c, now)) {
                met++;
                break;
            }
        }
    } while (advance(&one) && ++runs < MAX_RUNS);
    return met;
}

typedef struct worse_tally {
    uint64_t pairs, worse, inherited, met;
} worse_tally;

static void judge_worse(version *v1, version *same, version *v2, const an_diff *d,
                        worse_tally *t)
{
    an_compatibility c;
    mt_mark mark = mt_arena_mark(&v2->a);
    an_compat(&v2->a, &v1->run, v2->plan, NULL, &c);
    an_compat_worse(&v2->a, &v1->run, d, NULL, &c);
    assert_false(c.worse && c.compatible);
    t->worse += c.worse;
    if (!c.compatible && !c.worse) {
        t->inherited++;
        t->met += meets_the_same(v1, same, v2, &c);
    }
    mt_arena_rewind(&v2->a, mark);
}

/* As a stranger finds instances: in any state. */
static void walk_worse(version *v1, version *same, version *v2, const an_diff *d,
                       worse_tally *t)
{
    mt_mark mark = mt_arena_mark(&v1->a);
    mt_str json = mt_strf(&v1->a, "{\"f0\":%s,\"f1\":%s,\"f2\":%s,\"f3\":%s}",
                          draw(2) ? "true" : "false", draw(2) ? "true" : "false",
                          draw(2) ? "true" : "false", draw(2) ? "true" : "false");
    version_begin(v1, json.ptr, "w2", "p0");
    for (uint32_t e = 0; e < ENTITIES; e++) {
        ct_run_set_state(&v1->run, e, draw(STATES));
    }
    do {
        judge_worse(v1, same, v2, d, t);
    } while (ct_run_step(&v1->run) == CT_RUN_MORE);
    mt_arena_rewind(&v1->a, mark);
}

static void add_persona(mt_arena *a, texts *t)
{
    (void)a;
    t->items[t->count++] = MT_STR("{\"id\":\"unused\",\"kind\":\"Persona\"" TAIL);
}

/* `edits` random changes; none: an unused persona is added. */
static void worse_pair(uint32_t edits, worse_tally *t)
{
    mt_arena a = {0};
    mt_buf text = {0};
    make_contract(&text);
    texts old = split(&a, &text);
    make_contract(&text);
    texts other = split(&a, &text);
    let_everybody_act(&a, &old);
    let_everybody_act(&a, &other);
    texts new = old;
    for (uint32_t n = edits; n; n--) {
        mutate(&a, &new, &other);
    }
    if (!edits) {
        add_persona(&a, &new);
    }
    texts before = old;
    thin_transitions(&a, &old, &new);
    thin_transitions(&a, &new, &before);
    version v1, same, v2;
    bool opened = open_texts(&v1, &old), again = open_texts(&same, &old);
    if (open_texts(&v2, &new) && opened && again) {
        version_read(&v1);
        version_read(&v2);
        const an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                           (an_diff_side){&v2.tree, NULL});
        t->pairs++;
        for (int i = 0; i < 8; i++) {
            walk_worse(&v1, &same, &v2, d, t);
        }
    }
    version_close(&v1);
    version_close(&same);
    version_close(&v2);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static worse_tally worse_pairs(uint32_t most_edits, uint64_t pairs)
{
    const char *seed = getenv("MOTET_SEED");
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    worse_tally t = {0};
    pairs = getenv("MOTET_SOAK") ? pairs * 50 : pairs;
    for (uint64_t i = 0; t.pairs < pairs && i < 20 * pairs; i++) {
        seed_state = (first * 1000003 + i) * 2654435761u + 7;
        worse_pair(most_edits ? 1 + draw(most_edits) : 0, &t);
    }
    print_message("seed %llu: %llu pairs, %llu worse, %llu only inherited, %llu met\n",
                  (unsigned long long)first, (unsigned long long)t.pairs,
                  (unsigned long long)t.worse, (unsigned long long)t.inherited,
                  (unsigned long long)t.met);
    assert_int_equal(t.pairs, pairs);
    return t;
}

static void FMC3_an_unused_persona_makes_nothing_worse(void **state)
{
    (void)state;
    worse_tally t = worse_pairs(0, 40);
    assert_int_equal(t.worse, 0);
    assert_true(t.inherited > 100);
}

static void FMC3_what_is_inherited_is_met_under_both_versions(void **state)
{
    (void)state;
    worse_tally t = worse_pairs(2, 120);
    assert_true(t.worse > 100 && t.inherited > 100 && t.met > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_contract_is_compatible_everywhere),
        cmocka_unit_test(compatible_instances_end_and_obstacles_are_true),
        cmocka_unit_test(FMC3_an_unused_persona_makes_nothing_worse),
        cmocka_unit_test(FMC3_what_is_inherited_is_met_under_both_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
