import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DaybookError, fixedClock, openDaybook, type Daybook, type Storage } from "daybook";
import { fileStorage } from "daybook/node";
import { generateTraffic, seededRandom } from "daybook/testing";
import { nativeCodec } from "../../src/platform/node/native-codec.js";
import { baseSeed } from "../oracle/settings.js";
import { objectsOf, storageWith, type Objects } from "../store/objects.js";

const clock = fixedClock(Date.UTC(2026, 3, 1));
/** Random bits that are the same each time. */
const random = (bytes: Uint8Array) => bytes.forEach((_, at) => (bytes[at] = (at * 37 + 11) & 255));

/** A store of about 64 KiB that was sealed twice and closed in good order, and a cursor it gave out. */
export async function cleanStore(): Promise<{ readonly objects: Objects; readonly cursor: string }> {
  const directory = await mkdtemp(join(tmpdir(), "daybook-damage-"));
  try {
    const noise = seededRandom(baseSeed);
    const events = [...generateTraffic({ seed: 8, eventCount: 420, dayCount: 4, startMs: Date.UTC(2026, 2, 1), projects: ["web", "app"] })].map(
      (event, index) => ({ ...event, metadata: { ...event.metadata, token: `${noise.next()}${noise.next()}`, [`key ${index % 7}`]: index } }),
    );
    const storage = fileStorage(directory);
    const daybook = await openDaybook({ storage, clock, random });
    await daybook.ingest(events.slice(0, 250));
    await daybook.identify({ id: "first", userId: "known", email: "known@example.org", createdAt: new Date(5) });
    await daybook.seal();
    await daybook.ingest(events.slice(250));
    await daybook.alias({ id: "second", from: "before", to: "known", createdAt: new Date(6) });
    await daybook.privacyRequests.create({ type: "access", subject: { userId: "known" } });
    const { cursor } = await daybook.searchEvents({ limit: 5 });
    await daybook.close();
    return { objects: await objectsOf(storage), cursor: cursor ?? "" };
  } finally {
    await rm(directory, { recursive: true });
  }
}

const filterGroups = [{ filters: [{ fieldName: "metadata.key 3", operator: ">", value: "100" }] }];

async function receivedTimes(daybook: Daybook): Promise<unknown[]> {
  const times: unknown[] = [];
  for await (const { sequence, receivedAt } of daybook.exportEvents({ afterSequence: 0 })) times.push([sequence, receivedAt]);
  return times;
}

/** The answers to queries and the export that between them read every file, column and row, as one text. */
async function answers(storage: Storage, cursor: string | null, readOnly: boolean): Promise<string> {
  const daybook = await openDaybook({ storage, clock, readOnly, random });
  const profile = (who: { email: string } | { userId: string }) =>
    daybook.identityProfile(who).catch((error: unknown) => {
      if (error instanceof DaybookError && error.code === "identity_not_found") return null;
      throw error;
    });
  try {
    const found = [
      await daybook.countEvents({ filterGroups }),
      await daybook.countUniqueUsersPerDay(),
      await daybook.aggregate({ field: "url", limit: 3 }),
      await daybook.searchEvents({ cursor, limit: 3 }),
      await daybook.searchEvents({ limit: 1_000 }),
      await profile({ email: "known@example.org" }),
      await profile({ userId: "before" }),
      await daybook.privacyRequests.list(),
      (await daybook.stats()).projects,
      await receivedTimes(daybook),
    ];
    if (!readOnly) await daybook.ingest([{ name: "late", createdAt: new Date(1) }]);
    return JSON.stringify(found);
  } finally {
    await daybook.close();
  }
}

/**
 * What became of a store: its answers, the code of a `DaybookError`, or another error, which nobody should ever see.
 * @param readOnly opens beside a writer; else the store is written to as well
 * @param readsNow footers and dictionaries are read when a query needs them; else at opening
 */
export async function outcomeOf(objects: Objects, cursor: string | null, readOnly = true, readsNow = false): Promise<string> {
  const readNow: Storage["readNow"] = (key, { start, end }) => objects.get(key)?.slice(start, end) ?? null;
  const storage: Storage = Object.assign(await storageWith(objects), { codec: nativeCodec }, readsNow ? { readNow } : {});
  try {
    return await answers(storage, cursor, readOnly);
  } catch (error) {
    return error instanceof DaybookError ? error.code : `foreign ${String(error)}`;
  }
}

export function flipped(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const damaged = bytes.slice();
  damaged[at] = (damaged[at] ?? 0) ^ mask;
  return damaged;
}

/** Lengths to cut a file of `byteLength` to: all near both ends, some between. */
export function cuts(byteLength: number): number[] {
  const lengths = new Set<number>();
  for (let length = 0; length < byteLength; length += length < 40 || length > byteLength - 80 ? 1 : 61) lengths.add(length);
  for (let length = Math.max(0, byteLength - 40); length < byteLength; length += 1) lengths.add(length);
  return [...lengths];
}

/** What may become of a store when a file of one kind is damaged. */
export function allowedOutcomes(kind: string, right: string): ReadonlySet<string> {
  const allowed = [right, "corruption"];
  if (kind === "MANIFEST") allowed.push("manifest_missing");
  return new Set(allowed);
}
