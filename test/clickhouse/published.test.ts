import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { connectDaybook, type DaybookClient } from "daybook/client";
import { openClickHouse } from "daybook/clickhouse";
import { afterAll, expect } from "vitest";
import { BATCH_ROWS_OF_SERVER, load } from "../../src/cli/load.js";
import { programFile } from "../cli/run.js";
import { accessLogFigures } from "../examples/access-log-figures.js";
import { cdnowFigures } from "../examples/cdnow-figures.js";
import { onlineRetailFigures } from "../examples/online-retail-figures.js";
import { dataSet } from "../examples/published.js";
import { CLI } from "../program-names.js";
import { newDatabase, placeArguments, type Layout } from "./kit.js";

const TOKEN = "sk_published_figures_0123456789";

const known = new Map<string, Promise<DaybookClient>>();
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** What asks `daybook serve --clickhouse`, a process of its own, over HTTP: of a data set that was loaded there before. */
function servedFrom(layout: Layout): (organization: string) => Promise<DaybookClient> {
  return (organization) => {
    const served = known.get(organization) ?? serve(organization, layout);
    known.set(organization, served);
    return served;
  };
}

async function serve(organization: string, layout: Layout): Promise<DaybookClient> {
  const set = dataSet(organization);
  const { options, drop } = await newDatabase(layout, { currency: set.currency });
  ends.push(drop);
  const daybook = await openClickHouse(options);
  const outcome = await load(daybook, set.rows(), { rowsAtOnce: BATCH_ROWS_OF_SERVER });
  expect(outcome).toEqual({ accepted: set.eventCount, duplicates: 0, records: 0, rejected: 0, rejections: [], adjusted: 0, adjustments: [] });
  await daybook.close();
  const args = ["serve", ...placeArguments(options), "--currency", set.currency, "--port", "0", "--quiet", "--no-page"];
  const server = spawn(process.execPath, [programFile(CLI), ...args], { env: { ...process.env, DAYBOOK_TOKEN: TOKEN }, stdio: ["ignore", "pipe", "inherit"] });
  ends.push(() => ended(server));
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const client = connectDaybook({ url: line.replace("daybook listening on ", ""), token: TOKEN });
  ends.push(() => client.close());
  return client;
}

async function ended(server: ChildProcess): Promise<void> {
  server.kill("SIGTERM");
  if (server.exitCode === null) await once(server, "exit");
}

accessLogFigures(servedFrom("two shards"));
cdnowFigures(servedFrom("one server"));
onlineRetailFigures(servedFrom("one server"));
