import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";
import type { Records } from "./record.js";

interface Link {
  readonly anonymousId: string;
  readonly userId: string;
  readonly createdAtMs: number;
}

/** The user to whom an anonymous id belongs, before merges: of all its links the earliest, then the smallest user id. */
export function ownersOf(events: readonly OracleEvent[], { identifies, aliases }: Records): (anonymousId: string) => string | null {
  const links: Link[] = [
    ...[...events, ...identifies].filter(({ userId, anonymousId }) => userId !== "" && anonymousId !== ""),
    ...aliases.map(({ from, to, createdAtMs }) => ({ anonymousId: from, userId: to, createdAtMs })),
  ];
  links.sort((a, b) => a.createdAtMs - b.createdAtMs || byCodePoint(a.userId, b.userId));
  return (anonymousId) => links.find((link) => link.anonymousId === anonymousId)?.userId ?? null;
}
