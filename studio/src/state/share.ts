/* A workspace as text for an address: JSON, compressed, in the alphabet of addresses. It stands behind the `#`,
 * which browsers send to nobody. */
async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const answer = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await answer.arrayBuffer());
}

/** What unpacks to more than this is refused: an address can come from anybody. */
const MOST = 4 << 20;
/** Of an address: browsers refuse longer ones. */
const LONGEST = 1_000_000;
/** Where a workspace stands in the address. */
export const LINK = /[?&]w=([\w-]+)/;

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return new Uint8Array(await new Blob(parts).arrayBuffer());
    }
    size += value.length;
    if (size > MOST) {
      throw new Error("the address holds too much");
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
}

/** Null: it would be a link that nobody can open. */
export async function pack(value: unknown): Promise<string | null> {
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const bytes = await through(plain, new CompressionStream("deflate-raw"));
  if (plain.length > MOST || bytes.length * 4 > LONGEST * 3) {
    return null;
  }
  let text = "";
  bytes.forEach((b) => (text += String.fromCharCode(b)));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export async function unpack(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await unpacked(bytes)));
}
