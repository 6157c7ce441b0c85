import type { Paths, PathsInput } from "daybook";
import { expect } from "vitest";
import { example, refusalText } from "./example.js";

/** The labels and number of sessions of each sequence. */
const sequences = (paths: Paths) => paths.sequences.map(({ values, sessions }) => `${values.join(" > ")}: ${sessions}`);

/** The step, label and number of sessions of each node. */
const nodes = (paths: Paths) => paths.nodes.map(({ step, value, sessions }) => `${step}. ${value}: ${sessions}`);

/** The step and label of each node, and the number of sequences that begin and end in it. */
const ends = (paths: Paths) => paths.nodes.map(({ step, value, entries, dropOffs }) => `${step}. ${value}: ${entries} begin, ${dropOffs} end`);

/** The start step, the two labels and the number of sessions of each edge. */
const edges = (paths: Paths) => paths.edges.map(({ step, from, to, sessions }) => `${step}. ${from} > ${to}: ${sessions}`);

example(
  "Sessions with the same path are counted together.",
  `
  03-02 09:00 ann  /
  03-02 09:01 ann  /pricing
  03-02 10:00 bob  /
  03-02 10:01 bob  /pricing
  03-02 11:00 cleo /
  03-02 11:01 cleo /docs
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /pricing: 2", "/ > /docs: 1"],
);

example(
  "The answer has the nodes of each step, the edges between steps, and whole sequences.",
  `
  03-02 09:00 ann  /
  03-02 09:01 ann  /pricing
  03-02 09:02 ann  /signup
  03-02 10:00 bob  /blog
  03-02 10:01 bob  /pricing
  03-02 11:00 cleo /
  `,
  (daybook) => daybook.paths({}),
  {
    definition: expect.any(String),
    asOf: null,
    sessions: 3,
    nodes: [
      { step: 1, value: "/", sessions: 2, entries: 2, dropOffs: 1 },
      { step: 1, value: "/blog", sessions: 1, entries: 1, dropOffs: 0 },
      { step: 2, value: "/pricing", sessions: 2, entries: 0, dropOffs: 1 },
      { step: 3, value: "/signup", sessions: 1, entries: 0, dropOffs: 1 },
    ],
    edges: [
      { step: 1, from: "/", to: "/pricing", sessions: 1 },
      { step: 1, from: "/blog", to: "/pricing", sessions: 1 },
      { step: 2, from: "/pricing", to: "/signup", sessions: 1 },
    ],
    sequences: [
      { values: ["/"], sessions: 1 },
      { values: ["/", "/pricing", "/signup"], sessions: 1 },
      { values: ["/blog", "/pricing"], sessions: 1 },
    ],
  },
);

example(
  "Without matching values, there are no sessions, nodes, edges or sequences.",
  `
  03-02 09:00 ann signup
  `,
  (daybook) => daybook.paths({}),
  { definition: expect.any(String), asOf: null, sessions: 0, nodes: [], edges: [], sequences: [] },
);

example(
  "An event without a value is not a node, and a session with only such events has no sequence.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann click
  03-02 09:02 ann /pricing
  03-02 10:00 bob click
  `,
  async (daybook) => {
    const paths = await daybook.paths({});
    return [paths.sessions, sequences(paths)];
  },
  [1, ["/ > /pricing: 1"]],
);

example(
  "The path is the url up to its query or fragment.",
  `
  03-02 09:00 ann /?utm_source=mail
  03-02 09:01 ann /pricing#yearly
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /pricing: 1"],
);

example(
  "Nodes can be values of any field, such as event names.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann signup
  03-02 09:02 ann buy
  `,
  async (daybook) => sequences(await daybook.paths({ node: "name" })),
  ["Pageview > signup > buy: 1"],
);

example(
  "A label is the text of the value; numbers, booleans and arrays are written as JSON, and an array is one node.",
  `
  03-02 09:00 ann pick choice=3
  03-02 09:01 ann pick choice=true
  03-02 09:02 ann pick choice=["a","b"]
  03-02 09:03 ann pick choice=null
  03-02 09:04 ann pick choice=c
  `,
  async (daybook) => sequences(await daybook.paths({ node: "choice" })),
  ['3 > true > ["a","b"] > c: 1'],
);

