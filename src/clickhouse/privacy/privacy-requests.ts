import { DaybookError, shown } from "../../core/base/errors.js";
import { readStopOptions, type StopOptions } from "../../core/base/options.js";
import { newUuidText } from "../../core/base/uuid.js";
import { bundleRecord, line } from "../../engine/privacy/bundle-lines.js";
import { isOfErased, suppressedOf, withoutSubject, type ErasedPerson } from "../../engine/privacy/erasure.js";
import {
  ERASING, expire, newRequest, readPrivacyInput, readResolution, refuseBundle, resolve,
  shownRequest, shownRequests, PrivacySteps, type StoredRequest, type RequestStep,
} from "../../engine/privacy/lifecycle.js";
import type {
  ErasureReceipt, PrivacyRequest, PrivacyRequestInput, PrivacyRequests, PrivacyResolution, PrivacySubject,
} from "../../engine/privacy/requests.js";
import { normalEmail } from "../../query/plan/reports/identity.js";
import { RECORD_FIELDS, type RecordField } from "../../identity/record-table.js";
import { identityIdOf } from "../../identity/identity-ids.js";
import { textsOf } from "../../engine/query/segment-texts.js";
import { Suppression, type SuppressedKind } from "../../engine/ingest/suppression.js";
import { finishLeft, Removal, rename, settleEventLinks, untilGone, wasStored, type Noted, type RemovalContext } from "../removal/removal.js";
import { copyOf, EVENT_COLUMNS, type EventTuple } from "../query/event-columns.js";
import { holderOf, isUser, personOf, personOfHolder, personOfId, type PersonActors } from "../query/person.js";
import { isInForce, ofActors, type ActorIds, type IdentityContext } from "../query/identity-context.js";
import { joined, name, NO_ID, sql, texts, text, uuids, whole } from "../sql/sql.js";
import { change, insertNewer } from "../tables/servers.js";
import { EVENT_TABLES } from "../tables/layout.js";
import { erasedRows, isOwnRecord } from "./erased-rows.js";

interface Erasing {
  /** The id of the removal that notes what to remove. */
  readonly removal: string;
  readonly resolution: PrivacyResolution;
  readonly identityId: string | null;
  readonly atMs: number;
  readonly receipt: ErasureReceipt;
}

interface KeptRequest {
  readonly request: StoredRequest;
  /** Null: not begun, or done. */
  readonly erasing: Erasing | null;
}

/** Privacy requests: one row per change; the newest of an id counts. */
export class RequestTable {
  constructor(readonly context: RemovalContext) {}

  async all(): Promise<readonly KeptRequest[]> {
    const { connection, names } = this.context;
    const rows = await connection.rows<[body: string]>(sql`SELECT argMax(body, version) FROM ${names.all("privacy_requests")} GROUP BY id`);
    return rows.map(([body]) => JSON.parse(body) as KeptRequest);
  }

  async get(id: string): Promise<KeptRequest> {
    const found = (await this.all()).find(({ request }) => request.id === id);
    if (found === undefined) throw new DaybookError("privacy_request_not_found", `there is no privacy request ${shown(id)}`);
    return found;
  }

  async put(requests: readonly KeptRequest[]): Promise<void> {
    await insertNewer(this.context, "privacy_requests", requests.map((kept) =>
      ({ id: kept.request.id, isErased: "erased" in kept.request.subject, body: JSON.stringify(kept) })));
  }

  /** Deletes former rows of requests that no longer name a person. */
  async forgetNames(requests: readonly KeptRequest[]): Promise<void> {
    // The ids are random: statements that persist on the servers reveal no one by them.
    await change(this.context, "privacy_requests", sql`DELETE WHERE id IN ${uuids(requests.map(({ request }) => request.id))} AND NOT isErased`);
  }
}

interface ErasureContext extends RemovalContext {
  readonly suppressionKey: Uint8Array;
  readonly requests: RequestTable;
}

/** Passes that remove rows which arrive meanwhile. */
const PASSES = 10;

