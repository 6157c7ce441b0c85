/* Names as the wire spells them, written down a second time, so that tests do not ask the adapter what it should have said. */

/** A path of members. Names that callers chose for segments stay. */
export function wireName(path: string): string {
  const [, place = "", rest = path] = /^(segments\.[^.[]*)?(.*)$/s.exec(path) ?? [];
  return place + rest.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The text of an answer of the library: done on the text, so unlike the adapter does it. */
export function wireText(answer: unknown): string {
  return JSON.stringify(answer).replace(/"(\w+)":/g, (_, name: string) => `"${wireName(name)}":`);
}

/** A query, or part of it. What filters compare with stays as it is, and so do the names of segments. */
export function wireInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireInput);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => {
    if (name === "value") return [name, member];
    return [wireName(name), name === "segments" ? withNames(member) : wireInput(member)];
  }));
}

function withNames(segments: unknown): unknown {
  if (typeof segments !== "object" || segments === null || Array.isArray(segments)) return segments;
  return Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, wireInput(segment)]));
}