example(
  "Consecutive equal labels are one node unless collapse is off; equal labels with another between them stay separate.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /
  03-02 09:02 ann /pricing
  03-02 09:03 ann /
  `,
  async (daybook) => [sequences(await daybook.paths({})), sequences(await daybook.paths({ collapse: false }))],
  [["/ > /pricing > /: 1"], ["/ > / > /pricing > /: 1"]],
);

example(
  "Equal labels separated only by events without a value are consecutive.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann click
  03-02 09:02 ann /
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/: 1"],
);

example(
  "The first rule with a matching pattern sets the label, and other values keep their own.",
  `
  03-02 09:00 ann /blog/one
  03-02 09:01 ann /b
  03-02 09:02 ann /Blog/two
  `,
  async (daybook) =>
    sequences(
      await daybook.paths({
        rules: [
          { pattern: "^/blog", label: "Blog" },
          { pattern: "^/b", label: "B" },
        ],
      }),
    ),
  ["Blog > B > /Blog/two: 1"],
);

example(
  "A pattern may match anywhere in the value.",
  `
  03-02 09:00 ann /de/pricing
  03-02 09:01 ann /docs
  `,
  async (daybook) => sequences(await daybook.paths({ rules: [{ pattern: "pricing", label: "Pricing" }] })),
  ["Pricing > /docs: 1"],
);

example(
  "Labels are collapsed after the rules are applied.",
  `
  03-02 09:00 ann /blog/one
  03-02 09:01 ann /blog/two
  03-02 09:02 ann /signup
  `,
  async (daybook) => sequences(await daybook.paths({ rules: [{ pattern: "^/blog/", label: "Blog" }] })),
  ["Blog > /signup: 1"],
);

example(
  "A sequence begins at the first occurrence of the start, and sessions without it have no sequence.",
  `
  03-02 09:00 ann  /
  03-02 09:01 ann  /pricing
  03-02 09:02 ann  /docs
  03-02 09:03 ann  /pricing
  03-02 10:00 bob  /docs
  `,
  async (daybook) => {
    const paths = await daybook.paths({ startAt: "/pricing" });
    return [paths.sessions, sequences(paths)];
  },
  [1, ["/pricing > /docs > /pricing: 1"]],
);

example(
  "Start and end are compared with labels after the rules are applied, not with the original values.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /blog/one
  03-02 09:02 ann /signup
  `,
  async (daybook) => {
    const rules = [{ pattern: "^/blog/", label: "Blog" }];
    return [
      sequences(await daybook.paths({ rules, startAt: "Blog" })),
      sequences(await daybook.paths({ rules, endAt: "Blog" })),
      sequences(await daybook.paths({ rules, startAt: "/blog/one" })),
    ];
  },
  [["Blog > /signup: 1"], ["/ > Blog: 1"], []],
);

example(
  "With only an end, steps are numbered backward from the end, which is the last step, and there are no drop-offs.",
  `
  03-02 09:00 ann  /
  03-02 09:01 ann  /pricing
  03-02 09:02 ann  /buy
  03-02 09:03 ann  /thanks
  03-02 10:00 bob  /pricing
  03-02 10:01 bob  /buy
  03-02 11:00 cleo /pricing
  `,
  (daybook) => daybook.paths({ endAt: "/buy" }),
  {
    definition: expect.any(String),
    asOf: null,
    sessions: 2,
    nodes: [
      { step: 3, value: "/", sessions: 1, entries: 1, dropOffs: 0 },
      { step: 4, value: "/pricing", sessions: 2, entries: 1, dropOffs: 0 },
      { step: 5, value: "/buy", sessions: 2, entries: 0, dropOffs: 0 },
    ],
    edges: [
      { step: 3, from: "/", to: "/pricing", sessions: 1 },
      { step: 4, from: "/pricing", to: "/buy", sessions: 2 },
    ],
    sequences: [
      { values: ["/", "/pricing", "/buy"], sessions: 1 },
      { values: ["/pricing", "/buy"], sessions: 1 },
    ],
  },
);

example(
  "A sequence ends at the first occurrence of its end.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /buy
  03-02 09:02 ann /docs
  03-02 09:03 ann /buy
  `,
  async (daybook) => sequences(await daybook.paths({ endAt: "/buy" })),
  ["/ > /buy: 1"],
);

example(
  "With only an end, the last nodes are kept; with a start and an end, the first ones.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /pricing
  03-02 09:02 ann /cart
  03-02 09:03 ann /buy
  `,
  async (daybook) => {
    const before = await daybook.paths({ endAt: "/buy", maxDepth: 2 });
    const between = await daybook.paths({ startAt: "/", endAt: "/buy", maxDepth: 2 });
    return [nodes(before), nodes(between)];
  },
  [
    ["1. /cart: 1", "2. /buy: 1"],
    ["1. /: 1", "2. /pricing: 1"],
  ],
);

example(
  "With a start and an end, the end must follow the start, and sessions without both have no sequence.",
  `
  03-02 09:00 ann  /buy
  03-02 09:01 ann  /
  03-02 09:02 ann  /pricing
  03-02 09:03 ann  /buy
  03-02 10:00 bob  /buy
  03-02 10:01 bob  /
  03-02 11:00 cleo /
  `,
  async (daybook) => {
    const paths = await daybook.paths({ startAt: "/", endAt: "/buy" });
    return [paths.sessions, sequences(paths), nodes(paths)];
  },
  [1, ["/ > /pricing > /buy: 1"], ["1. /: 1", "2. /pricing: 1", "3. /buy: 1"]],
);

