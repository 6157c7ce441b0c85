export { oracle, type Oracle } from "./oracle/oracle.js";
export { seededRandom, type Random } from "./random.js";
export { generateTraffic, type TrafficOptions } from "./traffic-generator.js";
export { storageSuite } from "./storage-suite.js";
