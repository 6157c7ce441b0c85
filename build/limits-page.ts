import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { LIMITS } from "../src/core/base/limits.js";
import { SERVER_LIMITS } from "../src/core/base/server-limits.js";
import { SECTIONS, type LimitName } from "./limit-rows.js";
import { PARAMETERS, type Range } from "./parameter-rows.js";

/** Written anew by `npx tsx build/limits-page.ts`. */
export const LIMITS_PAGE_FILE = fileURLToPath(new URL("../docs/reference/limits.md", import.meta.url));

const ALL: Readonly<Record<LimitName, number>> = { ...LIMITS, ...SERVER_LIMITS };

const INTRO = `# Limits

Every bound that callers and operators can meet, with its default, generated from the code by build/limits-page.ts. Names in parentheses change a
bound; \`daybook serve\` has those that begin with \`--\`. All others are fixed. [HTTP](http.md#errors) has the statuses of codes.
`;

/** The text of `LIMITS_PAGE_FILE`, of the bounds as they are. */
export function limitsPage(): string {
  const sections = SECTIONS.map(({ title, intro, rows }) => {
    const cells = Object.entries(rows).map(([name, [what, at, change = ""]]) => [what, shownLimit(name as LimitName), change === "" ? at : `${at} (${change})`]);
    return sectionOf(title, intro, [["what", "bound", "at the bound"], ...cells]);
  });
  const ranges = PARAMETERS.map(([name, range]) => `- ${name}: ${shownRange(range)}\n`).join("");
  const parameters = `## Parameters of queries\n\nOther values are \`invalid_parameter\`.\n\n${ranges}`;
  return [INTRO, ...sections, parameters].join("\n");
}

function sectionOf(title: string, intro: string, [head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}\n`;
  return `## ${title}\n\n${intro === "" ? "" : `${intro}\n\n`}${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

function shownRange({ min = 1, max, default: byDefault }: Range): string {
  return `${grouped(min)} to ${grouped(max)}${byDefault === undefined ? "" : `, default ${grouped(byDefault)}`}`;
}

/** A bound with its unit, which its name ends with. */
export function shownLimit(name: LimitName, value = ALL[name]): string {
  if (name === "instantNumberMinMs") return dayOf(value);
  if (name === "instantMaxMs") return dayOf(value - 1);
  if (/Bytes(PerSecond)?$/.test(name)) return `${inUnits(value, ["bytes", "KiB", "MiB", "GiB"])}${name.endsWith("PerSecond") ? " a second" : ""}`;
  if (/Ms(Min|Max)?$/.test(name)) return value > LONG_MS ? `${grouped(Math.floor(value / DAY_MS))} days` : timeOf(value);
  if (/Chars(Min)?$/.test(name)) return `${grouped(value)} characters`;
  if (name.endsWith("Days")) return `${grouped(value)} days`;
  if (name.endsWith("PerSec")) return `${grouped(value)} a second`;
  return `${grouped(value)}${name.endsWith("PerMinute") ? " a minute" : ""}`;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const DAY_MS = 86_400_000;
/** From here on days say more. */
const LONG_MS = 10 * DAY_MS;

function timeOf(ms: number): string {
  const units: readonly (readonly [ms: number, name: string])[] = [[3_600_000, "h"], [60_000, "min"], [1_000, "s"]];
  for (const [unitMs, name] of units) if (ms >= unitMs && ms % unitMs === 0) return `${grouped(ms / unitMs)} ${name}`;
  return `${grouped(ms)} ms`;
}

function inUnits(value: number, [first = "", ...larger]: readonly string[]): string {
  let [count, unit] = [value, first];
  for (const next of larger) if (count >= 1024 && count % 1024 === 0) [count, unit] = [count / 1024, next];
  return count === 1 && unit === first ? `1 ${unit.slice(0, -1)}` : `${grouped(count)} ${unit}`;
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(LIMITS_PAGE_FILE, limitsPage());
