import type { HostList, TouchDimension, TouchRule } from "../../query/plan/plan.js";
import { SECOND_LEVELS } from "../../query/plan/touch-hosts.js";
import { anyOf, shortLists, sql, text, texts, type Sql } from "../sql/sql.js";

/** Whether an event has a touch: a campaign, or a referrer that counts. */
export function isTouch(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)}))`;
}

/** The same for revenue, where sign-in hosts do not count: the payer had come before signing in. */
export function takesRevenue(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)} AND NOT ${isAmong(rule.signInHosts)}))`;
}

/** A dimension of the touch; `""` without a touch, or where it does not have the dimension. */
export function touchOf(dimension: TouchDimension, rule: TouchRule): Sql {
  if (dimension === "campaign") return sql`toString(touchCampaign)`;
  const campaign = dimension === "source" ? sql`toString(touchSource)` : sql`toString(touchMedium)`;
  const { signInHosts, searchHosts, socialHosts } = rule;
  const medium = sql`multiIf(${isAmong(signInHosts)}, 'referral', ${isAmong(searchHosts)}, 'organic', ${isAmong(socialHosts)}, 'social', 'referral')`;
  const ofReferrer = sql`if(${isTouch(rule)}, ${dimension === "source" ? sql`toString(touchHost)` : medium}, '')`;
  return sql`if(isCampaign, ${campaign}, ${ofReferrer})`;
}

/** Whether the host is listed. Domains are patterns, which a server matches once per distinct host, not per row. */
function isAmong({ hosts, domains }: HostList): Sql {
  const alone = hosts.length === 0 ? [] : [sql`touchHost IN ${texts(hosts)}`];
  const ends = domains.map((domain) => (domain.endsWith(".*") ? `${escaped(domain.slice(0, -2))}${ANY_ENDING}` : escaped(domain)));
  return anyOf([...alone, ...shortLists(ends).map((some) => sql`match(touchHost, ${text(`(?:^|\\.)(?:${some.join("|")})$`)})`)]);
}

const ANY_ENDING = `\\.(?:(?:${SECOND_LEVELS.join("|")})\\.[a-z]{2}|[^.]+)`;

function escaped(host: string): string {
  return host.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
