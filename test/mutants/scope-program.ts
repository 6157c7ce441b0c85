import { scopeDifference } from "../oracle/scope-case.js";
import { baseSeed } from "../oracle/settings.js";
import { askHistories } from "./histories.js";

/** Enough to notice every mutant. */
const HISTORY_COUNT = 300;

/** What scopes of random histories say of the source that this was bundled with. */
void askHistories(2, HISTORY_COUNT, async (history) => (await scopeDifference(baseSeed + 7_000_000 + history)).difference);
