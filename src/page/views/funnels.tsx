import { funnelQuery } from "../api/queries.js";
import { sheetOf } from "../format/sheet.js";
import { BreakdownField, Select, TextField, useEventNames, Settings } from "../parts/fields.js";
import { BigNum, Num } from "../../charts/figures.js";
import { FunnelBars, type BarStep } from "../../charts/funnel-bars.js";
import { Empty } from "../../charts/notice.js";
import { Icon, Button, Cut, IconButton } from "../parts/inline.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import { Grid } from "../parts/tables.js";
import { EventField, ValueButton } from "../parts/filter-chips.js";
import { ANY_EVENT, STEP_COUNT, type EventChoice } from "../state/filter.js";
import type { FunnelAnswer, ShownFunnelStep } from "../api/answers.js";
import { noun, plural, fieldName, sentence, number, percent } from "../format/text.js";
import { NothingHere } from "./remarks.js";

const COUNTED = { identity: ["person", "people"], session: ["visit", "visits"], account: ["company or person", "companies and people"] } as const;

function FunnelResult({ answer: { steps, rows, pending } }: { readonly answer: FunnelAnswer }) {
  const [chosen] = useChoices("funnels");
  if (steps[0]?.entities === 0) return <NothingHere />;
  const [one, many] = COUNTED[chosen.level];
  const last = steps.at(-1);
  const detail = (at: number) => (chosen.order === "any" ? "" : (chosen.step[at]?.filters ?? []).map(sentence).join(", "));
  return (
    <>
      {last !== undefined && (
        <p class="lead">
          <BigNum shown={percent(last.conversion_rate)} figure="conversion" />{" "}
          of <Num shown={number(steps[0]?.entities ?? 0)} /> {noun(steps[0]?.entities ?? 0, one, many)} completed all steps
        </p>
      )}
      <FunnelBars steps={steps.map(barStep)} detailOf={(at) => detail(at) !== "" && <Cut class="funnel-detail" text={detail(at)} />} />
      {pending > 0 && (
        <p class="remark">
          <Num shown={number(pending)} /> {noun(pending, `${one} is`, `${many} are`)} still within {plural(chosen.window, "day")} of the first step,
          and may still continue.
        </p>
      )}
      {rows !== null && rows.length > 0 && <Rows rows={rows} by={chosen.by} />}
    </>
  );
}

/** A step with the names of the library, which the drawing takes. */
function barStep({ name, entities, conversion_rate, step_rate, drop_offs, from_previous }: ShownFunnelStep): BarStep {
  const times = from_previous === null ? null : { avgSec: from_previous.avg_sec, medianSec: from_previous.median_sec, p90Sec: from_previous.p90_sec };
  return { name, entities, conversionRate: conversion_rate, stepRate: step_rate, dropOffs: drop_offs, fromPrevious: times };
}

function Rows({ rows, by }: { readonly rows: NonNullable<FunnelAnswer["rows"]>; readonly by: string }) {
  const names = (rows[0]?.steps ?? []).map(({ name }) => name);
  return (
    <Grid
      label="Breakdown"
      rows={rows}
      keyOf={({ values }) => JSON.stringify(values)}
      columns={[
        { name: fieldName(by), cell: ({ values: [value = ""] }) => <ValueButton by={by} value={value} /> },
        ...names.map((name, at) => ({
          name: `${at + 1}. ${name}`,
          isNumber: true,
          cell: ({ steps }: (typeof rows)[number]) => <Num shown={number(steps[at]?.entities ?? null)} />,
        })),
        { name: "Completed", isNumber: true, cell: ({ steps }) => <Num shown={percent(steps.at(-1)?.conversion_rate ?? null)} /> },
      ]}
    />
  );
}

function StepList() {
  const [{ step: steps }, change] = useChoices("funnels");
  const onChange = (step: readonly EventChoice[]) => change({ step });
  const shown = steps.length === 0 ? [ANY_EVENT, ANY_EVENT] : steps;
  const replace = (at: number, step: EventChoice) => onChange(shown.map((other, index) => (index === at ? step : other)));
  const swap = (at: number) => onChange([...shown.slice(0, at), ...shown.slice(at, at + 2).reverse(), ...shown.slice(at + 2)]);
  return (
    <>
      <ol class="steps">
        {shown.map((step, at) => (
          <li key={at} class="step">
            <span class="step-number" aria-hidden="true">
              {at + 1}
            </span>
            <EventField label={`Step ${at + 1}`} isBare choice={step} onChange={(changed) => replace(at, changed)} />
            <span class="step-tools">
              <IconButton icon="up" label={`Move step ${at + 1} up`} disabled={at === 0} onClick={() => swap(at - 1)} />
              <IconButton icon="down" label={`Move step ${at + 1} down`} disabled={at === shown.length - 1} onClick={() => swap(at)} />
              <IconButton icon="close" label={`Remove step ${at + 1}`} onClick={() => onChange(shown.filter((_, index) => index !== at))} />
            </span>
          </li>
        ))}
      </ol>
      <div class="row">
        <Button class="chip-add" disabled={shown.length >= STEP_COUNT} onClick={() => onChange([...shown, ANY_EVENT])}>
          <Icon name="plus" /> Step
        </Button>
      </div>
    </>
  );
}

const ORDERS = { sequential: "in this order", strict: "one right after the other", any: "in any order" } as const;
const LEVELS = { identity: "people", session: "visits", account: "companies" } as const;

export function Funnels() {
  const { scope } = usePage();
  const [chosen, change] = useChoices("funnels");
  const result = useQuery(funnelQuery(scope, chosen));
  const names = useEventNames();
  const settleWindow = (text: string) => {
    const days = Number(text);
    if (Number.isInteger(days) && days >= 1 && days <= 366) change({ window: days });
  };
  const first = names.slice(0, 3).map(([event]) => ({ event, filters: [] }));
  return (
    <>
      <Settings label="Steps" before={<StepList />}>
        <Select label="Counting" value={chosen.level} names={LEVELS} onChoose={(level) => change({ level })} />
        <Select label="Order of steps" value={chosen.order} names={ORDERS} onChoose={(order) => change({ order })} />
        <TextField label="Within (days)" type="number" value={String(chosen.window)} onCommit={settleWindow} />
        <BreakdownField value={chosen.by} onCommit={(by) => change({ by })} />
      </Settings>
      <Panel
        title="Funnel"
        class="funnel-panel"
        result={result}
        lines={10}
        sheet={({ steps, rows }) => sheetOf([...steps, ...(rows ?? []).flatMap((row) => row.steps.map((step) => ({ values: row.values, ...step })))])}
        noQuery={
          <Empty title="A funnel needs at least two steps">
            <p>A step is an event, or any event that matches a filter.</p>
            {first.length >= 2 && (
              <p>
                <Button onClick={() => change({ step: first })}>Start with {first.map(({ event }) => event).join(" → ")}</Button>
              </p>
            )}
          </Empty>
        }
      >
        {(answer) => <FunnelResult answer={answer} />}
      </Panel>
    </>
  );
}
