/** Encodes a choice in the URL, as zero or more values of one parameter. Invalid values become the initial value, never an error. */
export interface AddressCodec<T> {
  readonly initial: T;
  readonly parse: (texts: readonly string[]) => T;
  /** Empty for the initial value, to keep URLs short. */
  readonly print: (value: T) => readonly string[];
}

export function single<T extends string | number>(initial: T, parse: (text: string) => T): AddressCodec<T> {
  return {
    initial,
    parse: ([given]) => (given === undefined ? initial : parse(given)),
    print: (value) => (value === initial ? [] : [String(value)]),
  };
}

/** One of several names; the first is the initial one. Ignores case and surrounding blanks. */
export function oneOf<const N extends readonly [string, ...string[]]>(names: N): AddressCodec<N[number]> {
  return single<N[number]>(names[0], (given) => names.find((name) => name === given.trim().toLowerCase()) ?? names[0]);
}

export function text(initial = ""): AddressCodec<string> {
  return single(initial, (given) => given);
}

export function flag(): AddressCodec<boolean> {
  return {
    initial: false,
    parse: ([given = ""]) => ["1", "true", "yes"].includes(given.trim().toLowerCase()),
    print: (value) => (value ? ["1"] : []),
  };
}

export function wholeNumber(initial: number, min: number, max: number): AddressCodec<number> {
  return single(initial, (given) => (/^\s*\d{1,9}\s*$/.test(given) ? Math.min(max, Math.max(min, Number(given))) : initial));
}

export function listOf<T>(parseItem: (text: string) => T | null, printItem: (item: T) => string, maxCount: number): AddressCodec<readonly T[]> {
  const parse = (texts: readonly string[]) =>
    texts.slice(0, maxCount).flatMap((text) => {
      const item = parseItem(text);
      return item === null ? [] : [item];
    });
  return { initial: [], parse, print: (items) => items.map(printItem) };
}

/** Joins texts with `~`; `!` escapes both characters. */
export function joinParts(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll("!", "!0").replaceAll("~", "!1")).join("~");
}

export function splitParts(joined: string): string[] {
  return joined.split("~").map((part) => part.replaceAll("!1", "~").replaceAll("!0", "!"));
}
