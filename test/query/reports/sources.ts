import { expect } from "vitest";
import type { EventInput, RevenueByAttribution, RevenueByAttributionInput, Trend, TrendInput, WebOverview, WebOverviewInput } from "daybook";

/** The own host of visits whose row names none. */
const OWN = "shop.example";
/** Of a visit that nobody brought. */
const NONE = "";

type Row = readonly [referrer: string, source: string, medium: string, hostname: string];

const search = (referrer: string, source: string): Row => [referrer, source, "organic", OWN];
const social = (referrer: string, source: string): Row => [referrer, source, "social", OWN];
const other = (referrer: string, source: string, hostname = OWN): Row => [referrer, source, "referral", hostname];
const nobody = (referrer: string, hostname = OWN): Row => [referrer, NONE, NONE, hostname];

/** Referrers, and who brings the visit that they stand on. */
export const SOURCES: readonly Row[] = [
  // Google by country, and what of it is no search.
  search("https://www.google.com/", "google.com"), search("https://www.google.co.uk/", "google.co.uk"), search("https://google.de/search?q=a", "google.de"),
  search("https://www.google.com.au/", "google.com.au"), search("https://www.google.co.jp/", "google.co.jp"), search("https://www.google.com.br/", "google.com.br"),
  search("https://www.google.com.mm/", "google.com.mm"), search("https://www.google.al/", "google.al"), search("https://images.google.fr/", "images.google.fr"),
  search("https://news.google.com/", "news.google.com"),
  other("https://mail.google.com/mail/u/0/", "mail.google.com"), other("https://accounts.google.com/", "accounts.google.com"),
  other("https://accounts.google.co.uk/", "accounts.google.co.uk"), other("https://docs.google.com/", "docs.google.com"),
  other("https://meet.google.com/", "meet.google.com"), other("https://sites.google.com/view/a", "sites.google.com"),
  other("https://translate.google.com/", "translate.google.com"),
  // Other engines.
  search("https://www.bing.com/", "bing.com"), search("https://cn.bing.com/", "cn.bing.com"), search("https://duckduckgo.com/", "duckduckgo.com"),
  search("https://html.duckduckgo.com/", "html.duckduckgo.com"), search("https://yandex.ru/", "yandex.ru"), search("https://yandex.kz/", "yandex.kz"),
  search("https://yandex.com.tr/", "yandex.com.tr"), search("https://yandex.uz/", "yandex.uz"), search("https://ya.ru/", "ya.ru"),
  search("https://www.yahoo.co.jp/", "yahoo.co.jp"), search("https://search.yahoo.co.jp/search?p=a", "search.yahoo.co.jp"),
  search("https://de.search.yahoo.com/", "de.search.yahoo.com"), search("https://r.search.yahoo.com/_ylt=A", "r.search.yahoo.com"),
  search("https://www.baidu.com/link?url=a", "baidu.com"), search("https://m.baidu.com/", "m.baidu.com"), search("https://search.naver.com/", "search.naver.com"),
  search("https://m.search.naver.com/", "m.search.naver.com"), search("https://search.seznam.cz/", "search.seznam.cz"), search("https://www.ecosia.org/", "ecosia.org"),
  search("https://search.brave.com/", "search.brave.com"), search("https://kagi.com/", "kagi.com"), search("https://www.startpage.com/", "startpage.com"),
  search("https://www.qwant.com/", "qwant.com"), search("https://www.sogou.com/", "sogou.com"),
  other("https://mail.yandex.ru/", "mail.yandex.ru"), other("https://passport.yandex.ru/", "passport.yandex.ru"), other("https://mail.yahoo.com/", "mail.yahoo.com"),
  other("https://login.yahoo.com/", "login.yahoo.com"), other("https://mail.yahoo.co.jp/", "mail.yahoo.co.jp"), other("https://email.seznam.cz/", "email.seznam.cz"),
  other("https://tieba.baidu.com/", "tieba.baidu.com"), other("https://blog.naver.com/", "blog.naver.com"), other("https://nid.naver.com/", "nid.naver.com"),
  other("https://outlook.live.com/", "outlook.live.com"), other("https://www.amazon.com/", "amazon.com"), other("https://e.mail.ru/", "e.mail.ru"),
  // Networks and their short links.
  social("https://t.co/abc", "t.co"), social("https://x.com/", "x.com"), social("https://lnkd.in/e", "lnkd.in"), social("https://www.linkedin.com/", "linkedin.com"),
  social("https://de.linkedin.com/", "de.linkedin.com"), social("https://l.facebook.com/l.php?u=a", "l.facebook.com"), social("https://m.facebook.com/", "m.facebook.com"),
  social("https://lm.facebook.com/", "lm.facebook.com"), social("https://l.instagram.com/", "l.instagram.com"), social("https://out.reddit.com/", "out.reddit.com"),
  social("https://old.reddit.com/", "old.reddit.com"), social("https://youtu.be/a", "youtu.be"), social("https://m.youtube.com/", "m.youtube.com"),
  social("https://www.pinterest.de/", "pinterest.de"), social("https://news.ycombinator.com/item?id=1", "news.ycombinator.com"),
  social("https://away.vk.com/away.php", "away.vk.com"), social("https://go.bsky.app/", "go.bsky.app"), social("https://www.tiktok.com/", "tiktok.com"),
  social("https://l.threads.com/", "l.threads.com"), social("https://t.me/a", "t.me"), social("https://mastodon.social/@a", "mastodon.social"),
  // Pages to sign in, on networks too.
  other("https://login.microsoftonline.com/", "login.microsoftonline.com"), other("https://login.live.com/", "login.live.com"),
  other("https://appleid.apple.com/", "appleid.apple.com"), other("https://api.twitter.com/", "api.twitter.com"), other("https://id.vk.com/", "id.vk.com"),
  other("https://shop.eu.auth0.com/", "shop.eu.auth0.com"), other("https://accounts.youtube.com/", "accounts.youtube.com"),
  // Pages to pay bring nobody.
  nobody("https://www.paypal.com/checkout"), nobody("https://checkout.stripe.com/"), nobody("https://pay.google.com/"), nobody("https://payments.amazon.de/"),
  nobody("https://secure.payu.com/"), nobody("https://www.mercadopago.com.br/"),
  // Apps, by the names of their packages.
  other("android-app://com.slack/", "com.slack"), other("android-app://com.Slack/", "com.slack"), other("android-app://com.google.android.gm/", "com.google.android.gm"),
  search("android-app://com.google.android.googlequicksearchbox/", "com.google.android.googlequicksearchbox"),
  social("android-app://com.linkedin.android/https/x", "com.linkedin.android"), social("android-app://org.telegram.messenger", "org.telegram.messenger"),
  other("ios-app://544007664/vnd.app/a", "544007664"),
  // Hosts that look like others.
  other("https://google.spam.example/", "google.spam.example"), other("https://www.google.com.spam.example/", "google.com.spam.example"),
  other("https://notgoogle.com/", "notgoogle.com"), other("https://google.com@spam.example/", "spam.example"), other("https://facebook.com.spam.example/", "facebook.com.spam.example"),
  other("https://netx.com/", "netx.com"), other("https://paypal.com.spam.example/", "paypal.com.spam.example"), other("https://g\u043E\u043Egle.com/", "xn--ggle-55da.com"),
  // Ports, case, a final dot, a user.
  search("HTTPS://WWW.GOOGLE.COM:443/", "google.com"), search("https://www.google.com.:8080/", "google.com"), search("https://ann:pw@www.bing.com/", "bing.com"),
  social("https://t.co./", "t.co"), nobody("https://www.paypal.com./"),
  // The own host, however it is written.
  nobody("https://www.shop.example/cart"), nobody("https://shop.example./"), nobody("https://shop.example/", "WWW.Shop.Example.:3000"), nobody("http://SHOP.example:8080/"),
  nobody("https://b\u00FCcher.example/", "xn--bcher-kva.example"), nobody("https://xn--bcher-kva.example/", "www.B\u00DCcher.example"),
  nobody("https://b\u00FCcher.example/", "b\u00FCcher.example."), nobody("http://[2001:db8::1]:8080/", "[2001:DB8:0:0::1]"), nobody("http://[::1]/", "::1"),
  nobody("http://127.0.0.1:3000/", "127.0.0.1"), nobody("http://localhost:3000/", "localhost:8080"),
  other("https://blog.shop.example/", "blog.shop.example"), other("https://xn--bcher-kva.example/", "xn--bcher-kva.example", "bucher.example"),
  other("http://[2001:db8::2]/", "[2001:db8::2]", "2001:db8::1"), other("http://10.0.0.7/wiki", "10.0.0.7"), other("https://shop.example/", "shop.example", "https://shop.example/"),
  // What names no page and no app.
  nobody("google.com"), nobody("/cart"), nobody("//google.com/"), nobody("about:blank"), nobody("file:///C:/a.html"), nobody("ftp://partner.example/"), nobody("https://"),
  nobody("https://exa mple.org/"), nobody("http://[::1"), nobody("javascript:alert(1)"), nobody("android-app:com.slack"), nobody("chrome-extension://abc/"), nobody("not a url"),
];

