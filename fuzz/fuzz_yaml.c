/* Any bytes: an accepted tree can be walked within the limits it was read with. */
#include "base/yaml_read.h"

static size_t walk(const mt_json *n, size_t depth)
{
    size_t seen = 1;
    MT_ASSERT(depth <= 50);
    if (n->type == MT_JSON_ARRAY) {
        for (uint32_t i = 0; i < n->count; i++) {
            seen += walk(&n->as.items[i], depth + 1);
        }
    } else if (n->type == MT_JSON_OBJECT) {
        for (uint32_t i = 0; i < n->count; i++) {
            seen += walk(&n->as.members[i].value, depth + 1);
        }
    }
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mt_yaml_limits LIMITS = {1 << 16, 50, 100000};
    mt_arena a = {0};
    mt_json tree;
    mt_json_error error;
    mt_str text = {(const char *)data, size};
    if (mt_yaml_read(&a, text, &LIMITS, &tree, &error) == MT_OK) {
        MT_ASSERT(walk(&tree, 1) <= LIMITS.nodes);
    } else {
        MT_ASSERT(error.message && error.offset <= size);
    }
    mt_arena_free(&a);
    return 0;
}
