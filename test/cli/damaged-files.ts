import { gzipSync } from "node:zlib";
import type { EventInput } from "daybook";
import type { Random } from "../../src/testing/random.js";
import type { Finished } from "./run.js";

/** What is compared of a stored event. */
export interface Stored {
  readonly name: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly url: string;
  readonly hostname: string;
  readonly referrer: string | null;
  readonly plan: unknown;
}

/** A file, and what an import has to make of it. */
export interface DamagedFile {
  readonly name: string;
  readonly format: "csv" | "ndjson" | "clf";
  readonly bytes: Buffer;
  /** `all`: each line is stored or rejected; `refused`: nothing is stored; `broken`: what comes before the damage may be stored. */
  readonly outcome: "all" | "refused" | "broken";
  readonly stored: readonly Stored[];
  /** Numbers of lines, ascending. */
  readonly rejected: readonly number[];
  readonly made: string;
}

/** A row of a file, without its line end: the event that it is, or that it is rejected, or that it counts for nothing. */
interface Row {
  readonly bytes: Buffer;
  readonly is: Stored | "rejected" | "nothing";
  /** Lines that it takes. */
  readonly span: number;
  readonly made: string;
}

type Made = readonly [made: string, text: string | Buffer, is: Stored | "rejected" | "nothing"];

const NONE: Stored = { name: "", userId: "", createdAt: "", url: "", hostname: "", referrer: null, plan: undefined };

/** A file, made good and then damaged: some of its rows, the whole, both or none. */
export function damagedFile(random: Random): DamagedFile {
  const format = random.pick(["csv", "ndjson", "clf"] as const);
  const end = random.pick(["\n", "\n", "\r\n", "\r"]);
  const count = random.below(10) === 0 ? 90 + random.below(60) : random.below(10);
  const rate = random.pick([0, 0.1, 0.5, 0.9]);
  const opensQuote = format === "csv" && random.below(8) === 0;
  const rows = Array.from({ length: count }, (_, at) => {
    const isDamaged = random.next() < rate;
    const row = { csv: csvRow, ndjson: jsonRow, clf: logRow }[format](random, at, end, isDamaged && !opensQuote);
    return { bytes: Buffer.isBuffer(row[1]) ? row[1] : Buffer.from(row[1]), is: row[2], span: row[0] === "two lines" ? 2 : 1, made: row[0] };
  });
  const header = format === "csv" ? csvHeader(random) : null;
  return finished(random, format, end, rows, header, opensQuote);
}

function finished(random: Random, format: DamagedFile["format"], end: string, rows: Row[], header: Header | null, opensQuote: boolean): DamagedFile {
  let outcome: DamagedFile["outcome"] = header?.isRefused === true ? "refused" : "all";
  const stored: Stored[] = [];
  const rejected: number[] = [];
  const parts: Buffer[] = header === null ? [] : [Buffer.from(header.text)];
  const made = [`${format} ${JSON.stringify(end)}`, ...(header === null ? [] : [header.text])];
  let line = parts.length + 1;
  const openAt = opensQuote && rows.length > 0 ? random.below(rows.length) : Infinity;
  rows.forEach(({ bytes, is, span, made: how }, at) => {
    parts.push(at === openAt ? Buffer.concat([Buffer.from('x,"'), bytes]) : bytes);
    if (at >= openAt) for (let each = 0; each < span; each += 1) rejected.push(line + each);
    else if (is === "rejected") rejected.push(line);
    else if (is !== "nothing") stored.push(is);
    if (how !== "good") made.push(`${line}: ${how}`);
    line += span;
  });
  if (openAt !== Infinity) made.push(`row ${openAt} opens a quote`);
  const read = rows.filter(({ is }) => is !== "nothing");
  const judged = read.slice(0, 100);
  if (format === "clf" && judged.filter(({ is }) => is === "rejected").length * 2 > judged.length) outcome = "refused";

  let text = Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from(end), part])));
  if (random.below(3) > 0 || parts.length < 2) text = Buffer.concat([text, Buffer.from(end)]);
  const isMixed = end === "\r" && random.below(4) === 0 && parts.length > 3 && openAt === Infinity && rows.every(({ made: how }) => how !== "blank" && how !== "two lines");
  if (isMixed) {
    // Two lines become one, which ends with the first line feed.
    made.push("two lines end with returns, others with feeds");
    text = Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from(at === 1 ? "\r" : "\n"), part])));
    if (format === "csv") outcome = "refused";
    else {
      for (const { is } of rows.slice(0, 2)) if (typeof is !== "string") stored.shift();
      const others = rejected.filter((each) => each > 2).map((each) => each - 1);
      rejected.splice(0, Infinity, 1, ...others);
      const lines = [true, ...rows.slice(2).map(({ is }) => is === "rejected")].slice(0, 100);
      if (format === "clf") outcome = lines.filter(Boolean).length * 2 > lines.length ? "refused" : "all";
    }
  }
  return encoded(random, { name: `file.${format === "clf" ? "log" : format}`, format, bytes: text, outcome, stored, rejected, made: made.join("; ") });
}

