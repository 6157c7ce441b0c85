import { describe, expect, it } from "vitest";
import { seededRandom, type Random } from "daybook/testing";
import { parseJsonText } from "../../../src/core/base/json-text.js";
import { LIMITS } from "../../../src/core/base/limits.js";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { JsonScanner, scanJson } from "../../../src/http/request/json-scan.js";
import { LineCount, parseNdjson, parseScanned } from "../../../src/http/request/json.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

const encoder = new TextEncoder();
const KIB = 1024;

/** What comes of a text, and how many bytes were asked for in one turn at most. */
async function parsed(text: string, itemCountMax: number = SERVER_LIMITS.bodyItemCount): Promise<{ readonly value: unknown; readonly turnCount: number; readonly longestTurn: number }> {
  const bytes = encoder.encode(text);
  const turns: number[] = [];
  const value = await parseScanned(bytes, scanJson(bytes, itemCountMax), (byteLength) => {
    turns.push(byteLength);
    return Promise.resolve();
  });
  return { value, turnCount: turns.length, longestTurn: Math.max(0, ...turns) };
}

/** Text for some hundred KiB, with all that a scan could take for something else. */
const TRAPS = ["]", "[", "}", ",", '\\"', "\\\\", '\\\\\\",[', "é", "\\u005b", "12345678901234567890"];

function randomValue(random: Random, depth: number): string {
  const kind = random.below(depth > 3 ? 3 : 5);
  if (kind === 0) return `"${Array.from({ length: random.below(6) }, () => random.pick(TRAPS)).join("")}"`;
  if (kind === 1) return random.pick(["1", "-0.5", "12345678901234567890", "1e3", "0.1234567890123456789"]);
  if (kind === 2) return random.pick(["true", "null", "[]", "{}", " [ ] "]);
  const items = Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1));
  return kind === 3 ? `[${items.join(random.pick([",", " , "]))}]` : `{${items.map((item, at) => `"${random.pick(["a", "b", "__proto__", "[", `k${at}`])}":${item}`).join(",")}}`;
}

function randomList(random: Random): string {
  const padding = "x".repeat(random.pick([0, 100, 3_000]));
  return `[${Array.from({ length: random.between(0, 400) }, () => `[${randomValue(random, 0)},"${padding}"]`).join(random.pick([",", ",\n "]))}]`;
}

describe("a body that is parsed in parts", () => {
  it("is what it is as a whole, whatever it holds", async () => {
    let partCount = 0;
    for (let index = 0; index < caseCount(60, 1_000); index += 1) {
      const seed = baseSeed + index;
      const random = seededRandom(seed);
      const members = () => Array.from({ length: random.below(4) }, () => `"${random.pick(["a", "batch", "__proto__", "batch"])}":${random.chance(0.6) ? randomList(random) : randomValue(random, 0)}`);
      const text = random.pick([() => randomList(random), () => `{${members().join(",")}}`, () => randomValue(random, 0)])();
      const whole = parseJsonText(text, true);
      const { value, turnCount } = await parsed(text);
      expect(JSON.stringify(value), `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`).toBe(JSON.stringify(whole));
      partCount += turnCount;
    }
    expect(partCount).toBeGreaterThan(20);
  });

  it("is refused where it is no JSON as a whole, wherever the flaw is", async () => {
    const item = `"${"x".repeat(50 * KIB)}"`;
    const items = Array<string>(20).fill(item);
    const good = `{"batch":[${items.join(",")}]}`;
    expect((await parsed(good)).turnCount).toBe(4);
    const commas = [...good.matchAll(/,/g)].map(({ index }) => index);
    const flawed = [
      ...commas.map((at) => `${good.slice(0, at)},${good.slice(at)}`),
      ...commas.map((at) => `${good.slice(0, at)}]${good.slice(at)}`),
      ...commas.map((at) => `${good.slice(0, at)}}${good.slice(at)}`),
      ...commas.map((at) => `${good.slice(0, at)}\ufeff${good.slice(at)}`),
      ...commas.map((at) => `${good.slice(0, at)} ${good.slice(at + 1)}`),
      `{"batch":[${items.join(",")},]}`, `{"batch":[,${items.join(",")}]}`, `{"batch":[${items.join(",")}}`, `[${items.join(",")}}`, `${good},`, `${good}${good}`, `{"batch":[${items.join(",")}`,
    ];
    for (const text of flawed) {
      expect(() => void JSON.parse(text)).toThrow();
      await expect(parsed(text)).rejects.toMatchObject({ code: "malformed_json" });
    }
  });

  it("is refused with the place of the flaw in the body, wherever that is", async () => {
    const messageOf = async (text: string) => String(await parsed(text).catch((error: unknown) => (error as Error).message));
    const wholeMessageOf = (text: string) => {
      try {
        return String(JSON.parse(text.replace(/^\ufeff/, "")));
      } catch (error) {
        return (error as Error).message;
      }
    };
    const flaw = '{"a":1 "b":2}';
    const listOf = (flawAt: number) => `[${Array.from({ length: 40 }, (_, at) => (at === flawAt ? flaw : `"é😀${"x".repeat(20 * KIB)}"`)).join(",")}]`;
    const good = listOf(-1);
    const flawed = [0, 1, 20, 39].flatMap((at) => [listOf(at), `{"é":1,"batch":${listOf(at)}}`, `\ufeff{"a":${good},"b" : ${listOf(at)},"c":[]}`]);
    const beside = [`{"x":${flaw},"a":${good}}`, `{"a":${good},"😀":${flaw},"b":${good}}`, `{"a":${good},"b":${good},"c":${flaw}}`, `{"a":${good} "b":1}`, `${good} 1`];
    for (const text of [...flawed, ...beside]) {
      const [, place] = / at position (\d+)/.exec(wholeMessageOf(text)) ?? [];
      expect(place).toBeDefined();
      expect(await messageOf(text)).toMatch(new RegExp(`^expected JSON.* at position ${place}$`));
    }
    // Nobody sent what stands for a list meanwhile.
    expect(await messageOf(`{"a":${good}x}`)).not.toMatch(/[0-9a-f]{8}|-[0-9a-f]{4}/);
  });

  it("takes what a sender wrote in the place of a list for what it is", async () => {
    const list = `[${Array<string>(10).fill(`"${"x".repeat(50 * KIB)}"`).join(",")}]`;
    for (const text of [`{"a":${list},"b":["mark"],"a":[]}`, `{"a":[1],"a":${list}}`, `{"a":${list},"c":{"a":["0"]}}`, `{"__proto__":${list}}`])
      expect(JSON.stringify((await parsed(text)).value)).toBe(JSON.stringify(JSON.parse(text)));
  });
});

