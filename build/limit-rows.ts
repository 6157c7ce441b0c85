import type { LIMITS } from "../src/base/limits.js";
import type { SERVER_LIMITS } from "../src/base/server-limits.js";

export type LimitName = keyof typeof LIMITS | keyof typeof SERVER_LIMITS;

/** What is bounded; what happens at the bound; what changes it, where anything does. */
export type Row = readonly [what: string, at: string, change?: string];

/** Bounds that belong together. */
export interface Section {
  readonly title: string;
  readonly intro: string;
  readonly rows: { readonly [Name in LimitName]?: Row };
}

const REFUSED_BODY = "413 `body_too_large`";
const REJECTED = "`invalid_event`, in `rejected`; the others are stored";
const OVERLOADED = "503 `overloaded`";
const RATE_LIMITED = "429 `rate_limited`";
const WITHHELD = "`(other)`, or nothing, [is stored](collecting.md#what-is-new-to-a-store) instead";
const PARAMETER = "400 `invalid_parameter`";
const inListen = (name: string) => `\`limits.${name}\` of \`listen\``;
const inHandler = (name: string) => `\`limits.${name}\` of \`createHandler\``;
const inCollect = (name: string) => `\`collect.${name}\` of \`createHandler\``;

/** Every bound that somebody outside can meet, in the order of the page. */
export const SECTIONS: readonly Section[] = [
  {
    title: "Connections",
    intro: "Of `listen`, `listenOnThread` and `daybook serve`; [embedding.md](embedding.md) says what another server decides instead.",
    rows: {
      connectionCount: ["connections at once", `the one longest idle is closed; where none is, ${OVERLOADED}`, inListen("connectionCount")],
      headerBytes: ["line and headers of a request", "431 `headers_too_large`, and the connection is closed"],
      headerCount: ["headers of a request", "431 `headers_too_large`"],
      urlChars: ["path and query of a request", "414 `uri_too_long`"],
      requestHeadersMs: ["time for the headers of a request", "408 `request_timeout`", inListen("headersMs")],
      requestMs: ["time for a whole request", "408 `request_timeout`", inListen("requestMs")],
      pipelinedRequestCount: [
        "requests sent ahead on a connection", `${RATE_LIMITED}; at twice as many the connection is cut`, inListen("pipelinedRequestCount"),
      ],
      unreadAnswerMs: ["time without the caller taking any of an answer", "the connection is cut", inListen("unreadMs")],
      unreadAnswerBytes: [
        "answers that callers have yet to take", "those that wait longest are cut; one answer passes", inListen("unreadByteLength"),
      ],
      wholeAnswerChars: ["an answer that is made as a whole", "a longer one is sent while it is made, without an `ETag`"],
      drainMs: ["time for open requests once a server closes", "what is not answered is cut off", "`drainMs` of `listen`"],
    },
  },
  {
    title: "Bodies",
    intro: "Bytes count as they were sent, and again after inflating. What is too much is refused before it is parsed, and nothing of it is stored.",
    rows: {
      questionBodyBytes: ["body of a question, or of one tracking call", REFUSED_BODY],
      writeBodyBytes: ["body of events, records or calls", REFUSED_BODY],
      keylessBodyBytes: ["the same of a [client](clients.md#before-the-key) whose key is in the body", REFUSED_BODY],
      collectedBodyBytes: ["body of a page", REFUSED_BODY],
      droppedBodyBytes: ["body that a route does not ask for", `dropped; a longer one is ${REFUSED_BODY}`],
      bodyItemCount: ["events, records or calls of a body", REFUSED_BODY],
      collectedItemCount: ["events of a page's body", REFUSED_BODY],
      bodyItemBytes: ["one item of a body, and all that stands beside items", REFUSED_BODY],
      jsonValueBytes: ["what each value of JSON counts for at least", `more values than fit the body's bound: ${REFUSED_BODY}`],
      arrowEventBytes: ["what each event of an Arrow body counts for at least", `more than fit the body's bound: ${REFUSED_BODY}`],
      arrowCellBytes: ["what each of its columns adds for each event, also without a value", "the same"],
      jsonDepth: ["levels of nesting of JSON", "400 `malformed_json`"],
      gzipMemberCount: ["members of a gzip body", "400 `malformed_json`"],
      formFieldCount: ["fields of a form", "400 `invalid_body`"],
      namedItemCount: ["rejected items that an answer names", "the first ones are named; `rejectedCount` says how many there were"],
      heldBodyBytes: ["bodies in memory, on each of two threads", `${OVERLOADED}; a body that is alone passes`, inHandler("heldBodyBytes")],
      heldKeylessBytes: ["of these, bodies whose key is not known yet", `${OVERLOADED}; an eighth of \`heldBodyBytes\` where that is less`],
      parsedBytes: ["long bodies of one organization, parsed and not answered", "the next ones wait, in order of arrival; one that is alone passes"],
    },
  },
  {
    title: "Load",
    intro: "429 and 503 `overloaded` come with `Retry-After`, before the body is read. `/healthz` and `/v1/token` are always answered.",
    rows: {
      eventLoopLagMs: ["lateness of the event loop", `${OVERLOADED}; short writes wait`, inHandler("eventLoopLagMs")],
      requestsPerTokenCount: [
        "requests of a token at once, with its change streams", `${RATE_LIMITED}; short writes wait`, inHandler("requestsPerTokenCount"),
      ],
      momentMs: ["how long anything but a short write waits for one of these, on a thread of sockets", RATE_LIMITED],
      waitingWriteBytes: ["a short write", "a longer one does not wait, and is refused"],
      waitingWriteCount: ["short writes that wait, of one token, and for the event loop", `${RATE_LIMITED}; for the event loop ${OVERLOADED}`],
      waitingBytes: ["bytes of these together", "the same"],
      waitingWriteMs: ["how long a short write waits", "the same"],
      enteredRequestCount: ["requests that a thread of sockets waits for", OVERLOADED],
      queuedIngestRows: ["events that wait to be written", `${OVERLOADED}; a batch that is alone passes`],
      questionMs: ["time of a question", "503 `query_timeout`", `${inHandler("questionMs")}, \`--question-seconds\``],
      questionMsMax: ["the longest that `--question-seconds` takes", "`daybook serve` does not start"],
      logLinesPerSec: ["lines of the log of `daybook serve`", "left out; a line says how many", "`--quiet` writes fewer"],
    },
  },
  {
    title: "Tokens",
    intro: "An address is known on a socket only, and of IPv6 addresses the first 64 bits count.",
    rows: {
      tokenCharsMin: ["characters of a secret token, at least", "refused when tokens are read", "`--insecure-token`; `insecure` of `memoryTokens`"],
      failedTokenCount: ["unknown tokens of an address in a row", `${RATE_LIMITED}; known tokens are served`, inHandler("failedTokenCount")],
      failedTokensPerMinute: ["how many of these come back", "the same", inHandler("failedTokensPerMinute")],
      failedAddressCount: ["addresses whose tries are remembered", "the oldest are forgotten"],
      countedTokenCount: ["tokens whose refusals are counted, and public keys whose rates are", "the oldest are forgotten"],
    },
  },
  {
    title: "Pages and clients of others",
    intro: "What comes by a [public key](collecting.md), and from [client libraries of others](clients.md).",
    rows: {
      collectedPerSec: ["events of a public key in the long run", RATE_LIMITED, inCollect("perSec")],
      collectedBurst: ["events of a public key in a burst", RATE_LIMITED, inCollect("burst")],
      collectedPerAddressPerSec: ["the same of an address, for each key", RATE_LIMITED, inCollect("perAddressPerSec")],
      collectedPerAddressBurst: ["events of an address in a burst", RATE_LIMITED, inCollect("perAddressBurst")],
      collectedAddressCount: ["addresses whose rates, and new values, are remembered", "the oldest are forgotten"],
      collectedDayValueCount: ["new distinct values of a public key on a day (UTC)", WITHHELD],
      collectedDayValueBytes: ["bytes of these, as a store counts them", "the same"],
      collectedTextShare: ["share of both that texts may have, and not ids", "the same"],
      collectedDayKeyCount: ["new metadata keys of it on a day", "the same"],
      collectedAddressDayValueCount: ["new distinct values of an address, for each key, on a day", "the same"],
      collectedAddressDayValueBytes: ["bytes of these", "the same"],
      collectedAddressDayKeyCount: ["new metadata keys of an address, for each key, on a day", "the same"],
      collectedShare: ["share of the bounds on distinct values up to which pages may bring new ones", "the same"],
      collectedMetadataKeyCount: ["metadata keys of a store up to which pages may bring new ones", "the same"],
      beaconAgeMs: ["age of an event of a page", "400 `invalid_parameter`; the others are stored"],
      knownAgentChars: ["text of a user agent", "of a page's, what is behind is not looked at; of others', it is read each time"],
      knownAgentCount: ["texts of user agents that are remembered", "all are forgotten, and read anew"],
      continuedVisitorCount: ["visitors whose sessions go on over midnight", "further ones count as new visitors at midnight"],
      clockOffsetMs: ["how far a sender's clock may be off", "its times are corrected by what `sentAt` tells"],
      rememberedClockCount: [
        "failed calls whose sender's clock is remembered", "the oldest are forgotten: sent again, their times are off by the pause",
      ],
      clockIdChars: ["id of such a call", "a longer one is not remembered"],
      repeatPauseMs: ["pause after which equal bytes without an id are the same again", "what comes sooner is something new"],
      repeatMs: ["time from an answer until they are something new again", "they are stored once more"],
      equalRepeatCount: ["equal ones that are remembered", "the oldest are forgotten: sent again, they are stored twice"],
      rememberedRepeatCount: ["all that are remembered", "the same"],
    },
  },
  {
    title: "Events and records",
    intro: "In the library as over HTTP. One that is wrong is rejected by itself. Where events are on ClickHouse, bounds of a store do not hold.",
    rows: {
      eventNameChars: ["name of an event, or of a project that is made", REJECTED],
      fieldTextBytes: ["any other text of an event or a record", `${REJECTED}; of records \`invalid_parameter\``],
      metadataBytes: ["metadata of an event, as JSON", REJECTED],
      metadataDepth: ["levels of nesting of metadata", REJECTED],
      metadataKeyCount: ["top-level metadata keys of a store", `new ones: ${REJECTED}`],
      dictionaryValueCount: ["distinct values of a field or metadata key of a store", `new ones: ${REJECTED}`],
      dictionaryBytes: ["all distinct values of a store", `new ones: ${REJECTED}`],
      dictionaryHeapShare: ["the share of a smaller heap that they may take", "the same", "`--max-old-space-size` of node"],
      heapBesideBytes: ["what of the heap is left to all else before", "the same"],
      columnCount: ["columns of a store, one for each day and metadata key", `new ones: ${REJECTED}`],
      futureSkewMs: [
        "how far a time may be ahead", "the time of receipt is stored, and told in `adjusted`", '`futureEvents: "keep"`, `import --future keep`',
      ],
      instantNumberMinMs: ["the least number that is a time in ms", "taken for seconds, and rejected as `invalid_event`"],
      instantMaxMs: ["the last day that there is", REJECTED],
      importedLineBytes: ["a line of an imported file, or a record of CSV", "named, and skipped"],
    },
  },
  {
    title: "Questions",
    intro: "What single parameters may be stands [below](#parameters-of-questions).",
    rows: {
      filterGroupCount: ["filter groups of a question", "400 `too_many_filters`"],
      filterCount: ["filters of a question, in all its groups", "400 `too_many_filters`"],
      filterValueChars: ["value of a filter", "400 `invalid_filter_value`"],
      regexChars: ["a regular expression", "400 `invalid_regex`"],
      regexSize: ["its steps, those repeated counted as often", "400 `invalid_regex`"],
      savedSegmentCount: ["saved segments of a store", PARAMETER],
      savedSegmentBytes: ["all of them", PARAMETER],
      searchLimitMin: ["rows of a search, at least", PARAMETER],
      searchLimitMax: ["rows of a search, at most", PARAMETER],
      searchLimitDefault: ["rows of a search that says nothing", "the next page has the next ones", "`limit`"],
      combinationCount: ["combinations of values of a breakdown, shown or not", "400 `query_too_large`", ""],
      ownValueCount: ["ids, or times, of an aggregate by them", "400 `too_many_values`", "`limit`, for ids"],
      fillDayCount: ["days of an answer with `fill`", PARAMETER],
      bucketCount: ["buckets of time of an answer", PARAMETER, "a longer `interval`"],
      figureCount: ["buckets times series of a trend", PARAMETER, "a longer `interval`, fewer series"],
      noticeHeaderChars: ["header `Daybook-Notice`", "further notices are counted there: `more; count=…`"],
      noticeNameChars: ["a name in it", "cut, with `...` behind it"],
    },
  },
  {
    title: "Exports and changes",
    intro: "",
    rows: {
      exportPageCount: ["events of a page of an export over HTTP", "the next page has the next ones"],
      exportPageChars: ["such a page", "the same, one event more or less"],
      idleExportMs: ["how long an export may rest while an erasure waits for it", "it ends with `query_timeout`"],
      changeReaderCount: ["who listens to changes of a store", OVERLOADED],
      changeMs: ["time between two changes that a listener hears of", "what comes meanwhile is told as one"],
      changeHeartbeatMs: ["time between two comments of a change stream", "streams of revoked tokens end by then, where nobody told of it before"],
    },
  },
  {
    title: "Deletions by time",
    intro: "",
    rows: {
      timeToLiveRuleCount: ["rules of a time to live", PARAMETER],
      timeToLiveDays: ["days of a rule, at most", PARAMETER],
      clockAheadMs: ["how far the clock may be ahead of its last trusted time", "nothing is deleted until a sweep by hand", "`daybook retention`"],
      sweepLookMs: ["time between two looks whether a day is over", "a sweep may begin as much later"],
      sweepLateMs: ["how long a sweep waits for a quiet moment", "it begins all the same"],
    },
  },
  {
    title: "A store and its lock",
    intro: "",
    rows: {
      memoryBudgetBytes: [
        "loaded columns and what is made of them", "what was not used for long is dropped, and loaded again", "`memoryBudgetBytes` of `openDaybook`",
      ],
      scrubBytesPerSecond: ["what a scrub reads", "it goes no faster", "`scrub.bytesPerSecond` of `openDaybook`"],
      scrubRestMs: ["pause between two rounds of a scrub", "it waits", "`scrub.restMs` of `openDaybook`"],
      followTryCount: ["looks in a row at files that a writer replaces meanwhile", "`overloaded`; what was shown stays"],
      followLateMs: ["how long ago a reader that follows may have looked", "a question looks first"],
      lockLeaseMs: ["how long a lock counts whose owner cannot be seen", "another process may take it", "`lockLeaseMs` of `fileStorage`"],
      lockLeaseMsMin: ["the shortest that may be asked for", "`invalid_parameter`"],
    },
  },
  {
    title: "A client",
    intro: "Of `connectDaybook` of `daybook/client`.",
    rows: {
      clientRequestCount: ["requests of a client under way at once", "further ones wait"],
      clientRequestMs: ["time of a request with all its tries", "`unreachable`, or the last error", "`timeoutMs`"],
      clientAttemptCount: ["tries of a request", "the last error", "`retry.attempts`, up to 100"],
      clientRetryBaseMs: ["the pause before the second try; it doubles", "random, up to it", "`retry.baseMs`"],
      clientRetryMaxMs: ["any pause", "longer where `Retry-After` asks for it", "`retry.maxMs`"],
      clientPieceChars: ["events of one request", "the others go in further requests"],
      clientEventChars: ["one event, as JSON", "`invalid_event`, in `rejected`"],
      clientDepth: ["levels of nesting of what is sent", "`invalid_parameter`; of events `invalid_event`, in `rejected`"],
      timerMs: ["any of these times", "`invalid_parameter`"],
    },
  },
];

/** Internal: tuning, which no caller meets. How fast something is depends on it, and when it is done, but not what is answered. */
export const INTERNAL: readonly LimitName[] = [
  // Ingest, and what waits in heads and journals.
  "shapeStepCount", "headColumnCount", "headValueCount", "headRowCount", "headPartRowCount", "journalBytes", "frameValueChars",
  // Segments: when they are made, and merged.
  "sealedElsewhereRowCount", "segmentRowCount", "segmentsPerDayCount", "segmentsPerLateDayCount", "segmentsToMergeCount", "quietRowCount", "quietMs",
  "lastMergedRowCount",
  // Tables of all time, and funnels.
  "rememberedMoveCount", "placedTouchCount", "placesSortedAtOnce", "restitchedCount", "rowsBesideCount", "unorderedSessionCount", "newerRowCount",
  "joinedListCountMin", "firstGoerCount", "longRunMin",
  // Turns of the event loop.
  "parsedBytesPerTurn", "sliceMs", "turnValueCount", "scrubSliceBytes", "calmWriteCount",
  // How often is looked.
  "followMs", "followSettleMs", "followUntoldMs", "lockRenewMs", "lockLookMs", "clientSignalMs",
];
