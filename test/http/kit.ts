import { fixedClock } from "../../src/core/base/time.js";
import type { Daybook } from "../../src/engine/daybook.js";
import type { SavedSegment } from "../../src/engine/query/saved-segments.js";
import { encodeScopeToken } from "../../src/engine/tokens/scope-token.js";
import type { DaybookStats } from "../../src/engine/upkeep/stats.js";
import type { DeletionReceipt } from "../../src/engine/upkeep/deletions.js";
import { createHandler, memoryTokens, type Handler, type HandlerOptions, type ServedDaybook, type TokenEntry } from "../../src/http/index.js";
import { AUTHORIZE, type Authorization } from "../../src/engine/query/authorization.js";
import type { PrivacyRequest } from "../../src/engine/privacy/requests.js";
import type { ReportName } from "../../src/query/queries.js";
import { reports } from "../../src/query/reports/reports.js";
import { context as planContext } from "../query/plan/thrown.js";
import { REPORT_ANSWERS } from "./report-answers.js";

export const NOW_MS = Date.parse("2026-03-10T12:00:00.000Z");

/** Tokens of every kind; the value says what it may. */
export const TOKENS: readonly TokenEntry[] = [
  { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
  { token: "sk_shop_0123456789abcdefgh", role: "owner", scopes: ["*"], project: "shop" },
  { token: "sk_other_0123456789abcdefgh", role: "owner", scopes: ["*"], organization: "other" },
  { token: "sk_analytics_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"] },
  { token: "sk_search_0123456789abcdefgh", role: "viewer", scopes: ["events:read"] },
  { token: "sk_write_0123456789abcdefgh", role: "viewer", scopes: ["events:write"] },
  { token: "sk_expired_0123456789abcdefgh", role: "owner", scopes: ["*"], expires_at: "2026-03-10T12:00:00.000Z" },
  { token: "sk_fresh_0123456789abcdefgh", role: "owner", scopes: ["*"], expires_at: "2026-03-10T12:00:00.001Z" },
  { token: "sk_revoked_0123456789abcdefgh", role: "owner", scopes: ["*"], revoked_at: "2026-03-01T00:00:00.000Z" },
  { token: "sk_nowhere_0123456789abcdefgh", role: "owner", scopes: ["*"], organization: "nowhere" },
];

/** What the stub was asked, in order. */
export interface Asked {
  readonly method: string;
  readonly input: unknown;
  readonly options?: unknown;
}

const context = { ...planContext, nowMs: NOW_MS };

/** A privacy request that has gone as far as it can. */
export const PRIVACY_REQUEST: PrivacyRequest = {
  id: "0195800a-0000-7000-8000-000000000001",
  type: "erasure",
  status: "resolved",
  resolution: "completed",
  regulation: "gdpr",
  subject: { userId: "u1" },
  identityId: "idn_1",
  project: null,
  createdAt: "2026-03-01T00:00:00.000Z",
  verifiedAt: "2026-03-02T00:00:00.000Z",
  acknowledgedAt: "2026-03-03T00:00:00.000Z",
  resolvedAt: "2026-03-04T00:00:00.000Z",
  dueAt: "2026-06-01T00:00:00.000Z",
  extendedAt: "2026-03-03T12:00:00.000Z",
  overdue: false,
  receipt: {
    erasedAt: "2026-03-04T00:00:00.000Z",
    events: 1,
    identifyCalls: 2,
    groupCalls: 3,
    aliasCalls: 4,
    userIds: 5,
    anonymousIds: 6,
    emails: 7,
    dictionaryValues: 8,
    segmentsRewritten: 9,
  },
};

const DELETION_RECEIPT: DeletionReceipt = { deletedAt: "2026-03-04T00:00:00.000Z", events: 1, segmentsRewritten: 2, segmentsRemoved: 3, dictionaryValues: 4 };

const SIGNED_TOKEN = encodeScopeToken(
  { organization: "default", issuedMs: NOW_MS, expiresMs: NOW_MS + 3_600_000, payloadByteLength: 0, deflatedPayload: new Uint8Array() },
  () => new Uint8Array(32),
);

