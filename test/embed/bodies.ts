import type { DaybookBoardItem } from "../../src/embed/index.js";

const PEOPLE = { type: "unique_users" } as const;

/** One of every kind of element, and every kind of chart. */
export const ITEMS: readonly DaybookBoardItem[] = [
  { show: "number", heading: "Visitors", query: { trend: { measure: PEOPLE } } },
  { show: "number", heading: "Visits", query: { trend: { measure: { type: "sessions" } } } },
  { show: "number", heading: "Events", query: { trend: {} } },
  { show: "number", heading: "Orders", query: { trend: { eventName: "Order Completed" } }, lowerIsBetter: true },
  { show: "chart", heading: "Visitors per day", query: { trend: { measure: PEOPLE, compare: "previous_period" } } },
  {
    show: "chart",
    heading: "Visits by country",
    width: "half",
    type: "stacked-bars",
    query: { trend: { measure: { type: "sessions" }, interval: "week", breakdown: { fields: ["location_country"], limit: 4, rest: true } } },
  },
  {
    show: "chart",
    heading: "Events by device",
    width: "half",
    type: "bars",
    query: { trend: { interval: "week", breakdown: { fields: ["device"], limit: 3 } } },
  },
  { show: "list", heading: "Top pages", query: { trend: { measure: PEOPLE, breakdown: { fields: ["path"], limit: 8 } } } },
  { show: "funnel", heading: "From visit to order", query: { funnel: { steps: [{ eventName: "pageview" }, { eventName: "Add to cart" }, { eventName: "Checkout" }, { eventName: "Order Completed" }] } } },
  { show: "retention", heading: "Weekly retention", query: { retention: { interval: "week", periods: 6 } } },
];

export const BOARD = `<daybook-board token-url="/token" date-range="30d" time-zone="Europe/Berlin" items='${JSON.stringify(ITEMS)}'></daybook-board>`;
