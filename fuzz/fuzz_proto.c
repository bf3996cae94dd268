/* .proto text and descriptor sets: what is read is linked, its fields ascend, and every
 * method can be found again; a message without bytes can be read by every layout, and
 * what is read is JSON. */
#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "proto/message.h"

static void check_message(mt_arena *a, const pb_message *m)
{
    mt_json tree, again;
    const char *why;
    mt_buf text = {0};
    for (size_t i = 0; i < m->count; i++) {
        const pb_field *f = &m->fields[i];
        MT_ASSERT(!i || m->fields[i - 1].number < f->number);
        MT_ASSERT((f->kind == PB_MESSAGE) == (f->message != NULL));
        MT_ASSERT((f->kind == PB_ENUM) == (f->choices != NULL));
        MT_ASSERT(pb_field_find(m, f->name) && pb_field_numbered(m, f->number) == f);
    }
    if (!pb_decode(a, m, MT_STR(""), &tree, &why)) {
        mt_json_write(&text, &tree, false);
        MT_ASSERT(mt_json_read(a, mt_buf_str(&text), NULL, &again, NULL) == MT_OK);
    }
    mt_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_buf why = {0};
    const pb_schema *schema;
    mt_str bytes = mt_str_from((const char *)data, size);
    mt_err err = pb_read(&a, MT_STR("a.proto"), bytes, NULL, NULL, &why, &schema);
    MT_ASSERT(!err == (schema != NULL));
    MT_ASSERT(!err || why.len);
    for (size_t i = 0; schema && i < schema->message_count && i < 1000; i++) {
        check_message(&a, schema->messages[i]);
    }
    for (size_t i = 0; schema && i < schema->method_count; i++) {
        MT_ASSERT(schema->methods[i].input && schema->methods[i].output);
    }
    mt_buf_free(&why);
    mt_arena_free(&a);
    return 0;
}
