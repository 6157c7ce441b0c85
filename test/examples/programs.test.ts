import { readFile, readdir, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { bucketStorage, mapBucket } from "../../examples/custom-storage/bucket-storage.js";
import { storageSuite } from "../../src/testing/index.js";
import { daybook, emptyDirectory, ROOT, startProgram } from "../cli/run.js";
import { longTest } from "../long-test.js";

describe("every example runs and says what it promises", () => {
  test("embed.ts", async () => {
    const run = await startProgram("examples/embed.ts", [await emptyDirectory()]).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("{ day: '2026-03-01T00:00:00.000Z', count: 2 }");
    expect(run.stdout).toContain("unique users: 2");
    expect(run.stdout).toContain("{ property: '/pricing', count: 1 }");
    expect(run.stdout).toContain("pro signups: 1");
  });

  test("embed.ts is fifteen lines without its heading", async () => {
    const lines = (await readFile(`${ROOT}/examples/embed.ts`, "utf8")).trim().split("\n");
    expect(lines.filter((line) => line !== "" && !line.startsWith("//"))).toHaveLength(15);
  });

  longTest("typed-events.ts", async () => {
    const run = await startProgram("examples/typed-events.ts", []).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^stored: 2\nrejected: metadata\.plan: .*\npro signups: 1\nordered: 19\.9\n$/);
  });

  longTest("http.ts", async () => {
    const run = await startProgram("examples/http.ts", []).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("stored: { accepted: 2, duplicates: 0, rejected: [], adjusted: [] }");
    expect(run.stdout).toContain("counted: { status: 'OK', data: 2 }");
    const oneLine = run.stdout.replace(/\s+/g, " ");
    expect(oneLine).toContain("per day: { status: 'OK', data: [ { day: '2026-03-01T00:00:00.000Z', count: 2 } ] }");
  });

  longTest("serve-embedded.ts leaves a store that the command line verifies, and serves as it says", async () => {
    const directory = `${await emptyDirectory()}/visits`;
    const run = await startProgram("examples/serve-embedded.ts", [directory]).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const commands = [...run.stdout.matchAll(/npx daybook (.*)$/gm)].map(([, args = ""]) => args.split(" "));
    expect(commands).toEqual([["verify", "--data", directory], ["serve", "--data", directory]]);
    const verified = await daybook(commands[0] ?? []);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^default: intact: 3 events of 2 days, /)]);
    const server = startProgram("src/cli/main.ts", [...(commands[1] ?? []), "--port", "0", "--quiet"]);
    const [, token = "", url = ""] = await server.said(/^owner token, shown only once: (\S+)\npage: .*\ndaybook listening on (http:\/\/\S+)$/m);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/analytics/count-unique-users`, { method: "POST", headers, body: "{}" });
    expect(await answer.json()).toEqual({ status: "OK", data: 2 });
  });

  longTest("client.ts", async () => {
    const run = await startProgram("examples/client.ts", []).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("stored: { accepted: 2, duplicates: 0, rejected: [], adjusted: [] }\nunique users: 1\npage views: 1\n");
    expect(run.stdout).toContain("newest: signup\nexported: page_view\nexported: signup\n");
  });

  longTest("custom-storage.ts", async () => {
    const run = await startProgram("examples/custom-storage.ts", []).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("events after reopening: 2");
    expect(run.stdout).toMatch(/objects in the bucket: [1-9]/);
  });

  longTest("attribution.ts", async () => {
    const run = await startProgram("examples/attribution.ts", []).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("first_touch\n  (direct): 973 readings\n  feedburner: 145 readings\n");
    expect(run.stdout).toContain("last_touch\n  (direct): 973 readings\n  feedburner: 146 readings\n");
  });

  longTest("insights.ts", async () => {
    const run = await startProgram("examples/insights.ts", []).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout.trimEnd().split("\n")).toEqual([
      "customers by week:",
      ...["1997-01-06  171", "1997-01-13  189", "1997-01-20  220", "1997-01-27  227", "1997-02-03  281", "1997-02-10  249", "1997-02-17  273", "1997-02-24  298"].map((line) => `  ${line}`),
      "bought once, twice, three times within 180 days:",
      "  2357: 100.0 %",
      "  1002: 42.5 %, half of them within 33 days",
      "  563: 23.9 %, half of them within 69 days",
      "came back in the months after their first purchase:",
      "  1997-01  781: 124 95 70 65 77 65",
      "  1997-02  857: 134 110 75 77 75 61",
      "  1997-03  719: 87 84 78 63 64 55",
      "  of all, in percent: 14.6 12.3 9.5 8.7 9.2 7.7",
      "in_segment regulars: 280 customers, 22751.02 dollars in 1998, by quarter 13109.02 and 9642",
      "not_in_segment regulars: 2077 customers, 20116.1 dollars in 1998, by quarter 11777.56 and 8338.54",
    ]);
  });

  longTest("cdnow.ts converts the file of its argument, else standard input, else its own sample", async () => {
    const events = async (args: readonly string[], input = "") => {
      const run = await startProgram("examples/cdnow.ts", args, { input }).finished;
      expect([run.code, run.stderr]).toEqual([0, ""]);
      return run.stdout.trim().split("\n");
    };
    const sample = await readFile(`${ROOT}/examples/data/CDNOW_sample.txt`, "utf8");
    const lines = await events([]);
    expect(lines).toHaveLength(6_919);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      id: "cdnow line 1",
      name: "purchase",
      userId: "1",
      createdAt: "1997-01-01T00:00:00Z",
      metadata: { revenue: 29.33, currency: "USD", cds: 2 },
    });
    expect(await events([], sample.slice(0, sample.indexOf("\n")))).toEqual(lines.slice(0, 1));
    expect(await events([`${ROOT}/examples/data/CDNOW_sample.txt`])).toEqual(lines);
  });

  longTest("online-retail.ts prints a summary, and writes its events only where it is told to", async () => {
    const directory = await emptyDirectory();
    const header = "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n";
    const lines = "7,A,Tea,2,2011-01-02 10:05:00,1.5,17.0,EIRE\n7,B,Cup,1,2011-01-02 10:00:00,0.333,17.0,EIRE\nC8,B,Cup,-1,2011-01-03 09:00:00,0.333,,Unspecified\n";
    await writeFile(`${directory}/shop.csv`, header + lines);
    const summary = await startProgram("examples/online-retail.ts", [`${directory}/shop.csv`]).finished;
    const said = ["3 order lines on 2 days", "1 customers", "1 purchases, 1 refunds", "3.00 pounds net of refunds", "order lines by country: IE 2, unknown 1"];
    expect([summary.code, summary.stderr, summary.stdout]).toEqual([0, "", `${said.join("\n")}\n`]);
    expect(await readdir(directory)).toEqual(["shop.csv"]);
    const run = await startProgram("examples/online-retail.ts", [`${directory}/shop.csv`, "--out", `${directory}/events.ndjson`]).finished;
    expect([run.code, run.stderr, run.stdout]).toEqual([0, "", ""]);
    const events = (await readFile(`${directory}/events.ndjson`, "utf8")).trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map((event) => event["name"])).toEqual(["order_line", "order_line", "order_line", "purchase", "refund"]);
    expect(events[0]).toMatchObject({ userId: 17, url: "/product/A", locationCountry: "IE", metadata: { order_id: "7", sku: "A", description: "Tea", quantity: 2, unit_price: 1.5 } });
    expect(events[3]).toEqual({
      id: "online-retail invoice 7",
      name: "purchase",
      userId: 17,
      createdAt: Date.UTC(2011, 0, 2, 10),
      metadata: { order_id: "7", revenue: 3.333, currency: "GBP", lines: 2 },
    });
    expect(events[4]).toEqual({
      id: "online-retail invoice C8",
      name: "refund",
      createdAt: Date.UTC(2011, 0, 3, 9),
      metadata: { order_id: "C8", revenue: -0.333, currency: "GBP", lines: 1 },
    });
  });
});

describe("the storage of custom-storage.ts keeps what Storage promises", () => {
  for (const { name, run } of storageSuite) {
    test(name, async () => {
      const bucket = mapBucket();
      await run(() => Promise.resolve(bucketStorage(bucket)));
    });
  }
});
