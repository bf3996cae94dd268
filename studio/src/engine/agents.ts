/* Agents in the worker: their automata, the traces of scenarios, and a conversation of several that talk to each other
 * here. In a conversation time is counted, not measured, so the same agents say the same. */
import type { Actor, GraphEngine } from "motet/graph";
import { EngineError, Rejected } from "motet/engine";
import type { Description } from "../picture/description";

type Files = readonly (readonly [path: string, text: string])[];
export interface AgentSaid {
  problems: string[];
  picture: Description | null;
}
/** One message that an agent heard, or its own timer. */
export interface Talked {
  /** Of the agents that were given. */
  agent: number;
  /** Who said it; -1: somebody else. */
  from: number;
  heard: string;
  /** The record that a trace has of it; "" for a timer. */
  record: string;
  sends: string[];
  tape: string;
  problem: string;
}
export interface AgentCalls {
  agent: { ask: { path: string; text: string }; answer: AgentSaid };
  /** As `motet agent trace` prints it; the scenario first. */
  agent_trace: { ask: { files: Files }; answer: { text: string; problem: string } };
  /** `said` comes from outside, to all of them. */
  agent_talk: { ask: { agents: Files; said: readonly string[] }; answer: Talked[] };
}

const MOST = 300; // messages of a conversation
const SECOND = 1000;

const problem = (fault: unknown): string[] => {
  if (fault instanceof Rejected) {
    return fault.messages.length ? [...fault.messages] : [fault.message];
  }
  if (fault instanceof EngineError && fault.kind !== "bug") {
    return [fault.message];
  }
  throw fault;
};

function see(e: GraphEngine, path: string, text: string): AgentSaid {
  try {
    const agent = e.agent(text, path);
    const picture = JSON.parse(agent.ask("draw", { format: "json" }).text) as Description;
    agent.free();
    return { problems: [], picture };
  } catch (fault) {
    return { problems: problem(fault), picture: null };
  }
}

function trace(e: GraphEngine, files: Files): { text: string; problem: string } {
  try {
    return { text: e.agentTrace(files).text, problem: "" };
  } catch (fault) {
    return { text: "", problem: problem(fault).join("\n") };
  }
}

/** A line as a relay passes it on to the others; what the reader says comes as it is. */
const passedOn = (from: number, line: string): string => (from < 0 ? line : JSON.stringify({ content: line, remote_addr: `here:${from + 1}` }));

interface Waiting {
  from: number;
  line: string;
}

/** What one says, all others hear, in the order in which it was said. When nobody has anything to say, timers go on. */
function talk(e: GraphEngine, files: Files, said: readonly string[]): Talked[] {
  const actors: Actor[] = files.map(([path, text]) => e.agent(text, path).actor());
  const told: Talked[] = [];
  const queue: Waiting[] = said.map((line) => ({ from: -1, line }));
  let now = 0;
  const hear = (agent: number, from: number, line: string): void => {
    const actor = actors[agent]!;
    const one: Talked = { agent, from, heard: line, record: "", sends: [], tape: "", problem: "" };
    try {
      one.sends = actor.receive(passedOn(from, line), now);
      one.record = actor.trace;
    } catch (fault) {
      one.problem = problem(fault).join("\n");
    }
    one.tape = actor.tape;
    told.push(one);
    queue.push(...one.sends.map((sent) => ({ from: agent, line: sent })));
  };
  try {
    let idle = 0;
    while (told.length < MOST && idle < 3) {
      const next = queue.shift();
      if (next) {
        idle = 0;
        actors.forEach((_, i) => i !== next.from && told.length < MOST && hear(i, next.from, next.line));
        continue;
      }
      now += SECOND;
      idle++;
      actors.forEach((actor, agent) => {
        const { sends } = actor.tick(now);
        if (sends.length) {
          told.push({ agent, from: agent, heard: "", record: "", sends, tape: actor.tape, problem: "" });
          queue.push(...sends.map((line) => ({ from: agent, line })));
        }
      });
      if (said.length && !queue.length) {
        break;
      }
    }
    return told;
  } finally {
    actors.forEach((a) => a.free());
  }
}

export const AGENT_CALLS: { [K in keyof AgentCalls]: (all: { graphs: GraphEngine }, ask: AgentCalls[K]["ask"]) => AgentCalls[K]["answer"] } = {
  agent: ({ graphs }, { path, text }) => see(graphs, path, text),
  agent_trace: ({ graphs }, { files }) => trace(graphs, files),
  agent_talk: ({ graphs }, { agents, said }) => talk(graphs, agents, said),
};
