import { LISTED_SEARCH, LISTED_SOCIAL } from "./listed-hosts.js";
import type { HostList, ReportRules, SessionRules } from "./plan.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { slugOf } from "../../core/schema/fields.js";
import { comparedHost, isHost } from "../../core/schema/web-address.js";

/** A last label of `*` matches any top-level domain, and one of these below a country's domain. */
export const SECOND_LEVELS = ["ac", "co", "com", "edu", "gov", "net", "or", "org"] as const;

/** Engines that are missing from the list, or listed with fewer hosts. Their other hosts serve mail, sign-in or documents. */
const SEARCH_ENGINES =
  "google.{al,bt,co.ao,com.mm,com.pg,sr} {cn,global,www2}.bing.com {html,lite,noai,safe,start}.duckduckgo.com {image,wap}.baidu.com " +
  "yandex.{az,co.il,com.am,com.ge,com.tr,ee,eu,fr,kg,kz,lt,lv,md,pl,tj,tm,uz} ya.ru {,m.,m.search.}naver.com seznam.cz {,m.,wap.}sogou.com m.so.com " +
  "so.toutiao.com m.search.daum.net {,eu.,us.}startpage.com {coccoc,kagi,mojeek,petalsearch,presearch,swisscows,yep}.com metager.org {,search.}lilo.org " +
  "oceanhero.today perplexity.ai";
/** Engines whose subdomains are countries and kinds of search. */
const SEARCH_DOMAINS = "search.{yahoo.com,yahoo.co.jp,brave.com}";

/** Networks whose subdomains are languages, devices, members and outgoing links. */
const SOCIAL_DOMAINS =
  "{discord,douyin,facebook,fb,instagram,linkedin,livejournal,messenger,pinterest,quora,reddit,snapchat,threads,tiktok,tumblr,twitter,vk,weibo," +
  "whatsapp,x,xiaohongshu,youtube,zhihu}.com threads.net weibo.cn bsky.app mastodon.social ok.ru telegram.{me,org} twitch.tv " +
  "pinterest.{at,ca,ch,cl,co,co.kr,co.uk,com.au,com.mx,de,dk,es,fr,ie,info,it,jp,nz,ph,pt,ru,se}";
/** The short links and apps of the networks. */
const SOCIAL_LINKS =
  "discord.gg {m,t,wa}.me pin.it redd.it vk.cc lobste.rs com.{facebook.katana,facebook.orca,google.android.youtube,instagram.android,instagram.barcelona," +
  "pinterest,quora.android,snapchat.android,tumblr,vkontakte.android,whatsapp,zhiliaoapp.musically} org.telegram.messenger xyz.blueskyweb.app";

/** Sign-in pages: users return from them, so they are not a source. */
const SIGN_IN =
  "accounts.{dev,google.*,kakao.com,spotify.com,youtube.com} account.live.com " +
  "login.{aol.com,gov,live.com,microsoft.com,microsoftonline.com,microsoftonline.us,salesforce.com,tagged.com,vk.com,windows.net,yahoo.com,yahoo.co.jp} " +
  "login.partner.microsoftonline.cn {appleid,idmsa}.apple.com {id,oauth,passport,sso}.yandex.* passport.baidu.com {id,oauth}.vk.com " +
  "id.{atlassian.com,me,twitch.tv} api.{twitter.com,workos.com,x.com} auth.atlassian.com nid.naver.com access.line.me kauth.kakao.com " +
  "{amazoncognito,auth0,b2clogin,ciamlogin,duosecurity,okta,oktapreview,onelogin}.com authkit.app signin.aws.amazon.com";

/** Pages where people pay and then come back: they are no touch. */
const PAYMENT =
  "{2checkout,adyen,affirm,afterpay,alipay,amazonpay,braintreegateway,checkout,cybersource,gocardless,klarna,lemonsqueezy,mollie,multisafepay,paddle," +
  "paypal,razorpay,sofort,squareup,stripe,trustly,worldpay}.com {mercadopago,payu}.* {pay,payments}.{amazon.*,google.com} pay.shopify.com authorize.net " +
  "giropay.de przelewy24.pl";

export const SEARCH_HOSTS: HostList = { hosts: expanded(`${LISTED_SEARCH} ${SEARCH_ENGINES}`), domains: expanded(SEARCH_DOMAINS) };
export const SOCIAL_HOSTS: HostList = { hosts: expanded(`${LISTED_SOCIAL} ${SOCIAL_LINKS}`), domains: expanded(SOCIAL_DOMAINS) };
export const SIGN_IN_HOSTS: HostList = { hosts: [], domains: expanded(SIGN_IN) };
export const PAYMENT_HOSTS: HostList = { hosts: [], domains: expanded(PAYMENT) };

/** Expands a list of hosts: `{a,b}.c` stands for `a.c` and `b.c`. */
function expanded(text: string): string[] {
  return text.split(" ").flatMap(expandedWord);
}

function expandedWord(word: string): string[] {
  const [, before, choices, after] = /^(.*?)\{(.*?)\}(.*)$/.exec(word) ?? [];
  return choices === undefined ? [word] : choices.split(",").flatMap((choice) => expandedWord(`${before}${choice}${after}`));
}

