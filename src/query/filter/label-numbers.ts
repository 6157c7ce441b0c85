import type { PathsPlan } from "../plan/insights/plan.js";
import { compileRegex, type Regex } from "./regex.js";

/** The number of a value that is no node. */
export const NO_LABEL = 0xffffffff;

interface Rule {
  readonly regex: Regex;
  readonly label: string;
}

/** Numbers the labels of path nodes: a value, or the label of the first rule that matches it. */
export class LabelNumbers {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  private constructor(readonly rules: readonly Rule[]) {}

  /** Compiles the rules of a plan. @throws invalid_regex */
  static async of({ rules }: PathsPlan): Promise<LabelNumbers> {
    const compiled = rules.map(async ({ pattern, label }, at) => ({ regex: await compileRegex(pattern, `rules[${at}].pattern`), label }));
    return new LabelNumbers(await Promise.all(compiled));
  }

  /** The number of a value's label; `NO_LABEL` for `""`. */
  ofValue(text: string): number {
    return text === "" ? NO_LABEL : this.ofLabel(this.rules.find(({ regex }) => regex.test(text))?.label ?? text);
  }

  ofLabel(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) this.#numbers.set(text, (number = this.#texts.push(text) - 1));
    return number;
  }

  textOf(label: number): string {
    return this.#texts[label] ?? "";
  }
}
