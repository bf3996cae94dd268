/* http/local_ask.c - questions about the files of the local Studio. Room: http. */
#include "http/local_state.h"

int ht_local_ask(ht_visit *v)
{
    return ht_local_problem(v, 404, "not_found", "no questions are answered here");
}

void ht_local_ask_stop(ht_local *s)
{
    pthread_mutex_lock(&s->ask_lock);
    s->stopping = true;
    pthread_mutex_unlock(&s->ask_lock);
}
