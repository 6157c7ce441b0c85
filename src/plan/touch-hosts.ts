/** Hosts of referrers by what they are, without `www.`; their subdomains too. A last label of `*` stands for any ending. */

export const SEARCH_HOSTS: readonly string[] = [
  "google.*", "bing.com", "duckduckgo.com", "yahoo.com", "search.yahoo.com", "baidu.com", "yandex.ru", "yandex.com", "ecosia.org",
  "search.brave.com", "startpage.com", "qwant.com", "naver.com", "seznam.cz", "sogou.com", "kagi.com", "perplexity.ai",
];

export const SOCIAL_HOSTS: readonly string[] = [
  "facebook.com", "fb.com", "instagram.com", "twitter.com", "x.com", "t.co", "linkedin.com", "lnkd.in", "pinterest.com", "reddit.com",
  "youtube.com", "tiktok.com", "threads.net", "mastodon.social", "bsky.app", "news.ycombinator.com", "vk.com", "whatsapp.com",
  "telegram.org", "t.me", "snapchat.com", "quora.com", "tumblr.com",
];

/** Pages to which people are sent to pay, and from which they come back: these brought nobody. */
export const PAYMENT_HOSTS: readonly string[] = [
  "paypal.com", "checkout.stripe.com", "stripe.com", "klarna.com", "adyen.com", "mollie.com", "checkout.com", "squareup.com",
  "braintreegateway.com", "2checkout.com", "paddle.com", "lemonsqueezy.com", "pay.google.com", "appleid.apple.com", "amazonpay.com",
  "afterpay.com", "affirm.com", "sofort.com", "giropay.de", "worldpay.com",
];
