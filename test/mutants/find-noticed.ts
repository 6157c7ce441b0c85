import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { insightMutants } from "./insight-mutants.js";
import { nameOf, type Mutant } from "./mutant.js";
import { noticedIn } from "./noticed-in.js";
import { scopeMutants } from "./scope-mutants.js";
import { tableMutants } from "./table-mutants.js";
import { verdictOnMutant } from "./verdict.js";

// Writes down where each mutant is noticed: `npx tsx test/mutants/find-noticed.ts`, minutes where histories have changed.

const FILE = fileURLToPath(new URL("noticed-in.ts", import.meta.url));
const PROCESS_COUNT = 2;
const HEAD = `/** In which history a mutant is noticed, by its name, with the seed that is used where none is given. \`find-noticed.ts\` writes this. */
export const noticedIn: Readonly<Record<string, number>> = {
`;

interface Task {
  readonly mutant: Mutant;
  readonly program: string;
  readonly args: readonly string[];
}

const tasks: readonly Task[] = [
  ...scopeMutants.map((mutant) => ({ mutant, program: "scope-program.ts", args: [] })),
  ...tableMutants.map((mutant) => ({ mutant, program: "live-program.ts", args: [] })),
  ...insightMutants.map((mutant) => ({ mutant, program: "insight-program.ts", args: [mutant.report] })),
];

async function main(): Promise<void> {
  const found = new Map(Object.entries(noticedIn));
  const names = tasks.map(({ mutant }) => nameOf(mutant));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`two mutants have the name ${twice.join(", ")}`);
  const left = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) {
      const verdict = await verdictOnMutant(task.program, task.mutant, task.args);
      if (typeof verdict === "number") found.set(nameOf(task.mutant), verdict);
      else found.delete(nameOf(task.mutant));
      const lines = names.flatMap((name) => (found.has(name) ? [`  ${JSON.stringify(name)}: ${found.get(name)},\n`] : []));
      await writeFile(FILE, `${HEAD}${lines.join("")}};\n`);
      console.log(`${nameOf(task.mutant)}: ${verdict}`);
    }
  };
  await Promise.all(Array.from({ length: PROCESS_COUNT }, work));
}

void main();
