import type { DaybookError, Lifecycle, LifecycleInput } from "daybook";
import { expect } from "vitest";
import { example } from "./example.js";

const STATES = ["new", "returning", "resurrecting", "dormant"] as const;

/** Per bucket its name and the states in which somebody is. */
const states = ({ buckets }: Lifecycle) =>
  buckets.map((bucket) => {
    const told = STATES.filter((state) => bucket[state] > 0).map((state) => `${bucket[state]} ${state}`);
    return `${bucket.local}: ${told.length === 0 ? "nobody" : told.join(", ")}`;
  });

/** Code and parameter of the error. */
const refused = (answer: Promise<Lifecycle>) =>
  answer.then(
    () => "no error",
    ({ code, details }: DaybookError) => `${code} ${details.param}`,
  );

example(
  "On the first day everybody is new; later people return, fall dormant, and resurrect.",
  `
  03-02 09:00 ann  visit
  03-02 10:00 bob  visit
  03-03 09:00 ann  visit
  03-03 10:00 cleo visit
  03-04 09:00 bob  visit
  03-04 10:00 cleo visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 2 new", "2026-03-03: 1 new, 1 returning, 1 dormant", "2026-03-04: 1 returning, 1 resurrecting, 1 dormant"],
);

example(
  "Each bucket has its dates and the number of people in each state.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  `,
  (daybook) => daybook.lifecycle({}),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      {
        start: "2026-03-02T00:00:00.000Z",
        end: "2026-03-02T23:59:59.999Z",
        local: "2026-03-02",
        partial: false,
        new: 2,
        returning: 0,
        resurrecting: 0,
        dormant: 0,
      },
      {
        start: "2026-03-03T00:00:00.000Z",
        end: "2026-03-03T23:59:59.999Z",
        local: "2026-03-03",
        partial: false,
        new: 0,
        returning: 1,
        resurrecting: 0,
        dormant: 1,
      },
    ],
  },
);

example(
  "Where nobody is active and no dates are given, there are no buckets.",
  `
  03-02 09:00 ann visit
  `,
  (daybook) => daybook.lifecycle({ eventName: "buy" }),
  { definition: expect.any(String), asOf: null, buckets: [] },
);

example(
  "Without dates the buckets end with the last active one; with dates they show who is dormant after it.",
  `
  03-02 09:00 ann visit
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ startDate: "2026-03-01", endDate: "2026-03-04" }))],
  [["2026-03-02: 1 new"], ["2026-03-01: nobody", "2026-03-02: 1 new", "2026-03-03: 1 dormant", "2026-03-04: nobody"]],
);

example(
  "A person is dormant only in the first bucket of a pause, and resurrects after it.",
  `
  03-02 09:00 ann visit
  03-05 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 dormant", "2026-03-04: nobody", "2026-03-05: 1 resurrecting"],
);

example(
  "Several events in a bucket count once.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-03 09:00 ann visit
  03-03 10:00 ann buy
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
);

example(
  "The bucket before the range is looked at: it tells who returns and who is dormant on the first day.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({ startDate: "2026-03-03", endDate: "2026-03-03" })),
  ["2026-03-03: 1 returning, 1 dormant"],
);

example(
  "Nobody is new twice: who was active long before the range resurrects in it.",
  `
  2025-05-01 09:00 ann visit
  2026-03-02 09:00 ann visit
  2026-03-02 10:00 bob visit
  `,
  async (daybook) => states(await daybook.lifecycle({ startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["2026-03-02: 1 new, 1 resurrecting"],
);

example(
  "New is who has the first matching event: among buyers, a visitor of yesterday is new with the first purchase.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann buy
  03-04 09:00 ann visit
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ eventName: "buy" }))],
  [["2026-03-02: 1 new", "2026-03-03: 1 returning", "2026-03-04: 1 returning"], ["2026-03-03: 1 new"]],
);

