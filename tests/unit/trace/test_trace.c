/* Trace context, and the encoding of messages. */
#include "trace/trace.h"

#include "../rows.h"
#include "trace/otlp.h"
#include "trace/proto.h"

static const char PARENT[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

static void a_header_is_gone_on_from(void **state)
{
    (void)state;
    tr_trace t = {0};
    char header[TR_HEADER_BYTES + 1];
    tr_trace_begin(&t, mt_str_z(PARENT), 0);
    assert_true(t.known && t.sampled && t.has_parent);
    tr_trace_header(&t, header);
    assert_int_equal(strlen(header), TR_HEADER_BYTES);
    assert_memory_equal(header, PARENT, 36);
    assert_memory_not_equal(header + 36, PARENT + 36, 16);
}

#define ID   "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"

/* clang-format off */
static const struct header_row {
    const char *name, *header;
    const char *want; /* as it is said to others, without our span; NULL: it begins anew */
} HEADERS[] = {
    {"a trace that is sampled", "00-" ID "-" SPAN "-01", "00-" ID "-01"},
    {"one that is not", "00-" ID "-" SPAN "-00", "00-" ID "-00"},
    {"flags that nobody knows yet", "00-" ID "-" SPAN "-fe", "00-" ID "-00"},
    {"and all of them", "00-" ID "-" SPAN "-ff", "00-" ID "-01"},
    {"a later version", "01-" ID "-" SPAN "-01", "00-" ID "-01"},
    {"the last version but one", "fe-" ID "-" SPAN "-01", "00-" ID "-01"},
    {"a version that does not exist", "ff-" ID "-" SPAN "-01", NULL},
    {"half of that", "f0-" ID "-" SPAN "-01", "00-" ID "-01"},
    {"the other half", "0f-" ID "-" SPAN "-01", "00-" ID "-01"},
    {"a later version with more", "cc-" ID "-" SPAN "-01-more", "00-" ID "-01"},
    {"and tens", "10-" ID "-" SPAN "-01-", "00-" ID "-01"},
    {"with more that is not apart", "cc-" ID "-" SPAN "-01more", NULL},
    {"the first version has no more", "00-" ID "-" SPAN "-01-more", NULL},
    {"a version of other letters", "0g-" ID "-" SPAN "-01", NULL},
    {"and the other digit", "g0-" ID "-" SPAN "-01", NULL},
    {"capitals", "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01", NULL},
    {"the signs around the digits", "00-0:f7651916cd43dd8448eb211c80319c-" SPAN "-01", NULL},
    {"the signs before the digits", "00-/af7651916cd43dd8448eb211c80319c-" SPAN "-01", NULL},
    {"the sign before the letters", "00-0`f7651916cd43dd8448eb211c80319c-" SPAN "-01", NULL},
    {"a trace of zeros", "00-00000000000000000000000000000000-" SPAN "-01", NULL},
    {"a trace of zeros but for the last", "00-00000000000000000000000000000001-" SPAN "-01",
     "00-00000000000000000000000000000001-01"},
    {"a span of zeros", "00-" ID "-0000000000000000-01", NULL},
    {"a span that is none", "00-" ID "-b7ad6b716920333x-01", NULL},
    {"flags that are none", "00-" ID "-" SPAN "-x1", NULL},
    {"flags that are none, at the end", "00-" ID "-" SPAN "-0x", NULL},
    {"a flag too few", "00-" ID "-" SPAN "-0", NULL},
    {"another sign before the trace", "00_" ID "-" SPAN "-01", NULL},
    {"another sign before the span", "00-" ID "_" SPAN "-01", NULL},
    {"another sign before the flags", "00-" ID "-" SPAN "_01", NULL},
};
/* clang-format on */

static void header_is_read(void **state)
{
    const struct header_row *row = *state;
    tr_trace t = {0};
    char header[TR_HEADER_BYTES + 1];
    mt_str text = fenced(mt_str_z(row->header));
    tr_trace_begin(&t, text, 0);
    assert_int_equal(t.known, row->want != NULL);
    assert_int_equal(t.has_parent, row->want != NULL);
    if (row->want) {
        unsigned char none[TR_SPAN_BYTES] = {0};
        tr_trace_header(&t, header);
        assert_int_equal(t.sampled, header[54] == '1');
        assert_memory_equal(header, row->want, 36);
        assert_string_equal(header + 52, row->want + 35);
        assert_memory_equal(t.parent, "\xb7\xad\x6b\x71\x69\x20\x33\x31",
                            TR_SPAN_BYTES);
        assert_memory_not_equal(t.span, none, TR_SPAN_BYTES);
    }
    fenced_free(text);
    tr_trace_begin(&t, mt_str_z(row->header), 1);
    assert_true(t.known);
    assert_int_equal(t.has_parent, row->want != NULL);
}

/* What was known of the request before it is gone. */
static void a_trace_begins_anew(void **state)
{
    (void)state;
    tr_trace t = {.known = true,
                  .sampled = true,
                  .has_parent = true,
                  .source_count = 2,
                  .queued_ns = 1,
                  .evaluation = {1, 2},
                  .commit = {3, 4},
                  .contract = "c",
                  .method = "GET",
                  .path = "/",
                  .code = "x"};
    int64_t before = tr_now_ns();
    tr_trace_begin(&t, MT_STR(""), 0);
    assert_false(t.known || t.sampled || t.has_parent || t.source_count || t.queued_ns);
    assert_int_equal(t.evaluation.began_ns + t.evaluation.ended_ns, 0);
    assert_int_equal(t.commit.began_ns + t.commit.ended_ns, 0);
    assert_string_equal(t.contract, "");
    assert_null(t.method);
    assert_null(t.path);
    assert_null(t.code);
    tr_trace_begin(&t, MT_STR(""), 1);
    assert_true(t.request.began_ns >= before && t.request.began_ns <= tr_now_ns());
    assert_true(before > INT64_C(1577836800000000000)); /* 2020 */
}

static void without_a_header_one_of_so_many_is_sampled(void **state)
{
    (void)state;
    tr_trace t = {0};
    tr_trace_begin(&t, MT_STR(""), 0);
    assert_false(t.known);
    tr_trace_begin(&t, MT_STR(""), 1);
    assert_true(t.known && t.sampled && !t.has_parent);
    int sampled = 0;
    for (int i = 0; i < 10000; i++) {
        tr_trace_begin(&t, MT_STR(""), 10);
        sampled += t.sampled;
    }
    assert_in_range(sampled, 800, 1200);
}

static void ids_are_not_used_twice(void **state)
{
    (void)state;
    tr_trace a = {0}, b = {0};
    unsigned char one[TR_SPAN_BYTES], two[TR_SPAN_BYTES];
    tr_trace_begin(&a, MT_STR(""), 1);
    tr_trace_begin(&b, MT_STR(""), 1);
    assert_memory_not_equal(a.id, b.id, TR_ID_BYTES);
    tr_child_id(&a, 1, one);
    tr_child_id(&a, 2, two);
    assert_memory_not_equal(one, two, TR_SPAN_BYTES);
    assert_memory_not_equal(one, a.span, TR_SPAN_BYTES);
}

static void a_name_is_cut_between_characters(void **state)
{
    (void)state;
    char out[TR_NAME_BYTES], in[64];
    memset(in, 'a', sizeof in);
    memcpy(in + TR_NAME_BYTES - 2, "\xc3\xa9", 2); /* its second byte would not fit */
    tr_name(out, mt_str_from(in, sizeof in));
    assert_int_equal(strlen(out), TR_NAME_BYTES - 2);
    tr_name(out, mt_str_from(in, TR_NAME_BYTES - 2));
    assert_int_equal(strlen(out), TR_NAME_BYTES - 2);
}

static void only_so_many_sources_are_kept(void **state)
{
    (void)state;
    tr_trace t = {0};
    tr_trace_begin(&t, MT_STR(""), 1);
    for (int i = 0; i < TR_SOURCES_MOST + 1; i++) {
        tr_trace_source(&t, MT_STR("s"), (tr_stage){1, 2}, false);
    }
    assert_int_equal(t.source_count, TR_SOURCES_MOST);
    tr_trace_source(NULL, MT_STR("s"), (tr_stage){1, 2}, false);
    t.source_count = 0;
    tr_trace_source(&t, MT_STR("one"), (tr_stage){1, 2}, true);
    tr_trace_source(&t, MT_STR(""), (tr_stage){3, 4}, false);
    assert_string_equal(t.sources[0].name, "one");
    assert_string_equal(t.sources[1].name, "");
    assert_true(t.sources[0].failed);
    assert_false(t.sources[1].failed);
    assert_int_equal(t.sources[1].stage.began_ns, 3);
    assert_int_equal(t.sources[1].stage.ended_ns, 4);
    t.sampled = false;
    tr_trace_source(&t, MT_STR("two"), (tr_stage){1, 2}, false);
    assert_int_equal(t.source_count, 2);
}

/* The worked examples of the encoding's description: 150 as a varint, a text, a message
 * inside; and a length of two bytes, which moves what was written. */
static void messages_have_the_bytes_of_the_description(void **state)
{
    (void)state;
    mt_buf out = {0};
    tr_proto_varint(&out, 1, 150);
    tr_proto_bytes(&out, 2, MT_STR("testing"));
    size_t open = tr_proto_open(&out, 3);
    tr_proto_varint(&out, 1, 150);
    tr_proto_close(&out, open);
    static const char WANT[] = "\x08\x96\x01\x12\x07"
                               "testing\x1a\x03\x08\x96\x01";
    assert_int_equal(out.len, sizeof WANT - 1);
    assert_memory_equal(out.ptr, WANT, out.len);
    for (size_t len = 126; len < 130; len++) {
        mt_buf_clear(&out);
        open = tr_proto_open(&out, 1);
        for (size_t i = 0; i < len; i++) {
            mt_buf_addc(&out, (char)('a' + i % 26));
        }
        tr_proto_close(&out, open);
        size_t head = len < 128 ? 2 : 3;
        assert_int_equal(out.len, len + head);
        assert_int_equal(out.ptr[head], 'a');
        assert_int_equal((unsigned char)out.ptr[1],
                         len < 128 ? len : (len & 0x7f) | 0x80);
    }
    mt_buf_free(&out);
}

static void times_fall_into_their_buckets(void **state)
{
    (void)state;
    mt_times t = {0};
    mt_times_add(&t, 100000); /* at the first bound */
    mt_times_add(&t, 100001);
    mt_times_add(&t, UINT64_C(10000000000));
    mt_times_add(&t, UINT64_C(10000000001));
    assert_int_equal(t.buckets[0], 1);
    assert_int_equal(t.buckets[1], 1);
    assert_int_equal(t.buckets[MT_TIME_BOUND_COUNT - 1], 1);
    assert_int_equal(t.buckets[MT_TIME_BOUND_COUNT], 1);
    assert_int_equal(mt_times_count(&t), 4);
}

static void labels_are_escaped(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_figures_text text;
    mt_figures *f = mt_figures_text_start(&text, &out);
    mt_family(f, MT_GAUGE, "x", "X.");
    mt_figure_of(f, "l", MT_STR("a\"b\\c\nd"), 0.5);
    mt_buf_addc(&out, '\0');
    assert_string_equal(out.ptr, "# HELP motet_x X.\n# TYPE motet_x gauge\n"
                                 "motet_x{l=\"a\\\"b\\\\c\\nd\"} 0.5\n");
    mt_buf_free(&out);
}

/* ---- Messages, part by part ---- */

static uint64_t take_varint(mt_str *s)
{
    uint64_t value = 0;
    for (unsigned shift = 0; s->len; shift += 7) {
        unsigned char byte = (unsigned char)s->ptr[0];
        *s = mt_str_skip(*s, 1);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return value;
}

static uint64_t take_fixed(mt_str *s)
{
    uint64_t value = 0;
    assert_true(s->len >= sizeof value);
    memcpy(&value, s->ptr, sizeof value);
    *s = mt_str_skip(*s, sizeof value);
    return value;
}

static bool is_shown(mt_str s)
{
    bool good = true;
    for (size_t i = 0; i < s.len; i++) {
        good &= s.ptr[i] >= ' ' && s.ptr[i] <= '~';
    }
    return good;
}

/* 3{1"text" 2=7 6#8}: messages in braces, numbers behind =, those of eight bytes behind
 * #. */
static void tell(mt_buf *out, mt_str bytes)
{
    const char *gap = "";
    while (bytes.len) {
        uint64_t tag = take_varint(&bytes);
        mt_buf_addf(out, "%s%u", gap, (unsigned)(tag >> 3));
        gap = " ";
        if ((tag & 7) == 0) {
            mt_buf_addf(out, "=%llu", (unsigned long long)take_varint(&bytes));
        } else if ((tag & 7) == 1) {
            mt_buf_addf(out, "#%llu", (unsigned long long)take_fixed(&bytes));
        } else {
            size_t len = take_varint(&bytes);
            assert_true((tag & 7) == 2 && len <= bytes.len);
            mt_str span = mt_str_from(bytes.ptr, len);
            bytes = mt_str_skip(bytes, len);
            if (is_shown(span)) {
                mt_buf_addf(out, "\"%.*s\"", MT_ARG(span));
            } else {
                mt_buf_addc(out, '{');
                tell(out, span);
                mt_buf_addc(out, '}');
            }
        }
    }
}

static const tr_resource WHO = {.service = MT_STR_INIT("shop"),
                                .version = MT_STR_INIT("1.2"),
                                .instance = MT_STR_INIT("i-1"),
                                .began_ns = 5};
#define AROUND(items)                                                                  \
    "1{1{1{1\"service.name\" 2{1\"shop\"}} 1{1\"service.version\" 2{1\"1.2\"}} "       \
    "1{1\"service.instance.id\" 2{1\"i-1\"}}} 2{1{1\"motet\" 2\"1.2\"}" items "}}"

/* A trace with ids that can be read. */
static tr_trace told_trace(void)
{
    tr_trace t = {.known = true, .sampled = true, .method = "GET", .path = "/v1/a"};
    memcpy(t.id, "TRACE-TRACE-TRAC", TR_ID_BYTES);
    memcpy(t.span, "SPAN-SPA", TR_SPAN_BYTES);
    memcpy(t.parent, "PARENT-P", TR_SPAN_BYTES);
    t.request = (tr_stage){100, 900};
    t.status = 200;
    return t;
}

static void tells_spans(const tr_trace *t, unsigned count, const char *want)
{
    mt_buf out = {0}, told = {0};
    tr_message m;
    tr_spans_begin(&m, &out, &WHO);
    assert_int_equal(tr_spans_add(&m, t), count);
    tr_message_end(&m);
    tell(&told, mt_buf_str(&out));
    assert_text(mt_buf_str(&told), mt_str_z(want));
    mt_buf_free(&out);
    mt_buf_free(&told);
}

#define OWN " 2{1\"TRACE-TRACE-TRAC\" 2\"SPAN-SPA\""
#define ROUTE(status)                                                                  \
    " 9{1\"http.request.method\" 2{1\"GET\"}} 9{1\"http.route\" 2{1\"/v1/a\"}} "       \
    "9{1\"http.response.status_code\" 2{3=" status "}}"

static void a_request_is_one_span(void **state)
{
    (void)state;
    tr_trace t = told_trace();
    tells_spans(&t, 1, AROUND(OWN " 5\"GET /v1/a\" 6=2 7#100 8#900" ROUTE("200") "}"));
    t.status = 499;
    t.has_parent = true;
    tells_spans(
        &t, 1,
        AROUND(OWN " 4\"PARENT-P\" 5\"GET /v1/a\" 6=2 7#100 8#900" ROUTE("499") "}"));
    t.status = 500;
    t.code = "broken";
    memcpy(t.contract, "c", 2);
    tells_spans(&t, 1,
                AROUND(OWN
                       " 4\"PARENT-P\" 5\"GET /v1/a\" 6=2 7#100 8#900 "
                       "15{3=2}" ROUTE("500") " 9{1\"motet.contract\" 2{1\"c\"}} "
                                              "9{1\"motet.code\" 2{1\"broken\"}}}"));
}

/* A message of its own for each stage, with an id of its own and the request as its
 * parent. */
static void its_stages_are_spans_below_it(void **state)
{
    (void)state;
    tr_trace t = told_trace();
    mt_buf out = {0};
    tr_message m;
    unsigned char id[TR_SPAN_BYTES];
    t.evaluation = (tr_stage){200, 300};
    t.queued_ns = 310000;
    t.commit = (tr_stage){323000, 400000};
    tr_trace_source(&t, MT_STR("db"), (tr_stage){410, 420}, true);
    tr_trace_source(&t, MT_STR("web"), (tr_stage){430, 440}, false);
    tr_spans_begin(&m, &out, &WHO);
    assert_int_equal(tr_spans_add(&m, &t), 5);
    tr_message_end(&m);
    static const char *const NAMES[] = {"evaluate", "commit", "db", "web"};
    for (unsigned n = 1; n <= 4; n++) {
        tr_child_id(&t, n, id);
        char *at = memmem(out.ptr, out.len, id, sizeof id);
        assert_non_null(at);
        memcpy(at, NAMES[n - 1], strlen(NAMES[n - 1])); /* so that it can be read */
        memset(at + strlen(NAMES[n - 1]), '-', sizeof id - strlen(NAMES[n - 1]));
    }
    mt_buf told = {0};
    tell(&told, mt_buf_str(&out));
#define BELOW(id) " 2{1\"TRACE-TRACE-TRAC\" 2\"" id "\" 4\"SPAN-SPA\""
    assert_text(
        mt_buf_str(&told),
        MT_STR(AROUND(OWN " 5\"GET /v1/a\" 6=2 7#100 8#900" ROUTE("200") "}" BELOW(
            "evalua"
            "te") " 5\"evaluate\" 6=1 7#200 8#300}" BELOW("commit--") " 5\"co"
                                                                      "mmit\" 6=1 "
                                                                      "7#323000 "
                                                                      "8#400000 "
                                                                      "9{1\"motet."
                                                                      "waited_us\" "
                                                                      "2{3=13}}"
                                                                      "}" BELOW(
                                                                          "db-----"
                                                                          "-") " 5"
                                                                               "\"d"
                                                                               "b\""
                                                                               " 6="
                                                                               "3 "
                                                                               "7#"
                                                                               "410"
                                                                               " 8#"
                                                                               "420"
                                                                               " "
                                                                               "15{"
                                                                               "3="
                                                                               "2}"
                                                                               "}" BELOW(
                                                                                   "web"
                                                                                   "---"
                                                                                   "--") " 5\"web\" "
                                                                                         "6=3 7#430 "
                                                                                         "8#440}")));
    mt_buf_free(&out);
    mt_buf_free(&told);
    t.queued_ns = t.commit.began_ns; /* nothing was waited for */
    t.evaluation.ended_ns = 0;
    t.source_count = 0;
    tr_spans_begin(&m, &out, &WHO);
    assert_int_equal(tr_spans_add(&m, &t), 2);
    tr_message_end(&m);
    assert_null(memmem(out.ptr, out.len, "waited", 6));
    mt_buf_free(&out);
}

/* The name of a span has 128 bytes; a longer route is left to its attribute. */
static void a_long_route_is_not_in_the_name(void **state)
{
    (void)state;
    char path[128];
    for (size_t len = 124; len <= 125; len++) {
        mt_buf out = {0};
        tr_message m;
        tr_trace t = told_trace();
        memset(path, 'p', sizeof path);
        path[len] = '\0';
        t.path = path;
        tr_spans_begin(&m, &out, &WHO);
        tr_spans_add(&m, &t);
        tr_message_end(&m);
        bool whole = memmem(out.ptr, out.len, "GET ppp", 7) != NULL;
        assert_int_equal(whole, len == 124);
        mt_buf_free(&out);
    }
}

static void figures_have_their_kind_and_their_time(void **state)
{
    (void)state;
    mt_buf out = {0}, told = {0};
    tr_figures f;
    mt_figures *to = tr_figures_begin(&f, &out, &WHO);
    assert_true(f.now_ns <= tr_now_ns() && f.now_ns > 0);
    f.now_ns = 7;
    mt_counter(to, "calls", "C.", 3);
    mt_gauge(to, "x_seconds", "X.", 0.5);
    mt_family(to, MT_GAUGE, "y", "Y.");
    mt_figure_of(to, "l", MT_STR("v"), -2);
    mt_figure_of(to, "l", MT_STR("w"), 9007199254740992.0);
    mt_figure_of(to, "l", MT_STR("z"), 9007199254740991.0);
    tr_figures_end(&f);
    tell(&told, mt_buf_str(&out));
    assert_text(mt_buf_str(&told),
                MT_STR(AROUND(" 2{1\"motet_calls\" 2\"C.\" 7{1{2#5 3#7 6#3} 2=2 3=1}}"
                              " 2{1\"motet_x_seconds\" 2\"X.\" 3\"s\" 5{1{2#5 3#7 "
                              "4#4602678819172646912}}}"
                              " 2{1\"motet_y\" 2\"Y.\" 5{1{2#5 3#7 7{1\"l\" 2{1\"v\"}} "
                              "6#18446744073709551614}"
                              " 1{2#5 3#7 7{1\"l\" 2{1\"w\"}} 4#4845873199050653696}"
                              " 1{2#5 3#7 7{1\"l\" 2{1\"z\"}} 6#9007199254740991}}}")));
    mt_buf_free(&out);
    mt_buf_free(&told);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, HEADERS, header_is_read);
    rows_test(&list, a_header_is_gone_on_from);
    rows_test(&list, a_trace_begins_anew);
    rows_test(&list, without_a_header_one_of_so_many_is_sampled);
    rows_test(&list, ids_are_not_used_twice);
    rows_test(&list, a_name_is_cut_between_characters);
    rows_test(&list, only_so_many_sources_are_kept);
    rows_test(&list, messages_have_the_bytes_of_the_description);
    rows_test(&list, times_fall_into_their_buckets);
    rows_test(&list, labels_are_escaped);
    rows_test(&list, a_request_is_one_span);
    rows_test(&list, its_stages_are_spans_below_it);
    rows_test(&list, a_long_route_is_not_in_the_name);
    rows_test(&list, figures_have_their_kind_and_their_time);
    return rows_run(&list, "trace/trace");
}
