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
