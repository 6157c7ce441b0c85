/** One change to the source. */
export interface Mutant {
  readonly file: string;
  /** What the changed source does not know or do. */
  readonly forgets: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
}

/** @param texts what is forgotten, the text, and what stands in its place: nothing where it is left out */
export function of(file: string, ...texts: readonly (readonly [forgets: string, text: string, replacement?: string])[]): Mutant[] {
  return texts.map(([forgets, text, replacement = ""]) => ({ file: `src/${file}`, forgets, text, replacement }));
}

/** Of all mutants no two have the same one. */
export function nameOf({ file, forgets }: Mutant): string {
  return `${file.slice("src/".length)}: ${forgets}`;
}
