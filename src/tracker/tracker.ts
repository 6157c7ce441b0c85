/** Wraps a function so that its errors, including asynchronous ones, never reach the page. */
export function guarded<A extends unknown[]>(handler: (...args: A) => unknown): (...args: A) => void {
  return async (...args) => {
    try {
      await handler(...args);
    } catch {
      // The page could not handle it.
    }
  };
}

/** Listens in the capture phase, so that handlers of the page cannot stop propagation first. @param types separated by spaces */
export function listen<E extends Event>(types: string, handler: (event: E) => unknown): void {
  for (const type of types.split(" ")) addEventListener(type, guarded(handler) as EventListener, true);
}

/** Settings, as the `data-` attributes of the script: a setting that is present is on, whatever its value. */
export interface Settings {
  readonly key: string;
  /** Base URL of `v1/collect`; default: the URL of the script. */
  readonly server?: string | undefined;
  /** URLs that differ only in their hash are different pages. */
  readonly hash?: string | undefined;
  /** `storage`: visitors get a stored id. */
  readonly id?: string | undefined;
  /** Paths that are not tracked, separated by commas; `*` matches anything. */
  readonly exclude?: string | undefined;
  /** Clicks on links to other hosts are events. */
  readonly outbound?: string | undefined;
  /** File endings, separated by commas: clicks on links to such files are events. */
  readonly downloads?: string | undefined;
}

