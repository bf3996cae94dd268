#include "base/nearest.h"

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Two neighbours that changed places: the commonest slip of hands that hurry. */
static bool is_swap(mt_str a, size_t i, mt_str b, size_t j)
{
    return i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
           a.ptr[i - 2] == b.ptr[j - 1];
}

/* Edits (insert, delete, replace, swap) that turn one word into the other. Rows of the
 * usual table; the third is for swaps. */
static size_t distance(mt_str a, mt_str b)
{
    if (a.len > MT_NEAREST_LONGEST || b.len > MT_NEAREST_LONGEST) {
        return MT_NEAREST_LONGEST;
    }
    size_t rows[3][MT_NEAREST_LONGEST + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3],
               *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t replace = above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, replace);
            if (is_swap(a, i, b, j) && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
    }
    return rows[a.len % 3][b.len];
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_word(mt_str a, mt_str b)
{
    size_t i = 0;
    while (a.len == b.len && i < a.len && small(a.ptr[i]) == small(b.ptr[i])) {
        i++;
    }
    return a.len == b.len && i == a.len;
}

mt_nearest mt_nearest_to(mt_str word)
{
    return (mt_nearest){.word = word, .distance = word.len / 3 + 2};
}

/* Words whose lengths differ by too much are not compared letter by letter. */
void mt_nearest_offer(mt_nearest *n, mt_str name)
{
    size_t longer = n->word.len > name.len ? n->word.len : name.len;
    size_t shorter = n->word.len + name.len - longer;
    if (longer - shorter >= n->distance) {
        return;
    }
    size_t d = is_same_word(n->word, name) ? 0 : distance(n->word, name);
    if (d < n->distance) {
        n->distance = d;
        n->best = name;
    }
}

const char *mt_nearest_of(const char *word, const char *const *names)
{
    mt_nearest n = mt_nearest_to(mt_str_z(word));
    for (size_t i = 0; names[i]; i++) {
        mt_nearest_offer(&n, mt_str_z(names[i]));
    }
    return n.best.len ? n.best.ptr : NULL;
}
