/* bench/bench_json.c - reading and writing JSON, against jansson on the same text.
 * The text is a bundle-like document of about 1 MB: short keys, names, some prose,
 * whole and decimal numbers, nested objects, a little text beyond ASCII. jansson gets
 * the flags that make it do the same work: no duplicate keys, compact, sorted keys. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_pull.h"
#include "base/json_write.h"
#include "bench.h"

static void write_fact(mt_jw *w, unsigned i)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", mt_str_from("fact_of_the_delivery_00000", 20 + i % 7));
    mt_jw_key_str(w, "kind", MT_STR("Fact"));
    mt_jw_keyz(w, "provenance");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "file", MT_STR("escrow.tenor"));
    mt_jw_key_i64(w, "line", 10 + i);
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "required", i % 3 == 0);
    mt_jw_keyz(w, "source");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "field", MT_STR("delivery_status"));
    mt_jw_key_str(w, "system", MT_STR("delivery_service"));
    mt_jw_end_object(w);
    mt_jw_keyz(w, "type");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "base", MT_STR("Decimal"));
    mt_jw_keyz(w, "bounds");
    mt_jw_begin_array(w);
    mt_jw_raw(w, MT_STR("-1000.25"));
    mt_jw_i64(w, 7919 * (int64_t)i);
    mt_jw_null(w);
    mt_jw_end_array(w);
    mt_jw_key_i64(w, "precision", 10);
    mt_jw_key_str(w, "text",
                  MT_STR("Der Betrag, in \xE2\x82\xAC, \"netto\" at the time"));
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

static mt_str make_text(mt_buf *out, bool pretty)
{
    mt_jw w = mt_jw_start(out, pretty);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "constructs");
    mt_jw_begin_array(&w);
    for (unsigned i = 0; i < 3500; i++) {
        write_fact(&w, i);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "id", MT_STR("escrow"));
    mt_jw_key_str(&w, "kind", MT_STR("Bundle"));
    mt_jw_end_object(&w);
    return mt_buf_str(out);
}

enum { FACTS = 24 };

typedef struct state {
    mt_arena arena;
    mt_str text;
    mt_json tree;
    json_t *theirs;
    mt_buf out;
    char *theirs_out;
    mt_str expected[FACTS]; /* keys with quotes and colon */
} state;

static void must(bool ok)
{
    if (!ok) {
        MT_BUG("benchmark input is refused");
    }
}

static void our_read(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        mt_json v;
        mt_arena_reset(&s->arena);
        must(mt_json_read(&s->arena, s->text, NULL, &v, NULL) == MT_OK);
        bench_keep(&v);
    }
}

static void their_read(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        json_t *v = json_loadb(s->text.ptr, s->text.len, JSON_REJECT_DUPLICATES, NULL);
        must(v != NULL);
        json_decref(v);
    }
}

static void our_write(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        mt_buf_clear(&s->out);
        mt_json_write(&s->out, &s->tree, false);
        bench_keep(s->out.ptr);
    }
}

static void their_write(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        size_t len = json_dumpb(s->theirs, s->theirs_out, 4 * s->text.len,
                                JSON_COMPACT | JSON_SORT_KEYS);
        must(len > s->text.len / 2);
        bench_keep(s->theirs_out);
    }
}

static void stream(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        mt_buf_clear(&s->out);
        make_text(&s->out, false);
        bench_keep(s->out.ptr);
    }
}

static double mb_per_s(void (*work)(void *, uint64_t), state *s)
{
    return (double)s->text.len / bench_ns(work, s) * 1000;
}

/* A document of 1 KB with 24 facts, as an evaluation receives it. */
static mt_str make_facts(mt_buf *out)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    for (int i = 0; i < FACTS; i++) {
        char key[] = "fact_number_00";
        key[12] = (char)('0' + i / 10);
        key[13] = (char)('0' + i % 10);
        mt_jw_key(&w, mt_str_from(key, 14));
        if (i % 4 == 0) {
            mt_jw_bool(&w, i % 8);
        } else if (i % 4 == 1) {
            mt_jw_i64(&w, 1234 * i);
        } else if (i % 4 == 2) {
            mt_jw_str(&w, MT_STR("confirmed_by_carrier"));
        } else {
            mt_jw_begin_object(&w);
            mt_jw_key_str(&w, "amount", MT_STR("10000.00"));
            mt_jw_key_str(&w, "currency", MT_STR("USD"));
            mt_jw_end_object(&w);
        }
    }
    mt_jw_end_object(&w);
    return mt_buf_str(out);
}

