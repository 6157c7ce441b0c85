import type { InsightName } from "../support/random/insight-queries.js";
import { of, type Mutant } from "./mutant.js";

/** An insight, or what is known of people and companies while it changes. */
export type Asked = InsightName | "traits";

/** A change to what an insight means, and the insight whose tests notice it. */
export interface InsightMutant extends Mutant {
  readonly report: Asked;
}

type Text = readonly [does: string, text: string, replacement?: string];

function ofInsight(report: Asked, symbol: string, ...texts: readonly Text[]): InsightMutant[] {
  return of(symbol, ...texts).map((mutant) => ({ ...mutant, report }));
}

const time: readonly InsightMutant[] = [
  ...ofInsight("lifecycle", "cutOf", ["on which day weeks begin", "return { zone, unit, weekStart };", "return { zone, unit, weekStart: 0 };"]),
  ...ofInsight("trend", "cutOf", ["whose days are meant", "const zone = zoneOf(timeZone);", 'const zone = zoneOf("UTC");']),
  ...ofInsight("trend", "slotsOf", ["that the range cuts units", "const isCut = cutFromMs > unitMs || cutToMs < endMs;", "const isCut = false;"]),
  ...ofInsight("retention", "widened", ["to widen a range at its end", "boundsAt(range.toMs - 1)[1] ?? 0", "range.toMs"]),
  ...ofInsight("sessionsOverview", "spanOf",
    ["that dates are days of a zone", "zone === null ? { fromMs: dayMs", "zone !== undefined ? { fromMs: dayMs"]),
  ...ofInsight("trend", "clockAxis", ["that clocks jump into another hour", "if (firstFullMs > span.fromMs &&", "if (firstFullMs < span.fromMs &&"]),
  ...ofInsight("trend", "dateAxis", ["days that a zone skipped", "if (nextMs > startMs) {", "if (nextMs >= startMs) {"]),
];

const trends: readonly InsightMutant[] = [
  ...ofInsight("trend", "percentileOf",
    ["to interpolate between neighbours", "const place = (count - 1) * percent;", "const place = Math.max(0, Math.ceil((count * percent) / 100) - 1) * 100;"]),
  ...ofInsight("trend", "sumOf",
    ["to sum exactly", "return nearestDouble(units, scale);", "return tally.numbers.reduce((sum, number, at) => sum + number * tally.counts[at], 0);"]),
  ...ofInsight("trend", "meanOf",
    ["to divide exactly", "return nearestDouble(units, scale * BigInt(count));", "return nearestDouble(units, scale) / count;"]),
  ...ofInsight("trend", "trendFiguresOf",
    ["that the rest is a measure of its own", "rest: restFigures === null ? null : seriesOf([], restFigures)",
      "rest: restFigures === null ? null : seriesOf([], { ...restFigures, total: things.totalOf([...things.keys]) - figures.reduce((sum, { total }) => sum + total, 0) })"],
    ["the rest where buckets are left out", "restFigures === null ? figures : [...figures, restFigures]", "figures"],
    ["to compare what is shown now", "given === null ? await greatest", "given !== undefined ? await greatest"]),
  ...ofInsight("trend", "Combinations.restOf",
    ["that something stands under several values", "if (this.shared.has(key)) sharedRest.add(key);", "if (this.shared.has(key)) continue;"]),
  ...ofInsight("trend", "UsersOverTime.#runningTotals", ["who was counted before", "const added = words[at]! & ~seen[places[at]!]!;", "const added = words[at]!;"]),
  ...ofInsight("trend", "valueTallies", ["that an empty value is none", '.filter((text) => text !== "")']),
  ...ofInsight("trend", "userTallies", ["who is who", "[identities.identityOf(actor)]", "[actor]"]),
  ...ofInsight("trend", "itemsOf", ["that an array has no number", ", (value) => [labelOf(value)]"]),
  ...ofInsight("trend", "CellsOverTime.figuresOf", ["that sums of units add up", "parts?.join?.(tally);"]),
  ...ofInsight("trend", "PaymentsOverTime.constructor", ["that duplicates do not count", "counted[place] === 0 || "]),
  ...ofInsight("trend", "paymentsOfMoment", ["duplicates", "item > 0 && counted[item - 1] === 1", "item > 0"]),
  ...ofInsight("traits", "People.changedSince",
    ["that records tell something", "    for (const actor of identified) changed.add(identities.identityOf(actor));\n"],
    ["that traits move with links", "    for (const actor of moved) changed.add(former.identityOf(actor)).add(identities.identityOf(actor));\n"]),
  ...ofInsight("trend", "KnownTraits.#readTrait",
    ["which record is the newest", "[...rows].sort((a, b) => table.compare(a, b))", "[...rows].sort((a, b) => table.compare(b, a))"]),
  ...ofInsight("traits", "TraitValue.set",
    ["the greater of two values at once", "compareCodePoints(canonicalJson(value), canonicalJson(this.#set)) <= 0", "compareCodePoints(canonicalJson(value), canonicalJson(this.#set)) >= 0"]),
  ...ofInsight("traits", "TraitKey.newest",
    ["that null is a value", "if (own !== undefined &&", "if (own !== undefined && own !== null &&"],
    ["that what is set once takes nobody's place", "if (isSetJson(once) && !isSetJson(value.now))", "if (isSetJson(once))"]),
];

