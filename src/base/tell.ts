/** Tells somebody's hook of each value. What it throws, or rejects with, is passed to nobody. */
export function tellEach<T>(hook: (value: T) => unknown, values: readonly T[]): void {
  for (const value of values) void new Promise((resolve) => resolve(hook(value))).catch(() => undefined);
}
