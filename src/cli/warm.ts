import type { ServedDaybook } from "../http/index.js";

/** The questions of the page that read what is kept of all time, those first that it asks first. */
const QUESTIONS: readonly ((daybook: ServedDaybook, project: string, signal: AbortSignal) => Promise<unknown>)[] = [
  (daybook, project, signal) => daybook.webOverview({ project }, { signal }),
  (daybook, _, signal) => daybook.topCompanies({}, { signal }),
  (daybook, project, signal) => daybook.ltvCohorts({ project }, { signal }),
  (daybook, project, signal) => daybook.revenueByAttribution({ project }, { signal }),
];

/**
 * Asks what the page asks of the project with the most events, before anybody does: sessions, payments, touches and who was seen are then in memory,
 * within the budget. One question after the other, each of which gives others their turns; what somebody asks meanwhile waits for what it needs.
 * Where several organizations have events, nothing is asked. Never rejects: who asks again hears what went wrong. Cost: all rows, once.
 */
export async function warm(organizations: Iterable<ServedDaybook>, signal: AbortSignal): Promise<void> {
  try {
    const [daybook, ...others] = await withEvents(organizations);
    if (daybook === undefined || others.length > 0) return;
    const [busiest] = await daybook.aggregate({ field: "project", limit: 1 }, { signal });
    if (busiest === undefined) return;
    for (const ask of QUESTIONS) await ask(daybook, busiest.property, signal);
  } catch {
    // Stopped, or damaged: a question that is asked says so.
  }
}

/** The default organization is always open, and often empty. */
async function withEvents(organizations: Iterable<ServedDaybook>): Promise<ServedDaybook[]> {
  const found: ServedDaybook[] = [];
  for (const daybook of organizations) if (((await daybook.stats?.())?.eventCount ?? 0) > 0) found.push(daybook);
  return found;
}
