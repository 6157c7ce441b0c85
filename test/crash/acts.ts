import type { Daybook, EventInput } from "daybook";
import type { Random } from "daybook/testing";
import type { World } from "./check.js";
import { ERASED_STEP, type LedgerKeeper } from "./ledger.js";
import { stepOf } from "./observe.js";

/** In everything that belongs to the person who asks to be erased, and in nothing else. */
export const SECRET = "zanzibar";
const ERASED_USER = `${SECRET}-user`;
/** A value that nobody else uses before they are erased: it goes with them, and comes again. */
const ONCE_THEIRS = "/once-theirs";

/** 2026-03-10T12:00Z: the standing clock. */
export const nowMs = Date.UTC(2026, 2, 10, 12);
const dayMs = 86_400_000;

/** Numbers of what was sent, over all lives: ids are never used again. */
export interface Numbers {
  next: number;
}

export interface ActorSettings {
  readonly daybook: Daybook;
  readonly keeper: LedgerKeeper;
  readonly random: Random;
  readonly world: World;
  readonly numbers: Numbers;
  /** Standing of what an answer was given for: `written` in `os` mode. */
  readonly answer: "written" | "yes";
  /** Told what an act rejected with. @throws what nobody expected */
  readonly failed: (error: unknown) => void;
}

/** What writers do to a store, with a note in the ledger before and after. */
export class Actor {
  constructor(private readonly settings: ActorSettings) {}

  /** One act at random. Never rejects where `failed` does not throw. */
  async act(): Promise<void> {
    const { random } = this.settings;
    const dice = random.next();
    if (dice < 0.62) return this.ingest(random.between(1, 5));
    if (dice < 0.72) return this.identify();
    if (dice < 0.8) return this.group();
    if (dice < 0.88) return this.alias();
    if (dice < 0.93) return this.createProject();
    return this.seal();
  }

