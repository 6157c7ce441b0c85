/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are below the end of their counts */
import type { PageCounts } from "../../answer/visits/sessions-answer.js";
import type { Visits } from "../../answer/visits/visits.js";
import type { SessionView } from "../../table/sessions/session-view.js";

/** At which urls some sessions begin, or end: by code of the url, or by place in `codes`. */
export interface UrlCounts {
  /** Null: all codes in order, from 0 on. */
  readonly codes: Uint32Array | null;
  readonly sessions: Uint16Array;
  readonly bounces: Uint16Array;
}

const COUNTS_BYTES = 100;

/** Cost: some 5 ns a session. @param visits fewer than 65,536 @param zeros by code of a url, and zeros again afterwards */
export function urlCountsOf({ view, sessions }: Visits<SessionView>, end: "entry" | "exit", zeros: PageCounts): UrlCounts {
  const { entryUrls, exitUrls, eventCounts } = view.facts;
  const urls = end === "entry" ? entryUrls : exitUrls;
  const { sessions: counts, bounces } = zeros;
  const found = new Uint32Array(sessions.length);
  let [foundCount, codeEnd] = [0, 0];
  for (let at = 0; at < sessions.length; at += 1) {
    const session = sessions[at]!;
    const url = urls[session]!;
    if (counts[url] === 0) {
      found[foundCount] = url;
      foundCount += 1;
      if (url >= codeEnd) codeEnd = url + 1;
    }
    counts[url]! += 1;
    if (eventCounts[session] === 1) bounces[url]! += 1;
  }
  const codes = found.slice(0, foundCount);
  const made = codeEnd <= codes.length * 2 ? listed(zeros, null, codeEnd) : listed(zeros, codes, codes.length);
  for (let at = 0; at < codes.length; at += 1) counts[codes[at]!] = bounces[codes[at]!] = 0;
  return made;
}

function listed({ sessions, bounces }: PageCounts, codes: Uint32Array | null, length: number): UrlCounts {
  const made = { codes, sessions: new Uint16Array(length), bounces: new Uint16Array(length) };
  for (let at = 0; at < length; at += 1) {
    const code = codes === null ? at : codes[at]!;
    made.sessions[at] = sessions[code]!;
    made.bounces[at] = bounces[code]!;
  }
  return made;
}

export function byteLengthOfCounts({ codes, sessions, bounces }: UrlCounts): number {
  return (codes?.byteLength ?? 0) + sessions.byteLength + bounces.byteLength + COUNTS_BYTES;
}

/** Cost: the urls. */
export function addUrlCounts(into: PageCounts, { codes, sessions, bounces }: UrlCounts): void {
  for (let at = 0; at < sessions.length; at += 1) {
    const code = codes === null ? at : codes[at]!;
    into.sessions[code]! += sessions[at]!;
    into.bounces[code]! += bounces[at]!;
  }
}
