import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDaybook } from "../src/client/index.js";
import type { DaybookClient } from "../src/client/index.js";
import { createHandler, createToken, memoryTokens } from "../src/http/index.js";
import { memoryStorage, openDaybook } from "../src/index.js";
import type { Daybook, PrivacyRequests, ReportName, Segments, TimeToLive } from "../src/index.js";
import { fileStorage, listen, listenOnWorker, backgroundSealing, openOrganizations, toNodeHandler } from "../src/platform/node/index.js";
import { generateTraffic, SimulatedDisk, SimulatedFileSystem } from "daybook/testing";
import { oracle } from "./support/index.js";
import { clientOver } from "./client/kit.js";
import { handlerOf, stubDaybook } from "./http/kit.js";

const handler = handlerOf(stubDaybook());
const client = { url: "http://127.0.0.1:1", token: "sk_1_0123456789abcdefgh" };
const house = { organizations: {}, tokens: memoryTokens([]) };
const store = { storage: memoryStorage() };

/** Whatever takes options, with one that it has. */
const TAKERS: readonly (readonly [name: string, known: string, take: (options: object | null) => unknown])[] = [
  ["listen", "drainMs", (options) => listen(handler, options as never)],
  ["listenOnWorker", "program", (options) => listenOnWorker(handler, options as never)],
  ["backgroundSealing", "program", (options) => backgroundSealing(options as never)],
  ["toNodeHandler", "basePath", (options) => toNodeHandler(handler, options as never)],
  ["fileStorage", "lockLeaseMs", (options) => fileStorage(tmpdir(), options as never)],
  ["openOrganizations", "maxOpen", (options) => openOrganizations(tmpdir(), options as never)],
  ["connectDaybook", "timeoutMs", (options) => connectDaybook((options === null ? options : { ...client, ...options }) as never)],
  ["createHandler", "tokens", (options) => createHandler((options === null ? options : { ...house, ...options }) as never)],
  ["createToken", "project", (options) => createToken((options === null ? options : { role: "owner", scopes: [], nowMs: 0, ...options }) as never)],
  ["openDaybook", "storage", (options) => openDaybook((options === null ? options : { ...store, ...options }) as never)],
  ["oracle", "nowMs", (options) => oracle([], options as never)],
  ["generateTraffic", "seed", (options) => [...generateTraffic(options as never)]],
  ["SimulatedFileSystem", "faults", (options) => new SimulatedFileSystem(new SimulatedDisk(), options as never)],
];

async function taken(take: (options: object | null) => unknown, options: object | null): Promise<void> {
  await take(options);
}

describe.each(TAKERS)("%s", (_name, known, take) => {
  it("refuses an option that it does not know, and names those that it does", async () => {
    const message = expect.stringMatching(new RegExp(`^misspelt: unknown; allowed: .*\\b${known}\\b`)) as string;
    await expect(taken(take, { misspelt: true })).rejects.toMatchObject({ code: "unknown_parameter", message, details: { param: "misspelt" } });
  });

  it("refuses options that are none", async () => {
    await expect(taken(take, null)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "options", reason: "expected an object, got null" } });
  });
});

it.each([
  ["listen", "limits", (limits: object) => listen(handler, { limits })],
  ["listenOnWorker", "limits", (limits: object) => listenOnWorker(handler, { limits })],
  ["createHandler", "limits", (limits: object) => createHandler({ ...house, limits })],
  ["openDaybook", "session", (session: object) => openDaybook({ ...store, session })],
  ["openDaybook", "revenue", (revenue: object) => openDaybook({ ...store, revenue })],
  ["openDaybook", "attribution", (attribution: object) => openDaybook({ ...store, attribution })],
  ["openDaybook", "scrub", (scrub: object) => openDaybook({ ...store, scrub })],
  ["openDaybook", "track", (track: object) => openDaybook({ ...store, track })],
  ["connectDaybook", "track", (track: object) => connectDaybook({ ...client, track })],
  ["connectDaybook", "retry", (retry: object) => connectDaybook({ ...client, retry })],
] as const)("%s refuses %s that it does not know", async (_name, option, take) => {
  await expect(taken(take as never, { headerMs: 5 })).rejects.toMatchObject({ code: "unknown_parameter", details: { param: `${option}.headerMs` } });
  await expect(taken(take as never, [])).rejects.toMatchObject({ code: "invalid_parameter", details: { param: option } });
});

