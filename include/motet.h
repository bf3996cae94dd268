/* motet.h - the whole public C API of Motet.
 *
 * Handles are opaque and each is released with its own _free() function, which accepts
 * NULL. Strings are (pointer, length) pairs in UTF-8 and may be borrowed: each function
 * says how long they live. Functions that can fail return a motet_status; MOTET_OK is
 * 0.
 *
 * Threads: distinct handles may be used by distinct threads at the same time. A handle
 * that is documented as immutable may be shared by any number of threads.
 *
 * Growth: functions are added, never changed. A structure whose first member is `size`
 * may get more members at its end; set it to sizeof of the structure before each call.
 * What an older library does not know and is not zero is MOTET_E_VERSION. All other
 * structures stay as they are. Options that are given as JSON may get more keys; a key
 * that is not known is refused. */
#ifndef MOTET_H
#define MOTET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOTET_API __attribute__((visibility("default")))

/* The version of this library, "0.1.0", and of the contract language, "1.0". */
MOTET_API const char *motet_version(void);
MOTET_API const char *motet_language_version(void);

typedef struct motet_str {
    const char *ptr;
    size_t len;
} motet_str;

/* What a call came to. The names say it; motet_status_text() says it in a sentence. */
typedef enum motet_status {
    MOTET_OK = 0,
    MOTET_E_REJECTED,
    MOTET_E_LIMIT,
    MOTET_E_SYNTAX,
    MOTET_E_TYPE,
    MOTET_E_RANGE,
    MOTET_E_OVERFLOW,
    MOTET_E_VERSION,
    MOTET_E_NOTFOUND,
    MOTET_E_EXISTS,
    MOTET_E_CONFLICT,
    MOTET_E_DENIED,
    MOTET_E_BUSY,
    MOTET_E_TIMEOUT,
    MOTET_E_IO,
    MOTET_E_CLOSED,
    MOTET_E_CORRUPT,
    MOTET_E_USAGE
} motet_status;

MOTET_API const char *motet_status_text(motet_status status);

/* ---- Answers ------------------------------------------------------------------------
 * What was asked of something loaded: the bytes that a command of `motet` prints. An
 * answer owns its texts and is immutable. */
typedef struct motet_answer motet_answer;

/* What the command prints to standard output; lives as long as the answer. */
MOTET_API motet_str motet_answer_text(const motet_answer *answer);
/* The command's exit status: 0 done, or what was asked holds; 1 it does not hold, or
 * something given has faults; 2 asked wrongly. */
MOTET_API int motet_answer_code(const motet_answer *answer);
/* Why there is no answer, one line for each fault; empty if there is one. */
MOTET_API motet_str motet_answer_message(const motet_answer *answer);
/* What was passed over, one line each: facts and fields that were given and that the
 * contract does not declare, with the nearest name there is. Mostly empty; the answer
 * is the same without them. */
MOTET_API motet_str motet_answer_warnings(const motet_answer *answer);
/* If facts were at fault: {"details":{"path","rule","type"},"error","further"?} as
 * `motet eval --json` prints it; otherwise empty. */
MOTET_API motet_str motet_answer_fault(const motet_answer *answer);
MOTET_API void motet_answer_free(motet_answer *answer);

/* ---- Contracts ----------------------------------------------------------------------
 * A loaded contract is immutable: any number of threads may evaluate with it at once.
 * Free it after the last fact set and verdict set made from it. */
typedef struct motet_contract motet_contract;

/* Loads contract source (imports and all) or an interchange bundle from a file.
 * MOTET_OK; MOTET_E_REJECTED, MOTET_E_VERSION, MOTET_E_LIMIT: it has faults;
 * MOTET_E_NOTFOUND, MOTET_E_IO: it cannot be read. *out is set in every case: after a
 * failure it can be asked for its faults, and must be freed. */
MOTET_API motet_status motet_contract_open(const char *path, motet_contract **out);
/* The same from text in memory, which is copied; source must not import anything.
 * `name` is what faults call it. */
MOTET_API motet_status motet_contract_load(motet_str text, const char *name,
                                           motet_contract **out);
/* The same from several texts in memory: the first is the root, the others are what it
 * and they import, or the members of a System. Paths are relative, with slashes;
 * everything is copied. A System has a bundle but cannot be evaluated. */
typedef struct motet_file {
    const char *path;
    motet_str text;
} motet_file;
MOTET_API motet_status motet_contract_load_files(const motet_file *files, size_t count,
                                                 motet_contract **out);
/* The same with texts that are asked for when they are needed: the root, what it and
 * they import, the members of a System. A root that ends in ".json" or begins with a
 * brace is interchange. `options` is a JSON object, or empty:
 *   {"strict": bool,                    what is only tolerated is refused
 *    "allow"|"warn"|"deny": ["T403"],   levels of warnings
 *    "limits": {"json_bytes": N, …}}    those of `motet help limits`
 * MOTET_E_USAGE: the options are wrong, and the messages say how. */
