/* net/backlog.c - see backlog.h. */
#include "net/backlog.h"

enum { COMPACT_BYTES = 1 << 20 };

static mt_str rest_from(const nt_backlog *b, size_t at)
{
    return mt_str_skip(mt_buf_str(&b->text), at);
}

static mt_str line_at(const nt_backlog *b, size_t at)
{
    mt_str rest = rest_from(b, at);
    return mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
}

/* The word after the first space. */
static uint64_t number_of(mt_str line)
{
    uint64_t number = 0;
    for (size_t i = mt_str_find(line, ' ') + 1; i < line.len && line.ptr[i] != ' ';
         i++) {
        number = number * 10 + (uint64_t)(line.ptr[i] - '0');
    }
    return number;
}

void nt_backlog_add(nt_backlog *b, mt_str lines)
{
    mt_buf_adds(&b->text, lines);
}

mt_str nt_backlog_next(const nt_backlog *b)
{
    return line_at(b, b->next);
}

void nt_backlog_done(nt_backlog *b)
{
    mt_str line = nt_backlog_next(b);
    uint64_t number = number_of(line);
    b->last = number > b->last ? number : b->last;
    b->next += line.len + 1;
}

uint64_t nt_backlog_rewind(nt_backlog *b, uint64_t number)
{
    size_t at = b->head;
    uint64_t again = 0;
    while (at < b->next && number_of(line_at(b, at)) < number) {
        at += line_at(b, at).len + 1;
    }
    for (size_t i = at; i < b->next; i += line_at(b, i).len + 1) {
        again++;
    }
    b->next = at;
    return again;
}

/* What is before the head is given back when it is most of the text. */
void nt_backlog_confirm(nt_backlog *b)
{
    b->head += line_at(b, b->head).len + 1;
    if (b->head == b->text.len || b->head > COMPACT_BYTES) {
        b->text.len -= b->head;
        memmove(b->text.ptr, b->text.ptr + b->head, b->text.len);
        b->next -= b->head;
        b->head = 0;
    }
}

uint64_t nt_backlog_first(const nt_backlog *b)
{
    return b->head < b->text.len ? number_of(line_at(b, b->head)) : b->last + 1;
}

void nt_backlog_trim(nt_backlog *b, size_t most)
{
    if (b->next - b->head > most) {
        b->head = b->next - most;
        b->head += line_at(b, b->head).len + 1; /* where a line begins */
    }
    if (b->head > most) { /* moved at most once for as many bytes */
        b->text.len -= b->head;
        memmove(b->text.ptr, b->text.ptr + b->head, b->text.len);
        b->next -= b->head;
        b->head = 0;
    }
}

void nt_backlog_free(nt_backlog *b)
{
    mt_buf_free(&b->text);
}
