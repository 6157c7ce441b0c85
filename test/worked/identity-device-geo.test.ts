import type { DaybookError, EventInput, IdentityDeviceGeo } from "daybook";
import { expect } from "vitest";
import { MINUTE, NOW } from "../query/reports/layouts.js";
import { codeAndParam, example } from "./example.js";

/** The fields that are not null. */
const setFields = (entry: object | null) => entry && Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
const latest = ({ current }: IdentityDeviceGeo) => setFields(current);
/** The device and number of events of each combination. */
const devices = ({ history }: IdentityDeviceGeo) => history.map(({ device, events }) => `${device} ${events}`);

example(
  "A single event with all fields is both the current state and the only entry of the history.",
  `
  03-02 09:00 ann / device=desktop os=macOS browser=Safari screen=1440x900 language=de country=DE region=BE city=Berlin
  `,
  (daybook) => daybook.identityDeviceGeo({ userId: "ann" }),
  {
    identityId: expect.any(String),
    current: {
      device: "desktop",
      os: "macOS",
      browser: "Safari",
      screen: "1440x900",
      language: "de",
      locationCountry: "DE",
      locationRegion: "BE",
      locationCity: "Berlin",
      locationLat: null,
      locationLon: null,
      seenAt: "2026-03-02T09:00:00.000Z",
    },
    history: [
      {
        device: "desktop",
        os: "macOS",
        browser: "Safari",
        screen: "1440x900",
        language: "de",
        locationCountry: "DE",
        locationRegion: "BE",
        locationCity: "Berlin",
        locationLat: null,
        locationLon: null,
        firstSeen: "2026-03-02T09:00:00.000Z",
        lastSeen: "2026-03-02T09:00:00.000Z",
        events: 1,
      },
    ],
  },
);

example(
  "Missing fields of an event are null.",
  `
  03-02 09:00 ann / language=de
  `,
  (daybook) => daybook.identityDeviceGeo({ userId: "ann" }),
  {
    identityId: expect.any(String),
    current: {
      device: null,
      os: null,
      browser: null,
      screen: null,
      language: "de",
      locationCountry: null,
      locationRegion: null,
      locationCity: null,
      locationLat: null,
      locationLon: null,
      seenAt: "2026-03-02T09:00:00.000Z",
    },
    history: [
      {
        device: null,
        os: null,
        browser: null,
        screen: null,
        language: "de",
        locationCountry: null,
        locationRegion: null,
        locationCity: null,
        locationLat: null,
        locationLon: null,
        firstSeen: "2026-03-02T09:00:00.000Z",
        lastSeen: "2026-03-02T09:00:00.000Z",
        events: 1,
      },
    ],
  },
);

example(
  "A person without device and location data has no current state and an empty history.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  `,
  (daybook) => daybook.identityDeviceGeo({ userId: "ann" }),
  { identityId: expect.any(String), current: null, history: [] },
);

example(
  "The current state comes from the newest event with device or location data.",
  `
  03-02 09:00 ann / device=desktop country=DE
  03-03 09:00 ann / device=mobile
  03-04 09:00 ann Payment value=50
  `,
  async (daybook) => latest(await daybook.identityDeviceGeo({ userId: "ann" })),
  { device: "mobile", seenAt: "2026-03-03T09:00:00.000Z" },
);

example(
  "If two events have the same millisecond, the one with the greater id is the current state.",
  `
  03-02 09:00 ann / device=mobile id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann / device=desktop id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => latest(await daybook.identityDeviceGeo({ userId: "ann" })),
  { device: "mobile", seenAt: "2026-03-02T09:00:00.000Z" },
);

example(
  "The history has each combination once, with first and last time and event count, sorted by last seen.",
  `
  03-02 09:00 ann / device=desktop country=DE
  03-03 09:00 ann / device=mobile country=DE
  03-04 09:00 ann / device=desktop country=DE
  `,
  async (daybook) => (await daybook.identityDeviceGeo({ userId: "ann" })).history.map(setFields),
  [
    {
      device: "desktop",
      locationCountry: "DE",
      firstSeen: "2026-03-02T09:00:00.000Z",
      lastSeen: "2026-03-04T09:00:00.000Z",
      events: 2,
    },
    {
      device: "mobile",
      locationCountry: "DE",
      firstSeen: "2026-03-03T09:00:00.000Z",
      lastSeen: "2026-03-03T09:00:00.000Z",
      events: 1,
    },
  ],
);

example(
  "Two combinations are different if any field differs or is missing.",
  `
  03-02 09:01 ann / device=mobile country=FR
  03-02 09:02 ann / device=mobile country=FR city=Lyon
  03-02 09:03 ann / device=mobile country=FR city=Paris
  03-02 09:04 ann / device=mobile
  `,
  async (daybook) => {
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    return history.map(({ locationCountry, locationCity }) => [locationCountry, locationCity]);
  },
  [
    [null, null],
    ["FR", "Paris"],
    ["FR", "Lyon"],
    ["FR", null],
  ],
);

for (const field of ["device", "os", "browser", "screen", "language", "country", "region", "city"])
  example(
    `Events with a different ${field} are separate combinations.`,
    `
    03-02 09:00 ann / ${field}=x
    03-02 09:01 ann / ${field}=y
    03-02 09:02 ann / ${field}=y
    `,
    async (daybook) => (await daybook.identityDeviceGeo({ userId: "ann" })).history.map(({ events }) => events),
    [2, 1],
  );

example(
  "Values are compared exactly, including case.",
  `
  03-02 09:00 ann / device=Mobile
  03-02 09:01 ann / device=mobile
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "ann" })),
  ["mobile 1", "Mobile 1"],
);

