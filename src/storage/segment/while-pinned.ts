import type { Rows } from "./rows.js";

/** Pins rows, and thus their loaded data, while `read` runs. */
export async function whilePinned<T>(rows: Iterable<Rows>, read: () => T | Promise<T>): Promise<T> {
  const pinned = [...new Set(rows)];
  for (const part of pinned) part.pin();
  try {
    return await read();
  } finally {
    for (const part of pinned) part.unpin();
  }
}
