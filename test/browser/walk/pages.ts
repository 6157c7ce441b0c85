import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { markOf } from "./proxy.js";

/** The ten pages: six plain ones, and four of one application. */
export const PLAIN = ["/", "/pricing", "/docs", "/blog", "/about", "/contact"];
export const APP = ["/app", "/app/list", "/app/item", "/app/settings"];
/** Addresses that differ by their queries are different views of one page. */
export const LINKS = [...PLAIN, "/docs?topic=events"];
export const APP_LINKS = [...APP, "/app/item?id=7", "/app/list?sort=price"];
/** Nothing is sent of it. */
export const EXCLUDED = "/admin/users";

/** What the page that somebody gets next is like. */
export interface Served {
  readonly key: string;
  /** The visitor said yes to an id that the browser keeps. */
  readonly consent: boolean;
  /** It opens behind another tab. */
  hidden: boolean;
  /** It calls the tracker before that has loaded. */
  early: boolean;
  /** It comes when this has resolved. */
  hold: Promise<void> | null;
}

/**
 * Time stands still in the pages until the walk moves it. A tab is behind another one when the walk says so: a browser without a window hides none.
 */
const head = (nowMs: number, hidden: boolean) => `<script>
  var walkMs = ${nowMs}, walkHidden = ${hidden};
  Date.now = () => walkMs;
  Object.defineProperty(document, "hidden", { get: () => walkHidden });
  Object.defineProperty(document, "visibilityState", { get: () => (walkHidden ? "hidden" : "visible") });
  function walkHide(hidden) { walkHidden = hidden; document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); }
</script>`;

const EARLY = `<script>window.daybook = window.daybook || { q: [], track(...a) { this.q.push(["track", ...a]) } }</script>
<script>daybook.track("Early", { plan: "none" })</script>`;

const ROUTER = `<script>document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-how]");
  if (!link) return;
  event.preventDefault();
  history[link.dataset.how]({}, "", link.getAttribute("href"));
  document.title = "App " + location.pathname;
});</script>`;

/** The site on `localhost`, and the one on `news.localhost` that links to it. */
export class Site {
  readonly served = new Map<number, Served>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  url = "";
  news = "";

  /** @param tracker the address in the script tag @param now what the clock of browsers shows */
  constructor(
    readonly tracker: string,
    readonly now: () => number,
  ) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://localhost:${port}`;
    this.news = `http://news.localhost:${port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("content-type", "text/html").setHeader("cache-control", "no-store");
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    if (request.headers.host?.startsWith("news.") === true) {
      return void response.end(`<title>News</title><a id="story" href="${this.url}${searchParams.get("to") ?? "/"}">a story</a>`);
    }
    const served = this.served.get(markOf(request));
    if (served === undefined || ![...PLAIN, ...APP, EXCLUDED].includes(pathname)) return void response.writeHead(404).end();
    if (served.hold !== null) await served.hold;
    response.end(this.#page(pathname, served));
    served.hidden = false;
    served.early = false;
  }

  #page(path: string, { key, consent, hidden, early }: Served): string {
    const isApp = APP.includes(path);
    const within = APP_LINKS.flatMap((href) => ["pushState", "replaceState"].map((how) => `<a href="${href}" data-how="${how}">${how}</a>`));
    const links = [...LINKS, EXCLUDED, ...(isApp ? [] : APP_LINKS)].map((href) => `<a href="${href}">${href}</a>`);
    return `<!doctype html><html lang="en"><head><title>Page ${path}</title>${head(this.now(), hidden)}${early ? EARLY : ""}
<script defer src="${this.tracker}/daybook.js" data-key="${key}" data-outbound data-exclude="/admin/*"${consent ? ' data-id="storage"' : ""}></script>
</head><body>${links.join(" ")} ${isApp ? within.join(" ") + ROUTER : ""}
<button id="signup" data-daybook-event="Signup" data-daybook-plan="pro"><b>Sign up</b></button>
<form id="ask" data-daybook-event="Asked" data-daybook-plan="free" onsubmit="return false"><button>Ask</button></form>
<a id="teaser" data-daybook-event="Teaser" data-daybook-plan="pro" href="${path === "/pricing" ? "/about" : "/pricing"}">Teaser</a>
<a id="out" href="${this.news}/partner">Partner</a></body></html>`;
  }
}