const funnels: readonly InsightMutant[] = [
  ...ofInsight("funnel", "ChainsInOrder.#addOne",
    ["later tries", "entry > entries[done + 1]!) entries[done + 1] = entry;", "entries[done + 1]! === -Infinity) entries[done + 1] = entry;"],
    ["the last millisecond of a window", "const isAlive = now - entry <= windowMs;", "const isAlive = now - entry < windowMs;"]),
  ...ofInsight("funnel", "ChainsInOrder.#addMoment",
    ["the last millisecond of a window that several events share", "if (now - entry > windowMs) continue;", "if (now - entry >= windowMs) continue;"],
    ["that events at once have no order", "      const reach = moment.reachOf(done);\n      reached", "      const reach = Math.min(moment.reachOf(done), done + 1);\n      reached"]),
  ...ofInsight("funnel", "ChainsInOrder.#minStepsAfter",
    ["that events between steps end a strict try", "const mustMove = this.#isStrict || done === 0;", "const mustMove = done === 0;"]),
  ...ofInsight("funnel", "ChainsInOrder.#firstEntry",
    ["the earliest of the deepest chains", "if (now < toMs && endMs - now <= windowMs) first = start;", "if (first < 0 && now < toMs && endMs - now <= windowMs) first = start;"]),
  ...ofInsight("funnel", "ChainMoment.leastOf",
    ["that exclusions at the time of a step end nothing", "if (afterStep <= done) least", "if (afterStep <= done + 1) least"],
    ["between which steps an exclusion stands", "Math.min(beforeStep, depth)", "depth"]),
  ...ofInsight("funnel", "ChainMoment.#path",
    ["that another event at once may take a step", "if (holder >= 0 && !this.#path(holder)) continue;", "if (holder >= 0) continue;"]),
  ...ofInsight("funnel", "StepAssignment.#path", ["that another event may take a step", "if (!this.#path(this.#steps[step]!)) continue;", "continue;"]),
  ...ofInsight("funnel", "ChainEvaluator.add",
    ["that an exclusion removes nobody", "const depth = this.#finder.find(matches, from, to, entries);",
      "const depth = matches.masks.subarray(from, to).some((mask) => mask >= 2 ** 20) ? 0 : this.#finder.find(matches, from, to, entries);"]),
  ...ofInsight("funnel", "ChainEvaluator.#isPending",
    ["who may still go on at the edge of a window", "ms[at]! >= nowMs - windowMs", "ms[at]! > nowMs - windowMs"]),
  ...ofInsight("funnel", "ChainEvaluator.add", ["the last event of a chain", 'breakdown.at === "entry" ? 0 : depth - 1', "0"]),
  ...ofInsight("funnel", "ChainEvaluator.#addWithinSlot", ["that a bucket is a funnel of its own", "isOfEntity ? entries : { fromMs, toMs }", "entries"]),
  ...ofInsight("funnel", "ChainsInOrder.#isFoundAhead",
    ["that a chain found ahead lies in its window", "if (ms[chain[depth - 1]!]! - ms[entry]! <= windowMs) return true;", "return true;"],
    ["that an event found ahead is one step", "let at = Math.max(chain[step]!, chain[step - 1]! + 1);", "let at = Math.max(chain[step]!, chain[step - 1]!);"]),
  ...ofInsight("funnel", "copyRun", ["when the days of joined lists begin", "list.times[at]! + laterMs", "list.times[at]!"]),
  ...ofInsight("funnel", "movedList",
    ["which entity a key stands for", "owners.push(entity);", "owners.push(entityKeys[place]!);"],
    ["that users are merged", 'if (moved !== "all" && (entityKeys[place]! & 1) === 0) continue;', "if ((entityKeys[place]! & 1) === 0) continue;"]),
  ...ofInsight("funnel", "EntityMatches.#put", ["that times of one entity may not ascend", "if (needsSort) this.#needsSort[rank] = 1;"]),
  ...ofInsight("funnel", "EntityMatches.next", ["that other entities come next", "    this.#slots.fill(0, 0, to - this.#from);\n"]),
  ...ofInsight("funnel", "EntityMatches.#count",
    ["that those at the first step may go on", "state |= times[at]! >= ownLateMs ? CAN_START | MAY_CONTINUE : CAN_START;", "state |= CAN_START;"]),
  ...ofInsight("funnel", "EntityMatches.#find",
    ["that a breakdown needs values of the first step", "const isFirstRead = this.#pruning?.countsFirstOnly === true ? 0 : 1;", "const isFirstRead = 0;"]),
  ...ofInsight("funnel", "funnelEntitiesOf", ["that later steps lie after the range", "toMs: range.toMs + windowMs", "toMs: range.toMs"]),
  ...ofInsight("funnel", "inOrder", ["the order of ids", "compareKeys(keys[a]!, keys[b]!)", "compareKeys(keys[b]!, keys[a]!)"]),
  ...ofInsight("funnel", "percentilesAtRanks",
    ["to interpolate between durations", "secondsOf(values[at * 2]! * (100 - rest) + values[at * 2 + 1]! * rest, 100)", "secondsOf(values[at * 2 + 1]!, 1)"]),
];

