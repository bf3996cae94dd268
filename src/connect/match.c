/* connect/match.c - facts and places, compared.
 *
 * A fact is known by the words of its name and of the path that the contract wrote; a
 * place by the words of its own name and of what it stands in. Of the fact's words as
 * many as possible should be found in the place, those of its own name counting most,
 * and of the place's own name as many as possible in the fact. What is deep inside
 * something that the fact does not speak of loses a little. The result is multiplied by
 * how well the types fit; what does not fit is not a proposal. Two that are nearly
 * equal make each other uncertain. */
#include "connect/match.h"

#include "base/json_write.h"
#include "connect/fit.h"

const char *const CN_LEVEL_NAMES[CN_LEVEL_COUNT] = {"none", "low", "medium", "high"};

enum {
    HIGH = 780,
    MEDIUM = 620,
    LOW = 480,
    NEAR = 45,     /* less apart than this is uncertain */
    DEEP = 25,     /* lost for a step that the fact does not speak of */
    CONTEXT = 120, /* won when the fact's path speaks of what the place stands in */
    ASKS = 12      /* lost for a parameter more than one */
};

/* For "orders/{id}.items.total": tail has total, the step nearest to the value; head
 * has orders and items; all has these and the words of the fact's own name. */
typedef struct fact_words {
    cn_words name, tail, head, all;
    mt_str path;           /* as written, with {} for every {name} */
    MT_VEC(mt_str) params; /* those names */
} fact_words;

typedef struct place_words {
    cn_words own, around, inside; /* inside: steps of the answer before its own name */
} place_words;

/* ---- Words ---- */

/* Not all protocols restrict what stands in braces. Only a name goes into settings,
 * which are JSON. */
static bool is_param(mt_str step)
{
    bool good = step.len > 2 && step.ptr[0] == '{' && step.ptr[step.len - 1] == '}';
    for (size_t i = 1; good && i + 1 < step.len; i++) {
        char c = step.ptr[i];
        good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               (c >= '0' && c <= '9') || c == '_' || c == '-';
    }
    return good;
}

/* The last step of the path is nearest to the value. Steps
 * end at '.' and '/', which contracts use both; `last` stays
 * behind until it is known whether another step follows. */
static void read_path(mt_arena *a, mt_str path, fact_words *f)
{
    mt_str last = {0};
    mt_buf plain = {0};
    for (mt_str rest = path; rest.len;) {
        size_t end = 0;
        while (end < rest.len && rest.ptr[end] != '.' && rest.ptr[end] != '/') {
            end++;
        }
        mt_str step = mt_str_from(rest.ptr, end);
        mt_buf_adds(&plain, is_param(step) ? MT_STR("{}") : step);
        if (end < rest.len) {
            mt_buf_addc(&plain, rest.ptr[end]);
        }
        if (step.len && !is_param(step)) {
            cn_words_add(a, &f->head, last);
            last = step;
        } else if (step.len) {
            mt_vec_push(a, &f->params, mt_str_from(step.ptr + 1, step.len - 2));
        }
        rest = mt_str_skip(rest, end + 1);
    }
    cn_words_add(a, &f->tail, last);
    f->path = mt_str_dup(a, mt_buf_str(&plain));
    mt_buf_free(&plain);
}

static void join(mt_arena *a, cn_words *to, const cn_words *from)
{
    for (size_t i = 0; i < from->len; i++) {
        mt_vec_push(a, to, from->items[i]);
    }
}

/* A source that has no path (or is not JSON) leaves the name alone to compare by. */
static fact_words words_of_fact(mt_arena *a, const ct_fact *fact)
{
    fact_words f = {0};
    mt_json source;
    cn_words_add(a, &f.name, fact->id);
    if (!mt_json_read(a, fact->source, NULL, &source, NULL)) {
        read_path(a, mt_json_text(mt_json_at(&source, "path")), &f);
    }
    join(a, &f.all, &f.name);
    join(a, &f.all, &f.tail);
    join(a, &f.all, &f.head);
    return f;
}

/* `around` has the names of the request, too, `inside` only those of the answer. */
static place_words words_of_place(mt_arena *a, const cn_place *p)
{
    place_words w = {0};
    for (size_t i = 0; i + 1 < p->name_count; i++) {
        cn_words_add(a, &w.around, p->names[i]);
        if (i >= p->around) {
            cn_words_add(a, &w.inside, p->names[i]);
        }
    }
    cn_words_add(a, &w.own, p->names[p->name_count - 1]);
    return w;
}

