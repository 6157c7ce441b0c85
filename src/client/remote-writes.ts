import { projectOfIngest, type IngestOptions, type KnownOptions } from "../core/base/options.js";
import { DaybookError, ERROR_CODES, parameterError, shown, type ErrorCode } from "../core/base/errors.js";
import { uuidOfText, uuidText, writeUuidV7 } from "../core/base/uuid.js";
import type { Daybook } from "../engine/daybook.js";
import type { AdjustedEvent, EventInput, IngestResult, RejectedEvent } from "../core/schema/event.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput } from "../core/schema/record.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";
import { numericIdFault } from "../core/base/json-text.js";
import { pooledRandom } from "../core/base/random.js";
import type { Calls } from "./calls.js";
import { jsonText } from "./json-text.js";

const random = pooledRandom();

/** A new id for an item, so that it is stored once even if it is resent. */
function newId(nowMs: number): string {
  const bytes = new Uint8Array(16);
  writeUuidV7(nowMs, random, bytes, 0);
  return uuidText(bytes);
}

/** Whether the id of an event or record is missing. */
function lacksId(id: unknown): boolean {
  return id === undefined || id === null || id === "";
}

/** The items of a batch that one request takes. */
interface Piece {
  /** JSON text of the list. */
  readonly text: string;
  /** Index of each item in the batch. */
  readonly places: readonly number[];
}

/** Rules for the items of a batch. */
interface ItemRule {
  /** Error code of an item that cannot be sent. */
  readonly code: ErrorCode;
  /** Whether an item may have an id, so that it is stored once. */
  readonly takesId: (item: object) => boolean;
}

const EVENT_RULE: ItemRule = { code: "invalid_event", takesId: () => true };
/** A project is identified by its name, an unlink by the id of its record. */
const RECORD_RULE: ItemRule = {
  code: "invalid_parameter",
  takesId: (item) => ["identify", "group", "alias"].includes((item as { type?: string }).type ?? ""),
};

/**
 * Splits a batch into requests of limited size; each item gets an id, so that it is stored once however often it is sent.
 * Items that cannot be sent go to `rejected`.
 */
function* piecesOf(items: readonly unknown[], rule: ItemRule, nowMs: () => number, rejected: RejectedEvent[]): Generator<Piece> {
  let texts: string[] = [];
  let places: number[] = [];
  let charCount = 0;
  for (const [index, item] of items.entries()) {
    const text = textOf(item, rule, nowMs);
    if (text instanceof DaybookError) {
      rejected.push({ index, code: rule.code, message: text.message });
      continue;
    }
    if ((charCount + text.length > SERVER_LIMITS.clientPieceChars && texts.length > 0) || texts.length === SERVER_LIMITS.bodyItemCount) {
      yield { text: `[${texts.join(",")}]`, places };
      [texts, places, charCount] = [[], [], 0];
    }
    texts.push(text);
    places.push(index);
    charCount += text.length + 1;
  }
  if (texts.length > 0) yield { text: `[${texts.join(",")}]`, places };
}

