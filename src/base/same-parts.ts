/** Whether two lists hold the very same objects in the same order: what was made of one is good for the other. */
export function areSameParts(a: readonly object[], b: readonly object[]): boolean {
  return a === b || (a.length === b.length && a.every((part, at) => part === b[at]));
}
