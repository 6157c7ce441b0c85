import type { Dictionaries } from "../../../storage/column/dictionaries.js";

/** Codes of the page view slugs. */
export function pageviewCodes(dictionaries: Dictionaries, slugs: readonly string[]): ReadonlySet<number> {
  const dictionary = dictionaries.named("slug");
  return new Set(slugs.map((slug) => dictionary.codeOf(slug)).filter((code) => code > 0));
}
