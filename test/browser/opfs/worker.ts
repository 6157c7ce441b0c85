import { openDaybook, verifyStore } from "daybook";
import { opfsStorage } from "daybook/browser";
import { generateTraffic, storageSuite } from "daybook/testing";
import { closeKilled, openKilled, writeUntilKilled } from "./killed-writer.js";

/** What tests have in a page and in its worker, as the global `lab`. */
const lab = { openDaybook, verifyStore, opfsStorage, generateTraffic, storageSuite, openKilled, writeUntilKilled, closeKilled };
export type Lab = typeof lab;

Object.assign(globalThis, { lab });
