/** Bound of the cache, which is cleared when full. */
const KEPT_COUNT = 16_384;

/** Caches the results of a function of a text: in most fields the same texts recur. */
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
