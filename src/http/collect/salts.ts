import { toHex } from "../../base/hash.js";

/** Salts of one UTC day and of the one before. */
export interface Salts {
  /** Days since 1970. */
  readonly day: number;
  readonly salt: Uint8Array;
  /** Of the day before; null where that had none. */
  readonly before: Uint8Array | null;
}

/** Where salts outlive a process. What was kept before must be gone once `keep` resolves: overwritten, not moved aside. */
export interface SaltKeeper {
  /** What was kept last; null: nothing. */
  read(): Promise<Uint8Array | null>;
  /** Resolves when these would be read again after a crash. */
  keep(bytes: Uint8Array): Promise<void>;
}

/** Keeps nothing: with the process its visitors are forgotten. */
export const forgetfulKeeper: SaltKeeper = { read: () => Promise.resolve(null), keep: () => Promise.resolve() };

const SALT_BYTES = 32;
const NONE = "-".repeat(SALT_BYTES * 2);
const TEXT = /^(\d{8}) ([0-9a-f]{64}) ([0-9a-f]{64}|-{64})\n$/;

/** Always as many bytes, so that they can be overwritten where they stand. */
export function saltsBytes({ day, salt, before }: Salts): Uint8Array {
  return new TextEncoder().encode(`${String(day).padStart(8, "0")} ${toHex(salt)} ${before === null ? NONE : toHex(before)}\n`);
}

/** What `saltsBytes` wrote; null for anything else: half a file is worth as much as none. */
export function readSalts(bytes: Uint8Array | null): Salts | null {
  const [, day = "", salt = "", before = ""] = TEXT.exec(new TextDecoder().decode(bytes ?? new Uint8Array(0))) ?? [];
  if (day === "") return null;
  return { day: Number(day), salt: fromHex(salt), before: before === NONE ? null : fromHex(before) };
}

/** The salts of a day, which are those that are there, or follow from them. */
export function saltsOfDay(day: number, known: Salts | null, random: (bytes: Uint8Array) => void): Salts {
  // A clock that was put right may stand before a midnight that is over: the salts of both days are these.
  if (known !== null && (known.day === day || known.day === day + 1)) return known;
  const salt = new Uint8Array(SALT_BYTES);
  random(salt);
  // A clock that was set back further makes new ones: nothing of a day to come may be kept.
  return { day, salt, before: known !== null && known.day === day - 1 ? known.salt : null };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(at * 2, at * 2 + 2), 16));
}
