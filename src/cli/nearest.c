/* cli/nearest.c - "did you mean": the known name nearest to a mistyped one.
 * Room: cli. */
#include "cli/cli.h"

enum { LONGEST = 40 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Edits (insert, delete, replace) that turn one word into the other. */
static size_t distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST) {
        return LONGEST;
    }
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= lb; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, replace);
        }
    }
    return row[lb];
}

const char *cli_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* a third may be wrong, and one letter */
    for (size_t i = 0; names[i]; i++) {
        size_t d = distance(word, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
