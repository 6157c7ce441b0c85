import type { DeletionReceipt } from "../../engine/upkeep/deletions.js";

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function bytes(byteLength: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = byteLength;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

/** A duration in ms as text: `340 ms`, `2.1 s`. */
export function duration(ms: number): string {
  return ms < 1 ? `${ms.toFixed(2)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Text that is safe on a terminal: control characters become `�`, and it is cut to `width` characters. */
export function plain(text: string, width: number): string {
  const safe = text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  return safe.length > width ? `${safe.slice(0, width - 1)}…` : safe;
}

/** Formats rows as columns, two blanks apart; `align` has `<` or `>` per column. Trailing blanks are cut. */
export function table(rows: readonly (readonly string[])[], align: string, indent = ""): string {
  const widths = [...align].map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (align[column] === ">" ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${indent}${line}\n`).join("");
}

export function printLine(line: string): void {
  process.stdout.write(`${plain(line, 2_000)}\n`);
}

const TERMINAL_INTERVAL_MS = 100;
const PIPE_INTERVAL_MS = 5_000;

/** Shows progress on stderr: on a terminal one line that is updated, otherwise a new line every 5 s. */
export class Progress {
  readonly #startedMs = performance.now();
  readonly #label: string;
  readonly #terminal = process.stderr.isTTY === true;
  #shownMs = performance.now();

  constructor(label: string) {
    this.#label = label;
  }

  at(rowCount: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < (this.#terminal ? TERMINAL_INTERVAL_MS : PIPE_INTERVAL_MS)) return;
    this.#shownMs = nowMs;
    const perSecond = Math.round((rowCount * 1000) / (nowMs - this.#startedMs));
    const line = `${this.#label}: ${count(rowCount)} rows, ${count(perSecond)} per second`;
    process.stderr.write(this.#terminal ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Clears the line of a terminal; returns how long the work took, as text. */
  end(): string {
    if (this.#terminal) process.stderr.write("\r\u001b[K");
    return duration(performance.now() - this.#startedMs);
  }
}

export interface PendingDeletion {
  readonly project: string;
  readonly events: number;
  readonly days: number;
  /** The first day with remaining events, as text; absent: none remain. */
  readonly keptFrom?: string;
}

export function pendingDeletionText(pending: readonly PendingDeletion[]): string {
  const rows = pending.map(({ project, events, days, keptFrom }) => [plain(project, 60), count(events), count(days), keptFrom ?? "-"]);
  return rows.length === 0 ? "no events to delete\n" : table([["project", "events to delete", "days", "kept from"], ...rows], "<>><");
}

export function receiptText({ events, segmentsRemoved, segmentsRewritten, dictionaryValues }: DeletionReceipt): string {
  const files = `${plural(segmentsRemoved, "file")} removed, ${count(segmentsRewritten)} rewritten`;
  return `deleted ${plural(events, "event")}: ${files}, ${plural(dictionaryValues, "text")} removed\n`;
}
