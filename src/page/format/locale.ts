/** The names that `Intl` accepts: systems also report others, such as `en-US@posix`. */
export function knownLocales(names: readonly string[]): string[] {
  const known = names.filter((name) => {
    try {
      return Intl.getCanonicalLocales(name).length === 1;
    } catch {
      return false;
    }
  });
  return known.length > 0 ? known : ["en"];
}

/** The reader's languages, which determine the format of numbers, dates and countries. */
export const LOCALES: readonly string[] = knownLocales(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

/** The text of the page is English, so its plurals are too. */
const rules = new Intl.PluralRules("en");

/** "visit" or "visits": the word that matches a number. */
export function noun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === "one" ? one : many;
}

/** "1 visit", "2 visits": the number as text, and the matching word. */
export function plural(count: number, one: string, many = `${one}s`, shown = String(count)): string {
  return `${shown} ${noun(count, one, many)}`;
}
