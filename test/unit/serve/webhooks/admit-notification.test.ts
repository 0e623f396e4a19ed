import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAdmission } from "../../../../src/serve/webhooks/admit-notification.ts";
import type { Notification } from "../../../../src/webhook/notification.ts";

const admit = createAdmission([
  { host: "news.example", include: ["/2026/**"], exclude: ["/2026/tag/**"] },
  { host: "blog.example:8080", include: [], exclude: [] },
  { host: "xn--bcher-kva.example", include: [], exclude: [] },
]);
const ORIGIN = { subscription: "main", source: "delivery" } as const;

function about(contentUrl: string): Notification {
  return { contentUrl, kind: "created", timestamp: "2026-11-22T00:00:00Z", at: 1 };
}

describe("createAdmission", () => {
  it("makes a hint of a configured site from a notification", () => {
    expect(admit(about(" https://NEWS.example/2026/%61?x=1#top"), ORIGIN)).toEqual({
      subscription: "main",
      source: "delivery",
      host: "news.example",
      url: "https://news.example/2026/a?x=1",
      wireUrl: "https://news.example/2026/a?x=1",
      kind: "created",
      timestamp: "2026-11-22T00:00:00Z",
      at: 1,
      state: "waiting",
    });
  });

  it.each([
    ["https://news.example/2026/a", "news.example", "waiting"],
    ["http://news.example/2026/a", "news.example", "waiting"],
    ["https://news.example:443/2026/a", "news.example", "waiting"],
    ["https://news.example/2026/x/../tag/b", "news.example", "excluded"],
    ["https://news.example/2025/a", "news.example", "excluded"],
    ["https://blog.example:8080/", "blog.example:8080", "waiting"],
    ["https://bücher.example/x", "xn--bcher-kva.example", "waiting"],
    ["https://blog.example/", null, "unknown_site"],
    ["https://news.example:8443/2026/a", null, "unknown_site"],
    ["https://news.example.evil.example/2026/a", null, "unknown_site"],
    ["https://www.news.example/2026/a", null, "unknown_site"],
  ])("takes %s as a page of %s: %s", (url, host, state) => {
    expect(admit(about(url), ORIGIN)).toMatchObject({ host, state });
  });

  it("keeps the URL of no configured site as it was received", () => {
    expect(admit(about(" https://Other.example/%61#x "), ORIGIN)).toMatchObject({
      url: "https://Other.example/%61#x",
      wireUrl: "https://Other.example/%61#x",
    });
  });

  it.each([
    "/2026/a",
    "news.example/2026/a",
    "ftp://news.example/2026/a",
    "https://user@news.example/2026/a",
    "https://news.example/\u0000",
    "javascript:alert(1)",
  ])("has no hint for %j, which is not the address of a page", (url) => {
    expect(admit(about(url), ORIGIN)).toBeNull();
  });

  it("never throws, and names only configured hosts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string({ unit: "binary" })), (url) => {
        const hint = admit(about(url), ORIGIN);
        expect([undefined, null]).toContain(hint?.host);
      }),
    );
  });
});