function currentUrl({ hash }: Settings): string {
  return location.href.replace(hash === undefined ? /#.*/ : "", "");
}

/** Whether a text matches an entry of a list, separated by commas or spaces; `*` matches anything. */
export function isListed(text: string, list = ""): boolean {
  const parts = list.replace(/[.+]/g, "\\$&").replace(/\*/g, ".*").replace(/[, ]+/g, "|");
  return new RegExp(`^(${parts})$`, "i").test(text);
}

/** Records clicks on, and submissions of, elements that name an event; and clicks on links, if configured. Never prevents them. */
function watchClicks({ outbound, downloads }: Settings, record: Recorder): void {
  // A middle click is an `auxclick`, but so is a click of any other button.
  listen<MouseEvent & { target: Element }>("click auxclick submit", ({ type, target, button }) => {
    if (button > 1) return;
    const link = target.closest<HTMLAnchorElement>("a[href]");
    if (link && link.host) {
      const metadata = { url: link.href };
      if (outbound !== undefined && link.host !== location.host) record({ name: "Outbound Link", metadata });
      if (downloads && isListed(link.pathname.split(".").pop() as string, downloads)) record({ name: "File Download", metadata });
    }
    const element = target.closest(`${type === "submit" ? "form" : ":not(form)"}[data-daybook-event]`);
    if (!element) return;
    const metadata: Record<string, string | undefined> = {};
    for (const { name, value } of element.attributes) {
      const [, key] = name.split("data-daybook-");
      if (key) metadata[key] = value;
    }
    record({ name: metadata["event"], metadata: { ...metadata, event: undefined } });
  });
}

/** Records each page once, as soon as it is visible. Returns a function that records another view of the current page. */
function watchPageViews(settings: Settings, record: Recorder): () => void {
  let lastUrl: string | undefined;
  const view = guarded(() => {
    lastUrl = currentUrl(settings);
    record({});
  });
  const check = guarded(async () => {
    // Deferred: by then the page has its new title, several changes count as one, and the page has had a chance to opt out.
    await null;
    if (!document.hidden && currentUrl(settings) !== lastUrl) view();
  });

  (["pushState", "replaceState"] as const).forEach(guarded((name) => {
    const original = history[name];
    history[name] = function (...args) {
      try {
        return original.apply(this, args);
      } finally {
        check();
      }
    };
  }));
  listen<PageTransitionEvent>("popstate visibilitychange pageshow", ({ persisted }) => {
    if (persisted) lastUrl = undefined;
    check();
  });
  check();
  return view;
}

/** Strings by key: `localStorage` or, if it is blocked, the page's memory. */
export let store: Record<string, string | undefined> = {};

export function openStore(): void {
  try {
    store = localStorage || {};
  } catch {
    // `localStorage` is blocked: stay in memory.
  }
}

function keysWith(prefix: string): string[] {
  return Object.keys(store).filter((name) => name.startsWith(prefix));
}

const ID = "daybook.id";
const OPT_OUT = "daybook.optout";

/** A random UUID, taken from a blob URL: `crypto.randomUUID` requires https. */
function randomId(): string {
  return URL.createObjectURL(new Blob()).slice(-36);
}

/** The id of this visitor, stored in the browser; undefined if the browser stores nothing. @param kind the setting `id` */
function visitorId(kind?: string): string | undefined {
  return kind === "storage" && "length" in store ? (store[ID] = store[ID] || randomId()) : undefined;
}

function isOptedOut(): boolean {
  return OPT_OUT in store;
}

/** `true` deletes everything stored except the opt-out itself. */
function setOptedOut(out = true): void {
  for (const name of keysWith(out ? "daybook." : OPT_OUT)) delete store[name];
  if (out) store[OPT_OUT] = "1";
}

/** A queued event. All members except `at` are named as on the wire. */
interface TrackedEvent {
  readonly id: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  readonly [member: string]: unknown;
}

const MAX_BODY_BYTES = 65_536;
const MAX_STORED_EVENTS = 50;
/** The server rejects older events. */
const MAX_AGE_MS = 3_600_000;

/** Failed events are stored under keys of their own, so that tabs never overwrite each other's, and retried one by one after an answer. */
function openQueue(url: URL, key: string): (event: TrackedEvent) => void {
  const prefix = `daybook.${key}.`;

  const send = guarded(async (event: TrackedEvent) => {
    const age = Date.now() - event.at;
    const body = JSON.stringify({ key, events: [{ ...event, at: undefined, age_ms: age }] });
    const name = prefix + event.id;
    if (
      age > MAX_AGE_MS ||
      new Blob([body]).size > MAX_BODY_BYTES ||
      // A page that is being hidden may not receive an answer, so stored events stay stored.
      (document.hidden
        ? !(name in store) && navigator.sendBeacon(url, body)
        : await fetch(url, { method: "POST", body, keepalive: true, credentials: "omit" }).then(
            ({ status }) => status !== 429 && status < 500,
            () => false,
          )) ||
      isOptedOut()
    ) {
      delete store[name];
      const [next] = keysWith(prefix);
      if (next) send(JSON.parse(store[next] as string) as TrackedEvent);
    } else if (keysWith(prefix).length < MAX_STORED_EVENTS) store[name] = JSON.stringify(event);
  });
  return send;
}

/** Creates an event with these members and sends it, if allowed. Without a name, it is a page view. */
type Recorder = (members: Readonly<Record<string, unknown>>) => void;

function openRecorder(settings: Settings, send: (event: TrackedEvent) => void): Recorder {
  let userId: unknown;
  let viewedUrl: string | undefined;
  /** The referrer of the current page. Events include it as well, because one of them may start a visit. */
  let { referrer } = document;
  return (members) => {
    if (isOptedOut() || isListed(location.pathname, settings.exclude)) return;
    const url = currentUrl(settings);
    // Another view of the same page keeps the referrer.
    if (!members["name"] && viewedUrl !== url) {
      referrer = viewedUrl || referrer;
      viewedUrl = url;
    }
    userId = members["userId"] || userId;
    send({
      url,
      referrer,
      title: document.title,
      screen: `${screen.width}x${screen.height}`,
      language: navigator.language,
      anonymousId: visitorId(settings.id),
      userId,
      ...members,
      id: randomId(),
      at: Date.now(),
    });
  };
}

/** The monetary value of an event. */
export interface EventMoney {
  readonly value?: number | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
}

/** The tracker of a page. Its methods never throw, and return immediately. */
export interface Tracker {
  /** Sends an event. @param metadata anything that JSON can represent */
  track(name: string, metadata?: Readonly<Record<string, unknown>>, money?: EventMoney): void;
  /** Sends another view of this page, in addition to the automatic one. */
  page(): void;
  /** Sets the user id of the visitor until the page unloads. */
  identify(userId: string): void;
  /** Stops sending from this browser, and deletes queued events; `false` resumes sending. */
  optOut(out?: boolean): void;
}

/** A call made before the script has loaded: a method and its arguments. */
export type QueuedCall = readonly [name: keyof Tracker, ...args: unknown[]];

/** @param url endpoint that events are sent to @param queued calls made before; they run before the first view, because one may opt out */
export function startTracker(settings: Settings, url: URL, queued: readonly QueuedCall[] = []): Tracker {
  openStore();
  const record = openRecorder(settings, openQueue(url, settings.key));
  watchClicks(settings, record);
  const daybook: Tracker = {
    track: guarded((name, metadata, money) => record({ ...money, name, metadata })),
    page: watchPageViews(settings, record),
    identify: guarded((userId) => record({ name: "$identify", userId })),
    optOut: guarded(setOptedOut),
  };
  for (const [name, ...args] of queued) guarded(daybook[name] as (...args: unknown[]) => void)(...args);
  return daybook;
}
