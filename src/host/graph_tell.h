/* host/graph_tell.h - what became of a run, a replay and a comparison, for programs.
 * Room: host. Every text ends with a newline; keys ascend. */
#ifndef HO_GRAPH_TELL_H
#define HO_GRAPH_TELL_H

#include "host/graph_capture.h"
#include "host/graph_replay.h"
#include "host/graph_run.h"
#include "host/graph_whatif.h"

/* The summary of a run. `capture` NULL: none was written. */
void ho_tell_run(mt_buf *out, const ho_run_result *result, const ho_graph_counts *n,
                 uint64_t episodes, const char *capture, uint64_t dead_letters);
/* "verified" says that the replay took the same steps, "checksum" that the file is the
 * one that was written. One without the other proves less. */
void ho_tell_replay(mt_buf *out, const gr_capture_reader *c,
                    const ho_replay_result *result, ho_sum_state sum);
/* One line for each event that came out otherwise, then the summary. */
void ho_tell_change(mt_buf *out, const ho_graph_change *c);
void ho_tell_whatif(mt_buf *out, const ho_whatif_result *r);

#endif
