import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { Fact } from "./books.js";
import type { Served } from "./pages.js";
import type { Person } from "./people.js";
import type { Fate, Guest } from "./proxy.js";
import type { Random } from "./random.js";
import { Tab, type Kept } from "./tab.js";
import type { World } from "./world.js";

/** What a browser has of an earlier walk. */
export interface Memory {
  readonly state: Exclude<BrowserContextOptions["storageState"], string | undefined>;
  readonly kept: readonly Kept[];
  readonly optedOut: boolean;
  readonly left: number;
}

const HOUR_MS = 3_600_000;
const BLOCKED = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })";
const isFailure = (fate: Fate) => ["cut", "cut_after", "busy", "lose"].includes(fate);

/** Somebody with a browser of their own. Keeps the books of what they did: which of it Daybook has to know, and which it cannot. */
export class Walker {
  /** What Daybook has to have. */
  readonly facts: Fact[] = [];
  tabs: Tab[] = [];
  optedOut = false;
  #context: BrowserContext | undefined;
  /** In `localStorage`. */
  #kept: Kept[];
  /** Events of which the browser must have heard that they came, and of the present step those that failed. */
  #answered = 0;
  #failed = 0;
  /** Events of pages that were left by them. Such a page does not always hear of the answer: then it keeps what was taken, and that comes again. */
  #left = 0;
  readonly #guest: Guest;
  readonly served: Served;
  readonly name: string;
  /** What they did, to be read when something is wrong. */
  readonly diary: string[] = [];

  constructor(
    readonly world: World,
    readonly person: Person,
    readonly random: Random,
    readonly mark: number,
    readonly memory: Memory | undefined,
  ) {
    this.name = `walker ${mark}, person ${person.number}`;
    this.#kept = [...(memory?.kept ?? [])];
    this.optedOut = memory?.optedOut ?? false;
    this.#left = memory?.left ?? 0;
    this.#guest = { address: person.address, fate: "pass", answered: new Set(), failed: new Set(), lost: new Set() };
    this.served = { key: person.user === null ? "pk_plain" : "pk_ids", consent: person.consent, hidden: false, early: false, hold: null };
    world.proxy.guests.set(mark, this.#guest);
    world.site.served.set(mark, this.served);
  }

  async open(browser: Browser): Promise<void> {
    const userAgent = `${this.person.kind.text} walk/${this.mark}`;
    this.#context = await browser.newContext({ userAgent, ...(this.memory === undefined ? {} : { storageState: this.memory.state }) });
    if (this.person.blocked) await this.#context.addInitScript(BLOCKED);
    await this.newTab();
  }

  async newTab(): Promise<Tab> {
    if (this.#context === undefined) throw new Error("open() comes first");
    const page = await this.#context.newPage();
    page.setDefaultTimeout(10_000);
    page.on("pageerror", (error) => this.world.proxy.surprises.push(`${this.name}: ${String(error)}`));
    const tab = new Tab(page, this.world.site.url);
    this.tabs.push(tab);
    return tab;
  }

  get diaryText(): string {
    return `${this.name}${this.person.blocked ? ", blocked" : ""}${this.person.consent ? ", consent" : ""}:\n  ${this.diary.join("\n  ")}`;
  }

  get fate(): Fate {
    return this.#guest.fate;
  }

  /** What becomes of what is sent from now on. */
  meet(fate: Fate): void {
    this.#guest.fate = fate;
    this.#guest.failed.clear();
    this.#failed = 0;
  }

  /** Writes down that this page sends this now. @param byBeacon the page is hidden: whether it arrives is not known to it */
  note(tab: Tab, name = "pageview", plan: string | null = null, byBeacon = false): void {
    if (this.optedOut) return;
    const { person, fate } = this;
    const ms = this.world.nowMs();
    const isKnown = person.consent && !person.blocked;
    const anonymousId = isKnown ? `kept by ${person.number}` : `${new Date(ms).toISOString().slice(0, 10)} ${person.address} ${person.kind.text}`;
    this.diary.push(`${name} at ${tab.url}: ${fate}`);
    const { path, query, user: userId, referrer } = tab;
    const fact: Fact = { ms, name, path, query, referrer, anonymousId, userId, plan, person };
    if (!isFailure(fate) || fate === "cut_after") this.#store(fact);
    if (isFailure(fate)) {
      this.#failed++;
      if (!byBeacon) this.#keptOf(tab).push({ fact, isStored: fate === "cut_after" });
    } else {
      this.#answered++;
      if (!byBeacon) this.#sendKept(tab);
    }
  }

  /** After one event has been taken, those that were not are sent, if they are no older than an hour. */
  #sendKept(tab: Tab): void {
    for (const { fact, isStored } of this.#keptOf(tab).splice(0)) {
      if (this.world.nowMs() - fact.ms > HOUR_MS) continue;
      this.#answered++;
      if (!isStored) this.#store(fact);
    }
  }

  #keptOf(tab: Tab): Kept[] {
    return this.person.blocked ? tab.kept : this.#kept;
  }

