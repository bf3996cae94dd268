#include "base/nearest.h"

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Edits (insert, delete, replace) that turn one word into the other. */
static size_t distance(mt_str a, mt_str b)
{
    if (a.len > MT_NEAREST_LONGEST || b.len > MT_NEAREST_LONGEST) {
        return MT_NEAREST_LONGEST;
    }
    size_t row[MT_NEAREST_LONGEST + 1];
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t replace = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);
            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, replace);
        }
    }
    return row[b.len];
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
    size_t d = distance(n->word, name);
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
