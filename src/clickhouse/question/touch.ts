import type { TouchDimension, TouchRule } from "../../plan/plan.js";
import { sql, texts, type Sql } from "../sql/sql.js";

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

/** Whether the host, or a domain that it lies in, is listed; a last label of `*` stands for any ending. */
function isAmong(hosts: readonly string[]): Sql {
  const anyEnding = hosts.filter((host) => host.endsWith(".*")).map((host) => `.${host.slice(0, -1)}`);
  const ends = hosts.filter((host) => !host.endsWith(".*")).map((host) => `.${host}`);
  const host = sql`concat('.', touchHost)`;
  return sql`(arrayExists(part -> position(${host}, part) > 0, ${texts(anyEnding)}) OR arrayExists(part -> endsWith(${host}, part), ${texts(ends)}))`;
}