const MISSPELT = { misspelt: 1 };
const STEPS = [{ eventName: "a" }, { eventName: "b" }];
const CONDITION = { type: "did", eventName: "a" };

/** Calls a method with an unknown member: of its input, of what stands in it, and of the options behind it. `null`: it takes no object. */
type Cases<Place> = Readonly<Record<string, (daybook: Place) => unknown>> | null;

async function read(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) void item;
}

const query = (name: ReportName, input: object = {}): Cases<Pick<Daybook, ReportName>> => ({
  input: (daybook) => daybook[name](MISSPELT as never),
  options: (daybook) => daybook[name](input as never, MISSPELT as never),
});

/** Whatever a `Daybook` has, so that the compiler names a method that is missing here. */
const LOCAL: Readonly<Record<Exclude<keyof Daybook, keyof DaybookClient | symbol>, Cases<Daybook>>> = {
  exportArrow: { input: (daybook) => read(daybook.exportArrow(MISSPELT as never)) },
  exportParquet: {
    input: (daybook) => read(daybook.exportParquet(MISSPELT as never)),
    options: (daybook) => read(daybook.exportParquet({}, MISSPELT as never)),
  },
  recordBatches: {
    input: (daybook) => read(daybook.recordBatches(MISSPELT as never)),
    options: (daybook) => read(daybook.recordBatches({}, MISSPELT as never)),
  },
  changes: { options: (daybook) => read(daybook.changes(MISSPELT as never)) },
  scoped: { scope: async (daybook) => daybook.scoped(MISSPELT as never) },
  backup: null,
  deleteEventsOfKey: null,
  verifyScopeToken: null,
  rotateSigningKey: null,
  seal: null,
  currency: null,
};

