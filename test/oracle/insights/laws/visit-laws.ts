import { expect } from "vitest";
import type { PathsInput } from "../../../../src/query/plan/input.js";
import { randomScope } from "../random-history.js";
import type { InsightLaw } from "./law.js";

const ADDITIVE = ["sessions", "events", "pageviews", "bounces"] as const;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export const visitLaws: readonly InsightLaw[] = [
  {
    title: "Sessions add up over buckets, adjacent windows, rows and entry pages.",
    count: 150,
    check: async ({ random, asked }) => {
      const scope = randomScope(random);
      const breakdown = { fields: [random.pick(["device", "path", "person.plan"])], limit: random.pick([1, 25]), rest: true };
      const { buckets, total, rows, rest, entryPages, exitPages } = await asked.sessionsOverview({ ...scope, interval: random.pick(["hour", "day", "month", "total"]), breakdown, limit: 1_000 });
      for (const member of ADDITIVE) {
        expect(sum(buckets.map((bucket) => bucket[member]))).toBe(total[member]);
        expect(sum([...(rows ?? []).map(({ figures }) => figures), rest].map((figures) => figures?.[member] ?? 0))).toBe(total[member]);
      }
      for (const pages of [entryPages, exitPages]) expect(sum(pages.map(({ sessions }) => sessions))).toBe(total.sessions);
      const { startDate: _startDate, endDate: _endDate, ...always } = scope;
      const [before, after] = await Promise.all([{ ...always, endDate: "2026-03-28" }, { ...always, startDate: "2026-03-29" }].map(async (input) => (await asked.sessionsOverview(input)).total.sessions));
      expect((before ?? 0) + (after ?? 0)).toBe((await asked.sessionsOverview(always)).total.sessions);
      expect((await asked.trend({ ...scope, measure: { type: "sessions" } })).series[0]?.total).toBe(total.sessions);
    },
  },
  {
    title: "Of one identity they are the profile's.",
    count: 150,
    check: async ({ random, history, asked }) => {
      const userId = random.pick(["ann", "bob", "carl"]);
      if (!history.some((item) => "userId" in item && item.userId === userId)) return;
      const dates = { startDate: "2026-03-28", endDate: "2026-03-30" };
      const profile = await asked.identityProfile({ userId, ...dates });
      const { identityId } = await asked.identitySessions({ userId });
      const { total } = await asked.sessionsOverview({ ...dates, filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "=", value: identityId }] }] });
      const { sessions, bounceRate, durationAvgSec, durationP90Sec } = profile;
      expect(total).toMatchObject({ sessions, bounceRate, durationAvgSec, durationP90Sec });
    },
  },
  {
    title: "The web overview is what the others tell; each list of visits adds up to them.",
    count: 150,
    check: async ({ random, asked }) => {
      const scope = randomScope(random);
      const web = await asked.webOverview({ ...scope, limit: 1_000, interval: "day" });
      const { total } = await asked.sessionsOverview(scope);
      expect(web.figures).toMatchObject({ visits: total.sessions, viewsPerVisit: total.pagesPerSession, bounceRate: total.bounceRate, durationAvgSec: total.durationAvgSec });
      expect(web.figures.visitors).toBe((await asked.trend({ ...scope, measure: { type: "unique_users" } })).series[0]?.total);
      for (const list of [web.entryPages, web.exitPages, web.sources, web.mediums, web.campaigns, web.countries, web.devices, web.browsers, web.systems]) {
        expect(sum(list.map(({ visits }) => visits))).toBe(total.sessions);
      }
      expect(sum(web.pages.map(({ views }) => views))).toBe(web.figures.views);
      expect(sum((web.chart ?? []).map(({ views }) => views))).toBe(web.figures.views);
      expect(sum((web.chart ?? []).map(({ visits }) => visits))).toBe(web.figures.visits);
    },
  },
  {
    title: "What comes into a node goes out of it or ends there.",
    count: 200,
    check: async ({ random, asked }) => {
      const endAt = random.pick([null, null, "/a"]);
      const input: PathsInput = {
        ...randomScope(random), node: random.pick(["path", "name", "tags"]), collapse: random.chance(0.5), maxDepth: random.between(2, 6), limit: 1_000, endAt, startAt: random.pick([null, "/b"]),
        rules: random.pick([null, [{ pattern: "^[ab]$", label: "/a" }]]),
      };
      const { sessions, nodes, edges, sequences } = await asked.paths(input);
      expect(sum(sequences.map((sequence) => sequence.sessions))).toBe(sessions);
      expect(sum(nodes.map(({ entries }) => entries))).toBe(sessions);
      for (const node of nodes) {
        const into = edges.filter(({ step, to }) => step === node.step - 1 && to === node.value);
        const from = edges.filter(({ step, from: value }) => step === node.step && value === node.value);
        expect(node.entries + sum(into.map((edge) => edge.sessions))).toBe(node.sessions);
        if (endAt === null && node.step < (input.maxDepth ?? 5)) expect(node.dropOffs + sum(from.map((edge) => edge.sessions))).toBe(node.sessions);
      }
    },
  },
];
