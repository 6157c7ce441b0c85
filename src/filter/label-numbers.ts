import type { PathsPlan } from "../plan/insights/plan.js";
import { compileRegex, type Regex } from "./regex.js";

/** What is no node of a path. */
export const NO_LABEL = 0xffffffff;

interface Rule {
  readonly regex: Regex;
  readonly label: string;
}

/** Numbers what nodes of paths are called: by their value, or by the first rule that matches it. */
export class LabelNumbers {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  private constructor(readonly rules: readonly Rule[]) {}

  /** @throws invalid_regex */
  static async of({ rules }: PathsPlan): Promise<LabelNumbers> {
    const compiled = rules.map(async ({ pattern, label }, at) => ({ regex: await compileRegex(pattern, `rules[${at}].pattern`), label }));
    return new LabelNumbers(await Promise.all(compiled));
  }

  /** Of a value; `NO_LABEL` for `""`, which is none. */
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
