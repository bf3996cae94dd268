/* graph/library.c - finding clusters and primitives, choosing versions, checking how
 * they are joined.
 *
 * gr_link() takes one definition: every member's target is found (a cluster by id and
 * version among the candidates of the host, or a primitive of the registry), its ports
 * are checked against edges, its required inputs against what feeds them, and what the
 * definition claims about itself against what it is. Linked definitions are kept by
 * address, so each is linked once, however often it is used.
 *
 * The highest version that a selector accepts wins. A file that defines another id
 * than it is named after, or a version that another file has, is a fault of discovery.
 * A primitive without C code is realised by a cluster: the one its manifest names, or
 * its formula's.
 *
 * Invariants: a cluster that is being linked (`visiting`) must not be met again (X.9);
 * nesting is bounded by cluster_depth. Faults are diagnostics in `ds`; a target that
 * was not found is known to be unknown, so that it is reported once. */
#include "graph/library.h"

#include "graph/version.h"

/* ---- finding definitions ---- */

/* By file: a cluster that several graphs of the library use is read once, and so
 * reports its faults once. NULL is remembered too. */
static const gr_cluster *read_once(gr_library *lib, gr_text text)
{
    mt_map_entry *known = mt_map_find(&lib->files, text.file);
    if (known) {
        return (const gr_cluster *)known->value;
    }
    mt_json_limits limits = {lib->limits.yaml_bytes, lib->limits.json_depth};
    mt_str file = mt_str_dup(lib->arena, text.file);
    const gr_cluster *c =
        gr_cluster_read(lib->arena, file, text.text, &limits, lib->ds);
    mt_map_put(lib->arena, &lib->files, file, (uintptr_t)c);
    return c;
}

typedef MT_VEC(const gr_cluster *) candidates;

/* Adds a definition of `id`; a file that defines another id, or the same version as
 * another file, is a fault of discovery. */
static void add_candidate(gr_library *lib, const gr_cluster *c, mt_str id,
                          candidates *found)
{
    gr_subject s = gr_cluster_subject(c, lib->ds);
    if (!mt_str_eq(c->id, id)) {
        gr_report(&s, "graph.discovery", 0, MT_STR("$.id"),
                  "name the file after the id of its cluster",
                  "looked for cluster \"%.*s\", the file defines \"%.*s\"", MT_ARG(id),
                  MT_ARG(c->id));
        return;
    }
    for (size_t i = 0; i < found->len; i++) {
        if (mt_str_eq(found->items[i]->version, c->version)) {
            gr_report(&s, "graph.discovery", 0, MT_STR("$.version"),
                      "give one of them another version",
                      "%.*s@%.*s is also defined in %.*s", MT_ARG(id),
                      MT_ARG(c->version), MT_ARG(found->items[i]->file));
            return;
        }
    }
    mt_vec_push(lib->arena, found, c);
}

/* What the finder offers wins over what is built in, so an author can replace a
 * ready-made cluster by one of the same id. */
static void find_candidates(gr_library *lib, mt_str id, mt_str from, candidates *found,
                            mt_str *trail)
{
    gr_text *texts = NULL;
    size_t count = 0;
    if (lib->finder) {
        mt_err err = lib->finder->find(lib->finder->user, lib->arena, id, from, &texts,
                                       &count, trail);
        lib->err = lib->err ? lib->err : err;
        count = err ? 0 : count;
    }
    bool any = count > 0;
    for (size_t i = 0; i < count; i++) {
        const gr_cluster *c = read_once(lib, texts[i]);
        if (c) {
            add_candidate(lib, c, id, found);
        }
    }
    /* An author's own cluster of the same name hides a ready-made one. */
    for (size_t i = 0; i < GR_READY_COUNT && !any; i++) {
        if (mt_str_eq(mt_str_skip(GR_READY[i].file, 6), id)) {
            const gr_cluster *c = read_once(lib, GR_READY[i]);
            MT_ASSERT(c);
            add_candidate(lib, c, id, found);
        }
    }
}

/* ---- targets ---- */

typedef struct linker {
    gr_library *lib;
    gr_linked *l;
    gr_subject subject;
    size_t depth;
} linker;

static bool selector_fault(linker *k, const gr_member *m, gr_match match,
                           const char *what)
{
    if (match == GR_BAD_SELECTOR) {
        return gr_report(&k->subject, "I.6", m->at, MT_STR("$.nodes"),
                         "write a version or a requirement, like ^1.2",
                         "\"%.*s\" is not a version requirement", MT_ARG(m->selector));
    }
    return gr_report(&k->subject, "I.6", m->at, MT_STR("$.nodes"),
                     "ask for a version that exists",
                     "no version of %s \"%.*s\" satisfies %.*s", what,
                     MT_ARG(m->target), MT_ARG(m->selector));
}

