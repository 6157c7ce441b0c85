import type { Page } from "playwright-core";

export interface PictureOf {
  /** The query string. */
  readonly address: string;
  /** What is done before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** Made of the parts that another one shows too. */
  readonly isVariant?: boolean;
}

async function openFirstPerson(page: Page): Promise<void> {
  await page.locator("main .grid a").first().click();
  await page.waitForSelector(".timeline");
}

const STEPS = ["pageview~path~is~/product/oak-table", "Add+to+cart", "Checkout", "Order+Completed"].map((step) => `funnels.step=${step}`).join("&");

/** Every view, as pictures and tests see it. */
export const PICTURES: Readonly<Record<string, PictureOf>> = {
  overview: { address: "project=shop" },
  "overview-filtered": {
    address: "project=shop&period=7d&filter=location_country~is~DE&filter=device~is~desktop&overview.sources=referrer&overview.places=city",
    isVariant: true,
  },
  "overview-empty": { address: "project=shop&period=2020-01-01..2020-02-01" },
  "overview-slip": { address: "project=shop&filter=plna~is~pro", isVariant: true },
  trends: { address: "view=trends&project=shop&period=90d&trends.by=location_country&trends.measure=unique_users&interval=week" },
  "trends-alone": { address: "view=trends&project=shop&trends.event=Order+Completed&trends.chart=bar", isVariant: true },
  funnels: { address: `view=funnels&project=shop&period=90d&${STEPS}` },
  "funnels-by": { address: `view=funnels&project=shop&period=90d&funnels.by=device&${STEPS}`, isVariant: true },
  retention: { address: "view=retention&project=shop&period=90d" },
  lifecycle: { address: "view=retention&project=shop&period=90d&retention.shown=lifecycle" },
  stickiness: { address: "view=retention&project=shop&period=90d&retention.shown=stickiness&retention.unit=day" },
  paths: { address: "view=paths&project=shop" },
  events: { address: "view=events&project=shop" },
  people: { address: "view=people&project=shop&period=90d" },
  person: { address: "view=people&project=shop&period=90d", act: openFirstPerson },
  companies: { address: "view=companies&project=shop&period=90d&companies.company=larch" },
  revenue: { address: "view=revenue&project=shop&period=90d" },
  privacy: { address: "view=privacy&project=shop" },
  store: { address: "view=store&project=shop" },
  "an-event": { address: "view=events&project=shop", act: async (page) => void (await page.locator(".event-rows .cell-button").nth(3).click()) },
  "a-question": {
    address: "project=shop",
    act: async (page) => void (await page.getByRole("button", { name: "Query and downloads of Sources" }).click()),
  },
  "a-filter": { address: "project=shop", act: async (page) => void (await page.locator(".tool-bar .chip-add").first().click()) },
};
