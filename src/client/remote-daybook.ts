import type { Segments, SavedSegment } from "../engine/query/saved-segments.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import type { ExportInput } from "../query/plan/input.js";
import type { ExportedEvent, EventInput, IngestResult } from "../core/schema/event.js";
import type { DeleteEventsInput, DeletionReceipt } from "../engine/upkeep/deletions.js";
import type { PrivacyRequests } from "../engine/privacy/requests.js";
import type { TimeToLive, TimeToLivePreview, TimeToLiveRule } from "../engine/upkeep/time-to-live.js";
import { readStopOptions, checkQueryOptions, type StopOptions, type KnownOptions, type IngestOptions } from "../core/base/options.js";
import type { StoredRecord } from "../core/schema/record.js";
import { DaybookError, parameterError, shown } from "../core/base/errors.js";
import type { PeopleSegment } from "../query/plan/insights/input.js";
import { notifyEach } from "../core/base/notify-each.js";
import type { Daybook } from "../engine/daybook.js";
import type { Explanation } from "../engine/query/explain.js";
import type { QueryOptions } from "../engine/query/on-snapshot.js";
import type { QueryNotice } from "../engine/query/notices.js";
import type { ReportName } from "../query/plan/plan.js";
import { Calls } from "./calls.js";
import { jsonText } from "./json-text.js";
import type { Machine, ClientConnection } from "./options.js";
import { libraryNames, camelCase, wireNames, queryOf, segmentOf } from "./query-of.js";
import { RemotePrivacyRequests } from "./privacy-requests.js";
import { RemoteWrites } from "./remote-writes.js";

type Input<K extends ReportName> = Parameters<Daybook[K]>[0];
type RemoteAnswer<K extends ReportName> = ReturnType<Daybook[K]>;

const KNOWN: KnownOptions<QueryOptions> = { signal: true, onNotice: true };

/** Every query of a Daybook as a method; inputs and answers pass through in the names of the library. */
class RemoteQueries implements Pick<Daybook, ReportName | "explain"> {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  countEvents(input?: Input<"countEvents">, options?: QueryOptions): RemoteAnswer<"countEvents"> {
    return this.#ask("countEvents", input, options);
  }

  countEventsPerDay(input?: Input<"countEventsPerDay">, options?: QueryOptions): RemoteAnswer<"countEventsPerDay"> {
    return this.#ask("countEventsPerDay", input, options);
  }

  countEventsRunningTotalPerDay(input?: Input<"countEventsRunningTotalPerDay">, options?: QueryOptions): RemoteAnswer<"countEventsRunningTotalPerDay"> {
    return this.#ask("countEventsRunningTotalPerDay", input, options);
  }

  countUniqueUsers(input?: Input<"countUniqueUsers">, options?: QueryOptions): RemoteAnswer<"countUniqueUsers"> {
    return this.#ask("countUniqueUsers", input, options);
  }

  countUniqueUsersPerDay(input?: Input<"countUniqueUsersPerDay">, options?: QueryOptions): RemoteAnswer<"countUniqueUsersPerDay"> {
    return this.#ask("countUniqueUsersPerDay", input, options);
  }

  aggregate(input: Input<"aggregate">, options?: QueryOptions): RemoteAnswer<"aggregate"> {
    return this.#ask("aggregate", input, options);
  }

  searchEvents(input?: Input<"searchEvents">, options?: QueryOptions): RemoteAnswer<"searchEvents"> {
    return this.#ask("searchEvents", input, options);
  }

  identitySessions(input: Input<"identitySessions">, options?: QueryOptions): RemoteAnswer<"identitySessions"> {
    return this.#ask("identitySessions", input, options);
  }

  identityProfile(input: Input<"identityProfile">, options?: QueryOptions): RemoteAnswer<"identityProfile"> {
    return this.#ask("identityProfile", input, options);
  }

  identityReferrers(input: Input<"identityReferrers">, options?: QueryOptions): RemoteAnswer<"identityReferrers"> {
    return this.#ask("identityReferrers", input, options);
  }

  identityDeviceGeo(input: Input<"identityDeviceGeo">, options?: QueryOptions): RemoteAnswer<"identityDeviceGeo"> {
    return this.#ask("identityDeviceGeo", input, options);
  }

  revenueByAttribution(input: Input<"revenueByAttribution">, options?: QueryOptions): RemoteAnswer<"revenueByAttribution"> {
    return this.#ask("revenueByAttribution", input, options);
  }

