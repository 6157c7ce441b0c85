import { shown } from "../core/base/errors.js";
import type { EventInput } from "../core/schema/event.js";

/**
 * Validates the metadata of one kind of event: an object schema of zod 4, or of any library that implements the Standard Schema
 * (https://standardschema.dev).
 */
export interface EventShape<Metadata extends object = object> {
  readonly "~standard": {
    readonly validate: (value: unknown) => ShapeResult | PromiseLike<ShapeResult>;
    readonly types?: { readonly input: Metadata; readonly output: unknown } | undefined;
  };
}

/** Result of a validation: no issues, or what is wrong and where. */
export interface ShapeResult {
  readonly issues?: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] | undefined;
}

/** Shapes of metadata by event name. */
export type EventShapes = Readonly<Record<string, EventShape>>;

/** The metadata type that a shape accepts. */
export type MetadataOf<Shape extends EventShape> = NonNullable<Shape["~standard"]["types"]>["input"];

/** An event that fails its shape. */
export interface EventFlaw {
  /** Index in the batch. */
  readonly index: number;
  readonly event: EventInput;
  /** What was expected, and where: `metadata.plan: …`. */
  readonly message: string;
}

/** The events that fail their shapes, in order. Values that are no events are left to `ingest`. Cost: one validation per event. */
export async function flawsOf(events: readonly EventInput[], shapes: EventShapes): Promise<readonly EventFlaw[]> {
  const flaws: EventFlaw[] = [];
  for (const [index, event] of events.entries()) {
    const found = typeof (event as EventInput | null)?.name === "string" ? messageOf(event, shapes) : null;
    // Most schemas are synchronous, and awaiting each result would yield once per event.
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
