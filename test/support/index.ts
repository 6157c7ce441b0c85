export { oracle, type Oracle } from "./oracle/oracle.js";
export type { History, HistoryItem } from "./oracle/history.js";
export type { OracleOptions } from "./oracle/rules.js";
export { executorSuite, type ExecutorCase, type LoadedExecutor, type LoadExecutor } from "./executor-suite.js";
