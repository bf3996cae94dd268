/* Asks the modules what native.py asks the library; gives texts to compare. Status, code, text,
 * message and fault are taken as C gives them, so that nothing is lost on the way. */
const STR = 8;

function taken(core, status, at) {
  const said = [status, core.call("motet_answer_code", at), core.said("motet_answer_text", at),
    core.said("motet_answer_message", at), core.said("motet_answer_fault", at)];
  core.call("motet_answer_free", at);
  return JSON.stringify(said);
}

/* A function that takes texts behind its first words and gives an answer. */
function asked(core, name, words, texts) {
  return core.withTexts(texts, (given) => {
    const room = core.alloc(STR * texts.length);
    given.forEach((t, i) => core.setWords(room + STR * i, t.at, t.length));
    const status = core.call(name, ...words(given, (i) => room + STR * i), core.out);
    const at = core.word(core.out);
    core.call("free", room);
    return taken(core, status, at);
  });
}

const all = (core, name, pointer) => {
  const list = [];
  for (let text; (text = core.said(name, pointer, list.length)); list.push(text)) ;
  return list;
};

function evaluated(contract, facts) {
  try {
    return contract.evaluateText(facts);
  } catch (fault) {
    return JSON.stringify([fault.kind, fault.path, fault.rule, fault.message]);
  }
}

const OPS = {
  contract({ engine }, { files, ask, evaluate }) {
    const { core } = engine;
    const contract = engine.tryContract(files);
    const said = [contract.status, ...contract.messages, contract.bundleText, contract.etag];
    for (const [command, options] of ask) {
      said.push(asked(core, "motet_contract_ask", (t, at) => [contract.handle.pointer, t[0].at, at(1)], [command, options]));
    }
    for (const facts of contract.ok ? evaluate : []) {
      said.push(evaluated(contract, facts));
    }
    contract.free();
    return said;
  },
  format: ({ engine }, { text, name }) =>
    [asked(engine.core, "motet_format", (t, at) => [at(0), t[1].at], [text, name])],
  diff({ engine }, { older, newer }) {
    const [a, b] = [older, newer].map((files) => engine.tryContract(files));
    const said = asked(engine.core, "motet_contract_diff", (t, at) => [a.handle.pointer, b.handle.pointer, at(0)], ["{}"]);
    a.free();
    b.free();
    return [said];
  },
  ledger: ({ engine }, { text, options }) =>
    [asked(engine.core, "motet_ledger_verify", (t, at) => [at(0), at(1)], [text, options])],
  receipt: ({ engine }, { text, options }) =>
    [asked(engine.core, "motet_receipt_verify", (t, at) => [at(0), at(1)], [text, options])],
  graph({ graphs }, { files, manifests, adapter, ask }) {
    const { core } = graphs;
    const primitives = graphs.primitives();
    manifests.forEach((text) => primitives.add(text));
    let graph;
    try {
      graph = graphs.graph(files, primitives);
      if (adapter) {
        graph.adapt(adapter);
      }
    } catch (fault) {
      return [...fault.messages];
    }
    const said = [graph.identity];
    for (const [command, options, input] of ask) {
      said.push(asked(core, "motet_graph_ask", (t, at) => [graph.handle.pointer, t[0].at, at(1), at(2)], [command, options, input]));
    }
    graph.free();
    primitives.free();
    return said;
  },
  trace({ graphs }, { files, options }) {
    try {
      const { text, code } = graphs.agentTrace(files, options);
      return [text, String(code)];
    } catch (fault) {
      return [fault.message];
    }
  },
  agent({ graphs }, { text, name, ask }) {
    let agent;
    try {
      agent = graphs.agent(text, name);
    } catch (fault) {
      return [...fault.messages];
    }
    const said = ask.map(([command, options]) =>
      asked(graphs.core, "motet_agent_ask", (t, at) => [agent.handle.pointer, t[0].at, at(1)], [command, options]));
    agent.free();
    return said;
  },
};

/** What each case came to, as one text. Why the solver is not there is said in other words. */
export function walk(engines, cases, begin = 0) {
  return cases.map((c, i) => {
    try {
      return OPS[c.op](engines, c).join("\n").replaceAll("the solver Z3 is not in WebAssembly; ask `motet` or a server", "NO SOLVER");
    } catch (fault) {
      throw new Error(`case ${begin + i} (${c.op} ${c.about}): ${fault.stack}`);
    }
  });
}
