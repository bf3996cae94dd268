/* generate/runtime.c - what a generated C evaluator carries with it.
 *
 * Not compiled into Motet: amalgamate.py runs it through the preprocessor, keeps what
 * is reached from its roots and embeds that text, so `motet generate c` can print it.
 * Almost all of it is the engine's own source: readers, decimals, printers, the
 * sequence of an operation and the steps of a flow are the same text, and so are their
 * answers and faults. What differs stands here: memory comes from a room that the
 * caller gave and never from the heap, and code that a contract was compiled to is C.
 *
 * A room that ends is told by a jump back to the function the caller has called
 * (rt_enter in c_api.c.in); nothing is held that would have to be given back.
 *
 * Order: replacements of base/arena.h and of what the C library allocates with, then
 * the engine's files, which see these instead; then functions that a contract's tables
 * replace. A name that is replaced is renamed while its file is read (#define
 * ct_model_find …), and the old one, which nobody reaches, is cut out. Comments do not
 * reach the generated file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* The place of a mistake of ours is not a path of the machine that built it. */
#undef MT_BUG
#define MT_BUG(what) abort()

/* ---- Memory: one room for everything ---- */

/* The header's guard is taken, so that no file gets the true arena. */
#define MT_BASE_ARENA_H
#define MT_ALIGN 16u
#define MT_FENCE 0u

typedef struct mt_arena {
    char unused; /* all arenas are the room of the call */
} mt_arena;

typedef struct rt_room {
    char *cur, *end;
    jmp_buf back;
} rt_room;

/* The room of the call that this thread is in. Set by rt_enter(), which puts the outer
 * one back; NULL outside a call, where nothing allocates. */
static _Thread_local rt_room *rt_now;

static inline void mt_hand_out(const void *start, size_t size)
{
    (void)start, (void)size;
}

static inline void mt_fence(const void *start, size_t size)
{
    (void)start, (void)size;
}

/* Does not return when the room has ended. */
static void *mt_alloc(mt_arena *a, size_t size)
{
    size_t need = (size + (MT_ALIGN - 1)) & ~(size_t)(MT_ALIGN - 1);
    (void)a;
    if (need < size || need > (size_t)(rt_now->end - rt_now->cur)) {
        longjmp(rt_now->back, 1);
    }
    void *p = rt_now->cur;
    rt_now->cur += need;
    return p;
}

static void *mt_zalloc(mt_arena *a, size_t size)
{
    void *p = mt_alloc(a, size);
    return memset(p, 0, size);
}

static size_t mt_array_bytes(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        longjmp(rt_now->back, 1);
    }
    return bytes;
}

#define mt_new(a, T)          ((T *)mt_zalloc((a), sizeof(T)))
#define mt_new_array(a, T, n) ((T *)mt_zalloc((a), mt_array_bytes((n), sizeof(T))))

static void mt_arena_reset(mt_arena *a)
{
    (void)a;
}

static void mt_arena_free(mt_arena *a)
{
    (void)a;
}

/* What is behind a mark may belong to somebody else: nothing is taken back. */
typedef char mt_mark;

static mt_mark mt_arena_mark(const mt_arena *a)
{
    (void)a;
    return 0;
}

static void mt_arena_rewind(mt_arena *a, mt_mark m)
{
    (void)a, (void)m;
}

/* What may grow carries its size before it; the last piece of the room grows in its
 * place. */
static void *mt_xrealloc(void *old, size_t size)
{
    char *at = old, *head = at ? at - MT_ALIGN : NULL;
    size_t had = 0;
    if (at) {
        memcpy(&had, head, sizeof had);
        size_t held = (had + (MT_ALIGN - 1)) & ~(size_t)(MT_ALIGN - 1);
        if (at + held == rt_now->cur) {
            rt_now->cur = head;
        }
    }
    char *fresh = mt_alloc(NULL, mt_array_bytes(1, size + MT_ALIGN));
    if (fresh != head && had) {
        memcpy(fresh + MT_ALIGN, at, had < size ? had : size);
    }
    memcpy(fresh, &size, sizeof size);
    return fresh + MT_ALIGN;
}

static void *mt_xmalloc(size_t size)
{
    return mt_xrealloc(NULL, size);
}

/* free(): the room is given back as a whole, by the caller. */
static void rt_give_back(void *p)
{
    (void)p;
}

static void rt_swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* The C library's may allocate. Names and changes are few, and mostly sorted: a sort by
 * shrinking gaps is enough, and short. Not stable, as qsort() is not. */