const SAVED_SEGMENT: SavedSegment = {
  name: "buyers",
  groups: [{ conditions: [{ type: "did", eventName: "order", atLeast: 2, filterGroups: [{ filters: [{ fieldName: "device", operator: "is_set" }] }] }] }],
};

const STATS: DaybookStats = {
  eventCount: 7,
  dayCount: 2,
  segmentCount: 3,
  headRowCount: 4,
  firstDay: "2026-03-01",
  lastDay: "2026-03-02",
  projects: ["shop", "site"],
  storedByteLength: 500,
  memoryByteLength: 600,
  distinctValues: { byteLength: 30, byteLengthMax: 40, metadataKeyCount: 5 },
  health: "ok",
  sealError: null,
  quarantine: [],
  scrub: null,
};

/** A Daybook without a store: plans every query as the engine does, and answers it with a constant. */
export function stubDaybook(overrides: Partial<Daybook> = {}): Daybook & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const query =
    <Answer>(method: ReportName, answer: Answer) =>
    async (input?: object, options?: unknown) => {
      const plan = reports[method].plan(input ?? {}, context);
      (options as Authorization | undefined)?.[AUTHORIZE]?.(plan);
      asked.push({ method, input, options });
      return answer;
    };
  const told =
    <Answer>(method: string, answer: Answer) =>
    async (...input: unknown[]) => {
      asked.push({ method, input: input.length === 1 ? input[0] : input });
      return answer;
    };
  const stub: Partial<Daybook> = {
    countEvents: query("countEvents", 7),
    countUniqueUsers: query("countUniqueUsers", 3),
    countEventsPerDay: query("countEventsPerDay", [{ day: "2026-03-01T00:00:00.000Z", count: 7 }]),
    countEventsRunningTotalPerDay: query("countEventsRunningTotalPerDay", [{ day: "2026-03-01T00:00:00.000Z", count: 7 }]),
    countUniqueUsersPerDay: query("countUniqueUsersPerDay", [{ day: "2026-03-01T00:00:00.000Z", count: 3 }]),
    aggregate: query("aggregate", [{ property: "desktop", count: 7 }]),
    searchEvents: query("searchEvents", { cursor: null, events: [] }),
    ingest: async (events, options) => {
      asked.push({ method: "ingest", input: events, options });
      return { accepted: events.length, duplicates: 0, rejected: [], adjusted: [] };
    },
    ingestRecords: async (records) => {
      asked.push({ method: "ingestRecords", input: records });
      return { accepted: records.length, duplicates: 0, rejected: [], adjusted: [] };
    },
    identitySessions: query("identitySessions", REPORT_ANSWERS.identitySessions),
    identityProfile: query("identityProfile", REPORT_ANSWERS.identityProfile),
    identityReferrers: query("identityReferrers", REPORT_ANSWERS.identityReferrers),
    identityDeviceGeo: query("identityDeviceGeo", REPORT_ANSWERS.identityDeviceGeo),
    revenueByAttribution: query("revenueByAttribution", REPORT_ANSWERS.revenueByAttribution),
    ltvCohorts: query("ltvCohorts", REPORT_ANSWERS.ltvCohorts),
    topCompanies: query("topCompanies", REPORT_ANSWERS.topCompanies),
    companyTopUsers: query("companyTopUsers", REPORT_ANSWERS.companyTopUsers),
    trend: query("trend", REPORT_ANSWERS.trend),
    funnel: query("funnel", REPORT_ANSWERS.funnel),
    retention: query("retention", REPORT_ANSWERS.retention),
    lifecycle: query("lifecycle", REPORT_ANSWERS.lifecycle),
    stickiness: query("stickiness", REPORT_ANSWERS.stickiness),
    paths: query("paths", REPORT_ANSWERS.paths),
    sessionsOverview: query("sessionsOverview", REPORT_ANSWERS.sessionsOverview),
    webOverview: query("webOverview", REPORT_ANSWERS.webOverview),
    identify: told("identify", { linkId: "link" }),
    group: told("group", { linkId: "link" }),
    alias: told("alias", { linkId: "link" }),
    privacyRequests: {
      create: told("create", PRIVACY_REQUEST),
      list: told("list", [PRIVACY_REQUEST]),
      get: told("get", PRIVACY_REQUEST),
      verify: told("verify", PRIVACY_REQUEST),
      acknowledge: told("acknowledge", PRIVACY_REQUEST),
      extend: told("extend", PRIVACY_REQUEST),
      resolve: told("resolve", PRIVACY_REQUEST),
      bundle: async function* (id) {
        asked.push({ method: "bundle", input: id });
        await Promise.resolve();
        yield '{"kind":"identity"}\n';
        yield '{"kind":"event"}\n';
      },
    },
    segments: {
      put: told("segments.put", SAVED_SEGMENT),
      list: told("segments.list", [SAVED_SEGMENT]),
      delete: told("segments.delete", true),
    },
    deleteEvents: told("deleteEvents", DELETION_RECEIPT),
    deleteProject: told("deleteProject", DELETION_RECEIPT),
    timeToLive: {
      set: told("timeToLive.set", undefined),
      off: told("timeToLive.off", true),
      list: told("timeToLive.list", [{ project: null, days: 90 }, { project: "shop", days: 7 }]),
      preview: told("timeToLive.preview", { events: 3, days: 2, projects: [{ project: "shop", keptFrom: "2026-03-03", events: 3, days: 2 }] }),
      sweep: told("timeToLive.sweep", DELETION_RECEIPT),
    },
    signScope: told("signScope", SIGNED_TOKEN),
    verifyScopeToken: told("verifyScopeToken", { scope: {}, organization: "default", expiresAt: "2026-03-10T13:00:00.000Z", origins: null }),
    unlink: async (linkId) => {
      asked.push({ method: "unlink", input: linkId });
    },
    exportEvents: async function* (input) {
      asked.push({ method: "exportEvents", input });
      await Promise.resolve();
      yield { id: "0195800a-0000-7000-8000-000000000002", name: "a", createdAt: "2026-03-01T00:00:00.000Z" };
    },
    exportDeletions: async function* () {
      await Promise.resolve();
      yield { action: "delete", fromSequence: 1, toSequence: 7, projectSha256: null, before: null, idPrefix: null, sequence: 7, deletedAt: "2026-03-01T00:00:00.000Z" };
    },
    exportRecords: async function* () {
      await Promise.resolve();
      yield { type: "project", name: "shop" };
    },
    changes: async function* () {
      await Promise.resolve();
      yield { sequence: 7, projects: ["shop"] };
    },
    stats: told("stats", STATS),
    projects: () => ["shop", "site"],
    health: "ok",
    ...overrides,
  };
  return Object.assign(stub as Daybook, { asked });
}

