import type { Alias } from "./record.js";

/** The user whom a user id stands for, once aliases merged users: each absorbed user has one parent, no circle is closed. */
export function survivorsOf(aliases: readonly Alias[]): (userId: string) => string {
  const parents = new Map<string, string>();
  const survivor = (userId: string): string => {
    const parent = parents.get(userId);
    return parent === undefined ? userId : survivor(parent);
  };
  for (const { from, to } of aliases) {
    if (!parents.has(from) && survivor(to) !== from) parents.set(from, to);
  }
  return survivor;
}