/** A visit for each row, named by its place. */
export function visitsOfSources(atMs: number): EventInput[] {
  return SOURCES.map(([referrer, , , hostname], at) => ({ id: `visit ${at}`, name: nameAt(at), referrer, hostname, anonymousId: `visitor ${at}`, createdAt: atMs + at }));
}

/** What a Daybook, or what stands for one, makes of these visits is what their rows say. */
export async function expectSources(trend: AskOfPaid["trend"]): Promise<void> {
  const told = async (field: string) => {
    const { series } = await trend({ interval: "total", breakdown: { fields: ["name", field], limit: 1_000 } });
    return new Map(series.map(({ values }) => [values[0], values[1]]));
  };
  const [sources, mediums] = [await told("touch_source"), await told("touch_medium")];
  const found = SOURCES.map(([referrer, , , hostname], at) => [referrer, sources.get(nameAt(at)), mediums.get(nameAt(at)), hostname]);
  expect(found).toEqual(SOURCES);
}

function nameAt(at: number): string {
  return `visit ${at}`;
}

/** Somebody comes from a search engine, goes away to sign in and to pay, and pays; somebody else signs in first and pays. */
export function paidAfterSignIn(atMs: number): EventInput[] {
  const visit = (userId: string, at: number, referrer: string, rest: Partial<EventInput> = {}): EventInput =>
    ({ id: `${userId} ${at}`, name: "pageview", project: "paid", userId, hostname: OWN, url: "/", referrer, createdAt: atMs + at * 3_600_000, ...rest });
  return [
    visit("ann", 0, "https://duckduckgo.com/"), visit("ann", 1, "https://accounts.google.com/"), visit("ann", 2, "https://login.microsoftonline.com/"),
    visit("ann", 3, "https://www.paypal.com/"), visit("ann", 3.1, "https://accounts.google.com/", { id: "ann pays", name: "Payment", value: 10 }),
    visit("bob", 0, "https://appleid.apple.com/"), visit("bob", 1, "https://accounts.google.com/", { id: "bob pays", name: "Payment", value: 5 }),
    visit("eve", 0, "https://accounts.google.com/", { url: "/?utm_source=news" }), visit("eve", 1, "", { id: "eve pays", name: "Payment", value: 1 }),
  ];
}

