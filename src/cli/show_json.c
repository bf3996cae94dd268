/* cli/show_json.c - diagnostics for programs: JSON objects and a SARIF 2.1.0 log.
 *
 * Keys are written in byte order, as everywhere; in our own objects every key is
 * always there, null where nothing is known. The `error` key holds the first error in
 * the form of the conformance suite. SARIF gets the rules that occurred, once each,
 * regions in characters, and paths as the user gave them, made into URI references. */
#include <stdio.h>

#include "base/map.h"
#include "cli/show.h"
#include "contract/elaborate.h"

/* A path as a relative or absolute URI reference. Everything but letters, digits and a
 * few marks is escaped by its bytes, so names with blanks or in other scripts become
 * valid references. */
static void add_uri(mt_jw *w, mt_str path)
{
    static const char PLAIN[] = "-._~/";
    mt_buf uri = {0};
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        bool word =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (word || (c && strchr(PLAIN, c))) {
            mt_buf_addc(&uri, (char)c);
        } else {
            mt_buf_addf(&uri, "%%%02X", c);
        }
    }
    mt_jw_str(w, mt_buf_str(&uri));
    mt_buf_free(&uri);
}

static const char *sarif_level(mt_severity severity)
{
    static const char *const LEVELS[] = {
        [MT_ERROR] = "error", [MT_WARNING] = "warning", [MT_NOTE] = "note"};
    MT_TABLE_COVERS(LEVELS, MT_NOTE + 1);
    return LEVELS[severity];
}

/* SARIF counts columns from 1 and its end is exclusive, as ours. */
static void add_region(mt_jw *w, const char *key, uint32_t line, uint32_t column,
                       uint32_t end_line, uint32_t end_column)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    if (column && end_column) {
        mt_jw_key_i64(w, "endColumn", end_column);
        mt_jw_key_i64(w, "endLine", end_line);
    }
    if (column) {
        mt_jw_key_i64(w, "startColumn", column);
    }
    mt_jw_key_i64(w, "startLine", line);
    mt_jw_end_object(w);
}

/* Diagnostics of other voices know a length instead of an end. */
static void add_diag_region(mt_jw *w, const mt_diag *d)
{
    uint32_t end = d->end_column            ? d->end_column
                   : d->column && d->length ? d->column + d->length
                                            : 0;
    add_region(w, "region", d->line, d->column, d->end_line ? d->end_line : d->line,
               end);
}

/* The path the user gave for the file a diagnostic names. */
static mt_str path_of(cli_sources sources, mt_str file)
{
    for (size_t i = 0; i < sources.len; i++) {
        mt_str name = sources.items[i].name;
        if (mt_str_eq(name, file) || mt_str_eq(mt_str_basename(name), file)) {
            return name;
        }
    }
    return file;
}

/* A fault without a place still names its file: consumers of SARIF ask for a physical
 * location. */
static void add_location(mt_jw *w, const mt_diag *d, cli_sources sources)
{
    mt_jw_keyz(w, "locations");
    mt_jw_begin_array(w);
    mt_jw_begin_object(w);
    if (d->construct_id.ptr) {
        mt_jw_keyz(w, "logicalLocations");
        mt_jw_begin_array(w);
        mt_jw_begin_object(w);
        if (d->field.ptr) {
            mt_buf name = {0};
            mt_buf_addf(&name, "%.*s.%.*s", MT_ARG(d->construct_id), MT_ARG(d->field));
            mt_jw_key_str(w, "fullyQualifiedName", mt_buf_str(&name));
            mt_buf_free(&name);
        }
        mt_jw_keyz(w, "kind");
        mt_jw_str(w, d->construct_kind.ptr ? d->construct_kind : MT_STR("construct"));
        mt_jw_key_str(w, "name", d->construct_id);
        mt_jw_end_object(w);
        mt_jw_end_array(w);
    }
    mt_jw_keyz(w, "physicalLocation");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "artifactLocation");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "uri");
    add_uri(w, path_of(sources, d->file));
    mt_jw_end_object(w);
    if (d->line) {
        add_diag_region(w, d);
    }
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_end_array(w);
}

/* One fix of one change of one replacement; an empty text is left out, as SARIF has it
 * for a deletion. */
