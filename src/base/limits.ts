/** Every bound of Daybook. Its name carries the unit, its comment says what it bounds, and why. */
export const LIMITS = {
  /** Filter groups of one question. More is a program's mistake. */
  filterGroupCount: 20,
  /** Filters of one question, over all groups. */
  filterCount: 100,
  /** Saved segments of one store. All are in memory, and each change writes them all. */
  savedSegmentCount: 1_000,
  /** Bytes of the file of these. Writing as many takes some 100 ms. */
  savedSegmentBytes: 16 * 1024 * 1024,
  /** Characters of one filter value. A list of some hundred ids still fits. */
  filterValueChars: 4_096,
  /** Characters of one regular expression. Compile time grows with it. */
  regexChars: 512,
  /** Steps of one regular expression, a repeated one counting as often. A value of 8 KiB is tested in some 50 ms at the most. */
  regexSize: 1_000,
  /** Characters of an event name. */
  eventNameChars: 200,
  /** Bytes of any other text field. Every real URL fits. */
  fieldTextBytes: 8_192,
  /** Bytes of one event's metadata as JSON. */
  metadataBytes: 32 * 1024,
  /** Levels of nesting in metadata, the object itself being the first. */
  metadataDepth: 8,
  /** Distinct top-level metadata keys of one store. Each is a column, which has a price in every file. */
  metadataKeyCount: 10_000,
  /** Distinct metadata keys of a store up to which events of public keys may bring new ones. A hostile page must leave room for others. */
  collectedMetadataKeyCount: 1_000,
  /** Distinct values of one field or metadata key. A `Map` of V8 holds 2^24 entries, one of them for "not set". */
  dictionaryValueCount: 2 ** 24 - 1,
  /** Bytes of all distinct values of one store, by estimate. They are in memory always, in a heap of 4 GiB by default. */
  dictionaryBytes: 3 * 1024 * 1024 * 1024,
  /** Steps of the paths by which lists of metadata keys are found again, some 200 bytes each. What is forgotten is made anew. */
  shapeStepCount: 100_000,
  /** Metadata columns of all heads before these are sealed. A column of a few rows takes about 1 KiB. */
  headColumnCount: 200_000,
  /** Metadata values of all heads before these are sealed, up to eight bytes each. */
  headValueCount: 16 * 1024 * 1024,
  /** Columns of all segments and heads of one store. Each has a description in memory always, about 400 bytes. */
  columnCount: 2_000_000,
  /** Ids, or times, that an aggregate by these counts at once. No dictionary holds them, and an item of an answer takes some 100 bytes. */
  ownValueCount: 2 ** 20,
  /** Days that `fill` may add to an answer. More than two centuries are a mistake. */
  fillDayCount: 100_000,
  /** Milliseconds that an event may lie in the future before its time becomes the receive time. */
  futureSkewMs: 5 * 60_000,
  /** Epoch ms of 1973. Lesser numbers are refused as times: as seconds they are dates of our days, as ms they are hardly ever meant. */
  instantNumberMinMs: 94_694_400_000,
  /** Rows that a search page has at least. */
  searchLimitMin: 1,
  /** Rows that a search page has at most. */
  searchLimitMax: 1_000,
  /** Rows of a search page that names no limit. */
  searchLimitDefault: 100,
  /** Rows of all heads before they are sealed. Bounds the time of a replay, and the part of a question that has no index. */
  headRowCount: 256 * 1024,
  /** Rows of one head. Indexes of rows are kept for a head that takes no more; the last one is looked through each time. */
  headPartRowCount: 16 * 1024,
  /** Changes of who is who that are remembered at least. A table that fell behind further is made anew. */
  rememberedMoveCount: 64 * 1024,
  /** Touches that are put in their places one by one. Where more came, the order of all is made anew. */
  placedTouchCount: 16 * 1024,
  /** Touches of one owner that are put in order in one turn. */
  placesSortedAtOnce: 4 * 1024,
  /** Rows that came, actors that moved, and events of sessions that change, up to which these are made anew within one turn: some 20 ms. */
  restitchedCount: 32 * 1024,
  /** Rows that lie beside these events in time, up to which they are looked at within one turn: some 5 ms. */
  rowsBesideCount: 2 * 1024 * 1024,
  /** Sessions that came since all were put in order, each of which every change looks at. Of more all are put in order again. */
  unorderedSessionCount: 64 * 1024,
  /** Rows that came to heads and are looked at by each question, before what they answer is kept. Keeping costs about as much. */
  newerRowCount: 2 * 1024,
  /** Lists of a funnel's matches in 16 days from which on they are joined: fewer are as fast one by one. */
  joinedListCountMin: 8,
  /** Entities of a funnel that are looked at first at once: the first ones may have most matches. */
  firstGoerCount: 64,
  /** Matches of a funnel's steps that one subject has in some days, from which on it is tried which of them are enough. */
  longRunMin: 8,
  /** Bytes of the live journal before its heads are sealed. */
  journalBytes: 64 * 1024 * 1024,
  /** Characters of new dictionary values in one frame. Escaped, as JSON, they stay within one string of V8. */
  frameValueChars: 64 * 1024 * 1024,
  /** Rows that a segment has at least that is worth the way to another thread and back. */
  sealedElsewhereRowCount: 4 * 1024,
  /** Rows of a segment that compaction makes, all in memory at once, as columns and as a file. A day that has more stays in several. */
  segmentRowCount: 2 ** 19,
  /** Segments of one day before those of like size are compacted into one. */
  segmentsPerDayCount: 4,
  /** Segments of one day that are to be merged before merging waits for no quiet moment. An ingest that takes all it can would outrun it. */
  segmentsPerLateDayCount: 64,
  /** Segments of all days that are to be merged before merging waits for no quiet moment. */
  segmentsToMergeCount: 512,
  /** Rows that may come in a quiet moment, in which merging begins. It takes a tenth of the thread that ingest could have. */
  quietRowCount: 32 * 1024,
  /** Milliseconds of a quiet moment. */
  quietMs: 1_000,
  /** Milliseconds between two looks whether a day has begun on which events are past their time, or after a sweep that failed. */
  sweepLookMs: 60_000,
  /** Milliseconds that a sweep waits for a quiet moment. It takes as long as an erasure. */
  sweepLateMs: 3_600_000,
  /** How far the clock may be ahead of its last trusted time, in ms; beyond it nothing is deleted by its time to live until that is confirmed. */
  clockAheadMs: 86_400_000,
  /** Rules for how long events are kept. All are in the manifest, which is written with each seal. */
  timeToLiveRuleCount: 1_000,
  /** Days that events may be kept. A century is for ever. */
  timeToLiveDays: 36_525,
  /** Rows that are merged while somebody waits for a program to end, and for each segment 4,096 more. Takes a second or so. */
  lastMergedRowCount: 2 ** 20,
  /** Milliseconds that a lock counts without being renewed, where its owner cannot be seen. */
  lockLeaseMs: 60_000,
  /** Milliseconds from one renewal of a lock to the next. Five of them may fail. */
  lockRenewMs: 10_000,
  /** Milliseconds of the shortest lease that may be asked for. A busy event loop must not look like the end of a process. */
  lockLeaseMsMin: 300,
  /** Milliseconds between two looks at a lock by somebody who waits for it. */
  lockLookMs: 250,
  /** Events that may wait for the journal. Beyond it an ingest is refused at once. */
  queuedIngestRows: 1_000_000,
  /** Bytes of a request's line and headers. */
  headerBytes: 8 * 1024,
  /** Headers of a request. */
  headerCount: 100,
  /** Characters of path and query. A GET of every parameter at its bound still fits. */
  urlChars: 4_096,
  /** Milliseconds in which the headers of a request must arrive. A slow sender must not hold a connection for long. */
  requestHeadersMs: 10_000,
  /** Milliseconds in which a whole request must arrive. */
  requestMs: 30_000,
  /** Milliseconds that a sent answer may lie without the caller taking any more of it. */
  unreadAnswerMs: 60_000,
  /** Bytes of answers that their callers have yet to take, of all connections. More is an attack, or a network that broke. */
  unreadAnswerBytes: 64 * 1024 * 1024,
  /** Connections open at once. Each costs some ten kilobytes and a file handle. */
  connectionCount: 1_024,
  /** Requests of one connection that are not answered. A caller may send the next before it has the answer, but not without end. */
  pipelinedRequestCount: 16,
  /** Requests of one token under way at once. */
  requestsPerTokenCount: 32,
  /** Bytes of a write that waits instead of being refused, while others are done. Many clients send call by call, and never again. */
  waitingWriteBytes: 64 * 1024,
  /** Bytes of all such writes that wait together, of one token. */
  waitingBytes: 2 * 1024 * 1024,
  /** Such writes of one token. */
  waitingWriteCount: 1_000,
  /** Milliseconds that one may wait. Clients that give up sooner send the same again under its id. */
  waitingWriteMs: 25_000,
  /** Writes that go on in one look at the event loop, after it was late. */
  calmWriteCount: 32,
  /** Requests that a thread of sockets waits for. Each holds some kilobytes, and 64 KiB of a body that nobody asked for yet. */
  enteredRequestCount: 1_024,
  /** Bytes of request bodies in memory at once, of all callers. As parsed JSON they take several times as much. */
  heldBodyBytes: 64 * 1024 * 1024,
  /** Bytes of a body, as sent and inflated, of which only the body says whose it is. Clients send 50 to 200 events at once, some 100 KiB. */
  keylessBodyBytes: 1024 * 1024,
  /** Bytes of such bodies in memory at once, before their keys are known: whoever has no key must not hold what others need. */
  heldKeylessBytes: 8 * 1024 * 1024,
  /** Items of a body: events, records, calls. One that is wrong takes some ten times as long as one that is right. */
  bodyItemCount: 10_000,
  /** Events of a body that a page sends: what one address may send in a burst. */
  collectedItemCount: 1_000,
  /** Bytes of one item, and of all that stands beside the items. What breaks no rule has a third of it. */
  bodyItemBytes: 1024 * 1024,
  /** Rejected items that an answer names one by one, and adjusted ones. The others are counted. */
  namedItemCount: 100,
  /** Members of a gzip body: each takes some tens of µs, however little it holds. */
  gzipMemberCount: 1_024,
  /** Fields of a form. Clients send two or three. */
  formFieldCount: 16,
  /** Bytes that an event of an Arrow body counts for at least, of those that a body may have: no event is shorter as JSON, with its comma. */
  arrowEventBytes: 15,
  /** Bytes that a column of such a body counts for in each row, whether it has a value or none: to look takes time. */
  arrowCellBytes: 1,
  /** Bytes of long request bodies that are parsed in one turn of the event loop. Takes some milliseconds. */
  parsedBytesPerTurn: 256 * 1024,
  /** Bytes of long request bodies of one organization that are parsed and not answered yet. Objects take some ten times as much. */
  parsedBytes: 2 * 1024 * 1024,
  /** Milliseconds that timers may be late before requests are refused. Work piles up then faster than it is done. */
  eventLoopLagMs: 50,
  /** User-agent texts that are remembered with what they tell. Senders repeat few of them. */
  knownAgentCount: 50_000,
  /** Characters of a user-agent text that is remembered. A hostile one must not fill the memory. */
  knownAgentChars: 1_024,
  /** Characters of the header that tells what was noticed about a question. Proxies drop what is long. */
  noticeHeaderChars: 1_024,
  /** Characters of a name in that header. */
  noticeNameChars: 96,
  /** Buckets of time of one answer. A year has 8,784 hours. */
  bucketCount: 10_000,
  /** Figures of one answer: buckets times series. They are some 20 MB of JSON. */
  figureCount: 1_000_000,
  /** Milliseconds that a question may take. */
  questionMs: 30_000,
  /** Unknown tokens that one address may try in a row. */
  failedTokenCount: 60,
  /** Unknown tokens that one address may try each minute beyond these. */
  failedTokensPerMinute: 20,
  /** Addresses that are remembered for unknown tokens. Then the oldest go. */
  failedAddressCount: 10_000,
  /** Tokens of which it is remembered whose they are, for the count of what was refused. Then the oldest go. */
  countedTokenCount: 10_000,
  /** Milliseconds between two looks of a reader that follows. A commit may take three of them to be shown. */
  followMs: 200,
  /** Milliseconds that a frame of a journal must have stood before it takes it, unless it is known to be synced. What fails is cut off at once. */
  followSettleMs: 100,
  /** Milliseconds between two looks where the storage tells of changes and told of none: a writer may end before it could tell. */
  followUntoldMs: 5_000,
  /** Milliseconds after which a question to such a reader looks first, as after a process stood still. What it shows is at most a second old. */
  followLateMs: 500,
  /** Looks in a row that meet a newer manifest each, or times that a question begins anew because files are gone, before it is given up. */
  followTryCount: 100,
  /** Milliseconds from one change that a listener hears of to the next. */
  changeMs: 250,
  /** Who may listen to changes of one store at once. Each costs a few hundred bytes. */
  changeReaderCount: 1_000,
  /** Milliseconds after which a listener over HTTP hears that the connection still lives. Proxies cut silent ones after a minute or less. */
  changeHeartbeatMs: 15_000,
  /** Milliseconds that an event of a page may have waited before it was sent. */
  beaconAgeMs: 60 * 60_000,
  /** Visitors who are in a session around midnight of whom it is remembered. Each takes some 150 bytes; one more is somebody new at midnight. */
  continuedVisitorCount: 200_000,
  /** Events of one public key each second, in the long run. */
  collectedPerSec: 20_000,
  /** Events of one public key in a burst. */
  collectedBurst: 100_000,
  /** Events of one address each second, in the long run. A company behind one address sends some. */
  collectedPerAddressPerSec: 50,
  /** Events of one address in a burst. */
  collectedPerAddressBurst: 1_000,
  /** Addresses that are remembered for that, for a day. Then the oldest go. */
  collectedAddressCount: 100_000,
  /** Milliseconds that a sender's clock may be off before the times that it tells are corrected. What is less may be time on the way. */
  clockOffsetMs: 5 * 60_000,
  /** Ids of what failed that are remembered with what their sender's clock is off. Each takes some 150 bytes; then the oldest go. */
  rememberedClockCount: 100_000,
  /** Characters of such an id. Clients make ids of some 40. */
  clockIdChars: 256,
  /** Milliseconds of pause after which the same bytes without an id may be sent again. The shortest of a client is 500. */
  repeatPauseMs: 450,
  /** Milliseconds from an answer after which they are something new, too: the longest pause is 2,000. */
  repeatMs: 3_000,
  /** Equal ones that are remembered for that at once. Each is looked at when one more comes. */
  equalRepeatCount: 1_000,
  /** All such things that are remembered for that. Each takes some 200 bytes; then the oldest go. */
  rememberedRepeatCount: 100_000,
  /** Events of one page of an export over HTTP. */
  exportPageCount: 5_000,
  /** Milliseconds for which nothing may be asked of an export while an erasure waits for it. Who forgot it must not keep a person's events alive. */
  idleExportMs: 60_000,
  /** Characters of such a page, one event more or less. It is in memory as a whole, here and there. */
  exportPageChars: 4 * 1024 * 1024,
  /** Requests of one client under way at once. A quarter of what a token may have, so that a few processes can share one. */
  clientRequestCount: 8,
  /** Tries of one request of a client, the first among them. Takes some seconds, in which a server starts anew. */
  clientAttemptCount: 5,
  /** Milliseconds that the pause before the second try may take. Later ones may take twice the one before. */
  clientRetryBaseMs: 200,
  /** Milliseconds that any pause between two tries may take. */
  clientRetryMaxMs: 10_000,
  /** Milliseconds that one request of a client may take with all its tries. Twice what a server gives a question. */
  clientRequestMs: 60_000,
  /** Milliseconds between two looks at a signal that cannot be listened to. */
  clientSignalMs: 20,
  /** Characters of events that a client sends in one request. As UTF-8 they are at most 3 MiB, of the 16 that a server takes. */
  clientPieceChars: 1024 * 1024,
  /** Characters of one event that a client sends to be judged. An event that breaks no rule has a quarter of it. */
  clientEventChars: 5 * 1024 * 1024,
  /** Levels of nesting in what a client sends. An event that breaks no rule has nine, and a server refuses a body of more than 64. */
  clientDepth: 60,
  /** Milliseconds of the longest timer. */
  timerMs: 2 ** 31 - 1,
  /** Milliseconds that a question may hold the thread before others have a turn. */
  sliceMs: 5,
  /** Values that a seal or a compaction works on before others have a turn. Takes 0.1 to 2 ms. */
  turnValueCount: 128 * 1024,
  /** Bytes a second that a scrub reads by default. A gigabyte in a quarter of an hour, which no disk notices. */
  scrubBytesPerSecond: 1024 * 1024,
  /** Milliseconds between two rounds of a scrub by default. */
  scrubRestMs: 60 * 60_000,
  /** Bytes that a scrub reads at once. Takes a millisecond of hashing. */
  scrubSliceBytes: 128 * 1024,
  /** Bytes of loaded columns and derived structures by default. */
  memoryBudgetBytes: 2 * 1024 * 1024 * 1024,
  /** Milliseconds from 1970 to the first instant that cannot be represented: the end of the year 9999. */
  instantMaxMs: 253_402_300_800_000,
} as const;
