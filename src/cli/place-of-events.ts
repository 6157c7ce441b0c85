import type { ClickHouseDaybook } from "../clickhouse/clickhouse-daybook.js";
import { required } from "./command.js";
import { dataDirectory } from "./data-directory.js";
import { CLICKHOUSE_OPTIONS, isOnClickHouse, openOnClickHouse, type ClickHouseValues } from "./on-clickhouse.js";
import { openForReading, openOrganization, organizationOf } from "./organizations.js";

/** What shows events and takes them away, wherever they are. */
export interface Keeping extends Pick<ClickHouseDaybook, "countEventsPerDay" | "deleteEvents" | "deleteProject" | "timeToLive" | "close"> {
  projects(): readonly string[] | Promise<readonly string[]>;
}

/** Where the events of an organization are. */
export interface PlaceOfEvents {
  /** Opens them, also beside a running `serve`. @throws UsageError, Error when they are not there, and what opening throws */
  read(): Promise<Keeping>;
  /** The same, to take some away: of a data directory nobody else may have them open. */
  write(): Promise<Keeping>;
}

export const PLACE_OPTIONS = { ...CLICKHOUSE_OPTIONS, data: { type: "string" }, organization: { type: "string" } } as const;

interface PlaceValues extends ClickHouseValues {
  readonly data?: string | undefined;
  readonly organization?: string | undefined;
}

/** What a command line names. @throws UsageError */
export function placeOfEvents(values: PlaceValues): PlaceOfEvents {
  const { data, organization } = values;
  if (isOnClickHouse(values)) {
    const open = () => openOnClickHouse(values, { data, organization });
    return { read: open, write: open };
  }
  const path = required(data, "data");
  const name = organizationOf(organization);
  return {
    read: async () => await openForReading(await dataDirectory(path), name),
    write: async () => await openOrganization(await dataDirectory(path), name),
  };
}
