import type { Funnel, FunnelInput } from "daybook";
import { expect } from "vitest";
import { example, refusalText } from "./example.js";

const STEPS: FunnelInput = { steps: [{ eventName: "signup" }, { eventName: "buy" }] };
const SHOP: FunnelInput = { steps: [{ eventName: "cart" }, { eventName: "pay" }, { eventName: "ship" }] };

/** The name and number of entities of each step. */
const reached = ({ steps }: Funnel) => steps.map(({ name, entities }) => `${name} ${entities}`);

/** The number of entities of each step. */
const counts = (steps: Funnel["steps"] | null) => steps?.map(({ entities }) => entities).join(" ");

/** The values of each breakdown row and the number of entities of each step. */
const rows = (funnel: Funnel) => funnel.rows?.map(({ values, steps }) => `${values.join(", ")}: ${counts(steps)}`);

/** The name of each bucket and the number of entities of each step. */
const byBucket = ({ trend }: Funnel) => trend?.map(({ bucket, steps }) => `${bucket.local}: ${counts(steps)}`);

example(
  "Each step counts the people who reached it.",
  `
  03-02 09:00 ann signup
  03-02 09:30 bob signup
  03-03 10:00 ann buy
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 2", "buy 1"],
);

example(
  "Each step has its entities, rates, drop-offs and times.",
  `
  03-02 09:00 ann  signup
  03-02 09:01 ann  buy
  03-10 09:00 bob  signup
  `,
  (daybook) => daybook.funnel(STEPS),
  {
    definition: expect.any(String),
    asOf: null,
    pending: 1,
    steps: [
      { name: "signup", entities: 2, conversionRate: 1, stepRate: 1, dropOffs: 1, fromPrevious: null, fromEntry: null },
      {
        name: "buy",
        entities: 1,
        conversionRate: 0.5,
        stepRate: 0.5,
        dropOffs: 0,
        fromPrevious: { avgSec: 60, medianSec: 60, p90Sec: 60 },
        fromEntry: { avgSec: 60, medianSec: 60, p90Sec: 60 },
      },
    ],
    rows: null,
    rest: null,
    valueCount: 0,
    trend: null,
  },
);

example(
  "Without entries, counts are 0, and rates and times are null.",
  `
  03-02 09:00 ann buy
  `,
  (daybook) => daybook.funnel(STEPS),
  {
    definition: expect.any(String),
    asOf: null,
    pending: 0,
    steps: [
      { name: "signup", entities: 0, conversionRate: null, stepRate: null, dropOffs: 0, fromPrevious: null, fromEntry: null },
      { name: "buy", entities: 0, conversionRate: null, stepRate: null, dropOffs: 0, fromPrevious: null, fromEntry: null },
    ],
    rows: null,
    rest: null,
    valueCount: 0,
    trend: null,
  },
);

example(
  "The conversion rate relates to the first step and the step rate to the previous step, both with four decimals.",
  `
  03-02 09:00 ann  cart
  03-02 09:00 bob  cart
  03-02 09:00 cleo cart
  03-02 09:10 ann  pay
  03-02 09:10 bob  pay
  03-02 09:20 ann  ship
  `,
  async (daybook) => (await daybook.funnel(SHOP)).steps.map(({ conversionRate, stepRate, dropOffs }) => [conversionRate, stepRate, dropOffs]),
  [
    [1, 1, 1],
    [0.6667, 0.6667, 1],
    [0.3333, 0.5, 0],
  ],
);

example(
  "Times are measured from the previous step and from the entry.",
  `
  03-02 09:00:00 ann cart
  03-02 09:00:10 ann pay
  03-02 09:00:30 ann ship
  `,
  async (daybook) => (await daybook.funnel(SHOP)).steps.map(({ fromPrevious, fromEntry }) => [fromPrevious?.avgSec, fromEntry?.avgSec]),
  [
    [undefined, undefined],
    [10, 10],
    [20, 30],
  ],
);

example(
  "The 90th percentile is interpolated: for 10, 20 and 60 seconds it is 52.",
  `
  03-02 09:00:00 ann  signup
  03-02 09:00:10 ann  buy
  03-02 10:00:00 bob  signup
  03-02 10:00:20 bob  buy
  03-02 11:00:00 cleo signup
  03-02 11:01:00 cleo buy
  `,
  async (daybook) => (await daybook.funnel(STEPS)).steps[1]?.fromEntry,
  { avgSec: 30, medianSec: 20, p90Sec: 52 },
);

example(
  "A person who buys before signing up does not convert.",
  `
  03-02 09:00 ann buy
  03-02 09:10 ann signup
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 1", "buy 0"],
);

