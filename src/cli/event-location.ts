import type { ClickHouseDaybook } from "../clickhouse/clickhouse-daybook.js";
import { required } from "./command.js";
import { dataDirectory } from "./data-directory.js";
import { CLICKHOUSE_OPTIONS, isOnClickHouse, openOnClickHouse, type ClickHouseValues } from "./on-clickhouse.js";
import { openForReading, openOrganization, organizationOf } from "./organizations.js";

/** The methods that show and delete events, wherever they are stored. */
export interface EventMaintenance extends Pick<ClickHouseDaybook, "countEventsPerDay" | "deleteEvents" | "deleteProject" | "timeToLive" | "close"> {
  projects(): readonly string[] | Promise<readonly string[]>;
}

/** The location of an organization's events. */
export interface EventLocation {
  /** Opens the events for reading, also while `serve` runs. @throws UsageError, Error where they are missing, and what opening throws */
  read(): Promise<EventMaintenance>;
  /** Opens the events for deletion; no other process may have a data directory open for writing. */
  write(): Promise<EventMaintenance>;
}

export const PLACE_OPTIONS = { ...CLICKHOUSE_OPTIONS, data: { type: "string" }, organization: { type: "string" } } as const;

interface PlaceValues extends ClickHouseValues {
  readonly data?: string | undefined;
  readonly organization?: string | undefined;
}

/** The location that a command line names. @throws UsageError */
export function eventLocationOf(values: PlaceValues): EventLocation {
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
