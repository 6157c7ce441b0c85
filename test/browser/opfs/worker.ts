import { openDaybook, verifyStore } from "daybook";
import { opfsStorage } from "daybook/browser";
import { generateTraffic, storageSuite } from "daybook/testing";

/** What tests have in a page and in a worker, as the global `lab`. */
const lab = { openDaybook, verifyStore, opfsStorage, generateTraffic, storageSuite };
export type Lab = typeof lab;

Object.assign(globalThis, { lab });
