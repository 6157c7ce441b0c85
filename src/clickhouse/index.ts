export { migrateClickHouse, openClickHouse } from "./open-clickhouse.js";
export type { ClickHouseDaybook, ClickHouseQuery } from "./stored-daybook.js";
export type { ClickHouseClient } from "./connection/settings.js";
export type { ClickHouseOptions } from "./options.js";
export type { Migration } from "./tables/migrate.js";
export { DaybookError } from "../core/base/errors.js";
export type { ErrorCode, ErrorDetails } from "../core/base/errors.js";
