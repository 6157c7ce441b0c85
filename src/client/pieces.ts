import { DaybookError, parameterError } from "../base/errors.js";
import type { ErrorCode } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { numericIdFault } from "../base/numeric-id.js";
import type { RejectedEvent } from "../schema/event.js";
import { lacksId, newId } from "./ids.js";
import { jsonText } from "./json-text.js";

/** As many items of a batch as one request takes. */
export interface Piece {
  /** JSON text of the list. */
  readonly text: string;
  /** Place in the batch of each item. */
  readonly places: readonly number[];
}

/** What holds for the items of a batch. */
export interface ItemRule {
  /** Of what cannot be sent. */
  readonly code: ErrorCode;
  /** Whether an item may have an id: by that it is stored once. */
  readonly takesId: (item: object) => boolean;
}

export const EVENT_RULE: ItemRule = { code: "invalid_event", takesId: () => true };
/** Projects are known by their names, what takes a record back by that record's id. */
export const RECORD_RULE: ItemRule = {
  code: "invalid_parameter",
  takesId: (item) => ["identify", "group", "alias"].includes((item as { type?: string }).type ?? ""),
};

/**
 * The items of a batch in requests of some size, each item with an id, so that it is stored once however often it is sent.
 * What cannot be sent goes to `rejected`.
 */
export function* piecesOf(items: readonly unknown[], rule: ItemRule, nowMs: () => number, rejected: RejectedEvent[]): Generator<Piece> {
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

/** What is no object goes as it is, to be rejected in the server's words. */
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
