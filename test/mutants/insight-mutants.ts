import type { InsightName } from "../support/random/insight-questions.js";
import { of, type Mutant } from "./mutant.js";

/** An insight, or what is known of people and companies while it changes. */
export type Asked = InsightName | "traits";

/** A change to what an insight means, and the insight whose tests notice it. */
export interface InsightMutant extends Mutant {
  readonly report: Asked;
}

type Text = readonly [does: string, text: string, replacement?: string];

function ofInsight(report: Asked, file: string, ...texts: readonly Text[]): InsightMutant[] {
  return of(file, ...texts).map((mutant) => ({ ...mutant, report }));
}

const time: readonly InsightMutant[] = [
  ...ofInsight("lifecycle", "query/answer/insights/buckets.ts", ["on which day weeks begin", "return { zone, unit, weekStart };", "return { zone, unit, weekStart: 0 };"]),
  ...ofInsight("trend", "query/answer/insights/buckets.ts",
    ["whose days are meant", "const zone = zoneOf(timeZone);", 'const zone = zoneOf("UTC");'],
    ["that the range cuts units", "const isCut = cutFromMs > unitMs || cutToMs < endMs;", "const isCut = false;"]),
  ...ofInsight("retention", "query/answer/insights/buckets.ts", ["to widen a range at its end", "boundsAt(range.toMs - 1)[1] ?? 0", "range.toMs"]),
  ...ofInsight("sessionsOverview", "query/plan/date-range.ts", ["that dates are days of a zone", "zone === null ? { fromMs: dayMs", "zone !== undefined ? { fromMs: dayMs"]),
  ...ofInsight("trend", "core/calendar/axis.ts",
    ["that clocks jump into another hour", "if (firstFullMs > span.fromMs &&", "if (firstFullMs < span.fromMs &&"],
    ["days that a zone skipped", "if (nextMs > startMs) {", "if (nextMs >= startMs) {"]),
];

const trends: readonly InsightMutant[] = [
  ...ofInsight("trend", "query/answer/numbers/tally.ts",
    ["to interpolate between neighbours", "const place = (count - 1) * percent;", "const place = Math.max(0, Math.ceil((count * percent) / 100) - 1) * 100;"],
    ["to sum exactly", "return nearestDouble(units, scale);", "return tally.numbers.reduce((sum, number, at) => sum + number * tally.counts[at], 0);"],
    ["to divide exactly", "return nearestDouble(units, scale * BigInt(count));", "return nearestDouble(units, scale) / count;"]),
  ...ofInsight("trend", "query/answer/insights/trend-answers.ts",
    ["that the rest is a measure of its own", "rest: restFigures === null ? null : seriesOf([], restFigures)",
      "rest: restFigures === null ? null : seriesOf([], { ...restFigures, total: things.totalOf([...things.keys]) - figures.reduce((sum, { total }) => sum + total, 0) })"],
    ["the rest where buckets are left out", "restFigures === null ? figures : [...figures, restFigures]", "figures"],
    ["to compare what is shown now", "given === null ? await greatest", "given !== undefined ? await greatest"]),
  ...ofInsight("trend", "query/answer/insights/combinations.ts",
    ["that something stands under several values", "if (this.shared.has(key)) sharedRest.add(key);", "if (this.shared.has(key)) continue;"]),
  ...ofInsight("trend", "query/reports/trend/trend.ts", ["who was counted before", "if (isSeen[piece[at]!] === 1) continue;"]),
  ...ofInsight("trend", "query/reports/trend/tallies.ts",
    ["that an empty value is none", '.filter((text) => text !== "")'],
    ["who is who", "[identities.identityOf(actor)]", "[actor]"]),
  ...ofInsight("trend", "query/reports/trend/trend.ts", ["that an array has no number", ", (value) => [labelOf(value)]"]),
  ...ofInsight("trend", "query/reports/trend/cells-over-time.ts", ["that sums of units add up", "parts?.join?.(tally);"]),
  ...ofInsight("trend", "query/reports/trend/trend.ts", ["duplicates", "item > 0 && counted[item - 1] === 1", "item > 0"]),
  ...ofInsight("traits", "query/tables/people/known-traits.ts",
    ["that records tell something", "    for (const actor of told) changed.add(identities.identityOf(actor));\n"],
    ["that traits move with links", "    for (const actor of moved) changed.add(former.identityOf(actor)).add(identities.identityOf(actor));\n"]),
  ...ofInsight("trend", "query/tables/people/known-traits.ts",
    ["which record is the newest", "[...rows].sort((a, b) => table.compare(a, b))", "[...rows].sort((a, b) => table.compare(b, a))"]),
  ...ofInsight("traits", "query/filter/trait-key.ts",
    ["the greater of two values at once", "compareCodePoints(canonicalJson(value), canonicalJson(this.#set)) <= 0", "compareCodePoints(canonicalJson(value), canonicalJson(this.#set)) >= 0"],
    ["that null is a value", "if (own !== undefined &&", "if (own !== undefined && own !== null &&"],
    ["that what is set once takes nobody's place", "if (isSetJson(once) && !isSetJson(value.now))", "if (isSetJson(once))"]),
];