const returns: readonly InsightMutant[] = [
  ...ofInsight("retention", "PlainRetention.#firstTime",
    ["that every later return counts", 'if (times.plan.returned === "on") {\n      await this.#eachUnit', "if (true) {\n      await this.#eachUnit"]),
  ...ofInsight("retention", "PlainRetention.#recurring",
    ["the same where cohorts recur", 'if (times.plan.returned === "on") {\n      for (let late', "if (true) {\n      for (let late"]),
  ...ofInsight("retention", "PeriodAxis.overCohorts",
    ["periods that are not over", "Math.min(Math.max(this.overCount - period, 0), this.cohortCount)", "this.cohortCount"]),
  ...ofInsight("retention", "PeriodAxis.cohortsOf",
    ["periods that have not begun", "period === 0 || this.bounds[cohort + period]! <= this.nowMs", "true"],
    ["that everybody is in period 0", "period === 0 ? size : returned", "returned"]),
  ...ofInsight("retention", "membersOf", ["the unit that a member is of", "memberOf[made.entities[place]!] = 0;", ";"]),
  ...ofInsight("retention", "people",
    ["that identities are those of the moment", "entityOf: (entityKey) => identities.identityOf(entityKey),", "entityOf: (entityKey) => (dictionaries.former ??= identities).identityOf(entityKey),"]),
  ...ofInsight("retention", "accounts", ["the companies of accounts", "company === 0 ? reader.identityOf(row) : firstCompany + company", "reader.identityOf(row)"]),
  ...ofInsight("lifecycle", "lifecycle",
    ["who came before the range", "      states.addEarlier(entities.of(parts));\n"],
    ["the unit before the first", "if (beforeMs !== null) await next(beforeMs);"]),
  ...ofInsight("lifecycle", "LifecycleStates.next",
    ["who came back after a pause", "own & before[place]!", "own & seen[place]!"],
    ["which unit was the one before", "before[this.#placesBefore[at]!] = 0;", ";"]),
  ...ofInsight("stickiness", "cutsOf",
    ["that a unit crosses the edge of a bucket", 'unit === "week" && interval !== "total" ? [cut, cutOf(calendar, interval)] : [cut]', "[cut]"]),
  ...ofInsight("retention", "BitsOfUnits.#taken", ["who was counted in a unit", "      this.#words[place] = 0;\n"]),
  ...ofInsight("stickiness", "BitsOfUnits.#stepsOf", ["who is who", 'this.counted.moved === "none" ? 0 : this.#setCount', "0"]),
  ...ofInsight("stickiness", "BitsOfUnits.#mapToEntities",
    ["that users are merged", "if (place < this.#oddPlace && !doEvenMove) continue;", "if (place < this.#oddPlace) continue;"]),
  ...ofInsight("stickiness", "Scan.stateOf", ["whose events are meant", "return actorFilter === null ? state", "return actorFilter !== undefined ? state"]),
  ...ofInsight("stickiness", "UnitCounts.#carry", ["to carry", "carry &= before;", "carry = 0;"]),
  ...ofInsight("retention", "FirstTimeCohorts.add", ["who was seen before", "words[at]! & ~seen[place]!", "words[at]!"]),
  ...ofInsight("stickiness", "stickinessOf", ["those of more units", "atLeast: entities }", "atLeast: own }"]),
];