example(
  "A filter on metadata selects what activity is; a number may come as text.",
  `
  03-02 09:00 ann visit seconds=5
  03-03 09:00 ann visit seconds=60
  03-04 09:00 ann visit seconds="90"
  `,
  async (daybook) => states(await daybook.lifecycle({ filterGroups: [{ filters: [{ fieldName: "seconds", operator: ">", value: 30 }] }] })),
  ["2026-03-03: 1 new", "2026-03-04: 1 returning"],
);

example(
  "A filter on an array holds if any element matches.",
  `
  03-02 09:00 ann read topics=["news","sport"]
  03-03 09:00 ann read topics=["sport"]
  03-04 09:00 ann read topics=["news"]
  `,
  async (daybook) => states(await daybook.lifecycle({ filterGroups: [{ filters: [{ fieldName: "topics", operator: "=", value: "news" }] }] })),
  ["2026-03-02: 1 new", "2026-03-03: 1 dormant", "2026-03-04: 1 resurrecting"],
);

example(
  "In a project a person is new with the first event there.",
  `
  03-02 09:00 ann visit project=site
  03-03 09:00 ann visit project=shop
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ project: "shop" }))],
  [["2026-03-02: 1 new", "2026-03-03: 1 returning"], ["2026-03-03: 1 new"]],
);

example(
  "Days are those of the calendar: a millisecond over midnight is a return.",
  `
  03-02 23:59:59.999 ann visit
  03-03 00:00:00.000 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
);

example(
  "Days are those of the time zone: between 22:30 and 23:30 of UTC a new day begins in Berlin.",
  `
  03-02 22:30 ann visit
  03-02 23:30 ann visit
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ timeZone: "Europe/Berlin" }))],
  [["2026-03-02: 1 new"], ["2026-03-02: 1 new", "2026-03-03: 1 returning"]],
);

example(
  "The day on which clocks go forward has 23 hours, and the next one follows it at once.",
  `
  03-08 05:00 ann visit
  03-09 03:59 ann visit
  03-09 04:00 ann visit
  `,
  async (daybook) => {
    const lifecycle = await daybook.lifecycle({ timeZone: "America/New_York" });
    return [states(lifecycle), lifecycle.buckets.map(({ start }) => start)];
  },
  [
    ["2026-03-08: 1 new", "2026-03-09: 1 returning"],
    ["2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
  ],
);

example(
  "A day that a zone skipped is no pause: in Samoa 31 December 2011 followed the 29th.",
  `
  2011-12-30 09:59 ann visit
  2011-12-30 10:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({ timeZone: "Pacific/Apia" })),
  ["2011-12-29: 1 new", "2011-12-31: 1 returning"],
);

example(
  "Weeks begin on Monday unless another day is given.",
  `
  03-01 09:00 ann visit
  03-02 09:00 ann visit
  `,
  async (daybook) => [
    states(await daybook.lifecycle({ interval: "week" })),
    states(await daybook.lifecycle({ interval: "week", weekStart: "sunday" })),
  ],
  [["2026-02-23: 1 new", "2026-03-02: 1 returning"], ["2026-03-01: 1 new"]],
);

example(
  "The range is widened to whole buckets: a Wednesday stands for its week, which is not partial.",
  `
  02-25 09:00 ann visit
  03-02 09:00 ann visit
  03-08 09:00 bob visit
  03-09 09:00 cleo visit
  `,
  (daybook) => daybook.lifecycle({ interval: "week", startDate: "2026-03-04", endDate: "2026-03-04" }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      {
        start: "2026-03-02T00:00:00.000Z",
        end: "2026-03-08T23:59:59.999Z",
        local: "2026-03-02",
        partial: false,
        new: 1,
        returning: 1,
        resurrecting: 0,
        dormant: 0,
      },
    ],
  },
);

