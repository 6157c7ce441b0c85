/** Every bound of Daybook: its name carries the unit, its comment the reason. */
export const LIMITS = {
  /** Filter groups of one query: more is a program's mistake, not a person's question. */
  filterGroupCount: 20,
  /** Filters of one query over all groups. */
  filterCount: 100,
  /** Characters of one filter value: a list of some hundred ids still fits. */
  filterValueChars: 4_096,
  /** Characters of one regular expression: compile time grows with it. */
  regexChars: 512,
  /** Characters of an event name. */
  eventNameChars: 200,
  /** Bytes of any other text field: long enough for every real URL. */
  fieldTextBytes: 8_192,
  /** Bytes of one event's metadata as JSON. */
  metadataBytes: 32 * 1024,
  /** Levels of nesting in metadata, the object itself being the first. */
  metadataDepth: 8,
  /** Distinct top-level metadata keys of one store: each is a column, and a column has a price in every file. */
  metadataKeyCount: 10_000,
  /** Distinct values of one field or metadata key: a `Map` of V8 holds 2^24 entries, one of them for "not set". */
  dictionaryValueCount: 2 ** 24 - 1,
  /** Bytes of all distinct values of one store, by estimate: they are in memory always, in a heap of 4 GiB by default. */
  dictionaryBytes: 3 * 1024 * 1024 * 1024,
  /** Steps of the paths by which lists of metadata keys are found again: some 200 bytes each, and made anew from codes when forgotten. */
  shapeStepCount: 100_000,
  /** Metadata columns of all heads before these are sealed: a column of a few rows takes about 1 KiB. */
  headColumnCount: 200_000,
  /** Metadata values of all heads before these are sealed: up to eight bytes each. */
  headValueCount: 16 * 1024 * 1024,
  /** Columns of all segments and heads of one store: each has a description in memory always, about 400 bytes. */
  columnCount: 2_000_000,
  /** Ids, or times, that an aggregate by these counts at once: no dictionary holds them, and as items of an answer they take some 100 bytes each. */
  ownValueCount: 2 ** 20,
  /** Days that `fill` may add to an answer: more than two centuries are a mistake. */
  fillDayCount: 100_000,
  /** How far in the future an event may lie before its time becomes the receive time. */
  futureSkewMs: 5 * 60_000,
  /** Rows of one search page. */
  searchLimitMin: 1,
  searchLimitMax: 1_000,
  searchLimitDefault: 100,
  /** Rows the heads may hold before they are sealed: bounds replay time and the unindexed part of a query. */
  headRowCount: 256 * 1024,
  /** Rows of one head: indexes of rows are kept for a head that takes no more, the last one is looked through each time. */
  headPartRowCount: 16 * 1024,
  /** Changes of who is who that are remembered at least, for tables that follow them: one that fell behind further is made anew. */
  rememberedMoveCount: 64 * 1024,
  /** Rows that came to heads and are looked at by each question, before what they answer is kept: keeping costs about as much. */
  newerRowCount: 2 * 1024,
  /** Bytes of the live journal before its heads are sealed. */
  journalBytes: 64 * 1024 * 1024,
  /** Characters of new dictionary values in one frame: escaped, as JSON, they stay within one string of V8. */
  frameValueChars: 64 * 1024 * 1024,
  /** Rows of a segment that are worth the way to another thread and back. */
  sealedElsewhereRowCount: 4 * 1024,
  /** Rows that compaction makes one segment of, all in memory at once, as columns and as a file. A day that has more stays in several. */
  segmentRowCount: 2 ** 19,
  /** Segments of one day before those of like size are compacted into one. */
  segmentsPerDayCount: 4,
  /** The same, and segments to be merged of all days, before merging does not wait for a quiet moment any longer, and takes longer turns: ingest that takes all it can would go on to make more than are merged. */
  segmentsPerLateDayCount: 64,
  segmentsToMergeCount: 512,
  /** Merging begins once no more rows than these came within so many ms: it takes a tenth of the thread that ingest could have. */
  quietRowCount: 32 * 1024,
  quietMs: 1_000,
  /** Rows that are merged while somebody waits for a program to end, and for each segment 4,096 more: a second or so. */
  lastMergedRowCount: 2 ** 20,
  /** How long a lock counts that is not renewed, where its owner cannot be seen; a writer renews it six times meanwhile, so that five may fail. */
  lockLeaseMs: 60_000,
  lockRenewMs: 10_000,
  /** The shortest lease that may be asked for: a busy event loop must not look like the end of a process. */
  lockLeaseMsMin: 300,
  /** How often somebody who waits for a lock looks whether it is renewed. */
  lockLookMs: 250,
  /** Events that may wait for the journal: beyond it an ingest is refused at once. */
  queuedIngestRows: 1_000_000,
  /** Bytes of a request's line and headers, and how many headers it may have. */
  headerBytes: 8 * 1024,
  headerCount: 100,
  /** Characters of path and query: a GET of every parameter at its bound still fits. */
  urlChars: 4_096,
  /** How long the headers of a request may take to arrive, and the whole of it: a slow sender must not hold a connection for long. */
  requestHeadersMs: 10_000,
  requestMs: 30_000,
  /** How long a sent answer may lie without the caller taking any more of it. */
  unreadAnswerMs: 60_000,
  /** Connections open at once: each costs some ten kilobytes and a file handle. */
  connectionCount: 1_024,
  /** Requests of one connection under way at once: a caller may send the next before it has the answer, but not without end. */
  pipelinedRequestCount: 16,
  /** Requests of one token under way at once. */
  requestsPerTokenCount: 32,
  /** Requests that a thread of sockets has handed over and that are not answered yet: each holds some kilobytes, and 64 KiB of a body that nobody asked for yet. */
  enteredRequestCount: 1_024,
  /** Bytes of request bodies in memory at once, all callers together; as parsed JSON they take several times as much. */
  heldBodyBytes: 64 * 1024 * 1024,
  /** Bytes of long request bodies that are parsed in one turn of the event loop: some ms. */
  parsedBytesPerTurn: 256 * 1024,
  /** Bytes of long request bodies of one organization that are parsed and not answered yet: a group of events or more, some ten times as much as objects. */
  parsedBytes: 2 * 1024 * 1024,
  /** How late timers may be before requests are refused: work piles up faster than it is done. */
  eventLoopLagMs: 50,
  /** User-agent texts that are remembered with what they tell, and characters of one: senders repeat few of them, and a hostile one must not fill the memory. */
  knownAgentCount: 50_000,
  knownAgentChars: 1_024,
  /** Characters of the header that tells what was noticed about a question, and of a name in it: proxies drop what is long. */
  noticeHeaderChars: 1_024,
  noticeNameChars: 96,
  /** How long a question may take. */
  questionMs: 30_000,
  /** Unknown tokens that one address may try in a row, and how many more each minute. */
  failedTokenCount: 60,
  failedTokensPerMinute: 20,
  /** Addresses that are remembered for that; then the oldest go. */
  failedAddressCount: 10_000,
  /** Tokens of which it is remembered whose they are, for the count of what was refused; then the oldest go. */
  countedTokenCount: 10_000,
  /** Events of one page of an export over HTTP, and characters of it, one event more or less: it is in memory as a whole, here and there. */
  exportPageCount: 5_000,
  exportPageChars: 4 * 1024 * 1024,
  /** Requests of one client under way at once: a quarter of what a token may have, so that a few processes can share one. */
  clientRequestCount: 8,
  /** Tries of one request, the first among them, and the bounds of the pauses between them: some seconds, in which a server starts anew. */
  clientAttemptCount: 5,
  clientRetryBaseMs: 200,
  clientRetryMaxMs: 10_000,
  /** How long one request of a client may take with all its tries: twice what a server gives a question. */
  clientRequestMs: 60_000,
  /** How often a signal is looked at that cannot be listened to. */
  clientSignalMs: 20,
  /** Characters of events that a client sends in one request: as UTF-8 they are at most 3 MiB, of the 16 that a server takes. */
  clientPieceChars: 1024 * 1024,
  /** Characters of one event that are sent to be judged: an event that breaks no rule has a quarter of it. */
  clientEventChars: 5 * 1024 * 1024,
  /** Levels of nesting in what a client sends: an event that breaks no rule has nine, and a server refuses a body of more than 64 as a whole. */
  clientDepth: 60,
  /** The longest time a timer can be set to. */
  timerMs: 2 ** 31 - 1,
  /** How long a question may hold the thread before others have a turn. */
  sliceMs: 5,
  /** Values that a seal or a compaction works on before others have a turn: 0.1 to 2 ms. */
  turnValueCount: 128 * 1024,
  /** Default rate of a scrub: a gigabyte in a quarter of an hour, which no disk notices. */
  scrubBytesPerSecond: 1024 * 1024,
  /** Default rest between two rounds of a scrub. */
  scrubRestMs: 60 * 60_000,
  /** Bytes a scrub reads at once: a millisecond of hashing. */
  scrubSliceBytes: 128 * 1024,
  /** Default bound on loaded columns and derived structures. */
  memoryBudgetBytes: 2 * 1024 * 1024 * 1024,
  /** Last representable instant: the end of the year 9999. */
  instantMaxMs: 253_402_300_800_000,
} as const;
