// Unpacks a `.lzma` file: the app's WebAssembly, which LZMA makes a fifth smaller than the gzip that a host would send.
// The decoder follows the public LZMA specification. The page stays awake: it has its turn after at most some `TURN_MS`.

const TURN_MS = 16;
/** After so many bytes the decoder looks at the clock. */
const STEP = 1 << 13;
const HEADER = 13;

// Where each kind of probability starts in the one table that holds them all.
const IS_MATCH = 0;
const IS_REP = IS_MATCH + 192;
const IS_REP_G0 = IS_REP + 12;
const IS_REP_G1 = IS_REP_G0 + 12;
const IS_REP_G2 = IS_REP_G1 + 12;
const IS_REP0_LONG = IS_REP_G2 + 12;
const DISTANCE_SLOT = IS_REP0_LONG + 192;
const DISTANCE_SPECIAL = DISTANCE_SLOT + 256;
const DISTANCE_ALIGN = DISTANCE_SPECIAL + 128;
const MATCH_LENGTH = DISTANCE_ALIGN + 16;
const REP_LENGTH = MATCH_LENGTH + 514;
const LITERAL = REP_LENGTH + 514;

/** The bytes that were packed; an error if these are not a whole `.lzma` file that says how long its content is. */
export async function unpack(packed) {
  const header = new DataView(packed.buffer, packed.byteOffset, HEADER);
  const properties = header.getUint8(0);
  const size = header.getUint32(5, true);
  if (properties >= 225 || header.getUint32(9, true) !== 0 || size > 1 << 28) throw new Error("not a packed program");
  const out = new Uint8Array(size);
  const step = decoder(packed, out, properties);
  for (let end = 0, turn = performance.now(); end < size;) {
    end = step(Math.min(size, end + STEP));
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise((resume) => setTimeout(resume));
    turn = performance.now();
  }
  return out;
}

/** A function that decodes on until at least `end` bytes are written, and says how many are. */
function decoder(packed, out, properties) {
  const literalContextBits = properties % 9;
  const literalPositionMask = (1 << (Math.floor(properties / 9) % 5)) - 1;
  const positionMask = (1 << Math.floor(properties / 45)) - 1;
  const odds = new Uint16Array(LITERAL + (0x300 << (literalContextBits + Math.floor(properties / 9) % 5))).fill(1024);
  // Range and code, in an array since a captured number of 32 bits would be boxed with each change.
  const coder = new Uint32Array([0xffffffff, 0]);
  let from = HEADER + 1;
  let at = 0;
  let state = 0;
  let rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;

  for (let i = 0; i < 4; i++) coder[1] = (coder[1] << 8) | packed[from++];

  function shift() {
    if (from >= packed.length + 4) throw new Error("the packed program is cut off");
    coder[0] <<= 8;
    coder[1] = (coder[1] << 8) | packed[from++];
  }

  function bit(index) {
    const odd = odds[index];
    const range = coder[0], code = coder[1];
    const bound = Math.imul(range >>> 11, odd) >>> 0;
    let found;
    if (code < bound) {
      coder[0] = bound;
      odds[index] = odd + ((2048 - odd) >>> 5);
      found = 0;
    } else {
      coder[0] = range - bound;
      coder[1] = code - bound;
      odds[index] = odd - (odd >>> 5);
      found = 1;
    }
    if (coder[0] < 0x1000000) shift();
    return found;
  }

  function evenBits(count) {
    let found = 0;
    for (; count > 0; count--) {
      coder[0] >>>= 1;
      const one = coder[1] >= coder[0] ? 1 : 0;
      if (one) coder[1] -= coder[0];
      if (coder[0] < 0x1000000) shift();
      found = (found << 1) | one;
    }
    return found;
  }

  function tree(start, bits) {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | bit(start + node);
    return node - (1 << bits);
  }

  function reverseTree(start, bits) {
    let node = 1, found = 0;
    for (let i = 0; i < bits; i++) {
      const one = bit(start + node);
      node = (node << 1) | one;
      found |= one << i;
    }
    return found;
  }

  function length(start, position) {
    if (bit(start) === 0) return 2 + tree(start + 2 + (position << 3), 3);
    if (bit(start + 1) === 0) return 10 + tree(start + 130 + (position << 3), 3);
    return 18 + tree(start + 258, 8);
  }

  function distance(length) {
    const slot = tree(DISTANCE_SLOT + (Math.min(length - 2, 3) << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + reverseTree(DISTANCE_SPECIAL + base - slot, bits);
    return base + (evenBits(bits - 4) << 4) + reverseTree(DISTANCE_ALIGN, 4);
  }

  function literal() {
    const before = at > 0 ? out[at - 1] : 0;
    const context = ((at & literalPositionMask) << literalContextBits) + (before >> (8 - literalContextBits));
    const start = LITERAL + 0x300 * context;
    let node = 1;
    if (state >= 7) {
      let expected = out[at - rep0 - 1];
      while (node < 0x100) {
        const hoped = (expected >> 7) & 1;
        expected <<= 1;
        const one = bit(start + ((1 + hoped) << 8) + node);
        node = (node << 1) | one;
        if (hoped !== one) break;
      }
    }
    while (node < 0x100) node = (node << 1) | bit(start + node);
    out[at++] = node;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  function repeated(position) {
    if (bit(IS_REP_G0 + state) === 0) {
      if (bit(IS_REP0_LONG + (state << 4) + position) === 0) {
        state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      let found = rep1;
      if (bit(IS_REP_G1 + state) === 1) {
        found = rep2;
        if (bit(IS_REP_G2 + state) === 1) {
          found = rep3;
          rep3 = rep2;
        }
        rep2 = rep1;
      }
      rep1 = rep0;
      rep0 = found;
    }
    state = state < 7 ? 8 : 11;
    return length(REP_LENGTH, position);
  }

  function matched(position) {
    rep3 = rep2;
    rep2 = rep1;
    rep1 = rep0;
    state = state < 7 ? 7 : 10;
    const found = length(MATCH_LENGTH, position);
    rep0 = distance(found);
    return found;
  }

  return (end) => {
    while (at < end) {
      const position = at & positionMask;
      if (bit(IS_MATCH + (state << 4) + position) === 0) {
        literal();
        continue;
      }
      const count = bit(IS_REP + state) === 0 ? matched(position) : repeated(position);
      if (rep0 < 0 || rep0 >= at || at + count > out.length) throw new Error("the packed program is damaged");
      for (let i = 0; i < count; i++, at++) out[at] = out[at - rep0 - 1];
    }
    return at;
  };
}
