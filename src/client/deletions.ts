import { parameterError, shown } from "../base/errors.js";
import type { DeleteEventsInput, DeletionReceipt } from "../engine/upkeep/deletions.js";
import type { TimeToLive, TimeToLivePreview, TimeToLiveRule } from "../engine/upkeep/time-to-live.js";
import type { Calls } from "./calls.js";
import { jsonText } from "./json-text.js";
import { libraryNames } from "./names.js";

const RULES = "/v1/time-to-live";

/** Deletions over their routes. One is sent again only where the server said that it did nothing: the receipt of a second one would be empty. */
export class RemoteDeletions {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    return libraryNames(await this.#calls.json({ method: "POST", path: "/v1/events/delete", body: jsonText(objectOf(input), true), again: "undone" })) as DeletionReceipt;
  }

  async deleteProject(name: string): Promise<DeletionReceipt> {
    if (typeof name !== "string" || name === "" || !name.isWellFormed()) throw parameterError("invalid_parameter", "name", `expected the name of a project, got ${shown(name)}`);
    return libraryNames(await this.#calls.json({ method: "DELETE", path: `/v1/projects/${encodeURIComponent(name)}`, again: "undone" })) as DeletionReceipt;
  }
}

/** Rules of time to live over their routes. */
export class RemoteTimeToLive implements TimeToLive {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async set(project: string | null, rule: { readonly days: number }): Promise<void> {
    // Set twice it is the same.
    await this.#calls.json({ method: "PUT", path: RULES, body: jsonText({ ...objectOf(rule), project }, false), again: "always" });
  }

  async off(project: string | null): Promise<boolean> {
    const { off } = (await this.#step("off", { project }, "undone")) as { off: boolean };
    return off;
  }

  async list(): Promise<readonly TimeToLiveRule[]> {
    const { rules } = (await this.#calls.json({ method: "GET", path: RULES, again: "always" })) as { rules: readonly TimeToLiveRule[] };
    return rules;
  }

  async preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview> {
    return libraryNames(await this.#step("preview", rule === undefined ? {} : objectOf(rule), "always")) as TimeToLivePreview;
  }

  async sweep(): Promise<DeletionReceipt> {
    return libraryNames(await this.#step("sweep", {}, "undone")) as DeletionReceipt;
  }

  #step(name: string, body: object, again: "always" | "undone"): Promise<unknown> {
    return this.#calls.json({ method: "POST", path: `${RULES}/${name}`, body: jsonText(body, false), again });
  }
}

function objectOf(input: object): object {
  if (Object.prototype.toString.call(input) !== "[object Object]") throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(input)}`);
  return input;
}