example(
  "Events without device and location data are not in the history.",
  `
  03-02 09:00 ann / device=mobile
  03-02 09:01 ann click
  03-02 09:02 ann / device=mobile
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "ann" })),
  ["mobile 2"],
);

example(
  "Coordinates do not distinguish combinations, and those of the newest event are shown.",
  "",
  async (daybook) => {
    const berlin: EventInput = { name: "Pageview", userId: "ann", locationCity: "Berlin" };
    await daybook.ingest([
      { ...berlin, createdAt: "2026-03-02T09:00:00Z", locationLat: "52.51", locationLon: "13.40" },
      { ...berlin, createdAt: "2026-03-03T09:00:00Z", locationLat: "52.53", locationLon: "13.42" },
    ]);
    return (await daybook.identityDeviceGeo({ userId: "ann" })).history.map(setFields);
  },
  [
    {
      locationCity: "Berlin",
      locationLat: "52.53",
      locationLon: "13.42",
      firstSeen: "2026-03-02T09:00:00.000Z",
      lastSeen: "2026-03-03T09:00:00.000Z",
      events: 2,
    },
  ],
);

example(
  "An event with only coordinates is a current state but not an entry of the history.",
  "",
  async (daybook) => {
    await daybook.ingest([{ name: "ping", userId: "ann", createdAt: "2026-03-02T09:00:00Z", locationLat: "52.51", locationLon: "13.40" }]);
    const answer = await daybook.identityDeviceGeo({ userId: "ann" });
    return [latest(answer), answer.history];
  },
  [{ locationLat: "52.51", locationLon: "13.40", seenAt: "2026-03-02T09:00:00.000Z" }, []],
);

example(
  "If the newest event of a combination has no coordinates, they are null, even if earlier events have some.",
  `
  03-03 09:00 ann / city=Berlin
  `,
  async (daybook) => {
    const createdAt = "2026-03-02T09:00:00Z";
    await daybook.ingest([{ name: "Pageview", userId: "ann", createdAt, locationCity: "Berlin", locationLat: "52.51", locationLon: "13.40" }]);
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    return history.map(({ events, locationLat, locationLon }) => [events, locationLat, locationLon]);
  },
  [[2, null, null]],
);

example(
  "The history has at most the 100 most recently seen combinations.",
  `
  03-01 09:00 ann / device=oldest
  `,
  async (daybook) => {
    await daybook.ingest(
      Array.from({ length: 100 }, (_, at): EventInput => ({ name: "Pageview", userId: "ann", createdAt: NOW - at * MINUTE, device: `phone ${at}` })),
    );
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    return [history.length, history[0]?.device, history[99]?.device];
  },
  [100, "phone 0", "phone 99"],
);

example(
  "Events of any name and of all projects count together.",
  `
  03-02 09:00 ann login device=mobile project=shop
  03-02 09:01 ann Payment value=50 device=mobile project=blog
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "ann" })),
  ["mobile 2"],
);

example(
  "Other people's events do not count.",
  `
  03-02 09:00 ann / device=desktop
  03-02 09:01 bob / device=mobile
  03-02 09:02 - / device=tablet
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "ann" })),
  ["desktop 1"],
);

example(
  "The range applies to the current state and the history.",
  `
  03-01 09:00 ann / device=desktop
  03-02 09:00 ann / device=mobile
  03-03 09:00 ann / device=desktop
  03-04 09:00 ann / device=tablet
  `,
  async (daybook) => {
    const answer = await daybook.identityDeviceGeo({ userId: "ann", startDate: "2026-03-02", endDate: "2026-03-03" });
    return [latest(answer), answer.history.map(setFields)];
  },
  [
    { device: "desktop", seenAt: "2026-03-03T09:00:00.000Z" },
    [
      { device: "desktop", firstSeen: "2026-03-03T09:00:00.000Z", lastSeen: "2026-03-03T09:00:00.000Z", events: 1 },
      { device: "mobile", firstSeen: "2026-03-02T09:00:00.000Z", lastSeen: "2026-03-02T09:00:00.000Z", events: 1 },
    ],
  ],
);

example(
  "The default range is the 30 times 24 hours before now, both ends included.",
  `
  02-18 11:59:59.999 ann / device=before
  02-18 12:00 ann / device=first
  03-20 12:00 ann / device=last
  03-20 12:00:00.001 ann / device=after
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "ann" })),
  ["last 1", "first 1"],
);

