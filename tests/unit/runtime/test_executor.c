/* Operations, instances and facts of the executor, on every store. Tests are named
 * after the obligations of the specification they show. */
#include "exec_fixture.h"

static desk escrow(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    create(&d, "EscrowAccount", "e1");
    create(&d, "DeliveryRecord", "d1");
    return d;
}

static void an_operation_moves_its_instance_and_leaves_a_record(void **state)
{
    desk d = escrow(state);
    const mt_json *r = ask(&d, &AGENT, RT_OPERATION, "release_escrow", "", RELEASE);
    expect(&d, 200);
    assert_at(r, "outcome", "released");
    assert_at(r, "changes.0.from", "held");
    assert_at(r, "versions.EscrowAccount", "1");
    assert_state(&d, "EscrowAccount", "e1", "released");
    assert_int_equal(records(&d, "operation"), 1);
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, an_operation_moves_its_instance_and_leaves_a_record);
    int failed = rows_run(&l, "runtime/executor");
    backends_stop();
    return failed;
}
