// Reads an agent's card with the published SDK: resolved as a client does, typed as it is written.
import { AgentCard } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client';

const url = process.argv[2];
const resolved = await new DefaultAgentCardResolver().resolve(url);
const sent = await (await fetch(new URL('/.well-known/agent-card.json', url))).json();
let refused = '';
try {
  await new ClientFactory().createFromAgentCard(resolved);
} catch (error) {
  refused = String(error.message);
}
const typed = AgentCard.toJSON(AgentCard.fromJSON(sent));
console.log(JSON.stringify({ resolved: AgentCard.toJSON(resolved), typed, refused }));
