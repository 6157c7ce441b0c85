import { shown } from "../../base/errors.js";
import { parseTimestamp } from "../../base/time.js";
import type { EventInput } from "../../schema/event.js";
import { createdAtOf } from "../../schema/moment.js";
import { withoutUser } from "../../schema/web-address.js";
import type { Agent } from "../../http/index.js";
import { loadAgentReader } from "../../http/tracking/agent-reader.js";
import { readLines, withoutReturn } from "./lines.js";
import { rowId } from "./row-id.js";
import type { Row } from "./row.js";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const logTime = /^(\d{2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;
const absoluteTarget = /^https?:\/\/([^/?#]+)(.*)$/i;

/**
 * Reads access logs in common or combined format as `pageview` events. Tolerant: a line needs an address and a time,
 * everything after that may be cut off, be `-` or be garbage; a request that is no HTTP is kept as metadata `request`.
 */
export async function* readClf(bytes: AsyncIterable<Uint8Array>, set: string): AsyncGenerator<readonly Row[]> {
  const describe = await loadAgentReader();
  for await (const lines of readLines(bytes)) {
    const rows: Row[] = [];
    for (const { number, text, fault } of lines) {
      const line = withoutReturn(text);
      if (fault !== null) rows.push({ line: number, reason: fault });
      else if (line.trim() !== "") {
        const parsed = parseClfLine(line, describe);
        if (typeof parsed === "string") rows.push({ line: number, reason: parsed });
        else rows.push({ line: number, event: { id: rowId(set, number, line), ...parsed } });
      }
    }
    yield rows;
  }
}

/** The event of one access-log line, or the reason why there is none. */
export function parseClfLine(line: string, describe: (agent: string) => Agent): EventInput | string {
  const open = line.indexOf(" [");
  const close = line.indexOf("]", open);
  const address = line.slice(0, Math.max(line.indexOf(" "), 0));
  if (open === -1 || close === -1 || address === "") {
    return `expected an access-log line (address - - [time] "request" status bytes "referrer" "agent"), got ${shown(line)}`;
  }
  const createdAt = parseLogTime(line.slice(open + 2, close));
  if (createdAt === null) {
    return `expected a time like 17/May/2015:10:05:03 +0000, got ${shown(line.slice(open + 2, close))}`;
  }
  const [request, afterRequest] = quotedAt(line, close + 1);
  const [referrer, afterReferrer] = quotedAt(line, skipWords(line, afterRequest, 2));
  const [agent] = quotedAt(line, afterReferrer);
  const [status, byteLength] = line.slice(afterRequest, skipWords(line, afterRequest, 2)).trim().split(" ");
  const { event, metadata } = parseRequest(request);
  return {
    name: "pageview",
    ...(address === "-" ? {} : { userId: address }),
    createdAt: createdAtOf(createdAt),
    ...event,
    ...(isBlank(referrer) ? {} : { referrer }),
    ...(isBlank(agent) ? {} : describe(agent)),
    metadata: { ...wholeNumber("status", status), ...wholeNumber("bytes", byteLength), ...metadata },
  };
}

function parseRequest(request: string): { event: Partial<EventInput>; metadata: Record<string, string> } {
  if (isBlank(request)) return { event: {}, metadata: {} };
  const words = request.split(" ");
  const method = words[0] ?? "";
  const protocol = words.at(-1) ?? "";
  const target = targetOf(method, words.slice(1, protocol.startsWith("HTTP/") ? -1 : undefined).join(" "));
  if (!/^[A-Z][A-Z_-]{0,31}$/.test(method) || target === "") return { event: {}, metadata: { request: unreadRequest(words) } };
  const absolute = absoluteTarget.exec(target);
  if (absolute === null) return { event: { url: target }, metadata: { method } };
  return { event: { url: absolute[2] === "" ? "/" : (absolute[2] ?? "/"), hostname: absolute[1] ?? "" }, metadata: { method } };
}

/** Without user and password. `CONNECT` names a host alone. */
function targetOf(method: string, target: string): string {
  return method === "CONNECT" ? withoutUser(`//${target}`).slice(2) : withoutUser(target);
}

/** Where the method is no method, an address may be the first word or what follows it. */
function unreadRequest([first = "", ...words]: readonly string[]): string {
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

/** The quoted text at or after `start` (blanks skipped) and the index behind it; a missing end quote ends with the line. */
function quotedAt(line: string, start: number): [text: string, end: number] {
  let at = start;
  while (line[at] === " ") at += 1;
  if (line[at] !== '"') return ["", at];
  const from = at + 1;
  for (at = from; at < line.length && line[at] !== '"'; at += 1) if (line[at] === "\\") at += 1;
  return [line.slice(from, at).replace(/\\(["\\])/g, "$1"), at + 1];
}

/** The index behind `count` blank-separated words, stopping before a quote. */
function skipWords(line: string, start: number, count: number): number {
  let at = start;
  for (let word = 0; word < count; word += 1) {
    while (line[at] === " ") at += 1;
    if (line[at] === '"') return at;
    while (at < line.length && line[at] !== " ") at += 1;
  }
  return at;
}

function isBlank(text: string): boolean {
  return text === "" || text === "-";
}

function wholeNumber(key: string, text: string | undefined): Record<string, number> {
  return text !== undefined && /^\d{1,15}$/.test(text) ? { [key]: Number(text) } : {};
}
