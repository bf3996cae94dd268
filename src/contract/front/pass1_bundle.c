/* contract/front/pass1_bundle.c - imports, the sandbox, cycles, one bundle.
 *
 * Depth first: a file is lexed and parsed, then its imports are loaded, then its own
 * constructs join the bundle. A file is loaded once, known by its real path; the order
 * of the bundle is therefore that of the imports and does not depend on the file
 * system.
 *
 * A path that leaves the directory of the first file is refused, whatever links it
 * goes through (os/sources.c opens what was checked). A cycle is reported with all its
 * files. Number and size of files are bounded by limits.
 *
 * What may fail: MT_E_NOTFOUND and the like for the first file only; for imports every
 * fault is a diagnostic, and `incomplete` keeps later passes from reporting names that
 * may be in the file that is missing. */
#include "base/map.h"
#include "base/utf8.h"
#include "contract/front/unit.h"

/* `stack` has the files whose imports are being followed, from the root on. */
typedef struct loader {
    fr_unit *u;
    mt_map by_id; /* file id -> fr_file * */
    MT_VEC(const fr_file *) stack;
    bool limit_reported; /* once is enough for a contract of a thousand imports */
} loader;

static void load(loader *l, fr_file *file);

/* ---- reading ---- */

/* At the keyword for the suite, at the path for people; the importing construct has no
 * kind of its own to name. `import` is NULL for the root. */
static fr_place import_place(const fr_construct *import)
{
    if (!import) {
        return (fr_place){0};
    }
    fr_place at = {
        .file = import->file, .tok = import->tok, .field = FR_FIELD("import")};
    return fr_exactly(at, import->id_tok, import->id_tok);
}

/* The reason without the number of the system's error, which nobody can read. */
static mt_str plain_reason(mt_str why)
{
    static const char NUMBER[] = " (os error ";
    for (size_t i = 0; i + sizeof NUMBER - 1 <= why.len; i++) {
        if (memcmp(why.ptr + i, NUMBER, sizeof NUMBER - 1) == 0) {
            return mt_str_from(why.ptr, i);
        }
    }
    return why;
}

static fr_file_fault file_fault(const fr_file *file, const fr_construct *import)
{
    return (fr_file_fault){
        .file = file->id, .path = file->path, .at = import_place(import)};
}

/* At the byte itself, whoever imports the file. */
static void report_not_utf8(fr_unit *u, const fr_file *file, size_t offset)
{
    fr_file_fault fault = file_fault(file, NULL);
    fault.text = file->text;
    fault.offset = offset;
    fault.at.hint = "save the file as UTF-8";
    fault.message =
        mt_strf(u->keep, "'%.*s' is not UTF-8 text: byte %zu begins no character",
                MT_ARG(file->path), offset);
    fr_report_file(u, FR_E_FILE_READ, &fault,
                   "cannot read file '%.*s': stream did not contain valid UTF-8",
                   MT_ARG(file->id));
}

static void report_too_large(fr_unit *u, const fr_file *file,
                             const fr_construct *import, mt_str why)
{
    mt_str limit = mt_strf(u->keep, "more than %zu bytes (limit source_bytes)",
                           u->limits->source_bytes);
    fr_file_fault fault = file_fault(file, import);
    fault.file = file->path;
    fr_report_file(u, FR_E_FILE_LIMIT, &fault, "file '%.*s' has %.*s",
                   MT_ARG(file->path), MT_ARG(why.len ? why : limit));
}

/* After this the text is valid UTF-8, which lexer and messages rely on. */
static bool read_text(fr_unit *u, fr_file *file, const fr_construct *import,
                      mt_err *err)
{
    mt_str why = MT_STR("");
    *err = u->provider->read(u->provider->state, u->keep, file->id,
                             u->limits->source_bytes, &file->text, &why);
    if (*err == MT_E_LIMIT) {
        report_too_large(u, file, import, why);
        return false;
    }
    if (*err != MT_OK) {
        fr_file_fault fault = file_fault(file, import);
        fault.message = mt_strf(u->keep, "cannot read '%.*s': %.*s", MT_ARG(file->path),
                                MT_ARG(plain_reason(why)));
        fr_report_file(u, FR_E_FILE_READ, &fault, "cannot read file '%.*s': %.*s",
                       MT_ARG(file->id), MT_ARG(why));
        return false;
    }
    size_t good = mt_utf8_check(file->text);
    if (good < file->text.len) {
        report_not_utf8(u, file, good);
        *err = MT_E_REJECTED;
    }
    return *err == MT_OK;
}

