import type { WebAnswer, TrendAnswer, SessionsAnswer } from "../api/answers.js";
import { earlierQuery, webQuery, LIST_ROWS, LONG_LIST_ROWS, longListsQuery, visitsByQuery, type PageQuery } from "../api/queries.js";
import { canRead } from "../api/rights.js";
import { number, change, duration, percent, fieldValue, NOT_SET, type FormattedNumber } from "../format/text.js";
import { sheetOf, type Sheet } from "../format/sheet.js";
import { Tabs, RankedList, type RankedRow } from "../parts/tables.js";
import { ChangeMark, Num } from "../../charts/figures.js";
import { Skeleton } from "../../charts/notice.js";
import { ErrorNotice, Button, Figure } from "../parts/inline.js";
import { usePage, useQuery, useChoices, type QueryState } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import type { ChoicesOf } from "../state/view-state.js";
import { TimePlot } from "../../charts/plot.js";
import { NothingHere, TimeRemarks } from "./remarks.js";
import { OverviewRevenue } from "./revenue.js";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";
import { filterByValue, type Filter } from "../state/filter.js";

type OverviewFigures = WebAnswer["figures"];

interface FigureKind {
  readonly name: keyof OverviewFigures;
  readonly title: string;
  readonly description: string;
  readonly show: (value: number | null) => FormattedNumber;
  readonly isCost?: boolean;
}

const KINDS: readonly FigureKind[] = [
  { name: "visitors", title: "Visitors", description: "Distinct people", show: number },
  { name: "visits", title: "Visits", description: "Visits that began in this period", show: number },
  { name: "views", title: "Views", description: "Page views", show: number },
  { name: "views_per_visit", title: "Views per visit", description: "Average number of page views per visit", show: number },
  { name: "bounce_rate", title: "Bounce rate", description: "Share of visits with a single event", show: percent, isCost: true },
  { name: "duration_avg_sec", title: "Visit duration", description: "Average, including visits with a duration of zero", show: duration },
];

function FigureStrip({ figures, previous }: { readonly figures: OverviewFigures; readonly previous: OverviewFigures | null }) {
  return (
    <dl class="figures">
      {KINDS.map(({ name, title, description, show, isCost }) => (
        <Figure key={name} title={title} description={description} shown={show(figures[name])} figure={name}>
          <ChangeMark change={previous === null ? null : change(figures[name], previous[name])} isCost={isCost === true} />
        </Figure>
      ))}
    </dl>
  );
}

const NAMES = { visitors: "Visitors", visits: "Visits", views: "Views" } as const;

function OverviewPlot({ answer, earlier }: { readonly answer: WebAnswer; readonly earlier: TrendAnswer["previous"] }) {
  const { scope } = usePage();
  const [{ figure }] = useChoices("overview");
  const buckets = answer.chart ?? [];
  if (buckets.length === 0) return <div class="plot" />;
  return (
    <>
      <TimePlot
        label={`${NAMES[figure]} over time`}
        kind="line"
        buckets={buckets}
        earlier={earlier}
        unit={scope.unit}
        lines={[{ name: NAMES[figure], data: buckets.map((bucket) => bucket[figure]) }]}
        format={number}
      />
      <TimeRemarks buckets={buckets} areUniques={figure === "visitors"} hasEarlier={scope.compare !== null && figure !== "views"} />
    </>
  );
}

export function Overview() {
  const { scope, token } = usePage();
  const [{ figure }, change] = useChoices("overview");
  const web = useQuery(webQuery(scope));
  const earlier = useQuery(earlierQuery(scope, figure));
  return (
    <>
      <Panel
        title="Visitors and visits"
        class="figures-panel"
        result={web}
        also={earlier.query}
        sheet={({ chart, figures }) => sheetOf(chart !== null && chart.length > 0 ? chart : [figures])}
        lines={10}
        head={
          <>
            <Online answer={web.answer} />
            <Tabs label="Plotted figure" names={NAMES} chosen={figure} onChoose={(chosen) => change({ figure: chosen })} />
          </>
        }
      >
        {(answer) =>
          isNothing(answer) ? (
            <NothingHere />
          ) : (
            <>
              <FigureStrip figures={answer.figures} previous={answer.previous} />
              <OverviewPlot answer={answer} earlier={earlier.isOld ? null : (earlier.answer?.previous ?? null)} />
            </>
          )
        }
      </Panel>
      {(web.answer === null || !isNothing(web.answer)) && <Lists web={web} />}
      {canRead(token, "revenue:read") && <OverviewRevenue />}
    </>
  );
}