  /** @param isTheirs all events are the erased person's, as long as they may speak */
  async ingest(eventCount: number, isTheirs = false): Promise<void> {
    const { daybook, world } = this.settings;
    const batch = Array.from({ length: eventCount }, () => this.#event(isTheirs ? 1 : 0.15));
    for (const event of batch) world.set(String(event.id), { event, isOfErased: event.userId === ERASED_USER });
    await this.#send("batch", batch.map(({ id }) => String(id)), async () => {
      const { accepted, duplicates, rejected } = await daybook.ingest(batch);
      if (accepted !== batch.length) throw new Error(`of ${batch.length} new events ${accepted} were accepted, ${duplicates} duplicates, ${rejected.length} rejected`);
    });
  }

  /** Sends a batch again that may be lost, or may not. */
  async ingestAgain(number: number): Promise<void> {
    const { daybook, keeper, world, answer, failed } = this.settings;
    const batch = (keeper.ledger.facts[number]?.members ?? []).flatMap((id) => world.get(id)?.event ?? []);
    if (batch.some(({ userId }) => userId === ERASED_USER)) return;
    keeper.sentAgain(number);
    try {
      const { accepted, duplicates } = await daybook.ingest(batch);
      if (accepted !== batch.length && duplicates !== batch.length) throw new Error(`of ${batch.length} events sent again ${accepted} are new, ${duplicates} duplicates`);
    } catch (error) {
      return failed(error);
    }
    keeper.answered(number, answer);
  }

  async identify(): Promise<void> {
    const id = this.#id();
    const isOfErased = this.#isTheirs(0.3);
    const userId = isOfErased ? ERASED_USER : this.#user();
    await this.#sendRecord("identify", id, isOfErased, () =>
      this.settings.daybook.identify({ id, userId, email: `${userId}@${this.#letters(3)}.example`, traits: { plan: this.#letters(20) }, createdAt: nowMs - dayMs }),
    );
  }

  async group(): Promise<void> {
    const id = this.#id();
    await this.#sendRecord("group", id, false, () =>
      this.settings.daybook.group({ id, userId: this.#user(), companyId: `c${this.#letters(1)}`, traits: { name: this.#letters(8) }, createdAt: nowMs - dayMs }),
    );
  }

  /** Half of them are taken back. */
  async alias(): Promise<void> {
    const { daybook, random } = this.settings;
    const id = this.#id();
    const isStored = await this.#sendRecord("alias", id, false, () => daybook.alias({ id, from: `former-${this.#letters(2)}`, to: this.#user(), createdAt: nowMs - dayMs }));
    if (isStored && random.chance(0.5)) await this.#sendRecord("unlink", id, false, () => daybook.unlink(id));
  }

  async createProject(): Promise<void> {
    const name = `project-${this.#number()}`;
    await this.#send("project", [name], () => this.settings.daybook.createProject(name));
  }

  /** What was answered for before a seal is durable after it. */
  async seal(): Promise<void> {
    const { daybook, keeper, failed } = this.settings;
    const answeredCount = keeper.ledger.answered.length;
    try {
      await daybook.seal();
      keeper.settled(answeredCount);
    } catch (error) {
      failed(error);
    }
  }

  /** The next step of the one request for erasure. */
  async stepRequest(): Promise<void> {
    const { daybook, keeper, failed } = this.settings;
    const { privacyRequests } = daybook;
    try {
      const [request] = await privacyRequests.list();
      const step = stepOf(request) + 1;
      if (step > ERASED_STEP) return;
      const id = request?.id ?? "";
      keeper.stepBegun(step);
      if (step === 1) await privacyRequests.create({ type: "erasure", subject: { userId: ERASED_USER } });
      else if (step === 2) await privacyRequests.verify(id);
      else if (step === 3) await privacyRequests.acknowledge(id);
      else await privacyRequests.resolve(id, "completed");
      keeper.stepDone(step);
    } catch (error) {
      failed(error);
    }
  }

  async #sendRecord(kind: string, id: string, isOfErased: boolean, run: () => Promise<unknown>): Promise<boolean> {
    const key = `${kind} ${id}`;
    this.settings.world.set(key, { event: null, isOfErased });
    return await this.#send("record", [key], run);
  }

  async #send(kind: "batch" | "record" | "project", members: readonly string[], run: () => Promise<unknown>): Promise<boolean> {
    const { keeper, answer, failed } = this.settings;
    const number = keeper.sent(kind, members);
    try {
      await run();
    } catch (error) {
      failed(error);
      return false;
    }
    keeper.answered(number, answer);
    return true;
  }

  #event(theirChance: number): EventInput {
    const { random } = this.settings;
    const id = this.#id();
    const common = { id, name: random.pick(["open", "close", "größe"]), createdAt: nowMs - dayMs - random.below(2) * dayMs - random.below(80_000_000) };
    if (this.#isTheirs(theirChance)) return { ...common, userId: ERASED_USER, url: ONCE_THEIRS, metadata: { note: `${SECRET} ${this.#letters(60)}` } };
    const metadata = { text: this.#letters(random.pick([4, 4, 40, 500])), [`k${random.below(3)}`]: random.below(100) };
    const url = this.settings.keeper.ledger.request.begun === ERASED_STEP && random.chance(0.5) ? ONCE_THEIRS : `/${this.#letters(2)}`;
    return { ...common, ...(random.chance(0.7) ? { userId: this.#user() } : {}), anonymousId: `d${random.below(6)}`, url, metadata };
  }

  /** Whether what comes now may be the erased person's: they are silent once somebody may be erasing them. */
  #isTheirs(chance: number): boolean {
    const { keeper, random } = this.settings;
    return keeper.ledger.request.begun < ERASED_STEP && random.chance(chance);
  }

  #user(): string {
    return `u${this.settings.random.below(5)}`;
  }

  #number(): number {
    this.settings.numbers.next += 1;
    return this.settings.numbers.next;
  }

  #id(): string {
    return `00000000-0000-7000-8000-${this.#number().toString(16).padStart(12, "0")}`;
  }

  #letters(count: number): string {
    return Array.from({ length: count }, () => String.fromCharCode(97 + this.settings.random.below(20))).join("");
  }
}
