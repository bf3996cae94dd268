/* http/config.h - the settings of `motet serve`: one table.
 * Room: http. A row is a key of the configuration file (YAML or JSON), and with dashes
 * for underscores an option of the command; the command line, the file reader, the help
 * text and docs/config.md follow from it. Options win over the file.
 * Ownership: texts and trees live in the arena given. */
#ifndef HT_CONFIG_H
#define HT_CONFIG_H

#include "base/form.h"

typedef enum ht_setting_kind {
    HT_TEXT,  /* const char * */
    HT_COUNT, /* size_t */
    HT_FLAG,  /* bool */
    HT_LIST,  /* ht_list; as an option it may be repeated */
    HT_TREE,  /* const mt_json *; only in the file */
    HT_ROWS   /* const mt_json *, a list of objects; only in the file */
} ht_setting_kind;

typedef mt_form_words ht_list;

/* Columns: key, option, kind, type, default, least and most (of counts), argument,
 * help. */
/* clang-format off */
#define HT_OPTION_MAP(X) \
    X(store, "store", TEXT, const char *, "sqlite:motet.db", 0, 0, "URL", "where everything is kept: sqlite:PATH or postgresql://…") \
    X(store_file, "store-file", TEXT, const char *, NULL, 0, 0, "FILE", "a private file that has the URL, for one with a password") \
    X(pool, "pool", COUNT, size_t, 8, 1, 1000, "COUNT", "database connections at most (8)") \
    X(listen, "listen", TEXT, const char *, "127.0.0.1:8440", 0, 0, "HOST:PORT", "where to listen (127.0.0.1:8440; port 0: any)") \
    X(public_url, "public-url", TEXT, const char *, NULL, 0, 0, "URL", "where clients reach this server, for what it says of itself (as they call it)") \
    X(tls_cert, "tls-cert", TEXT, const char *, NULL, 0, 0, "FILE", "TLS: certificate chain (PEM)") \
    X(tls_key, "tls-key", TEXT, const char *, NULL, 0, 0, "FILE", "TLS: private key (PEM)") \
    X(insecure, "insecure", FLAG, bool, false, 0, 0, NULL, "without tokens, let others than this machine in") \
    X(private_manifest, "private-manifest", FLAG, bool, false, 0, 0, NULL, "discovery needs a token, too") \
    X(default_contract, "default-contract", TEXT, const char *, NULL, 0, 0, "ID", "the one at /.well-known/tenor (the first file's)") \
    X(trust_domain, "trust-domain", TEXT, const char *, NULL, 0, 0, "NAME", "in every ledger record") \
    X(signing_key, "signing-key", TEXT, const char *, NULL, 0, 0, "FILE", "signs manifests and checkpoints (motet keygen)") \
    X(signer_memory, "signer-memory", TEXT, const char *, NULL, 0, 0, "FILE", "the last checkpoint signed, kept outside of the store (the signing key's file with .memory)") \
    X(previous_signing_key, "previous-signing-key", TEXT, const char *, NULL, 0, 0, "FILE", "the key that signed until now, to hand over to --signing-key") \
    X(origin, "origin", TEXT, const char *, NULL, 0, 0, "NAME", "the ledger's name for witnesses (made from its first record)") \
    X(witness_quorum, "witness-quorum", COUNT, size_t, 0, 0, 64, "COUNT", "witnesses that must have signed before a receipt is complete (0)") \
    X(shadow, "shadow", TEXT, const char *, NULL, 0, 0, "FILE", "a candidate that looks on; where it disagrees is recorded") \
    X(auto_personas, "auto-persona", LIST, ht_list, {0}, 0, 0, "NAME", "acts for the system; may be repeated") \
    X(policies, "policy", LIST, ht_list, {0}, 0, 0, "POLICY", "blue_green, force_migrate or abort, or FLOW=POLICY: for flows in flight when a file is a new version; may be repeated") \
    X(migration_analysis, "migration-analysis", TEXT, const char *, "conservative", 0, 0, "MODE", "conservative or aggressive: which flows in flight can go on under a new version") \
    X(group, "group", COUNT, size_t, 256, 1, 65536, "COUNT", "operations committed together at most (256)") \
    X(checkpoint_every, "checkpoint-every", COUNT, size_t, 1000, 1, 1u << 30, "RECORDS", "sign a checkpoint so often (1000)") \
    X(checkpoint_seconds, "checkpoint-seconds", COUNT, size_t, 60, 1, 86400, "SECONDS", "sign for a record at the latest so long after it (60)") \
    X(threads, "threads", COUNT, size_t, 1, 1, 256, "COUNT", "network threads (1)") \
    X(workers, "workers", COUNT, size_t, 0, 0, 4096, "COUNT", "threads for calls that wait or take long (0: as store and cores need)") \
    X(max_body, "max-body", COUNT, size_t, 1u << 20, 1024, 1u << 30, "BYTES", "largest request body (1048576)") \
    X(max_connections, "max-connections", COUNT, size_t, 16384, 64, 1u << 20, "COUNT", "connections at once (16384)") \
    X(max_per_address, "max-per-address", COUNT, size_t, 0, 0, 1u << 20, "COUNT", "of them from one address (0: no limit)") \
    X(max_streams, "max-streams", COUNT, size_t, 1000, 0, 1u << 20, "COUNT", "event streams at once (1000)") \
    X(rate, "rate", COUNT, size_t, 0, 0, 1u << 30, "COUNT", "requests a minute from one address (0: no limit)") \
    X(rate_local, "rate-local", FLAG, bool, false, 0, 0, NULL, "limit the rate of this machine itself, too") \
    X(idle, "idle", COUNT, size_t, 60, 1, 86400, "SECONDS", "close a connection without a request (60)") \
    X(request_timeout, "request-timeout", COUNT, size_t, 30, 1, 86400, "SECONDS", "for sending a body (30)") \
    X(answer_timeout, "answer-timeout", COUNT, size_t, 120, 1, 86400, "SECONDS", "for reading an answer (120)") \
    X(heartbeat, "heartbeat", COUNT, size_t, 15, 1, 3600, "SECONDS", "between signs of life on a stream (15)") \
    X(stop_timeout, "stop-timeout", COUNT, size_t, 30, 1, 3600, "SECONDS", "for what runs when told to stop (30)") \
    X(log, "log", TEXT, const char *, "text", 0, 0, "FORM", "text or json") \
    X(log_level, "log-level", TEXT, const char *, "info", 0, 0, "LEVEL", "debug, info, warn or error") \
    X(access_log, "access-log", FLAG, bool, false, 0, 0, NULL, "log every request") \
    X(ready_file, "ready-file", TEXT, const char *, NULL, 0, 0, "FILE", "write the address there once it listens")

