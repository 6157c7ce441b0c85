import type {
  AttributionAnswer, CohortsAnswer, CompaniesAnswer, CompanyUsersAnswer, DevicesAnswer, FunnelAnswer, LifecycleAnswer, PathsAnswer,
  PersonSessionsAnswer, ProfileAnswer, ReferrersAnswer, RetentionAnswer, SearchAnswer, SessionsAnswer, StatsAnswer, StickinessAnswer, TrendAnswer,
  ShownUnconverted, WebAnswer,
} from "../../../src/page/api/answers.js";
import type { ViewState } from "../../../src/page/state/view-state.js";
import { cash, change, count, seconds, share, type Owed } from "./owed.js";

/** Rows of a panel that lists some of its answer. */
const WAYS = 15;
const STATIONS = 9;
const BUCKETS = 12;
const OFTEN = 31;

/** The numbers that a panel owes its answer, in their order. @param title of the panel */
export function owedNumbers(title: string, answer: unknown, { view, choices }: ViewState): Owed[] {
  const whose = OWED[`${view} ${title}`] ?? OWED[view];
  if (whose === undefined) throw new Error(`nobody knows what the panel “${title}” of ${view} owes`);
  return whose(answer as never, choices);
}

type Choices = ViewState["choices"];

/** Digits that stand in texts of a panel beside its numbers: those of the picture, and of steps. */
export function owedDigits(answer: unknown, { view, choices }: ViewState): string {
  if (view !== "funnels") return "";
  const { steps, pending } = answer as FunnelAnswer;
  if (steps[0]?.entities === 0) return "";
  return [...steps.flatMap((step, at) => (step.from_previous === null ? [] : [at])), ...(pending > 0 ? [choices.funnels.window] : [])].join(" ");
}

const OWED: Readonly<Record<string, (answer: never, choices: Choices) => Owed[]>> = {
  "overview Visitors and visits": webFigures,
  "overview Pages": (answer: WebAnswer, { overview: { pages } }) =>
    pages === "top"
      ? answer.pages.flatMap(({ visitors, views }) => [count("Visitors", visitors), count("Views", views)])
      : visitRows(pages === "entry" ? answer.entry_pages : answer.exit_pages),
  "overview Sources": (answer: WebAnswer & SessionsAnswer, { overview: { sources } }) =>
    sources === "referrer" ? brokenRows(answer) : visitRows({ source: answer.sources, channel: answer.mediums, campaign: answer.campaigns }[sources]),
  "overview Places": (answer: WebAnswer & SessionsAnswer, { overview: { places } }) =>
    places === "country" ? visitRows(answer.countries) : brokenRows(answer),
  "overview Devices": (answer: WebAnswer & SessionsAnswer, { overview: { devices } }) =>
    devices === "screen" ? brokenRows(answer) : visitRows({ device: answer.devices, browser: answer.browsers, system: answer.systems }[devices]),
  "overview Revenue": revenue,
  "revenue Revenue": (answer: TrendAnswer) => (isUnpaid(answer) ? [] : revenue(answer)),
  trends,
  funnels,
  "retention Cohorts": retention,
  "retention Lifecycle": ({ buckets }: LifecycleAnswer) =>
    buckets.every((each) => each.new + each.returning + each.resurrecting + each.dormant === 0)
      ? []
      : [...buckets].reverse().slice(0, BUCKETS).flatMap((each) => [
          count("New", each.new), count("Returning", each.returning), count("Resurrecting", each.resurrecting), count("Dormant", each.dormant),
        ]),
  "retention Stickiness": stickiness,
  "paths Paths": ways,
  "paths Most frequent paths": ({ sequences, sessions }: PathsAnswer) =>
    sequences.slice(0, WAYS).flatMap((row) => [count("Visits", row.sessions), share("Of all", row.sessions / sessions)]),
  "events Events": (_: SearchAnswer) => [],
  "people Most active people": ({ series }: TrendAnswer) =>
    series.filter(({ values }) => values[0] !== "").map(({ total }) => count("Events", total)),
  "people Sessions": ({ sessions }: PersonSessionsAnswer) => sessions.flatMap((each) => [count("", each.events), seconds("", each.duration_sec)]),
  "people Devices and places": ({ history }: DevicesAnswer) => history.map(({ events }) => count("Events", events)),
  "people Referrers": ({ referrers }: ReferrersAnswer) => referrers.map((each) => count("Times", each.count)),
  people: profile,
  "companies Companies": ({ companies, currency }: CompaniesAnswer) =>
    companies.flatMap((row) => [count("People", row.users), count("Events", row.events), cash("Revenue", row.revenue, currency)]),
  companies: ({ users }: CompanyUsersAnswer) => users.map(({ events }) => count("Events", events)),
  "revenue Attribution": ({ rows, currency, unconverted }: AttributionAnswer) => [
    ...rows.flatMap((row) => [cash("Revenue", row.revenue, currency), count("Orders", row.orders)]),
    ...(rows.length === 0 ? [] : withoutRate(unconverted)),
  ],
  "revenue By month of first event": ({ cohorts, currency, unconverted }: CohortsAnswer) => [
    ...cohorts.flatMap((row) => [
      count("People", row.entities), count("Orders", row.orders), cash("Revenue", row.revenue, currency), cash("Average", row.ltv, currency),
    ]),
    ...(cohorts.length === 0 ? [] : withoutRate(unconverted)),
  ],
  privacy: () => [],
  "store Health": () => [],
  "store What is stored": stored,
};

