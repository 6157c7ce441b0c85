/**
 * A value that all copies of this package in a process share, for the life of the process: a program that both imports and requires it has two.
 * @param name of the value, whose shape must never change under that name, as copies may differ in version
 */
export function onePerProcess<T>(name: string, make: () => T): T {
  const key = Symbol.for(`daybook.${name}`);
  const kept = globalThis as Record<symbol, T>;
  return (kept[key] ??= make());
}
