/* tests/unit/contract/position_bundle.h - one flow with every kind of step, for what
 * stops and goes on: sub-flow, parallel branches, compensation, escalation, hand-off.
 */
#ifndef POSITION_BUNDLE_H
#define POSITION_BUNDLE_H

#include "flow_bundle.h"

/* clang-format off */
#define ROUND(id) ENTITY(id, "a", "'a','b','c'",                                       \
    ARC("a", "b") ARC("b", "c") ARC("b", "a") ARC("c", "a"))
#define DOES(id, entity, from, to) OPERATION(id, "'ann','bob'", PRESENT("ready"),      \
    EFFECT(entity, from, to), "'ok'", "")
static const char POSITION_BUNDLE[] = BUNDLE(
    PERSONA("ann") PERSONA("bob") FACT("go", BOOL) FACT("no", BOOL)
    ROUND("X") ROUND("Y") ROUND("Z")
    RULE("r_never", 0, "never", IS_TRUE("no")) RULE("r_ready", 0, "ready", IS_TRUE("go"))
    OPERATION("refused", "'ann'", PRESENT("never"), EFFECT("Z", "a", "b"), "'ok'", "")
    DOES("x_on", "X", "a", "b") DOES("x_back", "X", "b", "a") DOES("y_on", "Y", "a", "b")
    DOES("y_back", "Y", "b", "a") DOES("z_on", "Z", "a", "b")
    FLOW("inner", "hand",
         HANDOFF_STEP("hand", "ann", "bob", "par")
         PARALLEL_STEP("par",
             BRANCH("left", "l1",
                    OP_STEP("l1", "x_on", "ann", ON("ok", TERMINAL("success")),
                            TERMINATE("failure")))
             BRANCH("right", "r1",
                    OP_STEP("r1", "y_on", "bob", ON("ok", STEP("r2")),
                            TERMINATE("failure"))
                    OP_STEP("r2", "refused", "ann", ON("ok", TERMINAL("success")),
                            TERMINATE("failure"))),
             "'on_all_success':" TERMINAL("success") ",'on_any_failure':"
             COMPENSATE(UNDO("x_back", "ann", "stuck") UNDO("y_back", "bob", "stuck"),
                        "failure")))
    FLOW("outer", "ask",
         BRANCH_STEP("ask", "ann", PRESENT("ready"), STEP("call"), TERMINAL("failure"))
         SUBFLOW_STEP("call", "inner", "ann", TERMINAL("success"),
                      ESCALATE("bob", "finish"))
         OP_STEP("finish", "z_on", "bob", ON("ok", TERMINAL("rescued")),
                 TERMINATE("failure"))));
/* clang-format on */

#endif
