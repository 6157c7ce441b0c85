import { DaybookError } from "../../base/errors.js";
import { Turns } from "../../base/turn.js";
import type { DecodedRecord, NamedProject } from "../../identity/decode-record.js";
import type { WaitingRecords } from "./group.js";

/** Checks records, some at a time: of each what it says, or what is wrong with it. @throws what `decode` throws that is no DaybookError */
export async function decodeInTurns({ records, decode }: WaitingRecords): Promise<(DecodedRecord | NamedProject | DaybookError)[]> {
  const turns = new Turns();
  const decoded: (DecodedRecord | NamedProject | DaybookError)[] = [];
  for (const record of records) {
    const one = decodedOrFault(record, decode);
    decoded.push(one);
    await turns.took("texts" in one ? one.texts.traits.length : 0);
  }
  return decoded;
}

function decodedOrFault(record: unknown, decode: WaitingRecords["decode"]): DecodedRecord | NamedProject | DaybookError {
  try {
    return decode(record);
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}
