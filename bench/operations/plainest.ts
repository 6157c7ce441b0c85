import type { IngestResult } from "daybook";
import type { TrafficEvent } from "../traffic.js";

const START_ROW_COUNT = 1_024;

/** The values of one field, in order of arrival: of texts the codes. */
class PlainColumn {
  readonly #codeOf = new Map<unknown, number>();
  #values = new Float64Array(START_ROW_COUNT);

  set(row: number, value: number): void {
    if (row >= this.#values.length) {
      const longer = new Float64Array(this.#values.length * 2);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[row] = value;
  }

  setCode(row: number, value: unknown): void {
    if (value === null || value === undefined) return;
    let code = this.#codeOf.get(value);
    if (code === undefined) this.#codeOf.set(value, (code = this.#codeOf.size + 1));
    this.set(row, code);
  }
}

/**
 * The least that any store of columns does with an event, with the maps that JavaScript has: looks its id up among all
 * ids, and puts each value, or its code, into a column. It checks nothing, puts nothing in order, keeps no bytes, and cannot
 * answer: what an engine takes beyond this is for what it does beyond this.
 */
export class PlainestStore {
  readonly #ids = new Set<string>();
  readonly #columns = {
    createdAt: new PlainColumn(),
    value: new PlainColumn(),
    name: new PlainColumn(),
    userId: new PlainColumn(),
    anonymousId: new PlainColumn(),
    project: new PlainColumn(),
    url: new PlainColumn(),
    hostname: new PlainColumn(),
    referrer: new PlainColumn(),
    locationCountry: new PlainColumn(),
    locationCity: new PlainColumn(),
    locationRegion: new PlainColumn(),
    device: new PlainColumn(),
    os: new PlainColumn(),
    browser: new PlainColumn(),
    screen: new PlainColumn(),
    language: new PlainColumn(),
    currency: new PlainColumn(),
    externalId: new PlainColumn(),
    companyId: new PlainColumn(),
  };
  readonly #metadata = new Map<string, PlainColumn>();
  #rowCount = 0;

  ingest(events: readonly TrafficEvent[]): Promise<IngestResult> {
    for (const event of events) this.#add(event);
    return Promise.resolve({ accepted: events.length, duplicates: 0, rejected: [], adjusted: [] });
  }

  #add(event: TrafficEvent): void {
    if (this.#ids.has(event.id)) return;
    this.#ids.add(event.id);
    const row = this.#rowCount;
    this.#rowCount += 1;
    const columns = this.#columns;
    columns.createdAt.set(row, event.createdAt);
    if (event.value !== null) columns.value.set(row, event.value);
    columns.name.setCode(row, event.name);
    columns.userId.setCode(row, event.userId);
    columns.anonymousId.setCode(row, event.anonymousId);
    columns.project.setCode(row, event.project);
    columns.url.setCode(row, event.url);
    columns.hostname.setCode(row, event.hostname);
    columns.referrer.setCode(row, event.referrer);
    columns.locationCountry.setCode(row, event.locationCountry);
    columns.locationCity.setCode(row, event.locationCity);
    columns.locationRegion.setCode(row, event.locationRegion);
    columns.device.setCode(row, event.device);
    columns.os.setCode(row, event.os);
    columns.browser.setCode(row, event.browser);
    columns.screen.setCode(row, event.screen);
    columns.language.setCode(row, event.language);
    columns.currency.setCode(row, event.currency);
    columns.externalId.setCode(row, event.externalId);
    columns.companyId.setCode(row, event.companyId);
    for (const key in event.metadata) {
      let column = this.#metadata.get(key);
      if (column === undefined) this.#metadata.set(key, (column = new PlainColumn()));
      column.setCode(row, event.metadata[key]);
    }
  }
}
