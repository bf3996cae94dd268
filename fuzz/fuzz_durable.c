/* Lines between agents and durable relays: what is read is written again as the same,
 * names can stand in a subject, and numbers in a sequence. */
#include <stddef.h>
#include <stdint.h>

#include "net/durable_member.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_hello(mt_str line)
{
    nt_hello hello, again;
    mt_buf text = {0};
    if (nt_hello_read(line, &hello)) {
        return;
    }
    MT_ASSERT(nt_is_name(mt_str_z(hello.name)) && nt_is_name(mt_str_z(hello.id)));
    MT_ASSERT(hello.after <= INT64_MAX && hello.since_ms >= 0);
    nt_hello_write(&text, &hello);
    MT_ASSERT(nt_is_relay_line(mt_buf_str(&text)));
    MT_ASSERT(mt_str_find(mt_buf_str(&text), '\n') == text.len - 1);
    MT_ASSERT(!nt_hello_read(mt_buf_str(&text), &again));
    MT_ASSERT(memcmp(&hello, &again, sizeof hello) == 0);
    mt_buf_free(&text);
}

static void check_said(mt_str line)
{
    nt_said said, again;
    mt_buf text = {0};
    if (!nt_said_read(line, &said)) {
        return;
    }
    nt_said_write(&text, &said);
    MT_ASSERT(nt_said_read(mt_buf_str(&text), &again));
    MT_ASSERT(memcmp(&said, &again, sizeof said) == 0);
    mt_buf_free(&text);
}

static void check_numbers(mt_str line)
{
    uint64_t n;
    mt_str rest;
    nt_delivery at;
    MT_ASSERT(!nt_ack_read(line, &n) || n <= INT64_MAX);
    if (nt_numbered_read(line, &n, &rest)) {
        MT_ASSERT(n && n <= INT64_MAX && rest.ptr + rest.len == line.ptr + line.len);
    }
    MT_ASSERT(!nt_delivery_read(line, &at) || (at.seq && at.count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str input = mt_str_from((const char *)data, size);
    check_hello(input);
    check_said(input);
    check_numbers(input);
    return 0;
}
