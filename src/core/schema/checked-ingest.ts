import { shown } from "../base/errors.js";
import { readIngestOptions, THROWS_REJECTED, type IngestOptions } from "../base/options.js";
import { notifyEach } from "../base/promises.js";
import type { EventInput, IngestResult } from "./event.js";
import { rejectionError } from "./rejections.js";
import type { EventFlaw, EventShapes, ShapeResult } from "./event-shape.js";

interface CheckedEvent {
  /** With the metadata that its schema made; as it came if it has a flaw, or is no event. */
  readonly event: EventInput;
  /** What was expected, and where; null: it passed, or is left to `ingest`. */
  readonly message: string | null;
}

interface IngestingDaybook {
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  readonly [THROWS_REJECTED]?: boolean;
}

/**
 * Stores events with the metadata that their schemas made. Cost: one validation per event.
 * @param onFlaw gets events that fail their schemas, which are stored as they came; null: they are rejected
 * @throws what `ingest` throws
 */
export async function ingestChecked(
  daybook: IngestingDaybook,
  shapes: EventShapes,
  onFlaw: ((flaw: EventFlaw) => unknown) | null,
  events: readonly EventInput[],
  options?: IngestOptions,
): Promise<IngestResult> {
  if (!Array.isArray(events)) return daybook.ingest(events, options);
  const checked = await checkAll(events as readonly EventInput[], shapes);
  const flaws = checked.flatMap(({ event, message }, index) => (message === null ? [] : [{ index, event, message }]));
  if (onFlaw !== null) notifyEach(onFlaw, flaws);
  if (onFlaw !== null || flaws.length === 0) return daybook.ingest(checked.map(({ event }) => event), options);
  const { throwsRejected } = readIngestOptions(options, daybook[THROWS_REJECTED] === true);
  const passed = checked.flatMap(({ event, message }, index) => (message === null ? [{ event, index }] : []));
  const result = withFlaws(await daybook.ingest(passed.map(({ event }) => event), { ...options, onRejected: "list" }), flaws, passed.map(({ index }) => index));
  const [first] = result.rejected;
  if (throwsRejected && first !== undefined) throw rejectionError(first, result);
  return result;
}

/** The result of the whole batch. @param places of the events that were ingested */
function withFlaws(result: IngestResult, flaws: readonly EventFlaw[], places: readonly number[]): IngestResult {
  const placed = <Of extends { readonly index: number }>(all: readonly Of[]) => all.map((each) => ({ ...each, index: places[each.index] ?? each.index }));
  const own = flaws.map(({ index, message }) => ({ index, code: "invalid_event" as const, message }));
  const rejectedCount = result.rejectedCount === undefined ? {} : { rejectedCount: result.rejectedCount + own.length };
  const rejected = [...placed(result.rejected), ...own].sort((a, b) => a.index - b.index);
  return { ...result, ...rejectedCount, rejected, adjusted: placed(result.adjusted) };
}

async function checkAll(events: readonly EventInput[], shapes: EventShapes): Promise<readonly CheckedEvent[]> {
  const checked: CheckedEvent[] = [];
  for (const event of [...events]) {
    const one = check(event, shapes);
    // Most schemas are synchronous, and awaiting each result would yield once per event.
    checked.push("then" in one ? await one : one);
  }
  return checked;
}

function check(event: EventInput, shapes: EventShapes): CheckedEvent | PromiseLike<CheckedEvent> {
  // Values that are no events are left to `ingest`.
  if (typeof (event as EventInput | null)?.name !== "string") return { event, message: null };
  const { name, metadata } = event;
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (shape === undefined) return { event, message: `name: expected one of ${Object.keys(shapes).join(", ")}, got ${shown(name)}` };
  const result = shape["~standard"].validate(metadata ?? {});
  return "then" in result ? result.then((settled) => checkedEvent(event, settled)) : checkedEvent(event, result);
}

function checkedEvent(event: EventInput, { issues = [], value }: ShapeResult): CheckedEvent {
  const texts = issues.map(({ message, path = [] }) => `${["metadata", ...path.map(keyText)].join(".")}: ${message}`);
  if (texts.length > 0) return { event, message: texts.join("; ") };
  return { event: value === undefined ? event : { ...event, metadata: value as object }, message: null };
}

function keyText(key: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof key === "object" ? key.key : key);
}
