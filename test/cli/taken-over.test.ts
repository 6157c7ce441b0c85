import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { expect, test } from "vitest";
import { machineProcesses } from "../../src/platform/node/process-table.js";
import { crashEvent } from "./crash-events.js";
import { emptyDirectory, startProgram } from "./run.js";

test("A process that stood still while another took its store over loses no acknowledged event, harms nothing, and ends with store_locked.", async () => {
  const directory = await emptyDirectory();
  const writer = startProgram("test/cli/crash-writer.ts", [directory, "0", "20"]);
  await writer.said(/acknowledged \d{3,}\n/);
  writer.child.kill("SIGSTOP");
  // It stands still for so long that it is taken for ended.
  const { current } = machineProcesses();
  const processes = { current, stateOf: ({ pid }: { pid: number }) => (pid === current.pid ? ("running" as const) : ("ended" as const)) };
  const second = await openDaybook({ storage: fileStorage(directory, { processes }) });
  await second.ingest([{ id: "of the second", name: "second", createdAt: new Date(5) }]);
  writer.child.kill("SIGCONT");
  const { code, stdout, stderr } = await writer.finished;
  expect(code).toBe(1);
  expect(stderr).toContain("another process has taken over the store");
  const acknowledged = Math.max(...[...stdout.matchAll(/acknowledged (\d+)\n/g)].map((match) => Number(match[1])));
  const again = Array.from({ length: acknowledged }, (_, number) => crashEvent(number));
  expect(await second.ingest(again)).toEqual({ accepted: 0, duplicates: acknowledged, rejected: [], adjusted: [] });
  await second.close();
  expect((await verifyStore(fileStorage(directory))).findings).toEqual([]);
});