  hasKept(tab: Tab): boolean {
    return this.#keptOf(tab).length > 0;
  }

  #store(fact: Fact): void {
    if (!this.person.isBot) this.facts.push(fact);
  }

  leave(): void {
    this.#left++;
  }

  optOut(): void {
    this.optedOut = true;
    this.#kept = [];
  }

  /** Waits until all that was written down has happened. */
  async settle(tab: Tab, byBeacon = false): Promise<void> {
    const { answered, failed } = this.#guest;
    const what = () => `${this.diaryText}\n  ${answered.size} of ${this.#answered} answered, ${failed.size} of ${this.#failed} failed, ${this.fate}`;
    await this.world.proxy.until(() => answered.size >= this.#answered && failed.size >= this.#failed, what);
    if (!isFailure(this.fate) || byBeacon || this.#failed === 0) return;
    // The page has to hear of it before it is left.
    if (this.person.blocked) return void (await tab.page.evaluate("new Promise((heard) => setTimeout(heard, 60))"));
    const missing = await tab.page.evaluate(`new Promise((heard) => {
      const missing = () => ${JSON.stringify([...failed])}.filter((id) => !localStorage.getItem("daybook.${this.served.key}." + id));
      const look = (left) => (left === 0 || missing().length === 0 ? heard(missing()) : setTimeout(() => look(left - 1), 5));
      look(1000);
    })`);
    if ((missing as readonly string[]).length > 0) throw new Error(`${what()}: not kept: ${String(missing)}`);
  }

  /** Closes the browser, and says what is wrong with what was sent and stored. */
  async close(): Promise<Memory | undefined> {
    const { answered } = this.#guest;
    const { surprises } = this.world.proxy;
    if (answered.size !== this.#answered) surprises.push(`${this.diaryText}\n  ${answered.size} events answered, not ${this.#answered}`);
    let memory: Memory | undefined;
    if (!this.person.blocked && this.#context !== undefined) {
      const state = await this.#context.storageState();
      const names = state.origins.flatMap(({ localStorage }) => localStorage.map(({ name }) => name.replace(/^(daybook\.pk_).*/, "$1"))).sort();
      const others = this.optedOut ? ["daybook.optout"] : this.person.consent ? ["daybook.id"] : [];
      const events = names.filter((name) => name === "daybook.pk_").length;
      const isRight = events >= this.#kept.length && events <= this.#kept.length + this.#left;
      if (!isRight || names.filter((name) => name !== "daybook.pk_").join() !== others.join()) {
        surprises.push(`${this.diaryText}\n  stored ${names.join()}, not ${others.join()} and ${this.#kept.length} events (+ ${this.#left} at most)`);
      }
      if (state.cookies.length > 0) surprises.push(`${this.name}: cookies`);
      memory = { state, kept: this.#kept, optedOut: this.optedOut, left: this.#left };
    }
    await this.#context?.close();
    return memory;
  }
}
