/* exec/contract/bindings.c - with which instances a flow begins that a trigger starts.
 * Room: exec.
 * `systems` of the configuration: SYSTEM.bindings.MEMBER.ENTITY is the name of an
 * instance; empty text is the same as none. All that is wrong with its shape is told,
 * at the start and by --check-config; whether the names are there is asked where the
 * files are known (exec/check.c), since a System may be deployed later. */
#include "base/form.h"
#include "exec/executor_internal.h"
#include "exec/settings.h"

typedef struct reading {
    mt_arena *arena;
    ex_config_fault *fault;
    void *state;
    size_t count;
} reading;

typedef struct one {
    const mt_json *bindings;
} one;

static const mt_form_row ONE[] = {MT_FORM_OBJECT(one, bindings, "bindings", 0)};

static void tell(void *state, const mt_form_fault *f)
{
    reading *r = state;
    r->count++;
    r->fault(r->state, f->path, f->offset,
             mt_strf(r->arena, "it %.*s%s%.*s", MT_ARG(f->said),
                     f->hint.len ? "; " : "", MT_ARG(f->hint)));
}

/* A name that anybody may have has no row in a table. */
static void tell_member(reading *r, mt_str path, const mt_json *at, const char *reason)
{
    r->count++;
    r->fault(r->state, path, at->offset, mt_str_z(reason));
}

static void read_member(reading *r, mt_str path, const mt_json *entities)
{
    if (!mt_json_is(entities, MT_JSON_OBJECT)) {
        tell_member(r, path, entities, "it must have an instance for each entity");
        return;
    }
    for (uint32_t i = 0; i < entities->count; i++) {
        const mt_json_member *m = &entities->as.members[i];
        if (!mt_json_is(&m->value, MT_JSON_STRING)) {
            tell_member(r, mt_strf(r->arena, "%.*s.%.*s", MT_ARG(path), MT_ARG(m->key)),
                        &m->value, "it must be the name of an instance");
        }
    }
}

static void read_system(reading *r, mt_str path, const mt_json *system)
{
    one o = {0};
    mt_form form = {.arena = r->arena,
                    .path = path,
                    .what = "a System",
                    .report = tell,
                    .state = r};
    (void)mt_form_read(&form, system, ONE, mt_form_count(ONE), &o);
    for (uint32_t i = 0; o.bindings && i < o.bindings->count; i++) {
        const mt_json_member *m = &o.bindings->as.members[i];
        read_member(
            r, mt_strf(r->arena, "%.*s.bindings.%.*s", MT_ARG(path), MT_ARG(m->key)),
            &m->value);
    }
}

size_t ex_bindings_check(mt_arena *a, const mt_json *settings, ex_config_fault *fault,
                         void *state)
{
    const mt_json *all = mt_json_at(settings, "systems");
    reading r = {.arena = a, .fault = fault, .state = state};
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        read_system(&r, mt_strf(a, "systems.%.*s", MT_ARG(m->key)), &m->value);
    }
    return r.count;
}

mt_str ex_binding_of(const mt_json *settings, mt_str system, mt_str member,
                     mt_str entity)
{
    const mt_json *own = mt_json_get(mt_json_at(settings, "systems"), system);
    const mt_json *entities = mt_json_get(mt_json_at(own, "bindings"), member);
    return mt_json_text(mt_json_get(entities, entity));
}
