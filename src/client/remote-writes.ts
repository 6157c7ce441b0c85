import { readIngestOptions, THROWS_REJECTED, TRACKED, type IngestOptions, type TrackedOption } from "../core/base/options.js";
import { DaybookError, parameterError, shown, type ErrorCode } from "../core/base/errors.js";
import { newUuidText, pooledRandom, uuidOfText } from "../core/base/uuid.js";
import type { Daybook } from "../engine/daybook.js";
import type { AdjustedEvent, EventInput, IngestResult, RejectedEvent } from "../core/schema/event.js";
import { errorOfRejection, rejectionError } from "../core/schema/rejections.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput } from "../core/schema/record.js";
import { QueryMethods } from "../query/queries.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";
import { numericIdFault } from "../core/base/json-text.js";
import type { Calls, RouteCall } from "./calls.js";
import { jsonText } from "./json-text.js";
import { isPathPart, requireObject } from "./query-of.js";

export const randomBytes = pooledRandom();

/** A new id, which keeps a resent item from being stored twice. */
function newId(nowMs: number): string {
  return newUuidText(nowMs, randomBytes);
}

function hasNoId(id: unknown): boolean {
  return id === undefined || id === null || id === "";
}

interface Chunk {
  readonly text: string;
  readonly indexes: readonly number[];
}

interface ItemRule {
  readonly code: ErrorCode;
  readonly acceptsId: (item: object) => boolean;
}

const EVENT_RULE: ItemRule = { code: "invalid_event", acceptsId: () => true };
/** A project is identified by its name, an unlink by the id of its record. */
const RECORD_RULE: ItemRule = {
  code: "invalid_parameter",
  acceptsId: (item) => ["identify", "group", "alias"].includes((item as { type?: string }).type ?? ""),
};

/** Requests of limited size; each item has an id, so that a resent one is not stored twice. Items that cannot be sent go to `rejected`. */
function* chunksOf(items: readonly unknown[], rule: ItemRule, nowMs: () => number, rejected: RejectedEvent[]): Generator<Chunk> {
  let texts: string[] = [];
  let indexes: number[] = [];
  let charCount = 0;
  for (const [index, item] of items.entries()) {
    const text = itemText(item, rule, nowMs);
    if (text instanceof DaybookError) {
      rejected.push({ index, code: rule.code, message: text.message });
      continue;
    }
    if ((charCount + text.length > SERVER_LIMITS.clientPieceChars && texts.length > 0) || texts.length === SERVER_LIMITS.bodyItemCount) {
      yield { text: `[${texts.join(",")}]`, indexes };
      [texts, indexes, charCount] = [[], [], 0];
    }
    texts.push(text);
    indexes.push(index);
    charCount += text.length + 1;
  }
  if (texts.length > 0) yield { text: `[${texts.join(",")}]`, indexes };
}