function encoded(random: Random, file: DamagedFile): DamagedFile {
  const { name, bytes, made } = file;
  const gz = (more: Partial<DamagedFile>, how: string): DamagedFile => ({ ...file, ...more, name: `${name}.gz`, made: `${made}; ${how}` });
  switch (random.below(16)) {
    case 0: return { ...file, bytes: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]), made: `${made}; byte order mark` };
    case 1: {
      if (bytes.length < 2 || !bytes.subarray(0, 2).every((byte) => byte < 0x80)) return file;
      const wide = Buffer.from(bytes.toString("latin1"), "utf16le");
      return { ...file, outcome: "refused", bytes: random.below(2) === 0 ? wide : wide.swap16(), made: `${made}; UTF-16` };
    }
    case 2: return { ...file, outcome: "refused", bytes: Buffer.from(`\ufeff${bytes.toString("latin1")}`, "utf16le"), made: `${made}; UTF-16 with a mark` };
    case 3: return gz({ bytes: gzipSync(bytes) }, "gzip");
    case 4: {
      const at = random.below(bytes.length + 1);
      return gz({ bytes: Buffer.concat([gzipSync(bytes.subarray(0, at)), gzipSync(bytes.subarray(at))]) }, `two members, cut at ${at}`);
    }
    case 5: {
      const whole = gzipSync(bytes);
      return gz({ bytes: whole.subarray(0, 2 + random.below(whole.length - 2)), outcome: file.outcome === "refused" ? "refused" : "broken" }, "cut off");
    }
    case 6: return gz({ bytes: Buffer.concat([gzipSync(bytes), Buffer.from("more")]), outcome: file.outcome === "refused" ? "refused" : "broken" }, "something behind it");
    case 7: return gz({ bytes: Buffer.concat([gzipSync(bytes), Buffer.alloc(random.below(600))]) }, "padded");
    default: return file;
  }
}

/** The text of a row with bytes put into its middle. */
function spoilt(text: string, bytes: readonly number[]): Buffer {
  const middle = Math.max(2, text.length >> 1);
  return Buffer.concat([Buffer.from(text.slice(0, middle)), Buffer.from(bytes), Buffer.from(text.slice(middle))]);
}

function timeOf(at: number): string {
  return new Date(Date.UTC(2025, 2, 1, 10, 0, at)).toISOString();
}

interface Header {
  readonly text: string;
  readonly isRefused: boolean;
}

function csvHeader(random: Random): Header {
  const names = [
    random.pick(["name", "Name", "event", " Event Name", "event_name"]),
    random.pick(["userId", "UserID", "user_id", "user", "distinct_id", '"User Id"']),
    random.pick(["createdAt", "Created At", "created_at", "timestamp", "TIME", "created"]),
    random.pick(["url", "URL", " Url "]),
    random.pick(["plan", "metadata.plan"]),
  ];
  if (random.below(6) > 0) return { text: names.join(","), isRefused: false };
  const at = random.below(4);
  const slips = ["nmae", "usrId", "createdAtt", "uri"];
  names[at] = random.pick([slips[at] ?? "", "", names[(at + 1) % 4] ?? "", names[at]?.replaceAll('"', "").replace(/^(\s*.)/, '$1"') ?? ""]);
  return { text: names.join(","), isRefused: true };
}

