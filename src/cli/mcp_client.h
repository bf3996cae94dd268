/* cli/mcp_client.h - the tools of a persona that a server has, for who speaks over
 * standard input and output.
 * Room: cli. */
#ifndef CLI_MCP_CLIENT_H
#define CLI_MCP_CLIENT_H

#include "cli/connection.h"
#include "mcp/protocol.h"
#include "tool/tool.h"

typedef struct cli_mcp_client {
    const cli_args *args;
    cli_connection connection;
    mt_str path; /* /mcp/CONTRACT/PERSONA */
    mt_json_limits limits;
    tl_session session;
} cli_mcp_client;

/* Asks the server who it is: CLI_HOLDS, or the exit status after saying why not.
 * `is_over` is of the connection; `a` lives as long as the client. */
int cli_mcp_connect(const cli_args *args, mt_arena *a, bool (*is_over)(void),
                    cli_mcp_client *out);
void cli_mcp_disconnect(cli_mcp_client *c);
/* One message; `answer` is one line without its end, or empty. */
void cli_mcp_hear(cli_mcp_client *c, mt_str text, mt_buf *answer);
/* Prints the names of the tools. */
int cli_mcp_list(cli_mcp_client *c);

#endif
