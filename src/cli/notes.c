/* cli/notes.c - see notes.h.
 * Room: cli. The form is that of signed notes: NAME+ID+KEY, the id being a check on
 * name and key, so a name that was changed by hand does not pass. */
#include "cli/notes.h"

#include "cli/keys.h"
#include "os/file.h"

enum { KEY_BYTES = 4096 };

static mt_str first_line(mt_str text)
{
    return mt_str_from(text.ptr, mt_str_find(text, '\n'));
}

/* A file with the text, or the text itself: no file has a plus twice in its name by
 * accident, so what reads as a key is one. */
static bool read_text(mt_arena *a, const char *text, lg_note_key *out)
{
    mt_str inside;
    return !lg_note_key_read(mt_str_z(text), out) ||
           (!os_read_file(a, text, KEY_BYTES, &inside) &&
            !lg_note_key_read(first_line(inside), out));
}

/* A log needs its name, since that is what it signs under; a witness may be told by its
 * key alone. Whether it is a log's or a witness's stands in the key itself. */
int cli_read_note_key(const cli_args *args, mt_arena *a, const char *option, int n,
                      lg_key_type type, lg_note_key *out)
{
    const char *text = cli_value_at(args, option, n);
    bool given;
    if (!read_text(a, text, out)) {
        *out = (lg_note_key){.type = type};
        return type == LG_WITNESS_KEY
                   ? cli_read_public_at(args, option, n, &out->key, &given)
                   : cli_fail(
                         args, CLI_USAGE,
                         "--%s takes NAME+ID+KEY (motet witness key --as-log) or a "
                         "file with it; '%s' is neither",
                         option, text);
    }
    return out->type == type
               ? CLI_HOLDS
               : cli_fail(args, CLI_USAGE, "--%s: '%.*s' is the key of a %s", option,
                          MT_ARG(out->name),
                          out->type == LG_LOG_KEY ? "log" : "witness");
}
