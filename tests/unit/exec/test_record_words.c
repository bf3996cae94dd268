/* A ledger record in words: each kind with all its members and with few of them. */
#include "../rows.h"
#include "exec/evidence/record_words.h"

/* clang-format off */
static const struct row {
    const char *name, *body, *what, *who;
} ROWS[] = {
    {"a tool", "{'kind':'guard','guard':{'tool':'read','event':'allowed','why':'observed','call':'c1'},'bindings':{'File':'a'}}",
     "tool read: allowed, observed (call c1) on File a", ""},
    {"a tool of two instances", "{'kind':'guard','guard':{'tool':'read','event':'done'},'bindings':{'A':'x','B':'y'}}",
     "tool read: done on A x, B y", ""},
    {"a tool without a call", "{'kind':'guard','guard':{'tool':'read','event':'failed'}}", "tool read: failed", ""},
    {"a tool that is bound to nothing", "{'kind':'guard','guard':{'tool':'read','event':'failed'},'bindings':{}}", "tool read: failed", ""},
    {"a tool with wrong bindings", "{'kind':'guard','guard':{'tool':'read'},'bindings':['x']}", "tool read", ""},
    {"an operation", "{'kind':'operation','flow':'f','provenance':{'op':'pay','persona':'clerk','outcome':'paid',"
     "'state_before':{'Doc':{'d1':'open','d2':'x'}},'state_after':{'Doc':{'d1':'paid','d2':'y'}}},'caller':{'id':'t1','name':'Ann'}}",
     "pay: Doc d1 open -> paid, Doc d2 x -> y (paid) in flow f", "clerk (Ann)"},
    {"an older operation", "{'kind':'operation','provenance':{'operation':'pay','instance_binding':{'Doc':'d1'},"
     "'state_before':{'Doc':'open'},'state_after':{'Doc':'paid'}},'caller':{'id':'t1'}}", "pay: Doc d1 open -> paid", "t1"},
    {"an operation without provenance", "{'kind':'operation','op':'pay','persona':'clerk'}", "pay", "clerk"},
    {"an instance", "{'kind':'instance_created','entity':'Doc','instance':'d1','state':'open'}", "Doc d1 is open", ""},
    {"an instance that moved", "{'kind':'instance_migrated','entity':'Doc','instance':'d1','state_before':'a','state_after':'b'}",
     "Doc d1 a -> b", ""},
    {"a flow that waits", "{'kind':'flow_waiting','flow':'f','execution':'x1','step':'two','persona':'boss'}", "f x1 at step two waits for boss", ""},
    {"a flow that ended", "{'kind':'flow_ended','flow':'f','execution':'x1','persona':'boss','status':'done','outcome':'success','error':'none'}",
     "f x1: done (success), none", "boss"},
    {"a fact", "{'kind':'fact_asserted','fact':'price','value':{'amount':'5.00','currency':'EUR'},'expires_at':'soon'}", "price is 5.00 EUR until soon", ""},
    {"a fact without a value", "{'kind':'fact_retracted','fact':'price'}", "price", ""},
    {"a record that is no money", "{'kind':'fact_asserted','fact':'p','value':{'amount':'5.00','currency':'EUR','x':1}}",
     "p is {amount 5.00, currency EUR, x 1}", ""},
    {"a list", "{'kind':'fact_asserted','fact':'p','value':[1,'a',[],{},null,true]}", "p is [1, a, [], {}, null, true]", ""},
    {"a contract", "{'kind':'contract_deployed','number':2,'class':'compatible','status':'active'}", "version 2, compatible, active", ""},
    {"a refusal", "{'kind':'refusal','operation':'pay','flow':'f','refusal':{'code':'denied'},'bindings':{'Doc':'d1'}}", "pay: refused, denied (Doc d1)", ""},
    {"a refused flow", "{'kind':'refusal','flow':'f','execution':'x1','refusal':{'code':'denied'},'bindings':{}}", "f x1: refused, denied", ""},
    {"a yes", "{'kind':'decision','asked_about':{'type':'user','id':'u1'},'operation':'pay','allowed':true}", "may user u1 pay: yes", ""},
    {"a no", "{'kind':'decision','asked_about':{'type':'user','id':'u1'},'flow':'f','allowed':false,'refusal':{'code':'denied'}}",
     "may user u1 begin f: no, denied", ""},
    {"no answer is a no", "{'kind':'decision','asked_about':{'type':'user'},'of_verdict':'v','allowed':'true'}", "may user by verdict v: no", ""},
    {"a token", "{'kind':'token_created','what':'made','token':{'id':'t1','name':'Ann','personas':['a','b'],'rights':['r'],'expires_at':'soon'}}",
     "t1 Ann, made, personas a, b, rights r until soon", ""},
    {"a token with nothing", "{'kind':'token_revoked','token':{'id':'t1','personas':[],'rights':'r'}}", "t1", ""},
    {"another kind", "{'kind':'new','time':'now','a':'x','b':{'c':1},'trust_domain':'d'}", "a x, b {c 1}", ""},
    {"a key", "{'kind':'new','key':'00000000000000000000000000000000000000000000000000000000000000aa'}", "key 75d44bd22739818b...", ""},
    {"what is called a key and is none", "{'kind':'new','key':'k'}", "key k", ""},
    {"no record", "[1]", "", ""},
    {"an amount of nothing", "{'kind':'fact_asserted','fact':'p','value':{'amount':'5.00','x':1}}", "p is {amount 5.00, x 1}", ""},
    {"a currency alone", "{'kind':'fact_asserted','fact':'p','value':{'amount':'','currency':'EUR'}}", "p is {amount , currency EUR}", ""},
    {"two entities that moved", "{'kind':'operation','provenance':{'op':'pay','state_before':{'A':{'a1':'x'},'B':{'b1':'y'}},"
     "'state_after':{'A':{'a1':'z'},'B':{'b1':'y2'}}}}", "pay: A a1 x -> z, B b1 y -> y2", ""},
    {"nothing moved", "{'kind':'operation','provenance':{'op':'pay','state_after':{}}}", "pay", ""},
    {"an effect", "{'kind':'effect','entity':'Doc','instance':'d1','state_before':'a','state_after':'b'}", "Doc d1 a -> b", ""},
    {"a deleted instance", "{'kind':'instance_deleted','entity':'Doc','instance':'d1'}", "Doc d1", ""},
    {"a flow that began", "{'kind':'flow_started','flow':'f','execution':'x1','persona':'boss'}", "f x1", "boss"},
    {"a changed token", "{'kind':'token_changed','token':{'id':'t1'},'what':'rights'}", "t1, rights", ""},
    {"who a flow waits for did nothing", "{'kind':'flow_waiting','flow':'f','persona':'boss','caller':{'id':'t1'}}", "f waits for boss", "t1"},
    {"a refusal of two instances", "{'kind':'refusal','flow':'f','refusal':{'code':'c'},'bindings':{'A':'x','B':'y'}}", "f: refused, c (A x, B y)", ""},
    {"a refusal with wrong bindings", "{'kind':'refusal','flow':'f','refusal':{'code':'c'},'bindings':['x']}", "f: refused, c", ""},
    {"a guard of no tool", "{'kind':'guard'}", "", ""},
    {"a token with one right", "{'kind':'token_created','token':{'id':'t1','rights':['a']}}", "t1, rights a", ""},
    {"what a listing says elsewhere", "{'kind':'new','contract':'c','etag':'e','facts':{},'verdicts':[],'provenance':{},'caller':{'name':'Ann','id':'t'},'z':1}",
     "z 1", "Ann"},
    {"what a terminal would obey", "{'kind':'new','a':'\\u001b[2J'}", "a \\u001b[2J", ""},
};

