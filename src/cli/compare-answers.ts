import type { Daybook } from "../engine/daybook.js";
import type { ClickHouseDaybook } from "../clickhouse/clickhouse-daybook.js";
import { count, plural } from "./print/format.js";
import { table } from "./print/table.js";

type ComparedDaybook = Pick<ClickHouseDaybook, "countEvents" | "countEventsPerDay" | "countUniqueUsers" | "ltvCohorts" | "currency">;

interface ComparedAnswer {
  readonly label: string;
  ask(of: ComparedDaybook): Promise<readonly [shown: string, whole: unknown]>;
}

/** The outcome of a comparison. */
export interface AnswerComparison {
  /** A table for a terminal. */
  readonly text: string;
  /** How many answers differ. */
  readonly differing: number;
}

/** Runs the same queries on both, and shows the answers side by side. Cost: all rows, a few times. */
export async function compareAnswers(store: Daybook, other: ClickHouseDaybook): Promise<AnswerComparison> {
  const rows: string[][] = [["", "store", "ClickHouse", ""]];
  let differing = 0;
  for (const { label, ask } of linesOf(store.projects())) {
    const [[here, whole], [there, wholeThere]] = [await ask(store), await ask(other)];
    const isSame = JSON.stringify(whole) === JSON.stringify(wholeThere);
    differing += isSame ? 0 : 1;
    rows.push([label, here, there, isSame ? "" : "differs"]);
  }
  return { text: table(rows, "<>><"), differing };
}

function linesOf(projects: readonly string[]): ComparedAnswer[] {
  const all: ComparedAnswer[] = [
    { label: "events", ask: async (of) => shownCount(await of.countEvents()) },
    { label: "people", ask: async (of) => shownCount(await of.countUniqueUsers()) },
  ];
  return [...all, ...projects.flatMap(linesOfProject)];
}

function linesOfProject(project: string): ComparedAnswer[] {
  return [
    { label: `${project}: events per day`, ask: async (of) => {
      const days = await of.countEventsPerDay({ project });
      return [`${count(days.reduce((sum, day) => sum + day.count, 0))} on ${plural(days.length, "day")}`, days];
    } },
    { label: `${project}: people`, ask: async (of) => shownCount(await of.countUniqueUsers({ project })) },
    { label: `${project}: revenue per cohort`, ask: async (of) => {
      const answer = await of.ltvCohorts({ project, level: "identity" });
      const sum = answer.cohorts.reduce((revenue, cohort) => revenue + cohort.revenue, 0);
      return [`${sum.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${answer.currency}`, answer];
    } },
  ];
}

function shownCount(value: number): [string, number] {
  return [count(value), value];
}
