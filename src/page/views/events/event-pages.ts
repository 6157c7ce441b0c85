import type { FoundEvent, SearchAnswer } from "../../ask/answers.js";

/** The events of a question that are shown: its first page, and those that were asked for after. */
export interface EventPages {
  readonly key: string;
  readonly events: readonly FoundEvent[];
  readonly cursor: string | null;
}

/** Those of the newest page that are not shown yet. */
export function newEvents(pages: EventPages, { events }: SearchAnswer): FoundEvent[] {
  const known = new Set(pages.events.map(({ id }) => id));
  return events.filter(({ id }) => !known.has(id));
}

/** The newest page over what is shown; alone, where nothing joins them or the question is another one. */
export function withNew(pages: EventPages | null, key: string, newest: SearchAnswer): EventPages {
  if (pages === null || pages.key !== key) return { key, events: newest.events, cursor: newest.cursor };
  const added = newEvents(pages, newest);
  if (added.length === newest.events.length) return { key, events: newest.events, cursor: newest.cursor };
  return { key, events: [...added, ...pages.events], cursor: pages.cursor };
}

/** One page more at the end. */
export function withOlder(pages: EventPages | null, key: string, older: SearchAnswer): EventPages | null {
  if (pages === null || pages.key !== key) return pages;
  return { key, events: [...pages.events, ...newEvents(pages, older)], cursor: older.cursor };
}
