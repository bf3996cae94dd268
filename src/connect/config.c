/* connect/config.c - the `sources` of a configuration, line by line.
 *
 * First try: only the block of each changed source is replaced, or added at the end of
 * the section. If the file is written in a way where that gives something else (flow
 * style, anchors), the whole section is written anew. Whatever was made is parsed and
 * compared with what it should be; text that means something else is never returned.
 *
 * The lines are found by their indentation, without a YAML parser that keeps places: it
 * may be wrong about tabs, block texts or quoted keys with escapes, and need not be
 * right, since the comparison decides. The settings of a changed source lose their
 * comments; all other lines keep theirs. What may fail: the text is not a YAML object,
 * or neither try means what it should. */
#include "connect/config.h"

#include "base/yaml_read.h"
#include "connect/yaml.h"

/* So deep a source is written as lines: its settings, its
 * facts, the settings of each fact. What is deeper is one
 * line, as people write it by hand: `convert: {shift: -2}`. */
enum { BLOCKS = 3 };

mt_json cn_text_node(mt_str text)
{
    return (mt_json){
        .type = MT_JSON_STRING, .count = (uint32_t)text.len, .as.text = text.ptr};
}

mt_json cn_with(mt_arena *a, const mt_json *object, mt_str key, const mt_json *value)
{
    uint32_t count = mt_json_is(object, MT_JSON_OBJECT) ? object->count : 0;
    mt_json_member *all = mt_new_array(a, mt_json_member, count + 1);
    bool replaced = false;
    for (uint32_t i = 0; i < count; i++) {
        all[i] = object->as.members[i];
        if (mt_str_eq(all[i].key, key)) {
            all[i].value = *value;
            replaced = true;
        }
    }
    if (!replaced) {
        all[count++] = (mt_json_member){key, *value};
    }
    return (mt_json){.type = MT_JSON_OBJECT, .count = count, .as.members = all};
}

/* ---- Lines ---- */

/* A stretch of the text: [from, to). */
typedef struct stretch {
    size_t from, to;
    bool is_there;
} stretch;

/* The place after the line's end, so that a loop over lines can go on there. */
static size_t line_end(mt_str text, size_t at)
{
    size_t end = at + mt_str_find(mt_str_skip(text, at), '\n');
    return end < text.len ? end + 1 : text.len;
}

static size_t indent_of(mt_str line)
{
    size_t indent = 0;
    while (indent < line.len && line.ptr[indent] == ' ') {
        indent++;
    }
    return indent;
}

/* An empty line or one that is only a comment. */
static bool says_nothing(mt_str line)
{
    mt_str rest = mt_str_trim(line, MT_STR(" \t\r\n"));
    return !rest.len || rest.ptr[0] == '#';
}

/* `key:`, `"key":` and `'key':`. Which quote closes is not looked at: at worst the
 * block is not found right, and the comparison sees it. */
static bool is_key(mt_str line, size_t indent, mt_str key)
{
    mt_str rest = mt_str_skip(line, indent);
    if (indent_of(line) != indent || !rest.len) {
        return false;
    }
    bool quoted = rest.ptr[0] == '"' || rest.ptr[0] == '\'';
    rest = mt_str_skip(rest, quoted);
    if (!mt_str_starts(rest, key)) {
        return false;
    }
    rest = mt_str_skip(rest, key.len + quoted);
    return mt_str_starts(rest, MT_STR(":"));
}

/* From the line of the key to before the next one that is not further in. Comments and
 * empty lines at its end belong to what follows. */
static stretch find_block(mt_str text, stretch in, size_t indent, mt_str key)
{
    stretch s = {0};
    size_t end = 0;
    for (size_t at = in.from; at < in.to; at = line_end(text, at)) {
        mt_str line = mt_str_from(text.ptr + at, line_end(text, at) - at);
        if (says_nothing(line)) {
            continue;
        }
        if (s.is_there && indent_of(line) <= indent) {
            break;
        }
        if (!s.is_there && is_key(line, indent, key)) {
            s = (stretch){at, at, true};
        }
        end = s.is_there ? line_end(text, at) : end;
    }
    s.to = end;
    return s;
}

/* How far the section's sources stand in, so that a new one stands below the others; 2
 * for a section that has none. */
static size_t first_indent(mt_str text, stretch section)
{
    for (size_t at = line_end(text, section.from); at < section.to;
         at = line_end(text, at)) {
        mt_str line = mt_str_from(text.ptr + at, line_end(text, at) - at);
        if (!says_nothing(line)) {
            return indent_of(line);
        }
    }
    return 2;
}

