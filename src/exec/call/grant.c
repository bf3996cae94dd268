/* exec/call/grant.c - the grammar of personas and rights, and what a grant covers.
 * Room: exec. Pure: texts in, yes or no out.
 *
 *     persona   PERSONA             of every contract that has it
 *               CONTRACT:PERSONA    of one
 *     right     RIGHT               over every contract
 *               CONTRACT/RIGHT      over one
 *
 * The contract of a right is what precedes a '/' that stands before any ':'; so the
 * name of a fact, a source, a graph or an agent may have both. Graphs, agents and
 * metrics belong to no contract, and their rights take none.
 *
 * `admin` includes the rights that its rows of RIGHTS say; it includes no persona, no
 * fact, and nothing that changes what is served or kept. docs/reference/rights.md is
 * the same for people, docs/adr/0017-rights.md says why. */
#include "exec/call/rights.h"

typedef struct right_row {
    mt_str text;
    bool named;    /* followed by a name */
    bool anywhere; /* belongs to no contract */
    bool of_admin; /* `admin` includes it */
} right_row;

/* clang-format off */
static const right_row RIGHTS[] = {
    {MT_STR_INIT("admin"),            false, false, true},
    {MT_STR_INIT("decide"),           false, false, false},
    {MT_STR_INIT("deploy"),           false, false, false},
    {MT_STR_INIT("evaluate"),         false, false, true},
    {MT_STR_INIT("facts:override"),   false, false, false},
    {MT_STR_INIT("instances:create"), false, false, false},
    {MT_STR_INIT("instances:delete"), false, false, false},
    {MT_STR_INIT("ledger:read"),      false, false, true},
    {MT_STR_INIT("metrics:read"),     false, true,  true},
    {MT_STR_INIT("read"),             false, false, true},
    {MT_STR_INIT("facts:"),           true,  false, false},
    {MT_STR_INIT("source:"),          true,  false, false},
    {MT_STR_INIT("graphs:"),          true,  true,  false},
    {MT_STR_INIT("agents:"),          true,  true,  false},
};
/* clang-format on */

const char *ex_known_by_name(ex_known_by how)
{
    static const char *const NAMES[] = {
        [EX_BY_NOTHING] = "none",  [EX_BY_TOKEN] = "token",
        [EX_BY_OIDC] = "oidc",     [EX_BY_CERTIFICATE] = "certificate",
        [EX_BY_SYSTEM] = "system", [EX_BY_OPERATOR] = "operator"};
    MT_TABLE_COVERS(NAMES, EX_BY_OPERATOR + 1);
    return NAMES[how];
}

/* ---- The grammar ---- */

static const right_row *row_of(mt_str right)
{
    for (size_t i = 0; i < sizeof RIGHTS / sizeof *RIGHTS; i++) {
        const right_row *r = &RIGHTS[i];
        if (r->named ? mt_str_starts(right, r->text) && right.len > r->text.len
                     : mt_str_eq(right, r->text)) {
            return r;
        }
    }
    return NULL;
}

/* What is over all contracts has none. */
static mt_str contract_of(mt_str text)
{
    size_t slash = mt_str_find(text, '/');
    return slash < mt_str_find(text, ':') && slash < text.len
               ? mt_str_from(text.ptr, slash)
               : (mt_str){0};
}

static mt_str right_of(mt_str text)
{
    mt_str contract = contract_of(text);
    return contract.ptr ? mt_str_skip(text, contract.len + 1) : text;
}

static bool is_plain(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len > 0;
}

bool ex_right_known(mt_str text)
{
    mt_str contract = contract_of(text);
    const right_row *r = row_of(right_of(text));
    return r && is_plain(text) && (!contract.ptr || (contract.len && !r->anywhere));
}

/* Personas are names of the language, which have no colon. */
static size_t last_colon(mt_str text)
{
    size_t i = text.len;
    while (i && text.ptr[i - 1] != ':') {
        i--;
    }
    return i; /* just behind it; 0: there is none */
}

bool ex_persona_known(mt_str text)
{
    size_t name = last_colon(text);
    return is_plain(text) && name != 1 && name < text.len;
}

