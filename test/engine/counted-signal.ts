/** Says stop when it is looked at so many times. */
export function signalOf(lookCount: number): { readonly aborted: boolean; readonly looks: () => number } {
  let looks = 0;
  return {
    get aborted() {
      looks += 1;
      return looks >= lookCount;
    },
    looks: () => looks,
  };
}
