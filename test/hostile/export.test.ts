/** What `licet export` writes, whatever the pages are called: the whole tree around its directory, before and after. */

import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openExportDirectory } from "../../src/cli/export/export-directory.ts";
import { exportMarkdown } from "../../src/cli/export/export-markdown.ts";
import type { StoredDocument } from "../../src/ledger/ledger-reports.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { exportJsonl } from "../doubles/export-jsonl.ts";
import { nastyText, SEED } from "./hostile-values.ts";
import { API_KEY, createHostileWorld, type HostileWorld } from "./hostile-world.ts";

const HOST = "https://news.example";
const SEGMENTS = [
  ..."..|.|%2e%2e|%2E%2e%2f|..%2f..%2f..%2fetc|%5c..%5c..|%00|a%00.md|CON|con.txt|nul|COM1|aux.|lpt9.md".split("|"),
  ..."~|~root|-rf|$HOME|`id`|*|?|a:b|C:%5cboot|a.md|index|index.md|.git|.ssh|%20|a |a.|documents.jsonl|%c0%ae%c0%ae".split(
    "|",
  ),
  "x".repeat(300),
  "é",
  "e\u0301",
  "ﬁ",
  "ß",
  "İ",
  "\u202egpj",
  "Ⅷ",
  "日".repeat(100),
];
const anyUrl = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...SEGMENTS), nastyText, fc.string({ maxLength: 10 })), { maxLength: 12 }),
    fc.oneof(
      fc.constant(""),
      nastyText.map((query) => `?${query}`),
    ),
  )
  .map(([segments, query]) => `${HOST}/${segments.join("/")}${query}`)
  .filter((url) => URL.canParse(url) && new URL(url).host === "news.example")
  .map((url) => new URL(url).href.replace(/#.*$/, ""));

/** Every file, directory and link below, with what it holds. Links are not followed. */
async function photograph(root: string): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  for (const name of await readdir(root, { recursive: true })) {
    const path = join(root, name);
    const stats = await lstat(path);
    const what = stats.isSymbolicLink()
      ? `link to ${await readlink(path)}`
      : stats.isFile()
        ? await readFile(path, "utf8")
        : "directory";
    tree.set(relative(root, path), what);
  }
  return tree;
}

const outsideOf = (tree: Map<string, string>) =>
  new Map([...tree].filter(([name]) => name !== "out" && !name.startsWith("out/")));

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "licet-hostile-export-"));
  await mkdir(join(root, "etc"));
  await writeFile(join(root, "etc", "passwd"), "mine");
  await writeFile(join(root, "victim"), "mine");
});
afterEach(() => rm(root, { recursive: true, force: true }));

const document = (url: string, part: Partial<StoredDocument> = {}): StoredDocument => ({
  url,
  host: "news.example",
  purchaseId: 1,
  purchaseUrl: url,
  rule: null,
  runId: "run_1",
  intent: "content",
  license: null,
  priceMicros: null,
  currency: null,
  lastMod: null,
  boughtAt: 0,
  key: null,
  policyName: "standard",
  validUntilAt: null,
  retentionMs: null,
  markdown: `stored of ${url}`,
  html: null,
  header: null,
  footer: null,
  author: null,
  description: null,
  imageUrl: null,
  modified: null,
  published: null,
  title: null,
  contentHash: "ab".repeat(32),
  conversionFailure: null,
  ...part,
});

async function* each(documents: readonly StoredDocument[]) {
  yield* documents;
}

const NEVER = new AbortController().signal;

