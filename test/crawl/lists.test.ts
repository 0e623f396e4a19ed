/** `agent.run({ list })`: named pages are bought instead of a catalog, whatever the list is made of, and in however many runs. */
import { execFileSync } from "node:child_process";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { Agent, ListInput, RunReport } from "../../src/index.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 60;
const PRICE = 3_000;

let world: CrawlWorld;
afterEach(() => world.close());

async function openAgent(): Promise<Agent> {
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 500 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.003 USD" }] },
    },
    config: {
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard", exclude: ["/tag/**"] }],
    },
  });
  return world.openAgent();
}

const urls = () =>
  Array.from({ length: PAGES }, (_, index) => `https://news.example/articles/${String(index).padStart(7, "0")}`);
const fileOf = (name = "pages.txt") => join(world.directory, name);
const writeList = (lines: readonly string[], name?: string) => writeFile(fileOf(name), `${lines.join("\n")}\n`);
const spent = ({ spend }: RunReport) => spend.USD?.settledMicros ?? 0;

test("a list is bought line by line; what names no page is counted, shown and left out", async () => {
  const agent = await openAgent();
  const [a = "", b = "", c = "", d = ""] = urls();
  const object = (line: object) => JSON.stringify(line);
  await writeFile(
    fileOf(),
    [
      `\ufeff${a}`,
      "# the second one may cost less than it does",
      object({ url: b, maxPrice: "0.002 USD" }),
      "",
      object({ url: c, maxPrice: "0.003 USD", key: "doc-3" }),
      `${a}#again`,
      object({ url: d, max_price: "0.001 USD" }),
      "https://other.example/x",
      "https://news.example/tag/x",
      `${"x".repeat(70_000)}`,
    ].join("\r\n"),
  );
  const report = await agent.run({ list: { file: fileOf() } });
  expect(report).toMatchObject({
    state: "completed",
    pages: { seen: 4, excluded: 1, bought: 2, denied: 1 },
    denials: { max_price: 1 },
    list: {
      source: "list",
      path: fileOf(),
      lines: 10,
      isRead: true,
      pages: 4,
      repeated: 1,
      rejected: { unknown_field: 1, unknown_site: 1, line_too_long: 1 },
      examples: [{ line: 7, reason: "unknown_field" }, { line: 8 }, { line: 10 }],
    },
  });
  expect(spent(report)).toBe(2 * PRICE);
  const keys = [];
  for await (const { url, key } of agent.documents()) {
    keys.push([url, key]);
  }
  expect(keys).toEqual([
    [a, null],
    [c, "doc-3"],
  ]);
  const again = await agent.run({ list: [{ url: a }, c, { url: b, maxPrice: { micros: PRICE, currency: "USD" } }] });
  expect(again).toMatchObject({ pages: { unchanged: 2, bought: 1 }, list: { path: null, lines: 3, pages: 3 } });
  await compareAccounts(world.sandbox, world.ledgerFile);
});

/** The pipe is written when somebody reads it. */
function writePipe(lines: readonly string[]): string {
  const path = fileOf("pipe");
  execFileSync("mkfifo", [path]);
  void writeFile(path, `${lines.join("\n")}\n`);
  return path;
}

test.each([
  ["an array", (all: readonly string[]): ListInput => all],
  ["a generator", (all: readonly string[]): ListInput => generate(all)],
  ["a stream of bytes in gzip", (all: readonly string[]): ListInput => ({ stream: chunks(gzipSync(all.join("\n"))) })],
  ["a pipe, which can be read once", (all: readonly string[]): ListInput => ({ file: writePipe(all) })],
])("%s is a list", async (_name, toList) => {
  const agent = await openAgent();
  const report = await agent.run({ list: toList(urls()) });
  expect(report).toMatchObject({
    state: "completed",
    pages: { bought: PAGES },
    list: { lines: PAGES, isRead: true },
  });
});

test.each([
  ["plain", (text: string) => Buffer.from(text)],
  ["gzip", (text: string) => gzipSync(text)],
])(
  "a stream that breaks off, in %s, ends the run as failed with a reason, and it can be resumed",
  async (_form, pack) => {
    const agent = await openAgent();
    const bytes = pack(urls().join("\n"));
    async function* breaking() {
      yield bytes.subarray(0, bytes.length / 2);
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error("the connection was reset");
    }
    await expect(agent.run({ list: { stream: breaking() } })).rejects.toMatchObject({
      code: "LIST_UNREADABLE",
      message: expect.stringContaining("the connection was reset"),
    });
    const [left] = (await agent.status()).runs;
    expect(left).toMatchObject({ state: "failed", reason: expect.stringContaining("the connection was reset") });
    const report = await agent.run({ resume: left?.runId ?? "", list: { stream: chunks(bytes) } });
    expect(report).toMatchObject({ runId: left?.runId, state: "completed", pages: { bought: PAGES } });
  },
);

test("a gzipped list that ends too early is not a whole list", async () => {
  const agent = await openAgent();
  const bytes = gzipSync(urls().join("\n"));
  const list = { stream: chunks(bytes.subarray(0, bytes.length - 20)) };
  await expect(agent.run({ list })).rejects.toMatchObject({
    code: "LIST_UNREADABLE",
    message: expect.stringContaining("unexpected end of file"),
  });
});

test("a list that a program writes is taken as it is needed, and closed when the run is stopped", async () => {
  const agent = await openAgent();
  const stop = new AbortController();
  let closed = 0;
  agent.on("page.bought", () => stop.abort());
  const list: AsyncIterable<string> = {
    [Symbol.asyncIterator]() {
      const [url = ""] = urls();
      let given = 0;
      return {
        // The second page never comes.
        next: () => (given++ === 0 ? Promise.resolve({ done: false, value: url }) : new Promise(() => {})),
        return: () => {
          closed += 1;
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
  const report = await agent.run({ list, signal: stop.signal });
  expect(report).toMatchObject({ state: "interrupted", pages: { bought: 1 }, list: { lines: 1, isRead: false } });
  expect(closed).toBe(1);
  const rest = await agent.run({ resume: report.runId });
  expect(rest).toMatchObject({ state: "interrupted", reason: expect.stringContaining("line 1") });
  const all = await agent.run({ resume: report.runId, list: urls() });
  expect(all).toMatchObject({ state: "completed", pages: { seen: PAGES, bought: PAGES }, list: { lines: PAGES } });
  expect(spent(all)).toBe(PAGES * PRICE);
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("a list that fails ends the run, which goes on when the list is given again", async () => {
  const agent = await openAgent();
  async function* broken() {
    yield* urls().slice(0, 5);
    throw new Error("the database went away");
  }
  const error = await agent.run({ list: broken() }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "LIST_UNREADABLE", message: expect.stringContaining("the database went away") });
  const [failed] = (await agent.runs()).runs;
  const report = await agent.run({ resume: failed?.runId ?? "", list: urls() });
  expect(report).toMatchObject({ state: "completed", pages: { bought: PAGES } });
});

test("the same command goes on with an interrupted list; a changed file is a new run, or an error", async () => {
  const agent = await openAgent();
  const list = { file: fileOf() };
  // More lines than are read at once.
  const lines = urls().flatMap((url) => [url, ...Array.from({ length: 20 }, () => "#")]);
  await writeList(lines);
  const stop = new AbortController();
  agent.on("walk.page", () => stop.abort());
  const first = await agent.run({ list, signal: stop.signal });
  expect(first).toMatchObject({ state: "interrupted", list: { lines: 500, isRead: false } });

  await writeList(lines.toReversed());
  await expect(agent.run({ resume: first.runId })).rejects.toMatchObject({ code: "LIST_CHANGED" });
  const changed = await agent.run({ list });
  expect(changed.runId).not.toBe(first.runId);
  expect(changed).toMatchObject({ state: "completed", pages: { seen: PAGES } });
  expect(changed.warnings).toEqual([expect.stringContaining("has changed since run")]);

  await writeList(lines);
  const second = await agent.run({ list });
  expect(second).toMatchObject({ runId: first.runId, resumed: true, state: "completed", pages: { seen: PAGES } });
  expect(spent(second) + spent(changed)).toBe(PAGES * PRICE);
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("a run under a cap ends with lines unread, and goes on with more money, over all of the list", async () => {
  const agent = await openAgent();
  await writeList(urls());
  const first = await agent.run({ list: { file: fileOf() }, maxSpend: "0.03 USD" });
  expect(first).toMatchObject({ state: "max_spend", pages: { bought: 10 } });
  const second = await agent.run({ resume: first.runId, maxSpend: "1 USD" });
  expect(second).toMatchObject({ state: "completed", pages: { seen: PAGES, bought: PAGES }, list: { isRead: true } });
  expect(spent(second)).toBe(PAGES * PRICE);
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("lines that are added to a file while its run is interrupted are bought too", async () => {
  const agent = await openAgent();
  const all = urls();
  await writeList(all.slice(0, 20));
  const stop = new AbortController();
  agent.on("page.bought", () => stop.abort());
  const list = readSlowly(all.slice(0, 20));
  const first = await agent.run({ list, signal: stop.signal });
  await writeList(all.slice(0, 20));
  await appendFile(fileOf(), `${all.slice(20, 30).join("\n")}\n`);
  const second = await agent.run({ resume: first.runId, list: { file: fileOf() } });
  expect(second).toMatchObject({ state: "completed", pages: { bought: 30 }, list: { lines: 30 } });
});

test.each([
  ["a missing file", async () => {}, "cannot be read"],
  ["a binary file", () => writeFile(fileOf(), Buffer.from([0x89, 0x50, 0, 0, 0])), "is not UTF-8 text"],
])("%s begins nothing", async (_name, make, message) => {
  const agent = await openAgent();
  await make();
  const error = await agent.run({ list: { file: fileOf() } }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "LIST_UNREADABLE", message: expect.stringContaining(message) });
  await expect(agent.status()).rejects.toMatchObject({ code: "LEDGER_MISSING" });
  await expect(agent.run({ list: { file: world.directory } })).rejects.toMatchObject({
    message: expect.stringContaining("it is a directory"),
  });
});

test("an empty list is a complete run of no page", async () => {
  const agent = await openAgent();
  await writeFile(fileOf(), "");
  expect(await agent.run({ list: { file: fileOf() } })).toMatchObject({
    state: "completed",
    pages: { seen: 0 },
    list: { lines: 0, isRead: true, pages: 0 },
  });
});

function* generate(all: readonly string[]) {
  yield* all;
}

async function* readSlowly(all: readonly string[]) {
  for (const url of all) {
    await new Promise((resolve) => setImmediate(resolve));
    yield url;
  }
  await new Promise(() => {});
}

async function* chunks(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 100) {
    yield bytes.subarray(at, at + 100);
  }
}

test("a list that names a page under http and https, or one that is held under the other, is warned of", async () => {
  const agent = await openAgent();
  const [a = "", b = "", c = ""] = urls();
  const plain = (url: string) => url.replace("https:", "http:");
  await agent.fetch([a]);
  await writeList([b, c]);
  expect((await agent.run({ list: { file: fileOf() } })).warnings).toEqual([]);
  await writeList([plain(a)], "held.txt");
  const held = await agent.run({ list: { file: fileOf("held.txt") } });
  expect(held.warnings).toEqual([expect.stringMatching(/under both http and https, such as http:.*from the list/)]);
  await writeList(["https://news.example/x", "http://news.example/x"], "both.txt");
  const both = await agent.run({ list: { file: fileOf("both.txt") } });
  expect(both.warnings).toEqual([expect.stringContaining("such as http://news.example/x")]);
});
