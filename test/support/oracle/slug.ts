/** The slug of a name: compatibility decomposition without marks, lower-cased, everything but letters and digits one dash. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{Nd}]+/gu, "-").replace(/^-|-$/g, "");
}
