import { expect, test } from "vitest";
import { IdentityResolver } from "../../src/identity/resolver.js";

test("The earliest link of an anonymous id wins, at one millisecond the smallest user id, in whatever order links come.", () => {
  const names = ["", "carol", "bob", "alice"];
  const links = [[1, 20], [2, 10], [3, 30], [3, 10], [1, 10], [2, 5], [1, 5]] as const;
  const orders = [links, [...links].reverse(), [...links].sort((a, b) => a[1] - b[1]), [...links, ...links]];
  for (const order of orders) {
    const resolver = new IdentityResolver((code) => names[code] ?? "");
    for (const [userId, createdAtMs] of order) resolver.link({ anonymousId: 1, userId, createdAtMs });
    expect(resolver.view().ownerOf(1)).toBe(2);
    expect(resolver.view().anonymousIdsOf(2)).toEqual([1]);
    expect(resolver.view().anonymousIdsOf(3)).toEqual([]);
  }
});

test("A view keeps what it saw when a later link gives an anonymous id to an earlier user.", () => {
  const resolver = new IdentityResolver(String);
  resolver.link({ anonymousId: 1, userId: 1, createdAtMs: 20 });
  const before = resolver.view();
  resolver.link({ anonymousId: 1, userId: 2, createdAtMs: 10 });
  expect([before.ownerOf(1), resolver.view().ownerOf(1)]).toEqual([1, 2]);
});

test("A link costs the same when an anonymous id, such as a broken client's \"undefined\", is shared by all users.", () => {
  let readCount = 0;
  const resolver = new IdentityResolver((code) => {
    readCount += 1;
    return String(code);
  });
  const userCount = 2_000;
  for (let userId = 1; userId <= userCount; userId += 1) resolver.link({ anonymousId: 1, userId, createdAtMs: 5 });
  expect(readCount).toBeLessThan(4 * userCount);
});
