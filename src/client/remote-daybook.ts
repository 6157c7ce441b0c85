import type { Segments, SavedSegment } from "../engine/query/saved-segments.js";
import type { ExportedDeletion } from "../engine/exports/deletions.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import type { ExportDeletionsInput, ExportInput, PeopleSegment } from "../query/plan/input.js";
import type { ExportedEvent, EventInput, IngestResult } from "../core/schema/event.js";
import type { DeleteEventsInput, DeletionReceipt } from "../engine/upkeep/deletions.js";
import type { ErasureReceipt, PrivacyRequestInput, PrivacyRequests } from "../engine/privacy/requests.js";
import type { SignScopeOptions } from "../engine/tokens/scope-tokens.js";
import type { Scope } from "../query/plan/scope.js";
import type { TimeToLive, TimeToLivePreview, TimeToLiveRule } from "../engine/upkeep/time-to-live.js";
import {
  INGEST, projectOfTrack, readExportOptions, readStopOptions, checkQueryOptions, type ExportOptions, type StopOptions, type KnownOptions, type IngestOptions, type TrackOptions,
} from "../core/base/options.js";
import { eraseSubject } from "../core/schema/erasure.js";
import type { StoredRecord } from "../core/schema/record.js";
import { TrackQueue, type TrackIngest, type TrackIngestOption } from "../core/schema/track-queue.js";
import { DaybookError, parameterError, shown } from "../core/base/errors.js";
import { notifyEach } from "../core/base/promises.js";
import type { RetryEnvironment } from "../core/base/retry.js";
import type { Daybook } from "../engine/daybook.js";
import type { Explanation } from "../engine/query/explain.js";
import type { QueryNotice, QueryOptions, ReportName } from "../query/queries.js";
import { Calls, closed, isRetryable, type RetryRule } from "./calls.js";
import { jsonText } from "./json-text.js";
import type { ClientConnection } from "./options.js";
import { camelCase, isPathPart, libraryNames, queryOf, requireObject, segmentOf, wireNames } from "./query-of.js";
import { RemotePrivacyRequests } from "./privacy-requests.js";
import { randomBytes, RemoteWrites } from "./remote-writes.js";

const KNOWN_OPTIONS: KnownOptions<QueryOptions> = { signal: true, onNotice: true };

interface QueryAnswer {
  readonly answer: unknown;
  /** Absent without notices. */
  readonly notices?: readonly QueryNotice[];
}

const RULES_PATH = "/v1/time-to-live";

class RemoteTimeToLive implements TimeToLive {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async set(project: string | null, rule: { readonly days: number }): Promise<void> {
    // Setting a rule twice has the same effect.
    await this.#calls.json({ method: "PUT", path: RULES_PATH, body: jsonText({ ...requireObject(rule), project }, false), retry: "always" });
  }