static void pull_value(mt_jp *j, size_t *sum)
{
    mt_str text = {0};
    bool flag;
    switch (mt_jp_type(j)) {
    case MT_JSON_BOOL: mt_jp_bool(j, &flag); break;
    case MT_JSON_NUMBER: mt_jp_number(j, &text); break;
    case MT_JSON_STRING: mt_jp_str(j, &text); break;
    case MT_JSON_OBJECT:
        mt_jp_object(j);
        for (mt_str key; mt_jp_expect(j, MT_STR("\"amount\":")) ||
                         mt_jp_expect(j, MT_STR("\"currency\":")) ||
                         mt_jp_key(j, &key);) {
            mt_jp_str(j, &text);
        }
        break;
    case MT_JSON_NULL:
    case MT_JSON_ARRAY: mt_jp_skip(j); break;
    }
    *sum += text.len;
}

static void pull(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        mt_jp j;
        size_t sum = 0;
        mt_jp_start(&j, &s->arena, s->text, NULL);
        mt_jp_object(&j);
        for (mt_str key; mt_jp_key(&j, &key);) {
            pull_value(&j, &sum);
        }
        must(mt_jp_finish(&j, NULL) == MT_OK);
        bench_keep(&sum);
    }
}

/* The same with keys that come in the order in which they are expected. */
static void pull_expected(void *data, uint64_t n)
{
    state *s = data;
    while (n--) {
        mt_jp j;
        size_t sum = 0, at = 0;
        mt_jp_start(&j, &s->arena, s->text, NULL);
        mt_jp_object(&j);
        for (mt_str key; mt_jp_expect(&j, s->expected[at]) || mt_jp_key(&j, &key);) {
            at = (at + 1) % FACTS;
            pull_value(&j, &sum);
        }
        must(mt_jp_finish(&j, NULL) == MT_OK);
        bench_keep(&sum);
    }
}

static void compare(const char *name, void (*ours)(void *, uint64_t),
                    void (*theirs)(void *, uint64_t), state *s)
{
    double baseline = mb_per_s(theirs, s);
    bench_report(name, mb_per_s(ours, s), "MB/s", "jansson", baseline, 5 * baseline,
                 BENCH_HIGHER);
}

static void bench_document(state *s, bool pretty, const char *read, const char *write)
{
    mt_buf source = {0};
    mt_arena kept = {0};
    s->text = make_text(&source, pretty);
    must(mt_json_read(&kept, s->text, NULL, &s->tree, NULL) == MT_OK);
    s->theirs = json_loadb(s->text.ptr, s->text.len, 0, NULL);
    s->theirs_out = mt_xmalloc(4 * s->text.len);
    compare(read, our_read, their_read, s);
    if (write) {
        compare(write, our_write, their_write, s);
        bench_report("json.stream", mb_per_s(stream, s), "MB/s", NULL, NAN, NAN,
                     BENCH_HIGHER);
    }
    json_decref(s->theirs);
    free(s->theirs_out);
    mt_arena_free(&kept);
    mt_buf_free(&source);
}

int main(void)
{
    state s = {0};
    bench_document(&s, false, "json.read", "json.write");
    bench_document(&s, true, "json.read.pretty", NULL);
    mt_buf facts = {0};
    s.text = make_facts(&facts);
    bench_report("json.pull.1kb", bench_ns(pull, &s), "ns", NULL, NAN, 500,
                 BENCH_LOWER);
    for (int i = 0; i < FACTS; i++) {
        s.expected[i] = mt_strf(&s.arena, "\"fact_number_%02d\":", i);
    }
    bench_report("json.pull.expected", bench_ns(pull_expected, &s), "ns", NULL, NAN,
                 NAN, BENCH_LOWER);
    mt_buf_free(&facts);
    mt_buf_free(&s.out);
    mt_arena_free(&s.arena);
    return 0;
}