static void rt_sort_with(void *items, size_t count, size_t size,
                         int (*order)(const void *, const void *, void *), void *state)
{
    char *at = items;
    for (size_t gap = count / 2; gap; gap /= 2) {
        for (size_t i = gap; i < count; i++) {
            for (size_t k = i; k >= gap; k -= gap) {
                char *x = at + (k - gap) * size, *y = at + k * size;
                if (order(x, y, state) <= 0) {
                    break;
                }
                rt_swap(x, y, size);
            }
        }
    }
}

typedef struct rt_order {
    int (*plain)(const void *, const void *);
} rt_order;

static int rt_by_plain(const void *a, const void *b, void *state)
{
    return ((const rt_order *)state)->plain(a, b);
}

static void rt_sort(void *items, size_t count, size_t size,
                    int (*order)(const void *, const void *))
{
    rt_order o = {order};
    rt_sort_with(items, count, size, rt_by_plain, &o);
}

#define free    rt_give_back
#define qsort   rt_sort
#define qsort_r rt_sort_with

/* ---- The engine ---- */

/* Names that two files use for themselves are told apart by amalgamate.py. */
/* clang-format off */
#include "base/str.c"
#include "base/vec.c"
#include "base/map.c"
#include "base/utf8.c"
#include "base/limits.c"
#include "base/calendar.c"
#include "base/decimal.c"
#include "base/nearest.c"
#include "base/json_scan.c"
#include "base/json_read.c"
#include "base/json_pull.c"
#include "base/json_tree.c"
#include "base/json_write.c"
#include "lang/lang.c"
#include "contract/wire/value.c"
#include "contract/wire/value_json.c"
#include "contract/wire/round_text.c"
#include "contract/wire/model.h"
#define ct_model_find rt_find_by_hash
#include "contract/wire/model.c"
#undef ct_model_find
#include "contract/eval/fault.c"
#include "contract/eval/facts.c"
#include "contract/eval/facts_typed.c"
#include "contract/eval/surplus.c"
#include "contract/eval/arith.c"
#include "contract/eval/work.c"
/* The loop over instructions is not reached: the contract brings its own. */
#define ct_program_run rt_interpret
#define ct_holds_expr rt_holds_compiled
#include "contract/eval/run.c"
#undef ct_program_run
#undef ct_holds_expr
#undef A
#undef B
#undef CHARGE
#undef JUMP
#undef JUMP_ON
#include "contract/eval/used.c"
#include "contract/eval/report.c"
#include "contract/flow/plan.c"
#include "contract/flow/operation.c"
#include "contract/flow/run.c"
#include "contract/flow/report.c"
/* clang-format on */

/* ---- What the contract brings ---- */

/* The code of a condition as C, after the contract's tables. */
mt_err ct_program_run(const ct_program *p, const ct_insn *pc, const ct_value *facts,
                      const ct_verdicts *read, ct_verdicts *work, bool *holds,
                      mt_arena *errors, ct_fault *fault);

/* Of a rule: its condition was compiled as one of the conditions, too. */
mt_err ct_holds_expr(const ct_snapshot *s, const ct_expr *predicate, bool *holds,
                     mt_arena *a, ct_used *used, ct_fault *fault)
{
    ct_verdicts *scratch = ct_verdicts_new(s->program);
    return ct_holds(s, predicate->index, scratch, holds, a, used, fault);
}

/* The conditions of branch steps were written out when the contract was read. */
static const mt_str *rt_condition_texts(void);

void ct_expr_text(mt_buf *out, const ct_model *m, const ct_expr *e)
{
    (void)m;
    mt_buf_adds(out, rt_condition_texts()[e->index]);
}

/* Names of one kind stand in a row of rows; the first member of each is the name. */
static uint32_t rt_named(const void *rows, size_t size, uint32_t count, mt_str id)
{
    for (uint32_t i = 0; i < count; i++) {
        const void *row = (const char *)rows + i * size;
        if (mt_str_eq(*(const mt_str *)row, id)) {
            return i;
        }
    }
    return CT_NONE;
}

uint32_t ct_model_find(const ct_model *m, ct_kind kind, mt_str id)
{
    switch (kind) {
    case CT_KIND_FACT: return rt_named(m->facts, sizeof *m->facts, m->fact_count, id);
    case CT_KIND_PERSONA:
        return rt_named(m->personas, sizeof *m->personas, m->persona_count, id);
    default: return CT_NONE;
    }
}