function webFigures({ figures, previous, now_online: online }: WebAnswer): Owed[] {
  const kinds = [
    ["visitors", "Visitors", count], ["visits", "Visits", count], ["views", "Views", count],
    ["views_per_visit", "Views per visit", count], ["bounce_rate", "Bounce rate", share], ["duration_avg_sec", "Visit duration", seconds],
  ] as const;
  if (figures.visitors === 0 && figures.visits === 0 && figures.views === 0) return [count("", online)];
  const strip = kinds.flatMap(([name, title, as]) => [as(title, figures[name]), ...change(title, figures[name], previous?.[name] ?? null)]);
  return [count("", online), ...strip];
}

function visitRows(list: WebAnswer["sources"]): Owed[] {
  return list.flatMap(({ visitors, visits }) => [count("Visitors", visitors), count("Visits", visits)]);
}

function brokenRows({ rows }: SessionsAnswer): Owed[] {
  return (rows ?? []).flatMap(({ figures }) => [count("Visits", figures.sessions), count("Visitors", figures.users)]);
}

export function isUnpaid({ series, unconverted }: TrendAnswer): boolean {
  return series[0]?.counted === 0 && unconverted.length === 0;
}

function revenue({ series, previous, currency, unconverted }: TrendAnswer): Owed[] {
  const total = series[0]?.total ?? null;
  return [cash("", total, currency), ...change("", total, previous?.series[0]?.total ?? null), ...withoutRate(unconverted)];
}

function withoutRate(unconverted: ShownUnconverted): Owed[] {
  return unconverted.flatMap((each) => [cash("", each.revenue, each.currency), count("", each.orders)]);
}

function trends(answer: TrendAnswer, { trends: { by } }: Choices): Owed[] {
  const { buckets, series, rest, previous, currency, value_count: valueCount, unconverted } = answer;
  if (buckets.length === 0 || series.every(({ counted }) => counted === 0)) return [];
  if (by === "") return revenue(answer);
  const before = (values: readonly string[]) => previous?.series.find((each) => each.values[0] === values[0])?.total ?? null;
  const rows = [...series, ...(rest === null ? [] : [{ ...rest, values: [] }])];
  return [
    ...withoutRate(unconverted),
    ...rows.flatMap(({ values, total, counted }) => [
      cash("Total", total, currency), ...(values.length === 0 ? [] : change("Change", total, before(values))), count("Events counted", counted),
    ]),
    ...(valueCount > series.length ? [count("", valueCount), count("", series.length)] : []),
  ];
}

