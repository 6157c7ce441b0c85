import { DaybookError } from "../../../src/core/base/errors.js";
import type { CompanyTopUsers, TopCompanies } from "../../../src/query/plan/answers.js";
import type { CompanyTopUsersInput, TopCompaniesInput } from "../../../src/query/plan/input.js";
import { descending } from "./attribution.js";
import type { OracleEvent } from "./event.js";
import type { Identity } from "./identities.js";
import type { Span } from "./instant.js";
import { byCodePoint } from "./json.js";
import { windowOfDays, within } from "./window.js";
import type { World } from "./world.js";

/** The companies with an event in the last days. A limit of `Infinity` shows all. */
export function topCompanies(world: World, input: TopCompaniesInput): TopCompanies {
  const { companies, revenue, rules } = world;
  const events = within(world.events, windowOfDays(input.rangeDays, rules.nowMs));
  const names = [...new Set(events.map(companies.of))].filter((companyId) => companyId !== "");
  const rows = names.map((companyId) => {
    const own = events.filter((event) => companies.of(event) === companyId);
    const lastSeenMs = own.at(-1)?.createdAtMs ?? 0;
    return { companyId, events: own.length, users: identifiedOf(world, own).length, lastSeenMs, exact: revenue.sumOf(revenue.countedOf(own)) };
  });
  const sort = input.sort ?? "users";
  rows.sort((a, b) => {
    const bySort = sort === "revenue" ? descending(a.exact, b.exact) : sort === "last_seen" ? b.lastSeenMs - a.lastSeenMs : b[sort] - a[sort];
    return bySort || b.users - a.users || b.events - a.events || b.lastSeenMs - a.lastSeenMs || byCodePoint(a.companyId, b.companyId);
  });
  return {
    currency: rules.currency,
    companies: rows.slice(0, input.limit ?? 50).map(({ companyId, events: eventCount, users, lastSeenMs, exact }) => ({
      companyId,
      name: companies.nameOf(companyId),
      domain: companies.domainOf(companyId),
      events: eventCount,
      users,
      lastSeen: new Date(lastSeenMs).toISOString(),
      revenue: revenue.shown(exact),
    })),
  };
}

/** The identified identities of a company in the last days. A limit of `Infinity` shows all. @throws company_not_found */
export function companyTopUsers(world: World, { companyId, rangeDays, limit }: CompanyTopUsersInput): CompanyTopUsers {
  const { companies, identities, rules } = world;
  if (!companies.has(companyId)) throw new DaybookError("company_not_found", `no company is called ${companyId}`);
  const window: Span = windowOfDays(rangeDays, rules.nowMs);
  const events = within(world.events, window).filter((event) => companies.of(event) === companyId);
  const users = identifiedOf(world, events).map((identity) => {
    const own = events.filter((event) => identities.of(event) === identity);
    const resolvedIdentifier = identities.resolvedIdentifier(identity) ?? "";
    return { resolvedIdentifier, events: own.length, lastSeen: own.at(-1)?.record.createdAt ?? "" };
  });
  users.sort((a, b) => {
    const byLastSeen = a.lastSeen === b.lastSeen ? 0 : a.lastSeen < b.lastSeen ? 1 : -1;
    return b.events - a.events || byLastSeen || byCodePoint(a.resolvedIdentifier, b.resolvedIdentifier);
  });
  return { companyId, users: users.slice(0, limit ?? 20) };
}

/** The distinct identities with a resolved identifier behind some events. */
function identifiedOf({ identities }: World, events: readonly OracleEvent[]): Identity[] {
  const distinct = [...new Set(events.map(identities.of))].filter((identity) => identity !== null);
  return distinct.filter((identity) => identities.resolvedIdentifier(identity) !== null);
}
