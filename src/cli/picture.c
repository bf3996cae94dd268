/* cli/picture.c - the forms of a picture, and a child process that draws.
 * Room: cli. SVG is DOT that Graphviz has drawn, with our style sheet put in; the rest
 * is written by base/picture*.c. May fail: only SVG, MT_E_NOTFOUND where Graphviz is
 * not installed. */
#include "cli/picture.h"

#include "os/process.h"

static const struct {
    const char *name, *ending;
    void (*write)(mt_buf *out, const mt_picture *p);
} FORMS[] = {
    [CLI_FORM_DOT] = {"dot", "dot", mt_picture_dot},
    [CLI_FORM_SVG] = {"svg", "svg", mt_picture_dot},
    [CLI_FORM_MERMAID] = {"mermaid", "mmd", mt_picture_mermaid},
    [CLI_FORM_JSON] = {"json", "json", mt_picture_json},
};
MT_TABLE_COVERS(FORMS, CLI_FORM_COUNT);

/* Without --format *out keeps the caller's default. */
int cli_form_given(const cli_args *args, cli_form *out)
{
    const char *name = cli_value(args, "format");
    for (cli_form i = 0; name && i <= CLI_FORM_JSON; i++) {
        if (strcmp(name, FORMS[i].name) == 0) {
            *out = i;
            return CLI_HOLDS;
        }
    }
    return name ? cli_fail(args, CLI_USAGE, "--format must be " CLI_FORMS) : CLI_HOLDS;
}

const char *cli_form_ending(cli_form form)
{
    return FORMS[form].ending;
}

/* What Graphviz says to the text. MT_E_NOTFOUND, MT_E_IO. Bounded in time and in the
 * length of a line. Half a picture is not one: it must have ended by itself with status
 * 0. */
static mt_err ask_graphviz(mt_str text, mt_buf *svg)
{
    enum { TIMEOUT_MS = 60 * 1000 };
    const char *const argv[] = {"dot", "-Tsvg", NULL};
    os_child_options o = {
        .argv = argv, .wants_stdin = true, .max_line = (size_t)64 << 20};
    os_child *dot;
    mt_err err = os_child_start(&o, &dot);
    if (err) {
        return err;
    }
    mt_str line;
    err = os_child_write(dot, text, TIMEOUT_MS);
    os_child_close_stdin(dot);
    while (!err && !(err = os_child_read_line(dot, TIMEOUT_MS, &line))) {
        mt_buf_adds(svg, line);
        mt_buf_addc(svg, '\n');
    }
    int status = 1;
    bool ended = os_child_stop(dot, TIMEOUT_MS, &status);
    os_child_free(dot);
    return err == MT_E_CLOSED && ended && status == 0 && svg->len ? MT_OK : MT_E_IO;
}

/* The SVG with a style sheet behind its first tag. */
static void add_styled(mt_buf *out, mt_str svg)
{
    const char *tag = memmem(svg.ptr, svg.len, "<svg", 4);
    size_t at = tag ? (size_t)(tag - svg.ptr) : svg.len;
    at += mt_str_find(mt_str_skip(svg, at), '>');
    at += at < svg.len;
    mt_buf_add(out, svg.ptr, at);
    mt_buf_addz(out, "\n<style>\n");
    mt_picture_css(out);
    mt_buf_addz(out, "</style>");
    mt_buf_adds(out, mt_str_skip(svg, at));
}

/* Graphviz is a program of its own, asked over pipes; every other form is written here
 * and needs nothing. */
mt_err cli_picture(mt_buf *out, const mt_picture *p, cli_form form)
{
    if (form != CLI_FORM_SVG) {
        FORMS[form].write(out, p);
        return MT_OK;
    }
    mt_buf text = {0}, svg = {0};
    mt_picture_dot(&text, p);
    mt_err err = ask_graphviz(mt_buf_str(&text), &svg);
    if (!err) {
        add_styled(out, mt_buf_str(&svg));
    }
    mt_buf_free(&text);
    mt_buf_free(&svg);
    return err;
}
