/* host/agent_triggers.c - see agent_triggers.h. */
#include "host/agent_triggers.h"

#include "agent/value.h"
#include "os/file.h"

enum { MOST_BYTES = 1 << 20 };

static const char *beside(mt_arena *a, const char *document, mt_str name)
{
    mt_str path = mt_str_z(document);
    size_t directory = path.len - mt_str_basename(path).len;
    return name.ptr[0] == '/'
               ? mt_str_dup(a, name).ptr
               : mt_strf(a, "%.*s%.*s", (int)directory, document, MT_ARG(name)).ptr;
}

/* Several lines are the triggers themselves. */
mt_err ho_agent_triggers(mt_arena *a, const char *document, mt_json *tree, mt_buf *why)
{
    const mt_json *named = mt_json_at(tree, "triggers");
    mt_str name = mt_json_text(named), text;
    if (!mt_json_is(named, MT_JSON_STRING) || !name.len ||
        mt_str_find(name, '\n') < name.len) {
        return MT_OK;
    }
    const char *path = beside(a, document, name);
    mt_err err = os_read_file(a, path, MOST_BYTES, &text);
    if (err) {
        mt_buf_addf(why, "cannot read the triggers %s: %s", path, mt_err_text(err));
        return err;
    }
    mt_json lines = ag_text_value(mt_strf(a, "%.*s\n", MT_ARG(text)));
    uint32_t offset = tree->offset;
    lines.offset = named->offset;
    *tree = ag_with_member(a, tree, MT_STR("triggers"), &lines);
    tree->offset = offset;
    return MT_OK;
}