typedef struct motet_provider {
    size_t size; /* sizeof(motet_provider) */
    void *user;
    /* The text of the file at `path`, which is normalised and relative to where the
     * root's path is; copied when this returns. MOTET_OK, MOTET_E_NOTFOUND, or another
     * failure. Asked once for each file. */
    motet_status (*read)(void *user, motet_str path, motet_str *text);
} motet_provider;
MOTET_API motet_status motet_contract_read(const motet_provider *provider,
                                           const char *root, motet_str options,
                                           motet_contract **out);
MOTET_API void motet_contract_free(motet_contract *contract);

/* Faults and warnings, "FILE:LINE:COLUMN: error CODE: …", in order; empty past the end.
 * They live as long as the contract. */
MOTET_API motet_str motet_contract_message(const motet_contract *contract,
                                           size_t index);
/* The same with its parts, for editors. False past the end. Texts live as long as the
 * contract; those that do not apply are empty. */
typedef struct motet_diagnostic {
    size_t size;          /* sizeof(motet_diagnostic), set by the caller */
    const char *severity; /* "error", "warning", "note" */
    const char *code;     /* stable: "T403" */
    int pass;             /* elaboration pass 0..6, -1: none */
    motet_str file;
    uint32_t line, column, length; /* 1-based, in characters; 0: unknown */
    motet_str construct_kind, construct_id, field;
    motet_str message, hint;
    uint32_t end_line, end_column; /* the end is exclusive; 0: unknown */
} motet_diagnostic;
MOTET_API bool motet_contract_diagnostic(const motet_contract *contract, size_t index,
                                         motet_diagnostic *out);
/* The interchange bundle, compact. */
MOTET_API motet_str motet_contract_bundle(const motet_contract *contract);
/* Hex SHA-256 of the bundle: what tells versions apart. Empty when it was refused. */
MOTET_API motet_str motet_contract_etag(const motet_contract *contract);

/* clang-format off */
/* Asks what a command of `motet` answers, as it prints it with --json. `command` and
 * the keys of `options`, a JSON object or empty; where the command takes a file, its
 * content stands here:
 *
 *   elaborate  manifest, compact                         the bundle
 *   check      strict, index, prove                      every diagnostic
 *   eval       facts, strict                             verdicts with provenance
 *   partial    facts, unknown: ["F"], partial, strict    what is left to decide
 *   act        flow or operation, persona, outcome, facts, states, bind, dry_run,
 *              strict
 *   actions    persona, facts, states, unknown, partial, strict
 *   explain    verdict, operation or flow, persona, all, change, facts, states, bind,
 *              unknown, partial, strict, format: "json"|"text"|"markdown", verbose
 *   analyze    only: "s1,s4", paths, prove, baseline     the report
 *   draw       parts: "flows,rules", format: "json"|"dot"|"mermaid"
 *   ask        question, instances, format: "json"|"text"
 *   test       scenarios: the text of a file, name: its name, number: only this case;
 *              what `motet test --json --coverage` says
 *
 * `facts` is an object, `states` {"Entity":{"instance":"state"}}, `bind`
 * {"Entity":"instance"}. Proofs (prove, all, change, most questions) need the solver
 * Z3; where it cannot be loaded the answer says so and claims nothing.
 *
 * MOTET_OK: there is an answer, and its code says whether what was asked holds.
 * MOTET_E_REJECTED: the contract was refused (the text is that of "check"), facts are
 * at fault, or a name is not in it. MOTET_E_USAGE: no such command, or wrong options.
 * *out is set in every case. Any number of threads may ask one contract at once. */
MOTET_API motet_status motet_contract_ask(const motet_contract *contract,
                                          const char *command, motet_str options,
                                          motet_answer **out);
/* clang-format on */
/* Compares two versions as `motet diff --json` does. Options: prove. Code 1: a
 * migration policy must be declared. With `flows`, a list of instances as `motet
 * migrate --flows` reads it, the answer is that of `motet migrate --json`, and code 1:
 * one of them cannot go on; `aggressive` as there. */
MOTET_API motet_status motet_contract_diff(const motet_contract *older,
                                           const motet_contract *newer,
                                           motet_str options, motet_answer **out);
/* Contract source in its canonical layout, as `motet fmt -` prints it. Code 1 and
 * MOTET_E_REJECTED: it does not parse, and the messages say where. */
MOTET_API motet_status motet_format(motet_str text, const char *name,
                                    motet_answer **out);

/* ---- Facts --------------------------------------------------------------------------
 * A fact set is filled, then read. One thread fills it; after that any number may
 * evaluate it. Reuse one for many inputs: it keeps its memory. */
typedef struct motet_facts motet_facts;

