#include "base/html.h"

#include "base/utf8.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void mt_html_text(mt_buf *out, mt_str text)
{
    while (text.len) {
        char c = text.ptr[0];
        const char *entity = entity_of(c);
        size_t len = 1;
        if (entity) {
            mt_buf_addz(out, entity);
        } else if (c == '\n' || c == '\t') {
            mt_buf_addc(out, c);
        } else {
            len = mt_utf8_show(out, text);
        }
        text = mt_str_skip(text, len);
    }
}
