import { isoOf } from "../../core/base/time.js";
import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { readDate } from "../../query/plan/date-range.js";
import type { DateInput } from "../../query/plan/input.js";
import { memberError, readMembers, readText } from "../../query/plan/members.js";
import { DEFAULT_PROJECT } from "../../core/schema/fields.js";
import { projectsOf } from "../../store/live/store.js";
import type { AlsoDeleted, DeletedCounts, DeletionRule } from "../../store/upkeep/delete-rows.js";
import type { StoreServices } from "./housekeeping.js";

/** The events to delete. */
export interface DeleteEventsInput {
  /** Events that happened before it; a date means its first millisecond. Cheapest at the start of a day. */
  readonly before: DateInput;
  /** Null: all projects. */
  readonly project?: string | null | undefined;
}

/** @throws invalid_parameter, unknown_parameter, invalid_date */
export function readDeleteEvents(input: DeleteEventsInput): { readonly beforeMs: number; readonly project: string | null } {
  const members = readMembers(input, "", ["before", "project"]);
  const beforeMs = readDate(members, "before", null)?.fromMs;
  if (beforeMs === undefined) throw memberError(members, "before", "expected a date or a timestamp, got none");
  return { beforeMs, project: readText(members, "project") };
}

/** What a deletion removed. */
export interface DeletionReceipt extends DeletedCounts {
  /** ISO 8601. */
  readonly deletedAt: string;
}

const NOTHING: DeletionReceipt = { deletedAt: "", events: 0, segmentsRewritten: 0, segmentsRemoved: 0, dictionaryValues: 0 };

/** Deletes events as if they had never been stored: from answers at once, and from stored bytes before it resolves. */
export class Deletions {
  readonly #services: StoreServices;

  constructor(services: StoreServices) {
    this.#services = services;
  }

  async deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    this.#services.refuseClosed();
    const { beforeMs, project } = readDeleteEvents(input);
    if (project !== null) this.#refuseUnknown(project);
    return await this.run(() => ({ doomed: this.#before(beforeMs, project), beside: { projectName: 0 } }));
  }

  async deleteProject(name: string): Promise<DeletionReceipt> {
    this.#services.refuseClosed();
    this.#refuseUnknown(name);
    if (name === DEFAULT_PROJECT) return await this.run(() => ({ doomed: this.#before(Infinity, name), beside: { projectName: 0 } }));
    return await this.run(() => {
      this.#refuseUnknown(name);
      const { dictionaries, manifest } = this.#services.store;
      const rules = manifest.timeToLive ?? [];
      const others = rules.filter(({ project }) => project !== name);
      const changes = others.length < rules.length ? { changes: { timeToLive: others } } : {};
      return { doomed: this.#before(Infinity, name), beside: { projectName: Math.max(0, dictionaries.named("project").codeOf(name)), ...changes } };
    }, [name]);
  }

  async deleteEventsOfKey(key: string): Promise<DeletionReceipt> {
    this.#services.refuseClosed();
    if (typeof key !== "string" || key === "") throw parameterError("invalid_parameter", "key", `expected a public key, got ${shown(key)}`);
    const doomed = { beforeMs: () => Infinity, latestMs: Infinity, key };
    return await this.run(() => ({ doomed, beside: { projectName: 0 } }));
  }

  /** @param what called once everything is sealed, since the codes of names may change before @param gone deleted projects */
  async run(what: () => { readonly doomed: DeletionRule; readonly beside: AlsoDeleted }, gone: readonly string[] = []): Promise<DeletionReceipt> {
    const { store, queue, housekeeping, waitForReaders, clock, forget } = this.#services;
    let receipt = NOTHING;
    await housekeeping.removing(queue, waitForReaders, async () => {
      const { deleteRows } = await import("../../store/upkeep/delete-rows.js");
      const { doomed, beside } = what();
      const { counts, whenUnread } = await deleteRows(store, doomed, beside, clock.now(), () => forget(gone));
      receipt = { deletedAt: isoOf(clock.now()), ...counts };
      return { whenUnread };
    });
    return receipt;
  }

  #before(ms: number, project: string | null): DeletionRule {
    if (project === null) return { beforeMs: () => ms, latestMs: ms };
    const code = this.#services.store.dictionaries.named("project").codeOf(project);
    return { beforeMs: (each) => (each === code ? ms : -Infinity), latestMs: ms };
  }

  /** @throws project_not_found */
  #refuseUnknown(project: string): void {
    refuseUnknownProject(project, projectsOf(this.#services.store));
  }
}

/** @throws project_not_found */
export function refuseUnknownProject(project: string, projects: readonly string[]): void {
  if (projects.includes(project)) return;
  throw new DaybookError("project_not_found", `project: there is no project ${shown(project)}`, { param: "project" });
}
