/* The exporter: whoever gives a trace never waits, and nothing is lost uncounted. */
#include "trace/exporter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../rows.h"
#include "os/clock.h"

enum { THREADS = 4, TRACES = 2000 };

static const tr_settings NOBODY = {.endpoint =
                                       "http://127.0.0.1:1", /* nobody is there */
                                   .service = "test",
                                   .sample = 1,
                                   .queue = 64,
                                   .timeout_ms = 200,
                                   .every_ms = 10,
                                   .metrics_ms = 10};

static atomic_int told, lines;

static void tell(void *state, mt_figures *f)
{
    (void)state;
    atomic_fetch_add(&told, 1);
    mt_counter(f, "told_total", "Told.", 1);
}

static void hear(void *state, int level, mt_str event, mt_str json)
{
    (void)state, (void)level, (void)json;
    assert_true(mt_str_is(event, "otlp_failing"));
    atomic_fetch_add(&lines, 1);
}

typedef struct giver {
    tr_exporter *exporter;
    uint64_t taken;
    pthread_t thread;
} giver;

static void *give(void *state)
{
    giver *g = state;
    tr_trace t = {0};
    for (int i = 0; i < TRACES; i++) {
        tr_trace_begin(&t, MT_STR(""), 1);
        t.method = "GET";
        t.path = "/";
        g->taken += tr_exporter_give(g->exporter, &t);
    }
    return NULL;
}

static double figure(tr_exporter *e, const char *name)
{
    mt_buf out = {0};
    mt_figures_text text;
    tr_exporter_figures(e, mt_figures_text_start(&text, &out));
    mt_buf_addc(&out, '\0');
    const char *at = strstr(out.ptr, name);
    assert_non_null(at);
    double value = atof(at + strlen(name));
    mt_buf_free(&out);
    return value;
}

static void nobody_who_gives_waits_for_a_collector_that_is_gone(void **state)
{
    (void)state;
    tr_exporter *e = NULL;
    mt_buf why = {0};
    giver givers[THREADS] = {{0}};
    uint64_t taken = 0;
    tr_exporter_options options = {
        .settings = &NOBODY, .version = MT_STR("1"), .tell = tell, .log = hear};
    assert_int_equal(tr_exporter_open(&options, &e, &why), MT_OK);
    int64_t began = os_now_ms();
    for (int i = 0; i < THREADS; i++) {
        givers[i].exporter = e;
        pthread_create(&givers[i].thread, NULL, give, &givers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(givers[i].thread, NULL);
        taken += givers[i].taken;
    }
    assert_true(os_now_ms() - began < 5000);
    assert_int_equal(taken + (uint64_t)figure(e, "\nmotet_otlp_traces_dropped_total "),
                     THREADS * TRACES);
    assert_true(figure(e, "\nmotet_otlp_queue ") <= NOBODY.queue);
    assert_int_equal(figure(e, "\nmotet_otlp_traces_sent_total "), 0);
    began = os_now_ms();
    tr_exporter_close(e);
    assert_true(os_now_ms() - began < 10000);
    assert_int_equal(atomic_load(&lines), 1);
    tr_exporter_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_who_gives_waits_for_a_collector_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