  ltvCohorts(input: Input<"ltvCohorts">, options?: QueryOptions): RemoteAnswer<"ltvCohorts"> {
    return this.#ask("ltvCohorts", input, options);
  }

  topCompanies(input?: Input<"topCompanies">, options?: QueryOptions): RemoteAnswer<"topCompanies"> {
    return this.#ask("topCompanies", input, options);
  }

  companyTopUsers(input: Input<"companyTopUsers">, options?: QueryOptions): RemoteAnswer<"companyTopUsers"> {
    return this.#ask("companyTopUsers", input, options);
  }

  trend(input?: Input<"trend">, options?: QueryOptions): RemoteAnswer<"trend"> {
    return this.#ask("trend", input, options);
  }

  funnel(input: Input<"funnel">, options?: QueryOptions): RemoteAnswer<"funnel"> {
    return this.#ask("funnel", input, options);
  }

  retention(input?: Input<"retention">, options?: QueryOptions): RemoteAnswer<"retention"> {
    return this.#ask("retention", input, options);
  }

  lifecycle(input?: Input<"lifecycle">, options?: QueryOptions): RemoteAnswer<"lifecycle"> {
    return this.#ask("lifecycle", input, options);
  }

  stickiness(input?: Input<"stickiness">, options?: QueryOptions): RemoteAnswer<"stickiness"> {
    return this.#ask("stickiness", input, options);
  }

  paths(input?: Input<"paths">, options?: QueryOptions): RemoteAnswer<"paths"> {
    return this.#ask("paths", input, options);
  }

  sessionsOverview(input?: Input<"sessionsOverview">, options?: QueryOptions): RemoteAnswer<"sessionsOverview"> {
    return this.#ask("sessionsOverview", input, options);
  }

  webOverview(input?: Input<"webOverview">, options?: QueryOptions): RemoteAnswer<"webOverview"> {
    return this.#ask("webOverview", input, options);
  }

  async explain(report: ReportName, input?: object): Promise<Explanation> {
    return (await this.#answer(report, "?explain=true", input)) as Explanation;
  }

  // The server's answer has the type of the method's result.
  #ask<K extends ReportName>(report: K, input: unknown, options: QueryOptions | undefined): RemoteAnswer<K> {
    return this.#answer(report, "", input, options) as RemoteAnswer<K>;
  }

  async #answer(report: ReportName, query: string, input: unknown, options?: QueryOptions): Promise<unknown> {
    if (typeof report !== "string" || !/^\w+$/.test(report)) throw parameterError("invalid_parameter", "report", `expected the name of a query, got ${shown(report)}`);
    checkQueryOptions(options, KNOWN);
    const body = jsonText(queryOf(input), false);
    const call = { method: "POST", path: `/v1/query/${report}${query}`, body, again: "always", signal: options?.signal } as const;
    const { answer, notices } = (await this.#calls.json(call)) as QueryAnswer;
    if (options?.onNotice !== undefined && notices !== undefined) notifyEach(options.onNotice, notices);
    return answer;
  }
}

/** The server's answer to a query. */
interface QueryAnswer {
  readonly answer: unknown;
  /** Absent without notices. */
  readonly notices?: readonly QueryNotice[];
}

const RULES = "/v1/time-to-live";

/** Deletions over HTTP. One is resent only if the server reported that it did nothing: the receipt of a repeated one would be empty. */
class RemoteDeletions {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    return libraryNames(await this.#calls.json({ method: "POST", path: "/v1/events/delete", body: jsonText(objectOf(input), true), again: "undone" })) as DeletionReceipt;
  }

  async deleteProject(name: string): Promise<DeletionReceipt> {
    if (typeof name !== "string" || name === "" || !name.isWellFormed()) throw parameterError("invalid_parameter", "name", `expected the name of a project, got ${shown(name)}`);
    return libraryNames(await this.#calls.json({ method: "DELETE", path: `/v1/projects/${encodeURIComponent(name)}`, again: "undone" })) as DeletionReceipt;
  }
}

/** Retention rules over HTTP. */
class RemoteTimeToLive implements TimeToLive {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async set(project: string | null, rule: { readonly days: number }): Promise<void> {
    // Setting a rule twice has the same effect.
    await this.#calls.json({ method: "PUT", path: RULES, body: jsonText({ ...objectOf(rule), project }, false), again: "always" });
  }