example(
  "Events in the same millisecond match steps in any order, whatever their ids.",
  `
  03-02 09:00:00.000 ann buy     id=00000000-0000-4000-8000-000000000001
  03-02 09:00:00.000 ann signup  id=00000000-0000-4000-8000-000000000002
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 1", "buy 1"],
);

example(
  "One event counts for only one step, even if it matches two.",
  `
  03-02 09:00 ann /pricing
  03-02 09:00 bob /pricing
  03-02 09:05 bob /pricing
  `,
  async (daybook) =>
    reached(
      await daybook.funnel({
        steps: [
          { eventName: "Pageview", name: "Any page" },
          { filterGroups: [{ filters: [{ fieldName: "path", operator: "=", value: "/pricing" }] }], name: "Pricing" },
        ],
      }),
    ),
  ["Any page 2", "Pricing 1"],
);

example(
  "An event sent twice with the same id counts for only one step.",
  `
  03-02 09:00 ann buy id=order-1
  03-02 09:00 ann buy id=order-1
  03-02 09:00 bob buy id=order-2
  03-02 09:05 bob buy id=order-3
  `,
  async (daybook) => reached(await daybook.funnel({ steps: [{ eventName: "buy" }, { eventName: "buy", name: "buy again" }] })),
  ["buy 2", "buy again 1"],
);

example(
  "A step is named by its given name, its event name or its number, in that order.",
  `
  03-02 09:00 ann signup
  `,
  async (daybook) => {
    const filterGroups = [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }];
    return reached(await daybook.funnel({ steps: [{ eventName: "signup" }, { filterGroups }, { eventName: "buy", name: "Paid" }] }));
  },
  ["signup 1", "step 2 0", "Paid 0"],
);

example(
  "A step with an event name and a filter requires both, and number filters also match numeric text.",
  `
  03-02 09:00 ann  signup
  03-02 09:10 ann  buy items=3
  03-02 09:00 bob  signup
  03-02 09:10 bob  buy items="10"
  03-02 09:00 cleo signup
  03-02 09:10 cleo buy items=2
  `,
  async (daybook) => {
    const filterGroups = [{ filters: [{ fieldName: "items", operator: ">=", value: 3 }] }];
    return reached(await daybook.funnel({ steps: [{ eventName: "signup" }, { eventName: "buy", filterGroups }] }));
  },
  ["signup 3", "buy 2"],
);

example(
  "The filters of the query apply to all steps.",
  `
  03-02 09:00 ann signup country=DE
  03-02 09:10 ann buy    country=DE
  03-02 09:00 bob signup country=DE
  03-02 09:10 bob buy    country=FR
  `,
  async (daybook) => {
    const filterGroups = [{ filters: [{ fieldName: "country", operator: "=", value: "DE" }] }];
    return reached(await daybook.funnel({ ...STEPS, filterGroups }));
  },
  ["signup 2", "buy 1"],
);

example(
  "The event name of the query applies to all steps.",
  `
  03-02 09:00 ann Pageview url=/
  03-02 09:01 ann Pageview url=/pricing
  03-02 09:00 bob Pageview url=/
  03-02 09:01 bob click    url=/pricing
  `,
  async (daybook) => {
    const on = (path: string) => ({ filterGroups: [{ filters: [{ fieldName: "path", operator: "=", value: path }] }], name: path });
    return reached(await daybook.funnel({ eventName: "Pageview", steps: [on("/"), on("/pricing")] }));
  },
  ["/ 2", "/pricing 1"],
);

example(
  "Without a project, the steps of a funnel may happen in different projects.",
  `
  03-02 09:00 ann signup project=site
  03-02 09:10 ann buy    project=shop
  `,
  async (daybook) => [reached(await daybook.funnel(STEPS)), reached(await daybook.funnel({ ...STEPS, project: "site" }))],
  [
    ["signup 1", "buy 1"],
    ["signup 1", "buy 0"],
  ],
);

example(
  "By default, other events may occur between steps; with strict order, they may not.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann help
  03-02 09:10 ann buy
  03-02 09:00 bob signup
  03-02 09:10 bob buy
  `,
  async (daybook) => [reached(await daybook.funnel(STEPS)), reached(await daybook.funnel({ ...STEPS, order: "strict" }))],
  [
    ["signup 2", "buy 2"],
    ["signup 2", "buy 1"],
  ],
);

