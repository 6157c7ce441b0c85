import type { Browser } from "playwright-core";
import { memoryStorage, openDaybook } from "daybook";
import { seededRandom } from "daybook/testing";
import { arrive } from "../../support/random/arrive.js";
import { insightHistory } from "../../support/random/insight-history.js";
import { timesOf } from "../../support/random/insight-scope.js";
import { keyOf, statsQuery } from "../../../src/page/api/queries.js";
import { addressOf, VIEW_NAMES, type ViewState } from "../../../src/page/state/view-state.js";
import { daybookOptions } from "../../oracle/person-case.js";
import { answerTo, openPage } from "../opened-page.js";
import { OWNER, servePage, type ServedPage } from "../serve-page.js";
import { owedDigits, owedNumbers } from "./answers-owe.js";
import { groundedPicture } from "./grounded-picture.js";
import { exactFault, shortFault, type Owed } from "./owed.js";
import { owedPlot } from "./plots-owe.js";
import { PLACES_READ, shownPanels, type ShownPanel } from "./shown.js";

type Answer = Awaited<ReturnType<typeof answerTo>>;

/**
 * Shows pictures of every view over the history of a seed, and looks at all of their numbers. Returns how many.
 * @throws an error with what is wrong
 */
export async function checkNumbers(browser: Browser, directory: string, seed: number, picturesPerView: number): Promise<number> {
  const random = seededRandom(seed);
  const { history, options } = insightHistory(random);
  const daybook = await openDaybook({ storage: memoryStorage(), ...daybookOptions(options) });
  await arrive(daybook, history);
  const [served, { page, settled, turnTo }] = await Promise.all([servePage(directory, daybook), openPage(browser)]);
  let looked = 0;
  const found: string[] = [];
  let stats: Promise<Answer> | null = null;
  page.on("response", (response) => {
    if (response.url().endsWith(statsQuery.path)) stats = response.json().then((answer: unknown) => ({ status: response.status(), answer }));
  });
  try {
    await page.clock.setFixedTime(options.nowMs);
    const projects = [...(await daybook.projects())];
    const timesMs = timesOf(history);
    await page.goto(`${served.url}#token=${OWNER.token}`);
    await settled();
    for (let at = 0; at < VIEW_NAMES.length * picturesPerView; at += 1) {
      const view = VIEW_NAMES[at % VIEW_NAMES.length] ?? "overview";
      const picture = groundedPicture(random, view, { projects, timesMs: timesMs.length === 0 ? [options.nowMs] : timesMs });
      await turnTo(addressOf(picture));
      const panels = await shownPanels(page);
      const answers = await answersTo(served, panels.flatMap(({ query, also }) => [query, also]));
      // What a store tells of itself goes on while it is asked.
      if (stats !== null) answers.set(keyOf(statsQuery), await stats);
      for (const panel of panels) {
        const faults = faultsOf(panel, picture, answers);
        if (faults.length > 0) found.push([`DAYBOOK_SEED=${seed}: ${addressOf(picture)}`, `${panel.title}: ${panel.query}`, ...faults].join("\n"));
        looked += panel.numbers.length + panel.plot.length;
      }
    }
  } finally {
    await page.context().close();
    await served.close();
    await daybook.close();
  }
  if (found.length > 0) throw new Error(found.join("\n\n"));
  return looked;
}

async function answersTo(served: ServedPage, queries: readonly string[]): Promise<Map<string, Answer>> {
  const asked = [...new Set(queries)].filter((query) => query !== "");
  return new Map(await Promise.all(asked.map(async (query) => [query, await answerTo(served, OWNER.token, query)] as const)));
}

function faultsOf(panel: ShownPanel, picture: ViewState, answers: ReadonlyMap<string, Answer>): string[] {
  if (panel.query === "") return panel.numbers.map(({ exact }) => `${exact} is of no question`);
  const { status, answer } = answers.get(panel.query) ?? { status: 0, answer: null };
  if (status !== 200) return panel.error === codeOf(answer) ? [] : [`expected the error ${codeOf(answer)}, got “${panel.error}”`];
  const also = answers.get(panel.also)?.answer ?? null;
  const plot = owedPlot(panel.title, answer, also, picture).slice(0, PLACES_READ);
  const drawn = panel.plot.slice(0, plot.length).map(([, ...reading]) => reading.map((exact) => ({ of: "", short: "", exact })));
  return [
    ...(panel.error === "" ? [] : [`the error ${panel.error} is shown`]),
    ...(panel.loose === owedDigits(answer, picture) ? [] : [`${panel.loose} is told, and is no number of the answer`]),
    ...faultsBetween(panel.numbers, owedNumbers(panel.title, answer, picture)),
    ...(drawn.length === plot.length ? [] : [`the plot has ${drawn.length} places, its answer ${plot.length}`]),
    ...drawn.flatMap((reading, at) => faultsBetween(reading, plot[at] ?? [], false).map((fault) => `place ${at} of the plot: ${fault}`)),
  ];
}

function faultsBetween(shown: ShownPanel["numbers"], owed: readonly Owed[], isShort = true): string[] {
  const faults = owed.flatMap((each, at) => {
    const number = shown[at];
    if (number === undefined) return [`${each.of}: nothing is shown for ${JSON.stringify(each)}`];
    const isOther = isShort && each.as !== "told" && each.of !== "" && number.of !== each.of;
    const fault = isOther ? `stands under ${number.of}` : (exactFault(each, number.exact) ?? (isShort ? shortFault(each, number.short) : null));
    return fault === null ? [] : [`${each.of} “${number.short}” (${number.exact}): ${fault}`];
  });
  return [...faults, ...shown.slice(owed.length).map(({ of, exact }) => `${of} ${exact}: no answer has it`)];
}

function codeOf(answer: unknown): string {
  const { code, error } = Object(answer) as { readonly code?: string; readonly error?: { readonly code?: string } };
  return code ?? error?.code ?? "";
}
