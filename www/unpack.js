// Unpacks a `.lzma` file: the app's WebAssembly, which LZMA makes a fifth smaller than the gzip that a host would send, and
// which was taken apart before (`xtask/src/split.rs` says how). The decoder follows the public LZMA specification. The page
// stays awake: it has its turn after at most some `TURN_MS`.

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

/** The program that was packed; an error if these are not a whole `.lzma` file that says how long its content is. */
export async function unpack(packed) {
  const header = new DataView(packed.buffer, packed.byteOffset, HEADER);
  const properties = header.getUint8(0);
  const size = header.getUint32(5, true);
  if (properties >= 225 || header.getUint32(9, true) !== 0 || size > 1 << 28) throw new Error("not a packed program");
  const out = new Uint8Array(size);
  const step = decoder(packed, out, properties);
  for (let end = 0, turn = performance.now(); end < size;) {
    end = step(Math.min(size, end + STEP));
    turn = await others(turn);
  }
  return join(out);
}

/** Lets the page have its turn if ours, which began then, is over; says when ours began. */
async function others(turn) {
  if (performance.now() - turn < TURN_MS) return turn;
  await new Promise((resume) => setTimeout(resume));
  return performance.now();
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

// The parts that a program is taken apart into.
const OPERATIONS = 1, LOCALS = 2, CONSTANTS = 3, OFFSETS = 4, ALIGNMENTS = 5, CALLS = 6, LONG_CONSTANTS = 7, BRANCHES = 8;
const BLOCKS = 9, OTHERS = 10, PARTS = 11;

/** Puts a program together again. */
async function join(split) {
  const words = new DataView(split.buffer, split.byteOffset, split.length);
  const from = new Uint32Array(PARTS + 1);
  from[0] = 4 * (2 + PARTS);
  for (let part = 0; part < PARTS; part++) from[part + 1] = from[part] + words.getUint32(4 * (2 + part), true);
  const size = words.getUint32(0, true);
  const out = new Uint8Array(size + 4);
  out.set(split.subarray(from[0], from[1]));
  let to = from[1] - from[0];
  let turn = performance.now();
  for (let functions = words.getUint32(4, true); functions > 0; functions--) {
    // How long the size is, shows when all is there.
    const start = to + 5;
    const end = joinFunction(split, from, out, start);
    let length = end - start;
    for (; length > 0x7f; length >>>= 7) out[to++] = length | 0x80;
    out[to++] = length;
    out.copyWithin(to, start, end);
    to += end - start;
    if (functions % 64 === 0) turn = await others(turn);
  }
  const after = split.subarray(from[PARTS]);
  if (to + after.length !== size) throw new Error("the packed program is damaged");
  out.set(after, to);
  return out.subarray(0, size);
}

/** Writes a function to this place; says where it ends. */
function joinFunction(split, from, out, to) {
  for (let count = 1 + 2 * number(split, from[OTHERS]); count > 0; count--) {
    while ((out[to++] = split[from[OTHERS]++]) > 0x7f);
  }
  for (let depth = 1; depth > 0;) {
    if (to > out.length) throw new Error("the packed program is damaged");
    const operation = split[from[OPERATIONS]++];
    out[to++] = operation;
    if (operation >= 0x45 && operation <= 0xc4) continue;
    let part = OTHERS;
    let count = 1;
    if (operation >= 0x20 && operation <= 0x22) {
      part = LOCALS;
    } else if (operation === 0x41) {
      part = CONSTANTS;
    } else if (operation >= 0x28 && operation <= 0x3e) {
      while ((out[to++] = split[from[ALIGNMENTS]++]) > 0x7f);
      part = OFFSETS;
    } else if (operation >= 0x02 && operation <= 0x04) {
      part = BLOCKS;
      depth++;
    } else if (operation === 0x0c || operation === 0x0d) {
      part = BRANCHES;
    } else if (operation === 0x10) {
      part = CALLS;
    } else if (operation === 0x42) {
      part = LONG_CONSTANTS;
    } else if (operation === 0x0e || operation === 0x1c) {
      // The count itself and, of a table, what stands for all others.
      count = number(split, from[OTHERS]) + (operation === 0x0e ? 2 : 1);
    } else if (operation === 0x11) {
      count = 2;
    } else if (operation === 0x43 || operation === 0x44) {
      for (let bytes = operation === 0x43 ? 4 : 8; bytes > 0; bytes--) out[to++] = split[from[OTHERS]++];
      continue;
    } else if (operation === 0xfc) {
      const prefixed = split[from[OPERATIONS]++];
      out[to++] = prefixed;
      count = prefixed < 8 ? 0 : prefixed < 15 && prefixed % 2 === 0 ? 2 : 1;
    } else if (operation < 0x20 || operation === 0xd1) {
      if (operation === 0x0b) depth--;
      continue;
    }
    let at = from[part];
    for (; count > 0; count--) while ((out[to++] = split[at++]) > 0x7f);
    from[part] = at;
  }
  return to;
}

/** The number at this place: seven bits a byte, the lowest first. */
function number(bytes, at) {
  let found = 0, shift = 0;
  do {
    found |= (bytes[at] & 0x7f) << shift;
    shift += 7;
  } while (bytes[at++] > 0x7f);
  return Math.min(found >>> 0, bytes.length);
}
