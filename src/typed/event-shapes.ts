/**
 * What checks the metadata of one kind of event: an object schema of zod 4, or of any library that speaks the Standard Schema
 * (https://standardschema.dev).
 */
export interface EventShape<Metadata extends object = object> {
  readonly "~standard": {
    readonly validate: (value: unknown) => ShapeResult | PromiseLike<ShapeResult>;
    readonly types?: { readonly input: Metadata; readonly output: unknown } | undefined;
  };
}

/** What a shape says of a value: nothing, or what is wrong with it and where. */
export interface ShapeResult {
  readonly issues?: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] | undefined;
}

/** Names of events, each with the shape of its metadata. */
export type EventShapes = Readonly<Record<string, EventShape>>;

/** The metadata that a shape takes. */
export type MetadataOf<Shape extends EventShape> = NonNullable<Shape["~standard"]["types"]>["input"];
