import type { Random } from "./random.js";

/** A kind of browser: its user agent, and what every reader of user agents says of it. */
export interface Kind {
  readonly text: string;
  readonly device: string;
  readonly os: string;
  readonly browser: string;
}

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const kind = (rest: string, device = "", os = "", browser = ""): Kind => ({ text: `Mozilla/5.0 (${rest}`, device, os, browser });
const KINDS: readonly Kind[] = [
  kind(`Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`, "desktop", "Windows", "Chrome"),
  kind("Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0", "desktop", "macOS", "Firefox"),
  kind(`Linux; Android 14; Pixel 8) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`, "mobile", "Android", "Chrome"),
  kind(`iPhone; CPU iPhone OS 17_6 like Mac OS X) ${WEBKIT} Version/17.6 Mobile/15E148 Safari/604.1`, "mobile", "iOS", "Safari"),
];
const BOTS: readonly Kind[] = [
  kind(`X11; Linux x86_64) ${WEBKIT} HeadlessChrome/131.0.0.0 Safari/537.36`),
  kind("compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
];

export interface Person {
  readonly number: number;
  readonly address: string;
  readonly kind: Kind;
  readonly isBot: boolean;
  /** Said yes to an id that the browser keeps. */
  readonly consent: boolean;
  /** The browser lets no page store anything. */
  readonly blocked: boolean;
  /** Sits behind the same address with the same browser as the person before. */
  readonly isTwin: boolean;
  /** Who they are when they log in; null: the key of their pages takes no ids. */
  readonly user: string | null;
}

/** Two by two they share an address. Half of these have the same browser, so that one visitor is seen where two people are. */
export function people(count: number, random: Random): Person[] {
  const all: Person[] = [];
  for (let number = 0; number < count; number++) {
    const before = number % 2 === 1 ? all[number - 1] : undefined;
    const isTwin = before !== undefined && !before.isBot && random.is(0.3);
    const isBot = !isTwin && random.is(0.06);
    const others = KINDS.filter((each) => each !== before?.kind);
    const consent = random.is(0.35);
    const takesIds = consent || random.is(0.3);
    all.push({
      number,
      address: `198.51.${100 + Math.floor(number / 400)}.${Math.floor(number / 2) % 200}`,
      kind: isTwin ? before.kind : isBot ? random.of(BOTS) : random.of(others),
      isBot,
      consent,
      blocked: random.is(0.2),
      isTwin,
      user: takesIds ? `user-${number}` : null,
    });
  }
  return all;
}

/** Where an address is, for this test. */
export const countryOf = (address: string): string => ["DE", "FR", "JP"][Number(address.split(".")[3]) % 3] ?? "";
