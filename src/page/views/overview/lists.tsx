import type { WebAnswer } from "../../ask/answers.js";
import { usePage } from "../../parts/page-context.js";
import type { Reply } from "../../parts/reply.js";
import { Tabs } from "../../parts/tabs.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/picture.js";
import { ListPanel, type OverviewList } from "./list-panel.js";
import { pageRows, visitRows } from "./rows.js";

/** The lists of one panel by the names of its choice, each with the name of its tab. */
type Lists<N extends string> = Readonly<Record<N, readonly [string, OverviewList]>>;

const PAGES: Lists<Choices["pages"]> = {
  top: ["Top", { heads: ["Page", "Visitors", "Views"], rows: ({ pages }) => pageRows(pages) }],
  entry: ["Entry", { heads: named("Entry page"), rows: ({ entry_pages: list }) => visitRows(list, "path") }],
  exit: ["Exit", { heads: named("Exit page"), rows: ({ exit_pages: list }) => visitRows(list, "path") }],
};
const SOURCES: Lists<Choices["sources"]> = {
  source: ["Source", { heads: named("Source"), rows: ({ sources }) => visitRows(sources, "touch_source") }],
  channel: ["Channel", { heads: named("Channel"), rows: ({ mediums }) => visitRows(mediums, "touch_medium") }],
  referrer: ["Site", { heads: ofVisits("Referring site"), fields: ["referrer_domain"] }],
  campaign: ["Campaign", { heads: named("Campaign"), rows: ({ campaigns }) => visitRows(campaigns, "touch_campaign") }],
};
const PLACES: Lists<Choices["places"]> = {
  country: ["Country", { heads: named("Country"), rows: ({ countries }) => visitRows(countries, "location_country") }],
  region: ["Region", { heads: ofVisits("Region"), fields: ["location_country", "location_region"] }],
  city: ["City", { heads: ofVisits("City"), fields: ["location_country", "location_city"] }],
};
const DEVICES: Lists<Choices["devices"]> = {
  device: ["Device", { heads: named("Device"), rows: ({ devices }) => visitRows(devices, "device") }],
  browser: ["Browser", { heads: named("Browser"), rows: ({ browsers }) => visitRows(browsers, "browser") }],
  system: ["System", { heads: named("System"), rows: ({ systems }) => visitRows(systems, "os") }],
  screen: ["Screen", { heads: ofVisits("Screen"), fields: ["screen"] }],
};
const PANELS = { pages: ["Pages", PAGES], sources: ["Sources", SOURCES], places: ["Places", PLACES], devices: ["Devices", DEVICES] } as const;

type Choices = ChoicesOf<"overview">;
type PanelName = keyof typeof PANELS;

/** Where visits began and led, and where they came from. */
export function Lists({ web }: { readonly web: Reply<WebAnswer> }) {
  return (
    <div class="pair">
      {(Object.keys(PANELS) as PanelName[]).map((name) => (
        <OneOfLists key={name} name={name} web={web} />
      ))}
    </div>
  );
}

function OneOfLists({ name, web }: { readonly name: PanelName; readonly web: Reply<WebAnswer> }) {
  const { picture, go } = usePage();
  const [title, lists] = PANELS[name];
  const chosen = picture.choices.overview[name];
  const all = Object.entries<readonly [string, OverviewList]>(lists);
  const list = all.find(([each]) => each === chosen) ?? all[0];
  if (list === undefined) return null;
  const tabs = (
    <Tabs
      label={title}
      names={all.map(([each, [shown]]) => [each, shown])}
      chosen={list[0]}
      onChoose={(each) => go(choose(picture, "overview", { [name]: each }))}
    />
  );
  return <ListPanel title={title} web={web} list={list[1][1]} tabs={tabs} />;
}

function named(name: string): OverviewList["heads"] {
  return [name, "Visitors", "Visits"];
}

/** Of lists that are ranked by visits. */
function ofVisits(name: string): OverviewList["heads"] {
  return [name, "Visits", "Visitors"];
}