static void target_primitive(linker *k, const gr_member *m, gr_target *out);

/* Of the versions that satisfy the selector the highest is taken, whatever order the
 * files came in. "Not found" is said only if reading reported nothing else. */
static void target_cluster(linker *k, const gr_member *m, gr_target *out)
{
    candidates found = {0};
    mt_str trail = MT_STR("");
    gr_version best = {0}, v;
    const gr_cluster *chosen = NULL;
    gr_match match = GR_NO_MATCH;
    size_t errors = k->lib->ds->errors;
    find_candidates(k->lib, m->target, k->l->def->file, &found, &trail);
    for (size_t i = 0; i < found.len; i++) {
        gr_version_read(found.items[i]->version, &v);
        gr_match one = gr_version_match(m->selector, &v);
        match = one == GR_BAD_SELECTOR ? one : match;
        if (one == GR_MATCH && (!chosen || gr_version_cmp(&v, &best) > 0)) {
            chosen = found.items[i];
            best = v;
        }
    }
    if (chosen) {
        out->resolved = chosen->version;
        out->cluster = gr_link(k->lib, chosen, k->depth + 1);
    } else if (found.len) {
        selector_fault(k, m, match, "cluster");
    } else if (k->lib->ds->errors == errors) {
        gr_report(&k->subject, "E.9", m->at, MT_STR("$.nodes"),
                  "put the cluster in a file named after it, beside this one or on the "
                  "search path",
                  "there is no cluster \"%.*s\"%s%.*s", MT_ARG(m->target),
                  trail.len ? "; looked in " : "", MT_ARG(trail));
    }
}

static const gr_primitive *linked_output(const gr_linked *l, mt_str name, int *port);

/* A manifest's ports and parameters must be those of the cluster that realises it. */
static void check_realised(linker *k, const gr_member *m, const gr_manifest *wanted,
                           const gr_linked *body)
{
    for (uint32_t i = 0; i < wanted->input_count; i++) {
        int at = gr_cluster_input_index(body->def, wanted->inputs[i].name);
        if (at < 0 || body->def->inputs[at].type != wanted->inputs[i].type) {
            gr_report(&k->subject, "D.2", m->at, MT_STR("$.inputs"),
                      "give the cluster the inputs of the manifest",
                      "cluster \"%.*s\" has no input \"%.*s\" of its type",
                      MT_ARG(body->def->id), MT_ARG(wanted->inputs[i].name));
        }
    }
    for (uint32_t i = 0; i < wanted->output_count; i++) {
        int port;
        const gr_primitive *p = linked_output(body, wanted->outputs[i].name, &port);
        if (!p || p->manifest.outputs[port].type != wanted->outputs[i].type) {
            gr_report(&k->subject, "D.4", m->at, MT_STR("$.outputs"),
                      "give the cluster the outputs of the manifest",
                      "cluster \"%.*s\" has no output \"%.*s\" of its type",
                      MT_ARG(body->def->id), MT_ARG(wanted->outputs[i].name));
        }
    }
    for (uint32_t i = 0; i < wanted->param_count; i++) {
        if (gr_cluster_param_index(body->def, wanted->params[i].name) < 0) {
            gr_report(&k->subject, "I.7", m->at, MT_STR("$.parameters"),
                      "give the cluster the parameters of the manifest",
                      "cluster \"%.*s\" has no parameter \"%.*s\"",
                      MT_ARG(body->def->id), MT_ARG(wanted->params[i].name));
        }
    }
    if (body->side_effects) {
        gr_report(&k->subject, wanted->kind == GR_COMPUTE ? "CMP-8" : "TRG-10", m->at,
                  MT_STR("$.cluster"), "take the actions out of the cluster",
                  "cluster \"%.*s\" has actions, a %s has none", MT_ARG(body->def->id),
                  gr_kind_title(wanted->kind));
    }
}

