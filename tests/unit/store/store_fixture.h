/* tests/unit/store/store_fixture.h - the same tests on every backend.
 *     both(&list, an_id_is_never_used_again);
 * adds one test per backend; in it, fresh(state) opens an empty store. */
#ifndef MT_TEST_STORE_FIXTURE_H
#define MT_TEST_STORE_FIXTURE_H

#include "../rows.h"

#include "store/store.h"

typedef struct backend {
    const char *name;
    /* URL of a store that is empty now. */
    const char *(*empty)(void);
} backend;

/* Directory of this run, removed at its end. */
const char *temp_dir(void);
/* "DIR/NAME" in static memory, good until the fourth next call. */
const char *temp_path(const char *name);
void remove_store_file(const char *path);
/* Starts what the backends need; how many there are. */
size_t backends_start(void);
void backends_stop(void);
extern backend BACKENDS[];
/* Statements on the test's own PostgreSQL. */
void on_postgres(const char *sql);

/* A fresh store of the backend a test was given; and the same store again. */
st_store *fresh(void **state);
st_store *again(void **state, const st_options *options);
const char *current_url(void);

void both_add(rows_list *l, const char *name, CMUnitTestFunction run);
#define both(l, run) both_add((l), #run, run)

/* Begins or fails the test. */
st_tx *begin(st_store *s, st_mode mode);
#define assert_err(got, want)                                                          \
    do {                                                                               \
        mt_err got_ = (got), want_ = (want);                                           \
        if (got_ != want_) {                                                           \
            fail_msg("%s:%d: got %s, want %s", __FILE__, __LINE__, mt_err_name(got_),  \
                     mt_err_name(want_));                                              \
        }                                                                              \
    } while (0)
#define assert_fine(got)     assert_err((got), MT_OK)
#define assert_str(got, lit) assert_text((got), MT_STR(lit))

/* A row with everything filled in. */
st_instance an_instance(const char *id);
st_flow a_flow(const char *id);
st_record a_record(int64_t seq);
st_trigger a_trigger(const char *id, int64_t due_ms);

#endif
