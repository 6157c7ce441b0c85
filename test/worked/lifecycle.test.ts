import type { Lifecycle, LifecycleInput } from "daybook";
import { expect } from "vitest";
import { example, refusalText } from "./example.js";

const STATES = ["new", "returning", "resurrecting", "dormant"] as const;

/** The name of each bucket and its states with at least one entity. */
const states = ({ buckets }: Lifecycle) =>
  buckets.map((bucket) => {
    const counts = STATES.filter((state) => bucket[state] > 0).map((state) => `${bucket[state]} ${state}`);
    return `${bucket.local}: ${counts.length === 0 ? "nobody" : counts.join(", ")}`;
  });

example(
  "People are new on their first day, and later returning, dormant or resurrecting.",
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
  "Without dates and activity, there are no buckets.",
  `
  03-02 09:00 ann visit
  `,
  (daybook) => daybook.lifecycle({ eventName: "buy" }),
  { definition: expect.any(String), asOf: null, buckets: [] },
);

example(
  "Without dates, the buckets end with the last activity; with dates, later buckets show who is dormant.",
  `
  03-02 09:00 ann visit
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ startDate: "2026-03-01", endDate: "2026-03-04" }))],
  [["2026-03-02: 1 new"], ["2026-03-01: nobody", "2026-03-02: 1 new", "2026-03-03: 1 dormant", "2026-03-04: nobody"]],
);

example(
  "A person is dormant only in the first bucket without activity, and resurrecting on the next activity.",
  `
  03-02 09:00 ann visit
  03-05 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 dormant", "2026-03-04: nobody", "2026-03-05: 1 resurrecting"],
);

example(
  "Several events of a person in a bucket count once.",
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
  "Activity in the bucket before the range determines who is returning or dormant in the first bucket.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({ startDate: "2026-03-03", endDate: "2026-03-03" })),
  ["2026-03-03: 1 returning, 1 dormant"],
);

example(
  "A person is new only once: someone active long before the range is resurrecting in it.",
  `
  2025-05-01 09:00 ann visit
  2026-03-02 09:00 ann visit
  2026-03-02 10:00 bob visit
  `,
  async (daybook) => states(await daybook.lifecycle({ startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["2026-03-02: 1 new, 1 resurrecting"],
);

example(
  "A person is new on the first matching event: an earlier visitor is a new buyer on the first purchase.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann buy
  03-04 09:00 ann visit
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ eventName: "buy" }))],
  [["2026-03-02: 1 new", "2026-03-03: 1 returning", "2026-03-04: 1 returning"], ["2026-03-03: 1 new"]],
);

example(
  "A metadata filter defines activity, and number filters also match numeric text.",
  `
  03-02 09:00 ann visit seconds=5
  03-03 09:00 ann visit seconds=60
  03-04 09:00 ann visit seconds="90"
  `,
  async (daybook) => states(await daybook.lifecycle({ filterGroups: [{ filters: [{ fieldName: "seconds", operator: ">", value: 30 }] }] })),
  ["2026-03-03: 1 new", "2026-03-04: 1 returning"],
);

example(
  "A filter on an array matches if any element matches.",
  `
  03-02 09:00 ann read topics=["news","sport"]
  03-03 09:00 ann read topics=["sport"]
  03-04 09:00 ann read topics=["news"]
  `,
  async (daybook) => states(await daybook.lifecycle({ filterGroups: [{ filters: [{ fieldName: "topics", operator: "=", value: "news" }] }] })),
  ["2026-03-02: 1 new", "2026-03-03: 1 dormant", "2026-03-04: 1 resurrecting"],
);

example(
  "With a project, a person is new on the first event in that project.",
  `
  03-02 09:00 ann visit project=site
  03-03 09:00 ann visit project=shop
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ project: "shop" }))],
  [["2026-03-02: 1 new", "2026-03-03: 1 returning"], ["2026-03-03: 1 new"]],
);

example(
  "Days are calendar days: an event one millisecond after midnight is a return.",
  `
  03-02 23:59:59.999 ann visit
  03-03 00:00:00.000 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
);

example(
  "Days follow the time zone: in Berlin, a new day begins between 22:30 and 23:30 UTC.",
  `
  03-02 22:30 ann visit
  03-02 23:30 ann visit
  `,
  async (daybook) => [states(await daybook.lifecycle({})), states(await daybook.lifecycle({ timeZone: "Europe/Berlin" }))],
  [["2026-03-02: 1 new"], ["2026-03-02: 1 new", "2026-03-03: 1 returning"]],
);

example(
  "The day on which daylight saving time begins has 23 hours, and the next day follows without a gap.",
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
  "A day skipped by the time zone is not a gap: in Samoa, December 31, 2011 followed December 29.",
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
  "The range is extended to whole buckets: a Wednesday covers its whole week, which is not partial.",
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
  "Months are consecutive regardless of their length, including across the end of a year.",
  `
  2025-12-31 23:00 ann visit
  2026-01-01 01:00 ann visit
  2026-03-02 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({ interval: "month" })),
  ["2025-12: 1 new", "2026-01: 1 returning", "2026-02: 1 dormant", "2026-03: 1 resurrecting"],
);

example(
  "The current day is partial, because people counted as dormant may still become active.",
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
  "A visitor's earlier events belong to the linked person, who is then not new.",
  `
  02-10 09:00 ~phone    visit
  03-02 09:00 ann~phone login
  03-02 09:00 ~tablet   visit
  `,
  async (daybook) => states(await daybook.lifecycle({ startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["2026-03-02: 1 new, 1 resurrecting"],
);

example(
  "Two users who are merged later are one returning person.",
  `
  03-02 09:00 ann  visit
  03-03 09:00 anna visit
  03-10 09:00 ann  alias:anna
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-02: 1 new", "2026-03-03: 1 returning"],
);

example(
  "Events without an identity do not count.",
  `
  03-02 09:00 -   visit
  03-03 09:00 ann visit
  `,
  async (daybook) => states(await daybook.lifecycle({})),
  ["2026-03-03: 1 new"],
);

example(
  "At level account, a company returns when any of its members does.",
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
  "At level account, a person with two companies makes both active, and a person without a company counts separately.",
  `
  03-02 09:00 ann visit company=acme
  03-03 09:00 ann visit company=globex
  03-03 10:00 bob visit
  `,
  async (daybook) => states(await daybook.lifecycle({ level: "account" })),
  ["2026-03-02: 1 new", "2026-03-03: 2 new, 1 dormant"],
);

example(
  "A segment restricts the lifecycle to the people in it, here by the current value of a trait.",
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
  "With asOf, the answer returns the sequence of the newest event or record, and a query can use an earlier sequence.",
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
  "Unknown members and values are refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.lifecycle({ interval: "hour" } as unknown as LifecycleInput)),
    await refusalText(daybook.lifecycle({ level: "session" } as unknown as LifecycleInput)),
    await refusalText(daybook.lifecycle({ breakdown: { fields: ["os"] } } as unknown as LifecycleInput)),
    await refusalText(daybook.lifecycle({ timeZone: "Berlin" })),
    await refusalText(daybook.lifecycle({ startDate: "2026-03-02T09:00" })),
    await refusalText(daybook.lifecycle({ filterGroups: [{ filters: [{ fieldName: "os", operator: "in_segment", value: "pros" }] }] })),
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
