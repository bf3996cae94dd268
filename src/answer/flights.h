/* answer/flights.h - flows under way, as somebody writes them down, judged under a new
 * version.
 * Room: answer.
 * An instance is {"id", "position", "facts", "states"} with a position as the engine
 * writes it, or {"id", "flow", "step", "facts", "states"}; facts are those frozen when
 * the flow began, states the present ones.
 * Ownership: texts live in the arena of the new version's contract; runs until
 * aw_flights_free(). */
#ifndef AW_FLIGHTS_H
#define AW_FLIGHTS_H

#include "analyze/version/migrate.h"
#include "answer/versions.h"

typedef struct aw_flights {
    aw_versions *v; /* open and compared */
    struct aw_flight *items;
    an_flight *flights; /* what the analysis reads; borrows the runs of `items` */
    uint32_t count;
} aw_flights;

/* Takes up each of a list. AW_FAILS: "instance N: …" says what is wrong with the first
 * that cannot be read. To be freed in every case. */
int aw_flights_read(aw_flights *f, const mt_json *list, aw_reply *r);
void aw_flights_free(aw_flights *f);
/* The plan for moving to the new version; lives in the arena. */
void aw_flights_judge(aw_flights *f, an_migrate_options options, an_migration *out);

#endif