function csvRow(random: Random, at: number, end: string, isDamaged: boolean): Made {
  const event: Stored = { ...NONE, name: "signup", userId: `u${at % 3}`, createdAt: timeOf(at), url: `/p/${at}`, plan: "pro" };
  const fields = [event.name, event.userId, event.createdAt, event.url, "pro"];
  const text = fields.join(",");
  const put = (index: number, value: string) => fields.map((field, each) => (each === index ? value : field)).join(",");
  if (!isDamaged) {
    return random.pick<Made>([["good", text, event], ["good", text, event], ["good", put(1, `  ${event.userId}`), { ...event, userId: `  ${event.userId}` }]]);
  }
  return random.pick<() => Made>([
    () => ["in quotes", fields.map((field) => `"${field}"`).join(","), event],
    () => ["comma and quote", put(4, '"a,""b"'), { ...event, plan: 'a,"b' }],
    () => ["two lines", put(4, `"two${end}lines"`), { ...event, plan: `two${end === "\r" ? "\n" : end}lines` }],
    () => ["other letters", put(1, "żółw🐢"), { ...event, userId: "żółw🐢" }],
    () => ["no plan", put(4, ""), { ...event, plan: undefined }],
    () => ["nobody", put(1, ""), { ...event, userId: "" }],
    () => ["blank", "", "nothing"],
    () => ["a field more", `${text},x`, "rejected"],
    () => ["a field less", fields.slice(0, 4).join(","), "rejected"],
    () => ["no time", put(2, ""), "rejected"],
    () => ["a time without a zone", put(2, "2025-03-01 10:00:00"), "rejected"],
    () => ["a day that is none", put(2, "2025-02-30T10:00:00Z"), "rejected"],
    () => ["no name", put(0, ""), "rejected"],
    () => ["a quote in a field", put(1, 'a"b'), "rejected"],
    () => ["text behind a quote", put(1, '"a"b'), "rejected"],
    () => ["the header again", "name,userId,createdAt,url,plan", "rejected"],
    () => ["a mark", `\ufeff${text}`, "rejected"],
    () => ["a NUL byte", spoilt(text, [0]), "rejected"],
    () => ["no UTF-8", spoilt(text, [0xc3]), "rejected"],
    () => (end === "\r" ? ["good", text, event] : ["a carriage return", spoilt(text, [13]), "rejected"]),
    () => ["two records", `${text},${text}`, "rejected"],
  ])();
}

function jsonRow(random: Random, at: number, end: string, isDamaged: boolean): Made {
  const event: Stored = { ...NONE, name: "signup", userId: `u${at % 3}`, createdAt: timeOf(at), url: `/p/${at}`, plan: "pro" };
  const sent = { name: event.name, userId: event.userId, createdAt: event.createdAt, url: event.url, metadata: { plan: "pro" } };
  const text = JSON.stringify(sent);
  if (!isDamaged) return ["good", text, event];
  return random.pick<() => Made>([
    () => ["blanks around", `  ${text}\t `, event],
    () => ["epoch ms", JSON.stringify({ ...sent, createdAt: Date.parse(event.createdAt) }), event],
    () => ["snake case", JSON.stringify({ ...sent, createdAt: undefined, created_at: event.createdAt }), event],
    () => ["other letters", JSON.stringify({ ...sent, userId: "żółw🐢" }), { ...event, userId: "żółw🐢" }],
    () => ["a NUL that is escaped", JSON.stringify({ ...sent, metadata: { plan: "a\0b" } }), { ...event, plan: "a\0b" }],
    () => ["a line break that is escaped", JSON.stringify({ ...sent, metadata: { plan: "a\r\nb" } }), { ...event, plan: "a\r\nb" }],
    () => ["blank", random.pick(["", "  ", "\t"]), "nothing"],
    () => ["cut off", text.slice(0, 1 + random.below(text.length - 1)), "rejected"],
    () => ["a list", `[${text}]`, "rejected"],
    () => ["a number", "7", "rejected"],
    () => ["null", "null", "rejected"],
    () => ["two on a line", text + text, "rejected"],
    () => ["a comma behind it", `${text},`, "rejected"],
    () => ["a member in other case", JSON.stringify({ ...sent, createdAt: undefined, CreatedAt: event.createdAt }), "rejected"],
    () => ["no name", JSON.stringify({ ...sent, name: undefined }), "rejected"],
    () => ["a time without a zone", JSON.stringify({ ...sent, createdAt: "2025-03-01 10:00:00" }), "rejected"],
    () => (at === 0 ? ["good", text, event] : ["a mark", `\ufeff${text}`, "rejected"]),
    () => ["a NUL byte", spoilt(text, [0]), "rejected"],
    () => ["no UTF-8", spoilt(text, [0xff]), "rejected"],
    () => (end === "\r" ? ["good", text, event] : ["a carriage return between two", `${text}\r${text}`, "rejected"]),
    () => ["a lone surrogate", text.replace('"u', '"\\ud800u'), "rejected"],
    () => ["a type that no record has", JSON.stringify({ ...sent, type: "event" }), "rejected"],
  ])();
}

