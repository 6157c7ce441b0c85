import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { amplitude } from "../clients/amplitude.js";
import { storeRequest, type ClientAdapter } from "../clients/client.js";
import { mixpanelEvents, mixpanelGroups, mixpanelPeople } from "../clients/mixpanel.js";
import { openpanel, OPENPANEL_SECRET } from "../clients/openpanel.js";
import { posthog } from "../clients/posthog.js";
import { umami } from "../clients/umami.js";
import type { KeySource, ClientRoute } from "../routing/route.js";

/** Clients add parameters of their own. */
const anyQuery = z.looseObject({});
const formQuery = z.looseObject({ data: z.string().optional().meta({ description: "What is sent, as JSON in base64." }) });
const trackShape = z.looseObject({
  data: z.array(z.unknown()).optional().meta({ description: "The events of a form." }),
  type: z.string().optional().meta({ description: "With the openpanel-client-secret header: the kind of payload." }),
  payload: z.record(z.string(), z.unknown()).optional(),
});

const COMMON = { envelope: "client", access: null, etag: false } as const;
const OBJECT = z.looseObject({});
const ONE = z.union([z.literal(1), z.looseObject({ status: z.literal(1) })]);

/** A route whose client depends on its path, or on the request. */
function post(
  path: string,
  library: string,
  clientOf: ClientAdapter | ((sent: KeySource) => ClientAdapter),
  options: { readonly answer?: z.ZodType; readonly schema?: z.ZodObject; readonly form?: boolean } = {},
): ClientRoute {
  const adapterOf = typeof clientOf === "function" ? clientOf : () => clientOf;
  const schema = options.schema ?? (typeof clientOf === "function" ? OBJECT : clientOf.shape);
  const form = options.form === true ? { list: "data", form: true } : { list: null };
  const body = { schema, maxByteLength: SERVER_LIMITS.writeBodyBytes, isWritten: true, anyTextType: true, ...form };
  return {
    ...COMMON,
    method: "POST",
    path,
    summary: `Stores what ${library} sends, with a token as its key; responds when it is durable`,
    query: anyQuery,
    answer: options.answer ?? OBJECT,
    sends: body,
    keyOf: (sent) => adapterOf(sent).keyOf(sent),
    handle: (caller, sent) => storeRequest(adapterOf(sent), caller, sent),
  };
}

/** A route with the data in the query string, where the client sends everything but lists. */
function get(path: string, client: ClientAdapter): ClientRoute {
  return {
    ...COMMON,
    method: "GET",
    path,
    summary: "Stores what mixpanel sends in the query string, with a token as its key; responds when it is durable",
    query: formQuery,
    answer: ONE,
    sends: null,
    keyOf: client.keyOf,
    handle: (caller, sent) => storeRequest(client, caller, sent),
  };
}

const MIXPANEL = { answer: ONE, form: true };
const isOpenpanel = ({ header }: KeySource) => header(OPENPANEL_SECRET) !== null;

export const clientRoutes: readonly ClientRoute[] = [
  post("/batch/", "posthog-node", posthog),
  post("/i/v0/ai/batch/", "posthog-node", posthog),
  post("/2/httpapi", "@amplitude/analytics-node", amplitude),
  post("/api/send", "@umami/node", umami),
  post("/track", "@openpanel/sdk or mixpanel", (sent) => (isOpenpanel(sent) ? openpanel : mixpanelEvents), {
    answer: z.union([ONE, OBJECT]),
    schema: trackShape,
    form: true,
  }),
  post("/import", "mixpanel", mixpanelEvents, MIXPANEL),
  post("/engage", "mixpanel", mixpanelPeople, MIXPANEL),
  post("/groups", "mixpanel", mixpanelGroups, MIXPANEL),
  get("/track", mixpanelEvents),
  get("/import", mixpanelEvents),
  get("/engage", mixpanelPeople),
  get("/groups", mixpanelGroups),
];