/* ---- Scores ---- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How well `words` of a fact name the place: forth (three fifths) and back. A word that
 * is only around the place counts three quarters. */
static unsigned named(const cn_words *words, const fact_words *f, const place_words *p)
{
    uint64_t whole = 0, found = 0;
    for (size_t i = 0; i < words->len; i++) {
        cn_words one = {&words->items[i], 1, 1};
        unsigned weight = words->items[i].weight;
        unsigned own = cn_covered(&one, &p->own);
        unsigned around = cn_covered(&one, &p->around) * 3 / 4;
        whole += weight;
        found += (uint64_t)weight * (own > around ? own : around);
    }
    unsigned forth = whole ? (unsigned)(found / whole) : 0;
    return (forth * 3 + cn_covered(&p->own, &f->all) * 2) / 5;
}

/* Steps inside the answer that no word of the fact speaks of. */
static unsigned lost_inside(const fact_words *f, const place_words *p)
{
    unsigned lost = 0;
    for (size_t i = 0; i < p->inside.len; i++) {
        cn_words one = {&p->inside.items[i], 1, 1};
        lost +=
            p->inside.items[i].weight == 1000 && !cn_covered(&one, &f->all) ? DEEP : 0;
    }
    return lost;
}

/* Did the contract write exactly this path? Then names are not compared. A GraphQL
 * place begins with a dot, as its request has no path of its own. */
static bool is_declared(const fact_words *f, const cn_place *p)
{
    mt_str path = p->path;
    path = mt_str_starts(path, MT_STR(".")) ? mt_str_skip(path, 1) : path;
    return f->path.len && mt_str_eq(f->path, path);
}

/* Thousandths. 1000 only for a declared path; all else ends at 990, so that it stays
 * below. A path that names the place better than the fact's own name counts three times
 * as much as the name; one that names it worse counts nothing. */
static unsigned name_score(const fact_words *f, const place_words *w, const cn_place *p)
{
    if (is_declared(f, p)) {
        return 1000;
    }
    unsigned by_name = named(&f->name, f, w);
    unsigned by_path = f->tail.len ? named(&f->tail, f, w) : 0;
    unsigned score = by_name > by_path ? by_name : (by_name + 3 * by_path) / 4;
    score = score > by_name ? score : by_name;
    if (score >= 400 && f->head.len) {
        score += cn_covered(&f->head, &w->around) * CONTEXT / 1000;
    }
    unsigned lost = lost_inside(f, w) +
                    (p->param_count > 1 ? (unsigned)(p->param_count - 1) * ASKS : 0);
    score = score > lost ? score - lost : 0;
    return least(score, 990);
}

/* ---- Reasons ---- */

static void add_reason(mt_arena *a, cn_proposal *to, mt_str text)
{
    mt_str *more = mt_new_array(a, mt_str, to->reason_count + 1);
    if (to->reason_count) {
        memcpy(more, to->reasons, to->reason_count * sizeof *more);
    }
    more[to->reason_count++] = text;
    to->reasons = more;
}

/* The place's words that the fact has, too, for
 * the reader; words that say little are left out. */
static mt_str shared_words(mt_arena *a, const fact_words *f, const place_words *p)
{
    mt_buf b = {0};
    const cn_words *both[] = {&p->own, &p->around};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < both[k]->len; i++) {
            cn_words one = {&both[k]->items[i], 1, 1};
            if (both[k]->items[i].weight == 1000 && cn_covered(&one, &f->all)) {
                mt_buf_addf(&b, "%s%.*s", b.len ? ", " : "",
                            MT_ARG(both[k]->items[i].text));
            }
        }
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Names first, then types, then what to look
 * out for: the order in which a reader decides. */
static void explain(mt_arena *a, cn_proposal *to, const fact_words *f,
                    const place_words *w, const ct_fact *fact, mt_str because)
{
    mt_str shared = shared_words(a, f, w);
    if (is_declared(f, to->place)) {
        add_reason(a, to, MT_STR("it is the path that the contract declares"));
    } else if (shared.len) {
        add_reason(a, to, mt_strf(a, "names share: %.*s", MT_ARG(shared)));
    }
    add_reason(a, to, because);
    if (to->place->shape->nullable && !fact->otherwise) {
        add_reason(a, to, MT_STR("it may be missing, and the fact has no default"));
    }
}

/* ---- Choosing ---- */

/* The fewer questions a request asks and the less deep its value lies, the better. */
static bool is_better(const cn_proposal *a, const cn_proposal *b)
{
    if (a->score != b->score) {
        return a->score > b->score;
    }
    if (a->place->param_count != b->place->param_count) {
        return a->place->param_count < b->place->param_count;
    }
    if (a->place->name_count != b->place->name_count) {
        return a->place->name_count < b->place->name_count;
    }
    return false; /* the earlier in the document stays before */
}

