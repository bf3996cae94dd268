/* Settings: read, ranged, and unknown ones refused with their line. */
#include "../rows.h"
#include "http/config.h"
#include "os/file.h"

#ifndef DOCS
#define DOCS "docs"
#endif

static const struct bad {
    const char *name, *text, *fault;
} BAD[] = {
    {"an unknown key is refused with its line", "listen: a:1\nlisen: b\n",
     "c.yaml:2:1: there is no setting lisen\n"},
    {"a wrong type is refused", "listen: 7\n", "c.yaml:1:9: listen is text\n"},
    {"a text is no number", "rate: x\n",
     "c.yaml:1:7: rate is a whole number from 0 to 1073741824\n"},
    {"a negative number is refused", "rate: -1\n",
     "c.yaml:1:7: rate is a whole number from 0 to 1073741824\n"},
    {"a fraction is refused", "idle: 1.5\n",
     "c.yaml:1:7: idle is a whole number from 1 to 86400\n"},
    {"too small is refused", "idle: 0\n",
     "c.yaml:1:7: idle is a whole number from 1 to 86400\n"},
    {"too large is refused", "threads: 257\n",
     "c.yaml:1:10: threads is a whole number from 1 to 256\n"},
    {"a flag is true or false", "insecure: yes\n",
     "c.yaml:1:11: insecure is true or false\n"},
    {"a list is a list", "files: a\n", "c.yaml:1:8: files is a list of texts\n"},
    {"a list holds texts", "files: [1]\n", "c.yaml:1:8: files is a list of texts\n"},
    {"a tree is an object", "sources: 1\n", "c.yaml:1:10: sources is an object\n"},
    {"a document is an object", "- a\n", "c.yaml:1:1: a configuration is an object\n"},
    {"a number at its least and one below", "pool: 1\nmax_body: 1023\n",
     "c.yaml:2:11: max_body is a whole number from 1024 to 1073741824\n"},
    {"a number at its most and one above", "group: 65536\npool: 1001\n",
     "c.yaml:2:7: pool is a whole number from 1 to 1000\n"},
    {"2^64 is not a number", "pool: 18446744073709551616\n",
     "c.yaml:1:7: pool is a whole number from 1 to 1000\n"},
    {"null is not a value", "listen:\n", "c.yaml:1:8: listen is text\n"},
    {"faults come in the order of the file", "zz: 1\nrate: x\nlisten: 7\n",
     "c.yaml:1:1: there is no setting zz\n"
     "c.yaml:2:7: rate is a whole number from 0 to 1073741824\n"
     "c.yaml:3:9: listen is text\n"},
    {"every fault is told", "a: 1\nb: 2\n",
     "c.yaml:1:1: there is no setting a\nc.yaml:2:1: there is no setting b\n"},
};

static void is_refused(void **state)
{
    const struct bad *row = *state;
    mt_arena a = {0};
    mt_buf faults = {0};
    ht_config c = HT_CONFIG_DEFAULT;
    assert_int_equal(
        ht_config_read(&a, MT_STR("c.yaml"), mt_str_z(row->text), true, &c, &faults),
        MT_E_REJECTED);
    assert_text(mt_buf_str(&faults), mt_str_z(row->fault));
    mt_buf_free(&faults);
    mt_arena_free(&a);
}

static void a_hundred_faults_are_told_and_how_many_more_there_are(void **state)
{
    (void)state;
    for (unsigned count = 100; count <= 102; count++) {
        mt_arena a = {0};
        mt_buf text = {0}, faults = {0}, hints = {0};
        ht_config c = HT_CONFIG_DEFAULT;
        for (unsigned i = 0; i < count; i++) {
            mt_buf_addf(&text, "liste%u: 1\n", i);
        }
        mt_str name = MT_STR("c.yaml"), file = mt_buf_str(&text);
        assert_int_equal(ht_config_read(&a, name, file, true, &c, &faults),
                         MT_E_REJECTED);
        ht_config_hints(&a, name, file, &c, &hints);
        mt_str last = count == 100   ? MT_STR("100:1: there is no setting liste99\n")
                      : count == 101 ? MT_STR("liste99\nand 1 more\n")
                                     : MT_STR("liste99\nand 2 more\n");
        assert_true(mt_str_ends(mt_buf_str(&faults), last));
        size_t lines = 0;
        for (size_t i = 0; i < hints.len; i++) {
            lines += hints.ptr[i] == '\n';
        }
        assert_int_equal(lines, 100);
        mt_buf_free(&text);
        mt_buf_free(&faults);
        mt_buf_free(&hints);
        mt_arena_free(&a);
    }
}

static void an_unknown_key_gets_the_nearest_known_one(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf faults = {0}, hints = {0};
    ht_config c = HT_CONFIG_DEFAULT;
    mt_str name = MT_STR("c.yaml"), text = MT_STR("lisen: b\nzzzzzzzzz: 1\n");
    assert_int_equal(ht_config_read(&a, name, text, true, &c, &faults), MT_E_REJECTED);
    ht_config_hints(&a, name, text, &c, &hints);
    assert_text(mt_buf_str(&hints), MT_STR("c.yaml:1:1: did you mean `listen`?\n"));
    mt_buf_free(&faults);
    mt_buf_free(&hints);
    mt_arena_free(&a);
}

