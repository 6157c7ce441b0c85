// Turns a CDNOW file into events, as NDJSON:
//   npx tsx examples/cdnow.ts | npx daybook import --data ./data --organization cdnow-sample --format ndjson -
// The file is the argument, else standard input, else the sample in examples/data.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cdnowPurchase } from "./cdnow/purchases.js";

const SAMPLE = fileURLToPath(new URL("./data/CDNOW_sample.txt", import.meta.url));

/** Writes the purchases of a file; returns its number of lines. */
async function convert(input: NodeJS.ReadableStream): Promise<number> {
  let number = 0;
  for await (const line of createInterface({ input })) {
    number += 1;
    const event = cdnowPurchase(line);
    if (event !== null) process.stdout.write(`${JSON.stringify({ id: `cdnow line ${number}`, ...event })}\n`);
  }
  return number;
}

const [file] = process.argv.slice(2);
if (file !== undefined) await convert(createReadStream(file));
// Do not wait for input on a terminal.
else if (process.stdin.isTTY || (await convert(process.stdin)) === 0) await convert(createReadStream(SAMPLE));
