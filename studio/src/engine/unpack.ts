/* LZMA, unpacked: the engine comes so, a seventh smaller than by gzip. What browsers unpack themselves is gzip, and other
 * codings only over TLS.
 *
 * The format is that of `xz --format=lzma` with the size filled in: a byte of properties, the size of the window, the size
 * of what is packed, and a stream of bits, each coded by how likely it is where it stands. A bit's likelihood (of 2048)
 * is learnt as the stream goes on; `odds` has one for every situation, and the constants say where which are. */
const STATES = 12, PLACES = 16;
const IS_MATCH = 0;
const IS_REPEAT = IS_MATCH + STATES * PLACES;
const IS_REPEAT_0 = IS_REPEAT + STATES;
const IS_REPEAT_1 = IS_REPEAT_0 + STATES;
const IS_REPEAT_2 = IS_REPEAT_1 + STATES;
const IS_LONG = IS_REPEAT_2 + STATES; // or one byte, from the last distance
const SLOTS = IS_LONG + STATES * PLACES;
const NEAR = SLOTS + 4 * 64; // distances below 128, but for their first bits
const ALIGNED = NEAR + 128; // the last four bits of farther ones
const LENGTHS = ALIGNED + 16;
const LENGTH_ROOM = 2 + PLACES * 8 * 2 + 256;
const LITERALS = LENGTHS + 2 * LENGTH_ROOM;
const EVEN = 1024, BITS = 11, LEARN = 5, TOP = 1 << 24;
const HEADER = 13, MOST = 1 << 26;

class Bits {
  #range = 0xffffffff;
  #code = 0;
  #at = HEADER + 1; // the first byte is always 0

  constructor(private readonly bytes: Uint8Array, readonly odds: Uint16Array) {
    for (let i = 0; i < 4; i++) {
      this.#code = ((this.#code << 8) | this.#next()) >>> 0;
    }
  }

  #next(): number {
    if (this.#at >= this.bytes.length) {
      throw new Error("the engine came only in part");
    }
    return this.bytes[this.#at++]!;
  }

  #fill(): void {
    if (this.#range < TOP) {
      this.#range = (this.#range << 8) >>> 0;
      this.#code = ((this.#code << 8) | this.#next()) >>> 0;
    }
  }

  bit(where: number): number {
    const odds = this.odds[where]!, bound = (this.#range >>> BITS) * odds;
    let bit = 0;
    if (this.#code < bound) {
      this.#range = bound;
      this.odds[where] = odds + (((1 << BITS) - odds) >> LEARN);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      this.odds[where] = odds - (odds >> LEARN);
      bit = 1;
    }
    this.#fill();
    return bit;
  }

  /** Several bits that are as likely as not. */
  plain(count: number): number {
    let value = 0;
    while (count-- > 0) {
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      this.#code -= bit * this.#range;
      value = (value << 1) | bit;
      this.#fill();
    }
    return value;
  }

  /** The highest bit first; each has odds by those before it. */
  tree(where: number, count: number): number {
    let node = 1;
    for (let i = 0; i < count; i++) {
      node = (node << 1) | this.bit(where + node);
    }
    return node - (1 << count);
  }

  /** The lowest bit first. */
  reversed(where: number, count: number): number {
    let node = 1, value = 0;
    for (let i = 0; i < count; i++) {
      const bit = this.bit(where + node);
      node = (node << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  /** How many bytes are taken from before. */
  length(where: number, place: number): number {
    if (!this.bit(where)) {
      return 2 + this.tree(where + 2 + place * 8, 3);
    }
    return this.bit(where + 1) ? 18 + this.tree(where + 2 + PLACES * 16, 8) : 10 + this.tree(where + 2 + PLACES * 8 + place * 8, 3);
  }

  distance(length: number): number {
    const slot = this.tree(SLOTS + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) {
      return slot;
    }
    const more = (slot >> 1) - 1, first = ((2 | (slot & 1)) << more) >>> 0;
    return slot < 14 ? first + this.reversed(NEAR + first - slot, more)
      : first + ((this.plain(more - 4) << 4) >>> 0) + this.reversed(ALIGNED, 4);
  }

  /** A byte; `like`: the one that stands at the last distance, if a copy has just ended. */
  literal(where: number, like: number): number {
    let node = 1;
    for (let same = like >= 0; node < 0x100;) {
      if (same) {
        const wanted = (like >> 7) & 1, bit = this.bit(where + ((1 + wanted) << 8) + node);
        like <<= 1;
        node = (node << 1) | bit;
        same = bit === wanted;
      } else {
        node = (node << 1) | this.bit(where + node);
      }
    }
    return node & 0xff;
  }
}

export function unpack(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new DataView(packed.buffer, packed.byteOffset, HEADER);
  const properties = head.getUint8(0), size = head.getUint32(5, true);
  const lc = properties % 9, lp = Math.floor(properties / 9) % 5, pb = Math.floor(properties / 45);
  if (pb > 4 || size > MOST || head.getUint32(9, true)) {
    throw new Error("this is not the engine");
  }
  const bits = new Bits(packed, new Uint16Array(LITERALS + (0x300 << (lc + lp))).fill(EVEN));
  const out = new Uint8Array(size);
  const last = [0, 0, 0, 0]; // distances, less one
  let state = 0;
  for (let at = 0; at < size;) {
    const place = at & ((1 << pb) - 1);
    if (!bits.bit(IS_MATCH + state * PLACES + place)) {
      const situation = ((at & ((1 << lp) - 1)) << lc) + ((at ? out[at - 1]! : 0) >> (8 - lc));
      out[at] = bits.literal(LITERALS + 0x300 * situation, state >= 7 ? out[at - last[0]! - 1]! : -1);
      at++;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length = 1;
    if (!bits.bit(IS_REPEAT + state)) {
      length = bits.length(LENGTHS, place);
      last.unshift(bits.distance(length));
      last.length = 4;
      state = state < 7 ? 7 : 10;
    } else {
      const which = !bits.bit(IS_REPEAT_0 + state) ? 0 : !bits.bit(IS_REPEAT_1 + state) ? 1 : 2 + bits.bit(IS_REPEAT_2 + state);
      last.unshift(...last.splice(which, 1));
      if (which || bits.bit(IS_LONG + state * PLACES + place)) {
        length = bits.length(LENGTHS + LENGTH_ROOM, place);
        state = state < 7 ? 8 : 11;
      } else {
        state = state < 7 ? 9 : 11;
      }
    }
    at = copied(out, at, last[0]!, length);
  }
  return out;
}

function copied(out: Uint8Array, at: number, distance: number, length: number): number {
  if (distance >= at || at + length > out.length) {
    throw new Error("the engine came damaged");
  }
  for (let from = at - distance - 1; length > 0; length--) {
    out[at++] = out[from++]!;
  }
  return at;
}