example(
  "Five nodes are kept by default, and a truncated sequence does not count as a drop-off.",
  `
  03-02 09:00 ann /1
  03-02 09:01 ann /2
  03-02 09:02 ann /3
  03-02 09:03 ann /4
  03-02 09:04 ann /5
  03-02 09:05 ann /6
  03-02 10:00 bob /1
  03-02 10:01 bob /2
  `,
  async (daybook) => {
    const two = await daybook.paths({ maxDepth: 2 });
    return [sequences(await daybook.paths({})), sequences(two), ends(two)];
  },
  [["/1 > /2: 1", "/1 > /2 > /3 > /4 > /5: 1"], ["/1 > /2: 2"], ["1. /1: 2 begin, 0 end", "2. /2: 0 begin, 1 end"]],
);

example(
  "The same label can be a node of several steps.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /pricing
  03-02 09:02 ann /
  03-02 10:00 bob /pricing
  `,
  async (daybook) => {
    const paths = await daybook.paths({});
    return [nodes(paths), edges(paths)];
  },
  [
    ["1. /: 1", "1. /pricing: 1", "2. /pricing: 1", "3. /: 1"],
    ["1. / > /pricing: 1", "2. /pricing > /: 1"],
  ],
);

example(
  "The limit keeps the largest nodes and edges per step and the largest sequences, but does not affect the session count.",
  `
  03-02 09:00 ann  /
  03-02 09:01 ann  /pricing
  03-02 10:00 bob  /
  03-02 10:01 bob  /docs
  03-02 11:00 cleo /blog
  03-02 11:01 cleo /docs
  `,
  async (daybook) => {
    const paths = await daybook.paths({ limit: 1 });
    return { sessions: paths.sessions, nodes: nodes(paths), edges: edges(paths), sequences: sequences(paths) };
  },
  { sessions: 3, nodes: ["1. /: 2", "2. /docs: 2"], edges: ["1. / > /docs: 1"], sequences: ["/ > /docs: 1"] },
);

example(
  "Sequences with equal counts are sorted node by node by label, shorter first.",
  `
  03-02 09:00 ann  /b
  03-02 10:00 bob  /a
  03-02 10:01 bob  /c
  03-02 11:00 cleo /a
  03-02 12:00 dora /a
  03-02 12:01 dora /B
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/a: 1", "/a > /B: 1", "/a > /c: 1", "/b: 1"],
);

example(
  "A filter selects nodes, not sessions, so events that do not match are skipped.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /ads
  03-02 09:02 ann /pricing
  `,
  async (daybook) => sequences(await daybook.paths({ filterGroups: [{ filters: [{ fieldName: "path", operator: "!=", value: "/ads" }] }] })),
  ["/ > /pricing: 1"],
);

example(
  "The event name also selects nodes.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann click url=/menu
  03-02 09:02 ann /pricing
  `,
  async (daybook) => [sequences(await daybook.paths({})), sequences(await daybook.paths({ eventName: "Pageview" }))],
  [["/ > /menu > /pricing: 1"], ["/ > /pricing: 1"]],
);

example(
  "Events excluded by a filter still keep a session open.",
  `
  03-02 09:00 ann /
  03-02 09:25 ann scroll
  03-02 09:50 ann /pricing
  `,
  async (daybook) => sequences(await daybook.paths({ eventName: "Pageview" })),
  ["/ > /pricing: 1"],
);

example(
  "A session ends after more than 30 minutes without events.",
  `
  03-02 09:00:00.000 ann /
  03-02 09:30:00.000 ann /pricing
  03-02 10:00:00.001 ann /docs
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /pricing: 1", "/docs: 1"],
);

example(
  "The gap that ends a session is configurable.",
  `
  03-02 09:00:00.000 ann /
  03-02 09:10:00.000 ann /pricing
  03-02 09:20:00.001 ann /docs
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /pricing: 1", "/docs: 1"],
  { session: { gapMs: 600_000 } },
);

