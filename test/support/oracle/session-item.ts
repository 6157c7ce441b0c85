import { hash128, toHex } from "../../../src/core/base/hash.js";
import type { SessionItem } from "../../../src/query/plan/answers.js";
import type { Revenue } from "./revenue.js";
import type { Rules } from "./rules.js";
import { durationMs, type Session } from "./sessions.js";
import { campaignOf } from "./touch.js";

/** A session as answers show it. */
export function sessionItem(session: Session, revenue: Revenue, rules: Rules): SessionItem {
  const [first] = session;
  const { record } = first;
  const campaign = campaignOf(first);
  return {
    sessionId: `ses_${toHex(hash128("session", record.id))}`,
    project: record.project,
    startedAt: record.createdAt,
    endedAt: session.at(-1)?.record.createdAt ?? record.createdAt,
    durationSec: durationMs(session) / 1_000,
    events: session.length,
    pageviews: session.filter((event) => rules.pageviewSlugs.includes(event.record.slug)).length,
    isBounce: session.length === 1,
    entryUrl: record.url || null,
    exitUrl: session.map((event) => event.record.url).filter((url) => url !== "").at(-1) ?? null,
    referrer: record.referrer,
    utmSource: campaign?.source ?? null,
    utmMedium: campaign?.medium ?? null,
    utmCampaign: campaign?.campaign ?? null,
    device: record.device || null,
    os: record.os || null,
    browser: record.browser || null,
    screen: record.screen || null,
    language: record.language || null,
    locationCountry: record.locationCountry || null,
    locationRegion: record.locationRegion || null,
    locationCity: record.locationCity || null,
    revenue: revenue.shown(revenue.sumOf(revenue.countedOf(session))),
  };
}
