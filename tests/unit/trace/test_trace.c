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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_gone_on_from),
        cmocka_unit_test(without_a_header_one_of_so_many_is_sampled),
        cmocka_unit_test(ids_are_not_used_twice),
        cmocka_unit_test(a_name_is_cut_between_characters),
        cmocka_unit_test(only_so_many_sources_are_kept),
        cmocka_unit_test(messages_have_the_bytes_of_the_description),
        cmocka_unit_test(times_fall_into_their_buckets),
        cmocka_unit_test(labels_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
