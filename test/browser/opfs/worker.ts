import { openDaybook, verifyStore } from "daybook";
import { opfsStorage } from "daybook/browser";
import { storageSuite } from "daybook/testing";
import * as followed from "./followed.js";
import { closeKilled, openKilled, writeUntilKilled } from "./killed-writer.js";
import { fillStore, timeOpening } from "./traffic-store.js";

/** What tests have in a page and in its worker, as the global `lab`. */
const lab = { openDaybook, verifyStore, opfsStorage, storageSuite, openKilled, writeUntilKilled, closeKilled, fillStore, timeOpening, followed };
export type Lab = typeof lab;

Object.assign(globalThis, { lab });