/* The same request for the same member: a table that is declared twice, say. Requests
 * whose answers merely look alike are not: an address to bill may be another than that
 * to send to. */
static bool is_kept(const cn_match_of *m, const cn_proposal *p)
{
    for (size_t i = 0; i < m->count; i++) {
        if (mt_str_eq(m->proposals[i].settings, p->settings) &&
            mt_str_eq(m->proposals[i].convert, p->convert)) {
            return true;
        }
    }
    return false;
}

/* Insertion into the few best, which stay sorted; the worst falls out. */
static void keep(cn_match_of *m, const cn_proposal *p)
{
    if (is_kept(m, p)) {
        return;
    }
    size_t at = m->count < CN_MOST_PROPOSALS ? m->count : CN_MOST_PROPOSALS;
    while (at && is_better(p, &m->proposals[at - 1])) {
        if (at < CN_MOST_PROPOSALS) {
            m->proposals[at] = m->proposals[at - 1];
        }
        at--;
    }
    if (at < CN_MOST_PROPOSALS) {
        m->proposals[at] = *p;
        m->count += m->count < CN_MOST_PROPOSALS;
    }
}

static cn_level level_of(unsigned score)
{
    return score >= HIGH     ? CN_HIGH
           : score >= MEDIUM ? CN_MEDIUM
           : score >= LOW    ? CN_LOW
                             : CN_NONE;
}

/* A best that is hardly better than the second loses one level, and says which one is
 * near. One that the contract declares (1000) is certain nevertheless. */
static void settle(mt_arena *a, cn_match_of *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->proposals[i].level = level_of(m->proposals[i].score);
    }
    if (m->count > 1 && m->proposals[0].score - m->proposals[1].score < NEAR &&
        m->proposals[0].score < 1000) {
        cn_proposal *best = &m->proposals[0];
        best->level = best->level > CN_LOW ? best->level - 1 : best->level;
        add_reason(
            a, best,
            mt_strf(a, "nearly as good: %.*s", MT_ARG(m->proposals[1].place->shown)));
    }
}

/* The words of all places, split once for all facts. */
typedef struct prepared {
    place_words *words;
    const cn_document *document;
} prepared;

/* Most places end at the name, before types are compared, which costs more. Of those
 * whose name is near enough but whose type cannot be, the nearest is remembered for the
 * reader. What was made for a place that is not proposed is given back to the arena at
 * once, since there are as many as facts times places. */
static void match_fact(mt_arena *a, const ct_fact *fact, const fact_words *f,
                       const prepared *d, cn_match_of *out)
{
    unsigned nearest = LOW;
    for (size_t i = 0; i < d->document->count; i++) {
        const cn_place *p = &d->document->places[i];
        mt_mark mark = mt_arena_mark(a);
        unsigned name = name_score(f, &d->words[i], p);
        if (name < LOW) {
            continue;
        }
        cn_fit fit = cn_fit_of(a, p, &d->words[i].own, fact->type);
        cn_proposal made = {.place = p, .convert = fit.convert};
        made.settings = p->settings;
        made.score = name * fit.score / 1000;
        if (fit.score && made.score >= LOW) {
            explain(a, &made, f, &d->words[i], fact, fit.because);
            keep(out, &made);
        } else if (!fit.score && name > nearest) {
            nearest = name;
            out->nearest =
                mt_strf(a, "%.*s: %.*s", MT_ARG(p->shown), MT_ARG(fit.because));
        } else {
            mt_arena_rewind(a, mark);
        }
    }
    settle(a, out);
}

/* ---- Names of parameters ---- */

/* Such requests have {names}. Queries have `parameters`, which keep their names: the
 * text of the query speaks of them. */
static bool takes_names(const cn_document *d, const cn_place *p, const fact_words *f)
{
    return (d->format == CN_OPENAPI || d->format == CN_PROTO) &&
           f->params.len == p->param_count;
}

/* Which parameter's {name} the text begins with; of several that are called so, one
 * that is not used yet. param_count: none's. */
static size_t param_at(const cn_place *p, const bool *used, mt_str text)
{
    size_t end = mt_str_find(text, '}'), found = p->param_count;
    mt_str name = end < text.len ? mt_str_from(text.ptr + 1, end - 1) : (mt_str){0};
    for (size_t i = 0; i < p->param_count; i++) {
        if (mt_str_eq(p->params[i], name) && (found == p->param_count || used[found])) {
            found = i;
        }
    }
    return found;
}

