/** A camelCase name as the wire spells it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A name of the wire as the library spells it. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Where callers name members themselves. */
const NAMED_BY_CALLERS = /^(segments\.)([^.[]*)/;

/** The path of a parameter as the wire spells it: `segments.MyOwn.groups[0].conditions[0].at_least`. */
export function wireParam(path: string): string {
  const [named = "", segments = "", name = ""] = NAMED_BY_CALLERS.exec(path) ?? [];
  return `${segments}${name}${snakeCase(path.slice(named.length))}`;
}

/** An answer with every name spelled as on the wire, at every level: not for what holds names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), wireNames(member)]));
}