const funnels: readonly InsightMutant[] = [
  ...ofInsight("funnel", "query/answer/insights/chain-in-order.ts",
    ["later tries", "entry > entries[done + 1]!) entries[done + 1] = entry;", "entries[done + 1]! === -Infinity) entries[done + 1] = entry;"],
    ["the last millisecond of a window", "const isAlive = now - entry <= windowMs;", "const isAlive = now - entry < windowMs;"],
    ["the last millisecond of a window that several events share", "if (now - entry > windowMs) continue;", "if (now - entry >= windowMs) continue;"],
    ["that events at once have no order", "      const reach = moment.reachOf(done);\n      reached", "      const reach = Math.min(moment.reachOf(done), done + 1);\n      reached"],
    ["that events between steps end a strict try", "const mustMove = this.#isStrict || done === 0;", "const mustMove = done === 0;"],
    ["the earliest of the deepest chains", "if (now < toMs && endMs - now <= windowMs) first = start;", "if (first < 0 && now < toMs && endMs - now <= windowMs) first = start;"]),
  ...ofInsight("funnel", "query/answer/insights/chain-in-order.ts",
    ["that exclusions at the time of a step end nothing", "if (afterStep <= done) least", "if (afterStep <= done + 1) least"],
    ["between which steps an exclusion stands", "Math.min(beforeStep, depth)", "depth"],
    ["that another event at once may take a step", "if (holder >= 0 && !this.#path(holder)) continue;", "if (holder >= 0) continue;"]),
  ...ofInsight("funnel", "query/answer/insights/chain-tries.ts", ["that another event may take a step", "if (!this.#path(this.#steps[step]!)) continue;", "continue;"]),
  ...ofInsight("funnel", "query/answer/insights/chain-tries.ts",
    ["that an exclusion removes nobody", "const depth = this.#finder.find(matches, from, to, entries);",
      "const depth = matches.masks.subarray(from, to).some((mask) => mask >= 2 ** 20) ? 0 : this.#finder.find(matches, from, to, entries);"],
    ["who may still go on at the edge of a window", "ms[at]! >= nowMs - windowMs", "ms[at]! > nowMs - windowMs"],
    ["the last event of a chain", 'breakdown.at === "entry" ? 0 : depth - 1', "0"],
    ["that a bucket is a funnel of its own", "isOfEntity ? entries : { fromMs, toMs }", "entries"]),
  ...ofInsight("funnel", "query/answer/insights/chain-in-order.ts",
    ["that a chain found ahead lies in its window", "if (ms[chain[depth - 1]!]! - ms[entry]! <= windowMs) return true;", "return true;"],
    ["that an event found ahead is one step", "let at = Math.max(chain[step]!, chain[step - 1]! + 1);", "let at = Math.max(chain[step]!, chain[step - 1]!);"]),
  ...ofInsight("funnel", "query/reports/funnel/joined-lists.ts",
    ["when the days of joined lists begin", "list.times[at]! + laterMs", "list.times[at]!"],
    ["for whom an id stands", "whose.push(entity);", "whose.push(subjects[place]!);"],
    ["that users are merged", 'if (moves !== "all" && (subjects[place]! & 1) === 0) continue;', "if ((subjects[place]! & 1) === 0) continue;"]),
  ...ofInsight("funnel", "query/reports/funnel/entity-matches.ts",
    ["that times of one entity may not ascend", "if (isUnsure) this.#isUnsure[rank] = 1;"],
    ["that other entities come next", "    this.#slots.fill(0, 0, to - this.#from);\n"],
    ["that the end of a whole chain counts", "if (ownMs > endMs) {", "if (ownMs >= endMs) {"]),
  ...ofInsight("funnel", "query/reports/funnel/chain-pruner.ts",
    ["that a whole chain lies in its window", "if (startMs + ms - this.#entryMs[entity]! > this.#windowMs) state |= DONE;\n      else if", "if"],
    ["that those at the first step may go on", "state |= ms >= lateMs ? ENTERED | LATE : ENTERED;", "state |= ENTERED;"],
    ["that somebody asks for values of the first step", "const isAsked = this.#countsFirstOnly ? 0 : 1;", "const isAsked = 0;"]),
  ...ofInsight("funnel", "query/reports/funnel/funnel-entities.ts", ["that later steps lie after the range", "toMs: range.toMs + windowMs", "toMs: range.toMs"]),
  ...ofInsight("funnel", "query/reports/funnel/funnel.ts", ["the order of ids", "compareKeys(keys[a]!, keys[b]!)", "compareKeys(keys[b]!, keys[a]!)"]),
  ...ofInsight("funnel", "query/answer/numbers/percentiles.ts",
    ["to interpolate between durations", "secondsOf(values[at * 2]! * (100 - rest) + values[at * 2 + 1]! * rest, 100)", "secondsOf(values[at * 2 + 1]!, 1)"]),
];

