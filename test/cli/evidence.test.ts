/** What a lawyer asks: what was bought, under which licence, paid how, used when, removed why; and is this document what it says. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

interface Document {
  readonly url: string;
  readonly hash: string;
  readonly markdown: string;
}
interface Evidence {
  readonly subject: string;
  readonly hashCovers: string;
  readonly versions: readonly (Record<string, unknown> & {
    readonly hash: string;
    readonly uses: readonly unknown[];
  })[];
  readonly acts: readonly unknown[];
}

let world: CliWorld;
let documents: Document[];
const FILE = "exported/documents.jsonl";

beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(3)], rates: ONE_PRICE });
  await world.cli("run");
  await world.cli("export", "--format", "jsonl", "--out", "exported");
  const text = await readFile(join(world.directory, FILE), "utf8");
  documents = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
});

afterAll(() => world.close());

const evidenceOf = async (...args: string[]) => (await world.json("evidence", ...args)).value as Evidence;
const first = () => documents[0] as Document;

describe("licet evidence", () => {
  test("says what was bought, under which licence, what was paid, and how its use was reported", async () => {
    const { versions, hashCovers, subject } = await evidenceOf(first().url);
    expect(subject).toBe(first().url);
    expect(hashCovers).toContain("SHA-256");
    expect(versions).toMatchObject([
      {
        hash: first().hash,
        quotedMicros: 10_000,
        tokenCapMicros: 10_000,
        chargedMicros: 10_000,
        currency: "USD",
        licenseText: expect.stringContaining("a standard licence"),
        rule: expect.any(String),
        purged: null,
        rights: null,
        boughtAt: expect.stringMatching(/Z$/),
        uses: [{ kind: "fetch", state: "settled", receipts: [{ currency: "USD" }] }],
      },
    ]);
    const { stdout } = await world.cli("evidence", first().url);
    for (const words of [
      first().hash,
      "token up to 0.01 USD",
      "charged 0.01 USD",
      "a standard licence",
      "licet-content-1",
    ]) {
      expect(stdout).toContain(words);
    }
  });

  test.each([
    ["with sha256: before it", ""],
    ["in hexadecimal", "sha256:"],
  ])("finds a hash %s", async (_form, removed) => {
    const { versions, subject } = await evidenceOf(first().hash.replace(removed, ""));
    expect(subject).toBe(first().hash);
    expect(versions.map(({ url }) => url)).toContain(first().url);
  });

  test("writes it to a file, as --json prints it", async () => {
    const { code, stdout } = await world.cli("evidence", first().url, "--out", "evidence.json");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("evidence.json") });
    const written = JSON.parse(await readFile(join(world.directory, "evidence.json"), "utf8"));
    expect(written.versions).toEqual((await evidenceOf(first().url)).versions);
    const nowhere = await world.cli("evidence", first().url, "--out", "nowhere/evidence.json");
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be written") });
  });

  test("works for a purged page, and says when, why and by whom", async () => {
    const purged = documents[1] as Document;
    const word = ["--reason", "letter of 3 May", "--by", "anna", "--yes"];
    await world.cli("purge", "--url", purged.url, ...word);
    for (const asked of [purged.url, purged.hash]) {
      const { versions } = await evidenceOf(asked);
      expect(versions.filter(({ url }) => url === purged.url)).toMatchObject([
        { hash: purged.hash, chargedMicros: 10_000, purged: { by: "anna", reason: "letter of 3 May" } },
      ]);
    }
    const { stdout } = await world.cli("evidence", purged.url);
    expect(stdout).toMatch(/\(purged\)/);
    expect(stdout).toMatch(/UTC by anna \(named: letter of 3 May\)/);
  });

  test.each([
    ["a page that was never bought", ["https://news.example/never"], 1, "has no version of"],
    ["a hash of nothing", [`sha256:${"0".repeat(64)}`], 1, "has no version of"],
    ["what is neither", ["not-a-page"], 2, "is not the URL of a page"],
    ["nothing", [], 2, "name a page, a hash"],
    ["two things", ["https://news.example/a", "--verify", FILE], 2, "one of them"],
  ])("of %s says so", async (_name, args, code, words) => {
    expect(await world.cli("evidence", ...args)).toMatchObject({ code, stderr: expect.stringContaining(words) });
  });
});

describe("licet evidence --verify", () => {
  test("says match, also of a compressed file, and without a configuration", async () => {
    expect(await world.cli("evidence", "--verify", FILE)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^match: 3 documents/),
    });
    await writeFile(join(world.directory, "packed.jsonl.gz"), gzipSync(await readFile(join(world.directory, FILE))));
    const packed = await world.json("--config", "no-such.yaml", "evidence", "--verify", "packed.jsonl.gz");
    expect(packed).toMatchObject({ code: 0, value: { ok: true, match: 3, noMatch: 0, mismatches: [] } });
  });

  test("says no match of a text that was changed by one letter, and which one", async () => {
    const changed = documents.map((one, index) => (index === 1 ? { ...one, markdown: `${one.markdown}x` } : one));
    await writeFile(
      join(world.directory, "changed.jsonl"),
      `${changed.map((one) => JSON.stringify(one)).join("\n")}\n`,
    );
    expect(await world.json("evidence", "--verify", "changed.jsonl")).toMatchObject({
      code: 1,
      value: {
        ok: false,
        match: 2,
        noMatch: 1,
        mismatches: [{ line: 2, url: documents[1]?.url, named: documents[1]?.hash }],
      },
    });
    expect((await world.cli("evidence", "--verify", "changed.jsonl")).stdout).toContain("no match: 1 of 3 documents");
  });

  test.each([
    ["a file that is not there", "nowhere.jsonl", null, "cannot be read (ENOENT)"],
    ["a file without documents", "other.jsonl", '{"url":"https://news.example/a"}\n', "line 1 of"],
    ["a file that is not JSON", "text.md", "# A page\n", "is not a document with its texts"],
  ])("refuses %s", async (_name, file, content, words) => {
    if (content !== null) {
      await writeFile(join(world.directory, file), content);
    }
    expect(await world.cli("evidence", "--verify", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(words),
    });
  });

  test("has nothing to say of an empty file", async () => {
    await writeFile(join(world.directory, "empty.jsonl"), "");
    expect(await world.cli("evidence", "--verify", "empty.jsonl")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("no document is in"),
    });
  });
});
