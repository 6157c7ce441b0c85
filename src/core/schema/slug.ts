const marks = /\p{M}+/gu;
const others = /[^\p{L}\p{N}]+/gu;
const edges = /^-+|-+$/g;

/** The slug of an event name: NFKD, marks stripped, lower case, each run of anything but letters and digits replaced by `-`, trimmed. */
export function slugOf(name: string): string {
  return name.normalize("NFKD").replace(marks, "").toLowerCase().replace(others, "-").replace(edges, "");
}
