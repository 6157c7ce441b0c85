/** A name of the wire, or a path of such names, in camelCase. */
export function camelCase(path: string): string {
  return path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts all names in an answer of the wire to names of the library; not for values with names that callers chose. */
export function libraryNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(libraryNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), libraryNames(member)]));
}

/** Converts all names in a request to names of the wire; not for values with names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), wireNames(member)]));
}
