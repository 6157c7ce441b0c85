import { LISTED_SEARCH, LISTED_SOCIAL } from "./listed-hosts.js";
import type { HostList } from "./plan.js";

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

/** Pages where people sign in and then come back. */
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
