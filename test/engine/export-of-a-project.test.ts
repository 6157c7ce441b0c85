import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type ExportInput, type StopOptions } from "daybook";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { PASSED_ROW_VALUES } from "../../src/engine/exports/row-yielder.js";
import { useLimits } from "../limits.js";
import { RecordingStorage } from "../store/recording-storage.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";

const ROWS_PER_TURN = 64;

// A turn for others behind so few rows that the parts of a small store take many.
useLimits({ turnValueCount: 64 * 32 });

const NOW = Date.UTC(2026, 2, 10, 12);
const clock = fixedClock(NOW);
const ROW_COUNT = 4_000;
const of = (project: string, day: number, at = 0): EventInput => ({ name: "visit", project, userId: `user ${at}`, createdAt: NOW - day * 86_400_000 + at });

async function exported(daybook: Daybook, input: ExportInput, options?: StopOptions): Promise<number> {
  let count = 0;
  for await (const { project } of daybook.exportEvents(input, options)) {
    expect(project).toBe(input.project);
    count += 1;
  }
  return count;
}

test("the limit that this file sets is a turn behind so many rows", () => {
  expect(LIMITS.turnValueCount).toBe(ROWS_PER_TURN * PASSED_ROW_VALUES);
});

describe.each(["heads", "a segment"])("An export of one project over rows of another, in %s,", (state) => {
  async function opened(): Promise<Daybook> {
    const daybook = await openDaybook({ storage: memoryStorage(), clock });
    await daybook.ingest([of("mine", 0), ...Array.from({ length: ROW_COUNT }, (_, at) => of("other", 0, at + 1)), of("mine", 0, ROW_COUNT + 1)]);
    if (state === "a segment") await daybook.seal();
    return daybook;
  }

  test("lets others have turns between these", async () => {
    await using daybook = await opened();
    const turnCount = await turnsOfOthers(async () => expect(await exported(daybook, { project: "mine" })).toBe(2));
    expect(turnCount).toBeGreaterThanOrEqual(ROW_COUNT / ROWS_PER_TURN);
  });

  test("looks at its signal between these, and no further once that is aborted", async () => {
    await using daybook = await opened();
    for (const lastCount of [2, 6, ROW_COUNT / 2]) {
      let askedCount = 0;
      const signal = {
        get aborted() {
          askedCount += 1;
          return askedCount >= lastCount;
        },
      };
      await expect(exported(daybook, { project: "mine" }, { signal })).rejects.toMatchObject({ code: "aborted" });
      expect(askedCount).toBe(lastCount);
    }
  });
});

describe("Of segments without an event of the project an export reads", () => {
  /** Keys read, by day, of an export of `mine` from a store that was just opened. */
  async function readsByDay(projects: readonly (readonly string[])[], read: (daybook: Daybook) => Promise<void>): Promise<string[][]> {
    const storage = new RecordingStorage();
    const writer = await openDaybook({ storage, clock });
    const keys: string[] = [];
    for (const [day, ofDay] of projects.entries()) {
      // Values of their own: segments too large to be kept whole.
      await writer.ingest(ofDay.flatMap((project) => Array.from({ length: 3_000 }, (_, at) => ({ ...of(project, projects.length - day, at), url: `/${day}/${project}/${at}` }))));
      await writer.seal();
      keys.push((await storage.list("segments/")).find((key) => !keys.includes(key)) ?? "");
    }
    await writer.close();
    await using daybook = await openDaybook({ storage, clock });
    const reads: string[] = [];
    storage.before = (operation) => void (operation.startsWith("read segments/") && reads.push(operation.slice("read ".length)));
    await read(daybook);
    return keys.map((key) => reads.filter((operation) => operation.startsWith(key)));
  }

  const days = [["first", "mine", "last"], ["last"], ["first", "last"]];

  test("nothing, where the range of its projects tells; else which projects its events are of, and nothing more", async () => {
    const [withMine, beyond, around] = await readsByDay(days, async (daybook) => expect(await exported(daybook, { project: "mine" })).toBe(3_000));
    expect(withMine?.length).toBeGreaterThan(1);
    expect(beyond).toEqual([]);
    expect(around).toHaveLength(1);
  });

  test("nothing as Arrow, where the range of its projects tells", async () => {
    const [, beyond] = await readsByDay(days, async (daybook) => {
      for await (const piece of daybook.exportArrow({ project: "mine" })) expect(piece.length).toBeGreaterThan(0);
    });
    expect(beyond).toEqual([]);
  });
});
