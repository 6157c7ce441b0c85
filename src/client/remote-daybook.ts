import type { Segments } from "../engine/question/saved-segments.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import type { ExportInput } from "../plan/input.js";
import type { ExportedEvent } from "../schema/exported-event.js";
import type { DeleteEventsInput, DeletionReceipt } from "../engine/upkeep/deletions.js";
import type { PrivacyRequests } from "../engine/privacy/requests.js";
import type { TimeToLive } from "../engine/upkeep/time-to-live.js";
import { readStopOptions } from "../base/stop-options.js";
import type { StopOptions } from "../base/stop-options.js";
import type { StoredRecord } from "../schema/record.js";
import { Calls } from "./calls.js";
import type { DaybookClient } from "./daybook-client.js";
import { RemoteDeletions, RemoteTimeToLive } from "./deletions.js";
import { jsonText } from "./json-text.js";
import type { Machine } from "./machine.js";
import { libraryNames } from "./names.js";
import type { Connection } from "./options.js";
import { RemotePrivacyRequests } from "./privacy-requests.js";
import { questionOf } from "./question-of.js";
import { RemoteQuestions } from "./remote-questions.js";
import { RemoteSegments } from "./saved-segments.js";
import { RemoteWrites } from "./remote-writes.js";

/** The wiring of one connection. What it knows of the token is in private fields: it shows nowhere. */
export class RemoteDaybook extends RemoteQuestions implements DaybookClient {
  readonly #calls: Calls;
  readonly #writes: RemoteWrites;
  readonly #segments: RemoteSegments;
  readonly #privacyRequests: RemotePrivacyRequests;
  readonly #deletions: RemoteDeletions;
  readonly #timeToLive: RemoteTimeToLive;

  constructor(connection: Connection, machine: Machine) {
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
    const question = questionOf(input);
    yield* this.#pages<ExportedEvent>("/v1/exports/events", question, ({ createdAt, id, project }) => ({ createdAt, id, project }), readStopOptions(options));
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

  /** Page by page until one is empty: each begins after the last item of the one before. */
  async *#pages<T>(path: string, question: object, after: (last: T) => object, { signal }: StopOptions): AsyncGenerator<T> {
    for (let position: object | null = null; ; ) {
      const body = jsonText(position === null ? question : { ...question, after: position }, false);
      const lines = await this.#calls.lines({ method: "POST", path, body, again: "always", signal });
      const items = lines.map((line) => JSON.parse(line) as T);
      yield* items;
      const last = items.at(-1);
      if (last === undefined) return;
      position = after(last);
    }
  }
}

/** Of a record, what its place goes by. */
function afterRecord(record: StoredRecord): object {
  if (record.type === "project") return { type: record.type, name: record.name };
  const { type, createdAt } = record;
  return { type, createdAt, id: type === "unlink" ? record.linkId : record.id };
}
