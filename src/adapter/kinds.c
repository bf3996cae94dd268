/* adapter/kinds.c - the kinds of adapters: the one file that knows them all.
 * Room: adapter. To add one, add a row here, its settings in config.c and a file. */
#include "adapter/impl.h"

/* The order of the kinds is also the order of asking: first what can be waited for
 * together, then what answers at once. */
/* clang-format off */
const ad_adapter AD_ADAPTERS[] = {
    [AD_HTTP] = {MT_STR_INIT("motet.http"), ad_http_set_up,
        ad_http_plan, ad_http_ask, ad_http_close},
    [AD_GRAPHQL] = {MT_STR_INIT("motet.graphql"), ad_http_set_up,
        ad_graphql_plan, ad_graphql_ask, ad_http_close},
    [AD_GRPC] = {MT_STR_INIT("motet.grpc"), ad_grpc_set_up,
        ad_grpc_plan, ad_grpc_ask, ad_http_close},
    [AD_POSTGRES] = {MT_STR_INIT("motet.postgres"), ad_postgres_set_up,
        ad_database_plan, ad_postgres_ask, ad_postgres_close},
    [AD_PROCESS] = {MT_STR_INIT("motet.process"), ad_process_set_up,
        ad_process_plan, ad_process_ask, ad_process_close},
    [AD_SQLITE] = {MT_STR_INIT("motet.sqlite"), ad_sqlite_set_up,
        ad_database_plan, ad_sqlite_ask, ad_sqlite_close},
    [AD_STATIC] = {MT_STR_INIT("motet.static"), ad_static_set_up,
        ad_static_plan, ad_static_ask, NULL},
    [AD_MANUAL] = {MT_STR_INIT("motet.manual"), NULL,
        NULL, ad_manual_ask, NULL},
    [AD_CLOCK] = {MT_STR_INIT("motet.clock"), ad_clock_set_up,
        ad_clock_plan, ad_clock_ask, NULL},
};
/* clang-format on */
_Static_assert(sizeof AD_ADAPTERS / sizeof *AD_ADAPTERS == AD_ADAPTER_COUNT,
               "one row per kind");

/* Which kind speaks a protocol that a contract declares. */
static const struct protocol {
    mt_str protocol, dialect; /* empty dialect: any */
    ad_adapter_kind kind;
} PROTOCOLS[] = {
    {MT_STR_INIT("http"), {0}, AD_HTTP},
    {MT_STR_INIT("graphql"), {0}, AD_GRAPHQL},
    {MT_STR_INIT("grpc"), {0}, AD_GRPC},
    {MT_STR_INIT("database"), MT_STR_INIT("postgres"), AD_POSTGRES},
    {MT_STR_INIT("database"), MT_STR_INIT("postgresql"), AD_POSTGRES},
    {MT_STR_INIT("database"), MT_STR_INIT("sqlite"), AD_SQLITE},
    {MT_STR_INIT("database"), MT_STR_INIT("sqlite3"), AD_SQLITE},
    {MT_STR_INIT("static"), {0}, AD_STATIC},
    {MT_STR_INIT("manual"), {0}, AD_MANUAL},
    {MT_STR_INIT("x_motet.clock"), {0}, AD_CLOCK},
};

/* A protocol has rows by dialect or one row for any dialect, never both; so the order
 * of the rows does not matter. */
bool ad_kind_find(mt_str protocol, mt_str dialect, ad_adapter_kind *out)
{
    for (size_t i = 0; i < sizeof PROTOCOLS / sizeof *PROTOCOLS; i++) {
        const struct protocol *p = &PROTOCOLS[i];
        if (mt_str_eq(p->protocol, protocol) &&
            (!p->dialect.len || mt_str_eq(p->dialect, dialect))) {
            *out = p->kind;
            return true;
        }
    }
    return false;
}