example(
  "Strict order considers only events that match the query.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann heartbeat
  03-02 09:10 ann buy
  `,
  async (daybook) => {
    const filterGroups = [{ filters: [{ fieldName: "name", operator: "!=", value: "heartbeat" }] }];
    return reached(await daybook.funnel({ ...STEPS, order: "strict", filterGroups }));
  },
  ["signup 1", "buy 1"],
);

example(
  "With strict order, an event in the same millisecond as a step is not between the steps.",
  `
  03-02 09:00:00.000 ann signup
  03-02 09:00:00.000 ann help
  03-02 09:10:00.000 ann buy
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, order: "strict" })),
  ["signup 1", "buy 1"],
);

example(
  "With any order, step n counts people who completed at least n different steps, in any order.",
  `
  03-02 09:00 ann  ship
  03-02 09:10 ann  cart
  03-02 09:20 ann  pay
  03-02 09:00 bob  pay
  03-02 09:10 bob  pay
  03-02 09:20 bob  cart
  03-02 09:00 cleo pay
  `,
  async (daybook) => reached(await daybook.funnel({ ...SHOP, order: "any" })),
  ["1 steps 3", "2 steps 2", "3 steps 1"],
);

example(
  "The conversion window runs from the first step to the last, both ends included.",
  `
  03-02 09:00:00.000 ann signup
  03-02 10:00:00.000 ann buy
  03-02 09:00:00.000 bob signup
  03-02 10:00:00.001 bob buy
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, conversionWindowSec: 3600 })),
  ["signup 2", "buy 1"],
);

example(
  "The default conversion window is 14 days.",
  `
  03-01 09:00:00.000 ann signup
  03-15 09:00:00.000 ann buy
  03-01 09:00:00.000 bob signup
  03-15 09:00:00.001 bob buy
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 2", "buy 1"],
);

example(
  "The conversion window applies to the whole funnel, not to each step.",
  `
  03-02 09:00 ann cart
  03-02 09:40 ann pay
  03-02 10:20 ann ship
  `,
  async (daybook) => reached(await daybook.funnel({ ...SHOP, conversionWindowSec: 3600 })),
  ["cart 1", "pay 1", "ship 0"],
);

example(
  "The conversion window is elapsed time: a 24-hour window is not affected by a daylight saving change.",
  `
  03-07 17:00 ann signup
  03-08 17:00 ann buy
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, timeZone: "America/New_York", conversionWindowSec: 86_400 })),
  ["signup 1", "buy 1"],
);

example(
  "If a later attempt gets further, that attempt counts.",
  `
  03-02 09:00:00 ann signup
  03-02 12:00:00 ann signup
  03-02 12:00:05 ann buy
  `,
  async (daybook) => {
    const { steps } = await daybook.funnel({ ...STEPS, conversionWindowSec: 60 });
    return steps.map(({ entities, fromEntry }) => [entities, fromEntry?.avgSec]);
  },
  [
    [1, undefined],
    [1, 5],
  ],
);

example(
  "If two attempts get equally far, the earlier one counts, so times start at the earliest entry.",
  `
  03-02 09:00 ann signup
  03-02 09:10 ann signup
  03-02 09:20 ann buy
  03-02 09:30 ann buy
  `,
  async (daybook) => (await daybook.funnel(STEPS)).steps[1]?.fromEntry?.avgSec,
  1200,
);

example(
  "Entries must be in the range; later steps may be after it.",
  `
  03-01 23:59:59.999 ann  signup
  03-02 00:00:00.000 bob  signup
  03-03 23:59:59.999 cleo signup
  03-04 00:00:00.000 dora signup
  03-05 09:00:00.000 ann  buy
  03-05 09:00:00.000 bob  buy
  03-05 09:00:00.000 cleo buy
  03-05 09:00:00.000 dora buy
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, startDate: "2026-03-02", endDate: "2026-03-03" })),
  ["signup 2", "buy 2"],
);