example(
  "A session also ends when an event is further from its start than the maximum length.",
  `
  03-02 09:00:00.000 ann /
  03-02 09:30:00.000 ann /a
  03-02 10:00:00.000 ann /b
  03-02 10:00:00.001 ann /c
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /a > /b: 1", "/c: 1"],
  { session: { maxMs: 3_600_000 } },
);

example(
  "A session belongs to the day it starts on, including its events after midnight.",
  `
  03-01 23:50 ann /
  03-02 00:10 ann /pricing
  03-02 23:50 bob /
  03-03 00:10 bob /docs
  `,
  async (daybook) => sequences(await daybook.paths({ startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["/ > /docs: 1"],
);

example(
  "Dates follow the time zone: in Berlin, a new day begins at 23:00 UTC.",
  `
  03-01 22:59:59.999 ann /yesterday
  03-01 23:00:00.000 bob /today
  03-02 23:00:00.000 cleo /tomorrow
  `,
  async (daybook) => sequences(await daybook.paths({ startDate: "2026-03-02", endDate: "2026-03-02", timeZone: "Europe/Berlin" })),
  ["/today: 1"],
);

example(
  "Events in the same millisecond are sorted by id.",
  `
  03-02 09:00:00.000 ann /b id=00000000-0000-4000-8000-000000000002
  03-02 09:00:00.000 ann /a id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/a > /b: 1"],
);

example(
  "An event sent twice with the same id is one node.",
  `
  03-02 09:00 ann / id=page-1
  03-02 09:00 ann / id=page-1
  03-02 09:01 ann / id=page-2
  `,
  async (daybook) => sequences(await daybook.paths({ collapse: false })),
  ["/ > /: 1"],
);

example(
  "A visitor's pages before the sign-up are the beginning of the person's path.",
  `
  03-02 09:00 ~phone    /
  03-02 09:01 ~phone    /pricing
  03-02 09:02 ann~phone /signup
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /pricing > /signup: 1"],
);

example(
  "The pages of two users who are merged later form one path.",
  `
  03-02 09:00 ann  /
  03-02 09:05 anna /pricing
  03-10 09:00 ann  alias:anna
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/ > /pricing: 1"],
);

example(
  "Events without an identity are in no session.",
  `
  03-02 09:00 - /
  03-02 09:01 - /pricing
  03-02 09:02 ann /docs
  `,
  async (daybook) => sequences(await daybook.paths({})),
  ["/docs: 1"],
);

example(
  "Each project has separate sessions, and a query can be limited to one project.",
  `
  03-02 09:00 ann /     project=site
  03-02 09:01 ann /cart project=shop
  03-02 09:02 ann /docs project=site
  `,
  async (daybook) => [sequences(await daybook.paths({})), sequences(await daybook.paths({ project: "site" }))],
  [["/ > /docs: 1", "/cart: 1"], ["/ > /docs: 1"]],
);

example(
  "A server-side payment with neither a url nor a hostname is in no session.",
  `
  03-02 09:00 ann signup  url=/signup
  03-02 09:01 ann Payment value=10
  03-02 09:02 ann Payment value=10 url=/thanks
  `,
  async (daybook) => sequences(await daybook.paths({ node: "name" })),
  ["signup > Payment: 1"],
);

example(
  "A segment restricts the paths to the people in it.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /pricing
  03-02 10:00 bob /
  03-05 09:00 ann buy
  `,
  async (daybook) =>
    sequences(
      await daybook.paths({
        filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }],
        segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
      }),
    ),
  ["/ > /pricing: 1"],
);

example(
  "With asOf, the answer returns the sequence of the newest event or record, and a query can use an earlier sequence.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann /
  03-02 09:01 ann /pricing
  `,
  async (daybook) => {
    const latest = await daybook.paths({ asOf: "latest" });
    const early = await daybook.paths({ asOf: 0 });
    return [latest.asOf, sequences(latest), early.asOf, sequences(early)];
  },
  [3, ["/ > /pricing: 1"], 0, []],
);

example(
  "An equal start and end are refused.",
  "",
  (daybook) => refusalText(daybook.paths({ startAt: "/", endAt: "/" })),
  expect.stringMatching(/^invalid_parameter /),
);

example(
  "A depth or limit out of bounds, an invalid rule and an unknown member are refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.paths({ maxDepth: 1 })),
    await refusalText(daybook.paths({ maxDepth: 21 })),
    await refusalText(daybook.paths({ limit: 0 })),
    await refusalText(daybook.paths({ limit: 1001 })),
    await refusalText(daybook.paths({ rules: [{ pattern: "(", label: "Open" }] })),
    await refusalText(daybook.paths({ rules: [{ pattern: "a", label: "" }] })),
    await refusalText(daybook.paths({ rules: Array.from({ length: 51 }, () => ({ pattern: "a", label: "A" })) })),
    await refusalText(daybook.paths({ collapse: "no" } as unknown as PathsInput)),
    await refusalText(daybook.paths({ interval: "day" } as unknown as PathsInput)),
  ],
  [
    "invalid_parameter maxDepth",
    "invalid_parameter maxDepth",
    "invalid_parameter limit",
    "invalid_parameter limit",
    "invalid_regex rules[0].pattern",
    "invalid_parameter rules[0].label",
    "invalid_parameter rules",
    "invalid_parameter collapse",
    "unknown_parameter interval",
  ],
);
