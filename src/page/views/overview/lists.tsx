import type { WebAnswer } from "../../ask/answers.js";
import { usePage } from "../../parts/page-context.js";
import type { RankedRow } from "../../parts/ranked-list.js";
import type { Reply } from "../../parts/reply.js";
import { Tabs } from "../../parts/tabs.js";
import { choose } from "../../state/picture.js";
import { ListPanel } from "./list-panel.js";
import { BrokenPanel } from "./broken-panel.js";
import { pageRows, visitRows } from "./rows.js";

interface ListsProps {
  readonly web: Reply<WebAnswer>;
}

type Heads = readonly [string, string, string];

const PAGES = {
  top: { heads: ["Page", "Visitors", "Views"], rows: ({ pages }) => pageRows(pages) },
  entry: { heads: ["Entry page", "Visitors", "Visits"], rows: ({ entry_pages }) => visitRows(entry_pages, "path") },
  exit: { heads: ["Exit page", "Visitors", "Visits"], rows: ({ exit_pages }) => visitRows(exit_pages, "path") },
} satisfies Readonly<Record<string, { readonly heads: Heads; readonly rows: (answer: WebAnswer) => RankedRow[] }>>;

export function PagesPanel({ web }: ListsProps) {
  const { picture, go } = usePage();
  const { pages } = picture.choices.overview;
  const tabs = (
    <Tabs
      label="Pages"
      names={[
        ["top", "Top"],
        ["entry", "Entry"],
        ["exit", "Exit"],
      ]}
      chosen={pages}
      onChoose={(chosen) => go(choose(picture, "overview", { pages: chosen }))}
    />
  );
  return <ListPanel title="Pages" web={web} heads={PAGES[pages].heads} rows={PAGES[pages].rows} tabs={tabs} />;
}

export function SourcesPanel({ web }: ListsProps) {
  const { picture, go } = usePage();
  const { sources } = picture.choices.overview;
  const names = [
    ["source", "Source"],
    ["channel", "Channel"],
    ["referrer", "Site"],
    ["campaign", "Campaign"],
  ] as const;
  const tabs = <Tabs label="Sources" names={names} chosen={sources} onChoose={(chosen) => go(choose(picture, "overview", { sources: chosen }))} />;
  if (sources === "referrer") return <BrokenPanel title="Sources" fields={["referrer_domain"]} heads={named("Referring site")} tabs={tabs} />;
  if (sources === "channel")
    return <ListPanel title="Sources" web={web} heads={named("Channel")} rows={({ mediums }) => visitRows(mediums, "touch_medium")} tabs={tabs} />;
  if (sources === "campaign")
    return (
      <ListPanel title="Sources" web={web} heads={named("Campaign")} rows={({ campaigns }) => visitRows(campaigns, "touch_campaign")} tabs={tabs} />
    );
  return <ListPanel title="Sources" web={web} heads={named("Source")} rows={({ sources: list }) => visitRows(list, "touch_source")} tabs={tabs} />;
}

export function PlacesPanel({ web }: ListsProps) {
  const { picture, go } = usePage();
  const { places } = picture.choices.overview;
  const names = [
    ["country", "Country"],
    ["region", "Region"],
    ["city", "City"],
  ] as const;
  const tabs = <Tabs label="Places" names={names} chosen={places} onChoose={(chosen) => go(choose(picture, "overview", { places: chosen }))} />;
  if (places === "region") return <BrokenPanel title="Places" fields={["location_country", "location_region"]} heads={named("Region")} tabs={tabs} />;
  if (places === "city") return <BrokenPanel title="Places" fields={["location_country", "location_city"]} heads={named("City")} tabs={tabs} />;
  return (
    <ListPanel title="Places" web={web} heads={named("Country")} rows={({ countries }) => visitRows(countries, "location_country")} tabs={tabs} />
  );
}

export function DevicesPanel({ web }: ListsProps) {
  const { picture, go } = usePage();
  const { devices } = picture.choices.overview;
  const names = [
    ["device", "Device"],
    ["browser", "Browser"],
    ["system", "System"],
    ["screen", "Screen"],
  ] as const;
  const tabs = <Tabs label="Devices" names={names} chosen={devices} onChoose={(chosen) => go(choose(picture, "overview", { devices: chosen }))} />;
  if (devices === "screen") return <BrokenPanel title="Devices" fields={["screen"]} heads={named("Screen")} tabs={tabs} />;
  if (devices === "browser")
    return <ListPanel title="Devices" web={web} heads={named("Browser")} rows={({ browsers }) => visitRows(browsers, "browser")} tabs={tabs} />;
  if (devices === "system")
    return <ListPanel title="Devices" web={web} heads={named("System")} rows={({ systems }) => visitRows(systems, "os")} tabs={tabs} />;
  return <ListPanel title="Devices" web={web} heads={named("Device")} rows={({ devices: list }) => visitRows(list, "device")} tabs={tabs} />;
}

function named(name: string): Heads {
  return [name, "Visitors", "Visits"];
}