example(
  "A date is a day in the time zone: March 2 in Berlin begins at 23:00 UTC.",
  `
  03-01 22:59 ann  signup
  03-01 23:00 bob  signup
  03-02 22:59 cleo signup
  03-02 23:00 dora signup
  `,
  async (daybook) => counts((await daybook.funnel({ ...STEPS, startDate: "2026-03-02", endDate: "2026-03-02", timeZone: "Europe/Berlin" })).steps),
  "2 0",
);

example(
  "Pending counts people below the last step whose window is still open: entries in the last 14 days.",
  `
  03-06 11:59:59.999 ann  signup
  03-06 12:00:00.000 bob  signup
  03-19 09:00:00.000 cleo signup
  03-19 09:00:00.000 dora signup
  03-19 10:00:00.000 dora buy
  `,
  async (daybook) => (await daybook.funnel(STEPS)).pending,
  2,
);

example(
  "Pending considers every entry, not only that of the best attempt.",
  `
  03-01 09:00 ann cart
  03-01 09:10 ann pay
  03-19 09:00 ann cart
  `,
  async (daybook) => {
    const { pending, steps } = await daybook.funnel(SHOP);
    return [pending, counts(steps)];
  },
  [1, "1 1 0"],
);

example(
  "A visitor's events before the sign-up belong to the person, even if the link comes later.",
  `
  03-02 09:00 ~phone    visit
  03-02 09:10 ann       signup
  03-04 09:00 ann~phone login
  `,
  async (daybook) => reached(await daybook.funnel({ steps: [{ eventName: "visit" }, { eventName: "signup" }] })),
  ["visit 1", "signup 1"],
);

example(
  "Two users who are merged later convert as one person.",
  `
  03-02 09:00 ann  signup
  03-02 09:30 anna buy
  03-05 09:00 ann  alias:anna
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 1", "buy 1"],
);

example(
  "Events without an identity are not in any funnel.",
  `
  03-02 09:00 - signup
  03-02 09:05 ann signup
  03-02 09:10 - buy
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 1", "buy 0"],
);

example(
  "At level account, different members of a company can complete the steps; a person without a company counts separately.",
  `
  03-02 09:00 ann  signup company=acme
  03-02 09:10 bob  buy    company=acme
  03-02 09:00 cleo signup
  03-02 09:10 dora buy
  `,
  async (daybook) => [reached(await daybook.funnel(STEPS)), reached(await daybook.funnel({ ...STEPS, level: "account" }))],
  [
    ["signup 2", "buy 0"],
    ["signup 2", "buy 1"],
  ],
);

example(
  "A person's first company also covers the person's earlier events.",
  `
  03-02 09:00 ann signup
  03-03 09:00 ann group:acme
  03-04 09:00 bob buy company=acme
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, level: "account" })),
  ["signup 1", "buy 1"],
);

example(
  "A person with events in two companies counts in both accounts.",
  `
  03-02 09:00 ann signup company=acme
  03-02 09:10 ann signup company=globex
  03-02 09:20 ann buy    company=globex
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, level: "account" })),
  ["signup 2", "buy 1"],
);

example(
  "At level session, all steps must happen in one session, and each session counts.",
  `
  03-02 09:00:00.000 ann signup
  03-02 09:30:00.000 ann buy
  03-03 09:00:00.000 ann signup
  03-03 09:30:00.001 ann buy
  `,
  async (daybook) => [reached(await daybook.funnel(STEPS)), reached(await daybook.funnel({ ...STEPS, level: "session" }))],
  [
    ["signup 1", "buy 1"],
    ["signup 2", "buy 1"],
  ],
);

example(
  "A session belongs to the day it starts on, even if its steps happen later.",
  `
  03-01 23:50 ann visit
  03-02 00:10 ann signup
  03-02 00:20 ann buy
  `,
  async (daybook) => {
    const on = (day: string) => daybook.funnel({ ...STEPS, level: "session", startDate: day, endDate: day });
    return [reached(await on("2026-03-01")), reached(await on("2026-03-02"))];
  },
  [
    ["signup 1", "buy 1"],
    ["signup 0", "buy 0"],
  ],
);

