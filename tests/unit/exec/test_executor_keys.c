/* The executor's keys and trust domain: announced, handed over, never mixed up; and its
 * ledger as anyone can check it. On every store. */
#include "exec_fixture.h"

#include <unistd.h>

#include "base/json_write.h"
#include "exec/evidence/ledger_store.h"
#include "ledger/proof.h"
#include "ledger/verify.h"
#include "os/key_file.h"

#define DOMAIN "acme.test"

static mt_sign_public publics[3];
static const char *secrets[3];

/* Three keys in files, made once. */
static void make_keys(void)
{
    static char paths[3][256];
    for (int i = 0; i < 3 && !secrets[i]; i++) {
        mt_buf why = {0};
        char name[16];
        snprintf(name, sizeof name, "key%d", i);
        const char *prefix = temp_path(name);
        snprintf(paths[i], sizeof paths[i], "%s.secret", prefix);
        assert_int_equal(os_key_create(prefix, &publics[i], &why), MT_OK);
        secrets[i] = paths[i];
    }
}

static ex_executor_options with(int key, int previous, const char *domain)
{
    make_keys();
    return (ex_executor_options){.signing_key = key < 0 ? NULL : secrets[key],
                                 .previous_key =
                                     previous < 0 ? NULL : secrets[previous],
                                 .trust_domain = mt_str_z(domain),
                                 .checkpoint_every = 5};
}

/* None of the keys remembers another ledger. */
static desk new_ledger(void **state, const char *file, const ex_executor_options *o)
{
    for (int i = 0; i < 3; i++) {
        ex_executor_options other = {.signing_key = secrets[i]};
        forget_signed(&other);
    }
    return desk_open(state, file, o);
}

/* What the ledger of a store says to whoever trusts these keys. */
static lg_finding verify(st_store *s, int first, size_t count)
{
    lg_expectation expect = {.keys = &publics[first], .key_count = count};
    lg_finding found;
    ex_ledger *l;
    assert_int_equal(ex_ledger_open(s, 0, &l), MT_OK);
    lg_source source = ex_ledger_source(l);
    lg_verify_source(&source, &expect, &found);
    ex_ledger_close(l);
    return found;
}

static void E19_the_ledger_of_a_service_verifies(void **state)
{
    ex_executor_options o = with(0, -1, DOMAIN);
    desk d = new_ledger(state, ESCROW, &o);
    for (int i = 0; i < 20; i++) {
        char id[16];
        snprintf(id, sizeof id, "e%d", i);
        create(&d, "EscrowAccount", id);
    }
    d = desk_again(state, &d, &o); /* closing signs for all of it */
    lg_finding f = verify(d.store, 0, 1);
    assert_null(f.problem);
    assert_int_equal(f.records, 22); /* the key, the contract, the instances */
    assert_int_equal(f.attested, 22);
    /* A shared ledger is signed once for each batch that is chained. */
    assert_true(f.checkpoints >= (st_is_shared(d.store) ? 2u : 4u));
    assert_string_equal(
        verify(d.store, 1, 1).problem,
        "a checkpoint is signed by a key that no trusted key vouches for");
    desk_close(&d);
}

static void E19_proofs_from_the_service_hold(void **state)
{
    ex_executor_options o = with(0, -1, DOMAIN);
    desk d = new_ledger(state, ESCROW, &o);
    for (int i = 0; i < 600; i++) {
        char id[16];
        snprintf(id, sizeof id, "e%d", i);
        create(&d, "EscrowAccount", id);
    }
    d = desk_again(state, &d, &o);
    const mt_json *r = ask(&d, &ANYONE, EX_LEDGER_CHECKPOINT, "", "", "");
    expect(&d, 200);
    lg_checkpoint signed_for;
    mt_buf line = {0};
    mt_json_write(&line, at(r, "signed"), false);
    assert_int_equal(lg_checkpoint_read(&d.arena, mt_buf_str(&line), &signed_for),
                     MT_OK);
    assert_int_equal(signed_for.size, 602);
    static const char *const PLACES[] = {"0", "1", "255", "256", "400", "511", "601"};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        ask(&d, &ANYONE, EX_LEDGER_PROOF, "", PLACES[i], "");
        expect(&d, 200);
        lg_statement s;
        assert_int_equal(lg_statement_read(&d.arena, d.text, &s), MT_OK);
        assert_int_equal(s.record.seq, strtoull(PLACES[i], NULL, 10));
        assert_null(lg_statement_fault(&s, NULL, &signed_for));
    }
    mt_buf_free(&line);
    desk_close(&d);
}