  // A repeated "off" or sweep would report that there was nothing to do.
  async off(project: string | null): Promise<boolean> {
    const { off } = (await this.#post("off", { project }, "ifUndone")) as { off: boolean };
    return off;
  }

  async list(): Promise<readonly TimeToLiveRule[]> {
    const { rules } = (await this.#calls.json({ method: "GET", path: RULES_PATH, retry: "always" })) as { rules: readonly TimeToLiveRule[] };
    return rules;
  }

  async preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview> {
    return libraryNames(await this.#post("preview", rule === undefined ? {} : requireObject(rule), "always")) as TimeToLivePreview;
  }

  async sweep(): Promise<DeletionReceipt> {
    return libraryNames(await this.#post("sweep", {}, "ifUndone")) as DeletionReceipt;
  }

  #post(name: string, body: object, retry: RetryRule): Promise<unknown> {
    return this.#calls.json({ method: "POST", path: `${RULES_PATH}/${name}`, body: jsonText(body, false), retry });
  }
}

const SEGMENTS_PATH = "/v1/segments";

class RemoteSegments implements Segments {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async put(name: string, segment: PeopleSegment): Promise<SavedSegment> {
    const body = jsonText(segmentOf(requireObject(segment), ""), false);
    return libraryNames(await this.#change("PUT", name, JSON.stringify(wireNames(JSON.parse(body))))) as SavedSegment;
  }

  async list(): Promise<readonly SavedSegment[]> {
    const { segments } = (await this.#calls.json({ method: "GET", path: SEGMENTS_PATH, retry: "always" })) as { segments: unknown };
    return libraryNames(segments) as readonly SavedSegment[];
  }

  async delete(name: string): Promise<boolean> {
    const { deleted } = (await this.#change("DELETE", name)) as { deleted: boolean };
    return deleted;
  }

  async #change(method: "PUT" | "DELETE", name: string, body?: string): Promise<unknown> {
    if (!isPathPart(name)) throw parameterError("invalid_parameter", "name", `expected the name of a segment, got ${shown(name)}`);
    // A repeated PUT has the same effect; a repeated DELETE would report a missing segment.
    const call = { method, path: `${SEGMENTS_PATH}/${name}`, ...(body === undefined ? {} : { body }), retry: method === "PUT" ? "always" : "ifUndone" } as const;
    return await this.#calls.json(call).catch(throwInLibraryNames);
  }
}

/** Names that differ on the wire. Quoted text is the caller's, so it stays unchanged. */
const QUOTED_OR_NAME = /"(?:[^"\\]|\\.)*"|\b(?:event_name|filter_groups|field_name|at_least|at_most|start_date|end_date|last_days|expires_in|expires_at|long_lived)\b/g;

function throwInLibraryNames(thrown: unknown): never {
  if (!(thrown instanceof DaybookError)) throw thrown;
  const { code, message, details, cause } = thrown;
  const { param, reason } = details;
  const path = param === undefined ? undefined : camelCase(param);
  const text = (reason ?? message).replace(QUOTED_OR_NAME, (match) => (match.startsWith('"') ? match : camelCase(match)));
  if (path === undefined || reason === undefined) throw new DaybookError(code, text, details, { cause });
  throw new DaybookError(code, `${path}: ${text}`, { ...details, param: path, reason: text }, { cause });
}

/** The client. Private fields keep the token out of logs and inspection. */
export class RemoteDaybook extends RemoteWrites implements DaybookClient {
  readonly #calls: Calls;
  readonly #segments: RemoteSegments;
  readonly #privacyRequests: RemotePrivacyRequests;
  readonly #timeToLive: RemoteTimeToLive;
  readonly #environment: RetryEnvironment;
  readonly #tracking: TrackQueue;
  readonly #ingestTracked: TrackIngest = (events, options) => this.ingest(events, options);
  #closing: Promise<void> | null = null;

  constructor(connection: ClientConnection, environment: RetryEnvironment) {
    const calls = new Calls(connection, environment);
    super(calls, () => environment.nowMs(), connection.throwsRejected);
    this.#calls = calls;
    this.#environment = environment;
    const isTransient = (error: DaybookError) => isRetryable(error, "always") || error.code === "storage_full";
    this.#tracking = new TrackQueue(connection.track, { random: randomBytes, environment, delays: connection, isTransient });
    this.#segments = new RemoteSegments(calls);
    this.#privacyRequests = new RemotePrivacyRequests(calls);
    this.#timeToLive = new RemoteTimeToLive(calls);
  }

  get segments(): Segments {
    return this.#segments;
  }

  get privacyRequests(): PrivacyRequests {
    return this.#privacyRequests;
  }

  get timeToLive(): TimeToLive {
    return this.#timeToLive;
  }

  track(event: EventInput, options?: TrackOptions & TrackIngestOption): void {
    this.#refuseClosed();
    const project = projectOfTrack(options);
    this.#tracking.add({ event, project, ingest: options?.[INGEST] ?? this.#ingestTracked, nowMs: this.#environment.nowMs() });
  }

  async flush(options?: StopOptions): Promise<void> {
    this.#refuseClosed();
    await this.#tracking.flush(options);
  }

  erase(subject: PrivacyRequestInput["subject"]): Promise<ErasureReceipt> {
    return eraseSubject(this.#privacyRequests, subject);
  }

  async explain(report: ReportName, input?: object): Promise<Explanation> {
    return (await this.#query(report, "?explain=true", input)) as Explanation;
  }

  async signScope(scope: Scope, options: Omit<SignScopeOptions, "organization">): Promise<string> {
    const body = jsonText({ ...requireObject(options), scope }, true);
    // Signing stores nothing: a repeated call returns another valid token.
    const call = { method: "POST", path: "/v1/scopes/sign", body: JSON.stringify(wireNames(JSON.parse(body))), retry: "always" } as const;
    return ((await this.#calls.json(call).catch(throwInLibraryNames)) as { token: string }).token;
  }

  /** A deletion is resent only if the server reports that it did nothing: the receipt of a repeated one would be empty. */
  async deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    const body = jsonText(requireObject(input), true);
    return libraryNames(await this.#calls.json({ method: "POST", path: "/v1/events/delete", body, retry: "ifUndone" })) as DeletionReceipt;
  }

  async deleteProject(name: string): Promise<DeletionReceipt> {
    if (typeof name !== "string" || name === "" || !name.isWellFormed()) throw parameterError("invalid_parameter", "name", `expected the name of a project, got ${shown(name)}`);
    return libraryNames(await this.#calls.json({ method: "DELETE", path: `/v1/projects/${encodeURIComponent(name)}`, retry: "ifUndone" })) as DeletionReceipt;
  }

  async projects(): Promise<readonly string[]> {
    const { projects } = (await this.#get("/v1/projects")) as { projects: readonly string[] };
    return projects;
  }

  async stats(): Promise<DaybookStats> {
    return libraryNames(await this.#get("/v1/stats")) as DaybookStats;
  }

  async health(): ReturnType<DaybookClient["health"]> {
    const answer = await this.#calls.json({ method: "GET", path: "/healthz", retry: "always", expectedStatuses: [503] });
    return (answer as { status: Awaited<ReturnType<DaybookClient["health"]>> }).status;
  }

  async *exportEvents(input?: ExportInput, options?: ExportOptions): AsyncGenerator<ExportedEvent> {
    const query = queryOf(input);
    yield* this.#pages<ExportedEvent>("/v1/exports/events", query, ({ createdAt, id, project }) => ({ createdAt, id, project }), readExportOptions(options));
  }

  async *exportDeletions(input: ExportDeletionsInput, options?: StopOptions): AsyncGenerator<ExportedDeletion> {
    const { signal } = readStopOptions(options);
    const call = { method: "POST", path: "/v1/exports/deletions", body: jsonText(requireObject(input), false), retry: "always", signal } as const;
    for (const line of (await this.#calls.lines(call)).lines) yield JSON.parse(line) as ExportedDeletion;
  }

  async *exportRecords(options: StopOptions | null = {}): AsyncGenerator<StoredRecord> {
    yield* this.#pages<StoredRecord>("/v1/exports/records", {}, afterRecord, readStopOptions(options));
  }

  close(): Promise<void> {
    this.#closing ??= this.#tracking.isEmpty ? this.#calls.close() : this.#tracking.flush().finally(() => this.#calls.close());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #refuseClosed(): void {
    if (this.#closing !== null) throw closed();
  }

  protected run(report: ReportName, input: unknown, options?: QueryOptions): Promise<unknown> {
    return this.#query(report, "", input, options);
  }

  /** The server takes and returns the library's names on these routes. */
  async #query(report: ReportName, query: string, input: unknown, options?: QueryOptions): Promise<unknown> {
    if (typeof report !== "string" || !/^\w+$/.test(report)) throw parameterError("invalid_parameter", "report", `expected the name of a query, got ${shown(report)}`);
    checkQueryOptions(options, KNOWN_OPTIONS);
    const body = jsonText(queryOf(input), false);
    const call = { method: "POST", path: `/v1/query/${report}${query}`, body, retry: "always", signal: options?.signal } as const;
    const { answer, notices } = (await this.#calls.json(call)) as QueryAnswer;
    if (options?.onNotice !== undefined && notices !== undefined) notifyEach(options.onNotice, notices);
    return answer;
  }

  #get(path: string): Promise<unknown> {
    return this.#calls.json({ method: "GET", path, retry: "always" });
  }

  /** Reads pages until one is empty; each page starts after the last item of the previous one. */
  async *#pages<T>(path: string, query: object, after: (last: T) => object, { signal, onSequence }: ExportOptions): AsyncGenerator<T> {
    let own = query;
    for (let position: object | null = null; ; ) {
      const body = jsonText(position === null ? own : { ...own, after: position }, false);
      const { lines, sequence } = await this.#calls.lines({ method: "POST", path, body, retry: "always", signal });
      // Later pages read other snapshots, and must stop where the first one did.
      if (sequence !== null) own = { ...own, upToSequence: Number(sequence) };
      if (sequence !== null && position === null) onSequence?.(Number(sequence));
      const items = lines.map((line) => JSON.parse(line) as T);
      yield* items;
      const last = items.at(-1);
      if (last === undefined) return;
      position = after(last);
    }
  }
}

function afterRecord(record: StoredRecord): object {
  if (record.type === "project") return { type: record.type, name: record.name };
  const { type, createdAt } = record;
  return { type, createdAt, id: type === "unlink" ? record.linkId : record.id };
}

/** Members that require the open store: files, threads, keys, synchronous state, scopes, and deletion by public key. */
type LocalOnly =
  | "exportArrow" | "exportParquet" | "recordBatches" | "backup" | "deleteEventsOfKey" | "changes"
  | "scoped" | "verifyScopeToken" | "rotateSigningKey" | "seal" | "health" | "currency" | "projects";

/**
 * A Daybook in another process, over HTTP: the same queries, answers and errors. Retries never store a write twice.
 * Additional errors: those of tokens, `unreachable` if no Daybook server responds, and `closed`.
 */
export interface DaybookClient extends Omit<Daybook, LocalOnly | "close"> {
  /**
   * Like `ingest` of a Daybook, in chunks of a million characters. If a response is lost, the events are resent, and those already stored count
   * as `duplicates`: `accepted` may be 0 although all of them are new and stored.
   * @throws what `ingest` of a Daybook throws; unreachable, and the errors of tokens
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  /** As `signScope` of a Daybook, for the organization of the client's token, which must be an owner's or admin's with all scopes. */
  signScope(scope: Scope, options: Omit<SignScopeOptions, "organization">): Promise<string>;
  /** Names of the projects that the token may read, ordered by code point. */
  projects(): Promise<readonly string[]>;
  /** `ok` while every open organization of the server can be read and written. Requires no scope. */
  health(): Promise<"ok" | "read_only" | "unreachable" | "closed">;
  /**
   * Flushes the queue of `track`, which takes at most `track.giveUpAfterMs` and one request longer. Then rejects all calls in flight with `closed`;
   * the server keeps running. @throws what `flush` throws
   */
  close(): Promise<void>;
}