/* Why a call on a fact set or an evaluation failed. The texts live until the next call
 * on the same handle. */
typedef struct motet_fault {
    const char *kind;  /* "missing_fact", "type_mismatch", "overflow", … */
    motet_str path;    /* "line_items[3].amount", or empty */
    motet_str rule;    /* the rule being evaluated, or empty */
    motet_str message; /* one line */
} motet_fault;

MOTET_API motet_facts *motet_facts_new(const motet_contract *contract);
MOTET_API void motet_facts_free(motet_facts *facts);

/* Fills the set from a JSON object. `json` is borrowed until the set is filled again or
 * freed. Facts that are not given take their default; `strict` refuses facts and fields
 * the contract does not declare. */
MOTET_API motet_status motet_facts_read(motet_facts *facts, motet_str json,
                                        bool strict);

/* Fills the set from typed values. After begin, name a fact, then put its value; a list
 * is put as its length followed by its elements, a record as its fields in byte order
 * of their names, a union as its tag followed by the payload:
 *
 *     motet_facts_begin(f);
 *     motet_facts_name(f, "line_items");
 *     motet_put_list(f, 1);
 *       motet_put_record(f);
 *         motet_put_money(f, "5.00");  motet_put_bool(f, true);
 *     status = motet_facts_end(f);
 *
 * The first failure sticks: it is enough to look at what motet_facts_end() says. Texts
 * are copied. */
MOTET_API void motet_facts_begin(motet_facts *facts);
MOTET_API motet_status motet_facts_name(motet_facts *facts, const char *fact);
MOTET_API motet_status motet_put_bool(motet_facts *facts, bool value);
/* An Int, or a Duration in the unit the contract counts it in. */
MOTET_API motet_status motet_put_int(motet_facts *facts, int64_t value);
/* A Decimal as text; Money's amount, in the contract's currency. */
MOTET_API motet_status motet_put_decimal(motet_facts *facts, const char *value);
MOTET_API motet_status motet_put_money(motet_facts *facts, const char *amount);
/* A Text or Enum value, a Date ("2026-01-31") or DateTime (RFC 3339, with offset). */
MOTET_API motet_status motet_put_text(motet_facts *facts, motet_str value);
MOTET_API motet_status motet_put_list(motet_facts *facts, size_t length);
MOTET_API motet_status motet_put_record(motet_facts *facts);
MOTET_API motet_status motet_put_union(motet_facts *facts, const char *tag);
MOTET_API motet_status motet_facts_end(motet_facts *facts);

/* Why the last call on the set failed. */
MOTET_API motet_fault motet_facts_fault(const motet_facts *facts);
/* What motet_facts_read() passed over since the contract does not declare it, one line
 * each, as motet_answer_warnings() has it. For the thread that fills the set; lives
 * until the next call on the handle. */
MOTET_API motet_str motet_facts_warnings(motet_facts *facts);

/* ---- Verdicts -----------------------------------------------------------------------
 * Room for the result of evaluations, one at a time; belongs to one thread. It borrows
 * from the fact set evaluated last. */
typedef struct motet_verdicts motet_verdicts;

MOTET_API motet_verdicts *motet_verdicts_new(const motet_contract *contract);
MOTET_API void motet_verdicts_free(motet_verdicts *verdicts);

/* Evaluates all rules. The fact set must have been filled without failure. A fault is
 * never turned into an absent verdict: after one there are no verdicts at all. */
MOTET_API motet_status motet_evaluate(const motet_facts *facts,
                                      motet_verdicts *verdicts);
MOTET_API bool motet_verdict_present(const motet_verdicts *verdicts, const char *name);
/* {"verdicts":[…]} with payloads and provenance; lives until the next call on the
 * handle. */
MOTET_API motet_str motet_verdicts_json(motet_verdicts *verdicts);
MOTET_API motet_fault motet_verdicts_fault(const motet_verdicts *verdicts);

/* ---- Flows --------------------------------------------------------------------------
 * A run drives one flow step by step and proposes the changes of each operation to its
 * host; see docs/reference/flows.md. Belongs to one thread; contract, facts and
 * verdicts may be shared and must live, unchanged, until the run ends or starts anew.
 */
typedef struct motet_run motet_run;

/* A proposed transition. */
typedef struct motet_change {
    motet_str entity, instance, from, to;
} motet_change;

/* Every function may be NULL: then the run may act as anybody, keeps changes in memory
 * and names no outcome. */
typedef struct motet_host {
    size_t size; /* sizeof(motet_host) */
    void *user;
    bool (*may_act)(void *user, motet_str persona);
    /* Applies all or none. MOTET_E_CONFLICT: a source state had moved, the operation
     * fails; any other failure stops the run before the step. */
    motet_status (*apply)(void *user, const motet_change *changes, size_t count);
    /* The outcome to take where several match; ptr NULL: none. */
    motet_str (*choose)(void *user, motet_str step, motet_str operation);
    /* The same for languages whose callbacks return no structures: false: none. Asked
     * instead of `choose` if it is set; the text is looked at before anything else is
     * called. */
    bool (*choose_into)(void *user, motet_str step, motet_str operation,
                        motet_str *outcome);
} motet_host;

