import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WebAnswer, SessionsAnswer } from "../../ask/answers.js";
import { usePage, useQuery, type QueryState } from "../../parts/page-context.js";
import { Tabs } from "../../parts/table.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/view-state.js";
import { LIST_ROWS, LONG_LIST_ROWS, longListsQuery, visitsByQuery } from "../../ask/queries/overview.js";
import { type RankedRow, RankedList } from "../../parts/ranked-list.js";
import type { PageQuery } from "../../ask/page-query.js";
import { Panel } from "../../parts/panel.js";
import type { Sheet } from "../../format/sheet.js";
import { Dialog } from "../../parts/dialog.js";
import { Skeleton, ErrorNotice } from "../../parts/notice.js";
import { number } from "../../format/number.js";
import { fieldValue } from "../../format/value.js";
import { filterByValue, type Filter } from "../../state/filter.js";

type VisitList = WebAnswer["sources"];

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

/** Rows of a list of visits. @param field that a click filters by */
export function visitRows(list: VisitList, field: string): RankedRow[] {
  return list.map(({ value, visitors, visits }) => ({
    key: value,
    label: fieldValue(field, value),
    figure: visitors,
    shown: number(visitors),
    more: number(visits),
    filters: filtersOf(field, value),
  }));
}

function pageRows(list: WebAnswer["pages"]): RankedRow[] {
  return list.map(({ value, visitors, views }) => ({
    key: value,
    label: fieldValue("path", value),
    figure: visitors,
    shown: number(visitors),
    more: number(views),
    filters: [filterByValue("path", value)],
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
  top: ["Top", { heads: ["Page", "Visitors", "Views"], rows: ({ pages }) => pageRows(pages) }],
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

/** Lists of pages, sources, places and devices of visits. */
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
  const { viewState, go } = usePage();
  const [title, lists] = PANELS[name];
  const chosen = viewState.choices.overview[name];
  const all = Object.entries<readonly [string, OverviewList]>(lists);
  const list = all.find(([choice]) => choice === chosen) ?? all[0];
  if (list === undefined) return null;
  const tabs = (
    <Tabs
      label={title}
      names={all.map(([choice, [shown]]) => [choice, shown])}
      chosen={list[0]}
      onChoose={(choice) => go(choose(viewState, "overview", { [name]: choice }))}
    />
  );
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
  if ("fields" in list)
    return (
      <ExpandableList
        title={title}
        heads={list.heads}
        tabs={tabs}
        result={breakdown}
        rows={({ rows }: SessionsAnswer) => breakdownRows(rows ?? [], list.fields)}
        hasMore={({ value_count: count }) => count > LIST_ROWS}
        fullQuery={visitsByQuery(scope, list.fields, LONG_LIST_ROWS)}
      />
    );
  return (
    <ExpandableList
      title={title}
      heads={list.heads}
      tabs={tabs}
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
  /** The query for the full list. */
  readonly fullQuery: PageQuery<A>;
}

/** A list in a panel, which can be opened in full. */
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
              <button type="button" class="more" onClick={() => setExpanded(true)}>
                Show all
              </button>
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

interface FullListProps<A> {
  readonly title: string;
  readonly query: PageQuery<A>;
  readonly heads: Heads;
  readonly rows: (answer: A) => RankedRow[];
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
