import { parameterError } from "../../base/errors.js";
import { hmacSha256 } from "../../base/hash.js";
import { SEQUENCES } from "../../engine/follow/changes.js";
import type { Sequences } from "../../engine/follow/changes.js";
import type { ServedDaybook } from "./served-daybook.js";

/** What it takes where a Daybook was wrapped, and its own is not at hand: what is sealed so holds as long as the process. */
const strangers = new WeakMap<ServedDaybook, Sequences>();

const ROUND_COUNT = 10;
const HALF_BITS = 26;
const HALF = 2 ** HALF_BITS;
/** Below a sequence of 32 bits in a block of 52: zeros, by which a number that was made up is told. */
const CHECK = 2 ** 20;

/**
 * Sequences as a token of one project sees them: numbers that say nothing of how much is stored in other projects. A sequence and zeros, 52 bits, go
 * through a Feistel network (Luby and Rackoff 1988; rounds as many as in NIST SP 800-38G) under a key of the store and the project.
 */
export class SealedSequences {
  readonly #sequences: Sequences;
  readonly #key: Uint8Array;

  constructor(
    daybook: ServedDaybook,
    readonly project: string,
  ) {
    this.#sequences = sequencesOf(daybook);
    this.#key = hmacSha256(this.#sequences.key, new TextEncoder().encode(`sequences\0${project}`));
  }

  /** The number of a sequence, or of an earlier one since which nothing made a difference to the project. */
  sealed(sequence: number): number {
    const block = Math.min(sequence, this.#sequences.newestOf(this.project)) * CHECK;
    let [left, right] = [Math.floor(block / HALF), block % HALF];
    for (let round = 0; round < ROUND_COUNT; round += 1) [left, right] = [right, left ^ this.#mixed(round, right)];
    return left * HALF + right;
  }

  /** The sequence that was sealed; null for a number that none was. */
  opened(number: number): number | null {
    if (!Number.isSafeInteger(number) || number < 0 || number >= HALF * HALF) return null;
    let [left, right] = [Math.floor(number / HALF), number % HALF];
    for (let round = ROUND_COUNT - 1; round >= 0; round -= 1) [left, right] = [right ^ this.#mixed(round, left), left];
    const block = left * HALF + right;
    return block % CHECK === 0 ? block / CHECK : null;
  }

  /** The input of a question whose `asOf`, if it is a number, an answer to a token of the project had. @throws invalid_parameter */
  openedInput(input: object): object {
    const { asOf } = input as { readonly asOf?: unknown };
    if (typeof asOf !== "number") return input;
    const opened = this.opened(asOf);
    if (opened === null) throw unknownSequence();
    return { ...input, asOf: opened };
  }

  /** The same of an answer. */
  sealedAnswer(answer: unknown): unknown {
    const asOf = (answer as { readonly asOf?: unknown } | null)?.asOf;
    return typeof asOf === "number" ? { ...(answer as object), asOf: this.sealed(asOf) } : answer;
  }

  #mixed(round: number, half: number): number {
    const bytes = hmacSha256(this.#key, Uint8Array.of(round, half >>> 24, half >>> 16, half >>> 8, half));
    return new DataView(bytes.buffer).getUint32(bytes.byteOffset) >>> (32 - HALF_BITS);
  }
}

/** Of a sequence that is none, or that the store has not come to: how far it has come is not told. */
export function unknownSequence(): Error {
  return parameterError("invalid_parameter", "asOf", "expected latest, or a number that an answer to a token of this project had");
}

function sequencesOf(daybook: ServedDaybook): Sequences {
  const own = (daybook as { [SEQUENCES]?(): Sequences })[SEQUENCES]?.() ?? strangers.get(daybook);
  if (own !== undefined) return own;
  const made = { key: globalThis.crypto.getRandomValues(new Uint8Array(32)), newestOf: () => Infinity };
  strangers.set(daybook, made);
  return made;
}
