import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { openDaybook, type EventInput } from "daybook";
import { fileStorage } from "daybook/node";
import { expect, test, vi } from "vitest";
import { seededRandom } from "../../src/testing/random.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { damagedFile, differencesOf, type DamagedFile } from "./damaged-files.js";
import { daybookHere } from "./run-here.js";
import { daybook, emptyDirectory, type Finished } from "./run.js";

const fileCount = caseCount(40, 2_000);

async function storedIn(data: string): Promise<EventInput[]> {
  await using store = await openDaybook({ storage: fileStorage(join(data, "default")) });
  const events: EventInput[] = [];
  for await (const event of store.exportEvents()) events.push(event);
  return events;
}

/** Imports what standard input has, in this process. */
async function importInput(file: DamagedFile, data: string): Promise<Omit<Finished, "signal">> {
  // In pieces, for lines may be cut anywhere.
  const input = Readable.from(Array.from({ length: Math.ceil(file.bytes.length / 100) }, (_, at) => file.bytes.subarray(at * 100, at * 100 + 100)));
  const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(input as typeof process.stdin);
  try {
    return await daybookHere(["import", "--data", data, "--format", file.format, "-"]);
  } finally {
    stdin.mockRestore();
  }
}

test(`Of ${fileCount} damaged files each line is stored as it is or rejected by its number, and an import that stores nothing fails.`, async () => {
  const directory = await emptyDirectory();
  for (let at = 0; at < fileCount; at += 1) {
    const seed = baseSeed + at;
    const file = damagedFile(seededRandom(seed));
    const [path, data] = [join(directory, file.name), join(directory, "data")];
    await writeFile(path, file.bytes);
    const run = at % 4 === 0 ? await importInput(file, data) : await daybookHere(["import", "--data", data, path]);
    expect(differencesOf(file, run, await storedIn(data)), `seed ${seed}`).toEqual([]);
    if (at % 4 === 1 && run.code === 0) {
      const again = await daybookHere(["import", "--data", data, path]);
      expect([again.code, again.stdout], `seed ${seed}`).toEqual([0, expect.stringMatching(new RegExp(`accepted 0 / duplicates ${file.stored.length} / rejected ${file.rejected.length}\\b`))]);
    }
    await rm(data, { recursive: true, force: true });
    await rm(path);
  }
}, 600_000);

test("So it is in a process of its own.", async () => {
  const directory = await emptyDirectory();
  for (let at = 0; at < caseCount(4, 24); at += 1) {
    const seed = baseSeed + 1_000_000 + at;
    const file = damagedFile(seededRandom(seed));
    const [path, data] = [join(directory, file.name), join(directory, `data-${at}`)];
    await writeFile(path, file.bytes);
    const run = at % 2 === 0 ? await daybook(["import", "--data", data, "--format", file.format, "-"], { input: file.bytes }) : await daybook(["import", "--data", data, path]);
    expect(differencesOf(file, run, await storedIn(data)), `seed ${seed}`).toEqual([]);
  }
}, 120_000);