static const struct row WHYS[] = {
    {"where facts came from", "{'facts':[{'id':'a','value':1,'asserted_by':'ann'},{'id':'b','value':2,'adapter_id':'db'},"
     "{'id':'c','value':3,'assertion_source':'contract'},{'id':'d','value':4,'assertion_source':'external'}]}",
     "fact a was 1, asserted by ann\nfact b was 2, fetched by db\nfact c was 3, the contract's default\nfact d was 4, given with the call\n", ""},
    {"facts by name", "{'facts':{'a':1,'b':'x'}}", "fact a was 1\nfact b was x\n", ""},
    {"only facts that had a part", "{'facts':{'a':1,'b':2},'provenance':{'facts_used':['b']}}", "fact b was 2\n", ""},
    {"verdicts that had a part", "{'verdicts':['v'],'provenance':{'verdicts_used':['w']}}", "verdict w was present\n", ""},
    {"verdicts", "{'verdicts':['v','w']}", "verdict v was present\nverdict w was present\n", ""},
    {"a refusal", "{'refusal':{'detail':'no','reasons':['a',{'condition':'b','value':true},{'condition':'c','value':false,'rests_on':['x','y']},"
     "{'condition':'d','value':true,'rests_on':[]}]}}",
     "no\na did not hold\nb held\nc did not hold, which rests on x, y\nd held\n", ""},
    {"a step of a flow", "{'execution':'x1','provenance':{}}", "the facts are those of the record that began the execution x1\n", ""},
    {"a step with its facts", "{'execution':'x1','provenance':{},'facts':{}}", "", ""},
    {"no flow", "{'provenance':{}}", "", ""},
    {"no step", "{'execution':'x1'}", "", ""},
    {"no fact had a part", "{'facts':{'a':1},'provenance':{'facts_used':[]}}", "", ""},
    {"a part of another shape", "{'facts':{'a':1},'provenance':{'facts_used':'a'}}", "", ""},
    {"facts and verdicts of another shape", "{'facts':1,'verdicts':{'v':1}}", "", ""},
    {"the last had a part", "{'facts':[{'id':'a','value':1},{'id':'b','value':2}],'provenance':{'facts_used':['x','b']}}",
     "fact b was 2, given with the call\n", ""},
    {"a refusal without reasons", "{'refusal':{'detail':'no'}}", "no\n", ""},
    {"a refusal without words", "{'refusal':{'detail':'','reasons':{'a':1}}}", "", ""},
    {"reasons of the body itself", "{'detail':'no','reasons':[{'condition':'b','value':'true'}]}", "no\nb did not hold\n", ""},
};
/* clang-format on */