static void E19_a_key_is_handed_over(void **state)
{
    ex_executor_options a = with(0, -1, DOMAIN), b = with(1, 0, DOMAIN);
    desk d = new_ledger(state, ESCROW, &a);
    create(&d, "EscrowAccount", "e1");
    d = desk_again(state, &d, &b);
    create(&d, "EscrowAccount", "e2");
    d = desk_again(state, &d, &b); /* the old key's file may stay in the settings */
    create(&d, "EscrowAccount", "e3");
    assert_int_equal(records(&d, "key_added"), 2);
    assert_int_equal(records(&d, "key_revoked"), 1);
    ex_executor_options after = with(1, -1, DOMAIN);
    d = desk_again(state, &d, &after);
    for (int key = 0; key < 2; key++) {
        lg_finding f = verify(d.store, key, 1);
        assert_null(f.problem);
        assert_int_equal(f.attested, f.records);
        assert_memory_equal(&f.signer, &publics[1], sizeof f.signer);
    }
    desk_close(&d);
}

/* Opens the store again with these options and demands that it is refused. */
static void refused(void **state, const ex_executor_options *o, const char *reason)
{
    desk d;
    mt_buf why = {0};
    st_store *s = again(state, NULL);
    assert_int_not_equal(desk_try(&d, s, NULL, o, &why), MT_OK);
    mt_buf_addc(&why, '\0');
    if (!strstr(why.ptr, reason)) {
        fail_msg("'%s' does not say '%s'", why.ptr, reason);
    }
    mt_buf_free(&why);
    st_close(s);
}

static void E19_another_key_cannot_slip_in(void **state)
{
    ex_executor_options a = with(0, -1, DOMAIN), b = with(1, 0, DOMAIN);
    desk d = new_ledger(state, ESCROW, &a);
    desk_close(&d);
    ex_executor_options stranger = with(1, -1, DOMAIN), wrong = with(1, 2, DOMAIN);
    refused(state, &stranger, "the ledger is signed with another key");
    refused(state, &wrong, "is not the key the ledger is signed with");
    d = desk_on(again(state, NULL), NULL, &b);
    desk_close(&d);
    refused(state, &a, "the signing key was revoked by record");
    d = desk_on(again(state, NULL), NULL, &b);
    assert_null(verify(d.store, 0, 1).problem);
    desk_close(&d);
}

static void a_ledger_may_get_its_first_key_late(void **state)
{
    ex_executor_options none = with(-1, -1, ""), a = with(0, -1, DOMAIN);
    desk d = new_ledger(state, ESCROW, &none);
    create(&d, "EscrowAccount", "e1");
    d = desk_again(state, &d, &a);
    lg_finding f = verify(d.store, 0, 1);
    assert_null(f.problem);
    assert_int_equal(f.attested, f.records);
    desk_close(&d);
}

static void E20_the_trust_domain_is_in_every_record_and_stays(void **state)
{
    ex_executor_options a = with(0, -1, DOMAIN);
    desk d = new_ledger(state, ESCROW, &a);
    create(&d, "EscrowAccount", "e1");
    create(&d, "DeliveryRecord", "d1");
    ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", RELEASE);
    expect(&d, 200);
    ad_param q[] = {{MT_STR("limit"), MT_STR("100")},
                    {MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(&d, EX_LEDGER_LIST, "", "", q, 2);
    assert_true(count_at(r, "items") >= 5);
    const mt_json *items = at(r, "items");
    for (uint32_t i = 0; mt_json_is(items, MT_JSON_ARRAY) && i < items->count; i++) {
        assert_at(&items->as.items[i], "body.trust_domain", DOMAIN);
    }
    desk_close(&d);
    ex_executor_options other = with(0, -1, "acme.prod"), none = with(0, -1, "");
    refused(state, &other, "the ledger is of trust domain 'acme.test'");
    refused(state, &none, "the ledger is of trust domain 'acme.test'");
}

int main(void)
{
    static rows_list l;
    both(&l, E19_the_ledger_of_a_service_verifies);
    both(&l, E19_proofs_from_the_service_hold);
    both(&l, E19_a_key_is_handed_over);
    both(&l, E19_another_key_cannot_slip_in);
    both(&l, a_ledger_may_get_its_first_key_late);
    both(&l, E20_the_trust_domain_is_in_every_record_and_stays);
    int failed = rows_run(&l, "exec/executor_keys");
    backends_stop();
    return failed;
}