/* Only in the file; `files` are the operands of the command. */
#define HT_FILE_MAP(X) \
    X(files, NULL, LIST, ht_list, {0}, 0, 0, NULL, "contracts, bundles or Systems to serve") \
    X(sources, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "where facts come from (docs/facts.md)") \
    X(outgoing, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "where contracts may fetch facts from (docs/facts.md)") \
    X(signer, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "a program that signs instead of a key in a file (docs/ledger.md)") \
    X(witnesses, NULL, ROWS, const mt_json *, NULL, 0, 0, NULL, "who co-signs checkpoints (docs/witness.md)") \
    X(graphs, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "graphs served beside the contracts") \
    X(agents, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "agents served beside the contracts") \
    X(systems, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "instances for flows that triggers start (docs/systems.md)") \
    X(invariants, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "questions whose answer must be yes, by contract (docs/proofs.md)") \
    X(otlp, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "a collector that traces and figures are sent to (docs/operations.md)") \
    X(distinct, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "personas that one identity cannot both act as, by contract (docs/rights.md)") \
    X(quotas, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "what one identity may ask for in a while (docs/rights.md)") \
    X(oidc, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "identity providers: people and programs that they vouch for (docs/rights.md)") \
    X(certificates, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "client certificates, with TLS (docs/rights.md)") \
    X(authzen, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "whom decisions are asked about (docs/authzen.md)") \
    X(executor, NULL, TREE, const mt_json *, NULL, 0, 0, NULL, "how the executor waits, retries and forgets (docs/executor.md)")
#define HT_SETTING_MAP(X) HT_OPTION_MAP(X) HT_FILE_MAP(X)
/* clang-format on */

/* A row's key is the field's name, so a setting that is added is a field at once. */
typedef struct ht_config {
#define HT_SETTING_FIELD(key, option, kind, type, initial, least, most, arg, help)     \
    type key;
    HT_SETTING_MAP(HT_SETTING_FIELD)
#undef HT_SETTING_FIELD
    const mt_json *all; /* the whole document, or NULL */
} ht_config;

extern const ht_config HT_CONFIG_DEFAULT;

typedef struct ht_setting {
    const char *key, *option; /* option NULL: only in the file, or operands */
    ht_setting_kind kind;
    size_t offset;
    size_t least, most;
    const char *argument, *help;
} ht_setting;
extern const ht_setting HT_SETTINGS[];
extern const size_t HT_SETTING_COUNT;
/* The keys of the file, each with its help. */
extern const mt_form_table HT_CONFIG_FORM;

/* Reads a document into *config. Every fault is one line of `faults`,
 * "NAME:LINE:COLUMN: what"; MT_E_REJECTED when there is one. `yaml`: else JSON. */
mt_err ht_config_read(mt_arena *a, mt_str name, mt_str text, bool yaml,
                      ht_config *config, mt_buf *faults);
/* What was probably meant by the keys of a document that nobody knows, a line each:
 * "NAME:LINE:COLUMN: did you mean `listen`?". After ht_config_read(). */
void ht_config_hints(mt_arena *a, mt_str name, mt_str text, const ht_config *config,
                     mt_buf *hints);
/* Sets one setting from its option's text (NULL for a flag). MT_E_NOTFOUND,
 * MT_E_RANGE. */
mt_err ht_config_set(mt_arena *a, ht_config *config, const char *option,
                     const char *text);
/* What must hold between settings: one line per fault. */
mt_err ht_config_check(const ht_config *config, mt_buf *faults);

#endif