test("each page of any name is a file of its own below the directory, and nothing outside changes", () =>
  fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyUrl, { minLength: 1, maxLength: 15 }), async (urls) => {
      await rm(join(root, "out"), { recursive: true, force: true });
      const before = await photograph(root);
      const out = await openExportDirectory(join(root, "out"));
      await exportMarkdown(out, each(urls.map((url) => document(url))), NEVER);
      const after = await photograph(root);
      expect(outsideOf(after)).toEqual(before);
      const files = [...after].filter(([name, what]) => name.startsWith("out/") && what !== "directory");
      expect(files).toHaveLength(urls.length);
      // Each holds its own page: none was written over by another one.
      expect(files.map(([, text]) => /stored of (.*)\n$/.exec(text)?.[1]).sort()).toEqual([...urls].sort());
      // On a file system that knows neither case nor forms of letters they would still be as many.
      expect(new Set(files.map(([name]) => name.toLowerCase().normalize("NFKC"))).size).toBeLessThanOrEqual(
        urls.length,
      );
      expect(new Set(files.map(([name]) => name.toLowerCase().normalize("NFC"))).size).toBe(urls.length);
    }),
    { ...SEED, numRuns: 40 },
  ));

describe("links in the directory lead nothing out of it", () => {
  const URLS = [`${HOST}/a`, `${HOST}/dir/b`, `${HOST}/dir/deep/c`];
  const placed = fc.array(
    fc.record({
      at: fc.constantFrom(
        "news.example",
        "news.example/a.md",
        "news.example/dir",
        "news.example/dir/b.md",
        "news.example/dir/deep",
        "documents.jsonl",
      ),
      to: fc.constantFrom(
        "../../etc",
        "../../../etc",
        "../victim",
        "../../victim",
        "../../../victim",
        "../../../etc/passwd",
        ".",
        "..",
        "nowhere",
        "/dev/null",
        "a.md",
      ),
    }),
    { minLength: 1, maxLength: 3 },
  );

  test("wherever they are and lead", () =>
    fc.assert(
      fc.asyncProperty(placed, fc.boolean(), async (links, lines) => {
        const own = join(root, "out");
        await rm(own, { recursive: true, force: true });
        await mkdir(own);
        for (const { at, to } of links) {
          await mkdir(join(own, at, ".."), { recursive: true }).catch(() => undefined);
          await symlink(to, join(own, at)).catch(() => undefined);
        }
        const before = outsideOf(await photograph(root));
        const out = await openExportDirectory(own);
        const documents = each(URLS.map((url) => document(url)));
        const work = lines ? exportJsonl(out, documents, NEVER) : exportMarkdown(out, documents, NEVER);
        const end = await work.then(
          () => "written",
          (error: { readonly code?: string }) => error.code,
        );
        expect(["written", "EXPORT_UNWRITABLE"]).toContain(end);
        expect(outsideOf(await photograph(root))).toEqual(before);
      }),
      { ...SEED, numRuns: 20 },
    ));
});

describe("the command, over pages that a gateway named", () => {
  const NAMES = [
    "/../../../../victim",
    "/%2e%2e/%2e%2e/victim",
    "/..%2f..%2f..%2fvictim",
    "/a%00b",
    "/CON",
    "/A",
    "/a",
    "/a.md/b",
    "/a.md",
    "/é",
    "/e\u0301",
    `/${"x".repeat(1_900)}`,
    "/?../../victim",
    "/A?",
  ];
  let world: HostileWorld;
  beforeAll(async () => {
    world = await createHostileWorld({ pages: NAMES.map((name) => new URL(name, HOST).href) });
    await world.run();
  });
  afterAll(() => world.close());

  test.each(["markdown", "jsonl"])("writes %s only into its directory, also when the path climbs", async (format) => {
    const place = join(world.directory, "place");
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "victim"), "mine");
    const stored = world.query<{ count: number }>("SELECT count(*) AS count FROM content")[0]?.count ?? 0;
    const { code, stdout } = await cliHere(["export", "--format", format, "--out", `place/../place/./out`, "--json"], {
      cwd: world.directory,
      env: { LICET_API_KEY: API_KEY },
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { documents: stored, out: join(place, "out") }]);
    expect(outsideOf(await photograph(place))).toEqual(new Map([["victim", "mine"]]));
    const files = [...(await photograph(join(place, "out")))].filter(([, what]) => what !== "directory");
    expect(stored).toBeGreaterThan(NAMES.length - 4);
    expect(files.filter(([name]) => name.endsWith(format === "jsonl" ? ".jsonl" : ".md"))).toHaveLength(
      format === "jsonl" ? 1 : stored,
    );
  });
});
