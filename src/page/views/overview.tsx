import type { WebAnswer, TrendAnswer, SessionsAnswer } from "../ask/answers.js";
import { earlierQuery, webQuery, LIST_ROWS, LONG_LIST_ROWS, longListsQuery, visitsByQuery, type PageQuery } from "../ask/queries.js";
import { canRead } from "../ask/rights.js";
import { number, change, duration, percent, fieldValue, type FormattedNumber } from "../format/text.js";
import { sheetOf, type Sheet } from "../format/sheet.js";
import { Tabs, RankedList, type RankedRow } from "../parts/tables.js";
import { Num, ChangeMark, Skeleton, ErrorNotice, Button, Figure } from "../parts/inline.js";
import { usePage, useQuery, useChoices, type QueryState } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import type { ChoicesOf } from "../state/view-state.js";
import { TimePlot } from "../parts/plot.js";
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
  /** Whether an increase is bad news. */
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

interface OverviewPlotProps {
  readonly answer: WebAnswer;
  readonly figure: keyof typeof NAMES;
  readonly earlier: TrendAnswer["previous"];
}

function OverviewPlot({ answer, figure, earlier }: OverviewPlotProps) {
  const { scope } = usePage();
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
              <OverviewPlot answer={answer} figure={figure} earlier={earlier.isOld ? null : (earlier.answer?.previous ?? null)} />
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
/** Labels of visits without a touch, and of touches without a value for the field. */
const WITHOUT_TOUCH = ["(direct)", "(none)"];
const NOT_SET = "(not set)";

/**
 * Filters that select the visits of a row. Null for visits without a touch: the row counts visits whose first event has none, but nearly every visit
 * has later events without one, so a filter for unset values would match far more visits.
 */
function filtersOf(field: string, value: string): readonly Filter[] | null {
  if (!field.startsWith("touch_")) return [filterByValue(field, value)];
  if (WITHOUT_TOUCH.includes(value)) return null;
  // These visits have a touch without this field.
  if (value === NOT_SET) return [{ field: "touch_source", operator: "is_set", value: "" }, filterByValue(field, "")];
  return [filterByValue(field, value)];
}

/** Rows of a list of visits, or of pages with their views. @param field that a click filters by */
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

/** Rows of visits by fields of their first event; the last field is the listed one, those before it distinguish equal values. */
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

/** The lists of one panel, by choice, each with the name of its tab. */
type PanelLists<N extends string> = Readonly<Record<N, readonly [string, OverviewList]>>;

const PAGES: PanelLists<OverviewChoices["pages"]> = {
  top: ["Top", { heads: ["Page", "Visitors", "Views"], rows: ({ pages }) => visitRows(pages, "path") }],
  entry: ["Entry", { heads: visitorHeads("Entry page"), rows: ({ entry_pages: list }) => visitRows(list, "path") }],
  exit: ["Exit", { heads: visitorHeads("Exit page"), rows: ({ exit_pages: list }) => visitRows(list, "path") }],
};
const SOURCES: PanelLists<OverviewChoices["sources"]> = {
  source: ["Source", { heads: visitorHeads("Source"), rows: ({ sources }) => visitRows(sources, "touch_source") }],
  channel: ["Channel", { heads: visitorHeads("Channel"), rows: ({ mediums }) => visitRows(mediums, "touch_medium") }],
  referrer: ["Site", { heads: visitHeads("Referring site"), fields: ["referrer_domain"] }],
  campaign: ["Campaign", { heads: visitorHeads("Campaign"), rows: ({ campaigns }) => visitRows(campaigns, "touch_campaign") }],
};
const PLACES: PanelLists<OverviewChoices["places"]> = {
  country: ["Country", { heads: visitorHeads("Country"), rows: ({ countries }) => visitRows(countries, "location_country") }],
  region: ["Region", { heads: visitHeads("Region"), fields: ["location_country", "location_region"] }],
  city: ["City", { heads: visitHeads("City"), fields: ["location_country", "location_city"] }],
};
const DEVICES: PanelLists<OverviewChoices["devices"]> = {
  device: ["Device", { heads: visitorHeads("Device"), rows: ({ devices }) => visitRows(devices, "device") }],
  browser: ["Browser", { heads: visitorHeads("Browser"), rows: ({ browsers }) => visitRows(browsers, "browser") }],
  system: ["System", { heads: visitorHeads("System"), rows: ({ systems }) => visitRows(systems, "os") }],
  screen: ["Screen", { heads: visitHeads("Screen"), fields: ["screen"] }],
};
const PANELS = { pages: ["Pages", PAGES], sources: ["Sources", SOURCES], places: ["Places", PLACES], devices: ["Devices", DEVICES] } as const;

type OverviewChoices = ChoicesOf<"overview">;
type PanelName = keyof typeof PANELS;

export function Lists({ web }: { readonly web: QueryState<WebAnswer> }) {
  return (
    <div class="pair">
      {(Object.keys(PANELS) as PanelName[]).map((name) => (
        <TabbedList key={name} name={name} web={web} />
      ))}
    </div>
  );
}

function TabbedList({ name, web }: { readonly name: PanelName; readonly web: QueryState<WebAnswer> }) {
  const [{ [name]: chosen }, change] = useChoices("overview");
  const [title, lists] = PANELS[name];
  const all = Object.entries<readonly [string, OverviewList]>(lists);
  const list = all.find(([choice]) => choice === chosen) ?? all[0];
  if (list === undefined) return null;
  const names = all.map(([choice, [shown]]) => [choice, shown] as const);
  const tabs = <Tabs label={title} names={names} chosen={list[0]} onChoose={(choice) => change({ [name]: choice })} />;
  return <ListPanel title={title} web={web} list={list[1][1]} tabs={tabs} />;
}

function visitorHeads(name: string): Heads {
  return [name, "Visitors", "Visits"];
}

/** For lists that are ranked by visits. */
function visitHeads(name: string): Heads {
  return [name, "Visits", "Visitors"];
}

type Heads = readonly [string, string, string];

/** A list from the response to `webQuery`, or visits by fields that it lacks. */
type OverviewList =
  | { readonly heads: Heads; readonly rows: (answer: WebAnswer) => RankedRow[] }
  | { readonly heads: Heads; readonly fields: readonly string[] };

interface ListPanelProps {
  readonly title: string;
  readonly web: QueryState<WebAnswer>;
  readonly list: OverviewList;
  readonly tabs: ComponentChildren;
}

/** One list of the overview. Choosing another list keeps the panel, and so the focus on its tabs. */
function ListPanel({ title, web, list, tabs }: ListPanelProps) {
  const { scope } = usePage();
  const breakdown = useQuery("fields" in list ? visitsByQuery(scope, list.fields) : null);
  const shared = { title, heads: list.heads, tabs };
  if ("fields" in list)
    return (
      <ExpandableList
        {...shared}
        result={breakdown}
        rows={({ rows }: SessionsAnswer) => breakdownRows(rows ?? [], list.fields)}
        hasMore={({ value_count: count }) => count > LIST_ROWS}
        fullQuery={visitsByQuery(scope, list.fields, LONG_LIST_ROWS)}
      />
    );
  return (
    <ExpandableList
      {...shared}
      result={web}
      rows={list.rows}
      hasMore={(answer) => list.rows(answer).length >= LIST_ROWS}
      fullQuery={longListsQuery(scope)}
    />
  );
}

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
            {isExpanded && <FullList title={title} query={fullQuery} heads={heads} rows={rows} onClose={() => setExpanded(false)} />}
          </>
        );
      }}
    </Panel>
  );
}

/** A ranked list as a sheet: labels and exact figures. */
function sheetOfRows(heads: Heads, rows: readonly RankedRow[]): Sheet {
  return { columns: heads, rows: rows.map(({ label, figure, more }) => [label, figure, more?.exact ?? null]) };
}

interface FullListProps<A> extends Pick<ExpandableListProps<A>, "title" | "heads" | "rows"> {
  readonly query: PageQuery<A>;
  readonly onClose: () => void;
}

function FullList<A>({ title, query, heads, rows, onClose }: FullListProps<A>) {
  const { answer, error, again } = useQuery(query);
  return (
    <Dialog title={title} onClose={onClose} isWide>
      {error !== null && <ErrorNotice error={error} onAgain={again} />}
      {answer === null ? <Skeleton lines={12} /> : <RankedList label={title} heads={heads} rows={rows(answer)} />}
    </Dialog>
  );
}