/** A value that is no object is sent unchanged, so that the server reports it. */
function textOf(item: unknown, { takesId }: ItemRule, nowMs: () => number): string | DaybookError {
  try {
    const isObject = typeof item === "object" && item !== null && !Array.isArray(item);
    for (const [name, value] of Object.entries(item ?? {})) {
      const fault = numericIdFault(name, value);
      if (fault !== null) throw parameterError("invalid_event", name.replace("_id", "Id"), fault);
    }
    const needsId = isObject && lacksId((item as { id?: unknown }).id) && takesId(item);
    const whole = needsId ? { ...item, id: newId(nowMs()) } : item;
    const text = jsonText(whole, true);
    if (text.length <= SERVER_LIMITS.clientEventChars) return text;
    return new DaybookError("invalid_event", `expected at most ${SERVER_LIMITS.clientEventChars} characters of JSON, got ${text.length}`);
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}

const KNOWN: KnownOptions<IngestOptions> = { project: true };

/** All writes of a Daybook. Each item gets an id, so that it is stored once even if it is resent. */
export class RemoteWrites implements Pick<Daybook, "ingest" | "ingestRecords" | "identify" | "group" | "alias" | "unlink" | "createProject"> {
  readonly #calls: Calls;
  readonly #nowMs: () => number;

  constructor(calls: Calls, nowMs: () => number) {
    this.#calls = calls;
    this.#nowMs = nowMs;
  }

  async ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult> {
    refuseNoArray(events, "events");
    const project = projectOfIngest(options, KNOWN);
    return await this.#store(`/v1/events${project === null ? "" : `?project=${encodeURIComponent(project.toWellFormed())}`}`, events, EVENT_RULE);
  }

  async ingestRecords(records: readonly RecordInput[]): Promise<IngestResult> {
    refuseNoArray(records, "records");
    return await this.#store("/v1/records", records, RECORD_RULE);
  }

  identify(input: IdentifyInput): Promise<LinkResult> {
    return this.#tell("identify", input);
  }

  group(input: GroupInput): Promise<LinkResult> {
    return this.#tell("group", input);
  }

  alias(input: AliasInput): Promise<LinkResult> {
    return this.#tell("alias", input);
  }

  async unlink(linkId: string): Promise<void> {
    if (typeof linkId !== "string" || !/^[\w-]{1,100}$/.test(linkId)) throw parameterError("invalid_parameter", "linkId", `expected the linkId of a record, got ${shown(linkId)}`);
    await this.#calls.json({ method: "POST", path: `/v1/records/${linkId}/unlink`, body: "{}", again: "always" });
  }

  async createProject(name: string): Promise<void> {
    await this.#record({ type: "project", name });
  }

  async #tell(type: "identify" | "group" | "alias", input: object): Promise<LinkResult> {
    if (Object.prototype.toString.call(input) !== "[object Object]") throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(input)}`);
    const { id: given } = input as { id?: unknown };
    const id = lacksId(given) ? newId(this.#nowMs()) : given;
    // `type` is not a member of these inputs.
    if ("type" in input) throw parameterError("unknown_parameter", "type", "unknown");
    const adjusted = await this.#record({ ...input, type, id });
    const linkId = uuidOfText(id as string);
    return adjusted === undefined ? { linkId } : { linkId, adjusted: { createdAt: adjusted.createdAt } };
  }

  /** Resolves with the adjusted time, if it was adjusted. */
  async #record(record: object): Promise<AdjustedEvent | undefined> {
    const { rejected, adjusted } = await this.ingestRecords([record as RecordInput]);
    const [fault] = rejected;
    if (fault !== undefined) throw errorOf(fault);
    return adjusted[0];
  }

  /** Sends one piece after the other, because of two items with one id the first counts. */
  async #store(path: string, items: readonly unknown[], rule: ItemRule): Promise<IngestResult> {
    const rejected: RejectedEvent[] = [];
    const adjusted: AdjustedEvent[] = [];
    let [accepted, duplicates, unnamedCount] = [0, 0, 0];
    for (const { text, places } of piecesOf(items.slice(), rule, this.#nowMs, rejected)) {
      const stored = await this.#storePiece(path, text, accepted + duplicates);
      accepted += stored.accepted;
      duplicates += stored.duplicates;
      unnamedCount += (stored.rejectedCount ?? stored.rejected.length) - stored.rejected.length;
      for (const each of stored.rejected) rejected.push({ ...each, index: places[each.index] ?? each.index });
      for (const each of stored.adjusted) adjusted.push({ ...each, index: places[each.index] ?? each.index });
    }
    const named = { rejected: rejected.sort((a, b) => a.index - b.index), ...(unnamedCount === 0 ? {} : { rejectedCount: rejected.length + unnamedCount }) };
    return { accepted, duplicates, ...named, adjusted };
  }

  /** @throws what the server reports; `details.storedCount` is the number of items of the batch stored before */
  async #storePiece(path: string, body: string, storedCount: number): Promise<IngestResult> {
    try {
      return (await this.#calls.json({ method: "POST", path, body, again: "always" })) as IngestResult;
    } catch (error) {
      if (!(error instanceof DaybookError) || storedCount === 0) throw error;
      throw new DaybookError(error.code, error.message, { ...error.details, storedCount }, { cause: error.cause });
    }
  }
}

function refuseNoArray(value: unknown, param: string): void {
  if (!Array.isArray(value)) throw parameterError("invalid_parameter", param, `expected an array, got ${shown(value)}`);
}

/** The error that the library throws for what a batch rejects. */
function errorOf({ code, message }: RejectedEvent): DaybookError {
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : "invalid_parameter";
  const [, param, reason] = /^([A-Za-z][\w.[\]]*): ([^]*)$/.exec(message) ?? [];
  return new DaybookError(known, message, param === undefined || reason === undefined ? {} : { param, reason });
}
