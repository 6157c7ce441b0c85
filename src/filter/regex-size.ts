/** A part of a pattern: how many instructions it becomes at most, and where the last thing of it begins to count. */
interface PatternPart {
  size: number;
  last: number;
}

/**
 * How many instructions a pattern of RE2 becomes, about: what is repeated counts as often. A look at the text alone, for a pattern that becomes
 * too many takes seconds to compile. Cost: the characters.
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
        // Each optional one is a choice more.
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

/** `\Q…\E` is text; what stands in braces behind `\p` or `\x` is one thing. */
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

/** A class is one thing, whatever it holds. */
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
