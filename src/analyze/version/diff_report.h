/* analyze/version/diff_report.h - a diff for people and for programs.
 * Room: analyze. May include base/ and contract/ only. */
#ifndef AN_ANALYZE_DIFF_REPORT_H
#define AN_ANALYZE_DIFF_REPORT_H

#include "analyze/version/diff.h"

/* DiffEntry JSON (spec §18.5): {"added","changed","class","new","old",
 * "operator_notice","policy_required","removed","summary"}; keys sorted. */
void an_diff_json(mt_jw *w, const an_diff *d);
/* The members of that object, to stand in a larger one: every key is preceded by none
 * that sorts after it, so the caller only adds keys before "added" or after
 * "summary". */
void an_diff_json_members(mt_jw *w, const an_diff *d);
/* Every construct that changed, each field with its values. */
void an_diff_text(mt_buf *out, const an_diff *d);
/* One line per change, by class, the most severe first. */
void an_diff_text_by_class(mt_buf *out, const an_diff *d);
/* "4 changes: 1 breaking, …". */
void an_diff_summary_text(mt_buf *out, const an_diff *d);

/* Counts the changes that ask for a policy and are not in `baseline`, the tree of an
 * earlier report. MT_E_TYPE: it is no such report. */
mt_err an_diff_against(mt_arena *a, const an_diff *d, const mt_json *baseline,
                       uint32_t *fresh);

/* The diff as a Tenor contract (spec §18.5): facts hold the changes, rules classify
 * them; evaluated without any fact given, its verdicts are the classification:
 * `change_N_<class>` per change, `construct_N_<class>` per construct in the order of
 * d->entries (N from 1, padded with zeros), `policy_required`, `operator_notice`. The
 * same diff gives the same bytes. */
void an_migration_contract(mt_buf *out, const an_diff *d);
/* "change_0012_breaking": the name of a verdict of that contract. */
mt_str an_migration_verdict(mt_arena *a, const an_diff *d, const char *what,
                            uint32_t number, an_class class);

#endif
