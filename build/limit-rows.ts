import type { LIMITS } from "../src/core/base/limits.js";
import type { SERVER_LIMITS } from "../src/core/base/server-limits.js";

export type LimitName = keyof typeof LIMITS | keyof typeof SERVER_LIMITS;

/** What is bounded; what happens at the bound; what changes it, where anything does. */
export type Row = readonly [what: string, at: string, change?: string];

/** Bounds that belong together. */
export interface Section {
  readonly title: string;
  readonly intro: string;
  readonly rows: { readonly [Name in LimitName]?: Row };
}

const TOO_LARGE = "`body_too_large`";
const REJECTED = "`invalid_event`";
const NEW_ONES = `new ones: ${REJECTED}`;
const OVERLOADED = "`overloaded`";
const RATE_LIMITED = "`rate_limited`";
const WITHHELD = "stored as `(other)`, or left out";
const PARAMETER = "`invalid_parameter`";
const SAME = "same";
const FORGOTTEN = "forgets the oldest";

/** Every bound that somebody outside can meet, in the order of the page. */
export const SECTIONS: readonly Section[] = [
  {
    title: "Connections",
    intro: "Of `serve`, `listen` and `listenOnWorker`; [Embedding](../guide/embedding.md) covers other servers. Options: `listen`.",
    rows: {
      connectionCount: ["open connections", `closes the longest idle one, else ${OVERLOADED}`, "`limits.connectionCount`"],
      headerBytes: ["request line and headers", "`headers_too_large`, disconnects"],
      headerCount: ["headers", "`headers_too_large`"],
      urlChars: ["path and query", "`uri_too_long`"],
      requestHeadersMs: ["time to send headers", "`request_timeout`", "`limits.headersMs`"],
      requestMs: ["time to send a request", "`request_timeout`", "`limits.requestMs`"],
      pipelinedRequestCount: ["pipelined requests", `${RATE_LIMITED}; at twice as many, disconnects`, "`limits.pipelinedRequestCount`"],
      unreadAnswerMs: ["time without reading an answer", "disconnects", "`limits.unreadMs`"],
      unreadAnswerBytes: ["unread answers, all connections", "disconnects the longest waiting; a single larger one passes", "`limits.unreadByteLength`"],
      wholeAnswerChars: ["answer in one piece", "streamed, without `ETag`"],
      drainMs: ["time for running requests at shutdown", "disconnects", "`drainMs`"],
    },
  },
  {
    title: "Bodies",
    intro: "Bytes count as sent and again after inflating. Refused bodies are not parsed, and nothing is stored. Options: `createHandler`.",
    rows: {
      queryBodyBytes: ["query, or single tracking call", TOO_LARGE],
      writeBodyBytes: ["events, records or calls", TOO_LARGE],
      keylessBodyBytes: ["these, with the key [in the body](../guide/clients.md)", TOO_LARGE],
      collectedBodyBytes: ["events of a page", TOO_LARGE],
      droppedBodyBytes: ["body that a route ignores", TOO_LARGE],
      bodyItemCount: ["items: events, records or calls", TOO_LARGE],
      collectedItemCount: ["events of a page", TOO_LARGE],
      bodyItemBytes: ["one item, or all beside the items", TOO_LARGE],
      jsonValueBytes: ["a JSON value counts as at least", TOO_LARGE],
      arrowEventBytes: ["an Arrow event counts as at least", TOO_LARGE],
      arrowCellBytes: ["each of its columns, at least", TOO_LARGE],
      jsonDepth: ["JSON nesting", "`malformed_json`"],
      gzipMemberCount: ["gzip members", "`malformed_json`"],
      formFieldCount: ["form fields", "`invalid_body`"],
      namedItemCount: ["items in `rejected`", "`rejectedCount` counts all"],
      heldBodyBytes: ["bodies in memory, per thread", `${OVERLOADED}; one passes`, "`limits.heldBodyBytes`"],
      heldKeylessBytes: ["of these, with a key not read yet", `${OVERLOADED}; at most 1/8 of \`heldBodyBytes\``],
      parsedBytes: ["parsed long bodies of an organization", "others wait; a single larger one passes"],
    },
  },
  {
    title: "Load",
    intro: "Refused before the body is read, with `Retry-After`; `/healthz` and `/v1/token` are always answered. Options: `createHandler`.",
    rows: {
      eventLoopLagMs: ["event loop delay", `${OVERLOADED}; short writes wait`, "`limits.eventLoopLagMs`"],
      requestsPerTokenCount: ["concurrent requests of a token; its change streams", `${RATE_LIMITED}; short writes wait`, "`limits.requestsPerTokenCount`"],
      tokenWaitMs: ["wait of other requests on a socket worker", RATE_LIMITED],
      waitingWriteBytes: ["short write", "does not wait"],
      waitingWriteCount: ["waiting short writes of a token, or for the event loop", `${RATE_LIMITED}, or ${OVERLOADED}`],
      waitingBytes: ["bytes of these", SAME],
      waitingWriteMs: ["their wait", SAME],
      promptAnswerMs: ["wait of `/healthz` on a socket worker for the store", "the last answer"],
      repeatedAnswerMs: ["age of that last answer", "the store's answer"],
      forwardedRequestCount: ["requests that a socket worker passed on", OVERLOADED],
      queuedIngestRows: ["events waiting to be written", `${OVERLOADED}; one passes`],
      queryMs: ["query time", "`query_timeout`", "`limits.queryMs`, `--query-seconds`"],
      queryMsMax: ["`--query-seconds`", "`serve` does not start"],
      logLinesPerSec: ["log lines", "left out and counted", "`--quiet`"],
    },
  },
  {
    title: "Tokens",
    intro: "Addresses are known on sockets only. IPv6 addresses count by their first 64 bits.",
    rows: {
      tokenCharsMin: ["length of a secret token, at least", "refused", "`--insecure-token`, `insecure` of `memoryTokens`"],
      failedTokenCount: ["unknown tokens of an address in a row", `${RATE_LIMITED}; valid tokens work`, "`limits.failedTokenCount`"],
      failedTokensPerMinute: ["tries regained", SAME, "`limits.failedTokensPerMinute`"],
      failedAddressCount: ["addresses with such tries", FORGOTTEN],
      countedTokenCount: ["tokens and keys with counts", FORGOTTEN],
      signedTokenChars: ["length of a signed token", PARAMETER],
      signedScopeBytes: ["JSON of its scope and origins", PARAMETER],
      signedTokenMs: ["its life", PARAMETER, "`longLived`, `--long-lived`"],
      longLivedTokenDays: ["a long life", PARAMETER],
      signerAheadMs: ["its time of issue ahead of the clock", "`invalid_token`"],
      signedTokenOriginCount: ["its origins", PARAMETER],
      verifiedTokenCount: ["verified tokens of a store", "verifies them anew"],
    },
  },
  {
    title: "Pages and client libraries",
    intro: "Of [public keys](../guide/tracking.md) and [client libraries](../guide/clients.md). Options: `createHandler`. Days are UTC.",
    rows: {
      collectedPerSec: ["events of a public key", RATE_LIMITED, "`collect.perSec`"],
      collectedBurst: ["a burst of these", RATE_LIMITED, "`collect.burst`"],
      collectedPerAddressPerSec: ["events of an address, per key", RATE_LIMITED, "`collect.perAddressPerSec`"],
      collectedPerAddressBurst: ["a burst of these", RATE_LIMITED, "`collect.perAddressBurst`"],
      collectedAddressCount: ["remembered addresses", FORGOTTEN],
      collectedDayValueCount: ["new distinct values of a key a day", WITHHELD],
      collectedDayValueBytes: ["their bytes", SAME],
      collectedTextShare: ["share of both for texts, not ids", SAME],
      collectedDayKeyCount: ["new metadata keys of a key a day", SAME],
      collectedAddressDayValueCount: ["new distinct values of an address with a key a day", SAME],
      collectedAddressDayValueBytes: ["their bytes", SAME],
      collectedAddressDayKeyCount: ["its new metadata keys a day", SAME],
      collectedShare: ["share of a store's distinct values for public keys", SAME],
      collectedMetadataKeyCount: ["metadata keys of a store for public keys", SAME],
      beaconAgeMs: ["age of a page's event", `${PARAMETER}; others are stored`],
      knownAgentChars: ["user agent", "rest ignored or not cached"],
      knownAgentCount: ["cached user agents", "clears the cache"],
      continuedVisitorCount: ["visitors with sessions over midnight", "more count as new"],
      clockOffsetMs: ["error of a sender's clock", "corrected by `sentAt`"],
      rememberedClockCount: ["failed calls with a known clock error", `${FORGOTTEN}: retries get a later time`],
      clockIdChars: ["id of such a call", "not remembered"],
      repeatPauseMs: ["equal request without id is a retry after", "sooner: a new event"],
      repeatMs: ["and until, after the answer", "later: stored again"],
      equalRepeatCount: ["equal requests remembered", `${FORGOTTEN}: stored again`],
      rememberedRepeatCount: ["all requests remembered", SAME],
    },
  },
  {
    title: "Events and records",
    intro: "`invalid_event` is in `rejected`; other items are stored. Bounds of a store do not apply on ClickHouse.",
    rows: {
      eventNameChars: ["name of an event or new project", REJECTED],
      fieldTextBytes: ["any other text", `${REJECTED}, in records \`invalid_parameter\``],
      metadataBytes: ["metadata as JSON", REJECTED],
      metadataDepth: ["nesting of metadata", REJECTED],
      metadataKeyCount: ["top-level metadata keys of a store", NEW_ONES],
      dictionaryValueCount: ["distinct values of a field or metadata key", NEW_ONES],
      dictionaryBytes: ["all distinct values of a store", NEW_ONES],
      dictionaryHeapShare: ["their share of a smaller heap", SAME, "`--max-old-space-size` of Node"],
      heapBesideBytes: ["heap excluded from this share", SAME],
      columnCount: ["columns of a store, per day and metadata key", NEW_ONES],
      futureSkewMs: ["time ahead of the clock", "time of receipt, in `adjusted`", '`futureEvents: "keep"`, `import --future keep`'],
      instantNumberMinMs: ["earliest time as a number", `${REJECTED}: looks like seconds`],
      instantMaxMs: ["latest time", REJECTED],
      importedLineBytes: ["imported line or CSV record", "reported and skipped"],
    },
  },
  {
    title: "Queries",
    intro: "",
    rows: {
      filterGroupCount: ["filter groups", "`too_many_filters`"],
      filterCount: ["filters, all groups", "`too_many_filters`"],
      filterValueChars: ["filter value", "`invalid_filter_value`"],
      regexChars: ["regular expression", "`invalid_regex`"],
      regexSize: ["its steps, with repetitions", "`invalid_regex`"],
      savedSegmentCount: ["saved segments of a store", PARAMETER],
      savedSegmentBytes: ["their bytes", PARAMETER],
      searchLimitMin: ["least `limit` of a search", PARAMETER],
      searchLimitMax: ["greatest `limit` of a search", PARAMETER],
      searchLimitDefault: ["default `limit` of a search", "continues on the next page"],
      combinationCount: ["combinations of breakdown values", "`query_too_large`"],
      ownValueCount: ["ids or times in an aggregate by these", "`too_many_values`", "`limit`, for ids"],
      fillDayCount: ["days with `fill`", PARAMETER],
      bucketCount: ["time buckets", PARAMETER, "longer `interval`"],
      figureCount: ["buckets times series of a trend", PARAMETER, "longer `interval`, fewer series"],
      noticeHeaderChars: ["header `Daybook-Notice`", "further notices are only counted"],
      noticeNameChars: ["a name in it", "cut, ends with `...`"],
    },
  },
  {
    title: "Exports and changes",
    intro: "",
    rows: {
      exportPageCount: ["events on a page of an export", "continues on the next"],
      exportPageChars: ["size of such a page", SAME],
      idleExportMs: ["pause of an export that an erasure waits for", "`query_timeout`"],
      keptDeletionMs: ["age of deletions that copies can still learn of", "the next deletion forgets them"],
      changeReaderCount: ["listeners to changes of a store", OVERLOADED],
      changeMs: ["time between changes", "merged into one"],
      changeHeartbeatMs: ["time between comments of a stream", "checks for a revoked token"],
    },
  },
  {
    title: "Retention",
    intro: "",
    rows: {
      timeToLiveRuleCount: ["rules", PARAMETER],
      timeToLiveDays: ["days of a rule", PARAMETER],
      clockAheadMs: ["clock ahead of its last trusted time", "pauses deletions", "`daybook retention sweep`"],
      sweepLookMs: ["time between checks for a new day", "a sweep may start that late"],
      sweepLateMs: ["wait of a sweep for a quiet moment", "starts anyway"],
    },
  },
  {
    title: "Storage",
    intro: "Options: `openDaybook`, and `fileStorage` for `lockLeaseMs`.",
    rows: {
      memoryBudgetBytes: ["cached columns and tables", "drops the least recently used", "`memoryBudgetBytes`"],
      scrubBytesPerSecond: ["scrub speed", "no faster", "`scrub.bytesPerSecond`"],
      scrubRestMs: ["pause between scrubs", "waits", "`scrub.restMs`"],
      followTryCount: ["tries of a follower while files change", "`overloaded`; shows the last state"],
      followLateMs: ["age of a follower's last check", "a query checks first"],
      lockLeaseMs: ["lease of a lock with an invisible owner", "another process may take it", "`lockLeaseMs`"],
      lockLeaseMsMin: ["least `lockLeaseMs`", "`invalid_parameter`"],
    },
  },
  {
    title: "Client",
    intro: "Options: `connectDaybook`.",
    rows: {
      clientRequestCount: ["concurrent requests", "others wait"],
      clientRequestMs: ["time of a request with retries", "`unreachable` or the last error", "`timeoutMs`"],
      clientAttemptCount: ["attempts", "the last error", "`retry.attempts`, up to 100"],
      clientRetryBaseMs: ["first pause, random; doubles", "no longer", "`retry.baseMs`"],
      clientRetryMaxMs: ["any pause", "longer for `Retry-After`", "`retry.maxMs`"],
      clientPieceChars: ["events of one request", "split into several"],
      clientEventChars: ["event as JSON", REJECTED],
      clientDepth: ["nesting", `${REJECTED} or \`invalid_parameter\``],
      timerMs: ["any time option", "`invalid_parameter`"],
    },
  },
  {
    title: "Track",
    intro: "The queue of `track`. Options: `track` of `connectDaybook`, `openDaybook` and `openClickHouse`.",
    rows: {
      trackedEventCount: ["waiting events", OVERLOADED, "`track.queuedEventCount`"],
      trackedBytes: ["waiting events, as JSON", OVERLOADED, "`track.queuedBytes`"],
      trackBatchEventCount: ["events of one batch", "the next batch", "`track.batchEventCount`"],
      trackBatchMs: ["time an event waits for others", "a batch is sent", "`track.batchMs`"],
      trackGiveUpMs: ["time an event waits while batches fail", "the last error", "`track.giveUpAfterMs`"],
      trackWarnMs: ["time between lines on the console, without `onError`", "counts the events"],
    },
  },
];

/** Internal: tuning, which no caller meets. How fast something is depends on it, and when it is done, but not what is answered. */
export const INTERNAL: readonly LimitName[] = [
  // Ingest, and what waits in heads and journals.
  "shapeStepCount", "headColumnCount", "headValueCount", "headRowCount", "headPartRowCount", "journalBytes", "frameValueChars",
  // Segments: when they are made, and merged.
  "workerSealRowCount", "segmentRowCount", "segmentsPerDayCount", "segmentsPerLateDayCount", "segmentsToMergeCount", "quietRowCount", "quietMs",
  "lastMergedRowCount",
  // Tables of all time, and funnels.
  "rememberedMoveCount", "placedTouchCount", "placesSortedAtOnce", "resessionizedCount", "rowsBesideCount", "unorderedSessionCount", "newerRowCount",
  "joinedListCountMin", "firstEntityCount",
  // Turns of the event loop.
  "parsedBytesPerTurn", "sliceMs", "turnValueCount", "scrubSliceBytes", "resumedWriteCount",
  // How often is looked.
  "followMs", "followSettleMs", "followUnreportedMs", "lockRenewMs", "lockLookMs", "clientSignalMs",
];
