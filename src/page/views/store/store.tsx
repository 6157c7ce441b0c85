import { healthQuestion, statsQuestion } from "../../ask/questions/house.js";
import { sheetOf } from "../../format/sheet.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { statGroups } from "./stats.js";

const HEALTH = { ok: "Reads and writes", read_only: "Reads only", unreachable: "ClickHouse does not answer", closed: "Closed" } as const;

const OVER_RESERVE = "Distinct values fill three quarters of their room: new ones that pages send by public keys are not stored";

/** How the store is, and what is in it. */
export function Store() {
  const { scope } = usePage();
  const health = useReply(healthQuestion);
  const stats = useReply(statsQuestion);
  return (
    <>
      <Panel title="Health" reply={health} lines={1} sheet={(answer) => sheetOf([answer])}>
        {({ status, distinct_values: values }) => (
          <>
            <p class={status === "ok" ? "health ok" : "health"}>{HEALTH[status]}</p>
            {values === undefined ? null : <p class="health">{OVER_RESERVE}</p>}
          </>
        )}
      </Panel>
      <Panel title="What is stored" reply={stats} lines={14} sheet={(answer) => sheetOf([answer])}>
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
