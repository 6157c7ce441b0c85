/** Few values, so that everything that can collide does. UTF-16 order and code point order of the last two differ. */
export const userIds = ["ann", "bob", "carl", "d1", "ann@x.io", "Ann@X.io", "\uFF5E", "\u{1F600}"];
/** Some are user ids too. */
export const anonymousIds = ["d1", "d2", "d3", "bob", "\uFF5E", "\u{1F600}"];
export const emails = ["ann@x.io", " ANN@x.IO", "bob@x.io", "both@x.io"];
export const companyIds = ["acme.com", "acme", "Sub.Acme.co.uk", "\uFF5E", "\u{1F600}", "-no.host"];
export const projects = ["default", "shop"];

/** Names that make money of metadata, and others. */
export const names = ["Pageview", "click", "Payment", "Purchase", "Order Completed", "Refund", "Order refunded", "Ünïcode Páyment", "screen view"];
export const amounts = [10, 10, 10, 20, 0, 0, -10, 0.1, 0.2, 2.675, 1e-6, 5e-7, 1.5e-6, 2.5e-6, -3, -0.005, 0, 1e15, 1234.565, 0.125, 1e21, 5e-324];
/** Three have rates; the last are not currencies. */
export const currencies = ["USD", "eur", " JPY ", "BHD", "KWD", "gbp", "XYZ", "$", "Euro", "\uFF5E", "\u{1F600}"];
export const orderKeys = ["o1", "o1", "o2", "7", "\u{1F600}"];

export const campaigns = ["news", "News", " news ", "\uFF5E", "\u{1F600}", "", " ", "(direct)", "a&b c"];
export const referrers = [
  "https://www.google.com/search?q=1", "https://google.co.uk/", "http://news.google.de", "https://notgoogle.com", "https://x.com/a", "https://m.x.com",
  "https://accounts.google.com/", "https://t.co/abc", "https://www.paypal.com/pay", "https://pay.google.com", "https://checkout.stripe.com:8443/a", "https://google.spam.example",
  "https://shop.example.", "https://WWW.Shop.Example:443/x", "http://blog.shop.example", "https://partner.example:8080/", "https://www.partner.example", "android-app://com.google",
  "not a url", "https://www.www.example/", "ftp://partner.example/", "https://search.example/?a", "HTTPS://PARTNER.EXAMPLE",
];
export const hostnames = ["shop.example", "www.Shop.example.:3000", "partner.example"];
export const urls = ["/", "/a?x=1#utm_source=no", "https://shop.example/?utm_source=news&utm_source=later", "/p?utm_medium=e%2Dmail+x&utm_campaign=", "/q?gclid=1", "/q?fbclid=f&msclkid=",
  "/r?utm_source=%20&utm_campaign=spring", "/s#?utm_source=no", "/t??utm_source=no", "/u?utm%5Fsource=%F0%9F%98%80&gclid=2", "/v?utm_source=%zz", "/w?msclkid=%20m%20", "?fbclid=1"];