  async off(project: string | null): Promise<boolean> {
    const { off } = (await this.#step("off", { project }, "undone")) as { off: boolean };
    return off;
  }

  async list(): Promise<readonly TimeToLiveRule[]> {
    const { rules } = (await this.#calls.json({ method: "GET", path: RULES, again: "always" })) as { rules: readonly TimeToLiveRule[] };
    return rules;
  }

  async preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview> {
    return libraryNames(await this.#step("preview", rule === undefined ? {} : objectOf(rule), "always")) as TimeToLivePreview;
  }

  async sweep(): Promise<DeletionReceipt> {
    return libraryNames(await this.#step("sweep", {}, "undone")) as DeletionReceipt;
  }

  #step(name: string, body: object, again: "always" | "undone"): Promise<unknown> {
    return this.#calls.json({ method: "POST", path: `${RULES}/${name}`, body: jsonText(body, false), again });
  }
}

function objectOf(input: object): object {
  if (Object.prototype.toString.call(input) !== "[object Object]") throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(input)}`);
  return input;
}

const PATH = "/v1/segments";

/** Saved segments over HTTP. */
class RemoteSegments implements Segments {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async put(name: string, segment: PeopleSegment): Promise<SavedSegment> {
    if (Object.prototype.toString.call(segment) !== "[object Object]") throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(segment)}`);
    const body = jsonText(segmentOf(segment, ""), false);
    return libraryNames(await this.#change("PUT", name, JSON.stringify(wireNames(JSON.parse(body))))) as SavedSegment;
  }

  async list(): Promise<readonly SavedSegment[]> {
    const { segments } = (await this.#calls.json({ method: "GET", path: PATH, again: "always" })) as { segments: unknown };
    return libraryNames(segments) as readonly SavedSegment[];
  }

  async delete(name: string): Promise<boolean> {
    const { deleted } = (await this.#change("DELETE", name)) as { deleted: boolean };
    return deleted;
  }

  async #change(method: "PUT" | "DELETE", name: string, body?: string): Promise<unknown> {
    // Other text might lead to another path.
    if (typeof name !== "string" || !/^[\w-]{1,100}$/.test(name)) throw parameterError("invalid_parameter", "name", `expected the name of a segment, got ${shown(name)}`);
    try {
      // A repeated PUT has the same effect; a repeated DELETE would report a missing segment.
      return await this.#calls.json({ method, path: `${PATH}/${name}`, ...(body === undefined ? {} : { body }), again: method === "PUT" ? "always" : "undone" });
    } catch (error) {
      throw error instanceof DaybookError ? inLibraryNames(error) : error;
    }
  }
}

/** Names that differ on the wire; quoted text was sent by the caller and stays unchanged. */
const QUOTED_OR_NAME = /"(?:[^"\\]|\\.)*"|\b(?:event_name|filter_groups|field_name|at_least|at_most|start_date|end_date|last_days)\b/g;

function inLibraryNames({ code, message, details, cause }: DaybookError): DaybookError {
  const { param, reason } = details;
  const named = param === undefined ? undefined : camelCase(param);
  const said = (reason ?? message).replace(QUOTED_OR_NAME, (match) => (match.startsWith('"') ? match : camelCase(match)));
  if (named === undefined || reason === undefined) return new DaybookError(code, said, details, { cause });
  return new DaybookError(code, `${named}: ${said}`, { ...details, param: named, reason: said }, { cause });
}

/** The parts of one connection. The token is in private fields only, so that it is never shown. */
export class RemoteDaybook extends RemoteQueries implements DaybookClient {
  readonly #calls: Calls;
  readonly #writes: RemoteWrites;
  readonly #segments: RemoteSegments;
  readonly #privacyRequests: RemotePrivacyRequests;
  readonly #deletions: RemoteDeletions;
  readonly #timeToLive: RemoteTimeToLive;

  constructor(connection: ClientConnection, machine: Machine) {
    const calls = new Calls(connection, machine);
    super(calls);
    this.#calls = calls;
    this.#writes = new RemoteWrites(calls, () => machine.nowMs());
    this.#segments = new RemoteSegments(calls);
    this.#privacyRequests = new RemotePrivacyRequests(calls);
    this.#deletions = new RemoteDeletions(calls);
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

  deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    return this.#deletions.deleteEvents(input);
  }

