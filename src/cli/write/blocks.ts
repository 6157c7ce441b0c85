import type { Daybook } from "../../engine/daybook.js";
import type { ExportInput } from "../../plan/input.js";
import { csvHeader, csvLine } from "./csv.js";

/** What is written down. */
export type Exporting = Pick<Daybook, "exportEvents" | "exportRecords">;

/** What is written so far. */
export interface Written {
  events: number;
  /** Records about identities, and projects. */
  records: number;
}

/** Lines per write: a string of some hundred kilobytes. */
const BLOCK_LINES = 500;

/** A copy as NDJSON: records, then events, or events alone. @param onBlock called before each block with what it counts up to */
export async function* ndjsonBlocks(
  daybook: Exporting,
  input: ExportInput,
  withRecords: boolean,
  onBlock: (written: Written) => void,
): AsyncGenerator<string> {
  const written: Written = { events: 0, records: 0 };
  const lines = async function* (): AsyncGenerator<string> {
    if (withRecords)
      for await (const record of daybook.exportRecords()) {
        written.records += 1;
        yield `${JSON.stringify(record)}\n`;
      }
    for await (const event of daybook.exportEvents(input)) {
      written.events += 1;
      yield `${JSON.stringify(event)}\n`;
    }
  };
  yield* inBlocks(lines(), () => onBlock(written));
}

/** Events as CSV, a header first. @param rawCells texts stay as they are stored @param onBlock as above */
export async function* csvBlocks(daybook: Exporting, input: ExportInput, rawCells: boolean, onBlock: (written: Written) => void): AsyncGenerator<string> {
  const written: Written = { events: 0, records: 0 };
  const withIdentityIds = input.identityIds === true;
  const lines = async function* (): AsyncGenerator<string> {
    yield csvHeader(withIdentityIds);
    for await (const event of daybook.exportEvents(input)) {
      written.events += 1;
      yield csvLine(event, { withIdentityIds, rawCells });
    }
  };
  yield* inBlocks(lines(), () => onBlock(written));
}

async function* inBlocks(lines: AsyncIterable<string>, onBlock: () => void): AsyncGenerator<string> {
  let block: string[] = [];
  for await (const line of lines) {
    block.push(line);
    if (block.length < BLOCK_LINES) continue;
    onBlock();
    yield block.join("");
    block = [];
  }
  onBlock();
  yield block.join("");
}