static mt_json body_of(mt_arena *a, const char *text)
{
    mt_json tree;
    mt_str copy = mt_str_dup(a, mt_str_z(text));
    for (size_t i = 0; i < copy.len; i++) {
        char *at = (char *)(uintptr_t)&copy.ptr[i];
        *at = *at == '\'' ? '"' : *at;
    }
    assert_int_equal(mt_json_read(a, copy, NULL, &tree, NULL), MT_OK);
    return tree;
}

static void is_told(void **state)
{
    const struct row *row = *state;
    mt_arena a = {0};
    mt_buf what = {0}, who = {0};
    mt_json body = body_of(&a, row->body);
    ex_record_what(&what, &body);
    ex_record_who(&who, &body);
    assert_text(mt_buf_str(&what), mt_str_z(row->what));
    assert_text(mt_buf_str(&who), mt_str_z(row->who));
    mt_buf_free(&what);
    mt_buf_free(&who);
    mt_arena_free(&a);
}

static void is_explained(void **state)
{
    const struct row *row = *state;
    mt_arena a = {0};
    mt_buf why = {0};
    mt_json body = body_of(&a, row->body);
    ex_record_why(&why, &body);
    assert_text(mt_buf_str(&why), mt_str_z(row->what));
    mt_buf_free(&why);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, ROWS, is_told);
    rows_add(&l, WHYS, is_explained);
    return rows_run(&l, "exec/record_words");
}
