import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";

test("The addresses of the access log are of documentation, and there are as many as in the original.", () => {
  const lines = gunzipSync(readFileSync("examples/data/apache_logs_semicomplete_2015.log.gz")).toString("latin1").trimEnd().split("\n");
  const addresses = new Set(lines.map((line) => line.slice(0, line.indexOf(" "))));
  expect([lines.length, addresses.size]).toEqual([10_000, 1_753]);
  expect([...addresses].filter((address) => !/^2001:db8::[0-9a-f]{1,4}$/.test(address))).toEqual([]);
});
