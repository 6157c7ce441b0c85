import type { KeyGroups } from "../../query/answer/insights/combinations.js";

/** Numbers texts in order of arrival: each is a group of its own. */
export class TextNumbers implements KeyGroups {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  /** From 0. */
  numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  groupsOf(number: number): readonly number[] {
    return [number];
  }

  valuesOfGroup(number: number): readonly string[] {
    return [this.#texts[number] ?? ""];
  }
}