typedef enum motet_run_state {
    MOTET_RUN_MORE,    /* there is another step */
    MOTET_RUN_DONE,    /* ended with an outcome: motet_run_json() */
    MOTET_RUN_FAILED,  /* broke off: motet_run_message() */
    MOTET_RUN_WAITING, /* the host may not act as the next step's persona */
    MOTET_RUN_STOPPED  /* `apply` failed; the step was not done */
} motet_run_state;

/* NULL when the flows of the contract cannot be compiled: two parallel branches change
 * one entity, or effects of one outcome contradict. */
MOTET_API motet_run *motet_run_new(const motet_contract *contract);
MOTET_API void motet_run_free(motet_run *run);

/* Begins a flow. `states` is {"Entity":{"instance":"state"}}, `bindings`
 * {"Entity":"instance"}; empty texts mean one instance `_default` each. `host` may be
 * NULL. Failures leave motet_run_message(). */
MOTET_API motet_status motet_run_start(motet_run *run, const motet_facts *facts,
                                       const motet_verdicts *verdicts, const char *flow,
                                       const char *persona, motet_str states,
                                       motet_str bindings, const motet_host *host);
/* Takes a flow up where motet_run_position() left it, with the same facts. */
MOTET_API motet_status motet_run_resume(motet_run *run, const motet_facts *facts,
                                        const motet_verdicts *verdicts,
                                        motet_str position, const motet_host *host);
/* One step. After WAITING or STOPPED it tries again. */
MOTET_API motet_run_state motet_run_step(motet_run *run);
/* What the host read: the state of the instance bound to `entity`. */
MOTET_API motet_status motet_run_set_state(motet_run *run, const char *entity,
                                           const char *state);
/* Texts that live until the next call on the run: its position, its result so far, why
 * the last call failed. */
MOTET_API motet_str motet_run_position(motet_run *run);
MOTET_API motet_str motet_run_json(motet_run *run);
MOTET_API motet_str motet_run_message(const motet_run *run);

/* What a persona can do now: the JSON of `motet actions --json`; lives until the next
 * call on the run, which serves as working room. */
MOTET_API motet_status motet_actions(motet_run *run, const motet_facts *facts,
                                     const motet_verdicts *verdicts, motet_str states,
                                     const char *persona, motet_str *json);

/* ---- Graphs -------------------------------------------------------------------------
 * A graph turns one outside event into values, events and proposed effects in a single
 * deterministic pass. */

typedef enum motet_type {
    MOTET_NONE, /* nothing is there */
    MOTET_NUMBER,
    MOTET_SERIES,
    MOTET_BOOL,
    MOTET_STRING,
    MOTET_EVENT
} motet_type;

/* A Trigger says the first two, an Action one of the others. */
typedef enum motet_event {
    MOTET_NOT_EMITTED,
    MOTET_EMITTED,
    MOTET_ATTEMPTED,
    MOTET_COMPLETED,
    MOTET_REJECTED,
    MOTET_CANCELLED,
    MOTET_FAILED,
    MOTET_SKIPPED
} motet_event;

typedef struct motet_value {
    motet_type type;
    double number;
    bool boolean;
    motet_event event;
    const double *series; /* `len` numbers */
    const char *text;     /* `len` bytes of UTF-8 */
    size_t len;
} motet_value;

/* One call of a primitive written in C. Inputs, parameters and context values come in
 * the order of its manifest; an input that is not connected has type MOTET_NONE. */
typedef struct motet_call motet_call;
MOTET_API motet_value motet_call_input(const motet_call *call, size_t index);
MOTET_API motet_value motet_call_param(const motet_call *call, size_t index);
/* Sources only: one value per entry of requires.context. */
MOTET_API motet_value motet_call_context(const motet_call *call, size_t index);
/* Sets an output; series and text are copied. Type and finiteness are checked after the
 * call. An Action sets output 0 to its outcome. */
MOTET_API void motet_call_output(motet_call *call, size_t index, motet_value value);
/* Says why the primitive is about to return false; `text` is static. */
MOTET_API void motet_call_error(motet_call *call, const char *text);

/* Returns false to end the pass. Must depend on nothing but its inputs, parameters and
 * context, or captures will not replay. Called from any thread that runs an episode. */
typedef bool (*motet_primitive)(void *user, motet_call *call);

/* The primitives graphs may use: the standard library and what is added. Fill it on one
 * thread; after that any number of threads may load graphs with it. Free it after the
 * last graph. */
