#include "cli/html.h"

void cli_html(mt_buf *out, mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '<': mt_buf_addz(out, "&lt;"); break;
        case '>': mt_buf_addz(out, "&gt;"); break;
        case '&': mt_buf_addz(out, "&amp;"); break;
        case '"': mt_buf_addz(out, "&quot;"); break;
        case '\'': mt_buf_addz(out, "&#39;"); break;
        default: mt_buf_addc(out, text.ptr[i]);
        }
    }
}
