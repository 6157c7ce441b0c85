/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and numbers are bounded by their lists */
import { withRoomFor } from "../../../core/base/arrays.js";
import type { Dictionary } from "../../../storage/column/dictionary.js";

/** Estimate for a key of a map and its entry. */
const TEXT_BYTES = 96;

/** Numbers orders, and refunds with an id, from 1 in order of arrival. An external id and the same text in metadata name one order. */
export class OrderNumbers {
  #count = 0;
  /** By code of an external id: the number of its order in the project that had it first; 0 for none. */
  #ofIds = new Uint32Array(0);
  /** By number of such an order. */
  #projects = new Uint32Array(64);
  /** By project and text: orders of the other projects, and those that only metadata named so far. */
  readonly #ofTexts = new Map<string, number>();
  readonly #ofRefunds = new Map<string, number>();

  constructor(readonly externalIds: Dictionary) {}

  /** The greatest number. */
  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#ofIds.byteLength + this.#projects.byteLength + (this.#ofTexts.size + this.#ofRefunds.size) * TEXT_BYTES;
  }

  /** @param externalId a code other than 0 */
  ofId(project: number, externalId: number): number {
    if (externalId >= this.#ofIds.length) this.#ofIds = withRoomFor(this.#ofIds, Math.max(externalId + 1, this.externalIds.size));
    const known = this.#ofIds[externalId]!;
    if (known !== 0) return this.#projects[known] === project ? known : this.#numberIn(this.#ofTexts, this.#keyOf(project, externalId));
    // Texts are only read if metadata names orders.
    const named = this.#ofTexts.size === 0 ? undefined : this.#ofTexts.get(this.#keyOf(project, externalId));
    const number = named ?? (this.#count += 1);
    this.#ofIds[externalId] = number;
    this.#projects = withRoomFor(this.#projects, number + 1);
    this.#projects[number] = project;
    return number;
  }

  /** @param text of the metadata, not empty */
  ofText(project: number, text: string): number {
    const externalId = this.externalIds.codeOf(text);
    const known = externalId > 0 ? (this.#ofIds[externalId] ?? 0) : 0;
    return known !== 0 && this.#projects[known] === project ? known : this.#numberIn(this.#ofTexts, keyOf(project, text));
  }

  /** @param order 0 for a refund that names none */
  ofRefund(project: number, order: number, id: string): number {
    return this.#numberIn(this.#ofRefunds, `${project} ${order} ${id}`);
  }

  #keyOf(project: number, externalId: number): string {
    return keyOf(project, this.externalIds.valueOf(externalId));
  }

  #numberIn(numbers: Map<string, number>, key: string): number {
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = this.#count += 1));
    return number;
  }
}

function keyOf(project: number, text: string): string {
  return `${project} ${text}`;
}
