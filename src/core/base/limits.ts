/** All limits of Daybook but those of servers. A name carries the unit; its comment says what is limited, and why. */
export const LIMITS = {
  /** Filter groups of a query. More is a programming mistake. */
  filterGroupCount: 20,
  /** Filters of a query, over all groups. */
  filterCount: 100,
  /** Saved segments of a store. All are in memory, and each change rewrites them all. */
  savedSegmentCount: 1_000,
  /** Bytes of the file of saved segments. Writing that much takes about 100 ms. */
  savedSegmentBytes: 16 * 1024 * 1024,
  /** Characters of a filter value. A list of several hundred ids still fits. */
  filterValueChars: 4_096,
  /** Characters of a regular expression. Compile time grows with it. */
  regexChars: 512,
  /** Steps of a regular expression, repetitions multiplied out. Testing a value of 8 KiB takes about 0.1 s at most. */
  regexSize: 2_500,
  /** Characters of an event name. */
  eventNameChars: 200,
  /** Bytes of any other text field. Every real URL fits. */
  fieldTextBytes: 8_192,
  /** Bytes of an event's metadata as JSON. */
  metadataBytes: 32 * 1024,
  /** Levels of nesting in metadata, the object itself being the first. */
  metadataDepth: 8,
  /** Distinct top-level metadata keys of a store. Each is a column, which costs space in every file. */
  metadataKeyCount: 10_000,
  /** Distinct values of a field or metadata key. A `Map` of V8 holds 2^24 entries, one of them for "not set". */
  dictionaryValueCount: 2 ** 24 - 1,
  /** Bytes of all distinct values of a store, by estimate, with a heap of at least 6.2 GiB. They always stay in memory. */
  dictionaryBytes: 3 * 1024 * 1024 * 1024,
  /** The same as a share of a smaller heap. The estimate is a quarter too low for values cut out of longer texts. */
  dictionaryHeapShare: 1 / 2,
  /** Bytes of heap set aside before that share is taken: for the program and young objects. */
  heapBesideBytes: 128 * 1024 * 1024,
  /** Steps of the cached paths that find a list of metadata keys again, about 200 bytes each. Beyond it the cache is cleared. */
  shapeStepCount: 100_000,
  /** Metadata columns of all heads before they are sealed. A column of a few rows takes about 1 KiB. */
  headColumnCount: 200_000,
  /** Metadata values of all heads before they are sealed, up to eight bytes each. */
  headValueCount: 16 * 1024 * 1024,
  /** Columns of all segments and heads of a store. The description of each takes about 400 bytes and always stays in memory. */
  columnCount: 2_000_000,
  /** Ids or times that an aggregate counts at once. They have no dictionary, and an item of a result takes about 100 bytes. */
  ownValueCount: 2 ** 20,
  /** Combinations of values of a breakdown, shown or not. Counting one takes about 60 bytes. */
  combinationCount: 2 ** 22,
  /** Days that `fill` may add to a result. More than two centuries are a mistake. */
  fillDayCount: 100_000,
  /** Milliseconds that an event may lie in the future before the receive time replaces its time. */
  futureSkewMs: 5 * 60_000,
  /** Epoch ms of 1973. Smaller numbers are rejected as times: in seconds they are present-day dates, in ms they are hardly ever meant. */
  instantNumberMinMs: 94_694_400_000,
  /** Smallest number of rows of a search page. */
  searchLimitMin: 1,
  /** Largest number of rows of a search page. */
  searchLimitMax: 1_000,
  /** Rows of a search page without a limit. */
  searchLimitDefault: 100,
  /** Rows of all heads before they are sealed. Bounds the time of a replay, and the part of a query that has no index. */
  headRowCount: 256 * 1024,
  /** Rows of one head. Full heads get indexes of rows; queries scan the last one each time. */
  headPartRowCount: 16 * 1024,
  /** Identity changes remembered at least. A table that is further behind is rebuilt. */
  rememberedMoveCount: 64 * 1024,
  /** Touches inserted one by one. Where more have arrived, all are sorted again. */
  placedTouchCount: 16 * 1024,
  /** Touches of one owner sorted without yielding. */
  placesSortedAtOnce: 4 * 1024,
  /** New rows, moved actors and changed events of sessions up to which they are resessionized without yielding: about 20 ms. */
  resessionizedCount: 32 * 1024,
  /** Rows next to these events in time up to which they are read without yielding: about 5 ms. */
  rowsBesideCount: 2 * 1024 * 1024,
  /** Sessions added since all were sorted, each of which every change reads. Beyond it all are sorted again. */
  unorderedSessionCount: 64 * 1024,
  /** New rows of heads that each query reads before their results are cached. Caching costs about as much. */
  newerRowCount: 2 * 1024,
  /** Match lists of a funnel within 16 days from which on they are joined: fewer are as fast one by one. */
  joinedListCountMin: 8,
  /** Entities in the first batch of a funnel: the first ones may have the most matches. */
  firstEntityCount: 64,
  /** Bytes of the live journal before its heads are sealed. */
  journalBytes: 64 * 1024 * 1024,
  /** Characters of new dictionary values in a frame. As escaped JSON they still fit into one V8 string. */
  frameValueChars: 64 * 1024 * 1024,
  /** Rows from which on a segment is worth sealing on another thread. */
  workerSealRowCount: 4 * 1024,
  /** Rows of a compacted segment, all in memory at once as columns and as a file. A day with more has several segments. */
  segmentRowCount: 2 ** 19,
  /** Segments of one day before those of similar size are merged. */
  segmentsPerDayCount: 4,
  /** Segments of one day due for a merge beyond which it waits for no quiet moment: ingest at full speed would outrun it. */
  segmentsPerLateDayCount: 64,
  /** Segments of all days due for a merge beyond which it waits for no quiet moment. */
  segmentsToMergeCount: 512,
  /** Rows that may arrive in a quiet moment, in which a merge starts. It takes a tenth of the thread from ingest. */
  quietRowCount: 32 * 1024,
  /** Milliseconds of a quiet moment. */
  quietMs: 1_000,
  /** Milliseconds between two checks whether a new day has begun and events have expired, and after a sweep that failed. */
  sweepLookMs: 60_000,
  /** Milliseconds that a sweep waits for a quiet moment. It takes as long as an erasure. */
  sweepLateMs: 3_600_000,
  /** Milliseconds that the clock may be ahead of its last trusted time; beyond it nothing expires until the time is confirmed. */
  clockAheadMs: 86_400_000,
  /** Retention rules of a store. All are in the manifest, which each seal writes. */
  timeToLiveRuleCount: 1_000,
  /** Days of the longest retention. A century is for ever. */
  timeToLiveDays: 36_525,
  /** Rows merged while a program waits to end; each segment counts as 4,096 more. Takes about a second. */
  lastMergedRowCount: 2 ** 20,
  /** Events that may wait for the journal. Beyond it an ingest is rejected at once. */
  queuedIngestRows: 1_000_000,
  /** Bytes that an event of an Arrow body counts for at least towards the limit of the body: no event is shorter as JSON, with its comma. */
  arrowEventBytes: 15,
  /** Bytes that a column of an Arrow body counts for in each row, with or without a value: reading it takes time. */
  arrowCellBytes: 1,
  /** Bytes of long request bodies parsed without yielding. Takes a few milliseconds. */
  parsedBytesPerTurn: 256 * 1024,
  /** Time buckets of a result. A year has 8,784 hours. */
  bucketCount: 10_000,
  /** Figures of a result: buckets times series. They are about 20 MB of JSON. */
  figureCount: 1_000_000,
  /** Milliseconds between two reads of a follower. A commit may take three of them to appear. */
  followMs: 200,
  /** Milliseconds that a follower waits before it uses a journal frame that may not be synced: a frame that fails is cut off at once. */
  followSettleMs: 100,
  /** Milliseconds between two reads where the storage reports changes but has reported none: a writer may end before it reports. */
  followUnreportedMs: 5_000,
  /** Milliseconds after a follower's last read from which on a query reads first, as after a suspension. Data is at most a second old. */
  followLateMs: 500,
  /** Attempts of a follower to load a manifest that keeps changing, or of a query whose files keep vanishing, before it fails. */
  followTryCount: 100,
  /** Milliseconds between two changes that a listener receives. */
  changeMs: 250,
  /** Listeners to changes of a store at once. Each costs a few hundred bytes. */
  changeReaderCount: 1_000,
  /** Milliseconds that an export may stay idle while an erasure waits for it: a forgotten export must not keep a person's events alive. */
  idleExportMs: 60_000,
  /** Milliseconds for which a deletion is kept for copies of the events. */
  keptDeletionMs: 30 * 86_400_000,
  /** Milliseconds that a query may hold the thread before it yields. */
  sliceMs: 5,
  /** Values that a seal or a compaction processes before it yields. Takes 0.1 to 2 ms. */
  turnValueCount: 128 * 1024,
  /** Bytes per second that a scrub reads by default. A gigabyte in a quarter of an hour, which no disk notices. */
  scrubBytesPerSecond: 1024 * 1024,
  /** Milliseconds between two rounds of a scrub by default. */
  scrubRestMs: 60 * 60_000,
  /** Bytes that a scrub reads at once. Hashing them takes a millisecond. */
  scrubSliceBytes: 128 * 1024,
  /** Bytes of loaded columns and derived structures by default. */
  memoryBudgetBytes: 2 * 1024 * 1024 * 1024,
  /** Milliseconds from 1970 to the end of the year 9999, the first instant that cannot be represented. */
  instantMaxMs: 253_402_300_800_000,
} as const;
