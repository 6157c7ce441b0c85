/** All limits of servers, clients, locks and `track`, apart from `LIMITS` because an embedded Daybook opens without them. They are named alike. */
export const SERVER_LIMITS = {
  /** Distinct metadata keys of a store up to which events of public keys may add new ones. Each is a column of every day that has it. */
  collectedMetadataKeyCount: 1_000,
  /** Share of the limits on distinct values that events of public keys may fill. The rest is left to secret tokens. */
  collectedShare: 3 / 4,
  /** New distinct values of one public key on one day (UTC). Enough for 100,000 visitors with their own ids and six new texts each. */
  collectedDayValueCount: 1_000_000,
  /** Bytes of these values, as a store counts them: 134 for each, the size of a visitor's id. Filling the reserve takes 18 days. */
  collectedDayValueBytes: 128 * 1024 * 1024,
  /** Share of these values and bytes that texts may use. The rest is left to ids: a flood of texts must not make all visitors one. */
  collectedTextShare: 3 / 4,
  /** New metadata keys of one public key on one day. A site starts with about ten, and a release adds a few. */
  collectedDayKeyCount: 200,
  /** New distinct values of one public key from one address on one day. Five thousand people behind one address, four values each. */
  collectedAddressDayValueCount: 20_000,
  /** Bytes of the values from one address. Using up the budget of a key takes 32 addresses. */
  collectedAddressDayValueBytes: 4 * 1024 * 1024,
  /** New metadata keys of one public key from one address on one day. The first visitor of a new site brings them all. */
  collectedAddressDayKeyCount: 50,
  /** Milliseconds that a lock stays valid without renewal, where the pid of its owner cannot be checked. */
  lockLeaseMs: 60_000,
  /** Milliseconds between two renewals of a lock. Five of them may fail. */
  lockRenewMs: 10_000,
  /** Milliseconds of the shortest lease that an option may set. A busy event loop must not look like the end of a process. */
  lockLeaseMsMin: 300,
  /** Milliseconds between two checks of a lock while a process waits for it. */
  lockLookMs: 250,
  /** Milliseconds that requests may continue when a server closes. Then they are cut off. */
  drainMs: 10_000,
  /** Lines of the log per second: it must not cost more than the requests it reports, least of all when there are too many. */
  logLinesPerSec: 100,
  /** Bytes of a line of an imported file, and characters of a record of CSV: no file may fill the memory. */
  importedLineBytes: 1024 * 1024,
  /** Bytes of a request's line and headers. */
  headerBytes: 8 * 1024,
  /** Headers of a request. */
  headerCount: 100,
  /** Characters of path and query. A GET with every parameter at its limit still fits. */
  urlChars: 4_096,
  /** Milliseconds in which the headers of a request must arrive. A slow sender must not hold a connection for long. */
  requestHeadersMs: 10_000,
  /** Milliseconds in which a whole request must arrive. */
  requestMs: 30_000,
  /** Milliseconds that a sent response may lie without the caller reading any more of it. */
  unreadAnswerMs: 60_000,
  /** Bytes of responses that callers have yet to read, over all connections. More is an attack, or a broken network. */
  unreadAnswerBytes: 64 * 1024 * 1024,
  /** Characters of a response that is built as a whole and has a tag. A longer one is sent while it is built, and has none. */
  wholeAnswerChars: 1024 * 1024,
  /** Connections open at once. Each costs about ten kilobytes and a file handle. */
  connectionCount: 1_024,
  /** Unanswered requests of one connection. A caller may send the next before it has the response, but not without bound. */
  pipelinedRequestCount: 16,
  /** Requests of one token in progress at once. */
  requestsPerTokenCount: 32,
  /** Bytes of a write that waits instead of being rejected, while others are done. Many clients send single calls and never retry. */
  waitingWriteBytes: 64 * 1024,
  /** Bytes of all waiting writes of one token. */
  waitingBytes: 2 * 1024 * 1024,
  /** Waiting writes of one token. */
  waitingWriteCount: 1_000,
  /** Milliseconds that a write may wait. Clients that give up sooner send it again under the same id. */
  waitingWriteMs: 25_000,
  /** Waiting writes that continue per check of the event loop, after it was late. */
  resumedWriteCount: 32,
  /** Milliseconds that anything but a short write waits, on a thread of sockets, for another request of its token to finish. */
  tokenWaitMs: 10,
  /** Requests that a thread of sockets waits for. Each holds some kilobytes, and 64 KiB of a body that is not read yet. */
  forwardedRequestCount: 1_024,
  /** Milliseconds that a health check waits on a thread of sockets for the handler, before it gets the last answer. */
  promptAnswerMs: 25,
  /** Milliseconds that this last answer may be old. Health checks come every 5 to 30 seconds, and must not report a state of long ago. */
  repeatedAnswerMs: 5_000,
  /** Bytes of the body of a query, and of one tracking call: as sent, and inflated. */
  queryBodyBytes: 1024 * 1024,
  /** Bytes of a body of events, records or calls, as sent and inflated. */
  writeBodyBytes: 16 * 1024 * 1024,
  /** Bytes of a body that a page sends: what browsers accept for `sendBeacon`. */
  collectedBodyBytes: 64 * 1024,
  /** Bytes of a body that a route does not expect, which are read and dropped. */
  droppedBodyBytes: 1024 * 1024,
  /** Levels of nesting of a body: a real query has five, and a caller must not fill the parser's stack. */
  jsonDepth: 64,
  /** Bytes of JSON that each value counts for at least: an ordinary one with its name and comma. An empty object takes as much memory. */
  jsonValueBytes: 8,
  /** Bytes of request bodies in memory at once, over all callers. As parsed JSON they take several times as much. */
  heldBodyBytes: 64 * 1024 * 1024,
  /** Bytes of a body, as sent and inflated, that itself contains its key. Clients send 50 to 200 events at once, about 100 KiB. */
  keylessBodyBytes: 1024 * 1024,
  /** Bytes of such bodies in memory at once, before their keys are known: callers without a key must not use up what others need. */
  heldKeylessBytes: 8 * 1024 * 1024,
  /** Items of a body: events, records, calls. A wrong one takes about ten times as long as a right one. */
  bodyItemCount: 10_000,
  /** Events of a body that a page sends: as many as one address may send in a burst. */
  collectedItemCount: 1_000,
  /** Bytes of one item, and of all that stands beside the items. Valid items use at most a third of it. */
  bodyItemBytes: 1024 * 1024,
  /** Rejected items that a response lists one by one. The others are counted. */
  namedItemCount: 100,
  /** Members of a gzip body: each takes some tens of µs, however small it is. */
  gzipMemberCount: 1_024,
  /** Fields of a form. Clients send two or three. */
  formFieldCount: 16,
  /** Bytes of long request bodies of one organization that are parsed and not answered yet. Objects take about ten times as much. */
  parsedBytes: 2 * 1024 * 1024,
  /** Milliseconds that timers may be late before requests are rejected. Work then arrives faster than it is done. */
  eventLoopLagMs: 50,
  /** User-agent texts cached with their parsed result. Senders repeat few of them. */
  knownAgentCount: 50_000,
  /** Characters of a cached user-agent text. A hostile one must not fill the memory. */
  knownAgentChars: 1_024,
  /** Characters of the header with the notices of a query. Proxies drop long headers. */
  noticeHeaderChars: 1_024,
  /** Characters of a name in that header. */
  noticeNameChars: 96,
  /** Milliseconds that a query may take. */
  queryMs: 30_000,
  /** Milliseconds that `--query-seconds` may allow. Longer work is a batch job. */
  queryMsMax: 3_600_000,
  /** Characters of a secret token. A known one is served however many were tried before it, so only its length prevents guessing. */
  tokenCharsMin: 22,
  /** Unknown tokens that one address may try in a row. */
  failedTokenCount: 60,
  /** Unknown tokens that one address may try per minute beyond these. */
  failedTokensPerMinute: 20,
  /** Addresses remembered for unknown tokens. Beyond it the oldest are dropped. */
  failedAddressCount: 10_000,
  /** Tokens remembered with their organization, to count rejections. Beyond it the oldest are dropped. */
  countedTokenCount: 10_000,
  /** Characters of a signed token: with other headers, it must fit what servers and proxies accept. */
  signedTokenChars: 4_096,
  /** Bytes of the JSON that a signed token contains, before they are deflated. */
  signedScopeBytes: 0xffff,
  /** Milliseconds for which a signed token is valid. */
  signedTokenMs: 86_400_000,
  /** Days for which a signed token is valid if its signer asks for a long life. */
  longLivedTokenDays: 366,
  /** Milliseconds by which the clock of a signer may be ahead. */
  signerAheadMs: 60_000,
  /** Origins that a signed token lists. */
  signedTokenOriginCount: 100,
  /** Verified tokens that a store remembers. Beyond it all are forgotten. */
  verifiedTokenCount: 1_000,
  /** Milliseconds between two heartbeats of a change stream over HTTP. Proxies cut silent connections after a minute or less. */
  changeHeartbeatMs: 15_000,
  /** Milliseconds that a page may hold an event back before it sends it. */
  beaconAgeMs: 60 * 60_000,
  /** Visitors remembered for a session around midnight, about 150 bytes each. Any further one gets a new id at midnight. */
  continuedVisitorCount: 200_000,
  /** Events of one public key per second, in the long run. */
  collectedPerSec: 20_000,
  /** Events of one public key in a burst. */
  collectedBurst: 100_000,
  /** Events of one address per second, in the long run. A company behind one address sends some. */
  collectedPerAddressPerSec: 50,
  /** Events of one address in a burst. */
  collectedPerAddressBurst: 1_000,
  /** Addresses remembered for these rates, for a day. Beyond it the oldest are dropped. */
  collectedAddressCount: 100_000,
  /** Milliseconds that a sender's clock may be off before its times are corrected. Less may be the time of transmission. */
  clockOffsetMs: 5 * 60_000,
  /** Ids of failed requests remembered with the offset of their sender's clock, about 150 bytes each. Beyond it the oldest are dropped. */
  rememberedClockCount: 100_000,
  /** Characters of such an id. Clients make ids of about 40. */
  clockIdChars: 256,
  /** Milliseconds of pause after which equal bytes without an id count as a retry. The shortest pause of a client is 500. */
  repeatPauseMs: 450,
  /** Milliseconds after a response from which on equal bytes are new data, too: the longest pause of a client is 2,000. */
  repeatMs: 3_000,
  /** Equal requests remembered to detect retries. Each is checked when one more arrives. */
  equalRepeatCount: 1_000,
  /** All requests remembered to detect retries, about 200 bytes each. Beyond it the oldest are dropped. */
  rememberedRepeatCount: 100_000,
  /** Events of one page of an export over HTTP. */
  exportPageCount: 5_000,
  /** Characters of such a page, one event more or less. Server and client both hold it in memory as a whole. */
  exportPageChars: 4 * 1024 * 1024,
  /** Requests of one client in progress at once. A quarter of what a token may have, so that a few processes can share one. */
  clientRequestCount: 8,
  /** Attempts of one request of a client, including the first. They take some seconds, enough for a server to restart. */
  clientAttemptCount: 5,
  /** Milliseconds that the pause before the second attempt may take. Each later one may take twice as long as the one before. */
  clientRetryBaseMs: 200,
  /** Milliseconds that any pause between two attempts may take. */
  clientRetryMaxMs: 10_000,
  /** Milliseconds that one request of a client may take with all its attempts. Twice what a server allows a query. */
  clientRequestMs: 60_000,
  /** Milliseconds between two checks of a signal that emits no events. */
  clientSignalMs: 20,
  /** Characters of events that a client sends in one request. As UTF-8 they are at most 3 MiB, of the 16 that a server accepts. */
  clientPieceChars: 1024 * 1024,
  /** Characters of one event that a client sends to be validated. Valid events use at most a quarter of it. */
  clientEventChars: 5 * 1024 * 1024,
  /** Levels of nesting in what a client sends. Valid events use nine, and a server rejects a body of more than 64. */
  clientDepth: 60,
  /** Events that may wait in the queue of `track`. Half a minute of what a busy process tracks. */
  trackedEventCount: 10_000,
  /** Bytes of all waiting tracked events as JSON. Half of them make a batch due. */
  trackedBytes: 8 * 1024 * 1024,
  /** Events of one batch of `track`. More would save hardly any time, and a lost answer sends them all again. */
  trackBatchEventCount: 500,
  /** Milliseconds that a tracked event may wait for others. Nobody looks at a figure sooner. */
  trackBatchMs: 200,
  /** Milliseconds that a tracked event may wait in all. A deployment or a restart takes less. */
  trackGiveUpMs: 5 * 60_000,
  /** Milliseconds between two lines on the console about tracked events that were not stored. */
  trackWarnMs: 10_000,
  /** Milliseconds of the longest timer. */
  timerMs: 2 ** 31 - 1,
} as const;
