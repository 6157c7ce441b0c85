/** Codes of a page, which has 16 KiB. */
export const PAGE_CODE_COUNT = 4_096;
const PAGE_BITS = 12;
const PAGE_MASK = PAGE_CODE_COUNT - 1;

const NO_CODES = new Int32Array(PAGE_CODE_COUNT);

/** A snapshot of numbers by code, 0 where none is set. */
export class FrozenCodes {
  constructor(readonly pages: readonly Int32Array[]) {}

  of(code: number): number {
    const page = this.pages[code >>> PAGE_BITS];
    return page === undefined ? 0 : (page[code & PAGE_MASK] as number);
  }
}

/** A page is copied before its first change after a snapshot. 4 bytes a code; a snapshot takes 8 bytes a page, and 16 KiB per page changed later. */
export class PagedCodes {
  #pages: Int32Array[] = [];
  /** By page: true if no snapshot shares it. */
  #isOwn: boolean[] = [];
  #frozen: FrozenCodes | null = null;

  get byteLength(): number {
    return this.#pages.length * PAGE_CODE_COUNT * 4;
  }

  of(code: number): number {
    const page = this.#pages[code >>> PAGE_BITS];
    return page === undefined ? 0 : (page[code & PAGE_MASK] as number);
  }

  set(code: number, value: number): void {
    const at = code >>> PAGE_BITS;
    while (this.#pages.length <= at) {
      this.#pages.push(NO_CODES);
      this.#isOwn.push(false);
    }
    if (this.#isOwn[at] !== true) {
      this.#pages[at] = (this.#pages[at] as Int32Array).slice();
      this.#isOwn[at] = true;
    }
    (this.#pages[at] as Int32Array)[code & PAGE_MASK] = value;
    this.#frozen = null;
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  /** Calls `visit` for each code that is set, ascending, in the pages `[fromPage, toPage)`. */
  each(visit: (code: number, value: number) => void, fromPage = 0, toPage = this.#pages.length): void {
    for (let at = fromPage; at < toPage; at += 1) {
      const page = this.#pages[at] as Int32Array;
      if (page === NO_CODES) continue;
      for (let code = 0; code < PAGE_CODE_COUNT; code += 1) if (page[code] !== 0) visit(at * PAGE_CODE_COUNT + code, page[code] as number);
    }
  }

  /** The same numbers, changed independently. Cost: the pages. */
  copy(): PagedCodes {
    const copy = new PagedCodes();
    copy.#pages = this.#pages.slice();
    copy.#isOwn = this.#pages.map(() => false);
    this.#isOwn.fill(false);
    return copy;
  }

  /** A snapshot, unaffected by later changes. The same object until the next change. Cost: the pages, after a change. */
  freeze(): FrozenCodes {
    if (this.#frozen === null) {
      this.#frozen = new FrozenCodes(this.#pages.slice());
      this.#isOwn.fill(false);
    }
    return this.#frozen;
  }
}
