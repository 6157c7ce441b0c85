import type { Daybook } from "../../engine/daybook.js";
import { createToken } from "../../http/index.js";
import { flags, texts, portOf, readArguments, publicAddress } from "../command.js";
import { DATA_SETS, presentDataSets, type DataSet } from "../../../examples/demo/data-sets.js";
import { reportOn } from "../../../examples/demo/report.js";
import { pagesText, requestsText } from "../../../examples/demo/requests.js";
import { dataDirectory } from "../../platform/node/data-directory.js";
import { openOrganization } from "../organizations.js";
import { load } from "../load.js";
import { count, plural, Progress } from "../print/format.js";
import { startServer, closeOnSignal } from "../server.js";
import { DEFAULT_DATA_DIRECTORY, environmentTokens } from "./serve.js";

export const help = `Usage: daybook demo [--data DIR] [--port N] [--once]

Imports the real data sets of examples/data, except those already imported, prints a report on them, then serves them
over HTTP and as a dashboard until SIGTERM or SIGINT. The package contains all data sets but the largest, which comes
with a clone of the repository.

  --data DIR            data directory, default "./data"
  --port N              default 8787; 0 = any free port
  --once                exit after the report
  --insecure-token      accept secret tokens of fewer than 22 characters, which can be guessed
`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { ...texts("data", "port"), ...flags("once", "insecure-token") }, false);
  const port = portOf(values.port ?? "8787");
  const data = await dataDirectory(values.data ?? DEFAULT_DATA_DIRECTORY);
  if (data.kind === "store") throw new Error(`${data.path}: is a store; the demo creates an organization for each data set, so give it a separate directory`);
  const insecure = values["insecure-token"] === true;
  const tokens = environmentTokens(insecure);
  const open = new Map<DataSet, Daybook>();
  const closeAll = () => Promise.all([...open.values()].map((daybook) => daybook.close()));
  const sets = presentDataSets();
  process.stdout.write(`Daybook demo: real data, exact answers. Everything is stored in ${data.path}\n\n`);
  try {
    for (const set of sets) {
      const daybook = await openOrganization(data, set.organization, { currency: set.currency });
      open.set(set, daybook);
      await importOnce(set, daybook);
    }
    for (const { organization, file } of DATA_SETS.filter((set) => !sets.includes(set)))
      process.stdout.write(`  ${organization.padEnd(14)} is not in the package; it is in a clone of the repository and at ${publicAddress(file)}\n`);
    for (const [set, daybook] of open) process.stdout.write(await reportOn(set, daybook));
  } catch (error) {
    await closeAll();
    throw error;
  }
  if (values.once === true) {
    await closeAll();
    return;
  }
  const tokenByOrganization = new Map(
    sets.map(({ organization }) => [organization, createToken({ role: "owner", scopes: ["*"], organization, nowMs: Date.now() })]),
  );
  const records = [...tokenByOrganization.values()].map((token) => token.record);
  const web = { page: true, trustProxy: [], geo: undefined, honorGpc: false, frameAncestors: [] };
  const host = "127.0.0.1";
  const opened = Object.fromEntries([...open].map(([{ organization }, daybook]) => [organization, daybook]));
  const settings = { currency: undefined, insecure, logsRequests: false, oneThread: true, cold: true, web };
  const server = await startServer({ ...settings, data, host, port, tokens: [...tokens, ...records], open: opened });
  const tokenOf = (organization: string) => tokenByOrganization.get(organization)?.value ?? "";
  process.stdout.write(requestsText(server.url, sets, tokenOf));
  // The links come last, so that they are still on the screen.
  process.stdout.write(pagesText(server.url, sets, tokenOf));
  process.stdout.write(`\ndaybook listening on ${server.url}\n`);
  await closeOnSignal(server);
}

async function importOnce(set: DataSet, daybook: Daybook): Promise<void> {
  const name = set.organization.padEnd(14);
  const stored = (await daybook.stats()).eventCount;
  if (stored >= set.eventCount) {
    process.stdout.write(`  ${name} ${count(stored).padStart(9)} events already imported\n`);
    return;
  }
  const progress = new Progress(`  ${name} importing`);
  const outcome = await load(daybook, set.rows(), { onProgress: (rowCount) => progress.at(rowCount) });
  await daybook.seal();
  const took = progress.end();
  const [first] = outcome.rejections;
  if (first !== undefined) {
    throw new Error(`${set.organization}: ${plural(outcome.rejected, "row")} rejected, line ${first.line}: ${first.reason}`);
  }
  process.stdout.write(`  ${name} ${count(outcome.accepted).padStart(9)} events imported in ${took}\n`);
}
