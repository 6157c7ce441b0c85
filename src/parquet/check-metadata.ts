import type { ColumnMetaData, FileMetaData, RowGroup, SchemaTree } from "hyparquet";

/** A leaf of the schema, and whether a row may have several values of it. */
export interface Leaf {
  readonly path: string;
  readonly isRepeated: boolean;
}

/** The magic at the start; and at the end, behind the length of the metadata. */
const HEAD_BYTES = 4;
const TAIL_BYTES = 8;

/** The columns that have values, in the order of the schema. */
export function leavesOf({ element, children, path }: SchemaTree, isRepeatedAbove = false): Leaf[] {
  const isRepeated = isRepeatedAbove || element.repetition_type === "REPEATED";
  return children.length === 0 ? [{ path: path.join("."), isRepeated }] : children.flatMap((child) => leavesOf(child, isRepeated));
}

/** The bytes of a column chunk, its dictionary among them. */
export function chunkRange({ dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size }: ColumnMetaData): [start: number, end: number] {
  // Zero where a writer has none, as its reader takes it.
  const start = Number(dictionary === undefined || dictionary === 0n ? data : dictionary);
  return [start, start + Number(size)];
}

/**
 * What metadata says of itself and of a file of so many bytes has to hold before anything is read by it: the library counts rows, and asks for bytes,
 * as many as it is told. @throws Error
 */
export function refuseDamaged({ num_rows: count, row_groups: groups }: FileMetaData, leaves: readonly Leaf[], byteLength: number): void {
  const sum = groups.reduce((rows, group) => rows + group.num_rows, 0n);
  if (sum !== count) throw new Error(`it declares ${count} rows, its row groups ${sum}`);
  groups.forEach((group, at) => refuseGroup(group, at, leaves, byteLength));
}

function refuseGroup({ num_rows: rows, columns }: RowGroup, at: number, leaves: readonly Leaf[], byteLength: number): void {
  if (rows < 0n || (rows > 0n && leaves.length === 0)) throw new Error(`row group ${at} declares ${rows} rows of ${leaves.length} columns`);
  const chunks = new Map(columns.map(({ meta_data: chunk }) => [chunk?.path_in_schema.join("."), chunk]));
  if (columns.length !== leaves.length || chunks.size !== leaves.length) throw new Error(`row group ${at} has ${columns.length} of ${leaves.length} columns`);
  for (const { path, isRepeated } of leaves) {
    const chunk = chunks.get(path);
    if (chunk === undefined) throw new Error(`row group ${at} is without its column ${path}`);
    const { num_values: values, data_page_offset: data } = chunk;
    if (isRepeated ? values < rows : values !== rows) throw new Error(`row group ${at} declares ${rows} rows, its column ${path} ${values} values`);
    const [start, end] = chunkRange(chunk);
    const isInFile = start >= HEAD_BYTES && end >= start && end <= byteLength - TAIL_BYTES && data >= start && (rows === 0n || data < end);
    if (!isInFile) throw new Error(`column ${path} of row group ${at} lies outside of its bytes`);
  }
}