example(
  "A server-side payment with neither a url nor a hostname is in no session.",
  `
  03-02 09:00 ann signup  url=/signup
  03-02 09:05 ann Payment value=10
  03-02 09:00 bob signup  url=/signup
  03-02 09:05 bob Payment value=10 url=/thanks
  `,
  async (daybook) => reached(await daybook.funnel({ steps: [{ eventName: "signup" }, { eventName: "Payment" }], level: "session" })),
  ["signup 2", "Payment 1"],
);

example(
  "An exclusion between two steps ends the attempt, but the person still counts in the first step.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann cancel
  03-02 09:10 ann buy
  03-02 09:00 bob signup
  03-02 09:10 bob buy
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, exclusions: [{ eventName: "cancel" }] })),
  ["signup 2", "buy 1"],
);

example(
  "A new attempt after an exclusion can succeed.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann cancel
  03-02 09:10 ann signup
  03-02 09:20 ann buy
  `,
  async (daybook) => {
    const { steps } = await daybook.funnel({ ...STEPS, exclusions: [{ eventName: "cancel" }] });
    return [counts(steps), steps[1]?.fromEntry?.avgSec];
  },
  ["1 1", 600],
);

example(
  "An exclusion in the same millisecond as a step is not between the steps.",
  `
  03-02 09:00:00.000 ann signup
  03-02 09:00:00.000 ann cancel
  03-02 09:10:00.000 ann buy
  03-02 09:00:00.000 bob signup
  03-02 09:10:00.000 bob cancel
  03-02 09:10:00.000 bob buy
  03-02 09:00:00.000 cleo signup
  03-02 09:00:00.001 cleo cancel
  03-02 09:10:00.000 cleo buy
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, exclusions: [{ eventName: "cancel" }] })),
  ["signup 3", "buy 2"],
);

example(
  "An exclusion can be limited to the time between two steps.",
  `
  03-02 09:00 ann cart
  03-02 09:10 ann pay
  03-02 09:15 ann cancel
  03-02 09:20 ann ship
  03-02 09:00 bob cart
  03-02 09:05 bob cancel
  03-02 09:10 bob pay
  03-02 09:20 bob ship
  `,
  async (daybook) => {
    const by = (afterStep: number, beforeStep: number) => daybook.funnel({ ...SHOP, exclusions: [{ eventName: "cancel", afterStep, beforeStep }] });
    return [counts((await by(1, 2)).steps), counts((await by(2, 3)).steps), counts((await by(1, 3)).steps)];
  },
  ["2 1 1", "2 2 1", "2 1 0"],
);

