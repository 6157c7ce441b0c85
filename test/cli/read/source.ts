const encoder = new TextEncoder();

/** A byte source of the given texts, cut into chunks of `chunkBytes` so that every boundary is met. */
export async function* chunksOf(content: string | Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.slice(start, start + chunkBytes);
}

export async function rowsOf<Row>(rows: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const block of rows) all.push(...block);
  return all;
}
