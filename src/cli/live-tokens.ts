import { DaybookError } from "../base/errors.js";
import { byHash } from "../http/access/token.js";
import type { TokenRecord, TokenStore } from "../http/index.js";
import type { TokensText } from "./token-store.js";

const RELOAD_EVERY_MS = 500;

/** Hears of the tokens of a place after each change; a failure is told and tried again. */
type OnChange = (records: readonly TokenRecord[]) => Promise<void>;

/** Tokens of one place, which may change. */
class WatchedTokens {
  stored: ReadonlyMap<string, TokenRecord> = new Map();
  #text: string | null = null;
  #warning = "";

  /** @param onStored hears when `stored` is another, before `onChange` */
  constructor(
    readonly read: () => Promise<TokensText>,
    readonly onChange: OnChange,
    readonly onStored: () => void,
  ) {}

  /** Reads the tokens if their text has changed. @throws what `read` and `onChange` throw */
  async reload(): Promise<void> {
    await this.#take(await this.read());
  }

  /** The same; says what went wrong once, not twice a second. What cannot be read leaves the tokens that there were. */
  async reloadOrWarn(): Promise<void> {
    let failure = "tokens not reloaded";
    try {
      const read = await this.read();
      failure = "tokens reloaded, but not all of them can be served yet";
      await this.#take(read);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // That a store is locked is said each time with other seconds.
      const thing = error instanceof DaybookError ? String(error.details["lockFile"] ?? message) : message;
      if (thing === this.#warning) return;
      this.#warning = thing;
      process.stderr.write(`${JSON.stringify({ level: "warn", message: `${failure}: ${message}` })}\n`);
    }
  }

  async #take({ text, records }: TokensText): Promise<void> {
    if (text !== this.#text) {
      // A revoked token must fall even when the rest of the change cannot be carried out yet.
      this.stored = byHash(records);
      this.onStored();
      await this.onChange(records);
      this.#text = text;
    }
    this.#warning = "";
  }
}

/** Fixed tokens plus those of files, which are read again whenever they change. */
export class LiveTokens implements TokenStore {
  readonly #fixed: ReadonlyMap<string, TokenRecord>;
  readonly #watched: readonly WatchedTokens[];
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;

  /** @param places what reads the tokens of each; of one token that is in several the first counts, or one that is revoked */
  constructor(fixed: readonly TokenRecord[], places: readonly (() => Promise<TokensText>)[], onChange: OnChange = () => Promise.resolve()) {
    this.#fixed = byHash(fixed);
    this.#watched = places.map((read) => new WatchedTokens(read, onChange, () => this.#watchers.forEach((watcher) => watcher())));
  }

  watch(watcher: () => void): () => void {
    // A function of its own: who watches twice ends each by itself.
    const own = () => watcher();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  find(sha256Hex: string): TokenRecord | undefined {
    const places = [this.#fixed, ...this.#watched.map(({ stored }) => stored)];
    const found = places.flatMap((records) => records.get(sha256Hex) ?? []);
    return found.find((record) => record.revoked_at !== null) ?? found[0];
  }

  /** Reads the tokens and keeps watching their files until `stop`. @throws like `reload` */
  async start(): Promise<void> {
    await this.reload();
    const next = (): void => {
      this.#timer = setTimeout(() => {
        void Promise.all(this.#watched.map((watched) => watched.reloadOrWarn())).then(() => {
          if (this.#timer !== null) next();
        });
      }, RELOAD_EVERY_MS);
    };
    if (this.#watched.length > 0) next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Reads the tokens that have changed. @throws what reading and hearing of them throws */
  async reload(): Promise<void> {
    for (const watched of this.#watched) await watched.reload();
  }
}
