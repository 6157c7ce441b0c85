/** One change to the source. */
export interface Mutant {
  /** The declaration that is changed: a function, a constant, a class or `Class.member`. */
  readonly symbol: string;
  /** What the changed source does not know or do. */
  readonly forgets: string;
  /** Stands in the declaration exactly once. */
  readonly text: string;
  readonly replacement: string;
}

/** @param texts what is forgotten, the text, and what stands in its place: nothing where it is left out */
export function of(symbol: string, ...texts: readonly (readonly [forgets: string, text: string, replacement?: string])[]): Mutant[] {
  return texts.map(([forgets, text, replacement = ""]) => ({ symbol, forgets, text, replacement }));
}

/** Of all mutants no two have the same one. */
export function nameOf({ symbol, forgets }: Mutant): string {
  return `${symbol}: ${forgets}`;
}
