#include "lsp/text.h"

#include "base/utf8.h"

/* The offset behind the line end at `at`, or `at` where there is none. */
static size_t past_line_end(mt_str text, size_t at)
{
    if (text.ptr[at] == '\r') {
        return at + 1 < text.len && text.ptr[at + 1] == '\n' ? at + 2 : at + 1;
    }
    return text.ptr[at] == '\n' ? at + 1 : at;
}

static uint32_t count_lines(mt_str text)
{
    uint32_t n = 1;
    for (size_t i = 0; i < text.len;) {
        size_t next = past_line_end(text, i);
        n += next > i;
        i = next > i ? next : i + 1;
    }
    return n;
}

ls_text ls_text_of(mt_arena *a, mt_str text)
{
    ls_text t = {.text = text, .last = mt_new(a, ls_place), .count = count_lines(text)};
    *t.last = (ls_place){0};
    t.lines = mt_new_array(a, uint32_t, t.count);
    uint32_t n = 1;
    for (size_t i = 0; i < text.len;) {
        size_t next = past_line_end(text, i);
        if (next > i) {
            t.lines[n++] = (uint32_t)next;
        }
        i = next > i ? next : i + 1;
    }
    return t;
}

/* Where the text of a line ends, its line end not counted. */
static size_t line_end(const ls_text *t, uint32_t line)
{
    size_t end = line + 1 < t->count ? t->lines[line + 1] : t->text.len;
    size_t begin = t->lines[line];
    while (end > begin &&
           (t->text.ptr[end - 1] == '\n' || t->text.ptr[end - 1] == '\r')) {
        end--;
    }
    return end;
}

/* How many units a character of so many bytes is. Four bytes are two of UTF-16. */
static uint32_t units_of(size_t bytes, ls_units units)
{
    return units == LS_UTF8 ? (uint32_t)bytes : units == LS_UTF16 && bytes == 4 ? 2 : 1;
}

size_t ls_offset(const ls_text *t, ls_position at, ls_units units)
{
    if (at.line >= t->count) {
        return t->text.len;
    }
    size_t offset = t->lines[at.line], end = line_end(t, at.line);
    uint32_t left = at.unit;
    while (offset < end && left) {
        size_t len;
        mt_utf8_decode(t->text.ptr + offset, &len);
        uint32_t width = units_of(len, units);
        if (width > left) {
            break;
        }
        left -= width;
        offset += len;
    }
    return offset;
}

/* The last line that begins at or before the offset. */
static uint32_t line_at(const ls_text *t, size_t offset)
{
    uint32_t low = 0, high = t->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(t->lines[middle] <= offset ? &low : &high) = middle;
    }
    return low;
}

ls_position ls_position_of(const ls_text *t, size_t offset, ls_units units)
{
    offset = offset < t->text.len ? offset : t->text.len;
    uint32_t line = line_at(t, offset), unit = 0;
    size_t i = t->lines[line];
    const ls_place *last = t->last;
    if (last->at.line == line && last->units == units) {
        i = last->offset;
        unit = last->at.unit;
    }
    while (i > offset) {
        size_t len = 1;
        while (mt_utf8_goes_on(t->text.ptr[i - len])) {
            len++;
        }
        unit -= units_of(len, units);
        i -= len;
    }
    while (i < offset) {
        size_t len;
        mt_utf8_decode(t->text.ptr + i, &len);
        unit += units_of(len, units);
        i += len;
    }
    *t->last = (ls_place){i, {line, unit}, units};
    return t->last->at;
}

size_t ls_place_offset(mt_str text, uint32_t line, uint32_t column)
{
    size_t offset = 0;
    for (uint32_t n = 1; n < line && offset < text.len; n++) {
        offset += mt_str_find(mt_str_skip(text, offset), '\n') + 1;
    }
    for (uint32_t n = 1; n < column && offset < text.len && text.ptr[offset] != '\n';
         n++) {
        size_t len;
        mt_utf8_decode(text.ptr + offset, &len);
        offset += len;
    }
    return offset < text.len ? offset : text.len;
}
