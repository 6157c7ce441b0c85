/** Every bound of servers, clients and locks: apart from the others, since what is embedded in a page needs none of them. Named as these are. */
export const SERVER_LIMITS = {
  /** Distinct metadata keys of a store up to which events of public keys may bring new ones. Each is a column of every day that has it. */
  collectedMetadataKeyCount: 1_000,
  /** Share of the bounds on distinct values up to which those of public keys go in. The rest is left to whoever has a secret. */
  collectedShare: 3 / 4,
  /** New distinct values of one public key on one day (UTC). A hundred thousand visitors with ids of their own, and six new texts each. */
  collectedDayValueCount: 1_000_000,
  /** Bytes of these, as a store counts them: 134 for each, which an id of a visitor takes. Filling the reserve takes 18 days. */
  collectedDayValueBytes: 128 * 1024 * 1024,
  /** Share of these values and bytes that texts may have. The rest is left to ids: a flood of texts must not make all visitors one. */
  collectedTextShare: 3 / 4,
  /** New metadata keys of one public key on one day. A site begins with some ten, and a release adds some. */
  collectedDayKeyCount: 200,
  /** The same values of one public key from one address. Five thousand people behind one address, who bring four each. */
  collectedAddressDayValueCount: 20_000,
  /** Their bytes. Filling the budget of a key takes 32 addresses. */
  collectedAddressDayValueBytes: 4 * 1024 * 1024,
  /** New metadata keys of one public key from one address on one day. The first visitor of a new site brings them all. */
  collectedAddressDayKeyCount: 50,
  /** Milliseconds that a lock counts without being renewed, where its owner cannot be seen. */
  lockLeaseMs: 60_000,
  /** Milliseconds from one renewal of a lock to the next. Five of them may fail. */
  lockRenewMs: 10_000,
  /** Milliseconds of the shortest lease that may be asked for. A busy event loop must not look like the end of a process. */
  lockLeaseMsMin: 300,
  /** Milliseconds between two looks at a lock while a process waits for it. */
  lockLookMs: 250,
  /** Milliseconds that requests may go on when a server is closed. Then they are cut off. */
  drainMs: 10_000,
  /** Lines of the log each second: it must not cost more than the requests it tells of, least of all when there are too many. */
  logLinesPerSec: 100,
  /** Bytes of one line of a file that is imported, and characters of a record of CSV: no file may fill the memory. */
  importedLineBytes: 1024 * 1024,
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
  /** Characters of an answer that is made as a whole, and has a tag. A longer one is sent while it is made, and has none. */
  wholeAnswerChars: 1024 * 1024,
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
  /** Milliseconds that anything but a short write waits, on a thread of sockets, for another request of its token to be answered. */
  momentMs: 10,
  /** Requests that a thread of sockets waits for. Each holds some kilobytes, and 64 KiB of a body that nobody asked for yet. */
  enteredRequestCount: 1_024,
  /** Bytes of the body of a question, and of one tracking call: as sent, and inflated. */
  questionBodyBytes: 1024 * 1024,
  /** Bytes of a body of events, records or calls, as sent and inflated. */
  writeBodyBytes: 16 * 1024 * 1024,
  /** Bytes of a body that a page sends: what browsers take for `sendBeacon`. */
  collectedBodyBytes: 64 * 1024,
  /** Bytes of a body that a route does not ask for, which are read and dropped. */
  droppedBodyBytes: 1024 * 1024,
  /** Levels of nesting of a body: a real question has five, and a parser's stack must not be the caller's to fill. */
  jsonDepth: 64,
  /** Bytes of JSON that each value counts for at least: an ordinary one with its name and comma. An empty object takes as much memory. */
  jsonValueBytes: 8,
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
  /** Rejected items that an answer names one by one. The others are counted. */
  namedItemCount: 100,
  /** Members of a gzip body: each takes some tens of µs, however little it holds. */
  gzipMemberCount: 1_024,
  /** Fields of a form. Clients send two or three. */
  formFieldCount: 16,
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
  /** Milliseconds that a question may take. */
  questionMs: 30_000,
  /** Milliseconds that `--question-seconds` may allow. Whoever asks for longer has a batch in mind. */
  questionMsMax: 3_600_000,
  /** Characters of a secret token. A known one is served however many were tried before it, so its length alone keeps it from being guessed. */
  tokenCharsMin: 22,
  /** Unknown tokens that one address may try in a row. */
  failedTokenCount: 60,
  /** Unknown tokens that one address may try each minute beyond these. */
  failedTokensPerMinute: 20,
  /** Addresses that are remembered for unknown tokens. Then the oldest go. */
  failedAddressCount: 10_000,
  /** Tokens of which it is remembered whose they are, for the count of what was refused. Then the oldest go. */
  countedTokenCount: 10_000,
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
} as const;