/* A Compute or Trigger from a file is a cluster: its expression's, or the one named. */
static void target_realised(linker *k, const gr_member *m, const gr_primitive *p,
                            gr_target *out)
{
    if (p->cluster) {
        out->cluster = gr_link(k->lib, p->cluster, k->depth + 1);
        return;
    }
    mt_str body = p->manifest.body;
    size_t n = mt_str_find(body, '@');
    gr_member inner = *m;
    inner.target = mt_str_from(body.ptr, n);
    inner.selector = n < body.len ? mt_str_skip(body, n + 1) : MT_STR("*");
    target_cluster(k, &inner, out);
    if (out->cluster && !out->cluster->visiting) {
        check_realised(k, m, &p->manifest, out->cluster);
    }
}

static mt_nearest nearest_primitive(const gr_registry *r, mt_str id)
{
    mt_nearest near = mt_nearest_to(id);
    for (size_t i = 0; i < gr_registry_count(r); i++) {
        mt_nearest_offer(&near, gr_registry_at(r, i)->manifest.id);
    }
    return near;
}

/* A primitive that is made of others is linked like a cluster, but keeps the version of
 * its own manifest. */
static void target_primitive(linker *k, const gr_member *m, gr_target *out)
{
    const gr_primitive *p = gr_registry_find(k->lib->registry, m->target);
    gr_version v;
    if (!p) {
        mt_nearest near = nearest_primitive(k->lib->registry, m->target);
        gr_report(&k->subject, "V.8", m->at, MT_STR("$.nodes"),
                  gr_meant(&k->subject, &near,
                           "see `motet graph primitives` for what there is"),
                  "there is no primitive \"%.*s\"", MT_ARG(m->target));
        return;
    }
    if (p->declared) {
        gr_report(&k->subject, "manifest.decode", m->at, MT_STR("$.nodes"),
                  p->manifest.kind == GR_SOURCE
                      ? "say `from:` for its outputs, or register it from C"
                      : "add `expression:` or `cluster:`, or register it from C",
                  "nothing says what %s \"%.*s\" does, only what it has (%.*s)",
                  gr_kind_name(p->manifest.kind), MT_ARG(p->manifest.id),
                  MT_ARG(p->manifest.file));
        return;
    }
    gr_version_read(p->manifest.version, &v);
    gr_match match = gr_version_match(m->selector, &v);
    if (match != GR_MATCH) {
        selector_fault(k, m, match, "primitive");
        return;
    }
    out->resolved = p->manifest.version;
    if (p->cluster || p->manifest.body.len) {
        target_realised(k, m, p, out);
        out->resolved = p->manifest.version;
    } else {
        out->primitive = p;
    }
}

/* ---- ports ---- */

static const gr_target *target_of(const gr_linked *l, mt_str node)
{
    int i = gr_cluster_member(l->def, node);
    return i < 0 ? NULL : &l->targets[i];
}

/* Where an output of a cluster comes from: primitive and its port, NULL if unknown. */
static const gr_primitive *linked_output(const gr_linked *l, mt_str name, int *port)
{
    for (;;) {
        int i = gr_cluster_output_index(l->def, name);
        const gr_target *t =
            i < 0 ? NULL : target_of(l, l->def->outputs[i].maps_to.node);
        if (!t) {
            return NULL;
        }
        name = l->def->outputs[i].maps_to.port;
        if (t->primitive) {
            *port = gr_output_index(&t->primitive->manifest, name);
            return *port < 0 ? NULL : t->primitive;
        }
        if (!t->cluster || t->cluster->visiting) {
            return NULL;
        }
        l = t->cluster;
    }
}

static bool has_output(const gr_target *t, mt_str port)
{
    return t->primitive ? gr_output_index(&t->primitive->manifest, port) >= 0
                        : gr_cluster_output_index(t->cluster->def, port) >= 0;
}

static bool has_input(const gr_target *t, mt_str port)
{
    return t->primitive ? gr_input_index(&t->primitive->manifest, port) >= 0
                        : gr_cluster_input_index(t->cluster->def, port) >= 0;
}

static bool known(const gr_target *t)
{
    return t && (t->primitive || t->cluster);
}

static mt_nearest nearest_port(const gr_target *t, mt_str port, bool output)
{
    mt_nearest near = mt_nearest_to(port);
    const gr_manifest *m = t->primitive ? &t->primitive->manifest : NULL;
    const gr_cluster *c = t->cluster ? t->cluster->def : NULL;
    for (uint32_t i = 0; m && i < (output ? m->output_count : m->input_count); i++) {
        mt_nearest_offer(&near, (output ? m->outputs : m->inputs)[i].name);
    }
    for (uint32_t i = 0; !m && output && i < c->output_count; i++) {
        mt_nearest_offer(&near, c->outputs[i].name);
    }
    for (uint32_t i = 0; !m && !output && i < c->input_count; i++) {
        mt_nearest_offer(&near, c->inputs[i].name);
    }
    return near;
}