typedef struct motet_primitives motet_primitives;
MOTET_API motet_primitives *motet_primitives_new(void);
MOTET_API void motet_primitives_free(motet_primitives *primitives);
/* Adds a primitive: its manifest as YAML or JSON, and what it does. `run` may be NULL
 * when the manifest says it itself (sources with `from`, actions, formulas, clusters).
 * MOTET_E_REJECTED: the messages say which rules it breaks. */
MOTET_API motet_status motet_primitives_add(motet_primitives *primitives,
                                            motet_str manifest, motet_primitive run,
                                            void *user);
/* Faults of all additions so far, "NAME:LINE:COLUMN: RULE: ..."; empty past the end.
 * Each text lives until the next call on the handle. */
MOTET_API motet_str motet_primitives_message(motet_primitives *primitives,
                                             size_t index);

/* Primitives in a file of their own, which `motet graph … --primitives FILE.so`, a
 * served graph (`primitives:`) and motet_primitives_load() take. The file defines one
 * thing:
 *
 *     static const motet_own_primitive OWN[] = {{MANIFEST, clamp, NULL}};
 *     MOTET_OWN_PRIMITIVES(OWN);
 *
 * and is built by `cc -shared -fPIC -o own.so own.c`. It calls only the functions
 * motet_call_*() of this library, which are found in the program that loads it. */
#define MOTET_OWN_ABI 1u
typedef struct motet_own_primitive {
    const char *manifest; /* YAML or JSON */
    motet_primitive run;  /* NULL: the manifest says it itself */
    void *user;
} motet_own_primitive;
typedef struct motet_own_library {
    uint32_t abi; /* always the first member */
    uint32_t count;
    const motet_own_primitive *primitives;
} motet_own_library;
#define MOTET_OWN_PRIMITIVES(list)                                                     \
    MOTET_API extern const motet_own_library motet_own;                                \
    const motet_own_library motet_own = {                                              \
        MOTET_OWN_ABI, (uint32_t)(sizeof(list) / sizeof *(list)), list}
/* Adds all primitives of such a file. It must belong to root or to the user of this
 * process and be writable by its owner alone; what is run is a copy made now, so the
 * file may change later. MOTET_E_NOTFOUND, MOTET_E_IO: it cannot be read;
 * MOTET_E_DENIED: others can write it; MOTET_E_VERSION: it was built for another
 * version; MOTET_E_REJECTED: it is not such a file, or a manifest breaks a rule. The
 * messages say more. */
MOTET_API motet_status motet_primitives_load(motet_primitives *primitives,
                                             const char *path);

/* A loaded graph is immutable: any number of threads may run episodes of it. Free it
 * after its last episode. */
typedef struct motet_graph motet_graph;
/* Loads a graph from YAML or JSON, which is copied; ready-made clusters are found,
 * others are not. MOTET_E_REJECTED: *out can be asked for all violations. *out is set
 * in every case and must be freed. */
MOTET_API motet_status motet_graph_load(const motet_primitives *primitives,
                                        motet_str text, const char *name,
                                        motet_graph **out);
/* The same with its clusters: the first text is the graph, the others are clusters,
 * each in a file of the cluster's name ("once_a_day.yaml"). */
MOTET_API motet_status motet_graph_load_files(const motet_primitives *primitives,
                                              const motet_file *files, size_t count,
                                              motet_graph **out);
/* The same with parameters that are decided here and not in the texts: a JSON object,
 * {"NAME": value} of the graph's own, {"NODE.NAME": value} by the path of a node, as
 * `motet graph whatif --set` takes them. MOTET_E_USAGE: it is not such an object. */
MOTET_API motet_status motet_graph_load_set(const motet_primitives *primitives,
                                            const motet_file *files, size_t count,
                                            motet_str parameters, motet_graph **out);
MOTET_API void motet_graph_free(motet_graph *graph);
MOTET_API motet_str motet_graph_message(const motet_graph *graph, size_t index);
/* Gives the graph its adapter, as YAML or JSON: which context keys, events and effects
 * there are. Once, before the first episode; a graph that has effects or requires
 * context keys does not run without. MOTET_E_REJECTED: it breaks a rule or does not fit
 * the graph; the graph's messages say why and are those of the last call. */
MOTET_API motet_status motet_graph_adapt(motet_graph *graph, motet_str text,
                                         const char *name);
/* "rpv1:sha256:...": equal graphs have equal identities. */
MOTET_API motet_str motet_graph_identity(const motet_graph *graph);

/* Room for one pass at a time; belongs to one thread. */
typedef struct motet_episode motet_episode;
MOTET_API motet_episode *motet_episode_new(const motet_graph *graph);
MOTET_API void motet_episode_free(motet_episode *episode);
/* Sets a context key for the passes to come; series and text are copied. A value of
 * type MOTET_NONE removes it. MOTET_E_NOTFOUND: no Source of the graph reads it. */
