/** What a code stood for before the version `until`. */
interface Past {
  readonly value: number;
  readonly until: number;
  readonly before: Past | null;
}

/** Codes by code, 0 where there is none, that change from version to version: readers of an older one go on seeing what was. */
export class VersionedCodes {
  #now = new Uint32Array(1024);
  readonly #past = new Map<number, Past>();

  /** The newest value. */
  get(code: number): number {
    return code < this.#now.length ? (this.#now[code] as number) : 0;
  }

  /** The value as a version saw it. Cost: the changes since. */
  at(code: number, version: number): number {
    let value = this.get(code);
    for (let past = this.#past.get(code) ?? null; past !== null && version < past.until; past = past.before) value = past.value;
    return value;
  }

  /** @param version the one that sees the new value first; 0: nobody has read yet */
  set(code: number, value: number, version: number): void {
    const old = this.get(code);
    if (old === value) return;
    if (code >= this.#now.length) this.#grow(code);
    this.#now[code] = value;
    if (version === 0) return;
    const before = this.#past.get(code) ?? null;
    if (before?.until !== version) this.#past.set(code, { value: old, until: version, before });
  }

  #grow(code: number): void {
    const now = new Uint32Array(2 ** Math.ceil(Math.log2(code + 1)));
    now.set(this.#now);
    this.#now = now;
  }
}
