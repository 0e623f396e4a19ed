import { expect, test } from "vitest";
import { hasBlockedPort } from "../../src/blocked-ports.ts";

/** Sends nothing: a port that `fetch` refuses does not come as far as the dispatcher. */
async function isRefusedByFetch(url: string): Promise<boolean> {
  let isAsked = false;
  const dispatcher = {
    dispatch: () => {
      isAsked = true;
      throw new Error("not sent");
    },
  };
  await fetch(url, { dispatcher } as object).catch(() => {});
  return !isAsked;
}

test("the ports are those that fetch refuses", async () => {
  // All to beyond most of those that the specification names, and then a part, with 10080.
  const ports = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
    (port) => port < 7_000 || port % 40 === 0,
  );
  const urls = ports.map((port) => `http://127.0.0.1:${port}/`);
  const refused: string[] = [];
  for (const url of urls) {
    if (await isRefusedByFetch(url)) {
      refused.push(url);
    }
  }
  expect(urls.filter(hasBlockedPort)).toEqual(refused);
  expect(refused.length).toBeGreaterThan(50);
});

test("an address without a port has none that is refused", () => {
  expect(["https://a.example", "http://a.example:80/", "not an address"].filter(hasBlockedPort)).toEqual([]);
});
