/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions and keys are bounded by their lists */
import { inChunks } from "../../../core/base/in-chunks.js";
import type { SessionFigures } from "../../plan/insights/answers.js";
import type { Range } from "../../plan/plan.js";
import type { Extent } from "../insights/buckets.js";
import { sessionFigures, UserCounter } from "./session-figures.js";
import type { RequestedSessions, PageCounts } from "./sessions-answer.js";
import type { VisitCounting, Visits } from "./visits.js";

/** Sessions in a list: each figure reads the sessions it covers. */
export class ListedSessions implements RequestedSessions {
  readonly #users: UserCounter;

  constructor(
    readonly listed: Visits,
    /** The keys of the pages on which sessions begin, or end. */
    readonly pageKeys: (end: "entry" | "exit") => Uint32Array | Promise<Uint32Array>,
    readonly counting: VisitCounting,
  ) {
    this.#users = new UserCounter(counting.scratch);
  }

  get extent(): Extent | null {
    return this.listed.extent;
  }

  figuresOf(range: Range): Promise<SessionFigures> {
    return sessionFigures(this.listed.within(range), this.#users, this.counting.pause);
  }

  async pagesAt(end: "entry" | "exit"): Promise<PageCounts> {
    const { listed: { view, sessions }, counting: { scratch, pause } } = this;
    const { eventCounts } = view.facts;
    const keys = await this.pageKeys(end);
    let keyEnd = 0;
    await inChunks(keys.length, pause, (from, to) => {
      let end = keyEnd;
      for (let at = from; at < to; at += 1) if (keys[at]! >= end) end = keys[at]! + 1;
      keyEnd = end;
    });
    const [counts, bounces] = [scratch.takeZeros(keyEnd), scratch.takeZeros(keyEnd)];
    await inChunks(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        counts[keys[at]!]! += 1;
        if (eventCounts[sessions[at]!] === 1) bounces[keys[at]!]! += 1;
      }
    });
    return { sessions: counts, bounces };
  }

  visits(): Promise<Visits> {
    return Promise.resolve(this.listed);
  }
}
