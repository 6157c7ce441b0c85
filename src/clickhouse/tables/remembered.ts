/** Results that are kept; emptied when full. */
const KEPT_COUNT = 16_384;

/** A function of a text that remembers what it said last: of most fields the same texts come again and again. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= KEPT_COUNT) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}
