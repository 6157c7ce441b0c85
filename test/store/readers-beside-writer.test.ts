import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDaybook, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 0, 1);

/** Readers of files that a writer compacts, rewrites and removes, before any value of a dictionary or footer was read. */
describe("a reader beside a writer", () => {
  let directory: string;
  let writer: Daybook;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "daybook-reader-"));
    writer = await openDaybook({ storage: fileStorage(directory) });
    for (let day = 0; day < 3; day += 1) {
      await writer.ingest(Array.from({ length: 20 }, (_, at) => ({
        name: "seen", userId: `user ${at}`, url: `/page/${at % 4}`, createdAt: FIRST_MS + day * DAY_MS + at,
      })));
      await writer.seal();
    }
  });

  afterEach(async () => {
    await writer.close();
    await rm(directory, { recursive: true });
  });

  const answersOf = async (daybook: Daybook) => [
    await daybook.countEvents({ startDate: "2026-01-01", endDate: "2026-01-31" }),
    (await daybook.aggregate({ field: "url", startDate: "2026-01-01", endDate: "2026-01-31" })).map(({ property, count }) => [property, count]),
    await daybook.countEvents({ startDate: "2026-01-01", endDate: "2026-01-31", userId: "user 7" }),
  ];

  const erase = async (userId: string) => {
    const { id } = await writer.privacyRequests.create({ type: "erasure", subject: { userId } });
    await writer.privacyRequests.verify(id);
    await writer.privacyRequests.acknowledge(id);
    await writer.privacyRequests.resolve(id, "completed");
  };

  test("has its snapshot whole, though all segments and dictionaries are replaced", async () => {
    await using reader = await openDaybook({ storage: fileStorage(directory), readOnly: true });
    for (let more = 0; more < 6; more += 1) {
      await writer.ingest([{ name: "seen", userId: `late ${more}`, url: "/late", createdAt: FIRST_MS + more }]);
      await writer.seal();
    }
    await erase("user 3");
    expect(await answersOf(reader)).toEqual([60, [["/page/0", 15], ["/page/1", 15], ["/page/2", 15], ["/page/3", 15]], 3]);
  });

  test("that follows applies an erasure and a deletion whose former values it never read", async () => {
    await using reader = await openDaybook({ storage: fileStorage(directory), readOnly: true, follow: true });
    await erase("user 3");
    await writer.deleteEvents({ before: "2026-01-02" });
    await expect.poll(() => reader.countEvents({ startDate: "2026-01-01", endDate: "2026-01-31" })).toBe(38);
    expect(await answersOf(reader)).toEqual([38, [["/page/0", 10], ["/page/1", 10], ["/page/2", 10], ["/page/3", 8]], 2]);
    await expect(reader.identityProfile({ userId: "user 3" })).rejects.toMatchObject({ code: "identity_not_found" });
  });
});
