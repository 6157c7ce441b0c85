import type { EventInput } from "./event.js";

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

/** Result of a validation: what the schema made of the value, or what is wrong and where. */
export interface ShapeResult {
  /** Absent: the value is stored as it came. */
  readonly value?: unknown;
  readonly issues?: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] | undefined;
}

/** Shapes of metadata by event name. */
export type EventShapes = Readonly<Record<string, EventShape>>;

/** An event that fails its shape. */
export interface EventFlaw {
  /** Index in the batch. */
  readonly index: number;
  readonly event: EventInput;
  /** What was expected, and where: `metadata.plan: …`. */
  readonly message: string;
}