/* Targets that could not be found were reported before; their ports are not asked
 * about. */
static void check_port(linker *k, gr_endpoint e, bool output, uint32_t at, mt_str path)
{
    const gr_target *t = target_of(k->l, e.node);
    if (!known(t) || (output ? has_output(t, e.port) : has_input(t, e.port))) {
        return;
    }
    if (!output && t->primitive && t->primitive->manifest.kind == GR_SOURCE) {
        gr_report(&k->subject, "V.2", at, path,
                  "a Source reads parameters and the context; feed a Compute instead",
                  "%.*s.%.*s: a Source has no inputs", MT_ARG(e.node), MT_ARG(e.port));
        return;
    }
    mt_nearest near = nearest_port(t, e.port, output);
    gr_report(&k->subject, t->cluster && output ? "D.4" : "D.2", at, path,
              gr_meant(&k->subject, &near, "name a declared port"),
              "%.*s has no %s \"%.*s\"", MT_ARG(e.node), output ? "output" : "input",
              MT_ARG(e.port));
}

/* The type an edge carries; GR_NONE: where it comes from is unknown, and reported. */
static gr_type carried_type(const gr_linked *l, gr_endpoint from)
{
    int port;
    if (!from.node.ptr) {
        return l->def->inputs[gr_cluster_input_index(l->def, from.port)].type;
    }
    const gr_target *t = target_of(l, from.node);
    if (!known(t) || !has_output(t, from.port)) {
        return GR_NONE;
    }
    const gr_primitive *p = t->primitive;
    if (p) {
        port = gr_output_index(&p->manifest, from.port);
    } else {
        p = t->cluster->visiting ? NULL : linked_output(t->cluster, from.port, &port);
    }
    return p ? p->manifest.outputs[port].type : GR_NONE;
}

static gr_type input_type(const gr_target *t, mt_str port)
{
    if (!known(t) || !has_input(t, port)) {
        return GR_NONE;
    }
    return t->primitive
               ? t->primitive->manifest
                     .inputs[gr_input_index(&t->primitive->manifest, port)]
                     .type
               : t->cluster->def->inputs[gr_cluster_input_index(t->cluster->def, port)]
                     .type;
}

/* I.2: the declared type of an input holds on both sides of it, whether it is used or
 * not. Edges between primitives are compared after expansion. */
static void check_boundary(linker *k, const gr_edge *e)
{
    const gr_target *to = target_of(k->l, e->to.node);
    bool crosses = !e->from.node.ptr || (known(to) && to->cluster);
    gr_type carried = crosses ? carried_type(k->l, e->from) : GR_NONE;
    gr_type wanted = input_type(to, e->to.port);
    if (carried == GR_NONE || wanted == GR_NONE || carried == wanted) {
        return;
    }
    gr_report(&k->subject, "I.2", e->at, MT_STR("$.edges"),
              "declare the input with the type that is fed and used",
              "%s%.*s%s%.*s -> %.*s.%.*s: %s does not fit %s",
              e->from.node.ptr ? "" : "$", MT_ARG(e->from.node),
              e->from.node.ptr ? "." : "", MT_ARG(e->from.port), MT_ARG(e->to.node),
              MT_ARG(e->to.port), gr_type_name(carried), gr_type_name(wanted));
}

/* Both ends of each edge, and what outputs map to; inputs of the cluster itself were
 * checked when reading. */
static void check_ports(linker *k)
{
    const gr_cluster *c = k->l->def;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const gr_edge *e = &c->edges[i];
        if (e->from.node.ptr) {
            check_port(k, e->from, true, e->at, MT_STR("$.edges"));
        }
        check_port(k, e->to, false, e->at, MT_STR("$.edges"));
        check_boundary(k, e);
    }
    for (uint32_t i = 0; i < c->output_count; i++) {
        check_port(k, c->outputs[i].maps_to, true, c->outputs[i].at,
                   MT_STR("$.output_ports"));
    }
}

/* For clusters inside only; inputs of primitives are checked after expansion, where
 * edges through boundaries are known. */