example(
  "An exclusion can be defined by a filter.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann help   topic=price
  03-02 09:10 ann buy
  03-02 09:00 bob signup
  03-02 09:05 bob help   topic=login
  03-02 09:10 bob buy
  `,
  async (daybook) => {
    const exclusions = [{ filterGroups: [{ filters: [{ fieldName: "topic", operator: "=", value: "price" }] }] }];
    return reached(await daybook.funnel({ ...STEPS, exclusions }));
  },
  ["signup 2", "buy 1"],
);

example(
  "With any order, an exclusion applies between the first and the last event of the attempt.",
  `
  03-02 09:00 ann buy
  03-02 09:05 ann cancel
  03-02 09:10 ann signup
  03-02 09:00 bob cancel
  03-02 09:05 bob buy
  03-02 09:10 bob signup
  `,
  async (daybook) => reached(await daybook.funnel({ ...STEPS, order: "any", exclusions: [{ eventName: "cancel" }] })),
  ["1 steps 2", "2 steps 1"],
);

example(
  "A breakdown has a row per value of the entry, sorted by size, then by value.",
  `
  03-01 09:00 ann  signup country=FR
  03-01 09:01 ann  buy    country=US
  03-01 09:00 bob  signup country=FR
  03-01 09:00 cleo signup country=DE
  `,
  (daybook) => daybook.funnel({ ...STEPS, breakdown: { fields: ["country"] } }),
  {
    definition: expect.any(String),
    asOf: null,
    pending: 0,
    steps: [
      { name: "signup", entities: 3, conversionRate: 1, stepRate: 1, dropOffs: 2, fromPrevious: null, fromEntry: null },
      {
        name: "buy",
        entities: 1,
        conversionRate: 0.3333,
        stepRate: 0.3333,
        dropOffs: 0,
        fromPrevious: { avgSec: 60, medianSec: 60, p90Sec: 60 },
        fromEntry: { avgSec: 60, medianSec: 60, p90Sec: 60 },
      },
    ],
    rows: [
      {
        values: ["FR"],
        steps: [
          { name: "signup", entities: 2, conversionRate: 1, stepRate: 1, dropOffs: 1, fromPrevious: null, fromEntry: null },
          {
            name: "buy",
            entities: 1,
            conversionRate: 0.5,
            stepRate: 0.5,
            dropOffs: 0,
            fromPrevious: { avgSec: 60, medianSec: 60, p90Sec: 60 },
            fromEntry: { avgSec: 60, medianSec: 60, p90Sec: 60 },
          },
        ],
      },
      {
        values: ["DE"],
        steps: [
          { name: "signup", entities: 1, conversionRate: 1, stepRate: 1, dropOffs: 1, fromPrevious: null, fromEntry: null },
          { name: "buy", entities: 0, conversionRate: 0, stepRate: 0, dropOffs: 0, fromPrevious: null, fromEntry: null },
        ],
      },
    ],
    rest: null,
    valueCount: 2,
    trend: null,
  },
);

example(
  "A breakdown can use the last event of the attempt instead of the entry.",
  `
  03-02 09:00 ann signup device=phone
  03-02 09:10 ann buy    device=desktop
  03-02 09:00 bob signup device=phone
  `,
  async (daybook) => {
    const by = (at: "entry" | "last") => daybook.funnel({ ...STEPS, breakdown: { fields: ["device"], at } });
    return [rows(await by("entry")), rows(await by("last"))];
  },
  [["phone: 2 1"], ["desktop: 1 1", "phone: 1 0"]],
);

example(
  "The limit keeps the largest rows; the rest and the value count cover the others.",
  `
  03-02 09:00 ann  signup country=DE
  03-02 09:00 bob  signup country=DE
  03-02 09:10 bob  buy
  03-02 09:00 cleo signup country=FR
  03-02 09:00 dora signup country=IT
  03-02 09:10 dora buy
  `,
  async (daybook) => {
    const funnel = await daybook.funnel({ ...STEPS, breakdown: { fields: ["country"], limit: 1, rest: true } });
    return { rows: rows(funnel), rest: counts(funnel.rest), valueCount: funnel.valueCount };
  },
  { rows: ["DE: 2 1"], rest: "2 1", valueCount: 3 },
);

example(
  "A person counts once for each element of an array, and once in the rest.",
  `
  03-02 09:00 ann signup tags=["a","b","c"]
  03-02 09:00 bob signup tags=["a"]
  `,
  async (daybook) => {
    const all = await daybook.funnel({ ...STEPS, breakdown: { fields: ["tags"] } });
    const first = await daybook.funnel({ ...STEPS, breakdown: { fields: ["tags"], limit: 1, rest: true } });
    return [rows(all), rows(first), counts(first.rest)];
  },
  [["a: 2 0", "b: 1 0", "c: 1 0"], ["a: 2 0"], "1 0"],
);

example(
  "Breakdown values are texts: the number 3 and the text 3 share a row, and a missing value is the empty string.",
  `
  03-02 09:00 ann  signup seats=3
  03-02 09:00 bob  signup seats="3"
  03-02 09:00 cleo signup
  03-02 09:00 dora signup seats=null
  03-02 09:00 emil signup seats=true
  `,
  async (daybook) => rows(await daybook.funnel({ ...STEPS, breakdown: { fields: ["seats"] } })),
  [": 2 0", "3: 2 0", "true: 1 0"],
);

example(
  "A breakdown by two fields has a row per combination.",
  `
  03-02 09:00 ann  signup country=DE device=phone
  03-02 09:00 bob  signup country=DE device=desktop
  03-02 09:00 cleo signup country=AT device=phone
  `,
  async (daybook) => rows(await daybook.funnel({ ...STEPS, breakdown: { fields: ["device", "country"] } })),
  ["desktop, DE: 1 0", "phone, AT: 1 0", "phone, DE: 1 0"],
);

example(
  "If two entries have the same millisecond, the one with the smaller id determines the row.",
  `
  03-02 09:00:00.000 ann signup country=FR id=00000000-0000-4000-8000-000000000002
  03-02 09:00:00.000 ann signup country=DE id=00000000-0000-4000-8000-000000000001
  03-02 09:10:00.000 ann buy
  `,
  async (daybook) => rows(await daybook.funnel({ ...STEPS, breakdown: { fields: ["country"] } })),
  ["DE: 1 1"],
);

example(
  "A breakdown by a trait uses the current value of the trait.",
  `
  03-02 09:00 ann signup
  03-03 09:00 ann identify plan=free
  03-04 09:00 ann identify plan=pro
  03-02 09:00 bob signup
  `,
  async (daybook) => rows(await daybook.funnel({ ...STEPS, breakdown: { fields: ["person.plan"] } })),
  [": 1 0", "pro: 1 0"],
);

example(
  "A breakdown by first touch shows the conversion of each source.",
  `
  03-01 09:00 ann /?utm_source=mail
  03-02 09:00 ann signup
  03-02 09:10 ann buy
  03-02 09:00 bob signup
  03-02 09:05 bob /?utm_source=news
  `,
  async (daybook) => rows(await daybook.funnel({ ...STEPS, breakdown: { fields: ["first_touch.source"] } })),
  ["(direct): 1 0", "mail: 1 1"],
);

example(
  "With an interval, each bucket has its own funnel, and a person who enters in two buckets counts in both.",
  `
  03-02 09:00 ann signup
  03-03 09:00 ann signup
  03-03 09:10 ann buy
  `,
  async (daybook) => {
    const funnel = await daybook.funnel({ ...STEPS, interval: "day", startDate: "2026-03-02", endDate: "2026-03-04" });
    return [reached(funnel), byBucket(funnel)];
  },
  [
    ["signup 1", "buy 1"],
    ["2026-03-02: 1 1", "2026-03-03: 1 1", "2026-03-04: 0 0"],
  ],
);

example(
  "Without dates, the buckets run from the first to the last entry.",
  `
  03-01 09:00 ann buy
  03-02 09:00 ann signup
  03-04 09:00 bob signup
  03-06 09:00 ann buy
  `,
  async (daybook) => byBucket(await daybook.funnel({ ...STEPS, interval: "day" })),
  ["2026-03-02: 1 1", "2026-03-03: 0 0", "2026-03-04: 1 0"],
);

example(
  "Without dates and entries, there are no buckets.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => (await daybook.funnel({ ...STEPS, interval: "day" })).trend,
  [],
);

example(
  "Weeks begin on Monday unless another day is given.",
  `
  03-01 09:00 ann signup
  03-02 09:00 bob signup
  `,
  async (daybook) => [
    byBucket(await daybook.funnel({ ...STEPS, interval: "week" })),
    byBucket(await daybook.funnel({ ...STEPS, interval: "week", weekStart: "sunday" })),
  ],
  [["2026-02-23: 1 0", "2026-03-02: 1 0"], ["2026-03-01: 2 0"]],
);

example(
  "The day on which clocks go forward has 23 hours.",
  `
  03-08 05:00 ann signup
  `,
  async (daybook) => (await daybook.funnel({ ...STEPS, interval: "day", timeZone: "America/New_York" })).trend?.map(({ bucket }) => bucket),
  [{ start: "2026-03-08T05:00:00.000Z", end: "2026-03-09T03:59:59.999Z", local: "2026-03-08", partial: false }],
);

example(
  "A segment selects people by their events of all time, not only those in the range.",
  `
  02-01 09:00 ann visit
  02-02 09:00 ann visit
  02-01 09:00 bob visit
  03-02 09:00 ann signup
  03-02 09:00 bob signup
  `,
  async (daybook) =>
    reached(
      await daybook.funnel({
        ...STEPS,
        startDate: "2026-03-01",
        filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "regulars" }] }],
        segments: { regulars: { groups: [{ conditions: [{ type: "did", eventName: "visit", atLeast: 2 }] }] } },
      }),
    ),
  ["signup 1", "buy 0"],
);

example(
  "With asOf, the answer returns the sequence of the newest event or record, and a query can use an earlier sequence.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann signup
  03-02 09:10 ann buy
  `,
  async (daybook) => {
    const latest = await daybook.funnel({ ...STEPS, asOf: "latest" });
    const before = await daybook.funnel({ ...STEPS, asOf: 0 });
    return [latest.asOf, reached(latest), before.asOf, reached(before)];
  },
  [3, ["signup 1", "buy 1"], 0, ["signup 0", "buy 0"]],
);

