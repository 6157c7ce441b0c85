// Turns a CDNOW file (standard input) into events:
//   npx tsx examples/cdnow.ts < examples/data/CDNOW_sample.txt | npx daybook import --data ./data --format ndjson -
import { createInterface } from "node:readline";
import { cdnowPurchase } from "./cdnow/purchases.js";

let number = 0;
for await (const line of createInterface({ input: process.stdin })) {
  number += 1;
  const event = cdnowPurchase(line);
  if (event !== null) process.stdout.write(`${JSON.stringify({ id: `cdnow line ${number}`, ...event })}\n`);
}
