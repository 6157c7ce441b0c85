import { DaybookError } from "../../base/errors.js";
import type { StoredRequest } from "../../engine/privacy/lifecycle.js";
import { normalEmail } from "../../plan/subject.js";
import { isOfErased, suppressedOf, withoutSubject, type ErasedPerson } from "../../engine/privacy/erased.js";
import { textsOf } from "../../engine/question/segment-texts.js";
import { Suppression, type SuppressedKind } from "../../engine/ingest/suppression.js";
import { rename } from "../removal/metadata-names.js";
import { NO_RECORD, settleEventLinks } from "../removal/event-links.js";
import { wasStored } from "../removal/past-events.js";
import { Removal, type Noted, type RemovalContext } from "../removal/removal.js";
import { untilGone } from "../removal/until-gone.js";
import { ofActors, type Actors } from "../question/where.js";
import { sql, texts, whole } from "../sql/sql.js";
import { change } from "../tables/change.js";
import { EVENT_TABLES } from "../tables/layout.js";
import { isOwnRecord } from "./erased-rows.js";
import type { Erasing, KeptRequest, RequestTable } from "./request-table.js";

/** What erasing needs. */
export interface ErasureContext extends RemovalContext {
  readonly suppressionKey: Uint8Array;
  readonly requests: RequestTable;
}

/** How often rows are removed that came meanwhile. */
const PASSES = 10;

/**
 * Carries an erasure out that was noted and has begun, from wherever it stopped: every step may be taken again, and the request is resolved by the
 * last one, once no file of any server holds a former row.
 */
export async function carryOut({ request }: KeptRequest, erasing: Erasing, context: ErasureContext): Promise<void> {
  const { requests } = context;
  const removal = new Removal(context, erasing.removal);
  const noted = await removal.notes();
  if (noted.length > 0) {
    const of = (kind: Noted) => noted.filter(([each]) => each === kind).map(([, text]) => text);
    const ids = (["userId", "anonymousId"] as const).flatMap((kind) => of(kind).map((id): [SuppressedKind, string] => [kind, id]));
    const person: ErasedPerson = { ids, emails: new Set(of("email")), identityId: erasing.identityId };
    // Before anything goes, so that nobody brings it again.
    await keepOut(request, person, erasing.atMs, context);
    const actors = { users: of("userId"), anonymous: of("anonymousId") };
    for (let passes = 1; passes === 1 || (await isLeft(actors, erasing.atMs, context)); passes += 1) {
      if (passes > PASSES) throw new DaybookError("overloaded", "more of the erased comes as fast as it goes: resolve the request again");
      await removeRows(removal, erasing.atMs, noted.some(([kind]) => kind === "traits"));
      await settleEventLinks(context);
      await forgetRecordLinks(actors, removal);
    }
    await rename(context, of("year"));
    await forgetSegments(request, person, removal);
    await forgetRequests(request, person, context);
    await removal.end();
  }
  await untilGone(context, [...EVENT_TABLES, "links", "records", "segments", "privacy_requests", "removals"]);
  const { request: unnamed } = await requests.get(request.id);
  const resolved = { status: "resolved", resolution: erasing.resolution, resolvedAtMs: erasing.atMs, receipt: erasing.receipt } as const;
  await requests.put([{ request: { ...unnamed, ...resolved }, erasing: null }]);
}

async function keepOut(request: StoredRequest, person: ErasedPerson, atMs: number, { connection, suppressionKey }: ErasureContext): Promise<void> {
  const hashes = new Suppression(suppressionKey, []).with(suppressedOf(request, person), atMs).entries();
  await connection.insert("suppressed", hashes.map(([hash, erasedMs]) => ({ hash, erasedMs })));
}

/** Rows of the person and their devices, but for those that are newer than the erasure and were stored since it began: these are welcome. */
async function removeRows(removal: Removal, atMs: number, cutsTraits: boolean): Promise<void> {
  const { servers } = removal;
  const [users, anonymous, records] = [removal.texts("userId"), removal.texts("anonymousId"), removal.texts("record")];
  const isBefore = sql`(ms <= ${whole(atMs)} OR ${wasStored(removal)})`;
  // Others used a device of theirs later: their events and records stay, its id does not.
  const unnamed = sql`UPDATE anonymousId = '' WHERE anonymousId IN ${anonymous} AND ${isBefore}`;
  const isOwn = sql`((userId != '' AND userId IN ${users}) OR (userId = '' AND anonymousId IN ${anonymous}))`;
  for (const table of EVENT_TABLES) await change(servers, table, sql`DELETE WHERE ${isOwn} AND ${isBefore}, ${unnamed}`);
  await change(servers, "records", sql`DELETE WHERE toString(id) IN ${records} OR (${isOwnRecord(users, anonymous)} AND ${isBefore}), ${unnamed}`);
  const traits = removal.valueOf("traits", sql`toString(id)`, sql`traits`);
  const isCut = sql`kind != 'unlink' AND toString(id) IN ${removal.texts("traits")}`;
  if (cutsTraits) await change(servers, "records", sql`UPDATE traits = ${traits} WHERE ${isCut}`);
}

