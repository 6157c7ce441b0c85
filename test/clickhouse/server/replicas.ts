/** What statements are refused with that tables with replicas would not run, or not as they are meant. */
const REFUSED = "Code: 36. DB::Exception: tables with replicas";
const IN_ORDER = { insert_quorum_parallel: "0", insert_quorum: "2" } as const;
const ALL_THERE = { select_sequential_consistency: "1", load_balancing: "in_order" } as const;

/**
 * Stands in for tables with replicas, which need servers beside this one: they are made without, and refuse what tables with two replicas would
 * refuse, or do otherwise on each of them.
 */
export class Replicas {
  readonly #databases = new Set<string>();

  /** The statement as it runs here. */
  rewritten(statement: string): string {
    const [, database, made] = /^CREATE TABLE IF NOT EXISTS (\w+)\.\w+ [^]*\) ENGINE = Replicated(\w+)\('[^']+', '\{replica\}'/.exec(statement) ?? [];
    if (database !== undefined && made !== undefined) this.#databases.add(database);
    return statement
      .replace(/ENGINE = Replicated(\w+)\('[^']+', '\{replica\}'(?:, )?(\w*)\)/, "ENGINE = $1($2)")
      .replace(/ SETTINGS replicated_deduplication_window = (\d+)(?:, replicated_\w+ = \d+)?/, " SETTINGS non_replicated_deduplication_window = $1")
      .replace("system.replicas", `view(SELECT database, name AS table, toUInt32(2) AS total_replicas FROM system.tables
        WHERE endsWith(name, '_local') AND has([${[...this.#databases].map((name) => `'${name}'`).join(", ")}]::Array(String), database))`);
  }

  /** What it runs under here. */
  settingsOf({ prefer_localhost_replica: _, ...settings }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    // Every replica is this process, and nobody listens for others.
    return settings;
  }

  /** @throws Error where a replica would not do what is meant */
  check(statement: string, database: string, settings: Readonly<Record<string, string>>): void {
    if (!this.#databases.has(database) || /system\.|^\s*(CREATE|DROP)/.test(statement)) return;
    const isInsert = /^\s*INSERT/.test(statement);
    const isAlter = /^\s*ALTER/.test(statement);
    const needed = isAlter ? {} : isInsert ? { ...IN_ORDER, ...ALL_THERE } : ALL_THERE;
    const missing = Object.entries(needed).find(([name, value]) => settings[name] !== value);
    if (missing !== undefined) throw new Error(`${REFUSED} are not asked under ${missing.join(" = ")}: ${statement}`);
    if (/ (DELETE|UPDATE) /.test(statement) && /\bSELECT\b/.test(statement) && !statement.includes("allow_nondeterministic_mutations = 1"))
      throw new Error(`${REFUSED} do not change rows by a subquery`);
    if (/ (DELETE|UPDATE) /.test(statement) && !statement.includes("mutations_sync = 2")) throw new Error(`${REFUSED} change elsewhere later`);
    if (/DROP PARTITION '/.test(statement) && !statement.includes("alter_sync = 2")) throw new Error(`${REFUSED} drop elsewhere later`);
  }
}