describe("the work of a body is bounded", () => {
  it.each([
    ["at the top", (items: string) => `[${items}]`],
    ["in an object at the top", (items: string) => `{"batch":[${items}]}`],
    ["in two lists of it", (items: string) => `{"a":[1],"batch":[${items.slice(3)}]}`],
  ])("items %s are counted before they are parsed", async (_, body) => {
    const items = (count: number) => Array<string>(count).fill("{}").join(",");
    await expect(parsed(body(items(7)), 7)).resolves.toMatchObject({ turnCount: 0 });
    await expect(parsed(body(items(8)), 7)).rejects.toMatchObject({ code: "body_too_large", message: expect.stringContaining("at most 7 items") as string });
  });

  it("an empty list beside a full one is no item", () => {
    const full = "[1,2,3]";
    for (const empty of ["[]", "[ ]", "[\n\t \r]"])
      for (const text of [`{"a":${full},"b":${empty}}`, `{"a":${empty},"b":${empty},"c":${full}}`, empty, `{"b":${empty}}`]) expect(() => scanJson(encoder.encode(text), text.includes(full) ? 3 : 0)).not.toThrow();
    expect(() => scanJson(encoder.encode(`{"a":[],"b":${full}}`), 2)).toThrow("at most 2 items");
    for (const one of ["[1]", "[[]]", "[{}]", '[""]']) expect(() => scanJson(encoder.encode(`{"a":${one}}`), 0)).toThrow("at most 0 items");
  });

  it("items within items are none of the body", async () => {
    await expect(parsed(`{"batch":[{"a":[${"1,".repeat(20)}1]}]}`, 7)).resolves.toMatchObject({ turnCount: 0 });
  });

  it("an item, or what stands beside items, is a mebibyte at most", async () => {
    const long = `"${"x".repeat(SERVER_LIMITS.bodyItemBytes)}"`;
    // What was cut short is no JSON, however long.
    await expect(parsed(`{"events":[${Array<string>(40).fill(`"${"x".repeat(50 * KIB)}"`).join(",")}`)).rejects.toMatchObject({ code: "malformed_json" });
    for (const text of [`[1,${long}]`, `{"batch":[${long},1]}`, `{"a":${long}}`, `${" ".repeat(SERVER_LIMITS.bodyItemBytes)}[]`]) await expect(parsed(text)).rejects.toMatchObject({ code: "body_too_large" });
  });

  it("an item of very many values is refused, because it is parsed in one piece", async () => {
    const item = (count: number) => `[${Array<string>(count).fill("[]").join(",")}]`;
    // Two for each list and its comma, and one for the comma before the second item.
    const most = SERVER_LIMITS.bodyItemBytes / SERVER_LIMITS.jsonValueBytes / 2 - 1;
    for (const text of [`[${item(most)},${item(most)}]`, `{"batch":[1,${item(most)}]}`]) await expect(parsed(text)).resolves.toMatchObject({});
    for (const text of [`[${item(most + 2)}]`, `{"batch":[1,${item(most + 2)},1]}`, `{"batch":[1,${item(most + 2)}]}`])
      await expect(parsed(text)).rejects.toMatchObject({ code: "body_too_large", message: expect.stringContaining("memory") as string });
  });

  it("one turn parses some hundred KiB and one item", async () => {
    const items = Array<string>(5_000).fill(`{"name":"${"x".repeat(1_000)}"}`).join(",");
    const { turnCount, longestTurn } = await parsed(`{"batch":[${items}]}`);
    expect([turnCount, longestTurn < LIMITS.parsedBytesPerTurn + 2 * KIB]).toEqual([Math.ceil(items.length / LIMITS.parsedBytesPerTurn), true]);
  });

  it("what is mostly empty objects weighs what it takes in memory", () => {
    const weight = (text: string) => scanJson(encoder.encode(text), Infinity).weight;
    expect(weight(`[${Array(1_000).fill("[]").join(",")}]`)).toBe(8 * 2_000);
    const event = JSON.stringify({ name: "signup", userId: "u123456", metadata: { plan: "pro" } });
    expect(weight(event)).toBe(event.length);
  });

  it("a body that arrives in pieces is scanned as a whole one", () => {
    for (let index = 0; index < caseCount(100, 2_000); index += 1) {
      const seed = baseSeed + index;
      const random = seededRandom(seed);
      const bytes = encoder.encode(random.pick([() => randomList(random), () => `{"a":${randomList(random)},"b":${randomValue(random, 0)}}`])());
      const scanner = new JsonScanner(Infinity, Infinity);
      for (let end = 0; end < bytes.length; end += random.between(1, random.pick([3, 5_000]))) scanner.scan(bytes.subarray(0, end));
      expect(scanner.finish(bytes), `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`).toEqual(scanJson(bytes, Infinity));
    }
  });

  it.each([
    ["items", `[${Array<string>(50_000).fill("{}").join(",")}]`, "at most 10000 items"],
    ["values", `[[${Array<string>(400_000).fill("[]").join(",")}]]`, "no more memory than"],
    ["bytes beside the items", `{"a":[1],${Array.from({ length: 100_000 }, (_, at) => `"${at}":"0123456789"`).join(",")}}`, "outside the items"],
    ["levels", `${"[".repeat(70)}${" ".repeat(100_000)}`, "levels of nesting"],
  ])("too many %s are refused before the end of the body arrives", (_, text, message) => {
    const bytes = encoder.encode(text);
    const scanner = new JsonScanner(SERVER_LIMITS.bodyItemCount, 4 * KIB * KIB);
    expect(() => scanner.scan(bytes.subarray(0, Math.floor(bytes.length * 0.9)))).toThrow(message);
  });

  it("nothing is refused early that a whole body may have", () => {
    const text = (kib: number) => `"${"x".repeat(kib * KIB)}"`;
    // An open list counts as beside only if it ends as a short one.
    const bytes = encoder.encode(`{"note":${text(500)},"one":[${text(400)}],"batch":[${text(1_000)},${Array<string>(60).fill(text(50)).join(",")}]}`);
    const scanner = new JsonScanner(100, Infinity);
    for (let end = 0; end < bytes.length; end += 16 * KIB) scanner.scan(bytes.subarray(0, end));
    expect(scanner.finish(bytes).byteLengthBeside).toBeLessThan(SERVER_LIMITS.bodyItemBytes);
  });

  it("lines that arrive in pieces are counted, blank ones aside, and long ones refused", () => {
    const bytes = encoder.encode(`\ufeff\n${"1\n \n\r\n\n".repeat(100)}`);
    const countTo = (countMax: number, piece: number) => {
      const lines = new LineCount(countMax);
      for (let end = 0; end < bytes.length + piece; end += piece) lines.count(bytes.subarray(0, end));
    };
    for (const piece of [1, 2, 7, 1_000]) {
      expect(() => countTo(100, piece)).not.toThrow();
      expect(() => countTo(99, piece)).toThrow("at most 99 items");
    }
    const long = new Uint8Array(2 * SERVER_LIMITS.bodyItemBytes).fill(0x31);
    expect(() => new LineCount(1).count(long.subarray(0, SERVER_LIMITS.bodyItemBytes + 1))).toThrow("bytes each");
    expect(() => new LineCount(1).count(long.subarray(0, SERVER_LIMITS.bodyItemBytes))).not.toThrow();
  });

  it("lines are counted, and parsed some in a turn", async () => {
    const bytes = encoder.encode(`${JSON.stringify({ name: "x".repeat(1_000) })}\n\n`.repeat(2_000));
    let turnCount = 0;
    const pace = () => Promise.resolve(void (turnCount += 1));
    expect(await parseNdjson(bytes, scanJson(bytes, Infinity), 2_000, pace)).toHaveLength(2_000);
    expect(turnCount).toBe(Math.floor(bytes.length / LIMITS.parsedBytesPerTurn));
    await expect(parseNdjson(bytes, scanJson(bytes, Infinity), 1_999, pace)).rejects.toMatchObject({ code: "body_too_large" });
    const long = encoder.encode(`1\n"${"x".repeat(SERVER_LIMITS.bodyItemBytes)}"`);
    await expect(parseNdjson(long, scanJson(long, Infinity), 10, pace)).rejects.toMatchObject({ code: "body_too_large" });
  });
});