example(
  "Start and end times are inclusive to the millisecond.",
  `
  03-02 08:59:59.999 ann / device=before
  03-02 09:00 ann / device=first
  03-02 10:00 ann / device=last
  03-02 10:00:00.001 ann / device=after
  `,
  async (daybook) =>
    devices(await daybook.identityDeviceGeo({ userId: "ann", startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T10:00:00Z" })),
  ["last 1", "first 1"],
);

example(
  "A visitor's device belongs to the user once an event has both ids.",
  `
  03-02 09:00 ~phone / device=mobile
  03-03 09:00 ann / device=desktop
  03-04 09:00 ann~phone signup
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "ann" })),
  ["desktop 1", "mobile 1"],
);

example(
  "A visitor without a user is found by anonymous id.",
  `
  03-02 09:00 ~phone / device=mobile
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ userId: "phone" })),
  ["mobile 1"],
);

example(
  "On a shared device, each user has the events with their user id, and the first user also has the anonymous events.",
  `
  03-02 09:00 ann~tablet / device=tablet city=Berlin
  03-03 09:00 bob~tablet / device=tablet city=Paris
  03-04 09:00 ~tablet / device=tablet city=Rome
  `,
  async (daybook) =>
    Promise.all(
      ["ann", "bob"].map(async (userId) => (await daybook.identityDeviceGeo({ userId })).history.map(({ locationCity }) => locationCity)),
    ),
  [["Rome", "Berlin"], ["Paris"]],
);

example(
  "Merged users share a history, and equal combinations are combined.",
  `
  03-02 09:00 ann / device=mobile
  03-03 09:00 anna / device=mobile
  03-10 09:00 anna alias:ann
  `,
  async (daybook) => (await daybook.identityDeviceGeo({ userId: "anna" })).history.map(setFields),
  [{ device: "mobile", firstSeen: "2026-03-02T09:00:00.000Z", lastSeen: "2026-03-03T09:00:00.000Z", events: 2 }],
);

example(
  "After a merge is undone, each user has only their own devices.",
  `
  03-02 09:00 ann / device=desktop
  03-03 09:00 anna / device=mobile
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return Promise.all(["ann", "anna"].map(async (userId) => devices(await daybook.identityDeviceGeo({ userId }))));
  },
  [["desktop 1"], ["mobile 1"]],
);

example(
  "An email finds the person identified with it, ignoring case and surrounding spaces.",
  `
  03-01 09:00 ann identify email=Ann@Example.com
  03-02 09:00 ann / device=mobile
  `,
  async (daybook) => devices(await daybook.identityDeviceGeo({ email: " ann@EXAMPLE.com " })),
  ["mobile 1"],
);

example(
  "Traits of an identify are not device or location data.",
  `
  03-01 09:00 ann identify language=de city=Berlin device=mobile
  `,
  (daybook) => daybook.identityDeviceGeo({ userId: "ann" }),
  { identityId: expect.any(String), current: null, history: [] },
);

example(
  "Exactly one of email and user id is required, and the person must exist.",
  `
  03-02 09:00 ann identify email=ann@example.com
  `,
  (daybook) =>
    Promise.all(
      [{}, { email: "ann@example.com", userId: "ann" }, { userId: "bob" }, { email: "bob@example.com" }].map((input) =>
        daybook.identityDeviceGeo(input as never).catch(({ code }: DaybookError) => code),
      ),
    ),
  ["exactly_one_required", "exactly_one_required", "identity_not_found", "identity_not_found"],
);

example(
  "The report has no limit and no cursor, and its dates must exist.",
  `
  03-02 09:00 ann / device=mobile
  `,
  (daybook) =>
    Promise.all(
      [{ limit: 5 }, { cursor: "next" }, { startDate: "2026-13-01" }].map((input) =>
        daybook.identityDeviceGeo({ userId: "ann", ...input } as never).catch(codeAndParam),
      ),
    ),
  [
    ["unknown_parameter", "limit"],
    ["unknown_parameter", "cursor"],
    ["invalid_date", "startDate"],
  ],
);