function logRow(random: Random, at: number, end: string, isDamaged: boolean): Made {
  const address = random.pick([`203.0.113.${at % 7}`, `2001:db8::${at % 7}`]);
  const event: Stored = { ...NONE, name: "pageview", userId: address, createdAt: timeOf(at), url: `/p/${at}` };
  const stamp = new Date(event.createdAt);
  const two = (value: number) => String(value).padStart(2, "0");
  const time = `[01/Mar/2025:10:${two(stamp.getUTCMinutes())}:${two(stamp.getUTCSeconds())} +0000]`;
  const line = (front: string, url = event.url, back = ' 200 5 "-" "-"') => `${front} ${time} "GET ${url} HTTP/1.1"${back}`;
  const plain = `${address} - -`;
  const text = line(plain);
  if (!isDamaged) return random.pick<Made>([["good", text, event], ["good", line(plain, event.url, " 200 5"), event], ["good", line(`${address} - ann`), event]]);
  const cut = (most: number) => text.slice(0, most);
  const quoteAt = text.indexOf('"');
  return random.pick<() => Made>([
    () => ["virtual host and port", line(`shop.example.com:443 ${plain}`), { ...event, hostname: "shop.example.com" }],
    () => ["virtual host", line(`shop.example.com ${plain}`), { ...event, hostname: "shop.example.com" }],
    () => ["host without a name", line(`127.0.1.1:80 ${plain}`), { ...event, hostname: "127.0.1.1" }],
    () => ["brackets", line("[2001:db8::9] - -"), { ...event, userId: "2001:db8::9" }],
    () => ["no address", line("- - -"), { ...event, userId: "" }],
    () => ["a user with blanks", line(`${address} - Ann Lee`), event],
    () => ["bytes", line(plain, `${event.url}/caf\\xC3\\xA9`), { ...event, url: `${event.url}/café` }],
    () => ["bytes of another encoding", line(plain, `${event.url}/\\xE9`), { ...event, url: `${event.url}/\\xE9` }],
    () => ["quotes", line(plain, `${event.url}?\\"\\\\\\x22`), { ...event, url: `${event.url}?"\\"` }],
    () => ["a referrer", line(plain, event.url, ' 200 5 "https://example.com/" "-"'), { ...event, referrer: "https://example.com/" }],
    () => ["no size", line(plain, event.url, ' 304 - "-" "-"'), event],
    () => ["no request", `${plain} ${time} "-" 408 -`, { ...event, url: "" }],
    () => ["a broken request", `${plain} ${time} "\\x16\\x03" 400 5 "-" "-"`, { ...event, url: "" }],
    () => ["more fields", line(plain, event.url, ' 200 5 "-" "-" "10.0.0.1" 0.004'), event],
    () => ["cut off in the agent", line(plain, event.url, ' 200 5 "-" "Mozil'), event],
    () => ["blank", random.pick(["", " "]), "nothing"],
    () => ["syslog", line(`Mar  1 10:00:00 web1 nginx: ${plain}`), "rejected"],
    () => ["syslog of today", line(`<190>1 2025-03-01T10:00:00Z web1.example.com nginx - - - ${plain}`), "rejected"],
    () => ["container", line(`web_1  | ${plain}`), "rejected"],
    () => ["a list", line(`${address}, 10.0.0.1 - -`), "rejected"],
    () => ["a list without blanks", line(`${address},10.0.0.1 - -`), "rejected"],
    () => ["a list in quotes", line(`"${address}, 10.0.0.1" - -`), "rejected"],
    () => ["a list in brackets", line(`[${address}, 10.0.0.1] - -`), "rejected"],
    () => ["a list after an address", line(`10.0.0.1 ${address}, 10.0.0.2 - -`), "rejected"],
    () => ["two addresses", line(`10.0.0.1 ${plain}`), "rejected"],
    () => ["an unknown address before one", line(`- ${plain}`), "rejected"],
    () => ["an address as user", line(`10.0.0.1 - ${address}`), "rejected"],
    () => ["a port", line(`203.0.113.1:51234 - -`), "rejected"],
    () => ["a port before another", line(`203.0.113.1:51234 ${plain}`), "rejected"],
    () => ["a host for an address", line("shop.example.com - -"), "rejected"],
    () => ["a host and port for an address", line("shop.example.com:80 - -"), "rejected"],
    () => ["no ident", line(`${address} -`), "rejected"],
    () => ["cut off in the request", cut(quoteAt + 1 + random.below(10)), "rejected"],
    () => ["cut off before the request", cut(1 + random.below(quoteAt - 1)), "rejected"],
    () => ["cut off after the status", cut(text.indexOf(" 200") + 4), "rejected"],
    () => ["cut off in the referrer", cut(text.indexOf('"-" "-"') + 1), "rejected"],
    () => ["two lines in one", `${text} ${text}`, "rejected"],
    () => ["two lines without a blank", text + text, "rejected"],
    () => ["a quote in the agent", line(plain, event.url, ' 200 5 "-" "a "b" c"'), "rejected"],
    () => ["a field before the referrer", line(plain, event.url, ' 200 5 0.1 "-" "-"'), "rejected"],
    () => ["a day that is none", text.replace("01/Mar", "32/Mar"), "rejected"],
    () => ["a month that is none", text.replace("Mar", "Mai"), "rejected"],
    () => ["JSON", JSON.stringify({ time: event.createdAt, remote_addr: address }), "rejected"],
    () => ["a NUL byte", spoilt(text, [0]), "rejected"],
    () => ["no UTF-8", spoilt(text, [0xe9]), "rejected"],
    () => (end === "\r" ? ["good", text, event] : ["a carriage return between two", `${text}\r${text}`, "rejected"]),
    () => (at === 0 ? ["good", text, event] : ["a mark", `\ufeff${text}`, "rejected"]),
  ])();
}

