import { isoOf, parseTimestamp } from "../../base/time.js";
import type { ServedDaybook } from "../access/served-daybook.js";
import type { Seen } from "./visitors.js";

/** Ids of browsers in events since a time, of all organizations. Cost: these events are read. */
export async function* seenSince(organizations: ReadonlyMap<string, ServedDaybook>, sinceMs: number): AsyncGenerator<Seen> {
  for (const daybook of organizations.values()) {
    try {
      for await (const { anonymousId, createdAt } of daybook.exportEvents({ startDate: isoOf(sinceMs) })) {
        if (anonymousId !== undefined && anonymousId !== null) yield { id: String(anonymousId), atMs: parseTimestamp(createdAt) ?? sinceMs };
      }
    } catch {
      // One that cannot be read must not keep the others from collecting: its visitors are new.
    }
  }
}