export function handlerOf(daybook: ServedDaybook, options: Partial<HandlerOptions> = {}): Handler {
  return createHandler({
    organizations: { default: daybook, other: stubDaybook({ projects: () => ["elsewhere"] }) },
    tokens: memoryTokens(TOKENS),
    clock: fixedClock(NOW_MS),
    requestId: () => "request-1",
    ...options,
  });
}

export interface SendOptions {
  readonly method?: string;
  /** Null: no Authorization header. */
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A JSON request; a string or bytes as body go out as they are. */
export function requestOf(path: string, { method, token = "sk_owner_0123456789abcdefgh", body, headers }: SendOptions = {}): Request {
  const raw = typeof body === "string" || body instanceof Uint8Array || body === undefined;
  const init: RequestInit = {
    method: method ?? "POST",
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  };
  if (body !== undefined) init.body = raw ? (body as BodyInit) : JSON.stringify(body);
  return new Request(`http://daybook.test${path}`, init);
}

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed, or null where there is no body or one of lines. */
  readonly json: Record<string, unknown>;
}

export async function send(handler: Handler, path: string, options?: SendOptions): Promise<Sent> {
  const response = await handler(requestOf(path, options));
  const text = await response.text();
  const isJson = /^application\/(json|problem\+json)/.test(response.headers.get("content-type") ?? "");
  const json = (text === "" || !isJson ? null : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, text, json };
}

export async function get(handler: Handler, path: string, options?: SendOptions): Promise<Sent> {
  return await send(handler, path, { method: "GET", ...options });
}

/** Code of an error in either envelope. */
export function codeOf({ json }: Sent): unknown {
  return json["code"] ?? (json["error"] as Record<string, unknown> | undefined)?.["code"];
}
