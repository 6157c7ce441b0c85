import {
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  DuckDBDecimalValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  TIMESTAMP,
  UUID,
  VARCHAR,
} from "@duckdb/node-api";
import type { TrafficEvent } from "../traffic.js";
import { type Column, type ColumnKind, columns } from "./columns.js";

const moneyScale = 2;
const moneyType = DECIMAL(18, moneyScale);

const types: Readonly<Record<ColumnKind, DuckDBType>> = {
  uuid: UUID,
  instant: TIMESTAMP,
  text: VARCHAR,
  userId: VARCHAR,
  key: VARCHAR,
  money: moneyType,
  number: DOUBLE,
  boolean: BOOLEAN,
};

export const timestampOf = (epochMs: number) => new DuckDBTimestampValue(BigInt(epochMs) * 1_000n);

function valueOf({ kind, value }: Column, event: TrafficEvent): DuckDBValue {
  const given = value(event);
  if (given === null) return null;
  if (kind === "uuid") return DuckDBUUIDValue.fromUint128(BigInt(`0x${String(given).replaceAll("-", "")}`));
  if (kind === "instant") return timestampOf(Number(given));
  if (kind === "money") return new DuckDBDecimalValue(BigInt(Math.round(Number(given) * 10 ** moneyScale)), moneyType.width, moneyScale);
  return given;
}

export const duckdbColumns = columns.map((column) => ({
  name: column.name,
  type: types[column.kind],
  /** Few enough values for an ENUM to pay. */
  isEnum: column.kind === "text" || column.kind === "userId",
  value: (event: TrafficEvent) => valueOf(column, event),
}));
