/* cli/diff_text.c - a unified diff, for edits that are few and small.
 *
 * Both texts are walked line by line. Where they differ, the nearest pair of equal
 * lines within WINDOW ends the difference; without one the rest is all of it. That is
 * not the shortest diff of any two texts, but it is one, and that is all a reader of a
 * few edits and `patch` need. Changes whose surroundings touch share a hunk. */
#include "cli/diff_text.h"

#include "base/vec.h"

enum { WINDOW = 200, AROUND = 3 };

typedef struct lines {
    mt_str *items;
    size_t len, cap;
} lines;

/* Lines [a, a_end) of the old text became [b, b_end) of the new one. */
typedef struct change {
    size_t a, a_end, b, b_end;
} change;

typedef struct changes {
    change *items;
    size_t len, cap;
} changes;

/* With their newlines, so that a missing last one shows. */
static lines split(mt_arena *a, mt_str text)
{
    lines all = {0};
    while (text.len) {
        size_t len = mt_str_find(text, '\n');
        len += len < text.len;
        mt_vec_push(a, &all, mt_str_from(text.ptr, len));
        text = mt_str_skip(text, len);
    }
    return all;
}

static bool same(const lines *x, size_t i, const lines *y, size_t j)
{
    return i < x->len && j < y->len && mt_str_eq(x->items[i], y->items[j]);
}

/* Where both go on alike, nearest first; both at their ends if they do not. */
static change difference(const lines *x, size_t i, const lines *y, size_t j)
{
    for (size_t away = 1; away <= WINDOW; away++) {
        for (size_t k = 0; k <= away; k++) {
            if (same(x, i + k, y, j + away - k)) {
                return (change){i, i + k, j, j + away - k};
            }
        }
    }
    return (change){i, x->len, j, y->len};
}

/* Changes come in order and never touch: between two of them is at least one equal
 * line. */
static changes compare(mt_arena *a, const lines *x, const lines *y)
{
    changes all = {0};
    size_t i = 0, j = 0;
    while (i < x->len || j < y->len) {
        if (same(x, i, y, j)) {
            i++;
            j++;
            continue;
        }
        change c = difference(x, i, y, j);
        mt_vec_push(a, &all, c);
        i = c.a_end;
        j = c.b_end;
    }
    return all;
}

/* The mark for a missing newline is the one that `patch` reads. */
static void add_lines(mt_buf *out, char mark, const lines *x, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        mt_str line = x->items[i];
        mt_buf_addc(out, mark);
        mt_buf_adds(out, line);
        if (!line.len || line.ptr[line.len - 1] != '\n') {
            mt_buf_addz(out, "\n\\ No newline at end of file\n");
        }
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Changes [first, end) with what stands around and between them. Numbers of lines count
 * from 1; an empty side is told by the line before it, as diff does. */
static void add_hunk(mt_buf *out, const lines *x, const lines *y, const changes *all,
                     size_t first, size_t end)
{
    const change *c = &all->items[first], *last = &all->items[end - 1];
    size_t before = least(AROUND, c->a), after = least(AROUND, x->len - last->a_end);
    size_t from = c->a - before, count = last->a_end + after - from;
    size_t to = c->b - before, there = last->b_end + after - to;
    mt_buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", from + (count > 0), count,
                to + (there > 0), there);
    for (size_t i = first; i < end; i++) {
        add_lines(out, ' ', x, from, all->items[i].a);
        add_lines(out, '-', x, all->items[i].a, all->items[i].a_end);
        add_lines(out, '+', y, all->items[i].b, all->items[i].b_end);
        from = all->items[i].a_end;
    }
    add_lines(out, ' ', x, from, from + after);
}

/* Nothing for two equal texts. Two changes share a hunk when what is shown around them
 * would overlap or meet. */
void cli_diff_text(mt_buf *out, mt_str name, mt_str old, mt_str new)
{
    mt_arena scratch = {0};
    lines x = split(&scratch, old), y = split(&scratch, new);
    changes all = compare(&scratch, &x, &y);
    if (all.len) {
        mt_buf_addf(out, "--- %.*s\n+++ %.*s\n", MT_ARG(name), MT_ARG(name));
    }
    for (size_t i = 0; i < all.len;) {
        size_t end = i + 1;
        while (end < all.len &&
               all.items[end].a - all.items[end - 1].a_end <= 2 * AROUND) {
            end++;
        }
        add_hunk(out, &x, &y, &all, i, end);
        i = end;
    }
    mt_arena_free(&scratch);
}
