import type { TouchDimension, TouchRule } from "../../plan/plan.js";
import { anyOf, shortLists, sql, text, type Sql } from "../sql/sql.js";

/** Whether somebody brought the visit: by a campaign, else by a referrer that counts. */
export function isTouch(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)}))`;
}

/** Who brought the visit; `""` where nobody did, or the touch does not tell. */
export function touchOf(dimension: TouchDimension, rule: TouchRule): Sql {
  if (dimension === "campaign") return sql`toString(touchCampaign)`;
  const campaign = dimension === "source" ? sql`toString(touchSource)` : sql`toString(touchMedium)`;
  const medium = sql`multiIf(${isAmong(rule.searchHosts)}, 'organic', ${isAmong(rule.socialHosts)}, 'social', 'referral')`;
  const ofReferrer = sql`if(${isTouch(rule)}, ${dimension === "source" ? sql`toString(touchHost)` : medium}, '')`;
  return sql`if(isCampaign, ${campaign}, ${ofReferrer})`;
}

/**
 * Whether the host, or a domain that it lies in, is listed; a last label of `*` stands for any ending. As patterns, which a server tries with each
 * host once, and not with each row.
 */
function isAmong(hosts: readonly string[]): Sql {
  const ends = hosts.map((host) => (host.endsWith(".*") ? escaped(host.slice(0, -1)) : `${escaped(host)}$`));
  return anyOf(shortLists(ends).map((some) => sql`match(touchHost, ${text(`(?:^|\\.)(?:${some.join("|")})`)})`));
}

function escaped(host: string): string {
  return host.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