const visits: readonly InsightMutant[] = [
  ...ofInsight("sessionsOverview", "marksOf",
    ["that sessions go on behind the range", "const toMs = Math.min(range.toMs + plan.session.maxMs, LIMITS.instantMaxMs);", "const toMs = range.toMs;"]),
  ...ofInsight("sessionsOverview", "testOf", ["that a session needs a matching event", "(marks === null || (marks", "(marks !== undefined || (marks"]),
  ...ofInsight("paths", "pathEvents",
    ["that paths go on behind the range", "toMs: Math.min(toMs + plan.session.maxMs, LIMITS.instantMaxMs)", "toMs"],
    ["that sessions start in the range", "if (session < 0 || starts[session]! < fromMs || starts[session]! >= toMs) continue;", "if (session < 0) continue;"]),
  ...ofInsight("sessionsOverview", "Sessionizer.#goesOn",
    ["that a pause may be as long as the gap", "offset - lengths[session]! <= gapMs", "offset - lengths[session]! < gapMs"],
    ["that a session is cut where it is too long", " && offset <= maxMs"]),
  ...ofInsight("sessionsOverview", "Sessionizer.#sessionGoingOn",
    ["that a visit is of one project", "if (latestProject === project)", "if (latestProject !== -1)"],
    ["the one that goes on in another project", "this.#elsewhere.set(identity * PROJECT_SPAN + latestProject, latestSession);"]),
  ...ofInsight("sessionsOverview", "Ties.#tiesOf",
    ["that ids decide which event is the first", "if (starts[session] === ms && !this.#cameInOrder(moment, places)) ties.push({ session, isExit: false, moment, places });"]),
  ...ofInsight("sessionsOverview", "Ties.#settle", ["that the greatest id is the last one", "const sign = isExit ? 1 : -1;", "const sign = -1;"]),
  ...ofInsight("sessionsOverview", "actorAt", ["that payments of servers are no visits", "if (leftOut !== null && leftOut[row] === 1) return 0;"]),
  ...ofInsight("sessionsOverview", "AffectedSessions.move",
    ["whose sessions an identity takes over", "for (const identity of reached) for (const actor of identities.actorsOf(identity)) this.#formers.add(former.identityOf(actor));"]),
  ...ofInsight("sessionsOverview", "RowSessions.of",
    ["that rows came to other sessions", "return now >= 0 ? now : this.view.nowOf(this.part.otherSessionOf(own));", "return now;"]),
  ...ofInsight("paths", "Sessionizer.#continued", ["as which session one goes on", "continued.continuations.add(session, next);"]),
  ...ofInsight("sessionsOverview", "percentilesAtRanks",
    ["to interpolate between lengths", "secondsOf(values[at * 2]! * (100 - rest) + values[at * 2 + 1]! * rest, 100)", "secondsOf(values[at * 2 + 1]!, 1)"]),
  ...ofInsight("paths", "StepCounts.#add",
    ["that equal steps are one node", "this.places.numberOf(tree.stepOf(node), tree.labelOf(node))", "this.places.numberOf(tree.stepOf(node), node)"]),
  ...ofInsight("paths", "PathCounts.add",
    ["that sequences are cut", "if (!isCut) this.wholeEnds.numbers[node]! += 1;", "this.wholeEnds.numbers[node]! += 1;"]),
  ...ofInsight("paths", "LabelNumbers.ofValue", ["that an event without a value is no node", 'text === "" ? NO_LABEL', 'text === "none" ? NO_LABEL']),
  ...ofInsight("webOverview", "passesOf",
    ["that everybody is online", "const online = { ...plan, eventName: null, where: [],", "const online = { ...plan,"],
    ["that views are page views", "cellsByUnit(viewsOf({ ...plan, range }, plan.pageviewSlugs), by, none, NO_ITEMS)", "cellsByUnit({ ...plan, range }, by, none, NO_ITEMS)"]),
  ...ofInsight("webOverview", "VisitorCounter.#countIn",
    ["that two ids are one visitor", "const identity = people.entityOf(actor);", "const identity = actor;"]),
];

