import { shown } from "../../core/base/errors.js";
import { notifyEach } from "../../core/base/promises.js";
import { isFieldName } from "../../query/plan/field-names.js";
import { namedFieldsOf } from "../../query/plan/filters/field-operand.js";
import type { Operand } from "../../query/plan/plan.js";
import type { Plan, QueryNotice } from "../../query/queries.js";
import type { IngestResult } from "../../core/schema/event.js";

/** A hint at something that is no error, but probably not intended. */
export type Notice = QueryNotice | IngestNotice;

/** A notice about a call that stores data. */
export interface IngestNotice {
  /** `adjusted`: times more than five minutes ahead of the clock became the time of receipt. */
  readonly code: "adjusted";
  /** A sentence for people. */
  readonly message: string;
  /** The first of these times: `events[2].createdAt`, `records[0].createdAt`, or `createdAt` of a call with one. */
  readonly param: string;
  /** How many events or records were adjusted. */
  readonly count: number;
}

/** Notices about a call that stored data. @param list the parameter with its events or records; null if it took one */
export function ingestNoticesOf(list: "events" | "records" | null, adjusted: IngestResult["adjusted"]): IngestNotice[] {
  const [first] = adjusted;
  if (first === undefined) return [];
  const param = list === null ? "createdAt" : `${list}[${first.index}].createdAt`;
  const others = adjusted.length === 1 ? "" : ` (and ${adjusted.length - 1} more)`;
  const message = `${param}${others}: more than 5 minutes ahead of the clock, stored with the time of receipt, ${first.createdAt}; futureEvents: "keep" stores times unchanged`;
  return [{ code: "adjusted", message, param, count: adjusted.length }];
}

/** Notices about a query. Cost: one look-up for each field it names. @param hasKey whether any event has a metadata key */
export function noticesOf({ report }: Plan, input: unknown, hasKey: (key: string) => boolean): QueryNotice[] {
  return namedFieldsOf(input).flatMap(({ param, name, operand }) => {
    if (!isUnknown(operand, hasKey)) return [];
    const reason = `not ${operand.kind === "metadataKey" ? "a field or " : ""}a metadata key of any stored event, so it counts as not set`;
    return [{ code: "unknown_field", message: `${param}: ${shown(name)} is ${reason}`, param, name, report }];
  });
}

/** Whether an operand reads metadata that no event has. A path has none if both its literal key and its first key are unknown. */
function isUnknown(operand: Operand, hasKey: (key: string) => boolean): boolean {
  if (operand.kind === "metadataKey") return !isFieldName(operand.key) && !hasKey(operand.key);
  if (operand.kind !== "metadataPath") return false;
  const [root = "", ...rest] = operand.path.split(".");
  return !hasKey(operand.path) && (rest.length === 0 || !hasKey(root));
}

/** Passes notices to the hooks that are set. */
export function reportNotices<N extends Notice>(notices: readonly N[], hooks: readonly (((notice: N) => unknown) | undefined)[]): void {
  for (const hook of hooks) if (hook !== undefined) notifyEach(hook, notices);
}
