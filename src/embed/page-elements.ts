import { formatsFor, type Formats } from "../charts/format.js";
import { SharedAnswer, requestKey, type ElementRequest } from "./shared-answers.js";
import styleText from "./style/embed.css";
import { fixedToken, IssuedTokens, type TokenSource } from "./tokens.js";

/** An element whose dates may be those of a group. */
export interface GroupMember {
  groupChanged(): void;
}

/** What the elements of a page share: answers, tokens, dates of groups, formats and the style sheet. */
export class PageElements {
  readonly #answers = new Map<string, SharedAnswer>();
  readonly #issuedTokens = new Map<string, IssuedTokens>();
  readonly #groups = new Map<string, { dateRange: string | null; readonly members: Set<GroupMember> }>();

  readonly #formats = new Map<string, Formats>();
  readonly #styleSheet = new CSSStyleSheet();

  constructor() {
    this.#styleSheet.replaceSync(styleText);
    document.addEventListener("visibilitychange", () => {
      for (const answer of this.#answers.values()) answer.visibilityChanged();
    });
  }

  /** The answer to a request: kept while an element reads it. */
  answerOf(request: ElementRequest): SharedAnswer {
    const key = requestKey(request);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const created = new SharedAnswer(request, () => this.#answers.delete(key));
    this.#answers.set(key, created);
    return created;
  }

  /** @param token of the element itself; null: those that `url` issues */
  tokensOf(token: string | null, url: string): TokenSource {
    if (token !== null) return fixedToken(token);
    const known = this.#issuedTokens.get(url);
    if (known !== undefined) return known;
    const created = new IssuedTokens(url);
    this.#issuedTokens.set(url, created);
    return created;
  }

  /** Forgets issued tokens, and what was read with them. */
  forget(tokens: TokenSource): void {
    tokens.forget();
    for (const answer of this.#answers.values()) if (answer.request.tokens === tokens) answer.drop();
  }

  /** The open shadow root of an element, with the style sheet of all elements. */
  styledRoot(element: HTMLElement): ShadowRoot {
    if (element.shadowRoot !== null) return element.shadowRoot;
    const root = element.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [this.#styleSheet];
    return root;
  }

  formatsOf(locales: readonly string[]): Formats {
    const key = locales.join();
    const known = this.#formats.get(key) ?? formatsFor(locales);
    this.#formats.set(key, known);
    return known;
  }

  join(name: string, member: GroupMember): void {
    this.#group(name).members.add(member);
  }

  leave(name: string, member: GroupMember): void {
    const group = this.#group(name);
    group.members.delete(member);
    if (group.members.size === 0) this.#groups.delete(name);
  }

  dateRangeOf(name: string): string | null {
    return this.#groups.get(name)?.dateRange ?? null;
  }

  /** Sets the dates of all members. */
  setDateRange(name: string, dateRange: string | null): void {
    const group = this.#group(name);
    group.dateRange = dateRange;
    for (const member of group.members) member.groupChanged();
  }

  #group(name: string) {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const created = { dateRange: null, members: new Set<GroupMember>() };
    this.#groups.set(name, created);
    return created;
  }
}
