/* connect/review.c - the review file, out and in. Room: connect.
 *
 * Out: comments for the reader, then source by source and fact by fact, in the
 * contract's order; text is quoted as JSON, which YAML reads the same. In: three tables
 * for base/form, which refuse what they do not know, so that a slip of the pen (`acept:
 * true`) is told and does not mean false. Then cn_review_check() compares what was
 * accepted with the document.
 *
 * INVARIANT: the settings and conversions of proposals are JSON that this room wrote
 * itself; that they cannot be read would be our fault, hence the assertions. */
#include "connect/review.h"

#include "base/json_write.h"
#include "connect/fit.h"
#include "connect/yaml.h"

/* The version is that of the file's form: one that is unknown is refused. The other two
 * only bound what somebody else's file may make us allocate. */
enum { REVIEW_VERSION = 1, MOST_SOURCES = 1000, MOST_FACTS = 100000 };

/* ---- Out ---- */

/* The settings with `convert` in its place
 * among the sorted keys: mt_json_write() sorts. */
static void put_settings(mt_buf *out, const cn_proposal *p)
{
    mt_arena a = {0};
    mt_json settings, convert;
    MT_ASSERT(!mt_json_read(&a, p->settings, NULL, &settings, NULL));
    mt_json_member *all = mt_new_array(&a, mt_json_member, settings.count + 1);
    if (settings.count) {
        memcpy(all, settings.as.members, settings.count * sizeof *all);
    }
    if (p->convert.len) {
        MT_ASSERT(!mt_json_read(&a, p->convert, NULL, &convert, NULL));
        all[settings.count++] = (mt_json_member){MT_STR("convert"), convert};
    }
    settings.as.members = all;
    mt_json_write(out, &settings, false);
    mt_arena_free(&a);
}

/* `indent` because a proposal under `instead` has the same lines further in. */
static void put_proposal(mt_buf *out, const cn_proposal *p, const char *indent)
{
    mt_buf_addf(out, "%splace: ", indent);
    mt_json_quote(out, p->place->shown);
    mt_buf_addf(out, "\n%sconfidence: %s\n%sscore: %u\n%ssettings: ", indent,
                CN_LEVEL_NAMES[p->level], indent, p->score, indent);
    put_settings(out, p);
    mt_buf_addf(out, "\n%sbecause:\n", indent);
    for (size_t i = 0; i < p->reason_count; i++) {
        mt_buf_addf(out, "%s  - ", indent);
        mt_json_quote(out, p->reasons[i]);
        mt_buf_addc(out, '\n');
    }
}

/* The best proposal stands in the fact itself,
 * where it can be accepted; others under `instead`. */
static void put_fact(mt_buf *out, const ct_fact *fact, const cn_match_of *m)
{
    mt_arena a = {0};
    bool accept = m->count && m->proposals[0].level == CN_HIGH;
    mt_buf_addz(out, "      ");
    cn_yaml_text(out, fact->id);
    mt_buf_addf(out,
                ":\n        accept: %s\n        type: ", accept ? "true" : "false");
    mt_json_quote(out, ct_type_spell(&a, fact->type));
    mt_buf_addc(out, '\n');
    if (m->count) {
        put_proposal(out, &m->proposals[0], "        ");
    } else {
        mt_buf_addz(out, "        nothing: ");
        mt_json_quote(out, m->nearest.len ? m->nearest
                                          : MT_STR("no name in the document is near"));
        mt_buf_addc(out, '\n');
    }
    for (size_t i = 1; i < m->count; i++) {
        mt_buf_addz(out, i == 1 ? "        instead:\n" : "");
        mt_buf_addz(out, "          -\n");
        put_proposal(out, &m->proposals[i], "            ");
    }
    mt_arena_free(&a);
}

static void put_source(mt_buf *out, const ct_model *m, const cn_reviewed *r)
{
    const cn_matches *found = &r->matches;
    mt_buf_addz(out, "  ");
    cn_yaml_text(out, m->sources[found->source].id);
    mt_buf_addz(out, ":\n    document: ");
    mt_json_quote(out, r->document);
    mt_buf_addf(out, "\n    format: %s\n", CN_FORMAT_NAMES[r->format]);
    if (found->instance_count) {
        mt_buf_addz(out, "    instances:\n");
    }
    for (size_t i = 0; i < found->instance_count; i++) {
        mt_buf_addz(out, "      ");
        cn_yaml_text(out, found->instances[i].name);
        mt_buf_addz(out, ": ");
        cn_yaml_text(out, found->instances[i].entity);
        mt_buf_addc(out, '\n');
    }
    mt_buf_addz(out, found->count ? "    facts:\n" : "    facts: {}\n");
    for (size_t i = 0; i < found->count; i++) {
        put_fact(out, &m->facts[found->facts[i].fact], &found->facts[i]);
    }
}