  deleteProject(name: string): Promise<DeletionReceipt> {
    return this.#deletions.deleteProject(name);
  }

  ingest(...given: Parameters<RemoteWrites["ingest"]>): ReturnType<RemoteWrites["ingest"]> {
    return this.#writes.ingest(...given);
  }

  ingestRecords(...given: Parameters<RemoteWrites["ingestRecords"]>): ReturnType<RemoteWrites["ingestRecords"]> {
    return this.#writes.ingestRecords(...given);
  }

  identify(...given: Parameters<RemoteWrites["identify"]>): ReturnType<RemoteWrites["identify"]> {
    return this.#writes.identify(...given);
  }

  group(...given: Parameters<RemoteWrites["group"]>): ReturnType<RemoteWrites["group"]> {
    return this.#writes.group(...given);
  }

  alias(...given: Parameters<RemoteWrites["alias"]>): ReturnType<RemoteWrites["alias"]> {
    return this.#writes.alias(...given);
  }

  unlink(linkId: string): Promise<void> {
    return this.#writes.unlink(linkId);
  }

  createProject(name: string): Promise<void> {
    return this.#writes.createProject(name);
  }

  async projects(): Promise<readonly string[]> {
    const { projects } = (await this.#get("/v1/projects")) as { projects: readonly string[] };
    return projects;
  }

  async stats(): Promise<DaybookStats> {
    return libraryNames(await this.#get("/v1/stats")) as DaybookStats;
  }

  async health(): ReturnType<DaybookClient["health"]> {
    const answer = await this.#calls.json({ method: "GET", path: "/healthz", again: "always", answers: [503] });
    return (answer as { status: Awaited<ReturnType<DaybookClient["health"]>> }).status;
  }

  async *exportEvents(input?: ExportInput, options?: StopOptions): AsyncGenerator<ExportedEvent> {
    const query = queryOf(input);
    yield* this.#pages<ExportedEvent>("/v1/exports/events", query, ({ createdAt, id, project }) => ({ createdAt, id, project }), readStopOptions(options));
  }

  async *exportRecords(options: StopOptions | null = {}): AsyncGenerator<StoredRecord> {
    yield* this.#pages<StoredRecord>("/v1/exports/records", {}, afterRecord, readStopOptions(options));
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #get(path: string): Promise<unknown> {
    return this.#calls.json({ method: "GET", path, again: "always" });
  }

  /** Reads page by page until one is empty; each continues after the last item of the previous one. */
  async *#pages<T>(path: string, query: object, after: (last: T) => object, { signal }: StopOptions): AsyncGenerator<T> {
    for (let position: object | null = null; ; ) {
      const body = jsonText(position === null ? query : { ...query, after: position }, false);
      const lines = await this.#calls.lines({ method: "POST", path, body, again: "always", signal });
      const items = lines.map((line) => JSON.parse(line) as T);
      yield* items;
      const last = items.at(-1);
      if (last === undefined) return;
      position = after(last);
    }
  }
}

/** Position of a record in an export. */
function afterRecord(record: StoredRecord): object {
  if (record.type === "project") return { type: record.type, name: record.name };
  const { type, createdAt } = record;
  return { type, createdAt, id: type === "unlink" ? record.linkId : record.id };
}

/** Members that only the process with the open store has: files, threads, synchronous state, and deletion of the events of a key. */
type Local = "exportArrow" | "exportParquet" | "recordBatches" | "backup" | "deleteEventsOfKey" | "changes" | "seal" | "health" | "currency" | "projects";

/**
 * A Daybook in another process: the same queries, answers and errors, each over HTTP. A write is stored once, however often it was sent.
 * Additional errors are those of tokens, `unreachable` if no Daybook answers, and `closed`.
 */
export interface DaybookClient extends Omit<Daybook, Local | "close"> {
  /**
   * As `ingest` of a Daybook, in chunks of a million characters. If an answer was lost and the events were resent, those already stored are
   * counted as `duplicates`, even if they are new: `accepted` may be 0 although all are stored.
   * @throws as it does; unreachable, and errors of tokens
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  /** Names of all projects that the token may read, by code point. */
  projects(): Promise<readonly string[]>;
  /** `ok` while every organization of the server reads and writes. Requires no rights. */
  health(): Promise<"ok" | "read_only" | "unreachable" | "closed">;
  /** Ends all calls under way with `closed`; the server keeps running. */
  close(): Promise<void>;
}
