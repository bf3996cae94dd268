/* The engine's module: fetched packed, unpacked once, and kept by the browser as it is compiled from then on. */
import { unpack } from "./unpack";

const STORE = "motet.studio.engine";

/** Null: this browser keeps nothing here (no secure origin, private window), or has not got it yet. */
async function kept(url: string): Promise<WebAssembly.Module | null> {
  try {
    const found = await (await caches.open(STORE)).match(url);
    return found ? await WebAssembly.compileStreaming(found) : null;
  } catch {
    return null;
  }
}

/** Only this one: those of other versions go. */
async function keep(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    await caches.delete(STORE);
    await (await caches.open(STORE)).put(url, new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
  } catch {
    // It is unpacked again the next time.
  }
}

export async function engineModule(name: string): Promise<WebAssembly.Module> {
  const url = new URL(name, import.meta.url);
  if (!name.endsWith(".lzma")) {
    return WebAssembly.compileStreaming(fetch(url));
  }
  const there = await kept(url.href);
  if (there) {
    return there;
  }
  const said = await fetch(url);
  if (!said.ok) {
    throw new Error(`the engine could not be fetched (${said.status})`);
  }
  const bytes = unpack(new Uint8Array(await said.arrayBuffer()));
  void keep(url.href, bytes);
  return WebAssembly.compile(bytes);
}
