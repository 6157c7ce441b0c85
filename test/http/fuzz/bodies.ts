import { OPERATOR_NAMES } from "../../../src/query/plan/filters/filter-groups.js";
import { insightQuery, type InsightName } from "../../support/random/insight-queries.js";
import { segment, type Known } from "../../support/random/insight-scope.js";
import type { Random } from "../../../src/testing/random.js";
import { NOW_MS } from "../kit.js";
import { wireInput } from "../wire-names.js";

const FIELDS = ["device", "url", "browser", "userId", "user_id", "name", "createdAt", "id", "path", "identity_id", "company_id", "metadata.plan", "metadata.deep.er", "plan"];
const VALUES = ["x", "pro", "1", "2026-03-01", "a,b", "", "^a+$", "(", "true", 5, true, ["a", "b"]];
const DATES = ["2026-03-01", "2026-03-05T12:00:00Z", "2026-03-01T00:00:00+02:00", null];

/** Most members of an object, each with some probability. */
function some(random: Random, members: Readonly<Record<string, () => unknown>>, share = 0.5): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(() => random.chance(share)).map(([key, make]) => [key, make()]));
}

const id = (random: Random) => random.pick(["u1", "u2", "a1", "ann@example.org", "7"]);

function question(random: Random, aggregates: boolean, searches: boolean): object {
  const filters = () =>
    Array.from({ length: random.below(4) }, () => ({ field_name: random.pick(FIELDS), operator: random.pick(OPERATOR_NAMES), value: random.pick(VALUES) }));
  return {
    ...some(random, {
      event_name: () => random.pick(["a", "b", "pageview"]),
      user_id: () => id(random),
      start_date: () => random.pick(DATES),
      end_date: () => random.pick(DATES),
      filter_groups: () => Array.from({ length: random.below(3) }, () => ({ filters: filters() })),
      fill: () => random.chance(0.5),
    }, 0.3),
    ...(aggregates ? { [random.pick(["field", "metadata_field"])]: random.pick(["device", "url", "user_id", "plan", "deep.er"]) } : {}),
    ...(searches ? { limit: random.between(1, 3) } : {}),
  };
}

function event(random: Random): object {
  return {
    name: random.pick(["a", "b", "pageview", "Order Completed"]),
    ...some(random, {
      id: () => `e${random.below(500)}`,
      userId: () => id(random),
      anonymous_id: () => id(random),
      createdAt: () => random.pick(["2026-03-01T00:00:00Z", 1_772_323_200_000, "2026-03-09T10:00:00.123Z"]),
      project: () => random.pick(["shop", "site"]),
      metadata: () => ({ plan: random.pick(["pro", "free", 1, null]), deep: { er: random.below(5) } }),
      url: () => `/p/${random.below(20)}`,
      value: () => random.below(100),
      currency: () => random.pick(["USD", "EUR"]),
    }),
  };
}

function call(random: Random): object {
  return {
    ...some(random, {
      messageId: () => `m${random.below(500)}`,
      userId: () => id(random),
      anonymousId: () => id(random),
      timestamp: () => "2026-03-02T00:00:00Z",
      sentAt: () => "2026-03-02T00:00:01Z",
      event: () => "signup",
      name: () => "home",
      groupId: () => "acme",
      previousId: () => id(random),
      traits: () => ({ email: "ann@example.org", plan: "pro" }),
      properties: () => ({ revenue: 5, currency: "USD" }),
      context: () => ({ page: { url: "https://x.example/a?b=c" }, userAgent: "Mozilla/5.0" }),
    }, 0.7),
  };
}