example(
  "A funnel has 2 to 20 steps with an event name or a filter, and an exclusion lies between an earlier and a later step.",
  "",
  async (daybook) => [
    await refusalText(daybook.funnel({ steps: [{ eventName: "signup" }] })),
    await refusalText(daybook.funnel({ steps: Array.from({ length: 21 }, () => ({ eventName: "signup" })) })),
    await refusalText(daybook.funnel({ steps: [{ eventName: "signup" }, { name: "Anything" }] })),
    await refusalText(daybook.funnel({ steps: [{ eventName: "signup" }, { eventName: "buy", name: "" }] })),
    await refusalText(daybook.funnel({ ...STEPS, exclusions: [{ eventName: "cancel", afterStep: 2, beforeStep: 2 }] })),
    await refusalText(daybook.funnel({ ...STEPS, exclusions: [{ eventName: "cancel", beforeStep: 3 }] })),
  ],
  [
    "invalid_parameter steps",
    "invalid_parameter steps",
    "invalid_parameter steps[1]",
    "invalid_parameter steps[1].name",
    expect.stringMatching(/^invalid_parameter exclusions\[0\]/),
    "invalid_parameter exclusions[0].beforeStep",
  ],
);

example(
  "Invalid values and unknown members are refused, not adjusted.",
  "",
  async (daybook) => [
    await refusalText(daybook.funnel({ ...STEPS, conversionWindowSec: 0 })),
    await refusalText(daybook.funnel({ ...STEPS, conversionWindowSec: 31_622_401 })),
    await refusalText(daybook.funnel({ ...STEPS, breakdown: { fields: ["country"], limit: 0 } })),
    await refusalText(daybook.funnel({ ...STEPS, timeZone: "+01:00" })),
    await refusalText(daybook.funnel({ ...STEPS, asOf: 1 })),
    await refusalText(daybook.funnel({ ...STEPS, interval: "total" } as unknown as FunnelInput)),
    await refusalText(daybook.funnel({ ...STEPS, userId: "ann" } as FunnelInput)),
  ],
  [
    "invalid_parameter conversionWindowSec",
    "invalid_parameter conversionWindowSec",
    "invalid_parameter breakdown.limit",
    "invalid_parameter timeZone",
    "invalid_parameter asOf",
    "invalid_parameter interval",
    "unknown_parameter userId",
  ],
);

