/* analyze/facts/finding.h - what an analysis found, for people and for programs.
 * Room: analyze. May include base/ and contract/ only.
 * A finding is about one construct and is known by its key, which has no line and no
 * wording in it: so a baseline still matches after lines moved.
 * Ownership: a list and its texts live in its arena; texts given to add are borrowed
 * and must live as long. */
#ifndef AN_ANALYZE_FINDING_H
#define AN_ANALYZE_FINDING_H

#include "base/json_write.h"
#include "base/map.h"
#include "contract/elaborate.h"
#include "contract/wire/model.h"

typedef struct an_finding {
    const char *code;     /* "S201": a row of the codes, explained by `motet help` */
    const char *analysis; /* "s2", "s3a", "system", "prove"; static text */
    mt_severity severity; /* MT_WARNING: it counts. MT_NOTE: it only informs */
    const char *kind;     /* "Entity", "Flow", …; static text */
    mt_str construct;     /* its id */
    mt_str part;          /* state, step, outcome, …; empty: the whole construct */
    mt_str member;        /* of a System; empty: the contract itself */
    ct_origin origin;
    mt_str message;
    mt_str hint;    /* what to do about it; empty: nothing to add */
    mt_str details; /* one compact JSON object (a witness, a list); empty: none */
} an_finding;

/* So many of a code are not listed. */
typedef struct an_more {
    const char *code;
    size_t count;
} an_more;

typedef struct an_findings {
    mt_arena *arena;
    an_finding *items;
    size_t len, cap;
    struct {
        an_more *items;
        size_t len, cap;
    } more;          /* after an_findings_cut(); in order of codes */
    size_t warnings; /* of all, the new ones only after an_findings_against() */
    size_t known;    /* warnings the baseline had already */
} an_findings;

/* Adds a copy. */
void an_finding_add(an_findings *fs, const an_finding *f);
/* By member, code, kind, construct, part, message. */
void an_findings_sort(an_findings *fs);
/* "S201/Entity/order/archived", with "member/" in front in a System. */
mt_str an_finding_key(mt_arena *a, const an_finding *f);

/* Leaves out what `baseline` has: the tree of an earlier report, an object whose
 * "findings" have a "key" each. Those it did not list ("findings_more") are known by
 * their number only. MT_E_TYPE: it is no such report. */
mt_err an_findings_against(an_findings *fs, const mt_json *baseline);
/* Lists no more than `most` of each code; all of them still count. */
void an_findings_cut(an_findings *fs, size_t most);

/* Each as one line "S201 warning: Entity order: …", its hint below; then "S201: and 7
 * more" for what is not listed. */
void an_findings_text(mt_buf *out, const an_findings *fs);
/* An array of objects, every key always there; {"S201":7} of what is not listed. */
void an_findings_json(mt_jw *w, const an_findings *fs);
void an_findings_more_json(mt_jw *w, const an_findings *fs);

/* The codes of findings in order; NULL past the end. */
const ct_code_info *an_finding_code_at(size_t index);
/* The row of a code that is there. */
const ct_code_info *an_finding_info(const char *code);

#endif