static void check_fed(linker *k, uint32_t i)
{
    const gr_member *m = &k->l->def->members[i];
    const gr_linked *inner = k->l->targets[i].cluster;
    for (uint32_t n = 0; inner && n < inner->def->input_count; n++) {
        const gr_cluster_input *in = &inner->def->inputs[n];
        if (in->required && !gr_cluster_edge_into(k->l->def, m->name, in->name)) {
            gr_report(&k->subject, "E.3", m->at, MT_STR("$.edges"),
                      "connect the input or declare it `required: false`",
                      "input \"%.*s\" of \"%.*s\" is not connected", MT_ARG(in->name),
                      MT_ARG(m->name));
        }
    }
}

/* ---- how a cluster looks from outside ---- */

/* Edges are sorted by target node, so one search tells whether any goes into it. */
static bool has_inbound(const gr_cluster *c, mt_str node)
{
    uint32_t low = 0, high = c->edge_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mt_str_cmp(c->by_target[middle]->to.node, node) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < c->edge_count && mt_str_eq(c->by_target[low]->to.node, node);
}

/* From the inside out: members are linked already. A cluster acts when anything in it
 * does. */
static void infer_effects(gr_linked *l)
{
    l->all_sources = true;
    for (uint32_t i = 0; i < l->def->member_count; i++) {
        const gr_target *t = &l->targets[i];
        bool root = !has_inbound(l->def, l->def->members[i].name);
        if (t->primitive) {
            l->side_effects |= t->primitive->manifest.kind == GR_ACTION;
            l->all_sources &= !root || t->primitive->manifest.kind == GR_SOURCE;
        } else if (t->cluster) {
            l->side_effects |= t->cluster->side_effects;
            l->all_sources &= !root || t->cluster->all_sources;
        }
    }
}

/* What a cluster looks like from outside: by the outputs that can be wired, and whether
 * it has inputs. */
static void infer_boundary(gr_linked *l)
{
    uint32_t wireable = 0, events = 0;
    for (uint32_t i = 0; i < l->def->output_count; i++) {
        int port;
        const gr_primitive *p = linked_output(l, l->def->outputs[i].name, &port);
        if (p && p->manifest.kind != GR_ACTION) {
            wireable++;
            events += p->manifest.outputs[port].type == GR_EVENT;
        }
    }
    if (!wireable) {
        l->boundary = GR_ACTION_LIKE;
    } else if (!l->def->input_count && !events) {
        l->boundary = GR_SOURCE_LIKE;
    } else {
        l->boundary = events ? GR_TRIGGER_LIKE : GR_COMPUTE_LIKE;
    }
}

static void claim_fault(linker *k, const char *rule, mt_str what)
{
    gr_report(&k->subject, rule, k->l->def->claims_at, MT_STR("$.declared_signature"),
              "declare what the cluster is, or change the cluster",
              "the declared signature does not hold: %.*s", MT_ARG(what));
}

/* Both spellings there are of a boundary's kind. */
static void check_claimed_kind(linker *k)
{
    static const char *const NAMES[][2] = {
        [GR_SOURCE_LIKE] = {"SourceLike", "source_like"},
        [GR_COMPUTE_LIKE] = {"ComputeLike", "compute_like"},
        [GR_TRIGGER_LIKE] = {"TriggerLike", "trigger_like"},
        [GR_ACTION_LIKE] = {"ActionLike", "action_like"},
    };
    MT_TABLE_COVERS(NAMES, GR_ACTION_LIKE + 1);
    mt_str claimed = k->l->def->claimed_kind;
    const char *const *names = NAMES[k->l->boundary];
    if (claimed.len && !mt_str_eq(claimed, mt_str_z(names[0])) &&
        !mt_str_eq(claimed, mt_str_z(names[1]))) {
        claim_fault(k, "D.10", mt_strf(k->lib->arena, "it is %s", names[0]));
    }
}

/* What a signature says about a port beside whether it can be wired is not used by
 * anything, so it is only warned of. `is`: the port's type, GR_NONE if there is none.
 */
static void check_claimed_port(linker *k, const gr_claim *claim, const char *what,
                               bool there, gr_type is)
{
    if (!there) {
        gr_warn(&k->subject, "D.10", claim->at, MT_STR("$.declared_signature"),
                "declare what the cluster is, or change the cluster",
                "the declared signature has %s \"%.*s\", the cluster has not", what,
                MT_ARG(claim->name));
    } else if (claim->type_text.len && is != GR_NONE &&
               gr_type_of(claim->type_text) != is) {
        gr_warn(&k->subject, "D.10", claim->at, MT_STR("$.declared_signature"),
                "declare what the cluster is, or change the cluster",
                "the declared signature says that %s \"%.*s\" is %.*s, it is %s", what,
                MT_ARG(claim->name), MT_ARG(claim->type_text), gr_type_name(is));
    }
}

