import { describe, expect, test } from "vitest";
import { emptyDirectory, startProgram } from "./run.js";

describe("daybook demo", () => {
  test("imports real data once, reports on it, and answers the requests that it prints", async () => {
    const directory = await emptyDirectory();
    const demo = startProgram("src/cli/main.ts", ["demo", "--data", directory, "--port", "0"]);
    const [, url = ""] = await demo.said(/^daybook listening on (http:\/\/\S+)$/m);
    const report = demo.stdout;
    for (const [, events] of [["access-log", "10,000"], ["cdnow", "69,659"], ["cdnow-sample", "6,919"], ["online-retail", "567,809"]]) {
      expect(report).toMatch(new RegExp(` ${events} events imported in `));
    }
    expect(report).toMatch(/^ +2015-05-18 +2,893 +627 +█+$/m);
    expect(report).toMatch(/^ +23,570 +customers$/m);
    expect(report).toMatch(/^ +541,909 +order lines$/m);
    expect(report).toMatch(/^ +4,372 +customers$/m);
    expect(report).toMatch(/^ +2001:db8::8 +364 +84 /m);
    expect(report).toMatch(/^ +feedburner +145 +146$/m);
    expect(report).toMatch(/^ +2010-12 +948 +8,497 +4,409,023\.95 +4,650\.87$/m);
    expect(report).toMatch(/[▁▂▃▄▅▆▇█]{50,}/);
    // The triangles that public notebooks show of these orders.
    expect(report).toMatch(/^ +2010-12 +948 +362 +317 +367 +341 +376 +360 +336 +336 +374 +354 +474 +260$/m);
    expect(report).toMatch(/^ +2011-11 +321 +43$/m);
    expect(report).toMatch(/^ +1997-01 +781 +124 +95 +70 /m);
    expect(report).toMatch(/^ +a list of articles +64 +13\.1 % +13\.1 % +10 s$/m);
    expect(report).toMatch(/^ +third purchase +563 +23\.9 % +56\.2 % +69 days$/m);
    expect(report).toMatch(/^ +customers by week, highest 298 customers\n +▃▅▆▆▇█▇█████▅.*\n +1996-12-30 +1998-06-29$/m);
    expect(report).not.toMatch(/undefined|NaN|\[object/);

    const variables = new Map([...report.matchAll(/^ {2}([A-Z_]+_TOKEN)=(sk_\S+)$/gm)].map(([, name = "", value = ""]) => [name, value]));
    // Each is told once, and once more in the address of its page.
    for (const value of variables.values()) expect(report.split(value)).toHaveLength(3);
    const requests = [...report.matchAll(/curl -s (\S+) -H "Authorization: Bearer \$(\w+)" \\\n.* -d '(.*)'$/gm)];
    expect(requests.length).toBeGreaterThanOrEqual(7);
    for (const [, address = "", variable = "", body = ""] of requests) {
      expect(address.startsWith(url)).toBe(true);
      const headers = { authorization: `Bearer ${variables.get(variable)}`, "content-type": "application/json" };
      const response = await fetch(address, { method: "POST", headers, body });
      expect([address, response.status]).toEqual([address, 200]);
    }
    demo.child.kill("SIGTERM");
    expect(await demo.finished).toMatchObject({ code: 0, stderr: expect.stringMatching(/^( {2}\S+ +importing: .*\n)*$/) });

    const again = await startProgram("src/cli/main.ts", ["demo", "--data", directory, "--once"]).finished;
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout.match(/ events already imported$/gm)).toHaveLength(4);
    const numbersOf = (text: string) => text.slice(text.indexOf("access-log —"), text.indexOf("Queries over HTTP to try")).replace(/answers in .*/g, "");
    expect(numbersOf(`${again.stdout}\nQueries over HTTP to try`)).toBe(numbersOf(report));
  }, 180_000);
});
