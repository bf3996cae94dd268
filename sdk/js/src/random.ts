/* Random bytes in Node 18 and browsers. */

export interface Randoms {
  getRandomValues(array: Uint8Array): Uint8Array;
}

/** The source of random bytes. Node 18 has it under another name. */
export async function randomSource(): Promise<Randoms> {
  const there = (globalThis as { crypto?: Randoms }).crypto;
  if (there) {
    return there;
  }
  const name = "node:crypto";
  return ((await import(name)) as { webcrypto: Randoms }).webcrypto;
}
