import type { AsyncBuffer, ColumnMetaData, PageHeader } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { chunkRange } from "./check-metadata.js";
import type { Leaf } from "./check-metadata.js";

/**
 * Goes over the page headers of a column chunk as the library will: each page has to lie behind its header and within the chunk, and all of them to
 * hold the values that the chunk declares. A page of a negative length, or of none that is told, it would read again and again. @throws Error
 */
export async function refuseDamagedPages(file: AsyncBuffer, chunk: ColumnMetaData, { path, isRepeated }: Leaf): Promise<void> {
  const [start, end] = chunkRange(chunk);
  const reader = { view: new DataView(await file.slice(start, end)), offset: 0 };
  const { byteLength } = reader.view;
  const valueCount = Number(chunk.num_values);
  let seenCount = 0;
  while ((isRepeated || seenCount < valueCount) && reader.offset < byteLength - 1) {
    const header = parquetHeader(reader);
    const { compressed_page_size: size } = header;
    if (!isWhole(header) || reader.offset + size > byteLength) throw new Error(`column ${path} has a page outside of its bytes`);
    reader.offset += size;
    seenCount += (header.data_page_header_v2 ?? header.data_page_header)?.num_values ?? 0;
  }
  if (seenCount !== valueCount) throw new Error(`column ${path} declares ${valueCount} values, its pages ${seenCount}`);
}

/** Whether the header has every number that its page is read by. */
function isWhole({ type, compressed_page_size: size, uncompressed_page_size: wholeSize, ...header }: PageHeader): boolean {
  if (!isCount(size) || !isCount(wholeSize)) return false;
  if (type === "DICTIONARY_PAGE") return isCount(header.dictionary_page_header?.num_values);
  if (type === "DATA_PAGE") return isCount(header.data_page_header?.num_values);
  const page = header.data_page_header_v2;
  if (page === undefined) return false;
  const { definition_levels_byte_length: definitions, repetition_levels_byte_length: repetitions } = page;
  return [page.num_values, page.num_rows, page.num_nulls, definitions, repetitions].every(isCount) && definitions + repetitions <= size;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