/* [from, to) of the text replaced. A last line that has no end gets one, or the new
 * block would be a continuation of it. */
static mt_str replaced(mt_arena *a, mt_str text, size_t from, size_t to, mt_str by)
{
    mt_buf b = {0};
    mt_buf_add(&b, text.ptr, from);
    if (from && text.ptr[from - 1] != '\n') {
        mt_buf_addc(&b, '\n');
    }
    mt_buf_adds(&b, by);
    mt_buf_adds(&b, mt_str_skip(text, to));
    mt_str made = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return made;
}

/* ---- Both tries ---- */

static mt_str block_of(mt_arena *a, const mt_json *object, size_t indent, size_t blocks)
{
    mt_buf b = {0};
    cn_yaml_put(&b, object, indent, blocks);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* The first try. The section is looked for again for every source: the one before has
 * moved what is below it. */
static mt_str patch_blocks(mt_arena *a, mt_str text, const mt_json *changed)
{
    for (uint32_t i = 0; i < changed->count; i++) {
        stretch section =
            find_block(text, (stretch){0, text.len, true}, 0, MT_STR("sources"));
        if (!section.is_there) {
            text = replaced(a, text, text.len, text.len, MT_STR("sources:\n"));
            section =
                find_block(text, (stretch){0, text.len, true}, 0, MT_STR("sources"));
        }
        size_t indent = first_indent(text, section);
        mt_json one = {
            .type = MT_JSON_OBJECT, .count = 1, .as.members = &changed->as.members[i]};
        mt_str block = block_of(a, &one, indent, BLOCKS);
        stretch inside = {line_end(text, section.from), section.to, true};
        stretch old = find_block(text, inside, indent, changed->as.members[i].key);
        text = old.is_there ? replaced(a, text, old.from, old.to, block)
                            : replaced(a, text, section.to, section.to, block);
    }
    return text;
}

/* The second try: loses the comments of the section, but not what is outside it. */
static mt_str patch_section(mt_arena *a, mt_str text, const mt_json *sources)
{
    stretch section =
        find_block(text, (stretch){0, text.len, true}, 0, MT_STR("sources"));
    mt_json member_value = *sources;
    mt_json_member member = {MT_STR("sources"), member_value};
    mt_json one = {.type = MT_JSON_OBJECT, .count = 1, .as.members = &member};
    mt_str block = block_of(a, &one, 0, BLOCKS + 1);
    return section.is_there ? replaced(a, text, section.from, section.to, block)
                            : replaced(a, text, text.len, text.len, block);
}

/* The judge of both tries: does the text, read as YAML, say exactly what is wanted? */
static bool means(mt_arena *a, mt_str text, const mt_json *wanted)
{
    mt_json tree;
    return !mt_yaml_read(a, text, NULL, &tree, NULL) && mt_json_equal(&tree, wanted);
}

/* `wanted` is what the result must mean: the tree of before, with the changed sources
 * put in. An empty file is an empty configuration. */
mt_err cn_config_patch(mt_arena *a, mt_str text, const mt_json *changed, mt_buf *out,
                       mt_buf *why)
{
    mt_json old, sources = {.type = MT_JSON_OBJECT};
    if (mt_yaml_read(a, text, NULL, &old, NULL) ||
        (!mt_json_is(&old, MT_JSON_OBJECT) && !mt_json_is(&old, MT_JSON_NULL))) {
        mt_buf_addz(why, "it is not a YAML object");
        return MT_E_SYNTAX;
    }
    const mt_json *before = mt_json_at(&old, "sources");
    sources = mt_json_is(before, MT_JSON_OBJECT) ? *before : sources;
    for (uint32_t i = 0; i < changed->count; i++) {
        sources = cn_with(a, &sources, changed->as.members[i].key,
                          &changed->as.members[i].value);
    }
    mt_json wanted = cn_with(a, &old, MT_STR("sources"), &sources);
    mt_str made = patch_blocks(a, text, changed);
    if (!means(a, made, &wanted)) {
        made = patch_section(a, text, &sources);
    }
    if (!means(a, made, &wanted)) {
        mt_buf_addz(why, "its sources are written in a way that cannot be kept");
        return MT_E_SYNTAX;
    }
    mt_buf_adds(out, made);
    return MT_OK;
}
