/** Calls a user's hook with each value; ignores what it throws or rejects with. */
export function notifyEach<T>(hook: (value: T) => unknown, values: readonly T[]): void {
  for (const value of values) void new Promise((resolve) => resolve(hook(value))).catch(() => undefined);
}
