/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are below their number */
import { PathCounts, sequenceRule } from "../../answer/paths/path-counts.js";
import { pathsAnswer } from "../../answer/paths/paths-answer.js";
import { Scratch } from "../../base/scratch.js";
import { LabelNumbers } from "../../filter/label-numbers.js";
import { labelOf } from "../../filter/operand-value.js";
import type { PathsPlan } from "../../plan/insights/plan.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { Part } from "../form/part.js";
import type { RowContext, Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { fieldKeys, type RowKeys } from "../insights/row-keys.js";
import { nodesOf, pathEvents, type PathEvents } from "./path-nodes.js";

interface PathsParts {
  readonly [name: string]: Part<PathEvents[]>;
  readonly events: Part<PathEvents[]>;
}

/** Sessions that are counted between two turns. */
const SESSIONS_PER_PAUSE = 8_192;

/** The ways through sessions: filters choose their events, and so the nodes. */
export const paths: Survey<"paths", PathsParts, SessionView> = {
  kind: "survey",
  tables: () => ["sessions"],
  needsCompanies: ({ node }) => node.kind === "companyId" || node.kind === "company",
  read: (plan, moment, missing) => moment.tables.sessions(plan, moment, missing),
  parts: (plan, context, view) => ({ events: pathEvents(plan, nodeKeys(plan, context), view) }),
  finish: ({ events }, plan, context, view, pause) =>
    Scratch.of(async (scratch) => {
      const labels = await LabelNumbers.of(plan);
      const ofKeys = new LabelsOfKeys(nodeKeys(plan, context), labels);
      const nodes = await nodesOf(events, { labelOf: (key) => ofKeys.of(key), sessionCount: view.count, scratch, pause });
      const counts = new PathCounts(sequenceRule(plan, (text) => labels.ofLabel(text)), scratch);
      for (let session = 0, from = 0; session < view.count; session += 1) {
        if (session % SESSIONS_PER_PAUSE === 0) {
          await pause();
          await counts.reserve(Math.min(SESSIONS_PER_PAUSE, view.count - session), pause);
        }
        const to = nodes.ends[session]!;
        if (to > from) counts.add(nodes.labels, from, to);
        from = to;
      }
      const answer = await pathsAnswer(counts, { textOf: (label) => labels.textOf(label), limit: plan.limit, pause });
      return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answer };
    }),
};

const keysOfQuestions = new WeakMap<RowContext, RowKeys>();

/** The same for the part and in the end. */
function nodeKeys({ node }: PathsPlan, context: RowContext): RowKeys {
  let keys = keysOfQuestions.get(context);
  if (keys === undefined) keysOfQuestions.set(context, (keys = fieldKeys(node, context, (value) => [labelOf(value)])));
  return keys;
}

/** Labels by the keys of rows. */
class LabelsOfKeys {
  /** By key: 1 more than the label, or than `NO_LABEL`. */
  #ofKeys = new Float64Array(1024);

  constructor(
    readonly keys: RowKeys,
    readonly labels: LabelNumbers,
  ) {}

  /** `NO_LABEL` for an event without a value. */
  of(key: number): number {
    if (key >= this.#ofKeys.length) {
      const longer = new Float64Array(Math.max(key + 1, this.#ofKeys.length * 2));
      longer.set(this.#ofKeys);
      this.#ofKeys = longer;
    }
    const known = this.#ofKeys[key]!;
    if (known !== 0) return known - 1;
    const [group = 0] = this.keys.groupsOf(key);
    const [text = ""] = this.keys.valuesOfGroup(group);
    const label = this.labels.ofValue(text);
    this.#ofKeys[key] = label + 1;
    return label;
  }
}
