/* host/graph_channel.h - one place that intents go to: a program, an address, a file.
 * Room: host. Private to the egress (graph_egress.h): a table of kinds, one file each.
 *
 * A channel is started before its first letter, takes one letter at a time and says
 * what became of it. It never tries again and never decides whether a run ends: the
 * egress does both.
 * Ownership: a channel lives in the arena of its egress; what it opens, its kind closes
 * in stop(). Texts of an answer live in the arena that is given. */
#ifndef HO_GRAPH_CHANNEL_H
#define HO_GRAPH_CHANNEL_H

#include "adapter/gate.h"
#include "base/form.h"
#include "base/json_write.h"

/* An intent on its way. */
typedef struct ho_letter {
    mt_str id, kind;
    mt_str fields; /* a JSON object, keys sorted */
} ho_letter;

/* {"intent_id":…,"kind":…,"fields":{…}}, without the opening brace. */
void ho_letter_members(mt_buf *out, const ho_letter *letter);

typedef enum ho_fate {
    HO_ACCEPTED, /* it is done, and stays done as far as `acceptance` says */
    HO_REFUSED,  /* the receiver does not want it: trying again would not help */
    HO_FAILED    /* it may work later */
} ho_fate;

typedef struct ho_answer {
    ho_fate fate;
    const char *acceptance; /* of an accepted letter: "durable", "written" */
    mt_str reference;       /* the receiver's own name for it; ptr NULL: none */
    const char
        *code;   /* otherwise: an interruption code of docs/reference/graph-runs.md */
    mt_str why;  /* what the channel did: "did not answer in time" */
    bool broken; /* it must be started again before the next letter */
} ho_answer;

typedef struct ho_channel ho_channel;

typedef struct ho_channel_kind {
    const char *name;
    const mt_form_row *rows;
    size_t row_count;
    uint32_t attempts; /* unless the configuration says */
    /* What rows cannot say; reports through the form. NULL: nothing. */
    void (*check)(ho_channel *c, mt_form *f, const mt_json *at);
    /* The members of the identity after "type": what decides where letters go. */
    void (*identity)(const ho_channel *c, mt_jw *w);
    /* MT_OK or MT_E_CLOSED with code and sentence in *out. */
    mt_err (*start)(ho_channel *c, mt_arena *a, ho_answer *out);
    ho_answer (*send)(ho_channel *c, mt_arena *a, const ho_letter *letter,
                      uint64_t timeout_ms);
    /* Quietly; what a channel does wrong at its end is in *out. */
    mt_err (*stop)(ho_channel *c, mt_arena *a, ho_answer *out);
    void (*drop)(ho_channel *c); /* at once */
} ho_channel_kind;

struct ho_channel {
    mt_str id;
    const ho_channel_kind *kind;
    /* As configured; which of them count is the kind's business. */
    mt_form_words command;
    const char *url, *path, *subject, *ca, *token_env, *token_file;
    bool stream; /* of NATS: a stream keeps what is published */
    uint32_t attempts;
    uint64_t pause_ms, pause_most_ms;
    /* What the egress tells it. */
    const mt_str *kinds; /* of the intents that are routed to it */
    size_t kind_count;
    const ad_gate *gate; /* NULL: any address */
    /* While it runs. */
    void *state;
    bool running;
};

extern const ho_channel_kind HO_PROCESS_CHANNEL, HO_COMMAND_CHANNEL, HO_WEBHOOK_CHANNEL,
    HO_FILE_CHANNEL, HO_STDOUT_CHANNEL, HO_NATS_CHANNEL;

/* Answers in one line each. */
ho_answer ho_accepted(const char *acceptance);
ho_answer ho_not_sent(ho_fate fate, const char *code, mt_str why);
/* The same for a channel that must be started again. */
ho_answer ho_broke(const char *code, mt_str why);

/* The last words of a program on its standard error, for the terminal only. */
mt_str ho_channel_said(const ho_channel *c);

#endif
