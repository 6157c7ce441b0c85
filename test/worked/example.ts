import type { Daybook, DaybookError, DaybookOptions, EventInput, RecordInput } from "daybook";
import { expect, test } from "vitest";
import { inEveryLayout, LAYOUT_NAMES } from "../query/reports/layouts.js";

/** Keys of a line that are fields of an event; every other key is metadata. */
const FIELDS: Readonly<Record<string, keyof EventInput>> = {
  id: "id",
  project: "project",
  company: "companyId",
  order: "externalId",
  value: "value",
  currency: "currency",
  url: "url",
  hostname: "hostname",
  referrer: "referrer",
  device: "device",
  os: "os",
  browser: "browser",
  screen: "screen",
  language: "language",
  country: "locationCountry",
  region: "locationRegion",
  city: "locationCity",
};

const LINE = /^(?:(\d{4})-)?(\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d{3})?)?) +(\S+) +("[^"]+"|\S+)(.*)$/;
const PAIR = /([\w.$-]+)=("[^"]*"|\S+)/g;

/** The year of dates without one. */
const YEAR = "2026";

type Pairs = Readonly<Record<string, unknown>>;

/**
 * Adds a test that runs one query on a story. The current time is 2026-03-20T12:00Z. The default suite stores the story in one layout, chosen by the
 * length of the title; the long suite uses all layouts.
 *
 * A line of the story is an event, `DATE TIME WHO WHAT KEY=VALUE…`, in UTC:
 * - DATE `03-02` (of 2026) or `2025-12-31`; TIME `09:00`, `09:00:30` or `09:00:30.250`.
 * - WHO `ann` (a user id), `~phone` (an anonymous id), `ann~phone` (both) or `-` (neither).
 * - WHAT is the name of an event; `/path` is a `Pageview` of that url.
 * - Keys are fields of the event (`project company order value currency url hostname referrer device os browser screen language country region city
 *   id`), others are metadata. A value is a number, `true`, `false`, `null`, a list such as `["a","b"]`, or text, with spaces in quotes.
 *
 * Or it is a record: WHAT is `identify` (keys are traits; `email` is the email, `id` the record's id), `alias:OTHER` (WHO, with or without `~`, is
 * merged into OTHER) or `group:COMPANY`.
 *
 * @param expected what the answer equals, as `toEqual` compares
 */
export function example(title: string, story: string, ask: (daybook: Daybook) => Promise<unknown>, expected: unknown, options: Partial<DaybookOptions> = {}): void {
  const isOwnLayout = (_: string, at: number) => at === title.length % LAYOUT_NAMES.length;
  const layouts = process.env["DAYBOOK_THOROUGH"] === "1" ? LAYOUT_NAMES : LAYOUT_NAMES.filter(isOwnLayout);
  test(title, async () => {
    const { events, records } = parseStory(story);
    const prepare = async (daybook: Daybook) => {
      if (records.length === 0) return;
      const { rejected } = await daybook.ingestRecords(records);
      expect(rejected).toEqual([]);
    };
    await inEveryLayout(
      events,
      async (daybook, layout) => {
        expect(await ask(daybook), layout).toEqual(expected);
      },
      { ...options, prepare, layouts },
    );
  });
}

/** The code and parameter of an error, for `catch`. */
export function codeAndParam({ code, details }: DaybookError): readonly unknown[] {
  return [code, details.param];
}

/** The code and parameter of the error that a query fails with. */
export function refusal(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(() => "no error", codeAndParam);
}

/** The same as one text. */
export function refusalText(answer: Promise<unknown>): Promise<string> {
  return answer.then(() => "no error", (error: DaybookError) => codeAndParam(error).map(String).join(" "));
}

function parseStory(story: string): { readonly events: readonly EventInput[]; readonly records: readonly RecordInput[] } {
  const events: EventInput[] = [];
  const records: RecordInput[] = [];
  for (const line of story.split("\n").map((text) => text.trim())) {
    if (line === "") continue;
    const [, year = YEAR, day, time, who = "", what = "", rest = ""] = LINE.exec(line) ?? [];
    if (day === undefined || time === undefined) throw new Error(`expected DATE TIME WHO WHAT KEY=VALUE…, got ${line}`);
    const createdAt = `${year}-${day}T${time.length === 5 ? `${time}:00` : time}Z`;
    const pairs = pairsOf(rest);
    const record = recordOf(what, who, createdAt, pairs);
    if (record !== null) records.push(record);
    else events.push({ ...eventOf(what, pairs), ...idsOf(who), createdAt });
  }
  return { events, records };
}

function recordOf(what: string, who: string, createdAt: string, { id, email, ...traits }: Pairs): RecordInput | null {
  const shared = { createdAt, ...(id === undefined ? {} : { id: String(id) }) };
  if (what === "identify") return { type: "identify", ...shared, ...idsOf(who), ...(email === undefined ? {} : { email: String(email) }), traits } as RecordInput;
  if (what.startsWith("alias:")) return { type: "alias", ...shared, from: who.replace("~", ""), to: what.slice(6) };
  if (what.startsWith("group:")) return { type: "group", ...shared, ...idsOf(who), companyId: what.slice(6), traits } as RecordInput;
  return null;
}

function eventOf(what: string, pairs: Pairs): EventInput {
  const name = what.startsWith("/") ? "Pageview" : what.replaceAll('"', "");
  const fields: Record<string, unknown> = what.startsWith("/") ? { url: what } : {};
  const metadata: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(pairs)) {
    const field = FIELDS[key];
    if (field === undefined) metadata[key] = value;
    else fields[field] = value;
  }
  return { name, ...fields, metadata };
}

function idsOf(who: string): { readonly userId?: string; readonly anonymousId?: string } {
  if (who === "-") return {};
  const [userId = "", anonymousId = ""] = who.split("~");
  return { ...(userId === "" ? {} : { userId }), ...(anonymousId === "" ? {} : { anonymousId }) };
}

function pairsOf(text: string): Pairs {
  const left = text.replaceAll(PAIR, "").trim();
  if (left !== "") throw new Error(`expected KEY=VALUE, got ${left}`);
  return Object.fromEntries([...text.matchAll(PAIR)].map(([, key = "", value = ""]) => [key, valueOf(value)]));
}

function valueOf(text: string): unknown {
  if (text.startsWith('"')) return text.slice(1, -1);
  return /^(-?\d+(\.\d+)?|true|false|null|\[.*\]|\{.*\})$/.test(text) ? JSON.parse(text) : text;
}