const SHARED: Readonly<Record<Exclude<keyof DaybookClient, symbol>, Cases<Daybook | DaybookClient>>> = {
  ingest: { options: (daybook) => daybook.ingest([{ name: "a" }], MISSPELT as never) },
  // It throws at once.
  track: { options: async (daybook) => daybook.track({ name: "a" }, MISSPELT as never) },
  flush: { options: (daybook) => daybook.flush(MISSPELT as never) },
  erase: { subject: (daybook) => daybook.erase({ userId: "a", ...MISSPELT } as never) },
  ingestRecords: null,
  signScope: {
    options: (daybook) => daybook.signScope({}, { expiresIn: 60, ...MISSPELT } as never),
    scope: (daybook) => daybook.signScope(MISSPELT as never, { expiresIn: 60 }),
  },
  identify: { input: (daybook) => daybook.identify({ userId: "a", ...MISSPELT } as never) },
  group: { input: (daybook) => daybook.group({ userId: "a", companyId: "b", ...MISSPELT } as never) },
  alias: { input: (daybook) => daybook.alias({ from: "a", to: "b", ...MISSPELT } as never) },
  unlink: null,
  countEvents: {
    ...query("countEvents"),
    "filterGroups[0]": (daybook) => daybook.countEvents({ filterGroups: [{ filters: [], ...MISSPELT }] } as never),
    "filterGroups[0].filters[0]": (daybook) => daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "name", operator: "is_set", ...MISSPELT }] }] } as never),
  },
  countEventsPerDay: query("countEventsPerDay"),
  countEventsRunningTotalPerDay: query("countEventsRunningTotalPerDay"),
  countUniqueUsers: query("countUniqueUsers"),
  countUniqueUsersPerDay: query("countUniqueUsersPerDay"),
  aggregate: query("aggregate", { field: "name" }),
  searchEvents: query("searchEvents"),
  identitySessions: query("identitySessions", { userId: "a" }),
  identityProfile: query("identityProfile", { userId: "a" }),
  identityReferrers: query("identityReferrers", { userId: "a" }),
  identityDeviceGeo: query("identityDeviceGeo", { userId: "a" }),
  revenueByAttribution: query("revenueByAttribution", { project: "default" }),
  ltvCohorts: query("ltvCohorts", { project: "default" }),
  topCompanies: query("topCompanies"),
  companyTopUsers: query("companyTopUsers", { companyId: "a" }),
  trend: {
    ...query("trend"),
    measure: (daybook) => daybook.trend({ measure: { type: "sum", field: "value", ...MISSPELT } } as never),
    breakdown: (daybook) => daybook.trend({ breakdown: { fields: ["device"], ...MISSPELT } } as never),
    "segments.a": (daybook) => daybook.trend({ segments: { a: { groups: [{ conditions: [CONDITION] }], ...MISSPELT } } } as never),
    "segments.a.groups[0]": (daybook) => daybook.trend({ segments: { a: { groups: [{ conditions: [CONDITION], ...MISSPELT }] } } } as never),
    "segments.a.groups[0].conditions[0]": (daybook) => daybook.trend({ segments: { a: { groups: [{ conditions: [{ ...CONDITION, ...MISSPELT }] }] } } } as never),
  },
  funnel: {
    ...query("funnel", { steps: STEPS }),
    "steps[1]": (daybook) => daybook.funnel({ steps: [STEPS[0], { ...STEPS[1], ...MISSPELT }] } as never),
    "exclusions[0]": (daybook) => daybook.funnel({ steps: STEPS, exclusions: [{ eventName: "c", ...MISSPELT }] } as never),
  },
  retention: { ...query("retention"), cohortEvent: (daybook) => daybook.retention({ cohortEvent: { eventName: "a", ...MISSPELT } } as never) },
  lifecycle: query("lifecycle"),
  stickiness: query("stickiness"),
  paths: { ...query("paths"), "rules[0]": (daybook) => daybook.paths({ rules: [{ pattern: "a", label: "b", ...MISSPELT }] } as never) },
  sessionsOverview: query("sessionsOverview"),
  webOverview: query("webOverview"),
  segments: null,
  privacyRequests: null,
  deleteEvents: { input: (daybook) => daybook.deleteEvents({ before: "2026-03-01", ...MISSPELT } as never) },
  deleteProject: null,
  timeToLive: null,
  explain: { input: (daybook) => daybook.explain("countEvents", MISSPELT) },
  exportEvents: { input: (daybook) => read(daybook.exportEvents(MISSPELT as never)) },
  exportDeletions: {
    input: (daybook) => read(daybook.exportDeletions({ afterSequence: 0, ...MISSPELT } as never)),
    options: (daybook) => read(daybook.exportDeletions({ afterSequence: 0 }, MISSPELT as never)),
  },
  exportRecords: { input: (daybook) => read((daybook.exportRecords as (input: unknown) => AsyncIterable<unknown>)(MISSPELT)) },
  createProject: null,
  projects: null,
  stats: null,
  health: null,
  close: null,
};

const PRIVACY: Readonly<Record<keyof PrivacyRequests, Cases<PrivacyRequests>>> = {
  create: {
    input: (requests) => requests.create({ type: "access", subject: { userId: "a" }, ...MISSPELT } as never),
    subject: (requests) => requests.create({ type: "access", subject: { userId: "a", ...MISSPELT } } as never),
  },
  list: null,
  get: null,
  verify: null,
  acknowledge: null,
  extend: null,
  resolve: null,
  bundle: null,
};

const SEGMENTS: Readonly<Record<keyof Segments, Cases<Segments>>> = {
  put: {
    input: (segments) => segments.put("a", { groups: [{ conditions: [CONDITION] }], ...MISSPELT } as never),
    "groups[0]": (segments) => segments.put("a", { groups: [{ conditions: [CONDITION], ...MISSPELT }] } as never),
    "groups[0].conditions[0]": (segments) => segments.put("a", { groups: [{ conditions: [{ ...CONDITION, ...MISSPELT }] }] } as never),
  },
  list: null,
  delete: null,
};

