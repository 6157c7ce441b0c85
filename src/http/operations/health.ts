import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { FULLNESS } from "../../engine/ingest/allowance.js";
import type { FillingDaybook } from "../../engine/ingest/allowance.js";
import { healthOf, type ServedDaybook } from "../access/served-daybook.js";
import type { Services, OpenAnswer } from "../routing/route.js";

/** 200 while every organization accepts queries and events, else 503 with the worst state. */
export async function health({ organizations }: Services): Promise<OpenAnswer> {
  const states = await Promise.all([...organizations.values()].map(healthOf));
  const status = (["closed", "unreachable", "read_only"] as const).find((state) => states.includes(state)) ?? "ok";
  // Not a failure, because everything is stored and answered, but an operator must see it.
  const isWaiting = [...organizations.values()].some(({ timeToLive }) => (timeToLive?.waiting ?? null) !== null);
  // Likewise: new values of public keys are not stored.
  const isFilling = [...organizations.values()].some((daybook: ServedDaybook & Partial<FillingDaybook>) => (daybook[FULLNESS]?.() ?? 0) > SERVER_LIMITS.collectedShare);
  const told = { status, ...(isWaiting ? { time_to_live: "waiting" } : {}), ...(isFilling ? { distinct_values: "over_reserve" } : {}) };
  return { status: status === "ok" ? 200 : 503, text: JSON.stringify(told) };
}