/* F.1: an input is never wireable. */
static void check_input_claims(linker *k)
{
    const gr_cluster *c = k->l->def;
    for (uint32_t i = 0; i < c->input_claim_count; i++) {
        const gr_claim *claim = &c->input_claims[i];
        int at = gr_cluster_input_index(c, claim->name);
        check_claimed_port(k, claim, "input", at >= 0,
                           at < 0 ? GR_NONE : c->inputs[at].type);
        if (claim->wireable) {
            claim_fault(k, "D.11",
                        mt_strf(k->lib->arena, "input \"%.*s\" is not wireable",
                                MT_ARG(claim->name)));
        }
    }
}

static void check_output_claims(linker *k)
{
    const gr_cluster *c = k->l->def;
    for (uint32_t i = 0; i < c->claim_count; i++) {
        const gr_claim *claim = &c->claims[i];
        int port;
        const gr_primitive *p = linked_output(k->l, claim->name, &port);
        check_claimed_port(k, claim, "output",
                           gr_cluster_output_index(c, claim->name) >= 0,
                           p ? p->manifest.outputs[port].type : GR_NONE);
        if (claim->wireable && p && p->manifest.kind == GR_ACTION) {
            claim_fault(k, "D.11",
                        mt_strf(k->lib->arena,
                                "output \"%.*s\" of an Action is not "
                                "wireable",
                                MT_ARG(claim->name)));
        }
    }
}

/* Declared signatures are compared with what follows from the contents; a wrong claim
 * is refused, never believed. */
static void check_claims(linker *k)
{
    const gr_cluster *c = k->l->def;
    check_claimed_kind(k);
    if (c->claimed_effects >= 0 && c->claimed_effects != k->l->side_effects) {
        claim_fault(k, "D.10", MT_STR("has_side_effects"));
    }
    bool origin = !c->input_count && k->l->all_sources;
    if (c->claimed_origin >= 0 && c->claimed_origin != origin) {
        claim_fault(k, "D.10", MT_STR("is_origin"));
    }
    check_input_claims(k);
    check_output_claims(k);
}

/* ---- linking ---- */

/* By id, version and file: two files with the same id and version are two clusters. */
static gr_linked *start_linked(gr_library *lib, const gr_cluster *def, bool *known_one)
{
    mt_str key = mt_strf(lib->arena, "%.*s@%.*s\n%.*s", MT_ARG(def->id),
                         MT_ARG(def->version), MT_ARG(def->file));
    bool added;
    mt_map_entry *e = mt_map_add(lib->arena, &lib->linked, key, &added);
    *known_one = !added;
    if (added) {
        gr_linked *l = mt_new(lib->arena, gr_linked);
        l->def = def;
        l->targets = mt_new_array(lib->arena, gr_target, def->member_count);
        e->value = (uintptr_t)l;
    }
    return (gr_linked *)e->value;
}

/* Depth first; `visiting` finds a cluster that contains itself. A linked cluster is
 * shared by all its uses. After `bottomless` nothing is expanded, since it would not
 * end. */
gr_linked *gr_link(gr_library *lib, const gr_cluster *def, size_t depth)
{
    bool known_one;
    gr_linked *l = start_linked(lib, def, &known_one);
    linker k = {lib, l, gr_cluster_subject(def, lib->ds), depth};
    if (known_one) {
        if (l->visiting) {
            lib->bottomless = true;
            gr_report(&k.subject, "X.9", 0, MT_STR("$.nodes"),
                      "a cluster cannot contain itself, directly or through others",
                      "cluster \"%.*s\" contains itself", MT_ARG(def->id));
        }
        return l;
    }
    if (depth > lib->limits.cluster_depth) {
        lib->bottomless = true;
        gr_report(&k.subject, "LIMIT", 0, MT_STR("$.nodes"),
                  "flatten the clusters or raise cluster_depth",
                  "clusters are nested deeper than %zu", lib->limits.cluster_depth);
        return l;
    }
    l->visiting = true;
    for (uint32_t i = 0; i < def->member_count; i++) {
        if (def->members[i].is_cluster) {
            target_cluster(&k, &def->members[i], &l->targets[i]);
        } else {
            target_primitive(&k, &def->members[i], &l->targets[i]);
        }
        check_fed(&k, i);
    }
    check_ports(&k);
    infer_effects(l);
    infer_boundary(l);
    check_claims(&k);
    l->visiting = false;
    return l;
}
