/* cli/svg.c - a child process that draws.
 * Room: cli. */
#include "cli/svg.h"

#include "runtime/process.h"

mt_err cli_svg(mt_buf *text)
{
    enum { TIMEOUT_MS = 60 * 1000 };
    const char *const argv[] = {"dot", "-Tsvg", NULL};
    rt_child_options o = {
        .argv = argv, .wants_stdin = true, .max_line = (size_t)64 << 20};
    rt_child *dot;
    mt_err err = rt_child_start(&o, &dot);
    if (err) {
        return err;
    }
    mt_buf svg = {0};
    mt_str line;
    err = rt_child_write(dot, mt_buf_str(text), TIMEOUT_MS);
    rt_child_close_stdin(dot);
    while (!err && !(err = rt_child_read_line(dot, TIMEOUT_MS, &line))) {
        mt_buf_adds(&svg, line);
        mt_buf_addc(&svg, '\n');
    }
    int status = 1;
    bool ended = rt_child_stop(dot, TIMEOUT_MS, &status);
    rt_child_free(dot);
    if (err == MT_E_CLOSED && ended && status == 0 && svg.len) {
        mt_buf_free(text);
        *text = svg;
        return MT_OK;
    }
    mt_buf_free(&svg);
    return MT_E_IO;
}
