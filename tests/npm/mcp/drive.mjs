// Drives the escrow contract as each persona with a client of others, and prints what it saw.
//
//     node drive.mjs '{"client": "auto", "visits": {"seller": {"command": …, "args": […]}, …}}'
//     node drive.mjs '{"client": "sdk", "visits": {"seller": {"url": …, "token": …}, …}}'
//
// client: "auto" negotiates the newest revision, "plain" is the same client as it comes, "sdk"
// the one before it. A visit says how the tools of a persona are reached.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { client: kind, visits } = JSON.parse(process.argv[2]);
const older = kind === "sdk";
const both = { EscrowAccount: "esc-001", DeliveryRecord: "del-001" };
const facts = { delivery_status: "confirmed", line_items: [], escrow_amount: { amount: "20000.00", currency: "USD" } };

function transportOf({ url, token, command, args }) {
  if (url) {
    const Http = older ? OlderHttp : StreamableHTTPClientTransport;
    return new Http(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  }
  const Stdio = older ? OlderStdio : StdioClientTransport;
  return new Stdio({ command, args, stderr: "inherit" });
}

async function visit(persona, act) {
  const who = { name: "drive", version: "1" };
  const client = older ? new OlderClient(who)
    : new Client(who, kind === "auto" ? { versionNegotiation: { mode: "auto" } } : {});
  const transport = transportOf(visits[persona]);
  await client.connect(transport);
  const { tools } = await client.listTools();
  const seen = {
    persona,
    version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? null,
    tools: tools.map((tool) => tool.name),
    resources: (await client.listResources()).resources.length,
    templates: (await client.listResourceTemplates()).resourceTemplates.length,
    ...(await act(client)),
  };
  try {
    await client.callTool({ name: "no_such_tool", arguments: {} });
  } catch (error) {
    seen.unknown = error.code;
  }
  await client.close();
  console.log(JSON.stringify(seen));
  return seen;
}

const call = async (client, name, given) => {
  const result = await client.callTool({ name, arguments: given });
  return { isError: result.isError, told: result.structuredContent };
};
const begun = await visit("seller", (client) => call(client, "standard_release", { bindings: both, facts }));
const execution = begun.told.id;
await visit("escrow_agent", (client) => call(client, "resume", { execution }));
await visit("compliance_officer", (client) => call(client, "resume", { execution }));
await visit("buyer", (client) => call(client, "flag_dispute", { bindings: { EscrowAccount: "esc-001" }, facts }));