function Online({ answer }: { readonly answer: WebAnswer | null }) {
  if (answer === null) return null;
  const { now_online: count } = answer;
  return (
    <span class={count > 0 ? "online some" : "online"} title="People with an event in the last five minutes, regardless of filters and dates">
      <Num shown={number(count)} figure="now_online" /> online now
    </span>
  );
}

function isNothing({ figures }: WebAnswer): boolean {
  return figures.visitors === 0 && figures.visits === 0 && figures.views === 0;
}

/** Labels of visits without a touch. */
const WITHOUT_TOUCH = ["(direct)", "(none)"];

/** Null for visits without a touch: these are by their first event, but nearly every visit has later events without one. */
function filtersOf(field: string, value: string): readonly Filter[] | null {
  if (!field.startsWith("touch_")) return [filterByValue(field, value)];
  if (WITHOUT_TOUCH.includes(value)) return null;
  // These visits have a touch without this field.
  if (value === NOT_SET) return [{ field: "touch_source", operator: "is_set", value: "" }, filterByValue(field, "")];
  return [filterByValue(field, value)];
}

export function visitRows(list: WebAnswer["sources"] | WebAnswer["pages"], field: string): RankedRow[] {
  return list.map((row) => ({
    key: row.value,
    label: fieldValue(field, row.value),
    figure: row.visitors,
    shown: number(row.visitors),
    more: number("visits" in row ? row.visits : row.views),
    filters: filtersOf(field, row.value),
  }));
}

/** The last field is the listed one, those before it distinguish equal values. */
export function breakdownRows(rows: NonNullable<SessionsAnswer["rows"]>, fields: readonly string[]): RankedRow[] {
  return rows.map(({ values, figures }) => {
    const named = fields.map((field, at) => [field, values[at] ?? ""] as const).reverse();
    return {
      key: JSON.stringify(values),
      label: named.flatMap(([field, value], at) => (at > 0 && value === "" ? [] : [fieldValue(field, value)])).join(", "),
      figure: figures.sessions,
      shown: number(figures.sessions),
      more: number(figures.users),
      filters: named.map(([field, value]) => filterByValue(field, value)),
    };
  });
}

/** A list from the response to `webQuery`, or visits by fields that it lacks. */
type OverviewList = { readonly tab: string; readonly head: string } & (
  | { readonly member: ListMember; readonly field: string }
  | { readonly fields: readonly string[] }
);

type ListMember = "pages" | "entry_pages" | "exit_pages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems";
type PanelName = Exclude<keyof ChoicesOf<"overview">, "figure">;
type Panels = { readonly [P in PanelName]: readonly [title: string, lists: Readonly<Record<ChoicesOf<"overview">[P], OverviewList>>] };

const PANELS: Panels = {
  pages: ["Pages", {
    top: { tab: "Top", head: "Page", member: "pages", field: "path" },
    entry: { tab: "Entry", head: "Entry page", member: "entry_pages", field: "path" },
    exit: { tab: "Exit", head: "Exit page", member: "exit_pages", field: "path" },
  }],
  sources: ["Sources", {
    source: { tab: "Source", head: "Source", member: "sources", field: "touch_source" },
    channel: { tab: "Channel", head: "Channel", member: "mediums", field: "touch_medium" },
    referrer: { tab: "Site", head: "Referring site", fields: ["referrer_domain"] },
    campaign: { tab: "Campaign", head: "Campaign", member: "campaigns", field: "touch_campaign" },
  }],
  places: ["Places", {
    country: { tab: "Country", head: "Country", member: "countries", field: "location_country" },
    region: { tab: "Region", head: "Region", fields: ["location_country", "location_region"] },
    city: { tab: "City", head: "City", fields: ["location_country", "location_city"] },
  }],
  devices: ["Devices", {
    device: { tab: "Device", head: "Device", member: "devices", field: "device" },
    browser: { tab: "Browser", head: "Browser", member: "browsers", field: "browser" },
    system: { tab: "System", head: "System", member: "systems", field: "os" },
    screen: { tab: "Screen", head: "Screen", fields: ["screen"] },
  }],
};

