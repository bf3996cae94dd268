/* http/config.c - see config.h.
 *
 * Order: the document is read by one table of rows, the faults are sorted by their
 * place and worded, options are set over it, and what must hold between settings is
 * checked last.
 * Invariant: a setting that is refused keeps what it had before.
 * May fail: only by faults in the document, all of them told. */
#include "http/config.h"

#include <stddef.h>

#include "base/yaml_read.h"
#include "http/log.h"
#include "os/address.h"

/* clang-format off */
const ht_config HT_CONFIG_DEFAULT = {
#define SETTING_DEFAULT(key, option, kind, type, initial, least, most, arg, help) \
    .key = initial,
    HT_SETTING_MAP(SETTING_DEFAULT)
#undef SETTING_DEFAULT
};

const ht_setting HT_SETTINGS[] = {
#define SETTING_ROW(key, option, kind, type, initial, least, most, arg, help) \
    {#key, option, HT_##kind, offsetof(ht_config, key), least, most, arg, help},
    HT_SETTING_MAP(SETTING_ROW)
#undef SETTING_ROW
};
/* clang-format on */
const size_t HT_SETTING_COUNT = sizeof HT_SETTINGS / sizeof *HT_SETTINGS;

/* A place is found by counting lines; a file may have a million faults. */
enum { TOLD_MOST = 100 };

typedef struct reading {
    mt_str name, text;
    mt_buf *faults;
    size_t told;
} reading;

/* clang-format off */
#define FORM_TEXT(from, to) .kind = MT_FORM_K_WORD, .most = INT64_MAX
#define FORM_COUNT(from, to) .kind = MT_FORM_K_SIZE, .least = from, .most = to
#define FORM_FLAG(from, to) .kind = MT_FORM_K_FLAG
#define FORM_LIST(from, to) .kind = MT_FORM_K_WORDS, .most = INT64_MAX
#define FORM_TREE(from, to) .kind = MT_FORM_K_OBJECT
#define FORM_ROWS(from, to) .kind = MT_FORM_K_LIST, .most = 1000
static const mt_form_row ROWS[] = {
#define SETTING_FORM(its_key, option, its_kind, type, initial, from, to, arg, help) \
    {MT_FORM_KEY(#its_key), .offset = offsetof(ht_config, its_key), .about = help, \
     FORM_##its_kind(from, to)},
    HT_SETTING_MAP(SETTING_FORM)
#undef SETTING_FORM
    MT_FORM_NOTE("lint"), /* of `motet check`: a project has one motet.yaml */
};
/* clang-format on */
const mt_form_table HT_CONFIG_FORM =
    MT_FORM_TABLE("a configuration", ROWS, ht_config, NULL);
_Static_assert(mt_form_count(ROWS) == sizeof HT_SETTINGS / sizeof *HT_SETTINGS + 1,
               "one row per setting");

/* ---- Faults ---- */

static void add_place(reading *r, uint32_t line, uint32_t column)
{
    mt_buf_addf(r->faults, "%.*s:%u:%u: ", MT_ARG(r->name), line, column);
}

static void add_place_of(reading *r, const mt_form_fault *fault)
{
    mt_diag d = mt_form_diag(fault, NULL, r->name, r->text);
    add_place(r, d.line, d.column);
}

static const ht_setting *find_key(mt_str key)
{
    for (size_t i = 0; i < HT_SETTING_COUNT; i++) {
        if (mt_str_eq(mt_str_z(HT_SETTINGS[i].key), key)) {
            return &HT_SETTINGS[i];
        }
    }
    return NULL;
}

/* What the value must be, rather than what it is not. */
static void say_kind(mt_buf *out, const ht_setting *s)
{
    /* SPARSE: a number is told with its range. */
    static const char *const WORDS[] = {[HT_TEXT] = "text",
                                        [HT_FLAG] = "true or false",
                                        [HT_LIST] = "a list of texts",
                                        [HT_TREE] = "an object",
                                        [HT_ROWS] = "a list of objects"};
    MT_TABLE_COVERS(WORDS, HT_ROWS + 1);
    if (s->kind == HT_COUNT) {
        mt_buf_addf(out, "%s is a whole number from %zu to %zu\n", s->key, s->least,
                    s->most);
    } else {
        mt_buf_addf(out, "%s is %s\n", s->key, WORDS[s->kind]);
    }
}

/* Place, key and what was expected, one line each. */
static void say_fault(reading *r, const mt_form_fault *fault)
{
    const ht_setting *s = find_key(fault->key);
    add_place_of(r, fault);
    if (fault->wrong == MT_FORM_UNKNOWN_KEY) {
        mt_buf_addf(r->faults, "there is no setting %.*s\n", MT_ARG(fault->key));
    } else if (s) {
        say_kind(r->faults, s);
    } else {
        mt_buf_addz(r->faults, "a configuration is an object\n");
    }
}

/* ---- The file ---- */

/* All faults are found first and told in the order of the file. */
static void read_all(reading *r, mt_arena *a, const mt_json *tree, ht_config *config)
{
    mt_form_faults faults = {.arena = a};
    mt_form form = {.arena = a,
                    .what = "a configuration",
                    .report = mt_form_keep,
                    .state = &faults};
    if (mt_json_is(tree, MT_JSON_NULL)) {
        return; /* an empty file */
    }
    (void)mt_form_read(&form, tree, ROWS, mt_form_count(ROWS), config);
    mt_form_sort(&faults);
    for (size_t i = 0; i < faults.len && i < TOLD_MOST; i++) {
        say_fault(r, &faults.items[i]);
    }
    if (faults.len > TOLD_MOST) {
        mt_buf_addf(r->faults, "and %zu more\n", faults.len - TOLD_MOST);
    }
}

/* All faults are gathered, one line each, so that a file is mended in one round.
 * MT_E_REJECTED also when the tree was read and a setting in it is wrong. */
mt_err ht_config_read(mt_arena *a, mt_str name, mt_str text, bool yaml,
                      ht_config *config, mt_buf *faults)
{
    reading r = {.name = name, .text = text, .faults = faults};
    mt_json *tree = mt_new(a, mt_json);
    mt_json_error error = {0};
    size_t before = faults->len;
    mt_err err = yaml ? mt_yaml_read(a, text, NULL, tree, &error)
                      : mt_json_read(a, text, NULL, tree, &error);
    if (err) {
        uint32_t line, column;
        mt_json_place(text, error.offset, &line, &column);
        add_place(&r, line, column);
        mt_buf_addf(faults, "%s%s%.*s\n", error.message ? error.message : "malformed",
                    error.detail.len ? ": " : "", MT_ARG(error.detail));
        return MT_E_REJECTED;
    }
    config->all = tree;
    read_all(&r, a, tree, config);
    return faults->len == before ? MT_OK : MT_E_REJECTED;
}

static void say_hint(void *state, const mt_form_fault *fault)
{
    reading *r = state;
    if (fault->hint.len && r->told++ < TOLD_MOST) {
        add_place_of(r, fault);
        mt_buf_addf(r->faults, "%.*s\n", MT_ARG(fault->hint));
    }
}

void ht_config_hints(mt_arena *a, mt_str name, mt_str text, const ht_config *config,
                     mt_buf *hints)
{
    reading r = {.name = name, .text = text, .faults = hints};
    mt_form form = {
        .arena = a, .what = "a configuration", .report = say_hint, .state = &r};
    (void)mt_form_keys(&form, config->all, ROWS, mt_form_count(ROWS));
}

/* ---- Options ---- */

static void *place(ht_config *config, const ht_setting *s)
{
    return (char *)config + s->offset;
}

static bool fits(const ht_setting *s, int64_t number)
{
    return number >= 0 && (size_t)number >= s->least && (size_t)number <= s->most;
}

static void add_item(mt_arena *a, ht_list *list, const char *item)
{
    const char **items = mt_new_array(a, const char *, list->count + 2);
    if (list->count) {
        memcpy(items, list->items, list->count * sizeof *items);
    }
    items[list->count++] = item;
    list->items = items;
}

static const ht_setting *find_option(const char *option)
{
    for (size_t i = 0; i < HT_SETTING_COUNT; i++) {
        if (HT_SETTINGS[i].option && strcmp(HT_SETTINGS[i].option, option) == 0) {
            return &HT_SETTINGS[i];
        }
    }
    return NULL;
}

/* An option is read as strictly as a number of the file. */
static mt_err set_count(ht_config *config, const ht_setting *s, const char *text)
{
    mt_json number = {.type = MT_JSON_NUMBER, .count = (uint32_t)strlen(text)};
    int64_t value;
    number.as.text = text;
    if (text[0] < '0' || text[0] > '9' || mt_json_i64(&number, &value) ||
        !fits(s, value)) {
        return MT_E_RANGE;
    }
    *(size_t *)place(config, s) = (size_t)value;
    return MT_OK;
}

/* Options of the command line win over the file because they are set after it. Text is
 * borrowed from the arguments, which live as long as the process. */
mt_err ht_config_set(mt_arena *a, ht_config *config, const char *option,
                     const char *text)
{
    const ht_setting *s = find_option(option);
    if (!s) {
        return MT_E_NOTFOUND;
    }
    switch (s->kind) {
    case HT_TEXT: *(const char **)place(config, s) = text; return MT_OK;
    case HT_COUNT: return set_count(config, s, text);
    case HT_FLAG: *(bool *)place(config, s) = true; return MT_OK;
    case HT_LIST: add_item(a, place(config, s), text); return MT_OK;
    case HT_TREE:
    case HT_ROWS: break;
    }
    return MT_E_NOTFOUND;
}

/* ---- Together ---- */

/* What no single setting can know: values that need each other. Called after file and
 * options are joined. */
mt_err ht_config_check(const ht_config *c, mt_buf *faults)
{
    size_t before = faults->len;
    char host[OS_HOST_TEXT], port[8];
    ht_level level;
    if (!os_address_split(c->listen, host, port)) {
        mt_buf_addf(faults, "listen: %s is not HOST:PORT\n", c->listen);
    }
    if (!c->tls_cert != !c->tls_key) {
        mt_buf_addz(faults, "tls_cert and tls_key go together\n");
    }
    if (c->certificates && !c->tls_cert) {
        mt_buf_addz(faults, "certificates are asked for over TLS: tls_cert and tls_key "
                            "are needed\n");
    }
    if (c->outgoing && !c->sources && !c->witnesses && !c->oidc) {
        mt_buf_addz(faults,
                    "outgoing has no effect without sources; `sources: {}` lets "
                    "contracts fetch\n");
    }
    if (strcmp(c->log, "text") != 0 && strcmp(c->log, "json") != 0) {
        mt_buf_addf(faults, "log: %s is neither text nor json\n", c->log);
    }
    if (strcmp(c->migration_analysis, "conservative") != 0 &&
        strcmp(c->migration_analysis, "aggressive") != 0) {
        mt_buf_addf(faults,
                    "migration_analysis: %s is neither conservative nor aggressive\n",
                    c->migration_analysis);
    }
    if (!ht_level_read(mt_str_z(c->log_level), &level)) {
        mt_buf_addf(faults, "log_level: %s is not debug, info, warn or error\n",
                    c->log_level);
    }
    return faults->len == before ? MT_OK : MT_E_REJECTED;
}
