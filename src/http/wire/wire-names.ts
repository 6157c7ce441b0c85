/** A camelCase name, or path of names, as the wire spells it. */
export function snakeCase(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An answer with every name spelled as on the wire, at every level: not for what holds names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), wireNames(member)]));
}
