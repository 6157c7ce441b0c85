import type { Daybook, EventInput } from "daybook";
import { TRAFFIC_DAYS } from "./traffic.js";

/** No query of the benchmark asks about it, unless it asks about all projects. */
const project = "elsewhere";
const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Days after the traffic: no answer of the benchmark changes. */
const nowMs = Date.parse(`${TRAFFIC_DAYS.last}T12:00:00Z`) + 19 * dayMs;
const lateDayCount = 15;
const stepsBefore = 30;

/**
 * What a store in use sees between two queries, 20 events: a visitor with a campaign signs up, joins a company and pays; people
 * who signed up before look at pages; one event comes days late.
 */
export class LiveTraffic {
  #stepCount = 0;

  constructor(readonly daybook: Daybook) {}

  /** A store in use has lived for a while when somebody asks. */
  async begin(): Promise<void> {
    for (let step = 0; step < stepsBefore; step += 1) await this.step();
  }

  async step(): Promise<void> {
    const step = this.#stepCount;
    this.#stepCount += 1;
    const startMs = nowMs + step * 10;
    const [anonymousId, userId] = [`visitor-${step}`, `signup-${step}`];
    const pageview = (at: number, who: Partial<EventInput>): EventInput => ({
      name: "pageview", project, createdAt: startMs + at, url: `/live/${at}`, hostname: "www.example.com", ...who,
    });
    const visit = Array.from({ length: 8 }, (_, at) => pageview(at, { anonymousId }));
    const [first, ...others] = visit;
    const returning = Array.from({ length: 9 }, (_, at) => pageview(at, { userId: `signup-${Math.max(0, step - at)}` }));
    await this.daybook.ingest([
      { ...first, url: `/live?utm_source=live&utm_medium=email&utm_campaign=step-${step % 50}` } as EventInput,
      ...others,
      ...returning,
      pageview(8, { userId, companyId: `company-${(step % 100) + 1}.example` }),
      { name: "purchase", project, createdAt: startMs + 9, userId, value: 12.5, currency: "USD", externalId: `live-order-${step}` },
      { ...pageview(0, { userId: `late-${step}` }), createdAt: nowMs - (1 + (step % lateDayCount)) * dayMs + step * minuteMs },
    ]);
    await this.daybook.identify({ userId, anonymousId, email: `signup-${step}@example.com` });
    await this.daybook.group({ userId, companyId: `company-${(step % 100) + 1}.example` });
  }
}
