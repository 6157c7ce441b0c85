/** The camelCase of a name of the wire, or path of names. */
export function camelCase(path: string): string {
  return path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** An answer of the wire with every name as the library spells it: not for what holds names that callers chose. */
export function libraryNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(libraryNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), libraryNames(member)]));
}

/** What is sent, with every name as the wire spells it: not for what holds names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), wireNames(member)]));
}
