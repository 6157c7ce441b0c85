/** One value for all copies of this package in a process. Its shape must never change under that name, as copies may differ in version. */
export function onePerProcess<T>(name: string, make: () => T): T {
  const key = Symbol.for(`daybook.${name}`);
  const kept = globalThis as Record<symbol, T>;
  return (kept[key] ??= make());
}