/** An input of the library, of which each query takes some members. */
function libraryInput(path: string, random: Random): object {
  const range = some(random, { startDate: () => random.pick(DATES), endDate: () => random.pick(DATES) }, 0.3);
  const project = some(random, { project: () => random.pick(["shop", "site", "nope"]) }, 0.4);
  if (/identity/.test(path)) return { [random.pick(["email", "userId"])]: id(random), ...range };
  if (/companyTopUsers/.test(path)) return { companyId: "acme" };
  if (/topCompanies/.test(path)) return some(random, { rangeDays: () => 5, sort: () => "events" });
  if (/ltvCohorts|revenue/.test(path)) return { project: "shop", ...some(random, { level: () => "identity" }) };
  if (/exports/.test(path)) return { ...range, ...project, ...some(random, { afterSequence: () => random.below(5), upToSequence: () => 9, eventName: () => "a" }, 0.2), ...some(random, { after: () => ({ createdAt: "2026-03-05T12:00:00.000Z", id: "0195800a-0000-7000-8000-000000000001" }) }) };
  return { ...range, ...project, ...some(random, { eventName: () => "a" }), ...(/aggregate/.test(path) ? { field: "device" } : {}) };
}

const INSIGHT = /^\/v1\/(projects\/[^/]*\/insights|query)\/(trend|funnel|retention|lifecycle|stickiness|paths|sessions|web|sessionsOverview|webOverview)$/;

function insight(name: string, isOfLibrary: boolean, random: Random): unknown {
  const report = (name === "sessions" || name === "web" ? `${name}Overview` : name) as InsightName;
  const { project, ...input } = insightQuery(report, known(random)).input;
  return isOfLibrary ? { ...input, project } : wireInput(input);
}

function known(random: Random): Known {
  return { random, timesMs: [NOW_MS, NOW_MS - 86_400_000], nowMs: NOW_MS, identityIds: ["idn_1"] };
}

/** A body that the route would mostly take. */
export function bodyFor(path: string, random: Random): unknown {
  const [, place, name] = INSIGHT.exec(path) ?? [];
  if (name !== undefined) return insight(name, place === "query", random);
  if (path === "/v1/scopes/sign") return { scope: wireInput(some(random, { projects: () => ["shop"], lastDays: () => 30 })), expires_in: random.pick([60, "1h"]) };
  if (path.startsWith("/v1/segments/")) return wireInput(segment(known(random)));
  if (/^\/v1\/(query|exports\/events)/.test(path)) return libraryInput(path, random);
  if (path === "/v1/exports/deletions") return { afterSequence: random.below(5) };
  if (path === "/v1/events") {
    const events = Array.from({ length: random.below(5) }, () => event(random));
    return random.chance(0.5) ? { events } : events;
  }
  if (path === "/v1/batch") {
    const kinds = ["track", "page", "screen", "identify", "group", "alias", "nothing"];
    return { batch: Array.from({ length: random.below(4) }, () => ({ type: random.pick(kinds), ...call(random) })) };
  }
  if (/^\/v1\/(track|page|screen|identify|group|alias)$/.test(path)) return call(random);
  if (path === "/v1/privacy-requests") {
    const subject = { [random.pick(["email", "user_id"])]: random.pick(["ann@example.org", "u1", "nobody"]) };
    return { type: random.pick(["access", "erasure", "portability"]), subject, ...some(random, { regulation: () => "ccpa" }), ...some(random, { project: () => "shop" }, 0.1) };
  }
  // Some events go; rules keep what there is.
  if (path === "/v1/events/delete") return { before: random.pick(["2026-03-01", "2026-03-01T12:00:00Z"]), ...some(random, { project: () => random.pick(["shop", "site"]) }) };
  if (path.startsWith("/v1/time-to-live")) return path.endsWith("sweep") ? {} : { project: random.pick(["shop", null]), ...(path.endsWith("off") ? {} : { days: random.between(20_000, 30_000) }) };
  if (path.endsWith("/resolve")) return { resolution: random.pick(["completed", "denied", "withdrawn", "no_records_found"]) };
  if (path.startsWith("/v1/privacy-requests")) return {};
  return question(random, path.endsWith("/aggregate"), path === "/search-events");
}
