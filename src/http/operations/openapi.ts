import { z } from "zod";
import { ERROR_CODES } from "../../core/base/errors.js";
import { isListAnswer } from "../../engine/exports/to-arrow.js";
import { eventSchema, beaconEvent, recordSchema } from "../shapes/bodies.js";
import { SharedText } from "../answer/json-pieces.js";
import type { RequiredAccess } from "../access/rights.js";
import type { Route } from "../routing/route.js";
import { ARROW_TYPE } from "../wire/request-reply.js";

type SchemaObject = Record<string, unknown>;

const BINARY: SchemaObject = { type: "string", format: "binary" };

/** Cached per route table: building the text takes many milliseconds, and its route is open to everyone. */
const textOf = new WeakMap<readonly Route[], SharedText>();

/** The OpenAPI 3.1 document of a route table as JSON text, built from the schemas that check requests. */
export function openapiText(routes: readonly Route[]): SharedText {
  const document = textOf.get(routes) ?? new SharedText(describe(routes));
  textOf.set(routes, document);
  return document;
}

function describe(routes: readonly Route[]): string {
  const paths: Record<string, SchemaObject> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(route);
  }
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Daybook", version: "1", description: "Event analytics: counts, search, people, revenue, companies, privacy requests." },
    // Relative to the URL of the document: the mount path of the routes is not known here.
    servers: [{ url: "." }],
    paths,
    components: {
      schemas: {
        Event: schemaOf(eventSchema),
        Record: schemaOf(recordSchema),
        Beacon: schemaOf(beaconEvent),
        Problem: problem,
        LegacyError: legacyError,
        ClientError: clientError,
      },
      responses: {
        Problem: { description: "An error.", content: { "application/problem+json": { schema: reference("Problem") } } },
        LegacyError: { description: "An error.", content: { "application/json": { schema: reference("LegacyError") } } },
        ClientError: { description: "An error.", content: { "application/json": { schema: reference("ClientError") } } },
      },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token that starts with sk_; for queries also a signed one, ds_." },
        basic: { type: "http", scheme: "basic", description: "The token as the user name, with an empty password." },
      },
    },
  });
}

function operationOf(route: Route): SchemaObject {
  const error = ERRORS[route.envelope];
  return {
    summary: route.summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    parameters: [...pathParameters(route.path), ...queryParameters(route)],
    security: securityOf(route.access),
    ...bodyOf(route),
    responses: {
      [route.status ?? 200]:
        route.status === 204
          ? { description: "No content." }
          : { description: "The answer.", content: contentOf(route, schemaOf(route.answer)) },
      ...(route.etag ? { 304: { description: "The answer has not changed: If-None-Match has its ETag." } } : {}),
      default: { $ref: `#/components/responses/${error}` },
    },
  };
}

const ERRORS = { legacy: "LegacyError", client: "ClientError", problem: "Problem" };

function contentOf(route: Route, schema: SchemaObject): SchemaObject {
  const shapes = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, SchemaObject>>);
  const isList = route.access !== null && isListAnswer(Object.fromEntries(shapes.map(([name, { type }]) => [name, type === "array" ? [] : null])));
  return { [contentTypeOf(route)]: { schema }, ...(isList ? { [ARROW_TYPE]: { schema: BINARY } } : {}) };
}

function contentTypeOf(route: Route): string {
  if ("file" in route) return route.file.type;
  const { format } = route;
  return format === undefined ? "application/json" : MEDIA_TYPES[format];
}

const MEDIA_TYPES = { ndjson: "application/x-ndjson", text: "text/plain", events: "text/event-stream" };

function securityOf(access: RequiredAccess | null): SchemaObject[] {
  if (access === null) return [];
  const scopes = access.scope === null ? [] : [access.scope];
  return [{ token: scopes }, ...(access.basic === true ? [{ basic: scopes }] : [])];
}

function pathParameters(path: string): SchemaObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(route: Route): SchemaObject[] {
  return Object.entries(route.query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: !(schema as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(schema as z.ZodType),
  }));
}

function bodyOf(route: Route): SchemaObject {
  const body = "collects" in route ? route.collects : "sends" in route ? route.sends : route.access === null ? null : route.body;
  if (body === null) return {};
  const { schema, list, form } = body;
  const object = schemaOf(schema);
  const items = list === null ? undefined : (object["properties"] as SchemaObject)[list];
  const json = items === undefined ? object : { anyOf: [object, items] };
  return {
    requestBody: {
      required: !schema.safeParse({}).success,
      content: {
        "application/json": { schema: json },
        ...(form === true ? { "application/x-www-form-urlencoded": { schema: formSchema } } : {}),
        ...(list === null || form === true ? {} : { "application/x-ndjson": { schema: { type: "string" } } }),
        ...(body.arrow === true ? { [ARROW_TYPE]: { schema: BINARY } } : {}),
      },
    },
  };
}

function schemaOf(schema: z.ZodType): SchemaObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

function reference(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

const code = { type: "string", enum: Object.keys(ERROR_CODES) };
const text = { type: "string" };

const formSchema: SchemaObject = { type: "object", required: ["data"], properties: { data: { type: "string", description: "JSON in base64." } } };

const problem: SchemaObject = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "request_id"],
  properties: {
    type: text,
    title: text,
    status: { type: "integer" },
    detail: text,
    code,
    param: text,
    errors: {
      type: "array",
      items: { type: "object", properties: { code, param: text, message: text } },
    },
    request_id: text,
  },
};

const legacyError: SchemaObject = {
  type: "object",
  required: ["status", "error"],
  properties: {
    status: { const: "ERROR" },
    error: {
      type: "object",
      required: ["code", "message", "request_id"],
      properties: { code, message: text, param: text, request_id: text },
    },
  },
};

const clientError: SchemaObject = {
  type: "object",
  required: ["status", "code", "error", "reason", "request_id"],
  properties: {
    status: { const: 0 },
    code: { type: "integer", description: "The HTTP status." },
    error: text,
    reason: code,
    missing_field: text,
    request_id: text,
  },
};
