import type { Daybook } from "../../src/engine/daybook.js";
import type { PerDayItem } from "../../src/query/plan/input.js";
import { count, duration, plain, plural, table } from "../../src/cli/print/format.js";
import { grouped, sparkline } from "../../src/cli/print/answer.js";

const CHART_WIDTH = 80;
const LABEL_WIDTH = 56;

/** One data set's part of the report, and the time of its queries. */
export class Section {
  readonly #parts: string[] = [];
  #queryCount = 0;
  #queryMs = 0;

  constructor(readonly daybook: Daybook) {}

  /** Runs a query, and measures its time. */
  async run<T>(query: (daybook: Daybook) => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const answer = await query(this.daybook);
    this.#queryMs += performance.now() - startedMs;
    this.#queryCount += 1;
    return answer;
  }

  heading(organization: string, title: string): void {
    this.#parts.push(`\n${organization} — ${title}\n`);
  }

  /** Numbers, right-aligned, each with its label. */
  numbers(rows: readonly (readonly [value: string, label: string])[]): void {
    this.#parts.push(`\n${table(rows, "><", "  ")}`);
  }

  /** A titled list of values with their counts, and bars relative to the largest count. */
  ranking(title: string, items: readonly { readonly property: string; readonly count: number }[]): void {
    const largest = Math.max(1, ...items.map((item) => item.count));
    const rows = items.map((item) => [
      item.property === "" ? "(not set)" : plain(item.property, LABEL_WIDTH),
      count(item.count),
      "█".repeat(Math.max(1, Math.round((item.count / largest) * 12))),
    ]);
    this.#parts.push(`\n  ${title}\n${table(rows, "<><", "    ")}`);
  }

  /** A titled table. All columns except the first are numbers. */
  table(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
    const shown = rows.map(([first = "", ...rest]) => [plain(first, LABEL_WIDTH), ...rest]);
    this.#parts.push(`\n  ${title}\n${table([header, ...shown], `<${">".repeat(header.length - 1)}`, "    ")}`);
  }

  /** One line per day, for ranges of a few days. */
  days(rows: readonly (readonly [day: string, hits: number, users: number])[], header: readonly string[]): void {
    const largest = Math.max(1, ...rows.map(([, hits]) => hits));
    const cells = rows.map(([day, hits, users]) => [day, count(hits), count(users), "█".repeat(Math.round((hits / largest) * 24))]);
    this.#parts.push(`\n${table([header, ...cells], "<>><", "  ")}`);
  }

  /**
   * A sparkline over consecutive days. If it would be too long, each bar is a group of days: their sum or, for numbers that
   * cannot be added over days, their mean.
   */
  chart(title: string, items: readonly PerDayItem[], bar: "sum" | "mean"): void {
    const { sums, dayCounts, groupDays } = grouped(
      items.map((item) => item.count),
      CHART_WIDTH,
    );
    const values = bar === "sum" ? sums : sums.map((sum, group) => sum / (dayCounts[group] ?? 1));
    const first = items[0]?.day.slice(0, 10) ?? "";
    const last = items.at(-1)?.day.slice(0, 10) ?? "";
    const span = groupDays === 1 ? "a day" : groupDays === 7 ? "a week" : `${groupDays} days`;
    const legend = `one bar = ${bar === "mean" && groupDays > 1 ? "mean of " : ""}${span}, highest ${count(Math.round(Math.max(0, ...values)))}`;
    const scale = `${first}${last.padStart(Math.max(values.length - first.length, last.length + 1))}`;
    this.#parts.push(`\n  ${title}, ${legend}\n    ${sparkline(values)}\n    ${scale}\n`);
  }

  /** A sparkline with one bar per figure. @param names of the units of time */
  sparkline(title: string, unit: string, names: readonly string[], figures: readonly (number | null)[]): void {
    const values = figures.map((figure) => figure ?? 0);
    const [first = "", last = ""] = [names[0], names.at(-1)];
    const scale = `${first}${last.padStart(Math.max(values.length - first.length, last.length + 1))}`;
    this.#parts.push(`\n  ${title}, highest ${count(Math.round(Math.max(0, ...values)))} ${unit}\n    ${sparkline(values)}\n    ${scale}\n`);
  }

  text(): string {
    return `${this.#parts.join("")}\n  ${plural(this.#queryCount, "answer")} in ${duration(this.#queryMs)}\n`;
  }
}
