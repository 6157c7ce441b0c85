import { parameterError } from "../../core/base/errors.js";
import { hmacSha256 } from "../../core/base/hash.js";
import { SEQUENCES, type Sequences } from "../../engine/follow/changes.js";
import type { QueriedDaybook } from "./rights.js";

/** Sequences for wrapped Daybooks, whose own are not accessible. Numbers sealed with them are valid until the process ends. */
const fallbackSequences = new WeakMap<QueriedDaybook, Sequences>();

const ROUND_COUNT = 10;
const HALF_BITS = 26;
const HALF = 2 ** HALF_BITS;
/** Factor that puts a 32-bit sequence at the top of a 52-bit block; the zeros below it expose forged numbers. */
const CHECK = 2 ** 20;

/**
 * Encrypts sequences for tokens of one project, so that the numbers do not reveal how much other projects store.
 * A sequence and zeros, 52 bits, go through a Feistel network (Luby and Rackoff 1988; as many rounds as in NIST SP 800-38G).
 * The key is derived from that of the store and the project.
 */
export class SealedSequences {
  readonly #sequences: Sequences;
  readonly #key: Uint8Array;

  constructor(
    daybook: QueriedDaybook,
    readonly project: string,
  ) {
    this.#sequences = sequencesOf(daybook);
    this.#key = hmacSha256(this.#sequences.key, new TextEncoder().encode(`sequences\0${project}`));
  }

  /** Seals a sequence, or the project's newest sequence if that is earlier. */
  seal(sequence: number): number {
    const block = Math.min(sequence, this.#sequences.newestOf(this.project)) * CHECK;
    let [left, right] = [Math.floor(block / HALF), block % HALF];
    for (let round = 0; round < ROUND_COUNT; round += 1) [left, right] = [right, left ^ this.#roundFunction(round, right)];
    return left * HALF + right;
  }

  /** Opens a sealed number; null if it was not sealed here. */
  open(number: number): number | null {
    if (!Number.isSafeInteger(number) || number < 0 || number >= HALF * HALF) return null;
    let [left, right] = [Math.floor(number / HALF), number % HALF];
    for (let round = ROUND_COUNT - 1; round >= 0; round -= 1) [left, right] = [right ^ this.#roundFunction(round, left), left];
    const block = left * HALF + right;
    return block % CHECK === 0 ? block / CHECK : null;
  }

  /** Replaces a numeric `asOf` of an input by its sequence. @throws invalid_parameter (no answer to a token of this project contained it) */
  openInput(input: object): object {
    const { asOf } = input as { readonly asOf?: unknown };
    if (typeof asOf !== "number") return input;
    const sequence = this.open(asOf);
    if (sequence === null) throw unknownSequence();
    return { ...input, asOf: sequence };
  }

  sealAnswer(answer: unknown): unknown {
    const asOf = (answer as { readonly asOf?: unknown } | null)?.asOf;
    return typeof asOf === "number" ? { ...(answer as object), asOf: this.seal(asOf) } : answer;
  }

  #roundFunction(round: number, half: number): number {
    const bytes = hmacSha256(this.#key, Uint8Array.of(round, half >>> 24, half >>> 16, half >>> 8, half));
    return new DataView(bytes.buffer).getUint32(bytes.byteOffset) >>> (32 - HALF_BITS);
  }
}

/** The error for a number that was never sealed, or that is ahead of the store: it does not reveal the newest sequence. */
export function unknownSequence(): Error {
  return parameterError("invalid_parameter", "asOf", "expected latest, or a number from an answer to a token of this project");
}

function sequencesOf(daybook: QueriedDaybook): Sequences {
  const existing = (daybook as { [SEQUENCES]?(): Sequences })[SEQUENCES]?.() ?? fallbackSequences.get(daybook);
  if (existing !== undefined) return existing;
  const created = { key: globalThis.crypto.getRandomValues(new Uint8Array(32)), newestOf: () => Infinity };
  fallbackSequences.set(daybook, created);
  return created;
}
