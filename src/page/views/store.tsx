import { healthQuery, statsQuery } from "../api/queries.js";
import { sheetOf } from "../format/sheet.js";
import { usePage, useQuery } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import { instant, LOCALES, duration, number, type FormattedNumber } from "../format/text.js";

function statGroups(stats: Readonly<Record<string, unknown>>, zone: string) {
  const alone = Object.entries(stats).filter(([name, value]) => !isObject(value) && name !== "health");
  const within = Object.entries(stats).flatMap(([name, value]) =>
    isObject(value) ? [{ title: words(name), facts: factsOf(Object.entries(value), zone) }] : [],
  );
  return [{ title: "Totals", facts: factsOf(alone, zone) }, ...within].filter(({ facts }) => facts.length > 0);
}

function factsOf(entries: readonly (readonly [string, unknown])[], zone: string) {
  return entries.map(([name, value]) => ({ name: words(name.replace(/_(?:bytes|ms)$/, "")), shown: shownOf(name, value, zone) }));
}

function shownOf(name: string, value: unknown, zone: string): FormattedNumber {
  if (typeof value === "number") return /bytes|byte_length/.test(name) ? bytes(value) : /_ms$/.test(name) ? duration(value / 1000) : number(value);
  if (typeof value === "string") return /^\d{4}-\d{2}-\d{2}T/.test(value) ? same(instant(value, zone)) : same(value);
  if (Array.isArray(value))
    return same(value.length === 0 ? "none" : value.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(", "));
  return same(value === null ? "–" : JSON.stringify(value));
}

function same(text: string): FormattedNumber {
  return { short: text, exact: text };
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

function bytes(value: number): FormattedNumber {
  const step = value < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(value) / 10));
  const short = new Intl.NumberFormat([...LOCALES], { maximumSignificantDigits: 3 }).format(value / 1024 ** step);
  return { short: `${short} ${SIZES[step] ?? "B"}`, exact: `${number(value).exact} bytes` };
}

function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const HEALTH = { ok: "Reads and writes", read_only: "Reads only", unreachable: "ClickHouse does not respond", closed: "Closed" } as const;

const OVER_RESERVE = "Distinct values use three quarters of their space: new values from pages with public keys are not stored";

export function Store() {
  const { scope } = usePage();
  const health = useQuery(healthQuery);
  const stats = useQuery(statsQuery);
  return (
    <>
      <Panel title="Health" result={health} lines={1} sheet={(answer) => sheetOf([answer])}>
        {({ status, distinct_values: values }) => (
          <>
            <p class={status === "ok" ? "health ok" : "health"}>{HEALTH[status]}</p>
            {values === undefined ? null : <p class="health">{OVER_RESERVE}</p>}
          </>
        )}
      </Panel>
      <Panel title="What is stored" result={stats} lines={14} sheet={(answer) => sheetOf([answer])}>
        {(answer) => (
          <div class="stats">
            {statGroups(answer, scope.zone).map(({ title, facts }) => (
              <section key={title} aria-label={title}>
                <h3>{title}</h3>
                <dl class="facts">
                  {facts.map(({ name, shown }) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd title={shown.exact} class="num">
                        {shown.short}
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
        )}
      </Panel>
    </>
  );
}