example(
  "An interval together with a breakdown is refused.",
  "",
  (daybook) => refusalText(daybook.funnel({ ...STEPS, interval: "day", breakdown: { fields: ["country"] } })),
  expect.stringMatching(/^invalid_parameter /),
);

example(
  "A filter error names the position of the filter in the query.",
  "",
  async (daybook) => {
    const withFilter = (operator: string, value: string) =>
      refusalText(
        daybook.funnel({
          steps: [{ eventName: "signup" }, { filterGroups: [{ filters: [{ fieldName: "identity_id", operator, value }] }] }],
        }),
      );
    return [await withFilter("like", "a"), await withFilter("regex", "("), await withFilter("in_segment", "nobody")];
  },
  [
    "invalid_operator steps[1].filterGroups[0].filters[0].operator",
    "invalid_regex steps[1].filterGroups[0].filters[0].value",
    "invalid_filter_value steps[1].filterGroups[0].filters[0].value",
  ],
);

example(
  "Dates that do not exist and ranges that end before they start are refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.funnel({ ...STEPS, startDate: "2026-02-30" })),
    await refusalText(daybook.funnel({ ...STEPS, startDate: "2026-03-03", endDate: "2026-03-02" })),
  ],
  ["invalid_date startDate", expect.stringMatching(/^invalid_date_range /)],
);
