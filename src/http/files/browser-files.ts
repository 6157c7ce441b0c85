import { parameterError, shown } from "../../core/base/errors.js";
import type { WireReply, WireRequest } from "../wire/request-reply.js";
import { matchesEtag } from "../answer/etag.js";
import { sharedBytes, SharedText } from "../answer/json-pieces.js";

export interface BrowserFile {
  readonly text: string;
  /** The compressed text; null: it is always sent uncompressed. */
  readonly gzip: Uint8Array | null;
}

/** Files that are served to browsers unchanged; `loadBrowserFiles` of `daybook/node` loads those of the package. */
export interface BrowserFiles {
  /** The tracker script of measured sites. */
  readonly tracker?: BrowserFile;
  /** The elements for other pages. */
  readonly embed?: BrowserFile;
  /** The dashboard page. */
  readonly page?: { readonly html: BrowserFile; readonly script: BrowserFile; readonly style: BrowserFile };
}

export interface ServedFile {
  readonly path: string;
  readonly summary: string;
  readonly type: "text/html" | "text/javascript" | "text/css";
  readonly headers: Readonly<Record<string, string>>;
  readonly select: (files: BrowserFiles) => BrowserFile | undefined;
}

/** The dashboard may use only its own script, style and routes; it cannot submit forms. Only `frameAncestors` may frame it. */
function pagePolicy(frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`,
  ].join("; ");
}

/** Checks the origins that may frame the dashboard. @throws invalid_parameter */
export function readFrameAncestors(origins: readonly string[]): readonly string[] {
  for (const origin of origins) {
    if (origin !== "'self'" && !isWebOrigin(origin))
      throw parameterError("invalid_parameter", "frameAncestors", `expected origins such as https://app.example, or 'self', got ${shown(origin)}`);
  }
  return origins;
}

function isWebOrigin(text: string): boolean {
  if (!/^https?:\/\/[\w.*:[\]-]+$/.test(text)) return false;
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

const PAGE_HEADERS = { "cache-control": "no-cache", "cross-origin-resource-policy": "same-origin" };

// Pages of any origin load it, and a page that pins its hash needs CORS access.
const SHARED_HEADERS = { "cache-control": "public, max-age=3600", "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

/** @param frameAncestors origins that may frame the dashboard; none: nobody may */
export const servedFiles = (frameAncestors: readonly string[]): readonly ServedFile[] => [
  {
    path: "/",
    summary: "The dashboard",
    type: "text/html",
    headers: {
      ...PAGE_HEADERS,
      "content-security-policy": pagePolicy(frameAncestors),
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    },
    select: ({ page }) => page?.html,
  },
  { path: "/page.js", summary: "Script of the dashboard", type: "text/javascript", headers: PAGE_HEADERS, select: ({ page }) => page?.script },
  { path: "/page.css", summary: "Style sheet of the dashboard", type: "text/css", headers: PAGE_HEADERS, select: ({ page }) => page?.style },
  {
    path: "/daybook.js",
    summary: "Tracking script for the pages of a site",
    type: "text/javascript",
    headers: SHARED_HEADERS,
    select: ({ tracker }) => tracker,
  },
  {
    path: "/embed.js",
    summary: "Elements that show charts in other pages",
    type: "text/javascript",
    headers: SHARED_HEADERS,
    select: ({ embed }) => embed,
  },
];

/** A file in memory that all answers share. */
export interface SharedFile {
  readonly text: SharedText;
  readonly gzip: Uint8Array | null;
}

export function sharedFile({ text, gzip }: BrowserFile): SharedFile {
  return { text: new SharedText(text), gzip: gzip === null ? null : sharedBytes(gzip) };
}

export async function fileReply(
  { type, headers }: ServedFile,
  { text, gzip }: SharedFile,
  request: WireRequest,
  requestId: string,
): Promise<WireReply> {
  const etag = await text.etag;
  const common = { ...headers, etag, vary: "Accept-Encoding", "x-request-id": requestId };
  if (matchesEtag(request.header("if-none-match"), etag)) return { status: 304, headers: common, body: null };
  const sendsGzip = gzip !== null && acceptsGzip(request.header("accept-encoding") ?? "");
  const full = { ...common, "content-type": `${type}; charset=utf-8` };
  return sendsGzip ? { status: 200, headers: { ...full, "content-encoding": "gzip" }, body: gzip } : { status: 200, headers: full, body: text.bytes };
}

/** Whether an `Accept-Encoding` accepts gzip (RFC 9110, 12.5.3): by name, or by `*` if it is not named, with a weight above 0. */
export function acceptsGzip(header: string): boolean {
  const weights = new Map(header.toLowerCase().split(",").map(weightOf));
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

function weightOf(coding: string): readonly [string, number] {
  const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  return [name, weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1))];
}