const returns: readonly InsightMutant[] = [
  ...ofInsight("retention", "query/reports/returns/plain-retention.ts",
    ["that every later return counts", 'if (times.plan.returned === "on") {\n      await this.#eachUnit', "if (true) {\n      await this.#eachUnit"],
    ["the same where cohorts recur", 'if (times.plan.returned === "on") {\n      for (let late', "if (true) {\n      for (let late"]),
  ...ofInsight("retention", "query/answer/insights/retention-periods.ts",
    ["periods that are not over", "Math.min(Math.max(this.overCount - period, 0), this.cohortCount)", "this.cohortCount"],
    ["periods that have not begun", "period === 0 || this.bounds[cohort + period]! <= this.nowMs", "true"],
    ["that everybody is in period 0", "period === 0 ? size : returned", "returned"]),
  ...ofInsight("retention", "query/reports/returns/members.ts", ["the unit that a member is of", "memberOf[made.entities[place]!] = 0;", ";"]),
  ...ofInsight("retention", "query/reports/insights/counted-entities.ts", ["that identities are those of the moment", "entityOf: (subject) => identities.identityOf(subject),", "entityOf: (subject) => (dictionaries.former ??= identities).identityOf(subject),"]),
  ...ofInsight("retention", "query/reports/insights/counted-entities.ts", ["the companies of accounts", "company === 0 ? identity : firstCompany + company", "identity"]),
  ...ofInsight("lifecycle", "query/reports/returns/lifecycle.ts",
    ["who came before the range", "      states.addEarlier(entities.of(parts));\n"],
    ["the unit before the first", "if (beforeMs !== null) await next(beforeMs);"]),
  ...ofInsight("lifecycle", "query/reports/returns/lifecycle.ts", ["who came back after a pause", "own & before[place]!", "own & seen[place]!"],
    ["which unit was the one before", "before[this.#placesBefore[at]!] = 0;", ";"]),
  ...ofInsight("stickiness", "query/reports/returns/stickiness.ts", ["that a unit crosses the edge of a bucket", 'unit === "week" && interval !== "total" ? [cut, cutOf(calendar, interval)] : [cut]', "[cut]"]),
  ...ofInsight("retention", "query/reports/returns/entities-of-units.ts", ["who was counted in a unit", "    this.#stamp += 1;\n    for", "    for"]),
  ...ofInsight("stickiness", "query/reports/returns/bits-of-units.ts",
    ["who is who", 'if (this.subjects.moves !== "none") this.#fold'],
    ["that users are merged", "if (place < this.#oddPlace && !doEvenMove) continue;", "if (place < this.#oddPlace) continue;"]),
  ...ofInsight("stickiness", "engine/query/gathering.ts", ["whose events are meant", "return whose === null ? state", "return whose !== undefined ? state"]),
  ...ofInsight("stickiness", "query/reports/returns/stickiness.ts", ["to carry", "carry &= before;", "carry = 0;"]),
  ...ofInsight("retention", "query/reports/returns/plain-retention.ts", ["who was seen before", "words[at]! & ~seen[place]!", "words[at]!"]),
  ...ofInsight("stickiness", "query/answer/insights/retention-periods.ts", ["those of more units", "atLeast: entities }", "atLeast: own }"]),
];