static void add_fixes(mt_jw *w, const mt_diag *d, cli_sources sources)
{
    const mt_edit *e = &d->fix->edit;
    mt_jw_keyz(w, "fixes");
    mt_jw_begin_array(w);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "artifactChanges");
    mt_jw_begin_array(w);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "artifactLocation");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "uri");
    add_uri(w, path_of(sources, e->file));
    mt_jw_end_object(w);
    mt_jw_keyz(w, "replacements");
    mt_jw_begin_array(w);
    mt_jw_begin_object(w);
    add_region(w, "deletedRegion", e->line, e->column, e->end_line, e->end_column);
    if (e->text.len) {
        mt_jw_keyz(w, "insertedContent");
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "text", e->text);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_end_array(w);
    mt_jw_end_object(w);
    mt_jw_end_array(w);
    if (d->hint.len) {
        mt_jw_keyz(w, "description");
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "text", d->hint);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_end_array(w);
}

/* The hint is part of the message: SARIF has no place for it that viewers show. */
static void add_result(mt_jw *w, const mt_diag *d, cli_sources sources, int64_t rule)
{
    mt_jw_begin_object(w);
    if (d->fix) {
        add_fixes(w, d, sources);
    }
    mt_jw_key_str(w, "level", mt_str_z(sarif_level(d->severity)));
    add_location(w, d, sources);
    mt_jw_keyz(w, "message");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "text");
    mt_buf text = {0};
    mt_buf_adds(&text, d->message);
    if (d->hint.len) {
        mt_buf_addf(&text, "\nHint: %.*s", MT_ARG(d->hint));
    }
    mt_jw_str(w, mt_buf_str(&text));
    mt_buf_free(&text);
    mt_jw_end_object(w);
    if (d->code) {
        mt_jw_key_str(w, "ruleId", mt_str_z(d->code));
        mt_jw_key_i64(w, "ruleIndex", rule);
    }
    mt_jw_end_object(w);
}

/* SARIF wraps every text in an object. */
static void add_text(mt_jw *w, const char *key, mt_str text)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "text", text);
    mt_jw_end_object(w);
}

/* What `motet help CODE` says, for viewers that show it beside a result. */
static void add_rule(mt_jw *w, mt_str code)
{
    const ct_code_info *info = ct_code_find(code);
    mt_jw_begin_object(w);
    if (info) {
        add_text(w, "fullDescription", mt_str_z(info->explanation));
        mt_buf help = {0};
        mt_buf_addf(&help, "What to do: %s. Specification: %s.", info->hint,
                    info->rule);
        add_text(w, "help", mt_buf_str(&help));
        mt_buf_free(&help);
    }
    mt_jw_key_str(w, "id", code);
    if (info) {
        add_text(w, "shortDescription", mt_str_z(info->title));
    }
    mt_jw_end_object(w);
}

/* Rules are those that occurred, in order of their first occurrence; results point into
 * this list by index. */
static void add_tool(mt_jw *w, const mt_map *rules)
{
    mt_jw_keyz(w, "tool");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "driver");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "name", MT_STR("motet"));
    mt_jw_keyz(w, "rules");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < rules->len; i++) {
        add_rule(w, rules->entries[i].key);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "semanticVersion", MT_STR(MOTET_VERSION));
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

/* The value of an entry is its place in the list. */
static mt_map rules_of(mt_arena *a, const mt_diags *ds)
{
    mt_map rules = {0};
    for (size_t i = 0; i < ds->len; i++) {
        bool added = false;
        if (ds->items[i].code) {
            mt_map_entry *e =
                mt_map_add(a, &rules, mt_str_z(ds->items[i].code), &added);
            e->value = added ? rules.len - 1 : e->value;
        }
    }
    return rules;
}

/* SARIF 2.1.0 with one run. Columns are code points, as everywhere in this program, and
 * the run says so. */
void cli_show_sarif(mt_buf *out, const mt_diags *ds, cli_sources sources)
{
    mt_arena scratch = {0};
    mt_map rules = rules_of(&scratch, ds);
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "$schema",
                  MT_STR("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                         "schemas/sarif-schema-2.1.0.json"));
    mt_jw_keyz(&w, "runs");
    mt_jw_begin_array(&w);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "columnKind", MT_STR("unicodeCodePoints"));
    mt_jw_keyz(&w, "results");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < ds->len; i++) {
        const mt_diag *d = &ds->items[i];
        uintptr_t rule = d->code ? mt_map_get(&rules, mt_str_z(d->code), 0) : 0;
        add_result(&w, d, sources, (int64_t)rule);
    }
    mt_jw_end_array(&w);
    add_tool(&w, &rules);
    mt_jw_end_object(&w);
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "version", MT_STR("2.1.0"));
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
    mt_arena_free(&scratch);
}