MOTET_API motet_status motet_episode_set(motet_episode *episode, const char *key,
                                         motet_value value);
/* Runs one pass. MOTET_E_REJECTED: it was aborted, there are no effects, and
 * motet_episode_fault() says why; or the graph needs an adapter and has none, and
 * nothing ran. `event_id` identifies what caused it. */
MOTET_API motet_status motet_episode_run(motet_episode *episode, motet_str event_id);
/* An output of a node, named by its place ("once/gate") or runtime id ("n7"); type
 * MOTET_NONE when there is none. Lives until the next run. */
MOTET_API motet_value motet_episode_value(const motet_episode *episode,
                                          const char *node, const char *port);
/* The effects as a JSON array, in order; lives until the next call. */
MOTET_API motet_str motet_episode_effects(motet_episode *episode);
MOTET_API motet_str motet_episode_fault(motet_episode *episode);

/* ---- Graphs that run ----------------------------------------------------------------
 * A graph host does what `motet graph run` does, one event at a time: it lays the
 * context under the payload, checks it against the adapter, asks the supervisor, runs
 * the graph, writes the journal and applies what was written to the context. Intents
 * are the caller's to send: they are in the decision. Belongs to one thread; graph and
 * adapter may be shared and must live until it is freed. */
typedef struct motet_graph_host motet_graph_host;

/* What the supervisor is told. All but `size` zero: every event runs. Times are those
 * of events.
 */
typedef struct motet_supervision {
    size_t size;             /* sizeof(motet_supervision) */
    uint64_t max_per_window; /* at most so many runs within rate_window_ms; 0: any */
    uint64_t rate_window_ms; /* given together with max_per_window, or neither */
    uint64_t deadline_ms;    /* a run that takes longer is TimedOut; 0: none */
    uint32_t max_retries;    /* attempts after the first */
    bool skip_duplicates;    /* an event id that was there is skipped, not refused */
} motet_supervision;

/* `supervision` may be NULL. `journal` is the file that is appended to; NULL: nothing
 * is recorded. With `resume` a journal of the same graph, adapter and supervision is
 * replayed and compared first, and the host goes on behind it: its last event is the
 * last event of the host, and its intents may not have been sent. Without, a journal
 * that holds events is MOTET_E_EXISTS. MOTET_E_BUSY: another process has it.
 * MOTET_E_REJECTED: graph, adapter and supervision do not fit, or what the journal has
 * comes out otherwise. *out is set in every case, for motet_graph_host_message(), and
 * must be freed; after a failure it takes no event. */
MOTET_API motet_status motet_graph_host_open(const motet_graph *graph,
                                             const motet_supervision *supervision,
                                             const char *journal, bool resume,
                                             motet_graph_host **out);
/* The same without a journal, for machines that have no files. */
MOTET_API motet_status motet_graph_host_new(const motet_graph *graph,
                                            const motet_supervision *supervision,
                                            motet_graph_host **out);
/* Closes the journal, which stays. */
MOTET_API void motet_graph_host_free(motet_graph_host *host);

/* Its texts need not outlive the call. */
typedef struct motet_graph_event {
    size_t size;      /* sizeof(motet_graph_event) */
    motet_str id;     /* unique in the life of the journal */
    const char *kind; /* "DataAvailable", "Command" or "Pump"; NULL: DataAvailable */
    uint64_t secs;    /* its time since 1970, at most the year 9999 */
    uint32_t nanos;
    motet_str semantic_kind; /* which of the adapter's event kinds; ptr NULL: none */
    motet_str payload;       /* a JSON object; empty: none */
} motet_graph_event;

/* MOTET_OK: it was decided and recorded; a pass that failed is a decision, too. With
 * intents it is on disk. MOTET_E_REJECTED: it is refused, nothing happened and the next
 * one may come. Anything else: it cannot be recorded, and no more events are taken. */
MOTET_API motet_status motet_graph_host_step(motet_graph_host *host,
                                             const motet_graph_event *event);
/* Of the last event: {"decision","effects","event_id","fault"?,"outcomes",
 * "termination"}, as `motet graph run --json` prints it. Lives until the next call on
 * the host. */
MOTET_API motet_str motet_graph_host_decision(motet_graph_host *host);
/* Of the last event, if the graph ran; as motet_episode_value(). */
MOTET_API motet_value motet_graph_host_value(const motet_graph_host *host,
                                             const char *node, const char *port);
/* What is under a key of the context; MOTET_NONE: nothing, or the adapter has a `key:`
 * and so a context for each of its values. Lives until the next event. */
MOTET_API motet_value motet_graph_host_context(const motet_graph_host *host,
                                               const char *key);
/* Why the last call failed. */
MOTET_API motet_str motet_graph_host_message(const motet_graph_host *host);
/* Writes what the journal has so far as a capture (v3) with its checksum beside it; a
 * capture that is there is replaced. MOTET_E_USAGE: the host has no journal, or the
 * path is that of the journal.
 * MOTET_E_REJECTED: the adapter has a `key:`, and a capture has one history. */
