/** A part of a pattern: the instructions it compiles to at most, and those of its last item. */
interface PatternPart {
  size: number;
  last: number;
}

/**
 * The approximate number of instructions that a pattern of RE2 compiles to, repetitions multiplied out. It reads only the text, because a
 * pattern with too many takes seconds to compile. Cost: the characters.
 */
export function regexSize(pattern: string): number {
  const open: PatternPart[] = [];
  let part: PatternPart = { size: 0, last: 0 };
  const add = (size: number) => {
    part.size += size;
    part.last = size;
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === "\\") at = escapeEnd(pattern, at, add);
    else if (char === "[") at = classEnd(pattern, at, add);
    else if (char === "(") {
      open.push(part);
      part = { size: 2, last: 0 };
    } else if (char === ")") {
      const { size } = part;
      part = open.pop() ?? { size: 0, last: 0 };
      add(size);
    } else if (char === "{") {
      const [text = "", low = "", comma = "", high = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(pattern.slice(at, at + 16)) ?? [];
      if (text === "") add(1);
      else {
        const { last } = part;
        const times = high === "" ? Number(low) + (comma === "" ? 0 : 1) : Number(high);
        // Each optional repetition adds a choice.
        const grown = times * (last + (comma === "" ? 0 : 1));
        part.size += grown - last;
        part.last = grown;
        at += text.length - 1;
      }
    } else if (char === "*" || char === "+" || char === "?") {
      part.size += 1;
      part.last += 1;
    } else add(1);
  }
  return open.reduce((sum, { size }) => sum + size, part.size);
}

/** `\Q…\E` is literal text; braces after `\p` or `\x` belong to one item. */
function escapeEnd(pattern: string, at: number, add: (size: number) => void): number {
  if (pattern[at + 1] === "Q") {
    const end = pattern.indexOf("\\E", at + 2);
    const to = end === -1 ? pattern.length : end;
    for (let text = at + 2; text < to; text += 1) add(1);
    return end === -1 ? pattern.length : end + 1;
  }
  add(1);
  const named = /^\\[pPx]\{[^}]*\}/.exec(pattern.slice(at, at + 64));
  return at + (named === null ? 1 : named[0].length - 1);
}

/** A class is one item, whatever it contains. */
function classEnd(pattern: string, at: number, add: (size: number) => void): number {
  add(1);
  let end = at + 1;
  if (pattern[end] === "^") end += 1;
  if (pattern[end] === "]") end += 1;
  for (; end < pattern.length && pattern[end] !== "]"; end += 1) {
    if (pattern[end] === "\\") end += 1;
    else if (pattern[end] === "[" && pattern[end + 1] === ":") end = Math.max(end, pattern.indexOf(":]", end + 2) + 1);
  }
  return end;
}
