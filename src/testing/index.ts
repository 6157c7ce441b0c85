export { oracle, type Oracle } from "./oracle/oracle.js";
export type { History, HistoryItem } from "./oracle/history.js";
export type { OracleOptions } from "./oracle/rules.js";
export { seededRandom, type Random } from "./random.js";
export { generateTraffic, type TrafficOptions } from "./traffic-generator.js";
export { storageSuite } from "./storage-suite.js";
