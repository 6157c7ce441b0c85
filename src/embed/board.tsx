import { render } from "preact";
import { asApiError, type ApiError } from "../charts/api-error.js";
import { ErrorNotice } from "./card.js";
import { ELEMENT_KINDS, type ElementKindName } from "./drawings.js";
import { adoptProperties, propertyOf, reflectAttributes, reportError, SHARED_ATTRIBUTES } from "./element.js";
import type { PageElements } from "./page-elements.js";
import { attributeError, isRecord, parsedJson } from "./query.js";

const WIDTHS = ["full", "half", "third", "quarter"] as const;
type BoardWidth = (typeof WIDTHS)[number];

const DEFAULT_WIDTHS: Readonly<Record<ElementKindName, BoardWidth>> = { chart: "full", number: "quarter", list: "half", funnel: "half", retention: "full" };

interface BoardItem {
  readonly show: ElementKindName;
  readonly width: BoardWidth;
  readonly query: unknown;
  /** Properties of the element. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Items of a board from JSON, or from what it stands for. @throws ApiError: invalid_attribute */
export function readItems(value: unknown): readonly BoardItem[] {
  const items = typeof value === "string" ? parsedJson("items", value) : value;
  if (!Array.isArray(items) || items.length === 0) throw attributeError('items: expected a list such as [{"show": "number", "query": {"trend": {…}}}].');
  return items.map((item: unknown, at) => readItem(item, `items[${at}]`));
}

function readItem(item: unknown, path: string): BoardItem {
  if (!isRecord(item)) throw attributeError(`${path}: expected an object.`);
  const { show, width, query, ...properties } = item;
  if (!isKindName(show)) throw attributeError(`${path}.show: expected one of ${Object.keys(ELEMENT_KINDS).join(", ")}, got ${JSON.stringify(show) ?? "none"}.`);
  const chosen = width ?? DEFAULT_WIDTHS[show];
  const known = WIDTHS.find((each) => each === chosen);
  if (known === undefined) throw attributeError(`${path}.width: expected one of ${WIDTHS.join(", ")}, got ${JSON.stringify(width)}.`);
  const names = ["heading", ...ELEMENT_KINDS[show].attributes].map(propertyOf);
  for (const [name, value] of Object.entries(properties)) {
    if (!names.includes(name)) throw attributeError(`${path}: expected the members show, width, query, ${names.join(", ")}; got ${name}.`);
    if (typeof value !== "string" && typeof value !== "boolean") throw attributeError(`${path}.${name}: expected a text or true, got ${JSON.stringify(value)}.`);
  }
  return { show, width: known, query, properties };
}

function isKindName(value: unknown): value is ElementKindName {
  return typeof value === "string" && Object.hasOwn(ELEMENT_KINDS, value);
}

/** Makes the class of boards: several elements in a grid, which take the board's attributes and token. */
export function boardClass(page: PageElements): CustomElementConstructor {
  const attributes = ["items", ...SHARED_ATTRIBUTES];

  return class BoardElement extends HTMLElement {
    static readonly observedAttributes = attributes;
    static {
      reflectAttributes(this.prototype, SHARED_ATTRIBUTES);
    }

    #items: unknown = undefined;
    #token: string | null = null;
    #isBuilt = false;
    readonly #grid = document.createElement("div");

    /** As a list of objects, or as the attribute has it. */
    get items(): unknown {
      return this.#items ?? this.getAttribute("items");
    }

    set items(value: unknown) {
      const isSame = this.#isBuilt && JSON.stringify(value) === JSON.stringify(this.items);
      this.#items = value ?? undefined;
      if (!isSame) this.#rebuildSoon();
    }

    get token(): string | null {
      return this.#token;
    }

    set token(value: string | null) {
      this.#token = value;
      for (const child of this.#grid.children) Reflect.set(child, "token", value);
    }

    /** Runs all queries again now. */
    refresh(): void {
      for (const child of this.#grid.children) if ("refresh" in child && typeof child.refresh === "function") child.refresh();
    }

    /** As of its elements, which share one token. */
    forgetToken(): void {
      const [child] = this.#grid.children;
      if (child !== undefined && "forgetToken" in child && typeof child.forgetToken === "function") child.forgetToken();
    }

    connectedCallback(): void {
      adoptProperties(this, attributes);
      if (!this.#isBuilt) this.#rebuildSoon();
    }

    attributeChangedCallback(name: string): void {
      if (name !== "items") return this.#passOn(name);
      this.#items = undefined;
      this.#rebuildSoon();
    }

    #rebuildSoon(): void {
      this.#isBuilt = false;
      queueMicrotask(() => {
        if (this.isConnected && !this.#isBuilt) this.#build();
      });
    }

    #build(): void {
      this.#isBuilt = true;
      const root = page.styledRoot(this);
      try {
        const items = readItems(this.items);
        render(null, root);
        this.#grid.className = "grid";
        this.#grid.replaceChildren(...items.map((item) => this.#child(item)));
        const board = document.createElement("div");
        board.className = "board";
        board.append(this.#grid);
        root.replaceChildren(board);
      } catch (thrown) {
        this.#fail(root, asApiError(thrown));
      }
    }

    #fail(root: ShadowRoot, error: ApiError): void {
      // Not by removing the nodes: the next rendering would update them where they no longer show.
      render(null, root);
      root.replaceChildren();
      render(
        <div class="card" lang="en">
          <ErrorNotice error={error} />
        </div>,
        root,
      );
      reportError(this, error);
    }

    #child({ show, width, query, properties }: BoardItem): HTMLElement {
      const child = document.createElement(`daybook-${show}`);
      child.className = width;
      for (const name of SHARED_ATTRIBUTES) if (this.hasAttribute(name)) child.setAttribute(name, this.getAttribute(name) ?? "");
      return Object.assign(child, { ...properties, query, token: this.#token });
    }

    #passOn(name: string): void {
      const value = this.getAttribute(name);
      for (const child of this.#grid.children) {
        if (value === null) child.removeAttribute(name);
        else child.setAttribute(name, value);
      }
    }
  };
}
