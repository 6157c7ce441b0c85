/** Whether two lists hold the same objects in the same order, so that data derived from one is valid for the other. */
export function areSameParts(a: readonly object[], b: readonly object[]): boolean {
  return a === b || (a.length === b.length && a.every((part, at) => part === b[at]));
}
