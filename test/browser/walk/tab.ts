import type { Page } from "playwright-core";
import type { Fact } from "./books.js";
import { APP } from "./pages.js";

/** An event that could not be sent. */
export interface Kept {
  readonly fact: Fact;
  /** Daybook has it all the same: only the answer was lost. */
  readonly isStored: boolean;
}

/** A place in the history of a tab. Places of one document are gone between without a load. */
interface Place {
  readonly url: string;
  readonly document: number;
}

/** A tab, and what is to be known of it. */
export class Tab {
  isHidden = false;
  /** The page before the one that is shown, as the browser or the application tells. */
  referrer = "";
  /** Said by `identify`, until the page is left. */
  user: string | null = null;
  /** What the page keeps where storage is blocked. */
  kept: Kept[] = [];
  #places: Place[] = [];
  #at = -1;
  #documents = 0;

  constructor(
    readonly page: Page,
    readonly site: string,
  ) {}

  /** Path and query of where it is; a whole address elsewhere. */
  get url(): string {
    return this.#places[this.#at]?.url ?? "";
  }

  get isElsewhere(): boolean {
    return !this.url.startsWith("/");
  }

  get path(): string {
    return this.url.split("?")[0] ?? "";
  }

  get query(): string {
    return this.url.slice(this.path.length);
  }

  get isApp(): boolean {
    return APP.includes(this.path);
  }

  /** Goes to an address: in a new document, or in the one that is there. */
  go(url: string, how: "load" | "pushState" | "replaceState"): void {
    const document = how === "load" ? ++this.#documents : (this.#places[this.#at]?.document ?? 0);
    if (how === "replaceState") this.#places[this.#at] = { url, document };
    else {
      this.#places = [...this.#places.slice(0, this.#at + 1), { url, document }];
      this.#at++;
    }
  }

  /** Where a step in the history leads; `isLoad`: to another document. */
  ahead(step: -1 | 1): { readonly url: string; readonly isLoad: boolean } | undefined {
    const place = this.#places[this.#at + step];
    return place === undefined ? undefined : { url: place.url, isLoad: place.document !== this.#places[this.#at]?.document };
  }

  move(step: -1 | 1): void {
    this.#at += step;
  }

  /** Another document is there: nothing that the one before held is left. */
  async loaded(): Promise<void> {
    this.user = null;
    this.kept = [];
    this.referrer = await this.page.evaluate("document.referrer");
  }
}
