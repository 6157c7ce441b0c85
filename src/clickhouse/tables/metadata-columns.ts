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

const encoder = new TextEncoder();

/** The column of a metadata key. Letters and digits stay, every other byte becomes `_` and its hex, so that no name has a special meaning. */
export function keyColumn(key: string): string {
  return `k_${escaped(key)}`;
}

/** The column with the leaves of a key's array or object. */
export function keyLeavesColumn(key: string): string {
  return `e_${escaped(key)}`;
}

/** The column of the value at a path within an object. Keys with dots are on no path. */
export function pathColumn(path: string): string {
  return `w_${escaped(path)}`;
}

export function pathLeavesColumn(path: string): string {
  return `v_${escaped(path)}`;
}

const escaped = remembered((key) => {
  const names = Array.from(encoder.encode(key), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9]/.test(character) ? character : `_${byte.toString(16).padStart(2, "0")}`;
  });
  return names.join("");
});