MOTET_API motet_status motet_graph_host_capture(motet_graph_host *host,
                                                const char *path);

/* Asks what a command of `motet graph` answers, as it prints it with --json. `input` is
 * what the command reads; nothing is written to files and no intent is sent:
 *
 *   check                                        every violation, with advice
 *   run     input: events (JSON lines); pump, skip_duplicates, skip_kinds: ["K"],
 *           max_per_window, rate_window: "5s", deadline: "250ms", max_in_flight,
 *           max_retries, max_events; capture: true gives the capture (v3) instead of
 *           decisions, pretty: true indented
 *   replay  input: a capture or journal; event, until
 *   look    input: lines {"event_id","payload"} with payloads as a capture has them;
 *           what every node says over each, as `replay --event` prints it; output:
 *           "NODE.PORT" gives the value there instead
 *   whatif  input: a capture or journal; as motet_graph_whatif() without the older
 *           graph; instead: {"EVENT": payload} takes the place of what was recorded;
 *           capture: true gives the capture of what this graph does, pretty: true
 *   draw    format: "json"|"dot"|"mermaid", ports; with a line as of `look`, painted
 *           as `motet graph render --capture` does
 *
 * A run's last line is its summary; without a file its "capture" is null. Statuses as
 * of motet_contract_ask(); with MOTET_E_REJECTED of a run the text has what was decided
 * before it broke off, or why the graph cannot run. */
MOTET_API motet_status motet_graph_ask(const motet_graph *graph, const char *command,
                                       motet_str options, motet_str input,
                                       motet_answer **out);
/* The events of a capture under another graph: one line for each decision that differs,
 * then a summary, as `motet graph whatif --json` prints it. `older` is the graph the
 * capture was made with, to say why; NULL: not at hand. Code 1: something differs. */
MOTET_API motet_status motet_graph_whatif(const motet_graph *older,
                                          const motet_graph *newer, motet_str capture,
                                          motet_answer **out);

/* A capture or journal run again and compared, decision by decision and effect by
 * effect. */
typedef struct motet_replay motet_replay;
/* MOTET_OK: everything is the same. MOTET_E_REJECTED: something is not, and the message
 * names the first. MOTET_E_CORRUPT, MOTET_E_SYNTAX, …: it cannot be read, or does not
 * match its checksum. *out is set in every case and must be freed. */
MOTET_API motet_status motet_graph_replay(const motet_graph *graph, const char *capture,
                                          motet_replay **out);
MOTET_API void motet_replay_free(motet_replay *replay);
/* How many events were the same, and what was not. */
MOTET_API uint64_t motet_replay_events(const motet_replay *replay);
MOTET_API motet_str motet_replay_message(const motet_replay *replay);

/* ---- Agents -------------------------------------------------------------------------
 * An agent says what it does with messages, by the states on its tape. A loaded agent
 * is immutable: any number of actors may work by it. */
typedef struct motet_agent motet_agent;

/* Loads an agent file or DNA; YAML if the name ends in .yaml or .yml, else JSON. *out
 * is set in every case and must be freed. MOTET_E_REJECTED: the messages say why. */
MOTET_API motet_status motet_agent_load(motet_str text, const char *name,
                                        motet_agent **out);
MOTET_API void motet_agent_free(motet_agent *agent);
MOTET_API motet_str motet_agent_message(const motet_agent *agent, size_t index);
/* What commands of `motet agent` print:
 *   dna   form: "profile"|"sdk"            as `motet agent dna show`
 *   draw  format: "json"|"dot"|"mermaid"   as `motet agent render` */
MOTET_API motet_status motet_agent_ask(const motet_agent *agent, const char *command,
                                       motet_str options, motet_answer **out);
/* The trace of a scenario, as `motet agent trace` prints it; the provider has the
 * scenario and the agent file that it names. Options: answers:
 * "forward"|"reverse"|"shuffled". */
MOTET_API motet_status motet_agent_trace(const motet_provider *provider,
                                         const char *scenario, motet_str options,
                                         motet_answer **out);
/* Questions of the black-box harness, one on each line, as `motet agent harness`
 * answers them. Options: mode: "profile"|"compat". */
MOTET_API motet_status motet_agent_harness(motet_str questions, motet_str options,
                                           motet_answer **out);

/* Handlers that the agent file leaves to a group of programs: here one function of the
 * embedder. `question` is one JSON line of the handler protocol
 * (docs/reference/agents.md), `answer` the line that answers it, copied when this
 * returns. False: the call fails.
 */
typedef struct motet_handlers {
    size_t size; /* sizeof(motet_handlers) */
    void *user;
    bool (*call)(void *user, motet_str question, motet_str *answer);
} motet_handlers;