/** Deletes the links that records made which are gone, or name no device any more. */
async function forgetRecordLinks({ users, anonymous }: Actors, removal: Removal): Promise<void> {
  const { connection, names } = removal.servers;
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT toString(record) FROM ${names.all("links")}
    WHERE record != ${NO_RECORD} AND (anonymousId IN ${texts(anonymous)} OR userId IN ${texts(users)})
    AND record GLOBAL NOT IN (SELECT id FROM ${names.all("records")} WHERE kind != 'unlink' AND anonymousId != '')`);
  if (rows.length === 0) return;
  await removal.note(rows.map(([record]) => ["link", record]));
  await change(removal.servers, "links", sql`DELETE WHERE toString(record) IN ${removal.texts("link")}`);
}

/** Whether somebody who did not know of the erasure yet brought more of it. */
async function isLeft({ users, anonymous }: Actors, atMs: number, { connection, names }: ErasureContext): Promise<boolean> {
  const isBefore = sql`ms <= ${whole(atMs)}`;
  const events = sql`SELECT 1 FROM ${names.all("events")} WHERE ${isBefore} AND (${ofActors({ users, anonymous })}) LIMIT 1`;
  const records = sql`SELECT 1 FROM ${names.all("records")} WHERE ${isBefore} AND ${isOwnRecord(texts(users), texts(anonymous))} LIMIT 1`;
  return (await connection.rows(sql`SELECT * FROM (${events} UNION ALL ${records}) LIMIT 1`)).length > 0;
}

/** Deletes the saved segments in which somebody is named, and what others were when they named them. */
async function forgetSegments({ subject }: StoredRequest, { ids, emails, identityId }: ErasedPerson, removal: Removal): Promise<void> {
  const { connection, names } = removal.servers;
  const named = new Set([...ids.map(([, id]) => id), ...("userId" in subject ? [subject.userId] : []), ...(identityId === null ? [] : [identityId])]);
  const rows = await connection.rows<[name: string, groups: string, version: number, newest: number]>(sql`SELECT name, groups, version,
    max(version) OVER (PARTITION BY name) FROM ${names.all("segments")}`);
  const isTheirs = ([, groups]: (typeof rows)[number]) =>
    groups !== "" && textsOf(JSON.parse(groups) as readonly unknown[]).some((text) => named.has(text) || emails.has(normalEmail(text)));
  const doomed = rows.filter(isTheirs);
  // Without its newest row a segment would be what it was before.
  const whole = new Set(doomed.filter(([, , version, newest]) => version === newest).map(([name]) => name));
  const gone = rows.filter((row) => whole.has(row[0]) || doomed.includes(row));
  if (gone.length === 0) return;
  await removal.note(gone.map(([name, , version]) => ["segment", name, String(version)]));
  await change(removal.servers, "segments", sql`DELETE WHERE (name, toString(version)) IN ${removal.pairs("segment")}`);
}

/** In all requests of the person the subject is gone. */
async function forgetRequests(request: StoredRequest, person: ErasedPerson, { requests, ...context }: ErasureContext): Promise<void> {
  const theirs = (await requests.all()).filter((other) => isOfErased(other.request, request, person));
  await requests.put(theirs.map((other) => ({ ...other, request: withoutSubject(other.request) })));
  await requests.forgetNames(theirs);
  // An erasure of theirs that broke off before it began has left notes.
  const { connection, names } = context;
  const begun = new Set((await requests.all()).map(({ erasing }) => erasing?.removal));
  const noted = await connection.rows<[string]>(sql`SELECT DISTINCT toString(removal) FROM ${names.all("removals")}
    WHERE kind = 'request' AND text IN ${texts(theirs.map((other) => other.request.id))}`);
  for (const [id] of noted) if (!begun.has(id)) await new Removal(context, id).end();
}
