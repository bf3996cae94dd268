/* Servers of the cases in live_cases.mjs: started on this machine when they are first asked for, each in a folder of its own, and
 * ended by their ids when the walk ends. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../..", import.meta.url));
export const MOTET = process.env.MOTET ?? join(SOURCE, "build/src/cli/motet");
export const ESCROW = join(SOURCE, "examples/escrow/escrow.tenor");
export const STRICTER = readFileSync(ESCROW, "utf8").replace("allowed_personas: [buyer, seller]", "allowed_personas: [buyer]");
const OIDC = join(SOURCE, "tests/npm/oidc");
export const FACTS = { escrow_amount: { amount: "25000.00", currency: "USD" }, delivery_status: "confirmed",
  line_items: [{ id: "i-1", description: "Widget", valid: true, amount: { amount: "25000.00", currency: "USD" } }] };

const children = new Set(), folders = [];
process.on("exit", () => {
  children.forEach((c) => c.kill("SIGKILL"));
  folders.forEach((f) => rmSync(f, { recursive: true, force: true }));
});

export function folder() {
  const made = mkdtempSync(join(tmpdir(), "studio-live-"));
  folders.push(made);
  return made;
}

function port() {
  return new Promise((done) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = s.address();
      s.close(() => done(free));
    });
  });
}

/** A program that says in its first line that it is ready. The walk does not wait for it at its end. */
function begin(program, words, options) {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"], ...options });
  children.add(child);
  return new Promise((done, failed) => {
    child.once("exit", (code) => failed(new Error(`${program} ended with ${code}`)));
    child.stdout.once("data", () => {
      child.unref();
      child.stdout.unref();
      child.stdin.unref();
      done(child);
    });
  });
}

export class Server {
  constructor(dir, words, env = {}) {
    Object.assign(this, { dir, words, env });
  }

  async start() {
    this.port ??= await port();
    this.url = `http://127.0.0.1:${this.port}`;
    this.child = await begin(MOTET, ["serve", ...this.words, "--store", "sqlite:serve.db", "--listen", `127.0.0.1:${this.port}`, "--log-level", "error"], { cwd: this.dir, env: { ...process.env, ...this.env } });
    return this;
  }

  kill() {
    return new Promise((done) => {
      this.child.removeAllListeners("exit");
      this.child.once("exit", done);
      this.child.ref();
      this.child.kill("SIGKILL");
      children.delete(this.child);
    });
  }

  token(...words) {
    return execFileSync(MOTET, ["token", "create", "--store", "sqlite:serve.db", ...words], { cwd: this.dir, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" }).trim();
  }
}

/** A call as a program makes it; the answer must be good. */
export async function post(url, path, body, token = "") {
  const said = await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) }, body: JSON.stringify(body) });
  const answer = await said.json();
  if (!said.ok) {
    throw new Error(`${path}: ${JSON.stringify(answer)}`);
  }
  return answer;
}

let guarded;
/** With tokens, a signing key and a candidate that looks on, where sellers may not dispute; the same for all cases. */
export function guardedServer() {
  return guarded ??= (async () => {
    const dir = folder();
    execFileSync(MOTET, ["keygen", "--prefix", "node"], { cwd: dir, stdio: "ignore" });
    mkdirSync(join(dir, "next"));
    writeFileSync(join(dir, "next/escrow.tenor"), STRICTER);
    const server = new Server(dir, [ESCROW, "--signing-key", "node.secret", "--shadow", "next/escrow.tenor"]);
    server.key = readFileSync(join(dir, "node.pub"), "utf8").trim();
    server.tokens = {
      ops: server.token("--name", "ops", "--right", "admin", "--right", "instances:create", "--right", "deploy"),
      reader: server.token("--name", "reader", "--right", "escrow/read"),
      seller: server.token("--name", "till 7", "--persona", "escrow:seller", "--right", "escrow/facts:*"),
      officer: server.token("--name", "officer", "--persona", "escrow:compliance_officer", "--persona", "escrow:escrow_agent", "--right", "escrow/facts:*"),
    };
    return server.start();
  })();
}

/** A server that people log in to, by a real provider. */
export async function loginServer() {
  const dir = folder(), at = await port(), server = new Server(dir, ["--config", "motet.json"], { WEB_SECRET: "web-secret" });
  server.port = await port();
  const callback = `http://127.0.0.1:${server.port}/callback`;
  writeFileSync(join(dir, "keys.json"), execFileSync("node", ["keys.mjs", "r=RS256"], { cwd: OIDC }));
  server.provider = `http://127.0.0.1:${at}`;
  await begin("node", ["provider.mjs", String(at), join(dir, "keys.json"), callback], { cwd: OIDC, stdio: ["pipe", "pipe", "ignore"] });
  writeFileSync(join(dir, "motet.json"), JSON.stringify({ files: [ESCROW], oidc: { test: { issuer: server.provider, audience: "urn:motet:test",
    rules: [{ claim: "groups", contains: "requesters", rights: ["escrow/read", "escrow/ledger:read"] }],
    login: { client_id: "motet-web", client_secret: { env: "WEB_SECRET" }, redirect_uri: callback, scope: "openid profile" } } } }));
  return server.start();
}
