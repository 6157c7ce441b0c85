import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openDaybook, type EventRecord } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import { allPages } from "../oracle/answers.js";
import { daybookHere } from "./run-here.js";
import { emptyDirectory } from "./run.js";

/** What an import of files says, and the events that are stored then. */
async function imported(files: Readonly<Record<string, string | Uint8Array>>) {
  const directory = await emptyDirectory();
  const paths = Object.keys(files).map((name) => join(directory, name));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const data = join(directory, "data");
  const run = await daybookHere(["import", "--data", data, ...paths]);
  await using daybook = await openDaybook({ storage: fileStorage(join(data, "default")) });
  const events: EventRecord[] = await allPages(daybook, {}, 100);
  return { code: run.code, out: run.stdout.replaceAll(`${directory}/`, ""), err: run.stderr.replaceAll(`${directory}/`, ""), events: events.reverse() };
}

const TIME = "2025-03-01T10:00:00.000Z";
const LINE = '{"name":"signup","createdAt":"2025-03-01T10:00:00Z"}\n';

describe("daybook import", () => {
  test("stores what a CSV file holds whose lines all end with carriage returns", async () => {
    const { code, out, events } = await imported({ "cr-only.csv": "name,userId,createdAt\rsignup,u1,2025-03-01T10:00:00Z\rsignup,u2,2025-03-01T10:00:00Z\r" });
    expect([code, out]).toEqual([0, expect.stringMatching(/^cr-only\.csv: accepted 2 \/ duplicates 0 \/ rejected 0 /)]);
    expect(events.map(({ userId, createdAt }) => [userId, createdAt]).sort()).toEqual([["u1", TIME], ["u2", TIME]]);
  });

  test("finds person and time by headers in other case", async () => {
    const { code, events } = await imported({ "header-case.csv": "name,UserId,Created_At,URL\nsignup,u1,2025-03-01T10:00:00Z,/a\n" });
    expect([code, events]).toMatchObject([0, [{ name: "signup", userId: "u1", createdAt: TIME, url: "/a", metadata: {} }]]);
  });

  test.each<[title: string, name: string, content: string | Uint8Array, message: string]>([
    ["no bytes", "a.ndjson", "", "contains no events"],
    ["blank lines only", "a.ndjson", "\n\r\n \n", "contains no events"],
    ["no bytes in gzip", "a.csv.gz", gzipSync(""), "contains no events"],
    ["a header only", "a.csv", "name,createdAt\n", "contains no events"],
    ["no access-log line", "a.log", "\n", "contains no events"],
    ["a header that ends otherwise than the rows", "a.csv", "name,createdAt\ra,5\rb,5\n", "line 1, the header: a carriage return that is neither at the end of the line nor in quotes"],
    ["a header with a slip", "a.csv", "name,creatdAt\na,5\n", 'the column "creatdAt" looks like createdAt: rename it to that, or to metadata.creatdAt for a metadata key'],
    ["a list in JSON", "a.ndjson", `[${LINE.trim()}]\n`, "no row could be imported: is it ndjson?"],
    ["text of Windows", "a.ndjson", Buffer.from(`\ufeff${LINE}`, "utf16le"), "expected UTF-8, got UTF-16"],
    ["a truncated archive", "a.ndjson.gz", gzipSync(LINE).subarray(0, 40), "unexpected end of file"],
    ["something after an archive", "a.ndjson.gz", Buffer.concat([gzipSync(LINE), Buffer.from("more")]), "incorrect header check"],
  ])("exits 1 with one line where nothing of a file can be stored: %s", async (_, name, content, message) => {
    const { code, err, events } = await imported({ [name]: content });
    expect([code, err, events]).toEqual([1, `daybook import: ${name}: ${message}\n`, []]);
  });

  test("reads the other files when one is empty, and exits 1 then", async () => {
    const { code, out, err, events } = await imported({ "a.ndjson": "", "b.ndjson": LINE, "c.ndjson": "x\n" });
    expect([code, err]).toEqual([1, "daybook import: a.ndjson: contains no events; c.ndjson: no row could be imported: is it ndjson?\n"]);
    expect([out.match(/accepted \d/g), events.length]).toEqual([["accepted 0", "accepted 1", "accepted 0"], 1]);
  });

  test("reads every member of an archive", async () => {
    const { code, events } = await imported({ "a.ndjson.gz": Buffer.concat([gzipSync(LINE), gzipSync(LINE.replace("signup", "login"))]) });
    expect([code, events.map(({ name }) => name).sort()]).toEqual([0, ["login", "signup"]]);
  });

  test("stops at a log of another format, and says what it saw", async () => {
    const { code, out, err, events } = await imported({ "access.log": 'Nov 28 10:00:00 web1 nginx: 203.0.113.7 - - [28/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n' });
    expect([code, out, events]).toEqual([1, "", []]);
    expect(err).toBe(
      "daybook import: access.log: 1 of the first 1 line cannot be read, so nothing is stored; expected common, combined and vhost_combined of Apache, and combined " +
        'of nginx (address - - [time] "request" status bytes "referrer" "agent"); line 1: address: expected one IP address, got "Nov"\n',
    );
  });
});
