/* exec/contract/systems.c - Systems that are served, and whose an instance is.
 * Room: exec. A System is never dropped while the executor lives, so its declaration
 * may be read outside the lock. */
#include "exec/executor_internal.h"
#include "exec/machine.h"

/* Adds the System, or replaces the one of its name. Under the lock. */
static void put_system(ex_executor *x, ex_system s)
{
    for (size_t k = 0; k < x->systems.len; k++) {
        if (mt_str_eq(x->systems.items[k].id, s.id)) {
            x->systems.items[k] = s;
            return;
        }
    }
    mt_vec_push(&x->contracts_arena, &x->systems, s);
}

mt_err ex_system_add(ex_executor *x, mt_str bundle)
{
    mt_arena *a = &x->contracts_arena;
    pthread_rwlock_wrlock(&x->contracts_lock);
    mt_json *tree = mt_new(a, mt_json);
    mt_str text = mt_str_dup(a, bundle);
    mt_err err = mt_json_read(a, text, NULL, tree, NULL) ? MT_E_CORRUPT : MT_OK;
    const mt_json *list = err ? NULL : mt_json_at(tree, "constructs");
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *c = &list->as.items[i];
        if (mt_str_is(mt_json_text(mt_json_at(c, "kind")), "System")) {
            put_system(x, (ex_system){mt_json_text(mt_json_at(c, "id")), text, c});
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    ex_outbox_wake(x);
    return err;
}

bool ex_system_shares(const mt_json *declaration, mt_str contract, mt_str entity)
{
    const mt_json *shared = mt_json_at(declaration, "shared_entities");
    for (uint32_t i = 0; shared && i < shared->count; i++) {
        const mt_json *row = &shared->as.items[i];
        const mt_json *members = mt_json_at(row, "contracts");
        bool same = mt_str_eq(mt_json_text(mt_json_at(row, "entity")), entity);
        for (uint32_t m = 0; same && members && m < members->count; m++) {
            if (mt_str_eq(mt_json_text(&members->as.items[m]), contract)) {
                return true;
            }
        }
    }
    return false;
}

mt_str ex_scope_of(ex_executor *x, mt_arena *a, mt_str contract, mt_str entity)
{
    mt_str scope = {0};
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t s = 0; s < x->systems.len && !scope.len; s++) {
        if (ex_system_shares(x->systems.items[s].declaration, contract, entity)) {
            scope = mt_strf(a, "system:%.*s", MT_ARG(x->systems.items[s].id));
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return scope.len ? scope : mt_str_dup(a, contract);
}

const mt_json *ex_system_named(ex_executor *x, mt_str system)
{
    const mt_json *found = NULL;
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t i = 0; i < x->systems.len; i++) {
        if (mt_str_eq(x->systems.items[i].id, system)) {
            found = x->systems.items[i].declaration; /* lives until the close */
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return found;
}