/* An agent at work; belongs to one thread. */
typedef struct motet_actor motet_actor;
/* `handlers` may be NULL: then calls outside fail. *out is set in every case. */
MOTET_API motet_status motet_actor_new(const motet_agent *agent,
                                       const motet_handlers *handlers,
                                       motet_actor **out);
MOTET_API void motet_actor_free(motet_actor *actor);
/* One line as a relay sends it, or a payload alone. `now_ms` (since 1970) is what
 * signatures are judged by, where the agent asks for them. MOTET_E_SYNTAX,
 * MOTET_E_LIMIT: it cannot be read; MOTET_E_DENIED: its signer is not one that counts.
 * Then nothing happened. */
MOTET_API motet_status motet_actor_receive(motet_actor *actor, motet_str line,
                                           int64_t now_ms);
/* Fires the timed senders that are due at `now_ms`, any clock that does not go back;
 * *next_ms is how long until the next is, -1: none waits. MOTET_E_REJECTED: one of them
 * failed, and the message says why; what the others say is to be sent. */
MOTET_API motet_status motet_actor_tick(motet_actor *actor, int64_t now_ms,
                                        int64_t *next_ms);
/* Of the last line or tick: what is to be sent, each in a line; of the last line: the
 * record that a trace has of it. They live until the next. */
MOTET_API motet_str motet_actor_sends(const motet_actor *actor);
MOTET_API motet_str motet_actor_trace(const motet_actor *actor);
/* The tape, as traces have it; tape, memory and timers, to be taken up again later by
 * an actor of the same agent. They live until the next call. */
MOTET_API motet_str motet_actor_tape(motet_actor *actor);
MOTET_API motet_str motet_actor_state(motet_actor *actor);
MOTET_API motet_status motet_actor_restore(motet_actor *actor, motet_str state);
/* Why the last call failed. */
MOTET_API motet_str motet_actor_message(const motet_actor *actor);

/* clang-format off */
/* ---- Ledgers and receipts -----------------------------------------------------------
 * Evidence that others gave, checked from its bytes with public keys alone: no file, no
 * server, no clock.
 *
 * Verifies an export of a ledger as `motet ledger verify --json` does: the chain, the
 * tree, every checkpoint. Options:
 *   keys               public keys that may sign (hex or base64); none: the first
 *                      signer is believed, and the answer says so
 *   domain             the trust domain it must be of
 *   checkpoint         a checkpoint kept elsewhere: the ledger must go on from it
 *   require_signature  signed by nobody is not enough
 *   note, origin       a signed note; the name of the log it must be of
 *   witnesses          who must have co-signed the note
 *   witness_quorum     how many of them
 *   now                seconds since 1970, with witnesses
 * Code 1: it does not hold, and "problem" says why. */
/* clang-format on */
MOTET_API motet_status motet_ledger_verify(motet_str ledger, motet_str options,
                                           motet_answer **out);

/* The same in pieces, in constant memory: its bytes are fed as they come, cut anywhere.
 * What a check holds is of one thread at a time. */
typedef struct motet_ledger_check motet_ledger_check;
/* The options of motet_ledger_verify(). When they are refused, motet_ledger_check_end()
 * says why. */
MOTET_API motet_status motet_ledger_check_new(motet_str options,
                                              motet_ledger_check **out);
MOTET_API void motet_ledger_check_free(motet_ledger_check *check);
/* MOTET_E_REJECTED: something does not hold, and more bytes change nothing. */
MOTET_API motet_status motet_ledger_check_feed(motet_ledger_check *check,
                                               motet_str bytes);
/* How many lines hold so far; how many bytes were read as lines. */
MOTET_API uint64_t motet_ledger_check_lines(const motet_ledger_check *check);
MOTET_API uint64_t motet_ledger_check_bytes(const motet_ledger_check *check);
/* There is no more: what motet_ledger_verify() says of all of it. Once. A line of more
 * than 16 MiB is MOTET_E_REJECTED with its number in the message. */
MOTET_API motet_status motet_ledger_check_end(motet_ledger_check *check,
                                              motet_answer **out);

/* Verifies a proof (`motet ledger prove`) against one checkpoint, or two for
 * consistency, without any ledger, as `motet ledger verify --proof --json` does.
 * Options: checkpoints (needed: their texts), keys, domain. */
MOTET_API motet_status motet_proof_verify(motet_str proof, motet_str options,
                                          motet_answer **out);
/* Verifies receipts, one document or one on each line, up to the first that does not
 * hold, as `motet receipt verify --json` does. Options: keys (needed), complete,
 * domain, ledger, origin, witnesses, witness_quorum, now. */
MOTET_API motet_status motet_receipt_verify(motet_str receipts, motet_str options,
                                            motet_answer **out);

#ifdef __cplusplus
}
#endif

#endif
