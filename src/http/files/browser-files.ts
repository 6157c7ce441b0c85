import type { WireReply, WireRequest } from "../wire/exchange.js";
import { matchesEtag } from "../answer/etag.js";
import { sharedBytes, SharedText } from "../answer/shared-text.js";

/** A file for browsers. */
export interface BrowserFile {
  readonly text: string;
  /** The same, compressed; null: it is not sent so. */
  readonly gzip: Uint8Array | null;
}

/** What browsers get as it is, by the paths under which they get it. `loadBrowserFiles` of `daybook/node` has those of the package. */
export interface BrowserFiles {
  /** The script of a site that is measured. */
  readonly tracker?: BrowserFile;
  /** The page that shows what was collected. */
  readonly page?: { readonly html: BrowserFile; readonly script: BrowserFile; readonly style: BrowserFile };
}

/** A file, and what is said of it. */
export interface ServedFile {
  readonly path: string;
  readonly summary: string;
  readonly type: "text/html" | "text/javascript" | "text/css";
  readonly headers: Readonly<Record<string, string>>;
  readonly of: (files: BrowserFiles) => BrowserFile | undefined;
}

/** Its own script and style, its own routes, nothing else: not within a frame, and no form that goes elsewhere. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const OF_PAGE = { "cache-control": "no-cache", "cross-origin-resource-policy": "same-origin" };

export const SERVED_FILES: readonly ServedFile[] = [
  {
    path: "/",
    summary: "The page that shows what was collected",
    type: "text/html",
    headers: { ...OF_PAGE, "content-security-policy": PAGE_POLICY, "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin" },
    of: ({ page }) => page?.html,
  },
  { path: "/page.js", summary: "Script of the page", type: "text/javascript", headers: OF_PAGE, of: ({ page }) => page?.script },
  { path: "/page.css", summary: "Style of the page", type: "text/css", headers: OF_PAGE, of: ({ page }) => page?.style },
  {
    path: "/daybook.js",
    summary: "Script for the pages of a site that is measured",
    type: "text/javascript",
    // Pages of any origin load it, and those that name its hash must be allowed to see it.
    headers: { "cache-control": "public, max-age=3600", "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" },
    of: ({ tracker }) => tracker,
  },
];

/** A file as all answers share it. */
export interface SharedFile {
  readonly text: SharedText;
  readonly gzip: Uint8Array | null;
}

export function sharedFile({ text, gzip }: BrowserFile): SharedFile {
  return { text: new SharedText(text), gzip: gzip === null ? null : sharedBytes(gzip) };
}

/** A file as an answer. */
export async function fileReply({ type, headers }: ServedFile, { text, gzip }: SharedFile, request: WireRequest, requestId: string): Promise<WireReply> {
  const etag = await text.etag;
  const common = { ...headers, etag, vary: "Accept-Encoding", "x-request-id": requestId };
  if (matchesEtag(request.header("if-none-match"), etag)) return { status: 304, headers: common, body: null };
  const isSmall = gzip !== null && takesGzip(request.header("accept-encoding") ?? "");
  const whole = { ...common, "content-type": `${type}; charset=utf-8` };
  return isSmall ? { status: 200, headers: { ...whole, "content-encoding": "gzip" }, body: gzip } : { status: 200, headers: whole, body: text.bytes };
}

/** Whether an `Accept-Encoding` takes gzip (RFC 9110, 12.5.3): by its name, or by `*` where it is not named, with a weight above 0. */
export function takesGzip(header: string): boolean {
  const weights = new Map(header.toLowerCase().split(",").map(weightOf));
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

function weightOf(coding: string): readonly [string, number] {
  const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  return [name, weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1))];
}