/** Options that determine what reports mean. */
export interface RuleOptions {
  /** The organization's reporting currency, ISO 4217. Default USD. */
  readonly currency?: string;
  /** When sessions end. Default: after a gap of 30 minutes, or a length of 24 hours. */
  readonly session?: { readonly gapMs?: number; readonly maxMs?: number };
  /** Slugs of events that are page views. Default: pageview, page-view, page, screen-view. */
  readonly pageviewSlugs?: readonly string[];
  /** Names of events whose metadata holds an amount, compared by slug. Default: Payment, Purchase, Order Completed; Refund, Order Refunded. */
  readonly revenue?: { readonly paymentNames?: readonly string[]; readonly refundNames?: readonly string[] };
  /**
   * Which visits are attributed to a source. Hosts include their subdomains; `pay.*` matches `pay.com`, `pay.co.uk` and any other ending. An app is
   * given by its package name.
   */
  readonly attribution?: {
    /** Referrers that are never a source, besides the usual payment pages. */
    readonly excludedHosts?: readonly string[];
    /** Hosts with the medium organic, instead of the usual search engines. */
    readonly searchHosts?: readonly string[];
    /** Hosts with the medium social, instead of the usual networks. */
    readonly socialHosts?: readonly string[];
    /** How long a touch counts, in ms. Default: without limit. */
    readonly lookbackMs?: number | null;
  };
}

type Of<Option extends keyof RuleOptions> = KnownOptions<NonNullable<RuleOptions[Option]>>;
const KNOWN_OF_SESSION: Of<"session"> = { gapMs: true, maxMs: true };
const KNOWN_OF_REVENUE: Of<"revenue"> = { paymentNames: true, refundNames: true };
const KNOWN_OF_ATTRIBUTION: Of<"attribution"> = { excludedHosts: true, searchHosts: true, socialHosts: true, lookbackMs: true };

const GAP_MS = 30 * 60_000;
const MAX_MS = 24 * 3_600_000;
const PAGEVIEW_SLUGS = ["pageview", "page-view", "page", "screen-view"];
const PAYMENT_NAMES = ["Payment", "Purchase", "Order Completed"];
const REFUND_NAMES = ["Refund", "Order Refunded"];

/** The options with their defaults, as plans contain them. @throws invalid_parameter, unknown_parameter */
export function reportRules(options: RuleOptions): ReportRules {
  const { currency = "USD", pageviewSlugs } = options;
  const { session = {}, revenue = {}, attribution = {} } = options;
  rejectUnknownOptions(session, KNOWN_OF_SESSION, "session");
  rejectUnknownOptions(revenue, KNOWN_OF_REVENUE, "revenue");
  rejectUnknownOptions(attribution, KNOWN_OF_ATTRIBUTION, "attribution");
  return {
    session: { gapMs: durationOf("session.gapMs", session.gapMs ?? GAP_MS), maxMs: durationOf("session.maxMs", session.maxMs ?? MAX_MS) },
    pageviewSlugs: textsOf("pageviewSlugs", pageviewSlugs ?? PAGEVIEW_SLUGS),
    revenue: {
      paymentSlugs: slugsOf("revenue.paymentNames", revenue.paymentNames ?? PAYMENT_NAMES),
      refundSlugs: slugsOf("revenue.refundNames", revenue.refundNames ?? REFUND_NAMES),
      currency,
    },
    touch: {
      excludedHosts: { hosts: PAYMENT_HOSTS.hosts, domains: [...PAYMENT_HOSTS.domains, ...domainsOf("excludedHosts", attribution.excludedHosts ?? [])] },
      signInHosts: SIGN_IN_HOSTS,
      searchHosts: hostsOf("searchHosts", attribution.searchHosts, SEARCH_HOSTS),
      socialHosts: hostsOf("socialHosts", attribution.socialHosts, SOCIAL_HOSTS),
      lookbackMs: attribution.lookbackMs === undefined || attribution.lookbackMs === null ? null : durationOf("attribution.lookbackMs", attribution.lookbackMs),
    },
  };
}

export function sessionRules({ session, pageviewSlugs, revenue }: ReportRules): SessionRules {
  return { session, pageviewSlugs, revenue };
}

function hostsOf(name: string, given: readonly string[] | undefined, otherwise: HostList): HostList {
  return given === undefined ? otherwise : { hosts: [], domains: domainsOf(name, given) };
}

/** In the form in which hosts are compared, keeping a last label of `*`. */
function domainsOf(name: string, given: readonly string[]): string[] {
  const option = `attribution.${name}`;
  return textsOf(option, given).map((text) => {
    const [, host = "", ending = ""] = /^(.*?)(\.\*)?$/s.exec(text.trim()) ?? [];
    if (!isHost(host) || host.includes("*")) throw parameterError("invalid_parameter", option, `expected hosts such as "pay.example", "pay.*" or the package of an app, got ${shown(text)}`);
    return comparedHost(host) + ending;
  });
}

/** The slugs of payments and refunds, ascending. */
export function moneySlugs({ paymentSlugs, refundSlugs }: ReportRules["revenue"]): string[] {
  return [...new Set([...paymentSlugs, ...refundSlugs])].sort();
}

function slugsOf(option: string, names: unknown): string[] {
  return textsOf(option, names).map((name) => {
    const slug = slugOf(name);
    if (slug === "") throw parameterError("invalid_parameter", option, `expected names with a letter or a digit, got ${shown(name)}`);
    return slug;
  });
}

/** In whole ms, like times and their differences. */
function durationOf(option: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return Math.floor(value);
  throw parameterError("invalid_parameter", option, `expected milliseconds, 0 or more, got ${shown(value)}`);
}

function textsOf(option: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "")) return value as string[];
  throw parameterError("invalid_parameter", option, `expected a list of non-empty texts, got ${shown(value)}`);
}