/** Every step may be repeated; the last one resolves the request, once no file of any server holds a removed row. */
async function carryOut({ request }: KeptRequest, erasing: Erasing, context: ErasureContext): Promise<void> {
  const { requests } = context;
  const removal = new Removal(context, erasing.removal);
  const noted = await removal.notes();
  if (noted.length > 0) {
    const of = (kind: Noted) => noted.filter(([each]) => each === kind).map(([, text]) => text);
    const ids = (["userId", "anonymousId"] as const).flatMap((kind) => of(kind).map((id): [SuppressedKind, string] => [kind, id]));
    const person: ErasedPerson = { ids, emails: new Set(of("email")), identityId: erasing.identityId };
    // Before any removal, so that no process stores the person again.
    await keepOut(request, person, erasing.atMs, context);
    const actors = { users: of("userId"), anonymous: of("anonymousId") };
    for (let passes = 1; passes === 1 || (await isLeft(actors, erasing.atMs, context)); passes += 1) {
      if (passes > PASSES) throw new DaybookError("overloaded", "new data of the erased person arrives as fast as it is removed: resolve the request again");
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

/** Removes the rows of a person and their devices, except those that are later than the erasure and were stored since it began. */
async function removeRows(removal: Removal, atMs: number, cutsTraits: boolean): Promise<void> {
  const { servers } = removal;
  const [users, anonymous, records] = [removal.texts("userId"), removal.texts("anonymousId"), removal.texts("record")];
  const isBefore = sql`(ms <= ${whole(atMs)} OR ${wasStored(removal)})`;
  // Rows of other users of a device stay, without its id.
  const unnamed = sql`UPDATE anonymousId = '' WHERE anonymousId IN ${anonymous} AND ${isBefore}`;
  const isOwn = sql`((userId != '' AND userId IN ${users}) OR (userId = '' AND anonymousId IN ${anonymous}))`;
  for (const table of EVENT_TABLES) await change(servers, table, sql`DELETE WHERE ${isOwn} AND ${isBefore}, ${unnamed}`);
  await change(servers, "records", sql`DELETE WHERE toString(id) IN ${records} OR (${isOwnRecord(users, anonymous)} AND ${isBefore}), ${unnamed}`);
  const traits = removal.valueOf("traits", sql`toString(id)`, sql`traits`);
  const isCut = sql`kind != 'unlink' AND toString(id) IN ${removal.texts("traits")}`;
  if (cutsTraits) await change(servers, "records", sql`UPDATE traits = ${traits} WHERE ${isCut}`);
}

/** Deletes links of records that are gone, or no longer have an anonymous id. */
async function forgetRecordLinks({ users, anonymous }: ActorIds, removal: Removal): Promise<void> {
  const { connection, names } = removal.servers;
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT toString(record) FROM ${names.all("links")}
    WHERE record != ${NO_ID} AND (anonymousId IN ${texts(anonymous)} OR userId IN ${texts(users)})
    AND record GLOBAL NOT IN (SELECT id FROM ${names.all("records")} WHERE kind != 'unlink' AND anonymousId != '')`);
  if (rows.length === 0) return;
  await removal.note(rows.map(([record]) => ["link", record]));
  await change(removal.servers, "links", sql`DELETE WHERE toString(record) IN ${removal.texts("link")}`);
}

/** Whether a process that had not read the erasure yet stored more rows of the person. */
async function isLeft({ users, anonymous }: ActorIds, atMs: number, { connection, names }: ErasureContext): Promise<boolean> {
  const isBefore = sql`ms <= ${whole(atMs)}`;
  const events = sql`SELECT 1 FROM ${names.all("events")} WHERE ${isBefore} AND (${ofActors({ users, anonymous })}) LIMIT 1`;
  const records = sql`SELECT 1 FROM ${names.all("records")} WHERE ${isBefore} AND ${isOwnRecord(texts(users), texts(anonymous))} LIMIT 1`;
  return await connection.hasRows(events, records);
}

/** Deletes saved segments that name the person, and former versions of other segments that did. */
async function forgetSegments({ subject }: StoredRequest, { ids, emails, identityId }: ErasedPerson, removal: Removal): Promise<void> {
  const { connection, names } = removal.servers;
  const named = new Set([...ids.map(([, id]) => id), ...("userId" in subject ? [subject.userId] : []), ...(identityId === null ? [] : [identityId])]);
  const rows = await connection.rows<[name: string, groups: string, version: number, newest: number]>(sql`SELECT name, groups, version,
    max(version) OVER (PARTITION BY name) FROM ${names.all("segments")}`);
  const isTheirs = ([, groups]: (typeof rows)[number]) =>
    groups !== "" && textsOf(JSON.parse(groups) as readonly unknown[]).some((text) => named.has(text) || emails.has(normalEmail(text)));
  const doomed = rows.filter(isTheirs);
  // Without its newest row a segment would revert to the one before.
  const whole = new Set(doomed.filter(([, , version, newest]) => version === newest).map(([name]) => name));
  const gone = rows.filter((row) => whole.has(row[0]) || doomed.includes(row));
  if (gone.length === 0) return;
  await removal.note(gone.map(([name, , version]) => ["segment", name, String(version)]));
  await change(removal.servers, "segments", sql`DELETE WHERE (name, toString(version)) IN ${removal.pairs("segment")}`);
}

async function forgetRequests(request: StoredRequest, person: ErasedPerson, { requests, ...context }: ErasureContext): Promise<void> {
  const theirs = (await requests.all()).filter((other) => isOfErased(other.request, request, person));
  await requests.put(theirs.map((other) => ({ ...other, request: withoutSubject(other.request) })));
  await requests.forgetNames(theirs);
  // Erasures of the person that stopped before they began have left notes.
  const { connection, names } = context;
  const begun = new Set((await requests.all()).map(({ erasing }) => erasing?.removal));
  const noted = await connection.rows<[string]>(sql`SELECT DISTINCT toString(removal) FROM ${names.all("removals")}
    WHERE kind = 'request' AND text IN ${texts(theirs.map((other) => other.request.id))}`);
  for (const [id] of noted) if (!begun.has(id)) await new Removal(context, id).end();
}

interface PrivacyContext extends ErasureContext {
  readonly identityContext: (signal?: Pick<AbortSignal, "aborted">) => Promise<IdentityContext>;
}

/** The privacy requests of an organization: rows of a table, which every call reads again. */
export class ClickHousePrivacyRequests extends PrivacySteps implements PrivacyRequests {
  readonly #context: PrivacyContext;

  constructor(context: PrivacyContext) {
    super();
    this.#context = context;
  }

  async create(input: PrivacyRequestInput): Promise<PrivacyRequest> {
    const { clock, random, requests, identityContext } = this.#context;
    const read = readPrivacyInput(input);
    const nowMs = clock.now();
    const request = newRequest(read, { nowMs, id: newUuidText(nowMs, random), ...(await namedBy(read.subject, await identityContext())) });
    await requests.put([{ request, erasing: null }]);
    return shownRequest(request, nowMs);
  }

  async list(): Promise<readonly PrivacyRequest[]> {
    const { clock, requests } = this.#context;
    return shownRequests((await requests.all()).map(({ request }) => request), clock.now());
  }

  async get(id: string): Promise<PrivacyRequest> {
    const { clock, requests } = this.#context;
    return shownRequest((await requests.get(id)).request, clock.now());
  }

  async resolve(id: string, resolution: PrivacyResolution): Promise<PrivacyRequest> {
    const { clock, requests } = this.#context;
    const wanted = readResolution(resolution);
    const kept = await this.#kept(id);
    if (kept.request.type !== "erasure" || !ERASING.includes(wanted))
      return await this.step(id, (request, nowMs) => resolve(request, wanted, nowMs));
    await carryOut(kept, kept.erasing ?? (await this.#begin(kept, wanted)), this.#context);
    return shownRequest((await requests.get(id)).request, clock.now());
  }

  async *bundle(id: string, options?: StopOptions): AsyncGenerator<string> {
    const { signal } = readStopOptions(options);
    const { request } = await this.#kept(id);
    refuseBundle(request);
    const context = await this.#context.identityContext(signal);
    const person = await personOfRequest(request, context);
    if (person === null) throw new DaybookError("identity_not_found", "nothing is stored about the subject of this request");
    yield* bundleOf(person, context);
  }

  async finishLeft(): Promise<void> {
    const all = await this.#context.requests.all();
    for (const kept of all) if (kept.erasing !== null) await carryOut(kept, kept.erasing, this.#context);
    const begun = (await this.#context.requests.all()).flatMap(({ erasing }) => (erasing === null ? [] : [erasing.removal]));
    await finishLeft(this.#context, new Set(begun));
  }

  /** Notes what to remove, and that the erasure has begun: from then on any process can finish it. @throws invalid_transition */
  async #begin({ request }: KeptRequest, resolution: PrivacyResolution): Promise<Erasing> {
    const { clock, requests } = this.#context;
    const atMs = clock.now();
    resolve(request, resolution, atMs);
    if ("erased" in request.subject) throw new DaybookError("invalid_transition", "the subject of this request has already been erased");
    const context = await this.#context.identityContext();
    const person = await personOfRequest(request, context);
    const email = "email" in request.subject ? normalEmail(request.subject.email) : null;
    const { notes, receipt } = await erasedRows(person, email, context, atMs);
    const removal = await Removal.begin(this.#context, [["request", request.id], ...notes]);
    // Another process may have begun meanwhile, and noted more: its removal counts.
    const { erasing } = await requests.get(request.id);
    if (erasing !== null) return erasing;
    const begun = { removal: removal.id, resolution, identityId: person === null ? null : idOf(person), atMs, receipt };
    await requests.put([{ request, erasing: begun }]);
    return begun;
  }

  /** The current request: one that was not verified in time has expired. @throws privacy_request_not_found */
  async #kept(id: string): Promise<KeptRequest> {
    const { clock, requests } = this.#context;
    const kept = await requests.get(id);
    return { ...kept, request: expire(kept.request, clock.now()) };
  }

  /** @throws invalid_transition, also while an erasure is under way */
  protected async step(id: string, change: RequestStep): Promise<PrivacyRequest> {
    const { clock, requests } = this.#context;
    const nowMs = clock.now();
    const kept = await this.#kept(id);
    if (kept.erasing !== null) throw new DaybookError("invalid_transition", "the erasure has begun: resolve the request again to finish it");
    const request = change(kept.request, nowMs);
    await requests.put([{ request, erasing: null }]);
    return shownRequest(request, nowMs);
  }
}

type BundleRecordRow = [kind: string, id: string, ms: number, ...fields: string[]];

/** Everything stored about a person as NDJSON lines: the identity, its records, then every event, streamed from the servers. */
async function* bundleOf(person: PersonActors, context: IdentityContext): AsyncGenerator<string> {
  const { connection, tables } = context;
  const { users, anonymous } = person;
  const names = { userIds: [...users].sort(), anonymousIds: [...anonymous].sort() };
  yield line({ kind: "identity", identityId: idOf(person), resolvedIdentifier: await resolvedIdentifier(person, context), ...names });
  const isNamed = sql`userId IN ${texts(users)} OR fromUserId IN ${texts(users)}
    OR ((kind = 'alias' OR userId = '') AND anonymousId IN ${texts(anonymous)})`;
  const columns = joined(RECORD_FIELDS.map((field) => name(field)), ", ");
  const records = sql`SELECT kind, id, ms, ${columns} FROM ${tables.all("records")}
    WHERE kind != 'unlink' AND (${isNamed}) AND ${isInForce(sql`id`, context)} ORDER BY storedMs, ms, toUInt128(id)`;
  for await (const [kind, id, ms, ...fields] of connection.stream<BundleRecordRow>(records))
    yield line(bundleRecord(kind, id, ms, (field: RecordField) => fields[RECORD_FIELDS.indexOf(field)] ?? ""));
  const events = sql`SELECT ${EVENT_COLUMNS} FROM ${tables.all("events")} WHERE ${ofActors(person)} ORDER BY day, ms, toUInt128(id), project`;
  for await (const event of connection.stream<EventTuple>(events)) yield line({ kind: "event", ...copyOf(event) });
}

/** The newest email if it resolves to this person, else the user id; null for an anonymous person. */
async function resolvedIdentifier(person: PersonActors, context: IdentityContext): Promise<string | null> {
  const { connection, tables } = context;
  const rows = sql`SELECT email FROM ${tables.all("records")} WHERE kind = 'identify' AND email != '' AND (${ofActors(person)})
    AND ${isInForce(sql`id`, context)} ORDER BY ms DESC, toUInt128(id) DESC LIMIT 1`;
  const [[email] = [null]] = await connection.rows<[string]>(rows);
  const found = email === null ? null : await personOf({ kind: "email", email }, context);
  if (found?.kind === person.kind && found.id === person.id) return email;
  return person.kind === "user" ? person.id : null;
}

async function namedBy(subject: PrivacySubject, context: IdentityContext): Promise<Pick<StoredRequest, "identityId" | "holder">> {
  const person = await personNamed(subject, context);
  if (person === null) return { identityId: null, holder: null };
  const identityId = idOf(person);
  if ("email" in subject) return { identityId, holder: await holderOf(normalEmail(subject.email), context) };
  const userId = "userId" in subject ? subject.userId : "";
  return { identityId, holder: (await isUser(userId, context)) ? { userId } : { anonymousId: userId } };
}

/** The person of a request: for an email, the one it named when the request came. Null where unknown. */
async function personOfRequest({ subject, holder }: StoredRequest, context: IdentityContext): Promise<PersonActors | null> {
  if ("erased" in subject) return null;
  const isHeld = holder !== null && !("userId" in subject) && (await isStored(holder, context));
  return isHeld ? await personOfHolder(holder, context) : await personNamed(subject, context);
}

function idOf({ kind, id }: PersonActors): string {
  return identityIdOf(kind, id);
}

async function personNamed(subject: PrivacySubject, context: IdentityContext): Promise<PersonActors | null> {
  if ("erased" in subject) return null;
  if ("userId" in subject) return await personOfId(subject.userId, context);
  return await personOf({ kind: "email", email: normalEmail(subject.email) }, context);
}

async function isStored(holder: NonNullable<StoredRequest["holder"]>, { connection, tables }: IdentityContext): Promise<boolean> {
  const isOf = "userId" in holder ? sql`userId = ${text(holder.userId)}` : sql`anonymousId = ${text(holder.anonymousId)}`;
  const orFrom = "userId" in holder ? sql` OR fromUserId = ${text(holder.userId)}` : sql``;
  const select = (table: string) => sql`SELECT 1 FROM ${tables.all(table)} WHERE ${isOf}`;
  return await connection.hasRows(sql`${select("events")} LIMIT 1`, sql`${select("records")}${orFrom} LIMIT 1`);
}
