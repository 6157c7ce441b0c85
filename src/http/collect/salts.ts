import { toHex } from "../../core/base/hash.js";

/** Salts of a UTC day and of the day before. */
export interface Salts {
  /** Days since 1970. */
  readonly day: number;
  readonly salt: Uint8Array;
  /** Of the day before; null: it had none. */
  readonly before: Uint8Array | null;
}

/** Storage that keeps salts across restarts. Once `keep` resolves, earlier content must be gone: overwritten, not moved aside. */
export interface SaltKeeper {
  /** The last kept bytes; null: none. */
  read(): Promise<Uint8Array | null>;
  /** Resolves when a read after a crash would return these bytes. */
  keep(bytes: Uint8Array): Promise<void>;
}

/** Keeps nothing: visitors are forgotten when the process ends. */
export const forgetfulKeeper: SaltKeeper = { read: () => Promise.resolve(null), keep: () => Promise.resolve() };

const SALT_BYTES = 32;
const NONE = "-".repeat(SALT_BYTES * 2);
const TEXT = /^(\d{8}) ([0-9a-f]{64}) ([0-9a-f]{64}|-{64})\n$/;

/** Encodes salts in a constant number of bytes, so that they can be overwritten in place. */
export function saltsBytes({ day, salt, before }: Salts): Uint8Array {
  return new TextEncoder().encode(`${String(day).padStart(8, "0")} ${toHex(salt)} ${before === null ? NONE : toHex(before)}\n`);
}

/** Decodes what `saltsBytes` wrote; null for anything else: a partial file is useless. */
export function readSalts(bytes: Uint8Array | null): Salts | null {
  const [, day = "", salt = "", before = ""] = TEXT.exec(new TextDecoder().decode(bytes ?? new Uint8Array(0))) ?? [];
  if (day === "") return null;
  return { day: Number(day), salt: fromHex(salt), before: before === NONE ? null : fromHex(before) };
}

/** The salts of a day: the known ones, or new ones that follow from them. */
export function saltsOfDay(day: number, known: Salts | null, random: (bytes: Uint8Array) => void): Salts {
  // A corrected clock may be back before a midnight that has passed: these salts cover both days.
  if (known !== null && (known.day === day || known.day === day + 1)) return known;
  const salt = new Uint8Array(SALT_BYTES);
  random(salt);
  // A clock set back further makes new salts: a salt of a future day may not stay in use.
  return { day, salt, before: known !== null && known.day === day - 1 ? known.salt : null };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(at * 2, at * 2 + 2), 16));
}
