import type { Rows } from "./rows.js";

/** Keeps what is loaded of some rows in memory while they are read, and of no others. */
export async function whilePinned<T>(rows: Iterable<Rows>, read: () => T | Promise<T>): Promise<T> {
  const pinned = [...new Set(rows)];
  for (const part of pinned) part.pin();
  try {
    return await read();
  } finally {
    for (const part of pinned) part.unpin();
  }
}