const char *ex_right_includes(mt_str text)
{
    return mt_str_is(right_of(text), "admin")
               ? "read, evaluate, ledger:read, metrics:read and cancelling flows; it "
                 "does "
                 "not include deploy, decide, instances:*, facts:*, source:*, "
                 "graphs:*, "
                 "agents:* "
                 "or any persona"
               : NULL;
}

/* ---- What a grant covers ---- */

bool ex_persona_covers(mt_str grant, mt_str contract, mt_str persona)
{
    size_t name = last_colon(grant);
    return mt_str_eq(mt_str_skip(grant, name), persona) &&
           (!name || mt_str_eq(mt_str_from(grant.ptr, name - 1), contract));
}

bool ex_personas_cover(const mt_str *grants, size_t count, mt_str contract,
                       mt_str persona)
{
    for (size_t i = 0; i < count; i++) {
        if (ex_persona_covers(grants[i], contract, persona)) {
            return true;
        }
    }
    return false;
}

bool ex_caller_holds(const ex_caller *who, mt_str contract, mt_str persona)
{
    return who->anyone ||
           ex_personas_cover(who->personas, who->persona_count, contract, persona);
}

/* An administrator of one contract is none of what belongs to no contract. */
static bool covers(mt_str grant, mt_str right)
{
    const right_row *r = row_of(right);
    mt_str own = right_of(grant);
    return mt_str_eq(own, right) || (mt_str_is(own, "admin") && r && r->of_admin &&
                                     (!r->anywhere || !contract_of(grant).ptr));
}

bool ex_caller_may(const ex_caller *who, mt_str contract, mt_str right)
{
    for (size_t i = 0; i < who->right_count; i++) {
        mt_str over = contract_of(who->rights[i]);
        if ((!over.ptr || mt_str_eq(over, contract)) && covers(who->rights[i], right)) {
            return true;
        }
    }
    return who->anyone;
}

bool ex_caller_may_somewhere(const ex_caller *who, mt_str right)
{
    for (size_t i = 0; i < who->right_count; i++) {
        if (covers(who->rights[i], right)) {
            return true;
        }
    }
    return who->anyone;
}

/* ---- Facts ---- */

static const mt_str OVERRIDE = MT_STR_INIT("facts:override");

/* A fact may have the name of that right, which is none over it. */
mt_str ex_fact_right(mt_arena *a, mt_str fact)
{
    mt_str right = mt_strf(a, "facts:%.*s", MT_ARG(fact));
    return mt_str_eq(right, OVERRIDE) ? MT_STR("facts:*") : right;
}

static bool right_is(mt_str right, mt_str prefix, mt_str name)
{
    return right.len == prefix.len + name.len && mt_str_starts(right, prefix) &&
           mt_str_eq(mt_str_skip(right, prefix.len), name);
}

bool ex_fact_granted(const ex_caller *who, mt_str contract, mt_str fact, mt_str system)
{
    for (size_t i = 0; !who->anyone && i < who->right_count; i++) {
        mt_str over = contract_of(who->rights[i]), r = right_of(who->rights[i]);
        if ((over.ptr && !mt_str_eq(over, contract)) || mt_str_eq(r, OVERRIDE)) {
            continue;
        }
        if (mt_str_is(r, "facts:*") || right_is(r, MT_STR("facts:"), fact) ||
            right_is(r, MT_STR("source:"), system)) {
            return true;
        }
    }
    return who->anyone;
}

/* ---- What a caller has to do with a contract ---- */

bool ex_caller_concerns(const ex_caller *who, mt_str contract)
{
    for (size_t i = 0; i < who->persona_count; i++) {
        size_t name = last_colon(who->personas[i]);
        if (name && mt_str_eq(mt_str_from(who->personas[i].ptr, name - 1), contract)) {
            return true;
        }
    }
    for (size_t i = 0; i < who->right_count; i++) {
        mt_str over = contract_of(who->rights[i]);
        const right_row *r = row_of(right_of(who->rights[i]));
        if (over.ptr ? mt_str_eq(over, contract)
                     : r && !r->anywhere &&
                           (!r->named || mt_str_is(who->rights[i], "facts:*"))) {
            return true;
        }
    }
    return who->anyone;
}
