import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { plausibleBody, plausibleEvents, plausibleKey } from "../clients/plausible.js";
import { collectBody } from "../shapes/bodies.js";
import { servedFiles, sharedFile, type BrowserFiles } from "../files/browser-files.js";
import { noQuery, type CollectRoute, type FileRoute, type PreflightRoute, type Route } from "../routing/route.js";

const OPEN = { envelope: "problem", access: null, query: noQuery, etag: false } as const;

/** Routes that pages of other origins send to. */
export const collectRoutes: readonly (CollectRoute | PreflightRoute)[] = [
  {
    ...OPEN,
    method: "POST",
    path: "/v1/collect",
    summary: "Stores events of a page, with a public key; responds when they are durable",
    answer: z.null(),
    status: 204,
    collects: {
      schema: collectBody,
      maxByteLength: SERVER_LIMITS.collectedBodyBytes,
      itemCountMax: SERVER_LIMITS.collectedItemCount,
      list: null,
      isWritten: true,
      anyTextType: true,
    },
  },
  {
    ...OPEN,
    method: "OPTIONS",
    path: "/v1/collect",
    summary: "Allows browsers to send JSON from pages of other origins",
    answer: z.null(),
    status: 204,
    preflight: { methods: "POST", headers: "content-type", maxAgeSec: 86_400 },
  },
  {
    ...OPEN,
    method: "POST",
    path: "/api/event",
    summary: "Stores an event of plausible-tracker, with a public key; responds when it is durable",
    answer: z.null(),
    status: 204,
    collects: {
      schema: plausibleBody,
      maxByteLength: SERVER_LIMITS.collectedBodyBytes,
      itemCountMax: SERVER_LIMITS.collectedItemCount,
      list: null,
      isWritten: true,
      anyTextType: true,
    },
    reads: { key: plausibleKey, events: plausibleEvents },
  },
];

/** Preflights of all routes that a signed token opens. */
export function preflightRoutes(routes: readonly Route[]): PreflightRoute[] {
  return routes.flatMap((route) => {
    if (!("runs" in route)) return [];
    const preflight = { methods: route.method, headers: "authorization, content-type", maxAgeSec: 3_600 };
    return [{ ...OPEN, method: "OPTIONS" as const, path: route.path, envelope: route.envelope, summary: "Allows browsers to send a signed token", answer: z.null(), preflight }];
  });
}

export function fileRoutes(files: BrowserFiles, frameAncestors: readonly string[]): FileRoute[] {
  return servedFiles(frameAncestors).flatMap((file) => {
    const content = file.select(files);
    if (content === undefined) return [];
    const { path, summary } = file;
    return [{ ...OPEN, method: "GET" as const, path, summary, answer: z.string(), etag: true, file, content: sharedFile(content) }];
  });
}
