/* Ledgers made by hand: the format once more, independent of the engine, for cases and figures. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";

const sha = (...parts) => parts.reduce((h, p) => h.update(p), createHash("sha256")).digest();
const LEAF = Buffer.from([0]), NODE = Buffer.from([1]);
const two = (n) => String(n).padStart(2, "0");

/** What an executed operation leaves: about 700 bytes, as bench_ledger.c has it. */
function bodyOf(i, domain) {
  return `{"contract":"escrow","etag":"9393a9fe5c412162fa647c2513449d9a94f162bcaa06a265de519e00adcd015e","facts_used":[{"fact":"delivery_status","value":"confirmed"},` +
    `{"fact":"escrow_amount","value":{"amount":"${i}.00","currency":"USD"}}],"flow":"f-${i}","instance_binding":{"EscrowAccount":"acc-${i % 500}"},"kind":"operation","op":"release_escrow",` +
    `"outcome":"released","persona":"escrow_agent","state_after":{"EscrowAccount":"released"},"state_before":{"EscrowAccount":"held"},` +
    `"time":"2026-01-01T00:${two(Math.floor(i / 60) % 60)}:${two(i % 60)}.${String(i % 1000).padStart(3, "0")}Z","token":"t-12","trust_domain":"${domain}","verdicts_used":["delivery_confirmed","within_threshold"]}`;
}

export class Ledger {
  lines = [];
  size = 0;
  #head = Buffer.alloc(32);
  #roots = []; // of full subtrees, by height
  #leaves = [];

  constructor(domain) {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.domain = domain;
    this.key = { secret: privateKey, open: publicKey.export({ format: "der", type: "spki" }).subarray(-32) };
  }

  get open() {
    return this.key.open.toString("hex");
  }

  get text() {
    return this.lines.join("\n") + "\n";
  }

  get root() {
    return this.#roots.reduce((all, r) => (r ? (all ? sha(NODE, r, all) : r) : all), null).toString("hex");
  }

  grow(count, body = bodyOf) {
    for (; count > 0; count--) {
      const text = body(this.size, this.domain), hash = sha(this.#head, text);
      this.lines.push(`{"body":${text},"hash":"${hash.toString("hex")}","prev":"${this.#head.toString("hex")}","seq":${this.size++}}`);
      this.#head = hash;
      let node = sha(LEAF, hash), level = 0;
      this.#leaves.push(node);
      for (; this.#roots[level]; level++) {
        node = sha(NODE, this.#roots[level], node);
        this.#roots[level] = null;
      }
      this.#roots[level] = node;
    }
    return this;
  }

  sign() {
    const said = `{"domain":"${this.domain}","head":"${this.#head.toString("hex")}","root":"${this.root}","size":${this.size}}`;
    this.lines.push(`{"checkpoint":${said},"key":"${this.open}","signature":"${sign(null, Buffer.from(said), this.key.secret).toString("hex")}"}`);
    return this;
  }

  /** That record `n` is in it, as RFC 6962 has it. */
  prove(n) {
    const root = (part) => (part.length === 1 ? part[0] : sha(NODE, root(part.slice(0, half(part.length))), root(part.slice(half(part.length)))));
    const half = (length) => 2 ** Math.ceil(Math.log2(length) - 1);
    const path = (part, at) => {
      if (part.length === 1) {
        return [];
      }
      const middle = half(part.length), left = part.slice(0, middle), right = part.slice(middle);
      return at < middle ? [...path(left, at), root(right)] : [...path(right, at - middle), root(left)];
    };
    const record = this.lines.filter((l) => l.startsWith('{"body"'))[n];
    return `{"hashes":[${path(this.#leaves, n).map((h) => `"${h.toString("hex")}"`).join(",")}],"proof":"inclusion","record":${record},"size":${this.size}}\n`;
  }
}