const segments: readonly InsightMutant[] = [
  ...ofInsight("trend", "PeopleSegments.constructor",
    ["that a segment has its own dates", "this.#settle(condition, operand.nowMs)",
      'this.#settle(condition.type === "did" ? { ...condition, window: { kind: "range", range: scopes[0].range } } : condition, operand.nowMs)']),
  ...ofInsight("trend", "ConditionHolders.#holdsForCounts",
    ["to add up what all ids of a person did", "(actor) => identities.identityOf(actor),", "(actor) => actor,"],
    ["that a bound from above is meant", "&& count <= atMost"]),
  ...ofInsight("trend", "PeopleSegments.#settle", ["that now is within the last days", "rangeOf(condition.window, nowMs)",
      '(({ fromMs, toMs }) => ({ fromMs, toMs: condition.window.kind === "range" ? toMs : toMs - 1 }))(rangeOf(condition.window, nowMs))']),
  ...ofInsight("trend", "PeopleSegments.#settle",
    ["what came before the first event in a window", "notIn: rest.fromMs < rest.toMs ? ofProject(rest) : null", "notIn: null"]),
  ...ofInsight("trend", "anyOf", ["that groups are one or another", "unite(any, all);", "intersect(any, all);"]),
];

/** Each is noticed by `test/query/reports/insights/NAME.test.ts` of its insight. */
export const insightMutants: readonly InsightMutant[] = [...time, ...trends, ...funnels, ...returns, ...visits, ...segments];
