import { shown, parameterError } from "../core/base/errors.js";
import type { EventInput } from "../core/schema/event.js";
import type { EventFlaw, EventShape, EventShapes } from "../core/schema/event-shape.js";
import type { TrackIngest, TrackIngestOption } from "../core/schema/track-queue.js";
import { INGEST, projectOfTrack, rejectUnknownOptions, type TrackOptions } from "../core/base/options.js";
import type { Daybook } from "../engine/daybook.js";
import type { TypedDaybook, TypedMethods, Events } from "./typed-daybook.js";

/** The metadata type that a shape accepts. */
export type MetadataOf<Shape extends EventShape> = NonNullable<Shape["~standard"]["types"]>["input"];

/** The metadata type that a shape makes of it, which is stored. */
export type StoredMetadataOf<Shape extends EventShape> = StoredAs<NonNullable<Shape["~standard"]["types"]>>;

type StoredAs<Types extends { readonly input: object; readonly output: unknown }> = Types["output"] extends object ? Types["output"] : Types["input"];

/** What happens to events that fail their shape: they are rejected (default), stored and reported, or not checked. */
export type EventCheck =
  | { readonly check?: "reject" | "none" | undefined; readonly onFlaw?: undefined }
  | { readonly check: "report"; readonly onFlaw: (flaw: EventFlaw) => unknown };

/** The events of an application. @typeParam S their metadata as it is stored */
export interface EventDefinition<E extends Events, S extends Events = E> {
  readonly names: readonly (keyof E & string)[];
  /**
   * The same Daybook, embedded or from `connectDaybook`, with the types of these events. `ingest` and `track` store what the shape makes of the
   * metadata: with its defaults, transforms and coercions. Cost of a check: one validation per event.
   * @throws invalid_parameter, unknown_parameter (an option)
   */
  bind<D extends Queryable>(daybook: D, options?: EventCheck): TypedDaybook<E, D, S>;
}

/** The Daybook type of a definition: `DaybookOf<typeof events>`, and of a client `DaybookOf<typeof events, DaybookClient>`. */
export type DaybookOf<Definition, D = Daybook> = Definition extends EventDefinition<infer E, infer S> ? TypedDaybook<E, D, S> : never;

type Queryable = Pick<Daybook, keyof TypedMethods<Events>>;

const OPTIONS = { check: true, onFlaw: true } as const;

/**
 * Declares events and their metadata to the compiler: `defineEvents({ signup: z.object({ plan: z.string() }) })`.
 * @param shapes by event name: object schemas of zod 4, or of another library that implements the Standard Schema
 * @throws invalid_parameter (a shape that is no schema)
 */
export function defineEvents<const Shapes extends EventShapes>(
  shapes: Shapes,
): EventDefinition<{ readonly [Name in keyof Shapes]: MetadataOf<Shapes[Name]> }, { readonly [Name in keyof Shapes]: StoredMetadataOf<Shapes[Name]> }> {
  const known: EventShapes = { ...shapes };
  for (const [name, shape] of Object.entries<unknown>(known)) refuseNoShape(name, shape);
  return {
    names: Object.keys(known),
    bind(daybook, options = {}) {
      rejectUnknownOptions(options, OPTIONS);
      const { check = "reject", onFlaw } = options;
      refuseOptions(check, onFlaw);
      // Only the types differ, and they do not exist at run time.
      return (check === "none" ? daybook : withCheck(daybook, known, onFlaw ?? null)) as unknown as TypedDaybook<never, typeof daybook, never>;
    },
  };
}

function refuseNoShape(name: string, shape: unknown): void {
  const validate = (shape as { readonly "~standard"?: { readonly validate?: unknown } } | null)?.["~standard"]?.validate;
  if (typeof validate !== "function") throw parameterError("invalid_parameter", name, `expected a schema that has "~standard", got ${shown(shape)}`);
}

/** @throws invalid_parameter */
function refuseOptions(check: string, onFlaw: unknown): void {
  if (check !== "none" && check !== "reject" && check !== "report")
    throw parameterError("invalid_parameter", "check", `expected none, reject or report, got ${shown(check)}`);
  if (check === "report" ? typeof onFlaw !== "function" : onFlaw !== undefined)
    throw parameterError("invalid_parameter", "onFlaw", `expected ${check === "report" ? "a function" : 'none unless check is "report"'}, got ${shown(onFlaw)}`);
}

/** The same object, which checks what it stores. Its other methods keep `this`, which has private members. */
function withCheck<D extends Queryable>(daybook: D, shapes: EventShapes, onFlaw: ((flaw: EventFlaw) => unknown) | null): D {
  const ingest: TrackIngest = async (events, options) => (await import("../engine/rarely-used.js")).ingestChecked(daybook, shapes, onFlaw, events, options);
  const track = (event: EventInput, options?: TrackOptions) => {
    projectOfTrack(options);
    const checked: TrackOptions & TrackIngestOption = { ...options, [INGEST]: ingest };
    daybook.track(event, checked);
  };
  return new Proxy(daybook, {
    get(target, name) {
      if (name === "ingest") return ingest;
      if (name === "track") return track;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member as (...given: unknown[]) => unknown).bind(target) : member;
    },
  });
}
