/** Those that `Intl` takes: systems tell others too, such as `en-US@posix`. */
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

/** The reader's languages: they decide how numbers, dates and countries are written. */
export const LOCALES: readonly string[] = knownLocales(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

/** Words of the page are English, so their plurals are. */
const rules = new Intl.PluralRules("en");

/** "visit" or "visits": the word that fits a number. */
export function noun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === "one" ? one : many;
}

/** "1 visit", "2 visits": the number as text, and the word that fits it. */
export function plural(count: number, one: string, many = `${one}s`, shown = String(count)): string {
  return `${shown} ${noun(count, one, many)}`;
}
