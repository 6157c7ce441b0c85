/** Every bound of Daybook, those of servers apart. Its name carries the unit, its comment says what it bounds, and why. */
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
  /** Steps of one regular expression, a repeated one counting as often. A value of 8 KiB is tested in some 0.1 s at the most. */
  regexSize: 2_500,
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
  /** Distinct values of one field or metadata key. A `Map` of V8 holds 2^24 entries, one of them for "not set". */
  dictionaryValueCount: 2 ** 24 - 1,
  /** Bytes of all distinct values of one store, by estimate, in a heap of 6.2 GiB and more. They are in memory always. */
  dictionaryBytes: 3 * 1024 * 1024 * 1024,
  /** The same as a share of a smaller heap. The estimate is a quarter too low for values that were cut out of longer texts. */
  dictionaryHeapShare: 1 / 2,
  /** Bytes of a heap that they leave to all else before: the program, and what is young. */
  heapBesideBytes: 128 * 1024 * 1024,
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
  /** Combinations of values of a breakdown, shown or not. One takes some 60 bytes while they are counted. */
  combinationCount: 2 ** 22,
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
  /** Events that may wait for the journal. Beyond it an ingest is refused at once. */
  queuedIngestRows: 1_000_000,
  /** Bytes that an event of an Arrow body counts for at least, of those that a body may have: no event is shorter as JSON, with its comma. */
  arrowEventBytes: 15,
  /** Bytes that a column of such a body counts for in each row, whether it has a value or none: to look takes time. */
  arrowCellBytes: 1,
  /** Bytes of long request bodies that are parsed in one turn of the event loop. Takes some milliseconds. */
  parsedBytesPerTurn: 256 * 1024,
  /** Buckets of time of one answer. A year has 8,784 hours. */
  bucketCount: 10_000,
  /** Figures of one answer: buckets times series. They are some 20 MB of JSON. */
  figureCount: 1_000_000,
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
  /** Milliseconds for which nothing may be asked of an export while an erasure waits for it. Who forgot it must not keep a person's events alive. */
  idleExportMs: 60_000,
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
