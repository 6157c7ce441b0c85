import { DaybookError } from "../../../src/core/base/errors.js";
import type { IdentityDeviceGeo, IdentityProfile, IdentityReferrers, IdentitySessionsPage } from "../../../src/query/plan/answers.js";
import type { IdentityInput, IdentityReferrersInput } from "../../../src/query/plan/input.js";
import { deviceGeoOf } from "./device-geo.js";
import { identityId, type Identity } from "./identities.js";
import { DAY_MS, type Span } from "./instant.js";
import { byCodePoint } from "./json.js";
import { normalEmail } from "./record.js";
import { sessionItem } from "./session-item.js";
import { durationMs, sessionsOf, type Session } from "./sessions.js";
import { windowOf, within } from "./window.js";
import type { World } from "./world.js";

/** All sessions that start in the window, newest first. @throws as personOf and windowOf, as do the three below */
export function identitySessions(world: World, input: IdentityInput): Omit<IdentitySessionsPage, "cursor"> {
  const { revenue, rules } = world;
  const window = windowOf(input, rules.nowMs);
  const identity = personOf(world, input);
  const sessions = sessionsInWindow(world, identity, window).reverse();
  return { identityId: identityId(identity), sessions: sessions.map((session) => sessionItem(session, revenue, rules)) };
}

export function identityProfile(world: World, input: IdentityInput): IdentityProfile {
  const { revenue, rules } = world;
  const window = windowOf(input, rules.nowMs);
  const identity = personOf(world, input);
  const all = eventsOfIdentity(world, identity);
  const events = within(all, window);
  const sessions = sessionsInWindow(world, identity, window);
  const durations = sessions.map(durationMs).sort((a, b) => a - b);
  const sumMs = durations.reduce((sum, ms) => sum + ms, 0);
  const bounceCount = sessions.filter((session) => session.length === 1).length;
  const ofSessions = (compute: () => number) => (sessions.length === 0 ? null : compute());
  return {
    identityId: identityId(identity),
    events: events.length,
    pageviews: events.filter(({ record }) => rules.pageviewSlugs.includes(record.slug)).length,
    sessions: sessions.length,
    durationAvgSec: ofSessions(() => Math.round(sumMs / sessions.length) / 1_000),
    durationP90Sec: ofSessions(() => ninetiethPercentileMs(durations) / 1_000),
    bounceRate: ofSessions(() => Math.round((bounceCount / sessions.length) * 10_000) / 10_000),
    activeDays: new Set(events.map(({ createdAtMs }) => Math.floor(createdAtMs / DAY_MS))).size,
    firstSeen: all.at(0)?.record.createdAt ?? null,
    lastSeen: all.at(-1)?.record.createdAt ?? null,
    revenue: revenue.shown(revenue.sumOf(revenue.countedOf(events))),
    currency: rules.currency,
  };
}

export function identityReferrers(world: World, input: IdentityReferrersInput): IdentityReferrers {
  const window = windowOf(input, world.rules.nowMs);
  const identity = personOf(world, input);
  const events = within(eventsOfIdentity(world, identity), window);
  const all = events.map(({ record }) => record.referrer).filter((referrer) => referrer !== null);
  const rows = [...new Set(all)].map((referrer) => ({ referrer, count: all.filter((other) => other === referrer).length }));
  rows.sort((a, b) => b.count - a.count || byCodePoint(a.referrer, b.referrer));
  return { identityId: identityId(identity), referrers: rows.slice(0, input.limit ?? 10) };
}

export function identityDeviceGeo(world: World, input: IdentityInput): IdentityDeviceGeo {
  const window = windowOf(input, world.rules.nowMs);
  const identity = personOf(world, input);
  const events = within(eventsOfIdentity(world, identity), window);
  return { identityId: identityId(identity), ...deviceGeoOf(events) };
}

/** @throws exactly_one_required, identity_not_found */
function personOf({ identities }: World, input: IdentityInput): Identity {
  const [email, userId] = [input.email ?? "", input.userId ?? ""];
  if ((email === "") === (userId === "")) {
    throw new DaybookError("exactly_one_required", "expected exactly one of email and userId");
  }
  const identity = userId === "" ? identities.findEmail(normalEmail(email)) : identities.find(userId);
  if (identity === null) throw new DaybookError("identity_not_found", "no identity has this identifier");
  return identity;
}

function eventsOfIdentity({ events, identities }: World, identity: Identity) {
  return events.filter((event) => identities.of(event) === identity);
}

function sessionsInWindow(world: World, identity: Identity, { fromMs, toMs }: Span): Session[] {
  const sessions = sessionsOf(eventsOfIdentity(world, identity), world.revenue, world.rules);
  return sessions.filter(([{ createdAtMs }]) => createdAtMs >= fromMs && createdAtMs < toMs);
}

/** linear between the two closest ranks, in whole milliseconds. Multiplied by ten, so that nothing is lost before. */
function ninetiethPercentileMs(ascending: readonly number[]): number {
  const tenths = (ascending.length - 1) * 9;
  const below = ascending[Math.floor(tenths / 10)] ?? 0;
  const above = ascending[Math.ceil(tenths / 10)] ?? 0;
  return Math.round((below * 10 + (above - below) * (tenths % 10)) / 10);
}
