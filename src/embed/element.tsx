import { render } from "preact";
import { asApiError, type ApiError } from "../charts/api-error.js";
import { knownLocales } from "../charts/format.js";
import { Card } from "./card.js";
import type { DrawingInput, ElementKind } from "./drawings.js";
import type { PageElements } from "./page-elements.js";
import { attributeError, placedInput, readQuery } from "./query.js";
import { requestKey, type AnswerReader, type ElementRequest, type SharedAnswer } from "./shared-answers.js";

/** Attributes of all elements, as properties in camelCase too. */
export const SHARED_ATTRIBUTES = ["server", "token-url", "locale", "time-zone", "group", "date-range"] as const;

/** Gives a class a property for each attribute: a text, or null where the attribute is not set. */
export function reflectAttributes(prototype: HTMLElement, attributes: readonly string[]): void {
  for (const attribute of attributes) {
    Object.defineProperty(prototype, propertyOf(attribute), {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement) {
        return this.getAttribute(attribute);
      },
      set(this: HTMLElement, value: unknown) {
        if (value === null || value === undefined || value === false) this.removeAttribute(attribute);
        else this.setAttribute(attribute, value === true ? "" : String(value));
      },
    });
  }
}

/** The property of an attribute: `timeZone` of `time-zone`. */
export function propertyOf(attribute: string): string {
  return attribute.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Passes properties that were set before the class was defined to its setters. */
export function adoptProperties(element: HTMLElement, attributes: readonly string[]): void {
  for (const name of [...attributes.map(propertyOf), "token"]) {
    if (!Object.hasOwn(element, name)) continue;
    const value: unknown = Reflect.get(element, name);
    Reflect.deleteProperty(element, name);
    Reflect.set(element, name, value);
  }
}

/** Dispatches `daybook-error`, which leaves shadow roots and bubbles. */
export function reportError(element: HTMLElement, { code, detail }: ApiError): void {
  element.dispatchEvent(new CustomEvent("daybook-error", { detail: { code, message: detail }, bubbles: true, composed: true }));
}

/** What served this script as `embed.js`, also below a path; for a script of another name, such as a bundle, the origin of the page. */
function defaultServer(): string {
  const own = URL.canParse(import.meta.url) ? new URL(import.meta.url) : null;
  return own !== null && own.pathname.endsWith("/embed.js") ? new URL(".", own).href.replace(/\/$/, "") : location.origin;
}

/** Makes the class of a kind of element. */
export function elementClass(kind: ElementKind, page: PageElements): CustomElementConstructor {
  const attributes = ["query", "heading", ...SHARED_ATTRIBUTES, ...kind.attributes];

  class ChartElement extends HTMLElement implements AnswerReader {
    static readonly observedAttributes = attributes;
    static {
      reflectAttributes(this.prototype, attributes.filter((name) => name !== "query"));
    }

    isVisible = false;
    #query: unknown = undefined;
    #token: string | null = null;
    #group: string | null = null;
    #shared: SharedAnswer | null = null;
    #drawn: { readonly answer: unknown; readonly input: DrawingInput } | null = null;
    #reported: string | null = null;
    #isUpdatePending = false;
    #themeCount = 0;
    readonly #viewport = new IntersectionObserver((entries) => {
      this.isVisible = entries.at(-1)?.isIntersecting === true;
      this.#shared?.visibilityChanged();
    });

    /** As an object, or as the attribute has it. */
    get query(): unknown {
      return this.#query ?? this.getAttribute("query");
    }

    set query(value: unknown) {
      this.#query = value ?? undefined;
      this.#updateSoon();
    }

    get token(): string | null {
      return this.#token;
    }

    set token(value: string | null) {
      this.#token = value === undefined || value === "" ? null : value;
      this.#updateSoon();
    }

    /** Asks again now. */
    refresh(): void {
      this.#shared?.refresh();
      this.#updateSoon();
    }

    /** Forgets the token of `token-url`, and all answers of the page that were read with it; then asks again. */
    forgetToken(): void {
      if (this.#shared !== null) page.forget(this.#shared.request.tokens);
    }

    connectedCallback(): void {
      adoptProperties(this, attributes);
      this.#viewport.observe(this);
      this.#joinGroup();
      this.#updateSoon();
    }

    disconnectedCallback(): void {
      // An element that is only moved stays as it is.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#viewport.disconnect();
        this.isVisible = false;
        this.#read(null);
        if (this.#group !== null) page.leave(this.#group, this);
        this.#group = null;
        render(null, page.styledRoot(this));
      });
    }

    attributeChangedCallback(name: string, before: string | null, value: string | null): void {
      if (name === "query") this.#query = undefined;
      else if (before === value) return;
      if (name === "group" && this.isConnected) this.#joinGroup();
      else if (name === "date-range" && this.#group !== null) page.setDateRange(this.#group, value);
      this.#updateSoon();
    }

    groupChanged(): void {
      this.#updateSoon();
    }

    answerChanged(): void {
      this.#updateSoon();
    }

    answerDropped(): void {
      this.#drawn = null;
      this.#updateSoon();
    }

    #joinGroup(): void {
      const name = this.getAttribute("group");
      if (name === this.#group) return;
      if (this.#group !== null) page.leave(this.#group, this);
      this.#group = name;
      if (name === null) return;
      page.join(name, this);
      const own = this.getAttribute("date-range");
      // An element that is moved or made anew leaves the range that was chosen since.
      if (own !== null && page.dateRangeOf(name) === null) page.setDateRange(name, own);
    }

    /** Changes of several attributes are one update. */
    #updateSoon(): void {
      if (this.#isUpdatePending) return;
      this.#isUpdatePending = true;
      queueMicrotask(() => {
        this.#isUpdatePending = false;
        if (this.isConnected) this.#update();
      });
    }

    #update(): void {
      try {
        const request = this.#request();
        this.#read(request);
        this.#draw(request.input, this.#shared?.error ?? null);
      } catch (thrown) {
        this.#read(null);
        this.#draw({}, asApiError(thrown));
      }
    }

    /** @throws ApiError: invalid_attribute */
    #request(): ElementRequest {
      const attribute = (name: string) => this.getAttribute(name);
      const locale = attribute("locale");
      if (locale !== null && !knownLocales([locale]).includes(locale)) throw attributeError(`locale: expected a language such as de or en-GB, got "${locale}".`);
      const dateRange = this.#group === null ? attribute("date-range") : page.dateRangeOf(this.#group);
      const place = { dateRange, timeZone: attribute("time-zone"), nowMs: Date.now() };
      const input = kind.prepare(placedInput(readQuery(this.query, kind.query), place), attribute);
      const tokenUrl = attribute("token-url");
      if (this.#token === null && tokenUrl === null) throw attributeError('token-url: expected an address that answers {"token": "…"}, or the property "token", got neither.');
      const tokens = page.tokensOf(this.#token, absoluteUrl("token-url", tokenUrl ?? "").href);
      const server = attribute("server");
      return { server: server === null ? defaultServer() : absoluteUrl("server", server).href.replace(/\/$/, ""), tokens, name: kind.query, input };
    }

    /** Reads the answer to another request, and no longer that to the last one. */
    #read(request: ElementRequest | null): void {
      const last = this.#shared;
      if (last !== null && request !== null && requestKey(last.request) === requestKey(request)) return;
      this.#shared = request === null ? null : page.answerOf(request);
      this.#shared?.add(this);
      last?.remove(this);
    }

    #draw(input: DrawingInput["input"], error: ApiError | null): void {
      const heading = this.getAttribute("heading");
      const answer = this.#shared?.answer ?? null;
      const drawing = { input, heading: heading ?? kind.title, attribute: (name: string) => this.getAttribute(name) };
      if (answer !== null) this.#drawn = { answer, input: drawing };
      else if (error !== null) this.#drawn = null;
      // The last answer stays in sight while the next one loads.
      const isOld = answer === null && this.#drawn !== null;
      render(
        <Card
          kind={kind}
          heading={heading}
          look={{ formats: this.#formats(), theme: String(this.#themeCount) }}
          drawn={this.#drawn === null ? null : { answer: this.#drawn.answer, ...(isOld ? this.#drawn.input : drawing) }}
          isOld={isOld}
          error={error}
          onAgain={() => this.refresh()}
          onTheme={() => {
            this.#themeCount += 1;
            this.#updateSoon();
          }}
        />,
        page.styledRoot(this),
      );
      this.#report(error);
    }

    #formats() {
      const given = this.getAttribute("locale");
      return page.formatsOf(knownLocales(given === null ? [languageOf(this), ...navigator.languages] : [given]));
    }

    /** Dispatches one event for each error, whenever it begins. */
    #report(error: ApiError | null): void {
      const reported = error === null ? null : error.message;
      if (reported === this.#reported) return;
      this.#reported = reported;
      if (error !== null) reportError(this, error);
    }
  }

  return ChartElement;
}

/** The language of the page around an element, out of shadow roots too. */
function languageOf(element: Element): string {
  const language = element.closest("[lang]")?.getAttribute("lang");
  const root = element.getRootNode();
  return language ?? (root instanceof ShadowRoot ? languageOf(root.host) : "");
}

/** @throws ApiError: invalid_attribute */
function absoluteUrl(attribute: string, value: string): URL {
  if (URL.canParse(value, document.baseURI)) return new URL(value, document.baseURI);
  throw attributeError(`${attribute}: expected an address, got ${JSON.stringify(value)}.`);
}
