import { isIP } from "node:net";
import { shown } from "../../core/base/errors.js";
import { parseTimestamp } from "../../core/base/time.js";
import type { EventInput } from "../../core/schema/event.js";
import { createdAtOf } from "../../core/schema/instant.js";
import { withoutUser } from "../../core/schema/web-address.js";
import type { Agent } from "../../http/index.js";
import { loadUserAgentParser } from "../../http/tracking/user-agent-parser.js";
import { plural } from "../print/format.js";
import { readLines, withoutReturn } from "./lines.js";
import { rowId, FileFault, type ImportRow } from "./row.js";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const logTime = /^(\d{2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;
const absoluteTarget = /^https?:\/\/([^/?#]+)(.*)$/i;
/** A virtual host: a name with a port, a dotted name, or an address with port 80 or 443; with another port it may be the visitor's address. */
const virtualHost = /^(?:(?=[^:]*[a-z])([\w-]+(?:\.[\w-]+)*):\d{1,5}|((?:[\w-]+\.)+[a-z][\w-]*)|(\d+(?:\.\d+){3}|\[[\da-f:]+\]):(?:80|443))$/i;
const ident = /^[\w.@+\\-]+$/;
/** The start of a time; after the user agent, it belongs to another line that was written into this one. */
const timeStart = /\[\d{2}\/[A-Za-z]{3}\/\d{4}:/;

const SAMPLE_LINES = 100;
const FORMATS = `common, combined and vhost_combined of Apache, and combined of nginx (address - - [time] "request" status bytes "referrer" "agent")`;

/** @throws FileFault when more than half of the first 100 lines are rejected, before any row */
export async function* readClf(bytes: AsyncIterable<Uint8Array>, set: string): AsyncGenerator<readonly ImportRow[]> {
  const parseAgent = await loadUserAgentParser();
  let first: ImportRow[] | null = [];
  for await (const lines of readLines(bytes)) {
    const rows: ImportRow[] = [];
    for (const { number, text, fault } of lines) {
      const line = withoutReturn(text);
      if (fault !== null) rows.push({ line: number, reason: fault });
      else if (line.trim() !== "") {
        const parsed = parseClfLine(line, parseAgent);
        if (typeof parsed === "string") rows.push({ line: number, reason: parsed });
        else rows.push({ line: number, event: { id: rowId(set, number, line), ...parsed } });
      }
    }
    if (first === null) yield rows;
    else {
      first.push(...rows);
      if (first.length < SAMPLE_LINES) continue;
      refuseOtherFormat(first);
      yield first;
      first = null;
    }
  }
  if (first === null) return;
  refuseOtherFormat(first);
  yield first;
}

function refuseOtherFormat(rows: readonly ImportRow[]): void {
  const sample = rows.slice(0, SAMPLE_LINES);
  const rejected = sample.flatMap((row) => ("reason" in row ? [`line ${row.line}: ${row.reason}`] : []));
  if (rejected.length * 2 <= sample.length) return;
  throw new FileFault(`${rejected.length} of the first ${plural(sample.length, "line")} cannot be read, so nothing is stored; expected ${FORMATS}; ${rejected.slice(0, 3).join("; ")}`);
}

/** The event of one access-log line, or the reason for its rejection. */
export function parseClfLine(text: string, parseAgent: (agent: string) => Agent): EventInput | string {
  const line = text.trimEnd();
  const time = line.search(/ \[\d{2}\//);
  // A bracketed address may precede the time.
  const open = time === -1 ? line.indexOf(" [") : time;
  const close = line.indexOf("]", open);
  if (open === -1 || close === -1) {
    return `expected an access-log line (address - - [time] "request" status bytes "referrer" "agent"), got ${shown(line)}`;
  }
  if (line.includes("\r")) return "expected one line, got a carriage return within it";
  const leading = leadingFieldsOf(line.slice(0, open));
  if (typeof leading === "string") return leading;
  const createdAt = parseLogTime(line.slice(open + 2, close));
  if (createdAt === null) return `time: expected a time like 17/May/2015:10:05:03 +0000, got ${shown(line.slice(open + 2, close))}`;
  const rest = trailingFieldsOf(line, close + 1);
  if (typeof rest === "string") return rest;
  const { event, metadata } = parseRequest(rest.request);
  return {
    name: "pageview",
    ...leading,
    createdAt: createdAtOf(createdAt),
    ...event,
    ...(isBlank(rest.referrer) ? {} : { referrer: rest.referrer }),
    ...(isBlank(rest.agent) ? {} : parseAgent(rest.agent)),
    metadata: { ...wholeNumber("status", rest.status), ...wholeNumber("bytes", rest.byteLength), ...metadata },
  };
}

/** The fields before the time: in `vhost_combined` the host, then address, ident and user. */
function leadingFieldsOf(text: string): Pick<EventInput, "userId" | "hostname"> | string {
  const words = text.split(" ");
  const [, named, dotted, numeric] = (addressOf(words[1]) === null ? null : virtualHost.exec(words[0] ?? "")) ?? [];
  const hostname = named ?? dotted ?? numeric;
  const [first = "", second = "", ...user] = hostname === undefined ? words : words.slice(1);
  const address = first === "-" ? first : addressOf(first);
  if (address === null) return `address: expected one IP address, got ${shown(first)}`;
  if (!ident.test(second) || isIP(second) !== 0) return `ident: expected - or a name after the address, got ${shown(second)}`;
  // An address in the user column means that the columns are shifted.
  if (user.every((word) => word === "") || user.some((word) => isIP(word.replace(/["'[\],]/g, "")) !== 0)) {
    return `user: expected - or a name before the time, got ${shown(user.join(" "))}`;
  }
  return { ...(address === "-" ? {} : { userId: address }), ...(hostname === undefined ? {} : { hostname }) };
}

/** An address, IPv6 without brackets; null for anything else. */
function addressOf(word = ""): string | null {
  const bare = word.startsWith("[") && word.endsWith("]") && word.includes(":") ? word.slice(1, -1) : word;
  return isIP(bare) === 0 ? null : bare;
}

/** The fields after the time, or what is wrong with them. Loggers truncate long lines, so the user agent may lack its closing quote. */
function trailingFieldsOf(line: string, start: number) {
  const request = quotedAt(line, start);
  if (request?.isClosed !== true) return `request: expected a quoted request after the time, got ${shown(line.slice(start))}`;
  const [, status = "", byteLength = "", more = ""] = /^ ([^ ]*)(?: ([^ ]*)([^]*))?/.exec(line.slice(request.end)) ?? [];
  if (!/^(?:\d{3}|-)$/.test(status)) return `status: expected three digits or - after the request, got ${shown(line.slice(request.end))}`;
  if (!/^(?:\d+|-)$/.test(byteLength)) return `bytes: expected a whole number or - after the status, got ${shown(byteLength)}`;
  const common = { request: request.text, status, byteLength };
  if (more === "") return { ...common, referrer: "", agent: "" };
  const referrer = quotedAt(more, 0);
  if (referrer?.isClosed !== true) return `referrer: expected a quoted referrer after the bytes, got ${shown(more)}`;
  const agent = quotedAt(more, referrer.end);
  if (agent === null) return `agent: expected a quoted user agent after the referrer, got ${shown(more.slice(referrer.end))}`;
  const further = more.slice(agent.end);
  if (!/^(?: |$)/.test(further) || timeStart.test(further)) return `expected the end of the line or further fields after the agent, got ${shown(further)}`;
  return { ...common, referrer: referrer.text, agent: agent.text };
}

function parseRequest(request: string): { event: Partial<EventInput>; metadata: Record<string, string> } {
  if (isBlank(request)) return { event: {}, metadata: {} };
  const words = request.split(" ");
  const method = words[0] ?? "";
  const protocol = words.at(-1) ?? "";
  const target = targetOf(method, words.slice(1, protocol.startsWith("HTTP/") ? -1 : undefined).join(" "));
  if (!/^[A-Z][A-Z_-]{0,31}$/.test(method) || target === "") return { event: {}, metadata: { request: malformedRequest(words) } };
  const absolute = absoluteTarget.exec(target);
  if (absolute === null) return { event: { url: target }, metadata: { method } };
  return { event: { url: absolute[2] === "" ? "/" : (absolute[2] ?? "/"), hostname: absolute[1] ?? "" }, metadata: { method } };
}

/** Removes user and password. `CONNECT` names only a host. */
function targetOf(method: string, target: string): string {
  return method === "CONNECT" ? withoutUser(`//${target}`).slice(2) : withoutUser(target);
}

/** The text of a request without a valid method: its URL may be the first word, or follow it. */
function malformedRequest([first = "", ...words]: readonly string[]): string {
  const rest = words.join(" ");
  return withoutUser(words.length === 0 ? first : `${first} ${targetOf(first.toUpperCase(), rest)}`);
}

function parseLogTime(text: string): number | null {
  const match = logTime.exec(text);
  if (match === null) return null;
  const [, day = "", monthName = "", year = "", time = "", zoneHour = "", zoneMinute = ""] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  return parseTimestamp(`${year}-${String(month).padStart(2, "0")}-${day}T${time}${zoneHour}:${zoneMinute}`);
}

/** The quoted text after a blank at `start`; null if there is none. Without a closing quote it runs to the end of the line. */
function quotedAt(line: string, start: number) {
  if (!line.startsWith(' "', start)) return null;
  let at = start + 2;
  for (; at < line.length && line[at] !== '"'; at += 1) if (line[at] === "\\") at += 1;
  return { text: unescaped(line.slice(start + 2, at)), end: at + 1, isClosed: line[at] === '"' };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reverses the escaping of Apache and nginx. Bytes that are not UTF-8, and control characters, stay escaped. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/((?:\\x[89a-f][\da-f])+|\\x[2-7][\da-f])|\\(["\\])/gi, (written: string, bytes?: string, character = "") => {
    if (bytes === undefined) return character as string;
    try {
      const read = utf8.decode(Buffer.from(bytes.replaceAll(/\\x/gi, ""), "hex"));
      return /\p{Cc}/u.test(read) ? written : read;
    } catch {
      return written;
    }
  });
}

function isBlank(text: string): boolean {
  return text === "" || text === "-";
}

function wholeNumber(key: string, text: string | undefined): Record<string, number> {
  return text !== undefined && /^\d{1,15}$/.test(text) ? { [key]: Number(text) } : {};
}