void cn_review_write(mt_buf *out, const ct_model *m, const cn_reviewed *list,
                     size_t count)
{
    mt_buf_addz(
        out,
        "# What motet connect proposes. Nothing of it is used before it is applied:\n"
        "#   motet connect CONTRACT --apply THIS --config CONFIG\n"
        "# writes the settings of every fact that says `accept: true`. Look at each;\n"
        "# change `accept` and `settings`, or take settings from `instead`.\n");
    mt_buf_addf(out, "review: %d\ncontract: ", REVIEW_VERSION);
    mt_json_quote(out, m->id);
    mt_buf_addz(out, count ? "\nsources:\n" : "\nsources: {}\n");
    for (size_t i = 0; i < count; i++) {
        put_source(out, m, &list[i]);
    }
}

/* ---- In ---- */

static const char *const FORMATS[] = {
#define CN_FORMAT_WORD(ID, name, protocol) name,
    CN_FORMAT_MAP(CN_FORMAT_WORD) NULL};

/* The NOTE rows are what put_fact() and put_proposal()
 * write for people: known, and not read. */
static const mt_form_row FACT[] = {
    MT_FORM_LABEL(cn_decided, fact),
    MT_FORM_FLAG(cn_decided, accept, "accept", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(cn_decided, settings, "settings", 0),
    MT_FORM_NOTE("type"),
    MT_FORM_NOTE("place"),
    MT_FORM_NOTE("confidence"),
    MT_FORM_NOTE("score"),
    MT_FORM_NOTE("because"),
    MT_FORM_NOTE("instead"),
    MT_FORM_NOTE("nothing"),
};
static const mt_form_table FACT_TABLE = MT_FORM_TABLE("a fact", FACT, cn_decided, NULL);

static const mt_form_row SOURCE[] = {
    MT_FORM_LABEL(cn_decided_source, source),
    MT_FORM_NAME(cn_decided_source, document, "document", INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_CHOICE(cn_decided_source, format, "format", FORMATS, MT_FORM_REQUIRED),
    MT_FORM_OBJECT(cn_decided_source, instances, "instances", 0),
    MT_FORM_MAP(cn_decided_source, facts, fact_count, "facts", &FACT_TABLE, MOST_FACTS,
                MT_FORM_REQUIRED),
};
static const mt_form_table SOURCE_TABLE =
    MT_FORM_TABLE("a source", SOURCE, cn_decided_source, NULL);

static const mt_form_row REVIEW[] = {
    MT_FORM_INT(cn_review, version, "review", REVIEW_VERSION, REVIEW_VERSION,
                MT_FORM_REQUIRED),
    MT_FORM_TEXT(cn_review, contract, "contract", MT_FORM_REQUIRED),
    MT_FORM_MAP(cn_review, sources, source_count, "sources", &SOURCE_TABLE,
                MOST_SOURCES, MT_FORM_REQUIRED),
};

bool cn_review_read(mt_form *f, const mt_json *tree, cn_review *out)
{
    f->what = "a review";
    return mt_form_read(f, tree, REVIEW, mt_form_count(REVIEW), out);
}

/* The settings without `convert`, which say where the value is. */
static mt_json without_convert(mt_arena *a, const mt_json *settings)
{
    mt_json out = *settings;
    mt_json_member *kept = mt_new_array(a, mt_json_member, settings->count + 1);
    out.count = 0;
    for (uint32_t i = 0; i < settings->count; i++) {
        if (!mt_str_is(settings->as.members[i].key, "convert")) {
            kept[out.count++] = settings->as.members[i];
        }
    }
    out.as.members = kept;
    return out;
}

/* Canonical text in which every {name} is {}: a person may call parameters otherwise.
 * The braces of JSON objects have a quote behind them, or nothing, and a selection of a
 * GraphQL query has blanks, `{ total }`, so neither is taken for one. */
static mt_str unnamed(mt_arena *a, const mt_json *settings)
{
    mt_buf text = {0}, out = {0};
    mt_json_write(&text, settings, false);
    for (size_t i = 0; i < text.len; i++) {
        size_t end = i + 1;
        while (text.ptr[i] == '{' && end < text.len && text.ptr[end] != '"' &&
               text.ptr[end] != ' ' && text.ptr[end] != '{' && text.ptr[end] != '}') {
            end++;
        }
        bool named = end > i + 1 && end < text.len && text.ptr[end] == '}';
        mt_buf_addc(&out, text.ptr[i]);
        i = named ? end - 1 : i;
    }
    mt_str made = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&text);
    mt_buf_free(&out);
    return made;
}

/* Compares texts, so a place that a person wrote
 * by hand is found only if the document offers it. */
bool cn_review_check(mt_arena *a, const cn_document *d, const ct_type *type,
                     const mt_json *settings, mt_buf *why)
{
    mt_json bare = without_convert(a, settings), place;
    mt_str wanted = unnamed(a, &bare);
    for (size_t i = 0; i < d->count; i++) {
        mt_mark mark = mt_arena_mark(a);
        bool same = !mt_json_read(a, d->places[i].settings, NULL, &place, NULL) &&
                    mt_str_eq(wanted, unnamed(a, &place));
        mt_arena_rewind(a, mark);
        if (same) {
            return cn_fits_with(d->places[i].shape, type,
                                mt_json_at(settings, "convert"), why);
        }
    }
    mt_buf_addz(why, "the document has no such place, so its type cannot be checked; "
                     "write it into the configuration by hand");
    return false;
}
