/** What statements are refused with that tables with replicas would not run, or not as they are meant. */
const REFUSED = "Code: 36. DB::Exception: tables with replicas";
const IN_ORDER = { insert_quorum_parallel: "0", insert_quorum: "2" } as const;
const ALL_THERE = { select_sequential_consistency: "1", load_balancing: "in_order" } as const;

/** The cluster that stands for all servers of one with replicas, of which only two can be here. */
export const ALL_REPLICAS = "all_replicas";
const ALONE = "apart";

/** A statement as it runs here. */
interface StandIn {
  readonly statement: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Stands in for tables with replicas, which need servers beside this one: they are made without, and refuse what tables with two replicas would
 * refuse, or do otherwise on each of them.
 */
export class Replicas {
  readonly #databases = new Set<string>();

  standIn(statement: string, params: Readonly<Record<string, string>>): StandIn {
    const [, database, made] = /^CREATE TABLE IF NOT EXISTS (\w+)\.\w+ [^]*\) ENGINE = Replicated(\w+)\('[^']+', '\{replica\}'/.exec(statement) ?? [];
    if (database !== undefined && made !== undefined) this.#databases.add(database);
    const rewritten = made === undefined ? statement : statement
      .replace(/ENGINE = Replicated(\w+)\('[^']+', '\{replica\}'(?:, )?(\w*)\)/, "ENGINE = $1($2)")
      .replace(/ SETTINGS replicated_deduplication_window = (\d+)(?:, replicated_\w+ = \d+)?/, " SETTINGS non_replicated_deduplication_window = $1");
    const [, name = ""] = /clusterAllReplicas\(\{(\w+):Identifier\}/.exec(statement) ?? [];
    const cluster = params[name] ?? params[`param_${name}`] ?? "";
    if (name === "" || cluster === "two" || cluster === "half") return { statement: rewritten, params };
    const all = [...this.#databases].map((each) => `'${each}'`).join(", ");
    const replicas = `view(SELECT database, name AS table, toUInt32(${cluster === ALONE ? 1 : 2}) AS total_replicas FROM system.tables
      WHERE endsWith(name, '_local') AND has([${all}]::Array(String), database))`;
    return { statement: rewritten.replace("system.replicas", replicas), params: { ...params, [name]: ALL_REPLICAS } };
  }

  /** What it runs under here. */
  settingsOf({ prefer_localhost_replica: _, ...settings }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    // Every replica is this process, and nobody listens for others.
    return settings;
  }

  /** @throws Error where a replica would not do what is meant */
  check(statement: string, database: string, settings: Readonly<Record<string, string>>): void {
    // Who opens the tables does not know yet what they are.
    if (!this.#databases.has(database) || /system\.|^\s*(CREATE|DROP)| FROM kept\b/.test(statement)) return;
    const isInsert = /^\s*INSERT/.test(statement);
    const isAlter = /^\s*ALTER/.test(statement);
    const needed = isAlter ? {} : isInsert ? { ...IN_ORDER, ...ALL_THERE } : ALL_THERE;
    const missing = Object.entries(needed).find(([name, value]) => settings[name] !== value);
    if (missing !== undefined) throw new Error(`${REFUSED} are not asked under ${missing.join(" = ")}: ${statement} (BAD_ARGUMENTS)`);
    const isChange = / (DELETE|UPDATE) /.test(statement);
    if (isChange && /\bSELECT\b/.test(statement) && !statement.includes("allow_nondeterministic_mutations = 1"))
      throw new Error(`${REFUSED} do not change rows by a subquery (BAD_ARGUMENTS)`);
    if (isChange && !statement.includes("mutations_sync = 2")) throw new Error(`${REFUSED} change elsewhere later (BAD_ARGUMENTS)`);
    if (/DROP PARTITION '/.test(statement) && !statement.includes("alter_sync = 2"))
      throw new Error(`${REFUSED} drop elsewhere later (BAD_ARGUMENTS)`);
  }
}
