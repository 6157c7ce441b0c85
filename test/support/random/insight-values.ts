/** Few values, so that everything that can collide does. UTF-16 order and code point order of the last two of each differ. */
export const userIds = ["ann", "bob", "carl", "d1", "\uFF5E", "\u{1F600}"];
/** One is a user id too. */
export const anonymousIds = ["d1", "d2", "d3"];
export const companyIds = ["acme", "umbra.com", "\uFF5E", "\u{1F600}"];
export const emails = ["ann@x.io", " ANN@x.IO", "bob@x.io"];
export const projects = ["default", "shop"];
/** The first four make funnels. */
export const stepNames = ["a", "b", "c", "d"];
export const names = [...stepNames, "x", "Pageview", "Purchase", "Refund", "\uFF5E", "\u{1F600}"];
export const urls = ["/", "/a", "/b", "/a?utm_source=news&utm_campaign=spring", "/b?utm_source=mail&utm_medium=e%2Dmail", "/c?gclid=1", "https://shop.example/a#top", "?q", "/\uFF5E", "/\u{1F600}"];
export const referrers = ["https://google.com/", "https://partner.example/x", "https://x.com/", "https://shop.example/", "android"];
export const countries = ["DE", "US", "WS", "\uFF5E", "\u{1F600}"];
export const devices = ["mobile", "desktop", "\uFF5E", "\u{1F600}"];
export const browsers = ["Chrome", "Safari"];
export const systems = ["iOS", "macOS"];
export const plans = ["pro", "free", "Pro", "3", "\uFF5E", "\u{1F600}"];
/** Numbers, texts in their form, and what is none. */
export const numbers: readonly unknown[] = [
  1, 1, 2, 3, 2.5, 4, 7, 10, 0.25, 100, 12.5, -3, 0, -0, 0.1, 0.2, 0.3, "0.1", "3", "3.0", "1e3", "03", "abc", "", true, false, null, 1e300, 1.7976931348623157e308, -1e300, 5e-324, 1e21, 9_007_199_254_740_992, [1, 2],
  [1, "1", 1.0, "2.5", null], [true, [7, "8"]], { n: 1 }, [], 0.7, 1e-7, 123_456_789.123,
];
/** Values of any type. */
export const mixed: readonly unknown[] = ["p", "q", "", null, true, 3, "3", ["p", "q"], ["q", "p", "p"], ["p"], [["p"], { b: 1, a: 2 }], [null, ""], { b: "p", a: "q" }, "\uFF5E", "\u{1F600}", ["\uFF5E", "\u{1F600}", 1]];
export const orderKeys = ["o1", "o1", "o2"];
export const amounts = [10, 10, 20, 0.1, 0.2, 0, -5, 2.675, 0.005, 1e15];
export const currencies = ["EUR", "usd", " JPY ", "XYZ", "\uFF5E"];

/** What queries measure, break down by, and filter: what events tell, and what is known of people, companies and who brought them. */
export const fields = [
  "device", "path", "country", "name", "browser", "os", "project", "plan", "metadata.plan", "x", "metadata.x", "tags", "metadata.tags", "metadata.a.b", "missing", "metadata.missing.too",
  "person.plan", "person.x", "person.tags", "person.a.b", "person.email", "person.missing", "company.plan", "company.x", "company.tags", "company.missing",
  "first_touch.source", "first_touch.medium", "first_touch.campaign", "last_touch.source", "last_touch.medium", "last_touch.campaign",
  "companyId", "company_id", "identity_id", "identityId", "user_id", "anonymousId", "value", "currency", "externalId", "touch_source", "touchMedium", "touch_campaign", "utm_source", "referrer", "referrer_domain",
  "hostname", "url", "slug", "notify", "language", "screen", "city", "location_region", "createdAt", "id",
];
/** Those of which queries ask most often. */
export const usualFields = ["device", "path", "x", "tags", "plan", "person.plan", "person.plan", "person.tags", "company.plan", "first_touch.source", "last_touch.campaign", "companyId", "identity_id"];
export const numericFields = ["x", "x", "x", "x", "metadata.x", "metadata.x", "value", "value", "person.x", "company.x", "tags", "metadata.a.b", "missing", "plan"];

/** Zones where something is odd: half hours, days that are skipped, midnights that are, quarters, two changes in a fast, seconds long ago. */
export const oddZones = [
  "UTC", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "America/St_Johns", "Africa/Casablanca", "America/New_York", "Europe/Berlin", "America/Santiago", "Africa/Cairo", "Asia/Beirut",
  "Pacific/Kiritimati", "Africa/Monrovia", "Pacific/Chatham", "europe/berlin", "Etc/GMT+12", "US/Eastern", "Antarctica/Troll",
];
/** All that the runtime knows. */
export const allZones: readonly string[] = Intl.supportedValuesOf("timeZone");

/** Instants around which clocks change, days are missing, or years, quarters and months end. */
export const anchors: readonly string[] = [
  "2026-03-01T00:00:00Z", "2026-03-08T07:00:00Z", "2026-03-29T01:00:00Z", "2026-04-04T15:00:00Z", "2025-10-04T15:30:00Z", "2025-10-26T01:00:00Z", "2025-11-02T06:00:00Z", "2011-12-30T10:00:00Z",
  "2026-02-15T02:00:00Z", "2025-12-31T23:00:00Z", "2024-02-29T00:00:00Z", "2024-12-30T00:00:00Z", "1972-01-07T00:44:30Z", "2025-09-07T04:00:00Z", "2010-11-07T02:31:00Z",
];

/** Labels of paths at which they may start or end. */
export const labels = ["/", "/a", "/b", "/c", "page", "\u{1F600}", "mobile", "p", "none"];