const visits: readonly InsightMutant[] = [
  ...ofInsight("sessionsOverview", "query/reports/visits/visits.ts",
    ["that sessions go on behind the range", "const toMs = Math.min(range.toMs + plan.session.maxMs, LIMITS.instantMaxMs);", "const toMs = range.toMs;"],
    ["that a session needs a matching event", "(marks === null || (marks", "(marks !== undefined || (marks"]),
  ...ofInsight("paths", "query/reports/visits/paths.ts",
    ["that paths go on behind the range", "toMs: Math.min(toMs + plan.session.maxMs, LIMITS.instantMaxMs)", "toMs"],
    ["that sessions start in the range", "if (session < 0 || starts[session]! < fromMs || starts[session]! >= toMs) continue;", "if (session < 0) continue;"]),
  ...ofInsight("sessionsOverview", "query/tables/sessions/sessionizer.ts",
    ["that a pause may be as long as the gap", "offset - lengths[session]! <= gapMs", "offset - lengths[session]! < gapMs"],
    ["that a session is cut where it is too long", " && offset <= maxMs"],
    ["that a visit is of one project", "if (latestProject === project)", "if (latestProject !== -1)"],
    ["the one that goes on in another project", "this.#elsewhere.set(identity * PROJECT_SPAN + latestProject, latestSession);"]),
  ...ofInsight("sessionsOverview", "query/tables/sessions/ties.ts",
    ["that ids decide which event is the first", "if (starts[session] === ms && !this.#cameInOrder(moment, places)) ties.push({ session, isExit: false, moment, places });"],
    ["that the greatest id is the last one", "const sign = isExit ? 1 : -1;", "const sign = -1;"]),
  ...ofInsight("sessionsOverview", "query/tables/sessions/part.ts",
    ["that payments of servers are no visits", "if (leftOut !== null && leftOut[row] === 1) return 0;"]),
  ...ofInsight("sessionsOverview", "query/tables/sessions/resessionize.ts",
    ["whose sessions an identity takes over", "for (const identity of reached) for (const actor of identities.actorsOf(identity)) this.#formers.add(former.identityOf(actor));"]),
  ...ofInsight("sessionsOverview", "query/tables/sessions/session-view.ts",
    ["that rows came to other sessions", "return now >= 0 ? now : this.view.nowOf(this.part.otherSessionOf(own));", "return now;"]),
  ...ofInsight("paths", "query/tables/sessions/sessionizer.ts", ["as which session one goes on", "former.continuations.add(session, next);"]),
  ...ofInsight("sessionsOverview", "query/answer/numbers/percentiles.ts",
    ["to interpolate between lengths", "secondsOf(values[at * 2]! * (100 - rest) + values[at * 2 + 1]! * rest, 100)", "secondsOf(values[at * 2 + 1]!, 1)"]),
  ...ofInsight("paths", "query/answer/paths/path-counts.ts", ["that equal steps are one node", "this.#places.numberOf(tree.stepOf(node), tree.labelOf(node))", "this.#places.numberOf(tree.stepOf(node), node)"]),
  ...ofInsight("paths", "query/answer/paths/path-counts.ts", ["that sequences are cut", "if (!isCut) this.#wholeEnds.numbers[node]! += 1;", "this.#wholeEnds.numbers[node]! += 1;"]),
  ...ofInsight("paths", "query/filter/label-numbers.ts", ["that an event without a value is no node", 'text === "" ? NO_LABEL', 'text === "none" ? NO_LABEL']),
  ...ofInsight("webOverview", "query/reports/visits/web-overview.ts",
    ["that everybody is online", "const online = { ...plan, eventName: null, where: [],", "const online = { ...plan,"],
    ["that views are page views", "cellsByUnit(viewsOf({ ...plan, range }, plan.pageviewSlugs), by, none, NO_ITEMS)", "cellsByUnit({ ...plan, range }, by, none, NO_ITEMS)"]),
  ...ofInsight("webOverview", "query/reports/visits/web-overview.ts", ["that two ids are one visitor", "const identity = people.entityOf(actor);", "const identity = actor;"]),
];

const segments: readonly InsightMutant[] = [
  ...ofInsight("trend", "engine/query/segment-members.ts",
    ["that a segment has its own dates", "this.#settle(condition, operand.nowMs)",
      'this.#settle(condition.type === "did" ? { ...condition, window: { kind: "range", range: scopes[0].range } } : condition, operand.nowMs)'],
    ["to add up what all ids of a person did", "(actor) => identities.identityOf(actor),", "(actor) => actor,"],
    ["that a bound from above is meant", "&& count <= atMost"],
    ["that now is within the last days", "toMs: nowMs + 1 }", "toMs: nowMs }"],
    ["what came before the first event in a window", "notIn: rest.fromMs < rest.toMs ? ofProject(rest) : null", "notIn: null"],
    ["that groups are one or another", "unite(any, all);", "intersect(any, all);"]),
];

/** Each is noticed by `test/report/insights/NAME.test.ts` of its insight. */
export const insightMutants: readonly InsightMutant[] = [...time, ...trends, ...funnels, ...returns, ...visits, ...segments];