/* Known from now on, before it is read: a file that cannot be read is reported once. */
static fr_file *add_file(loader *l, mt_str id, mt_str path)
{
    fr_file *file = mt_new(l->u->keep, fr_file);
    file->id = id;
    file->path = path;
    file->name = mt_str_basename(path);
    *mt_vec_add(l->u->keep, &l->u->files) = file;
    mt_map_put(l->u->keep, &l->by_id, id, (uintptr_t)file);
    return file;
}

/* ---- imports ---- */

/* `id` is canonical, with links and dots resolved by the provider, so a prefix is
 * enough; the slash behind it keeps `/contracts-evil` out of `/contracts`. Without a
 * directory the provider holds texts in memory, whose paths are relative. */
static bool in_sandbox(const fr_unit *u, mt_str id)
{
    mt_str root = u->sandbox;
    if (!root.len) {
        return !mt_str_starts(id, MT_STR("../")) && !mt_str_starts(id, MT_STR("/"));
    }
    bool below_slash = mt_str_is(root, "/");
    return mt_str_starts(id, root) &&
           (below_slash || id.len == root.len || id.ptr[root.len] == '/');
}

/* From the root on, not only the files of the circle itself. */
static void report_cycle(loader *l, const fr_construct *import, const fr_file *target)
{
    mt_buf path = {0};
    for (size_t i = 0; i < l->stack.len; i++) {
        mt_buf_adds(&path, l->stack.items[i]->name);
        mt_buf_addz(&path, " → ");
    }
    mt_buf_adds(&path, target->name);
    fr_report(l->u, FR_E_IMPORT_CYCLE, import_place(import),
              "import cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

/* A hostile contract cannot make us open more files than this, however it is linked. */
static bool too_many_files(loader *l, const fr_construct *import)
{
    if (l->u->files.len < l->u->limits->source_files) {
        return false;
    }
    if (!l->limit_reported) {
        fr_report(l->u, FR_E_FILE_LIMIT, import_place(import),
                  "the contract has more than %zu files (limit source_files)",
                  l->u->limits->source_files);
    }
    return l->limit_reported = true;
}

/* Relative to the importing file (§14.2, pass 1). The sandbox is asked about the
 * canonical id, which only a file that exists has. */
static bool find_import(loader *l, const fr_construct *import, mt_str *id)
{
    fr_unit *u = l->u;
    mt_str written = fr_str(u, import->id), why = MT_STR("");
    if (u->provider->find(u->provider->state, u->keep, mt_path_dir(import->file->id),
                          written, id, &why) != MT_OK) {
        fr_report(u, FR_E_IMPORT_MISSING, import_place(import),
                  "import resolution failed: cannot resolve path '%.*s'",
                  MT_ARG(written));
        return false;
    }
    if (!in_sandbox(u, *id)) {
        fr_report(u, FR_E_IMPORT_ESCAPES, import_place(import),
                  "import '%.*s' escapes the contract root directory", MT_ARG(written));
        return false;
    }
    return true;
}

/* A file that is loaded already adds nothing; one that is being loaded closes a circle.
 * A System cannot be imported, since it has no constructs of its own. */
static void follow_import(loader *l, const fr_construct *import)
{
    mt_str id;
    if (import->broken || !find_import(l, import, &id)) {
        l->u->incomplete = true;
        return;
    }
    const fr_file *known = (const fr_file *)mt_map_get(&l->by_id, id, 0);
    if (known) {
        if (known->loading) {
            report_cycle(l, import, known);
        }
        return;
    }
    if (too_many_files(l, import)) {
        l->u->incomplete = true;
        return;
    }
    mt_str path = mt_path_join(l->u->keep, mt_path_dir(import->file->path),
                               fr_str(l->u, import->id));
    fr_file *file = add_file(l, id, path);
    mt_err err;
    if (!read_text(l->u, file, import, &err)) {
        l->u->incomplete = true;
        return;
    }
    load(l, file);
    if (file->is_system) {
        fr_report(l->u, FR_E_IMPORT_SYSTEM, import_place(import),
                  "'%.*s' is a System file; it cannot be imported",
                  FR_ARG(l->u, import->id));
    }
}

/* Its imports and what else it has, each in the order of the text. Taken apart in one
 * walk: constructs of a large file are far apart in memory. */
typedef struct contents {
    MT_VEC(const fr_construct *) imports;
    fr_construct **others;
    size_t count, types; /* of the others, and of those that declare a type */
} contents;

static contents take_apart(fr_unit *u, fr_construct **items, size_t count)
{
    contents c = {.others = items};
    for (size_t i = 0; i < count; i++) {
        fr_construct *item = items[i];
        if (item->kind == FR_IMPORT) {
            *mt_vec_add(u->keep, &c.imports) = item;
        } else {
            c.others[c.count++] = item;
            c.types += item->kind == FR_TYPEDECL;
        }
    }
    return c;
}

/* A file of types only may not import. False if it does. §4.6; an empty file is not a
 * library and may import. */
static bool check_library(fr_unit *u, fr_file *file, const contents *c)
{
    file->is_library = c->count && c->types == c->count;
    if (!file->is_library || !c->imports.len) {
        return true;
    }
    fr_report(u, FR_E_LIBRARY_IMPORT, import_place(c->imports.items[0]),
              "type library files may not contain import declarations; a file "
              "containing only TypeDecl constructs is a type library and must be "
              "self-contained");
    return false;
}

/* Recursion is as deep as the chain of imports, which source_files bounds. A library's
 * imports are not followed after the report, so its faults are not multiplied. */
static void load(loader *l, fr_file *file)
{
    fr_unit *u = l->u;
    fr_construct **items;
    size_t count;
    fr_lex(u->keep, &u->syms, file->text, u->limits, 0, &file->tokens);
    size_t before = u->first->len;
    for (uint32_t i = 0; i < file->tokens.fault_count; i++) {
        fr_report_lex(u, file, &file->tokens.faults[i]);
    }
    size_t after = u->first->len;
    fr_parse(u, file, &items, &count);
    fr_place_lex(u, file, before, after, items, count);
    contents c = take_apart(u, items, count);
    file->loading = true;
    *mt_vec_add(u->keep, &l->stack) = file;
    if (check_library(u, file, &c)) {
        for (size_t i = 0; i < c.imports.len; i++) {
            follow_import(l, c.imports.items[i]);
        }
    }
    for (size_t i = 0; i < c.count; i++) {
        *mt_vec_add(u->keep, &u->all) = c.others[i];
    }
    l->stack.len--;
    file->loading = false;
}

/* The only fault without a source line: there is no file it could stand in. */
static mt_err find_root(fr_unit *u, mt_str path, mt_str *id)
{
    mt_str why = MT_STR("");
    mt_err err =
        u->provider->find(u->provider->state, u->keep, MT_STR(""), path, id, &why);
    if (err != MT_OK) {
        fr_file_fault fault = {.file = path, .path = path};
        fault.message = mt_strf(u->keep, "cannot open '%.*s': %.*s", MT_ARG(path),
                                MT_ARG(plain_reason(why)));
        fr_report_file(u, FR_E_ROOT_OPEN, &fault, "cannot open file: %.*s",
                       MT_ARG(why));
    }
    return err;
}

/* The root's directory is the sandbox for everything it imports, also through others. A
 * member of a System comes with its id and has a sandbox of its own. */
mt_err fr_pass1_bundle(fr_unit *u, mt_str id, mt_str path)
{
    loader l = {.u = u};
    mt_err err = id.len ? MT_OK : find_root(u, path, &id);
    if (err != MT_OK) {
        return err;
    }
    fr_file *file = add_file(&l, id, path);
    u->sandbox = mt_path_dir(id);
    if (!read_text(u, file, NULL, &err)) {
        return err;
    }
    load(&l, file);
    return MT_OK;
}