static void a_file_sets_what_it_names(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf faults = {0};
    ht_config c = HT_CONFIG_DEFAULT;
    mt_str text = MT_STR("files: [a.tenor, b.tenor]\nstore: sqlite:x.db\nrate: 600\n"
                         "insecure: true\nsources: {s: {type: static}}\n");
    assert_int_equal(ht_config_read(&a, MT_STR("c"), text, true, &c, &faults), MT_OK);
    assert_int_equal(c.files.count, 2);
    assert_string_equal(c.files.items[1], "b.tenor");
    assert_null(c.files.items[2]);
    assert_string_equal(c.store, "sqlite:x.db");
    assert_int_equal(c.rate, 600);
    assert_true(c.insecure);
    assert_non_null(mt_json_at(c.sources, "s"));
    assert_non_null(mt_json_at(c.all, "rate"));
    assert_string_equal(c.listen, "127.0.0.1:8440"); /* as before */
    mt_arena_free(&a);
}

static void an_empty_file_changes_nothing(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf faults = {0};
    ht_config c = HT_CONFIG_DEFAULT;
    assert_int_equal(ht_config_read(&a, MT_STR("c"), MT_STR(""), true, &c, &faults),
                     MT_OK);
    assert_int_equal(c.threads, 1);
    mt_arena_free(&a);
}

static void options_win(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_config c = HT_CONFIG_DEFAULT;
    assert_int_equal(ht_config_set(&a, &c, "max-body", "4096"), MT_OK);
    assert_int_equal(c.max_body, 4096);
    assert_int_equal(ht_config_set(&a, &c, "insecure", NULL), MT_OK);
    assert_true(c.insecure);
    assert_int_equal(ht_config_set(&a, &c, "auto-persona", "p"), MT_OK);
    assert_int_equal(ht_config_set(&a, &c, "auto-persona", "q"), MT_OK);
    assert_string_equal(c.auto_personas.items[0], "p");
    assert_string_equal(c.auto_personas.items[1], "q");
    assert_int_equal(c.auto_personas.count, 2);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "1024"), MT_OK); /* the least */
    assert_int_equal(ht_config_set(&a, &c, "max-body", "1023"), MT_E_RANGE);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "1073741824"), MT_OK);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "1073741825"), MT_E_RANGE);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "+4096"), MT_E_RANGE);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "/4096"), MT_E_RANGE);
    assert_int_equal(c.max_body, 1073741824);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "x"), MT_E_RANGE);
    assert_int_equal(ht_config_set(&a, &c, "max-body", "1"), MT_E_RANGE);
    assert_int_equal(ht_config_set(&a, &c, "max-body", ""), MT_E_RANGE);
    assert_int_equal(ht_config_set(&a, &c, "sources", "x"), MT_E_NOTFOUND);
    mt_arena_free(&a);
}

static void settings_must_fit_together(void **state)
{
    (void)state;
    mt_buf faults = {0};
    ht_config c = HT_CONFIG_DEFAULT;
    assert_int_equal(ht_config_check(&c, &faults), MT_OK);
    c.log = "json";
    c.migration_analysis = "aggressive";
    c.log_level = "debug";
    c.tls_cert = c.tls_key = "x";
    assert_int_equal(ht_config_check(&c, &faults), MT_OK);
    c.listen = "nowhere";
    c.tls_key = NULL;
    c.outgoing = &(mt_json){.type = MT_JSON_OBJECT};
    c.log = "xml";
    c.migration_analysis = "bold";
    c.log_level = "loud";
    assert_int_equal(ht_config_check(&c, &faults), MT_E_REJECTED);
    assert_text(
        mt_buf_str(&faults),
        MT_STR("listen: nowhere is not HOST:PORT\n"
               "tls_cert and tls_key go together\n"
               "outgoing has no effect without sources; `sources: {}` lets contracts "
               "fetch\n"
               "log: xml is neither text nor json\n"
               "migration_analysis: bold is neither conservative nor aggressive\n"
               "log_level: loud is not debug, info, warn or error\n"));
    mt_buf_free(&faults);
}

static void the_documentation_has_every_setting(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str text;
    assert_int_equal(os_read_file(&a, DOCS "/reference/config.md", 1 << 20, &text),
                     MT_OK);
    for (size_t i = 0; i < HT_SETTING_COUNT; i++) {
        const ht_setting *s = &HT_SETTINGS[i];
        mt_str row = s->option ? mt_strf(&a, "\n| `%s` | `--%s` |", s->key, s->option)
                               : mt_strf(&a, "\n| `%s` | ", s->key);
        if (!strstr(text.ptr, row.ptr) || !strstr(text.ptr, s->help)) {
            fail_msg("docs/reference/config.md lacks %s", row.ptr);
        }
    }
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, BAD, is_refused);
    rows_test(&list, a_hundred_faults_are_told_and_how_many_more_there_are);
    rows_test(&list, an_unknown_key_gets_the_nearest_known_one);
    rows_test(&list, a_file_sets_what_it_names);
    rows_test(&list, an_empty_file_changes_nothing);
    rows_test(&list, options_win);
    rows_test(&list, settings_must_fit_together);
    rows_test(&list, the_documentation_has_every_setting);
    return rows_run(&list, "http/config");
}
