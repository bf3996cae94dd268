/* JSON whose numbers keep their digits: 12.50 stays 12.50, and a whole number of twenty digits is not rounded. */
export class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type Value = null | boolean | string | Digits | Value[] | { [key: string]: Value };
export type Fields = { [key: string]: Value };

export class JsonFault extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;
const DEEPEST = 200;

class Reader {
  #at = 0;
  constructor(readonly text: string) {}

  fail(what: string): never {
    const before = this.text.slice(0, this.#at).split("\n");
    throw new JsonFault(`line ${before.length}, column ${before[before.length - 1]!.length + 1}: ${what}`);
  }

  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Takes the character if it is next. */
  eat(c: string): boolean {
    this.take(SPACE);
    const is = this.text[this.#at] === c;
    this.#at += Number(is);
    return is;
  }

  value(depth: number): Value {
    if (depth > DEEPEST) {
      this.fail("it is nested too deeply");
    }
    if (this.eat("{")) {
      return this.#object(depth);
    }
    if (this.eat("[")) {
      return this.#list(depth);
    }
    const word = this.take(WORD);
    if (word !== null) {
      return word === "null" ? null : word === "true";
    }
    const text = this.take(STRING);
    if (text !== null) {
      return JSON.parse(text) as string;
    }
    const number = this.take(NUMBER);
    return number ? new Digits(number) : this.fail("a value is expected");
  }

  #list(depth: number): Value[] {
    const list: Value[] = [];
    if (this.eat("]")) {
      return list;
    }
    do {
      list.push(this.value(depth + 1));
    } while (this.eat(","));
    return this.eat("]") ? list : this.fail("a comma or ] is expected");
  }

  #object(depth: number): Fields {
    const fields: Fields = Object.create(null) as Fields; // "__proto__" is a name like any other
    if (this.eat("}")) {
      return fields;
    }
    do {
      this.take(SPACE);
      const key = this.take(STRING) ?? this.fail("a name in quotes is expected");
      const name = JSON.parse(key) as string;
      if (name in fields) {
        this.fail(`"${name}" is there twice`);
      }
      if (!this.eat(":")) {
        this.fail("a colon is expected");
      }
      fields[name] = this.value(depth + 1);
    } while (this.eat(","));
    return this.eat("}") ? fields : this.fail("a comma or } is expected");
  }

  end(): void {
    this.take(SPACE);
    if (this.#at < this.text.length) {
      this.fail("nothing more is expected");
    }
  }
}

/** Throws JsonFault, which says where. */
export function parse(text: string): Value {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

export function isFields(value: Value | undefined): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Digits);
}

/** Without those that every object inherits: a fact may be called "constructor". */
export const NO_FIELDS: Fields = Object.create(null) as Fields;

/** With another value in this field; undefined: without the field. */
export function withField(fields: Fields, name: string, value: Value | undefined): Fields {
  const next = Object.assign(Object.create(null) as Fields, fields); // a field may be called "__proto__"
  if (value === undefined) {
    delete next[name];
  } else {
    next[name] = value;
  }
  return next;
}

export function print(value: Value, indent = ""): string {
  const inner = `${indent}  `;
  if (value instanceof Digits) {
    return value.text;
  }
  if (Array.isArray(value)) {
    return value.length ? `[\n${value.map((v) => inner + print(v, inner)).join(",\n")}\n${indent}]` : "[]";
  }
  if (isFields(value)) {
    const all = Object.entries(value);
    const flat = all.length <= 2 && all.every(([, v]) => v === null || typeof v !== "object" || v instanceof Digits);
    const parts = all.map(([k, v]) => `${JSON.stringify(k)}: ${print(v, inner)}`);
    return !all.length ? "{}" : flat && indent ? `{ ${parts.join(", ")} }` : `{\n${parts.map((p) => inner + p).join(",\n")}\n${indent}}`;
  }
  return JSON.stringify(value);
}
