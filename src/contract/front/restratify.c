/* contract/front/restratify.c - new stratum numbers (specification, 7.3).
 *
 * Every rule gets the least stratum that is not below the written one and above every
 * verdict it reads; a cycle of references cannot be mended. In order: collect what each
 * rule reads, settle producers before readers, make an edit for each number that
 * changed. Works on a unit that was refused, since that is what it is for.
 *
 * INVARIANT: edits do not overlap and are sorted by file and offset. Nothing fails; no
 * edits means that there is nothing to do or nothing to be done. */
#include <stdlib.h>

#include "contract/front/unit.h"

enum { NEW, OPEN, DONE };

/* A rule in the search; its stratum only grows. */
typedef struct reader {
    int64_t stratum;
    uint8_t state;
    uint32_t next;              /* reference to look at */
    MT_VEC(uint32_t) producers; /* rules whose verdicts it reads */
} reader;

typedef struct plan {
    const fr_unit *u;
    mt_arena *a;
    reader *readers; /* by number of the rule */
    size_t count;
    bool cyclic;
} plan;

/* A verdict that nobody produces is another fault and does not matter here. */
static void add_verdict(plan *p, reader *r, fr_sym verdict)
{
    uint32_t at = verdict < p->u->index_len ? p->u->index[verdict].verdict : 0;
    if (at) {
        *mt_vec_add(p->a, &r->producers) = at - 1;
    }
}

static void collect(plan *p, reader *r, const fr_expr *e)
{
    if (!e) {
        return;
    }
    switch ((fr_expr_kind)e->kind) {
    case FR_X_VERDICT: add_verdict(p, r, e->sym); break;
    case FR_X_REF:
        if (e->op == FR_REF_VERDICT) {
            add_verdict(p, r, e->sym);
        }
        break;
    case FR_X_INDEX:
    case FR_X_MUL:
    case FR_X_ADD:
    case FR_X_SUB:
    case FR_X_COMPARE:
    case FR_X_AND:
    case FR_X_OR:
    case FR_X_FORALL:
    case FR_X_EXISTS:
        collect(p, r, e->left);
        collect(p, r, e->right);
        break;
    case FR_X_FIELD:
    case FR_X_LEN:
    case FR_X_NOT:
    case FR_X_ENTRY:
    case FR_X_PRESENT: collect(p, r, e->left); break;
    case FR_X_LIST:
    case FR_X_RECORD:
        for (uint32_t i = 0; i < e->sym2; i++) {
            collect(p, r, e->items[i]);
        }
        break;
    case FR_X_BOOL:
    case FR_X_INT:
    case FR_X_FLOAT:
    case FR_X_STR:
    case FR_X_MONEY:
    case FR_X_DURATION:
    case FR_X_ERROR: break;
    }
}

/* Depth first with a stack of its own: chains of rules may be long. A producer is
 * settled before its reader; `next` is only moved on when the producer's stratum is
 * final. Verdicts that are read twice are looked at twice, which is harmless. */
static void settle(plan *p, uint32_t start)
{
    MT_VEC(uint32_t) stack = {0};
    *mt_vec_add(p->a, &stack) = start;
    while (stack.len && !p->cyclic) {
        reader *r = &p->readers[stack.items[stack.len - 1]];
        r->state = OPEN;
        if (r->next == r->producers.len) {
            r->state = DONE;
            stack.len--;
            continue;
        }
        uint32_t producer = r->producers.items[r->next];
        const reader *q = &p->readers[producer];
        if (q->state == NEW) {
            *mt_vec_add(p->a, &stack) = producer;
        } else if (q->state == OPEN) {
            p->cyclic = true;
        } else {
            r->next++;
            r->stratum = q->stratum >= r->stratum ? q->stratum + 1 : r->stratum;
        }
    }
}

static int compare_edits(const void *a, const void *b)
{
    const mt_edit *x = a, *y = b;
    int order = mt_str_cmp(x->file, y->file);
    return order ? order : x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Replaces the number and nothing around it, so the author's layout stays. */
static mt_edit edit_of(const plan *p, const fr_rule *r, int64_t stratum)
{
    const fr_file *f = r->head.file;
    const fr_token *t = fr_token_at(f, r->stratum_value_tok);
    return (mt_edit){.file = f->path,
                     .offset = t->start,
                     .length = fr_token_len(f->text, t),
                     .text = mt_strf(p->a, "%lld", (long long)stratum)};
}

/* No edits after a cycle: any numbering would be wrong. Rules whose stratum is right
 * keep it, so repeating the repair changes nothing. */
size_t ct_fix_strata(mt_arena *a, const ct_elaboration *e, const mt_edit **edits)
{
    const fr_unit *u = e->unit;
    plan p = {.u = u, .a = a, .count = u->kinds[FR_RULE].len};
    MT_VEC(mt_edit) list = {0};
    *edits = NULL;
    p.readers = mt_new_array(a, reader, p.count);
    for (size_t i = 0; i < p.count; i++) {
        const fr_rule *r = (const fr_rule *)u->kinds[FR_RULE].items[i];
        p.readers[i].stratum = r->stratum < 0 ? 0 : r->stratum;
        if (!r->head.broken) {
            collect(&p, &p.readers[i], r->when);
            collect(&p, &p.readers[i], r->payload);
        }
    }
    for (uint32_t i = 0; i < p.count && !p.cyclic; i++) {
        if (p.readers[i].state == NEW) {
            settle(&p, i);
        }
    }
    for (size_t i = 0; i < p.count && !p.cyclic; i++) {
        const fr_rule *r = (const fr_rule *)u->kinds[FR_RULE].items[i];
        if (!r->head.broken && p.readers[i].stratum != r->stratum) {
            *mt_vec_add(a, &list) = edit_of(&p, r, p.readers[i].stratum);
        }
    }
    if (list.len) {
        qsort(list.items, list.len, sizeof *list.items, compare_edits);
    }
    *edits = list.items;
    return list.len;
}
