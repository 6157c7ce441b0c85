import { shown } from "../base/errors.js";
import type { EventInput } from "../schema/event.js";
import type { EventShapes, ShapeResult } from "./event-shapes.js";

/** An event that is not what its name promises. */
export interface EventFlaw {
  /** Position in the batch, from 0. */
  readonly index: number;
  readonly event: EventInput;
  /** What was expected, and where: `metadata.plan: …`. */
  readonly message: string;
}

/** The events that do not pass, in order. What is no event at all is left to `ingest`. Cost: a look at each event by its shape. */
export async function flawsOf(events: readonly EventInput[], shapes: EventShapes): Promise<readonly EventFlaw[]> {
  const flaws: EventFlaw[] = [];
  for (const [index, event] of events.entries()) {
    const found = typeof (event as EventInput | null)?.name === "string" ? messageOf(event, shapes) : null;
    // Most schemas answer at once: who waits for each would give a turn away for each.
    const message = typeof found === "object" && found !== null ? await found : found;
    if (message !== null) flaws.push({ index, event, message });
  }
  return flaws;
}

function messageOf({ name, metadata }: EventInput, shapes: EventShapes): string | null | PromiseLike<string | null> {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (shape === undefined) return `name: expected one of ${Object.keys(shapes).join(", ")}, got ${shown(name)}`;
  const result = shape["~standard"].validate(metadata ?? {});
  return "then" in result ? result.then(textOf) : textOf(result);
}

function textOf({ issues = [] }: ShapeResult): string | null {
  const texts = issues.map(({ message, path = [] }) => `${["metadata", ...path.map(keyText)].join(".")}: ${message}`);
  return texts.length === 0 ? null : texts.join("; ");
}

function keyText(key: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof key === "object" ? key.key : key);
}
