/* generate/targets.c - what a contract can be generated as. The names are what `motet
 * generate` is called with. */
#include "generate/c.h"
#include "generate/words.h"

const gn_target GN_TARGETS[] = {
    {"c", "an evaluator of exactly this contract: NAME.h and NAME.c", gn_c_generate},
    {"json-schema", "facts, verdicts and operations as JSON Schema", gn_json_schema},
    {"typescript", "types and a client of the HTTP routes", gn_typescript},
    {"python", "the same with TypedDict and urllib", gn_python},
    {"go", "the same with net/http", gn_go},
};
const size_t GN_TARGET_COUNT = sizeof GN_TARGETS / sizeof *GN_TARGETS;

mt_str gn_prefix_of(mt_arena *a, mt_str id)
{
    return gn_plain(a, id);
}

bool gn_is_prefix(mt_str prefix)
{
    bool good = prefix.len > 0 && prefix.len <= 64 &&
                !(prefix.ptr[0] >= '0' && prefix.ptr[0] <= '9');
    for (size_t i = 0; good && i < prefix.len; i++) {
        char c = prefix.ptr[i];
        good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
               (c >= '0' && c <= '9');
    }
    return good;
}
