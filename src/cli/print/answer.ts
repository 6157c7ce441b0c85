import type { AnswerByReport, ReportName } from "../../plan/plan.js";
import { figure } from "./cell.js";
import { funnelText, pathsText, retentionText, stickinessText, trendText } from "./insights.js";
import { facts, listing, type Item } from "./listing.js";

/** What of an event stands in a line of a terminal. */
const EVENT_COLUMNS = ["createdAt", "name", "project", "userId", "anonymousId", "url", "value", "currency", "metadata"];

/** Answers of which a reader expects a form of their own. */
const FORMS: { readonly [K in ReportName]?: (answer: AnswerByReport[K]) => string } = {
  trend: trendText,
  funnel: funnelText,
  retention: retentionText,
  stickiness: stickinessText,
  paths: pathsText,
  // An event is an interface, so not a record of its members to the compiler; the names are of its members.
  searchEvents: ({ events }) => listing(events.map((event): Item => Object.fromEntries(EVENT_COLUMNS.map((name) => [name, (event as unknown as Item)[name]]))), ""),
};

/** What a question answers as text for a terminal: a number, a table, or several with their names. */
export function answerText<K extends ReportName>(name: K, answer: AnswerByReport[K]): string {
  const form = FORMS[name];
  if (form !== undefined) return form(answer);
  if (typeof answer === "number") return `${figure(answer)}\n`;
  return Array.isArray(answer) ? listing(answer as readonly Item[], "") : facts(answer as Item);
}