/* The path of the contract has names already, and they must be filled anyway: where
 * there are as many, the request uses them. In one pass, since a name of the contract
 * may be another one of the request. */
static mt_str with_names(mt_arena *a, const cn_place *p, const fact_words *f)
{
    bool *used = mt_new_array(a, bool, p->param_count + 1);
    mt_buf out = {0};
    for (mt_str rest = p->settings; rest.len;) {
        size_t k = rest.ptr[0] == '{' ? param_at(p, used, rest) : p->param_count;
        if (k == p->param_count) {
            mt_buf_addc(&out, rest.ptr[0]);
            rest = mt_str_skip(rest, 1);
            continue;
        }
        mt_buf_addf(&out, "{%.*s}", MT_ARG(f->params.items[k]));
        rest = mt_str_skip(rest, p->params[k].len + 2);
        used[k] = true;
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- Instances ---- */

/* Which entity's instance a parameter means, by its name and what is around it: `id` of
 * "orders/{id}" is Order's. More than 600 must be covered; a contract with a single
 * entity means that one. NULL: it has to be given by hand. */
static const ct_entity *entity_for(mt_arena *a, const ct_model *m, mt_str param,
                                   const cn_place *p)
{
    cn_words words = {0};
    const ct_entity *best = NULL;
    unsigned most = 600;
    cn_words_add(a, &words, param);
    for (size_t i = 0; i < p->around; i++) {
        cn_words_add(a, &words, p->names[i]);
    }
    if (p->name_count && !p->around) {
        cn_words_add(a, &words, p->names[0]); /* a GraphQL root */
    }
    for (uint32_t i = 0; i < m->entity_count; i++) {
        cn_words own = {0};
        cn_words_add(a, &own, m->entities[i].id);
        unsigned covered = cn_covered(&own, &words);
        if (covered > most) {
            most = covered;
            best = &m->entities[i];
        }
    }
    return best ? best : m->entity_count == 1 ? &m->entities[0] : NULL;
}

/* `order_id` and `order` mean entity Order without being told. */
static bool is_plain_name(mt_arena *a, mt_str param, mt_str entity)
{
    mt_str snake = cn_snake(a, entity);
    return mt_str_eq(param, snake) || mt_str_eq(param, entity) ||
           mt_str_eq(param, mt_strf(a, "%.*s_id", MT_ARG(snake)));
}

typedef MT_VEC(cn_instance) instance_list;

/* Nothing for a name that means its entity
 * already, or that was added for another fact. */
static void add_instance(mt_arena *a, const ct_model *m, const cn_place *p,
                         mt_str param, instance_list *list)
{
    const ct_entity *e = entity_for(a, m, param, p);
    bool there = !e || is_plain_name(a, param, e->id);
    for (size_t k = 0; k < list->len; k++) {
        there |= mt_str_eq(list->items[k].name, param);
    }
    if (!there) {
        mt_vec_push(a, list, ((cn_instance){param, e->id}));
    }
}

/* Those of the request, or the names that it takes from the contract. */
static void add_instances(mt_arena *a, const ct_model *m, const fact_words *f,
                          const cn_document *d, const cn_place *p, instance_list *list)
{
    bool taken = takes_names(d, p, f);
    for (size_t i = 0; i < p->param_count; i++) {
        add_instance(a, m, p, taken ? f->params.items[i] : p->params[i], list);
    }
}

void cn_match(mt_arena *a, const ct_model *m, uint32_t source, const cn_document *d,
              cn_matches *out)
{
    prepared ready = {mt_new_array(a, place_words, d->count + 1), d};
    MT_VEC(cn_match_of) facts = {0};
    instance_list instances = {0};
    for (size_t i = 0; i < d->count; i++) {
        ready.words[i] = words_of_place(a, &d->places[i]);
    }
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (m->facts[i].source_id == source) {
            cn_match_of one = {.fact = i};
            fact_words f = words_of_fact(a, &m->facts[i]);
            match_fact(a, &m->facts[i], &f, &ready, &one);
            for (size_t k = 0; k < one.count; k++) {
                const cn_place *p = one.proposals[k].place;
                one.proposals[k].settings =
                    takes_names(d, p, &f) ? with_names(a, p, &f) : p->settings;
            }
            if (one.count) {
                add_instances(a, m, &f, d, one.proposals[0].place, &instances);
            }
            mt_vec_push(a, &facts, one);
        }
    }
    *out = (cn_matches){source, facts.items, facts.len, instances.items, instances.len};
}