function Lists({ web }: { readonly web: QueryState<WebAnswer> }) {
  return (
    <div class="pair">
      {(Object.keys(PANELS) as PanelName[]).map((name) => (
        <ListPanel key={name} name={name} web={web} />
      ))}
    </div>
  );
}

/** Choosing another list keeps the panel, and so the focus on its tabs. */
function ListPanel({ name, web }: { readonly name: PanelName; readonly web: QueryState<WebAnswer> }) {
  const { scope } = usePage();
  const [{ [name]: chosen }, change] = useChoices("overview");
  const [title, lists]: readonly [string, Readonly<Record<string, OverviewList>>] = PANELS[name];
  const list = lists[chosen];
  const fields = list !== undefined && "fields" in list ? list.fields : [];
  const breakdown = useQuery(fields.length === 0 ? null : visitsByQuery(scope, fields));
  if (list === undefined) return null;
  const names = Object.entries(lists).map(([choice, { tab }]) => [choice, tab] as const);
  const shared = { title, tabs: <Tabs label={title} names={names} chosen={chosen} onChoose={(choice) => change({ [name]: choice })} /> };
  if ("fields" in list)
    return (
      <ExpandableList
        {...shared}
        heads={[list.head, "Visits", "Visitors"]}
        result={breakdown}
        rows={({ rows }: SessionsAnswer) => breakdownRows(rows ?? [], fields)}
        hasMore={({ value_count: count }) => count > LIST_ROWS}
        fullQuery={visitsByQuery(scope, fields, LONG_LIST_ROWS)}
      />
    );
  const { member, field } = list;
  return (
    <ExpandableList
      {...shared}
      heads={[list.head, "Visitors", member === "pages" ? "Views" : "Visits"]}
      result={web}
      rows={(answer) => visitRows(answer[member], field)}
      hasMore={(answer) => answer[member].length >= LIST_ROWS}
      fullQuery={longListsQuery(scope)}
    />
  );
}

type Heads = readonly [string, string, string];

interface ExpandableListProps<A> {
  readonly title: string;
  readonly heads: Heads;
  readonly tabs: ComponentChildren;
  readonly result: QueryState<A>;
  readonly rows: (answer: A) => RankedRow[];
  readonly hasMore: (answer: A) => boolean;
  readonly fullQuery: PageQuery<A>;
}

function ExpandableList<A>({ title, heads, tabs, result, rows, hasMore, fullQuery }: ExpandableListProps<A>) {
  const [isExpanded, setExpanded] = useState(false);
  return (
    <Panel title={title} class="list" result={result} head={tabs} sheet={(answer) => sheetOfRows(heads, rows(answer))}>
      {(answer) => {
        const shown = rows(answer);
        return (
          <>
            <RankedList label={title} heads={heads} rows={shown} />
            {shown.length === 0 && <p class="nothing">None</p>}
            {hasMore(answer) && (
              <Button class="more" onClick={() => setExpanded(true)}>
                Show all
              </Button>
            )}
            {isExpanded && <FullList {...{ title, fullQuery, heads, rows }} onClose={() => setExpanded(false)} />}
          </>
        );
      }}
    </Panel>
  );
}

function sheetOfRows(heads: Heads, rows: readonly RankedRow[]): Sheet {
  return { columns: heads, rows: rows.map(({ label, figure, more }) => [label, figure, more?.exact ?? null]) };
}

type FullListProps<A> = Pick<ExpandableListProps<A>, "title" | "heads" | "rows" | "fullQuery"> & { readonly onClose: () => void };

function FullList<A>({ title, fullQuery, heads, rows, onClose }: FullListProps<A>) {
  const { answer, error, again } = useQuery(fullQuery);
  return (
    <Dialog title={title} onClose={onClose} isWide>
      {error !== null && <ErrorNotice error={error} onAgain={again} />}
      {answer === null ? <Skeleton lines={12} /> : <RankedList label={title} heads={heads} rows={rows(answer)} />}
    </Dialog>
  );
}
