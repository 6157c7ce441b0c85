import type { Random } from "../../../src/testing/random.js";

/** Texts that parsers, paths and prototypes have stumbled over. */
export const STRANGE_TEXTS = [
  "", " ", "0", "-0", "null", "__proto__", "constructor", "toString", "\u0000", "\ud800", "é", "e\u0301", "\u202e", "😀", "../../etc/passwd", "a'b\"c\\d",
  "%00", "1e400", "NaN", "2026-02-30", "2026-03-01", "2026-03-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "-271821-04-20", "x".repeat(5_000), "[]", "{}", "\r\nX: y",
] as const;

const STRANGE_NUMBERS = [0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 1_001, 253_402_300_800_000];

export function randomJson(random: Random, depth = 3): unknown {
  const kind = random.below(depth === 0 ? 4 : 6);
  if (kind === 0) return random.pick(STRANGE_TEXTS);
  if (kind === 1) return random.pick(STRANGE_NUMBERS);
  if (kind === 2) return random.pick([true, false, null]);
  if (kind === 3) return `t${random.below(20)}`;
  const size = random.below(4);
  if (kind === 4) return Array.from({ length: size }, () => randomJson(random, depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(STRANGE_TEXTS), randomJson(random, depth - 1)]));
}

/** The same value with one place changed: a member dropped, renamed, replaced or wrapped. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.15)) {
    return random.chance(0.2) ? [value] : randomJson(random);
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...(value as unknown[]), randomJson(random)];
    const at = random.below(value.length);
    return value.map((item: unknown, index) => (index === at ? mutated(item, random) : item));
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0 || random.chance(0.2)) return objectOf([...entries, [random.pick(STRANGE_TEXTS), randomJson(random)]]);
  const at = random.below(entries.length);
  if (random.chance(0.2)) return objectOf(entries.filter((_, index) => index !== at));
  return objectOf(entries.map(([key, item], index) => (index === at ? [random.chance(0.1) ? random.pick(STRANGE_TEXTS) : key, mutated(item, random)] : [key, item])));
}

/** Keeps a key `__proto__` as a member of its own. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

/** A text broken as texts break on their way. */
export function brokenText(text: string, random: Random): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const kind = random.below(8);
  if (kind === 0) return bytes.subarray(0, random.below(bytes.length + 1));
  if (kind === 1) return joined(bytes, random.below(bytes.length + 1), [random.below(256)]);
  if (kind === 2) return joined(bytes, random.below(bytes.length + 1), [0xc0, 0xaf]);
  if (kind === 3) return joined(bytes, 0, [0xef, 0xbb, 0xbf]);
  if (kind === 4) return joined(bytes, bytes.length, [...bytes]);
  if (kind === 5) return new TextEncoder().encode("[".repeat(random.between(60, 100_000)));
  if (kind === 6) return new TextEncoder().encode(`{"a":${"9".repeat(random.between(1, 5_000))}}`);
  return new Uint8Array(Buffer.from(text, "utf16le"));
}

function joined(bytes: Uint8Array, at: number, inserted: readonly number[]): Uint8Array {
  const whole = new Uint8Array(bytes.length + inserted.length);
  whole.set(bytes.subarray(0, at));
  whole.set(inserted, at);
  whole.set(bytes.subarray(at), at + inserted.length);
  return whole;
}