/** What an import says and stores beside what it has to; empty where it does what it has to. */
export function differencesOf(file: DamagedFile, { code, stdout, stderr }: Omit<Finished, "signal">, events: readonly EventInput[]): string[] {
  const differences: string[] = [];
  const same = (what: string, got: unknown, expected: unknown) => {
    if (JSON.stringify(got) !== JSON.stringify(expected)) differences.push(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
  };
  const texts = (list: readonly Stored[]) => list.map((each) => JSON.stringify(each)).sort();
  const got = texts(events.map(storedOf));
  const expected = new Set(texts(file.stored));
  if (file.outcome === "broken") same("events that are not in the file", got.filter((each) => !expected.has(each)), []);
  else same("events", got, file.outcome === "refused" ? [] : [...expected].sort());
  same("exit code", code, file.outcome === "all" && file.stored.length > 0 ? 0 : 1);
  same("standard error", code === 0 ? stderr === "" : /^daybook import: \S.*\n$/.test(stderr), true);
  if (/^\s+at /m.test(stdout + stderr)) differences.push(`a stack trace: ${stderr}`);
  if (file.outcome === "all") {
    const [, accepted = "", rejected = ""] = /accepted ([\d,]+) \/ duplicates 0 \/ rejected (\d+)/.exec(stdout) ?? [];
    same("counts", [accepted, rejected], [String(file.stored.length), String(file.rejected.length)]);
    same("lines that are named", Array.from(stdout.matchAll(/^ {2}line (\d+): \S/gm), ([, line]) => Number(line)), file.rejected.slice(0, 10));
  }
  return differences.map((difference) => `${file.made}\n${difference}\n${stdout}${stderr}`);
}

function storedOf({ name, userId, createdAt, url, hostname, referrer, metadata }: EventInput): Stored {
  const { plan } = (metadata ?? {}) as { readonly plan?: unknown };
  return { name, userId: String(userId ?? ""), createdAt: String(createdAt), url: url ?? "", hostname: hostname ?? "", referrer: referrer ?? null, plan };
}