const TIME_TO_LIVE: Readonly<Record<keyof TimeToLive, Cases<TimeToLive>>> = {
  set: { input: (rules) => rules.set(null, { days: 7, ...MISSPELT } as never) },
  preview: { input: (rules) => rules.preview({ project: null, days: 7, ...MISSPELT } as never) },
  off: null,
  list: null,
  sweep: null,
  waiting: null,
};

const rows = <Place>(table: Readonly<Record<string, Cases<Place>>>) =>
  Object.entries(table).flatMap(([method, cases]) => Object.entries(cases ?? {}).map(([where, call]) => ({ method, where, call })));

describe.each(["the library", "a client"])("A method of %s refuses a member that it does not know, and says which there are", (place) => {
  let daybook: Daybook;
  let asked: Daybook | DaybookClient;
  beforeAll(async () => {
    daybook = await openDaybook({ storage: memoryStorage() });
    asked = place === "a client" ? clientOver(daybook) : daybook;
  });
  afterAll(() => daybook.close());

  const expectRefusal = async (where: string, call: () => unknown) => {
    const param = where === "input" || where === "options" ? "misspelt" : `${where}.misspelt`;
    const outcome = await Promise.resolve().then(call).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: "unknown_parameter", message: expect.stringMatching(/misspelt: unknown; allowed: \w/) as string, details: { param } });
  };

  it.each(rows(SHARED))("$method: $where", async ({ where, call }) => await expectRefusal(where, () => call(asked)));
  it.each(rows(PRIVACY))("privacyRequests.$method: $where", async ({ where, call }) => await expectRefusal(where, () => call(asked.privacyRequests)));
  it.each(rows(SEGMENTS))("segments.$method: $where", async ({ where, call }) => await expectRefusal(where, () => call(asked.segments)));
  it.each(rows(TIME_TO_LIVE))("timeToLive.$method: $where", async ({ where, call }) => await expectRefusal(where, () => call(asked.timeToLive)));
  if (place === "the library") it.each(rows(LOCAL))("$method: $where", async ({ where, call }) => await expectRefusal(where, () => call(daybook)));

  it("and rejects an event or a record that has one", async () => {
    const events = await asked.ingest([{ name: "a", ...MISSPELT }]);
    const records = await asked.ingestRecords([{ type: "identify", userId: "a", ...MISSPELT }] as never);
    expect([events.rejected, records.rejected].map(([fault]) => fault)).toMatchObject([
      { code: "invalid_event", message: expect.stringContaining('"misspelt"') as string },
      { code: "unknown_parameter", message: expect.stringMatching(/^misspelt: unknown; allowed: \w/) as string },
    ]);
  });

  it.each([
    ["options that are no object", "options", (to: Daybook | DaybookClient) => to.countEvents({}, "fast" as never)],
    ["a signal in the place of options", "options", (to: Daybook | DaybookClient) => to.countEvents({}, new AbortController().signal as never)],
    ["a signal in the place of an export's options", "options", (to: Daybook | DaybookClient) => read(to.exportEvents({}, new AbortController().signal as never))],
    ["a controller in the place of its signal", "signal", (to: Daybook | DaybookClient) => to.countEvents({}, { signal: new AbortController() as never })],
    ["a signal that is none", "signal", (to: Daybook | DaybookClient) => to.searchEvents({}, { signal: null as never })],
    ["an onNotice that cannot be called", "onNotice", (to: Daybook | DaybookClient) => to.identitySessions({ userId: "a" }, { onNotice: "log" as never })],
    ["a project that is none", "project", (to: Daybook | DaybookClient) => to.ingest([], { project: "" })],
    ["options of an ingest that are none", "options", (to: Daybook | DaybookClient) => to.ingest([], ["shop"] as never)],
  ])("and %s", async (_what, param, call) => {
    await expect(taken(() => call(asked), null)).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringMatching(/expected .*, got /) as string, details: { param } });
  });
});

it("An export to Arrow refuses a format that there is not.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  for (const format of ["fil", "", null, 5])
    await expect(read(daybook.exportArrow({}, format as never))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "format", reason: expect.stringMatching(/^expected stream or file, got /) as string } });
});
