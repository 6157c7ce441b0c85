const board = [
  { show: "number", heading: "Visitors", query: { trend: { measure: { type: "unique_users" } } } },
  { show: "number", heading: "Visits", query: { trend: { measure: { type: "sessions" } } } },
  { show: "number", heading: "Events", query: { trend: {} } },
  { show: "number", heading: "Sign-ups", query: { trend: { eventName: "signup" } } },
  { show: "chart", heading: "Visitors per day", query: { trend: { measure: { type: "unique_users" }, interval: "day", compare: "previous_period" } } },
  { show: "chart", heading: "Visits by country", width: "half", type: "stacked-bars", query: { trend: { measure: { type: "sessions" }, interval: "week", breakdown: { fields: ["location_country"], limit: 4, rest: true } } } },
  { show: "chart", heading: "Events by device", width: "half", type: "bars", query: { trend: { interval: "week", breakdown: { fields: ["device"], limit: 3 } } } },
  { show: "list", heading: "Top pages", query: { trend: { measure: { type: "unique_users" }, breakdown: { fields: ["path"], limit: 8 } } } },
  { show: "funnel", heading: "From visit to order", query: { funnel: { steps: [{ eventName: "pageview" }, { eventName: "signup" }, { eventName: "order" }] } } },
  { show: "retention", heading: "Weekly retention", query: { retention: { interval: "week", periods: 6 } } },
];

/** A board with every kind of element, over 30 days. */
export const BODY = `<daybook-board token-url="/token" date-range="30d" time-zone="Europe/Berlin" items='${JSON.stringify(board)}'></daybook-board>`;
