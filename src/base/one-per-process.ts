/**
 * What all copies of this package in a process have in common: a program that both imports and requires it has two. It stays for the life
 * of the process.
 * @param name of the thing; what is kept under a name must never change its shape, as copies may differ in version
 */
export function onePerProcess<T>(name: string, make: () => T): T {
  const key = Symbol.for(`daybook.${name}`);
  const kept = globalThis as Record<symbol, T>;
  return (kept[key] ??= make());
}
