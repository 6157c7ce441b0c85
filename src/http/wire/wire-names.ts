export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Parts of parameter paths that callers name themselves. */
const NAMED_BY_CALLERS = /^(segments\.)([^.[]*)/;

/** A parameter path as on the wire: `segments.MyOwn.groups[0].conditions[0].at_least`. */
export function wireParam(path: string): string {
  const [named = "", segments = "", name = ""] = NAMED_BY_CALLERS.exec(path) ?? [];
  return `${segments}${name}${snakeCase(path.slice(named.length))}`;
}

/** Converts all names in an answer to wire names, at every level; not for values with names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), wireNames(member)]));
}
