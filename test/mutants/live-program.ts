import { liveDifference } from "../oracle/live-case.js";
import { baseSeed } from "../oracle/settings.js";
import { askHistories } from "./histories.js";

/** Enough to notice every mutant: all but one are within the histories of the default suite. */
const HISTORY_COUNT = 480;
/** Of so many histories the last one has a small budget. */
const TURN = 6;

/** What live histories say of the source that this was bundled with. */
void askHistories(2, HISTORY_COUNT, (history) => {
  const smallCount = Math.floor((history + 1) / TURN);
  return (history + 1) % TURN === 0 ? liveDifference(baseSeed + smallCount - 1, "small") : liveDifference(baseSeed + history - smallCount, "big");
});