/** What answers about the money of these visits, and about the visits. */
export interface AskOfPaid {
  revenueByAttribution(input: RevenueByAttributionInput): Promise<RevenueByAttribution> | RevenueByAttribution;
  trend(input: TrendInput): Promise<Pick<Trend, "series">> | Pick<Trend, "series">;
  webOverview(input: WebOverviewInput): Promise<Pick<WebOverview, "sources">> | Pick<WebOverview, "sources">;
}

/** Revenue is of whoever brought the visitor before, a campaign on the way back counts, and a visit from a page to sign in still tells so. */
export async function expectRevenueStays(ask: AskOfPaid): Promise<void> {
  for (const model of ["first_touch", "last_touch"] as const) {
    for (const level of ["identity", "account"] as const) {
      const { rows } = await ask.revenueByAttribution({ project: "paid", model, level, dimension: "source" });
      expect(rows.map(({ dimension, revenue }) => [dimension, revenue])).toEqual([["duckduckgo.com", 10], ["(direct)", 5], ["news", 1]]);
    }
    const { series } = await ask.trend({ project: "paid", eventName: "Payment", interval: "total", breakdown: { fields: [`${model}.medium`] } });
    expect(series.map(({ values }) => values).sort()).toEqual([["(none)"], ["(not set)"], ["organic"]]);
  }
  const { sources } = await ask.webOverview({ project: "paid" });
  const visits = [["(direct)", 2], ["accounts.google.com", 2], ["appleid.apple.com", 1], ["duckduckgo.com", 1], ["login.microsoftonline.com", 1], ["news", 1]];
  expect(sources.map(({ value, visits: count }) => [value, count])).toEqual(visits);
}
