import type { z } from "zod";
import type { PrivacyRequest, PrivacyRequests } from "../../engine/privacy/requests.js";
import { bytesOfLines } from "../answer/json-pieces.js";
import { privacyAnswers as answers, privacyBodies as bodies } from "../shapes/privacy-shape.js";
import { guarded, objectBody, type GuardedRoute, type Route } from "../routing/route.js";
import { type RequiredAccess, requireMember } from "../access/rights.js";
import { wireNames } from "../wire/wire-names.js";

const PATH = "/v1/privacy-requests";
const READ: RequiredAccess = { scope: "privacy_requests:read", organizationWide: true };
const WRITE: RequiredAccess = { scope: "privacy_requests:write", organizationWide: true };

/** A route that changes one request and answers with its record. */
function change<Body extends z.ZodObject>(
  path: string,
  summary: string,
  body: Body,
  make: (requests: PrivacyRequests, id: string, body: z.infer<Body>) => Promise<PrivacyRequest>,
  status: 200 | 201 = 200,
): GuardedRoute {
  return guarded({
    method: "POST",
    path,
    summary,
    access: WRITE,
    body: objectBody(body),
    answer: answers.record,
    status,
    handle: async ({ daybook }, { params, body: sent }) =>
      wireNames(await make(requireMember(daybook, "privacyRequests").privacyRequests, params["id"] ?? "", sent)),
  });
}

export const privacyRoutes: readonly Route[] = [
  guarded({
    path: PATH,
    summary: "Lists the privacy requests of the organization, newest first",
    access: READ,
    answer: answers.list,
    etag: true,
    handle: async ({ daybook }) => ({ privacy_requests: wireNames(await requireMember(daybook, "privacyRequests").privacyRequests.list()) }),
  }),
  change(
    PATH,
    "Creates a privacy request",
    bodies.create,
    (requests, _, { type, subject, regulation, ...refused }) =>
      requests.create({
        ...refused,
        type,
        subject: { email: subject.email ?? null, userId: subject.user_id ?? null },
        regulation: regulation ?? null,
      }),
    201,
  ),
  guarded({
    path: `${PATH}/{id}`,
    summary: "Shows a privacy request",
    access: READ,
    answer: answers.record,
    etag: true,
    handle: async ({ daybook }, { params }) => wireNames(await requireMember(daybook, "privacyRequests").privacyRequests.get(params["id"] ?? "")),
  }),
  change(`${PATH}/{id}/verify`, "Records that the identity of the person is verified", bodies.step, (requests, id) => requests.verify(id)),
  change(`${PATH}/{id}/acknowledge`, "Records that work on the request has begun", bodies.step, (requests, id) => requests.acknowledge(id)),
  change(`${PATH}/{id}/extend`, "Extends the deadline, once, if the regulation allows it", bodies.step, (requests, id) => requests.extend(id)),
  change(`${PATH}/{id}/resolve`, "Resolves a request; responds when an erasure is done", bodies.resolve, (requests, id, { resolution }) =>
    requests.resolve(id, resolution),
  ),
  guarded({
    path: `${PATH}/{id}/bundle`,
    summary: "Exports all data about the person of an access or portability request",
    access: { ...READ, role: "admin" },
    answer: answers.bundle,
    format: "ndjson",
    handle: ({ daybook }, { params, signal }) =>
      bytesOfLines(requireMember(daybook, "privacyRequests").privacyRequests.bundle(params["id"] ?? "", { signal }), signal),
  }),
];