function funnels({ steps, rows, pending }: FunnelAnswer): Owed[] {
  if (steps[0]?.entities === 0) return [];
  return [
    share("", steps.at(-1)?.conversion_rate ?? null), count("", steps[0]?.entities ?? null),
    ...steps.flatMap((step, at) => {
      const next = steps[at + 1];
      return [
        count("", step.entities), share("", step.conversion_rate),
        ...(step.from_previous === null ? [] : [seconds("", step.from_previous.median_sec)]),
        ...(next !== undefined && step.drop_offs > 0 ? [count("", step.drop_offs), share("", 1 - (next.step_rate ?? 0))] : []),
      ];
    }),
    ...(pending > 0 ? [count("", pending)] : []),
    ...(rows ?? []).flatMap((row) => [
      ...row.steps.map(({ entities, name }, at) => count(`${at + 1}. ${name}`, entities)),
      share("Completed", row.steps.at(-1)?.conversion_rate ?? null),
    ]),
  ];
}

function retention({ cohorts, total }: RetentionAnswer): Owed[] {
  const shown = cohorts.filter(({ size }) => size > 0);
  if (shown.length === 0) return [];
  const cells = (periods: RetentionAnswer["total"]) =>
    periods.slice(1).flatMap(({ entities, of, rate }, at): Owed[] => {
      if (entities === null || rate === null) return [];
      return [{ of: `*${at + 1}`, as: "told", short: share("", rate), values: [count("entities", entities), count("of", of), share("rate", rate)] }];
    });
  return [count("People", total[0]?.of ?? 0), ...cells(total), ...shown.flatMap(({ size, periods }) => [count("People", size), ...cells(periods)])];
}

function stickiness({ buckets: [bucket] }: StickinessAnswer): Owed[] {
  if (bucket === undefined || bucket.entities === 0) return [];
  const rows = bucket.units.slice(0, OFTEN).flatMap((each) => [
    count("People", each.entities), count("Or more", each.at_least), share("Of all", each.at_least / bucket.entities),
  ]);
  return [count("", bucket.entities), count("", bucket.avg), ...rows];
}

function ways({ nodes, sessions }: PathsAnswer): Owed[] {
  if (sessions === 0) return [];
  const steps = [...new Set(nodes.map(({ step }) => step))].sort((a, b) => a - b);
  const shown = steps.flatMap((step) => nodes.filter((node) => node.step === step).slice(0, STATIONS));
  return [
    count("", sessions),
    ...shown.map((node): Owed => ({
      of: "",
      as: "told",
      short: count("", node.sessions),
      values: [count("step", node.step), count("sessions", node.sessions), count("drop_offs", node.drop_offs)],
    })),
  ];
}

function profile(answer: ProfileAnswer): Owed[] {
  return [
    count("Events", answer.events), count("Views", answer.pageviews), count("Sessions", answer.sessions),
    seconds("Average duration", answer.duration_avg_sec),
    share("Bounce rate", answer.bounce_rate), count("Active days", answer.active_days), cash("Revenue", answer.revenue, answer.currency),
  ];
}

function stored(answer: StatsAnswer): Owed[] {
  const alone = Object.entries(answer).filter(([name, value]) => !isObject(value) && name !== "health");
  const within = Object.values(answer).flatMap((value) => (isObject(value) ? Object.entries(value) : []));
  return [...alone, ...within].flatMap(([name, value]): Owed[] => {
    const title = name.replace(/_(?:bytes|ms)$/, "").replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
    if (typeof value !== "number") return [{ of: title, as: "any" }];
    if (/bytes|byte_length/.test(name)) return [{ of: title, as: "bytes", value }];
    return [name.endsWith("_ms") ? seconds(title, value / 1000) : count(title, value)];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
