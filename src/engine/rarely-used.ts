// Rarely used functions, in one chunk: split up, it would pull what the chunks share out of the core.
export { ingestChecked } from "../core/schema/checked-ingest.js";
export { eraseSubject } from "../core/schema/erasure.js";
export { rejectionError } from "../core/schema/rejections.js";
export { readTrackQueueOptions, TrackQueue } from "../core/schema/track-queue.js";
export { backupStore } from "../store/backup/backup-store.js";
export { hasSettled } from "../store/follow/journal-tail.js";
export { Following, openWhenFull } from "./follow/following.js";
export { storeAsOf } from "../store/live/store-as-of.js";
export { explainPlan } from "./query/explain.js";
export { explainScoped, runScoped } from "./run-scoped.js";
export { Scopes } from "./scoped/scopes.js";
export { exportRows } from "./exports/events.js";
export { exportStoredRecords } from "./exports/records.js";
export { bundleOf, heldIn } from "./privacy/bundle.js";
export { erasedRequests, namesOf, receiptOf, suppressedOf } from "./privacy/erasure.js";
export { Scrub } from "./upkeep/scrub.js";
export { Deletions } from "./upkeep/deletions.js";
export { statsOf } from "./upkeep/stats.js";