example(
  "Months follow each other whatever their length, also over the year's end.",
  `
  2025-12-31 23:00 ann visit
  2026-01-01 01:00 ann visit
  2026-03-02 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({ interval: "month" })),
  ["2025-12: 1 new", "2026-01: 1 returning", "2026-02: 1 dormant", "2026-03: 1 resurrecting"],
);

example(
  "The current day is partial: who is dormant so far may still come.",
  `
  03-19 09:00 ann visit
  `,
  async (daybook) => {
    const lifecycle = await daybook.lifecycle({ startDate: "2026-03-19", endDate: "2026-03-20" });
    return [states(lifecycle), lifecycle.buckets.map(({ partial }) => partial)];
  },
  [
    ["2026-03-19: 1 new", "2026-03-20: 1 dormant"],
    [false, true],
  ],
);

example(
  "What a visitor did before belongs to the person, who is then not new any more.",
  `
  02-10 09:00 ~phone    visit
  03-02 09:00 ann~phone login
  03-02 09:00 ~tablet   visit
  `,
  async (daybook) => states(await daybook.lifecycle({ startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["2026-03-02: 1 new, 1 resurrecting"],
);

example(
  "Two users who are merged later are one who returned.",
  `
  03-02 09:00 ann  visit
  03-03 09:00 anna visit
  03-10 09:00 ann  alias:anna
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
);

example(
  "Events without a person make nobody active.",
  `
  03-02 09:00 -   visit
  03-03 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-03: 1 new"],
);

example(
  "At the level of accounts a company returns when any of its people comes.",
  `
  03-02 09:00 ann visit company=acme
  03-03 09:00 bob visit company=acme
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ level: "account" }))],
  [
    ["2026-03-02: 1 new", "2026-03-03: 1 new, 1 dormant"],
    ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
  ],
);

example(
  "At the level of accounts a person with two companies makes both active, and who has none stands alone.",
  `
  03-02 09:00 ann visit company=acme
  03-03 09:00 ann visit company=globex
  03-03 10:00 bob visit
  `,
  async (daybook) => states(await daybook.lifecycle({ level: "account" })),
  ["2026-03-02: 1 new", "2026-03-03: 2 new, 1 dormant"],
);

example(
  "A segment selects whose lifecycle is asked, here those with a plan as it is known now.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  03-05 09:00 ann identify plan=pro
  `,
  async (daybook) =>
    states(
      await daybook.lifecycle({
        filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "pros" }] }],
        segments: { pros: { groups: [{ conditions: [{ type: "trait", field: "plan", operator: "=", value: "pro" }] }] } },
      }),
    ),
  ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
);

example(
  "With asOf, an answer names the newest event or record it counts, and can be asked again as of an earlier one.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann visit
  03-03 09:00 ann visit
  `,
  async (daybook) => {
    const latest = await daybook.lifecycle({ asOf: "latest" });
    const early = await daybook.lifecycle({ asOf: 0 });
    return [latest.asOf, states(latest), early.asOf, states(early)];
  },
  [3, ["2026-03-02: 1 new", "2026-03-03: 1 returning"], 0, []],
);

example(
  "What a lifecycle does not know is refused.",
  "",
  async (daybook) => [
    await refused(daybook.lifecycle({ interval: "hour" } as unknown as LifecycleInput)),
    await refused(daybook.lifecycle({ level: "session" } as unknown as LifecycleInput)),
    await refused(daybook.lifecycle({ breakdown: { fields: ["os"] } } as unknown as LifecycleInput)),
    await refused(daybook.lifecycle({ timeZone: "Berlin" })),
    await refused(daybook.lifecycle({ startDate: "2026-03-02T09:00" })),
    await refused(daybook.lifecycle({ filterGroups: [{ filters: [{ fieldName: "os", operator: "in_segment", value: "pros" }] }] })),
  ],
  [
    "invalid_parameter interval",
    "invalid_parameter level",
    "unknown_parameter breakdown",
    "invalid_parameter timeZone",
    "invalid_date startDate",
    "invalid_operator filterGroups[0].filters[0].operator",
  ],
);
