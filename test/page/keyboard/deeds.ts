import type { Page } from "playwright-core";
import { drawn } from "../opened-page.js";

/** Something that a mouse can do to an element. */
export interface Deed {
  /** Of the element, for as long as the page stands. */
  readonly id: number;
  /** How the element is found again by who reads of it. */
  readonly name: string;
  readonly kind: "press" | "choose" | "check" | "write" | "point" | "radio";
  /** Whether the focus does what the pointer does. */
  readonly hasFocus: boolean;
}

/** Notes which events elements listen to: before the page's script runs. */
export function noteListeners(): void {
  const heard = new WeakMap<EventTarget, Set<string>>();
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...[type, ...rest]: Parameters<typeof add>) {
    heard.set(this, (heard.get(this) ?? new Set()).add(type));
    add.call(this, type, ...rest);
  };
  const ids = new WeakMap<EventTarget, number>();
  let next = 1;
  const idOf = (element: EventTarget) => {
    const id = ids.get(element) ?? next++;
    ids.set(element, id);
    return id;
  };
  // What happened while nothing was let through.
  const happened: { readonly type: string; readonly id: number }[] = [];
  let isHeld = false;
  for (const type of ["click", "input", "change", "submit"])
    add.call(globalThis, type, (event: Event) => {
      if (!isHeld || event.target === null) return;
      happened.push({ type, id: idOf(event.target) });
      event.preventDefault();
      event.stopImmediatePropagation();
    }, true);
  Object.assign(globalThis, { heard, idOf, happened, hold: (held: boolean) => void (isHeld = held) });
}

/** Everything that a mouse can do within an element, as far as elements and their listeners tell. */
export async function mouseDeeds(page: Page, root: string): Promise<Deed[]> {
  return await page.evaluate((within) => {
    const { heard, idOf } = globalThis as unknown as { heard: WeakMap<EventTarget, Set<string>>; idOf: (element: Element) => number };
    const pressed = ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "contextmenu", "dragstart"];
    const pointed = ["enter", "leave", "move", "over"].flatMap((end) => [`pointer${end}`, `mouse${end}`]);
    const kindOf = (element: Element): Deed["kind"] | null => {
      if (element instanceof HTMLSelectElement) return "choose";
      if (element instanceof HTMLInputElement) return element.type === "checkbox" ? "check" : "write";
      if (element.getAttribute("role") === "radio") return "radio";
      const types = [...(heard.get(element) ?? [])];
      if (element.matches("a[href], button, summary, textarea, [contenteditable]") || types.some((type) => pressed.includes(type))) return "press";
      return types.some((type) => pointed.includes(type)) ? "point" : null;
    };
    const nameOf = (element: Element, kind: Deed["kind"]) =>
      kind === "radio" ? (element.textContent ?? "") :
      `${element.tagName.toLowerCase()}.${element.className} ${(element.getAttribute("aria-label") ?? element.textContent ?? "").slice(0, 40)}`;
    return [...document.querySelectorAll<HTMLElement>(`${within}, ${within} *`)].flatMap((element) => {
      const kind = kindOf(element);
      // A plot has keys of its own, and a click beside a window is its Escape: both are tried by themselves.
      const isOther = element.parentElement?.closest(".plot[tabindex]") instanceof HTMLElement || element instanceof HTMLDialogElement;
      if (kind === null || isOther || !element.checkVisibility({ visibilityProperty: true }) || element.matches(":disabled")) return [];
      const hasFocus = [...(heard.get(element) ?? [])].some((type) => /^(?:focus|blur)/i.test(type));
      return [{ id: idOf(element), name: nameOf(element, kind), kind, hasFocus }];
    });
  }, root);
}

/** The element that has the focus; 0: it lies outside of `root`. */
async function focused(page: Page, root: string): Promise<number> {
  return await page.evaluate((within) => {
    const { idOf } = globalThis as unknown as { idOf: (element: Element) => number };
    const element = document.activeElement;
    return element !== null && element.parentElement?.closest(within) instanceof HTMLElement ? idOf(element) : 0;
  }, root);
}

/** What keys do to the element with the focus, while the page hears of none of it. */
async function doneBy(page: Page, ...keys: readonly string[]): Promise<string[]> {
  await page.evaluate(() => {
    const { hold, happened } = globalThis as unknown as { hold: (held: boolean) => void; happened: object[] };
    happened.length = 0;
    hold(true);
  });
  for (const key of keys) await page.keyboard.press(key);
  return await page.evaluate(() => {
    const { hold, happened } = globalThis as unknown as { hold: (held: boolean) => void; happened: { type: string; id: number }[] };
    hold(false);
    return happened.map(({ type, id }) => `${type} ${id}`);
  });
}

/** They leave all as it was: what an entry holds is selected when a key leads there, and would be written over. */
const KEYS = { press: ["Enter"], choose: ["ArrowDown", "ArrowUp"], check: ["Space", "Space"], write: ["End", "1", "Backspace"] } as const;
const DONE = { press: "click", choose: "change", check: "click", write: "input" } as const;

/** What a mouse can do within an element, and keys cannot; the focus is set before it. */
export async function beyondKeys(page: Page, root: string): Promise<string[]> {
  const deeds = await mouseDeeds(page, root);
  const byId = new Map(deeds.map((deed) => [deed.id, deed]));
  const reached = new Set<number>();
  const tried = new Set<string>();
  const faults: string[] = [];
  for (let stops = 0; stops < 400; stops += 1) {
    await page.keyboard.press("Tab");
    const id = await focused(page, root);
    if (id === 0) break;
    const deed = byId.get(id);
    // Elements of one make do the same: of each the first is tried.
    const make = deed === undefined ? "" : `${deed.kind} ${deed.name.split(" ", 1)[0] ?? ""}`;
    if (deed !== undefined && !reached.has(id) && !tried.has(make) && deed.kind !== "radio" && deed.kind !== "point") {
      tried.add(make);
      if (!(await doneBy(page, ...KEYS[deed.kind])).includes(`${DONE[deed.kind]} ${id}`)) faults.push(`${deed.name}: keys do nothing`);
    }
    reached.add(id);
  }
  const radios = await radiosReached(page, root);
  const isDone = ({ id, kind, name, hasFocus }: Deed) => (kind === "point" ? hasFocus : kind === "radio" ? radios.includes(name) : reached.has(id));
  return [...faults, ...deeds.filter((deed) => !isDone(deed)).map(({ name }) => `${name}: no key leads there`)];
}

/** Of names side by side one is a stop, and arrows lead to the others and choose them: the names of those. */
async function radiosReached(page: Page, root: string): Promise<string[]> {
  const reached: string[] = [];
  const groups = page.locator(`${root} [role=radiogroup]`);
  for (let at = 0; at < (await groups.count()); at += 1) {
    const group = groups.nth(at);
    const count = await group.locator("[role=radio]").count();
    await group.locator("[aria-checked=true]").focus();
    for (let step = 0; step < count; step += 1) {
      await page.keyboard.press("ArrowRight");
      await drawn(page);
      reached.push(await page.evaluate(() => document.querySelector("[aria-checked=true]:focus")?.textContent ?? ""));
    }
  }
  return reached;
}
