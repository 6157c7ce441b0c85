import { expect, test } from "vitest";
import { comparedHost, referrerDomainOf, sourceOfReferrer } from "../../../src/core/schema/web-address.js";

test.each([
  ["https://www.google.com/search?q=x", "google.com"],
  ["https://WWW.Google.COM/", "google.com"],
  ["http://news.example.org:8080/a", "news.example.org"],
  ["https://user:pw@example.org/", "example.org"],
  ["https://www.www.example.org/", "www.example.org"],
  ["https://wwwexample.org/", "wwwexample.org"],
  ["android-app://Com.Example/", "com.example"],
  ["https://evil.example\\@good.example/", "evil.example"],
  ["https://[::1]:80/", "[::1]"],
  ["https://www.google.com.:8080/", "google.com"],
  ["https://b\u00FCcher.example/", "xn--bcher-kva.example"],
  ["", ""], ["google.com", ""], ["/relative", ""], ["//example.org/x", ""], ["mailto:a@b.c", ""], ["https://", ""],
  ["https://exa mple.org/", ""], ["http://[", ""], ["http://a%00b/", ""], ["\ud800", ""], ["javascript:alert(1)", ""],
])("the referrer domain of %j is %j", (referrer, domain) => {
  expect(referrerDomainOf(referrer)).toBe(domain);
});

test.each([
  ["https://www.google.com./a", "google.com"], ["ios-app://544007664/a", "544007664"], ["android-app://Com.Example/", "com.example"],
  ["ftp://partner.example/", ""], ["chrome-extension://abc/", ""], ["", ""],
])("the source of the referrer %j is %j", (referrer, source) => {
  expect(sourceOfReferrer(referrer)).toBe(source);
});

test.each([
  ["shop.example", "shop.example"], ["www.shop.example", "shop.example"], [" WWW.Shop.Example.:8080 ", "shop.example"], ["shop.example:", "shop.example"],
  ["b\u00FCcher.example", "xn--bcher-kva.example"], ["B\u00DCCHER.example", "xn--bcher-kva.example"], ["[2001:DB8:0:0::1]:80", "[2001:db8::1]"],
  ["2001:db8::1", "[2001:db8::1]"], ["127.0.0.1:80", "127.0.0.1"], ["localhost:80", "localhost"], ["my_shop.example", "my_shop.example"], ["", ""],
  ["Https://Shop.example", "https://shop.example"], ["A B:80", "a b"], ["ann@shop.example", "ann@shop.example"], ["544007664", "544007664"],
])("the host %j is compared as %j", (host, compared) => {
  expect(comparedHost(host)).toBe(compared);
});
