import { shown, parameterError } from "../core/base/errors.js";
import type { EventInput, IngestResult } from "../core/schema/event.js";
import { rejectUnknownOptions, type IngestOptions } from "../core/base/options.js";
import { notifyEach } from "../core/base/promises.js";
import type { Daybook } from "../engine/daybook.js";
import type { TypedDaybook, TypedMethods, Events } from "./typed-daybook.js";

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

/** What happens to events that fail their shape: they are not checked (default), rejected, or stored and reported. */
export type EventCheck =
  | { readonly check?: "none" | undefined; readonly onFlaw?: undefined }
  | { readonly check: "reject"; readonly onFlaw?: undefined }
  | { readonly check: "report"; readonly onFlaw: (flaw: EventFlaw) => unknown };

/** The events of an application. */
export interface EventDefinition<E extends Events> {
  readonly names: readonly (keyof E & string)[];
  /**
   * The same Daybook, embedded or from `connectDaybook`, with the types of these events. A shape checks the input of `ingest` and never changes it.
   * Cost of a check: one validation per event.
   * @throws invalid_parameter, unknown_parameter (an option)
   */
  bind<D extends Queryable>(daybook: D, options?: EventCheck): TypedDaybook<E, D>;
}

/** The Daybook type of a definition: `DaybookOf<typeof events>`. */
export type DaybookOf<Definition> = Definition extends EventDefinition<infer E> ? TypedDaybook<E> : never;

type Queryable = Pick<Daybook, keyof TypedMethods<Events>>;
type Ingest = Daybook["ingest"];

const OPTIONS = { check: true, onFlaw: true } as const;

/**
 * Declares events and their metadata to the compiler: `defineEvents({ signup: z.object({ plan: z.string() }) })`.
 * @param shapes by event name: object schemas of zod 4, or of another library that implements the Standard Schema
 * @throws invalid_parameter (a shape that is no schema)
 */
export function defineEvents<const Shapes extends EventShapes>(shapes: Shapes): EventDefinition<{ readonly [Name in keyof Shapes]: MetadataOf<Shapes[Name]> }> {
  const known: EventShapes = { ...shapes };
  for (const [name, shape] of Object.entries<unknown>(known)) refuseNoShape(name, shape);
  return {
    names: Object.keys(known),
    bind(daybook, options = {}) {
      rejectUnknownOptions(options, OPTIONS);
      const { check = "none", onFlaw } = options;
      const ingest = ingestOf(daybook, known, check, onFlaw);
      // Only the types differ, and they do not exist at run time.
      return (ingest === null ? daybook : withIngest(daybook, ingest)) as unknown as TypedDaybook<never, typeof daybook>;
    },
  };
}

function refuseNoShape(name: string, shape: unknown): void {
  const validate = (shape as { readonly "~standard"?: { readonly validate?: unknown } } | null)?.["~standard"]?.validate;
  if (typeof validate !== "function") throw parameterError("invalid_parameter", name, `expected a schema that has "~standard", got ${shown(shape)}`);
}

/** Null: the Daybook's own `ingest`. */
function ingestOf(daybook: Queryable, shapes: EventShapes, check: string, onFlaw: unknown): Ingest | null {
  if (check === "report" && typeof onFlaw === "function") return reporting(daybook, shapes, onFlaw as (flaw: EventFlaw) => unknown);
  if (check !== "none" && check !== "reject" && check !== "report")
    throw parameterError("invalid_parameter", "check", `expected none, reject or report, got ${shown(check)}`);
  if (check === "report" || onFlaw !== undefined)
    throw parameterError("invalid_parameter", "onFlaw", `expected ${check === "report" ? "a function" : 'none unless check is "report"'}, got ${shown(onFlaw)}`);
  return check === "reject" ? rejecting(daybook, shapes) : null;
}

function rejecting(daybook: Queryable, shapes: EventShapes): Ingest {
  return async (events, options) => {
    if (!Array.isArray(events)) return daybook.ingest(events, options);
    const given = [...(events as readonly EventInput[])];
    const flaws = await flawsOf(given, shapes);
    if (flaws.length === 0) return daybook.ingest(given, options);
    const flawed = new Set(flaws.map(({ index }) => index));
    const places = given.flatMap((_, index) => (flawed.has(index) ? [] : [index]));
    const result = await daybook.ingest(places.map((index) => given[index] as EventInput), options);
    const placed = <Of extends { readonly index: number }>(all: readonly Of[]) => all.map((each) => ({ ...each, index: places[each.index] ?? each.index }));
    const own = flaws.map(({ index, message }) => ({ index, code: "invalid_event" as const, message }));
    const rejectedCount = result.rejectedCount === undefined ? {} : { rejectedCount: result.rejectedCount + own.length };
    return { ...result, ...rejectedCount, rejected: [...placed(result.rejected), ...own].sort((a, b) => a.index - b.index), adjusted: placed(result.adjusted) };
  };
}

function reporting(daybook: Queryable, shapes: EventShapes, onFlaw: (flaw: EventFlaw) => unknown): Ingest {
  return async (events, options): Promise<IngestResult> => {
    if (!Array.isArray(events)) return daybook.ingest(events, options);
    const given = [...(events as readonly EventInput[])];
    notifyEach(onFlaw, await flawsOf(given, shapes));
    return daybook.ingest(given, options);
  };
}

/** The same object with another `ingest`. Its other methods keep `this`, which has private members. */
function withIngest<D extends object>(daybook: D, ingest: (events: readonly EventInput[], options?: IngestOptions) => Promise<IngestResult>): D {
  return new Proxy(daybook, {
    get(target, name) {
      if (name === "ingest") return ingest;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member as (...given: unknown[]) => unknown).bind(target) : member;
    },
  });
}