/** A value that is not an object is sent unchanged: the server rejects it. */
function itemText(item: unknown, { acceptsId }: ItemRule, nowMs: () => number): string | DaybookError {
  try {
    const isObject = typeof item === "object" && item !== null && !Array.isArray(item);
    for (const [name, value] of Object.entries(item ?? {})) {
      const fault = numericIdFault(name, value);
      if (fault !== null) throw parameterError("invalid_event", name.replace("_id", "Id"), fault);
    }
    const needsId = isObject && hasNoId((item as { id?: unknown }).id) && acceptsId(item);
    const complete = needsId ? { ...item, id: newId(nowMs()) } : item;
    const text = jsonText(complete, true);
    if (text.length <= SERVER_LIMITS.clientEventChars) return text;
    return new DaybookError("invalid_event", `expected at most ${SERVER_LIMITS.clientEventChars} characters of JSON, got ${text.length}`);
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}

/** All writes of a Daybook. Each item gets an id, so that a resent item is not stored twice. */
export abstract class RemoteWrites
  extends QueryMethods
  implements Pick<Daybook, "ingest" | "ingestRecords" | "identify" | "group" | "alias" | "unlink" | "createProject">
{
  readonly #calls: Calls;
  readonly #nowMs: () => number;
  readonly [THROWS_REJECTED]: boolean;

  constructor(calls: Calls, nowMs: () => number, throwsRejected: boolean) {
    super();
    this.#calls = calls;
    this.#nowMs = nowMs;
    this[THROWS_REJECTED] = throwsRejected;
  }

  async ingest(events: readonly EventInput[], options?: IngestOptions & TrackedOption): Promise<IngestResult> {
    requireArray(events, "events");
    const { project, throwsRejected } = readIngestOptions(options, this[THROWS_REJECTED]);
    const path = `/v1/events${project === null ? "" : `?project=${encodeURIComponent(project.toWellFormed())}`}`;
    const result = await this.#store(path, events, EVENT_RULE, options?.[TRACKED] === true ? { attempts: 1, gzip: true } : {});
    const [first] = result.rejected;
    if (throwsRejected && first !== undefined) throw rejectionError(first, result);
    return result;
  }

  async ingestRecords(records: readonly RecordInput[]): Promise<IngestResult> {
    requireArray(records, "records");
    return await this.#store("/v1/records", records, RECORD_RULE, {});
  }

  identify(input: IdentifyInput): Promise<LinkResult> {
    return this.#link("identify", input);
  }

  group(input: GroupInput): Promise<LinkResult> {
    return this.#link("group", input);
  }

  alias(input: AliasInput): Promise<LinkResult> {
    return this.#link("alias", input);
  }

  async unlink(linkId: string): Promise<void> {
    if (!isPathPart(linkId)) throw parameterError("invalid_parameter", "linkId", `expected the linkId of a record, got ${shown(linkId)}`);
    await this.#calls.json({ method: "POST", path: `/v1/records/${linkId}/unlink`, body: "{}", retry: "always" });
  }

  async createProject(name: string): Promise<void> {
    await this.#record({ type: "project", name });
  }

  async #link(type: "identify" | "group" | "alias", input: object): Promise<LinkResult> {
    const { id: givenId } = requireObject(input);
    const id = hasNoId(givenId) ? newId(this.#nowMs()) : givenId;
    // `type` is not a member of these inputs.
    if ("type" in input) throw parameterError("unknown_parameter", "type", "unknown");
    const adjusted = await this.#record({ ...input, type, id });
    const linkId = uuidOfText(id as string);
    return adjusted === undefined ? { linkId } : { linkId, adjusted: { createdAt: adjusted.createdAt } };
  }

  async #record(record: object): Promise<AdjustedEvent | undefined> {
    const { rejected, adjusted } = await this.ingestRecords([record as RecordInput]);
    const [rejection] = rejected;
    if (rejection !== undefined) throw errorOfRejection(rejection);
    return adjusted[0];
  }

  /** Sends the chunks in order: of two items with the same id, the first one counts. */
  async #store(path: string, items: readonly unknown[], rule: ItemRule, retrying: Pick<RouteCall, "attempts" | "gzip">): Promise<IngestResult> {
    const rejected: RejectedEvent[] = [];
    const adjusted: AdjustedEvent[] = [];
    let [accepted, duplicates, unlistedCount] = [0, 0, 0];
    for (const { text, indexes } of chunksOf(items.slice(), rule, this.#nowMs, rejected)) {
      const stored = await this.#storeChunk({ method: "POST", path, body: text, retry: "always", ...retrying }, accepted + duplicates);
      accepted += stored.accepted;
      duplicates += stored.duplicates;
      unlistedCount += (stored.rejectedCount ?? stored.rejected.length) - stored.rejected.length;
      for (const item of stored.rejected) rejected.push({ ...item, index: indexes[item.index] ?? item.index });
      for (const item of stored.adjusted) adjusted.push({ ...item, index: indexes[item.index] ?? item.index });
    }
    const rejections = { rejected: rejected.sort((a, b) => a.index - b.index), ...(unlistedCount === 0 ? {} : { rejectedCount: rejected.length + unlistedCount }) };
    return { accepted, duplicates, ...rejections, adjusted };
  }

  /** @throws what the server reports; `details.storedCount` is the number of items of the batch stored before */
  async #storeChunk(call: RouteCall, storedCount: number): Promise<IngestResult> {
    try {
      return (await this.#calls.json(call)) as IngestResult;
    } catch (error) {
      if (!(error instanceof DaybookError) || storedCount === 0) throw error;
      throw new DaybookError(error.code, error.message, { ...error.details, storedCount }, { cause: error.cause });
    }
  }
}

function requireArray(value: unknown, param: string): void {
  if (!Array.isArray(value)) throw parameterError("invalid_parameter", param, `expected an array, got ${shown(value)}`);
}
