import type { ParquetParsers } from "hyparquet";
import { uuidText } from "../base/uuid.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes that stand where text should. */
export class NotText extends Error {}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new NotText("expected text in UTF-8", { cause });
  }
}

/** JSON stays text, for who reads it decides what becomes of text that is none. Text has to be UTF-8. */
export const parsers: Partial<ParquetParsers> = {
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
  uuidFromBytes: (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : uuidText(bytes)),
};
