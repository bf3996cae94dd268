/** Starts programs. Without a shell, with a bound on what they say and how long they take. */
import { spawn } from "node:child_process";
import { constants, accessSync, statSync } from "node:fs";
import { homedir } from "node:os";
import type { Ran, Surroundings } from "./pure/find";

const MOST_BYTES = 64 << 20;
const MOST_MS = 120_000;

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly milliseconds?: number;
}

export function run(file: string, words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, { cwd: options.cwd, stdio: ["pipe", "pipe", "pipe"], signal: options.signal,
      timeout: options.milliseconds ?? MOST_MS, env: { ...process.env, NO_COLOR: "1" } });
    const said: [Buffer[], Buffer[]] = [[], []];
    let bytes = 0;
    const take = (into: Buffer[]) => (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) {
        child.kill();
        reject(new Error(`it says more than ${MOST_BYTES} bytes`));
      } else {
        into.push(chunk);
      }
    };
    child.stdout.on("data", take(said[0]));
    child.stderr.on("data", take(said[1]));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out: Buffer.concat(said[0]).toString("utf8"), err: Buffer.concat(said[1]).toString("utf8") }));
    child.stdin.on("error", () => undefined); // it may end before it has read everything
    child.stdin.end(options.input ?? "");
  });
}

export function surroundings(): Surroundings {
  return {
    searchPath: process.env["PATH"] ?? "", home: homedir(), platform: process.platform,
    isProgram(file) {
      try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
      } catch {
        return false;
      }
    },
    run: (file, words) => run(file, words, { milliseconds: 10_000 }),
  };
}
