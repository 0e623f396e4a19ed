import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { call, KEY, type RawAnswer, SITE_PAGES, startGateway } from "./gateway-caller.ts";

let gateway: Sandbox;

beforeEach(async () => {
  gateway = await startGateway({
    maxPageSize: 50,
    defaultPageSize: 3,
    sites: [
      { host: "news.example", kind: "pages", pages: SITE_PAGES },
      { host: "big.example", kind: "synthetic", pages: 101, bodyBytes: 10 },
      { host: "listed.example:8080", kind: "pages", order: "listed", pages: SITE_PAGES.toReversed() },
    ],
  });
});
afterEach(() => gateway.close());

function list(query = "", root = "news.example"): Promise<RawAnswer> {
  return call(gateway, "GET", `/dev/v2/content/${root}/catalog/list${query}`, KEY);
}

const paths = (answer: RawAnswer) =>
  answer.json.pages.map(({ pageUrl }: { pageUrl: string }) => new URL(pageUrl).pathname);

describe("the catalog", () => {
  test("lists pages by date descending, those without a date last", async () => {
    const answer = await list("?pageSize=10");
    expect(paths(answer)).toEqual(["/a", "/custom", "/free", "/closed"]);
    expect(answer.json.pages[0]).toEqual({
      lastMod: "2026-01-03T00:00:00Z",
      pageUrl: "https://news.example/a",
      propertyId: expect.any(String),
    });
    expect(answer.json.pages[3]).not.toHaveProperty("lastMod");
    expect(answer.json).not.toHaveProperty("pageToken");
  });

  test("shows the default number of pages and a token for the rest", async () => {
    const first = await list();
    expect(first.json.pages).toHaveLength(3);
    const second = await list(`?pageToken=${encodeURIComponent(first.json.pageToken)}`);
    expect(paths(second)).toEqual(["/closed"]);
    expect(second.json).not.toHaveProperty("pageToken");
  });

  test("lists every page once, whatever the page sizes are", async () => {
    const seen: string[] = [];
    let token = "";
    for (let turn = 0; turn < 101; turn += 1) {
      const answer = await list(`?pageSize=${(turn % 50) + 1}&pageToken=${token}`, "big.example");
      seen.push(...paths(answer));
      token = answer.json.pageToken ?? "";
      if (token === "") {
        break;
      }
    }
    expect(seen).toHaveLength(101);
    expect(new Set(seen).size).toBe(101);
  });

  test("keeps the order of its source where the site requests that", async () => {
    const answer = await list("?pageSize=10", "listed.example%3A8080");
    expect(paths(answer)).toEqual(["/closed", "/free", "/custom", "/a"]);
  });

  test.each([
    ["as a bare domain", "news.example"],
    ["in capital letters", "NEWS.example"],
    ["as a root URL", "https%3A%2F%2Fnews.example"],
    ["as a root URL with a slash", "https%3A%2F%2Fnews.example%2F"],
  ])("accepts the site %s", async (_name, root) => {
    expect((await list("", root)).status).toBe(200);
  });

  test.each([
    ["a site that there is not", "", "other.example", 404],
    ["a page in the place of a site", "", "https%3A%2F%2Fnews.example%2Fa", 400],
    ["a broken encoding", "", "%ZZ", 400],
    ["a page size of 0", "?pageSize=0", "news.example", 400],
    ["a page size above the largest", "?pageSize=51", "news.example", 400],
    ["a page size that is not a number", "?pageSize=ten", "news.example", 400],
    ["a negative page size", "?pageSize=-1", "news.example", 400],
    ["an invented page token", "?pageToken=abc", "news.example", 400],
  ])("is refused for %s", async (_name, query, root, status) => {
    expect((await list(query, root)).status).toBe(status);
  });

  test("accepts the largest page size", async () => {
    expect((await list("?pageSize=50", "big.example")).json.pages).toHaveLength(50);
  });

  test("refuses the page token of another site", async () => {
    const { pageToken } = (await list("?pageSize=1")).json;
    expect((await list(`?pageToken=${pageToken}`, "big.example")).status).toBe(400);
  });

  test("treats an empty page token as the first page", async () => {
    expect(paths(await list("?pageToken="))[0]).toBe("/a");
  });

  test("needs a key", async () => {
    expect((await call(gateway, "GET", "/dev/v2/content/news.example/catalog/list", {})).status).toBe(401);
  });

  test("shows a changed page first, and added and removed pages correctly", async () => {
    gateway.addPage({ url: "https://news.example/new", lastMod: "2026-02-01T00:00:00Z" });
    gateway.updatePage({ url: "https://news.example/free", lastMod: "2026-03-01T00:00:00Z" });
    gateway.removePage("https://news.example/custom");
    expect(paths(await list("?pageSize=10"))).toEqual(["/free", "/new", "/a", "/closed"]);
  });

  test("is not confused with a page when its own slashes are encoded", async () => {
    const encoded = await call(gateway, "GET", "/dev/v2/content/news.example%2Fcatalog%2Flist", KEY);
    expect(encoded.status).toBe(401);
    expect(encoded.json.code).toBe("agent-unknown");
  });
});

test("a synthetic site of 200,000 pages answers its first and its last page", async () => {
  const big = await startGateway({ sites: [{ host: "big.example", kind: "synthetic", pages: 200_000 }] });
  const first = await call(big, "GET", "/dev/v2/content/big.example/catalog/list?pageSize=1", KEY);
  expect(first.json.pages[0].pageUrl).toBe("https://big.example/articles/0000000");
  for (const [index, status] of [
    ["0199999", 200],
    ["0200000", 404],
  ] as const) {
    const path = `/dev/v2/rates/${encodeURIComponent(`https://big.example/articles/${index}`)}`;
    expect((await call(big, "GET", path, KEY)).status).toBe(status);
  }
  await big.close();
});
