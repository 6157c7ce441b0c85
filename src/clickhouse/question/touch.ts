import type { HostList, TouchDimension, TouchRule } from "../../plan/plan.js";
import { SECOND_LEVELS } from "../../plan/touch-hosts.js";
import { anyOf, shortLists, sql, text, texts, type Sql } from "../sql/sql.js";

/** Whether somebody brought the visit: by a campaign, else by a referrer that counts. */
export function isTouch(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)}))`;
}

/** The same of whoever pays: who signed in had been brought before. */
export function takesRevenue(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)} AND NOT ${isAmong(rule.signInHosts)}))`;
}

/** Who brought the visit; `""` where nobody did, or the touch does not tell. */
export function touchOf(dimension: TouchDimension, rule: TouchRule): Sql {
  if (dimension === "campaign") return sql`toString(touchCampaign)`;
  const campaign = dimension === "source" ? sql`toString(touchSource)` : sql`toString(touchMedium)`;
  const { signInHosts, searchHosts, socialHosts } = rule;
  const medium = sql`multiIf(${isAmong(signInHosts)}, 'referral', ${isAmong(searchHosts)}, 'organic', ${isAmong(socialHosts)}, 'social', 'referral')`;
  const ofReferrer = sql`if(${isTouch(rule)}, ${dimension === "source" ? sql`toString(touchHost)` : medium}, '')`;
  return sql`if(isCampaign, ${campaign}, ${ofReferrer})`;
}

/** Whether the host is listed. Domains as patterns, which a server tries with each host once, and not with each row. */
function isAmong({ hosts, domains }: HostList): Sql {
  const alone = hosts.length === 0 ? [] : [sql`touchHost IN ${texts(hosts)}`];
  const ends = domains.map((domain) => (domain.endsWith(".*") ? `${escaped(domain.slice(0, -2))}${ANY_ENDING}` : escaped(domain)));
  return anyOf([...alone, ...shortLists(ends).map((some) => sql`match(touchHost, ${text(`(?:^|\\.)(?:${some.join("|")})$`)})`)]);
}

const ANY_ENDING = `\\.(?:(?:${SECOND_LEVELS.join("|")})\\.[a-z]{2}|[^.]+)`;

function escaped(host: string): string {
  return host.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
