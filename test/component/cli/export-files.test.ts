import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { openExportDirectory } from "../../../src/cli/export/export-directory.ts";
import { exportMarkdown } from "../../../src/cli/export/export-markdown.ts";
import { frontMatter } from "../../../src/cli/export/front-matter.ts";
import type { StoredDocument } from "../../../src/ledger/ledger-reports.ts";
import { exportJsonl } from "../../doubles/export-jsonl.ts";
import { toDocument } from "../../doubles/stored-document.ts";

const NEVER = new AbortController().signal;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-export-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const page = toDocument;

async function* each(...documents: StoredDocument[]) {
  yield* documents;
}

test("only the owner can read the written files; an existing directory keeps its permissions", async () => {
  const out = join(directory, "deep", "er");
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  await chmod(directory, 0o755);
  const open = await openExportDirectory(out);
  await exportMarkdown(open, each(page("https://news.example/2026/a")), NEVER);
  await exportJsonl(open, each(page("https://news.example/2026/a")), NEVER);
  expect(await modeOf(directory)).toBe("755");
  for (const made of [join(directory, "deep"), out, join(out, "news.example"), join(out, "news.example", "2026")]) {
    expect(await modeOf(made), made).toBe("700");
  }
  const files = [join(out, "news.example", "2026", "a.md"), join(out, "documents.jsonl")];
  for (const file of files) {
    expect(await modeOf(file), file).toBe("600");
    await chmod(file, 0o644);
  }
  await exportMarkdown(open, each(page("https://news.example/2026/a")), NEVER);
  await exportJsonl(open, each(page("https://news.example/2026/a")), NEVER);
  for (const file of files) {
    expect(await modeOf(file), file).toBe("600");
  }
});

describe("markdown", () => {
  test("writes a page with its front matter", async () => {
    const out = await openExportDirectory(join(directory, "new", "out"));
    const outcome = await exportMarkdown(out, each(page("https://news.example/2026/a")), NEVER);
    expect(outcome).toMatchObject({ documents: 1, files: 1, skippedCount: 0 });
    const text = await readFile(join(out.path, "news.example/2026/a.md"), "utf8");
    const [, yaml = "", body] = text.split("---\n");
    expect(body).toBe("\n# Text\n");
    expect(parse(yaml)).toEqual({
      url: "https://news.example/2026/a",
      title: "A title",
      author: "A. Writer",
      lastMod: "2026-01-02",
      intent: "content",
      license: "ON_DEMAND_LICENSE",
      licenseId: "c1",
      licenseUrl: "https://l.example/c1",
      permissions: ["FULL_USE"],
      price: "0.0125 USD",
      bought: "2023-11-14T22:13:20.000Z",
      rule: "allow everything",
      purchase: 7,
      run: "run_1",
      contentHash: "ab".repeat(32),
      hash: `sha256:${"ab".repeat(32)}`,
    });
    expect(outcome.bytes).toBe(Buffer.byteLength(text));
  });

  test("skips a page without Markdown and says why", async () => {
    const out = await openExportDirectory(directory);
    const empty = page("https://news.example/h", { markdown: null, html: null });
    const failed = page("https://news.example/f", { markdown: null, html: "<p>", conversionFailure: "timed_out" });
    expect(await exportMarkdown(out, each(empty, failed), NEVER)).toMatchObject({
      documents: 0,
      skippedCount: 2,
      skipped: [
        { url: empty.url, reason: expect.stringContaining("no main content") },
        { url: failed.url, reason: expect.stringContaining("timed_out") },
      ],
    });
  });

  test("does not replace a file that no export wrote, and replaces one of an export, whatever its title is", async () => {
    const out = await openExportDirectory(directory);
    const file = join(out.path, "news.example", "a.md");
    await exportMarkdown(
      out,
      each(page("https://news.example/a", { title: "---\n x", description: "d".repeat(20_000) })),
      NEVER,
    );
    await exportMarkdown(out, each(page("https://news.example/a", { markdown: "newer" })), NEVER);
    expect(await readFile(file, "utf8")).toContain("newer");
    await writeFile(file, "---\ntitle: mine\n---\n");
    await expect(exportMarkdown(out, each(page("https://news.example/a")), NEVER)).rejects.toMatchObject({
      code: "EXPORT_UNWRITABLE",
    });
    expect(await readFile(file, "utf8")).toBe("---\ntitle: mine\n---\n");
  });

  test("does not follow a symlink out of the directory", async () => {
    const out = await openExportDirectory(join(directory, "out"));
    const outside = join(directory, "outside");
    await mkdir(outside);
    await symlink(outside, join(out.path, "news.example"));
    await expect(exportMarkdown(out, each(page("https://news.example/a")), NEVER)).rejects.toMatchObject({
      code: "EXPORT_UNWRITABLE",
      message: expect.stringContaining("symbolic link"),
    });
    expect(await readdir(outside)).toEqual([]);
  });

  test("replaces a symlink at a file's path, and does not change the symlink's target", async () => {
    const out = await openExportDirectory(join(directory, "out"));
    const victim = join(directory, "victim");
    await writeFile(victim, "mine");
    await mkdir(join(out.path, "news.example"));
    await symlink(victim, join(out.path, "news.example", "a.md"));
    await exportMarkdown(out, each(page("https://news.example/a")), NEVER);
    expect(await readFile(victim, "utf8")).toBe("mine");
    expect(await readFile(join(out.path, "news.example", "a.md"), "utf8")).toContain("# Text");
  });

  test("an --out that is a symlink is followed", async () => {
    await mkdir(join(directory, "real"));
    await symlink(join(directory, "real"), join(directory, "link"));
    const out = await openExportDirectory(join(directory, "link"));
    await exportMarkdown(out, each(page("https://news.example/a")), NEVER);
    expect(await readdir(join(directory, "real"))).toEqual(["news.example"]);
  });

  test.each([
    ["a file where a directory belongs", "news.example", "not a directory"],
    ["a directory where a file belongs", "news.example/a.md/x", "cannot be written"],
  ])("%s is EXPORT_UNWRITABLE, and no temporary file stays", async (_, taken, message) => {
    const out = await openExportDirectory(directory);
    const path = join(directory, taken);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, "");
    await expect(exportMarkdown(out, each(page("https://news.example/a")), NEVER)).rejects.toMatchObject({
      code: "EXPORT_UNWRITABLE",
      message: expect.stringContaining(message),
    });
    const left = await readdir(directory, { recursive: true });
    expect(left.filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});

describe("jsonl", () => {
  test("writes one line a document, as the ledger stores it", async () => {
    const out = await openExportDirectory(directory);
    const documents = [page("https://news.example/a"), page("https://news.example/b", { html: "<p>\u2028</p>\n" })];
    await exportJsonl(out, each(...documents), NEVER);
    const lines = (await readFile(join(directory, "documents.jsonl"), "utf8")).trim().split("\n");
    const boughtAt = "2023-11-14T22:13:20.000Z";
    const facts = { boughtAt, hash: `sha256:${"ab".repeat(32)}` };
    expect(lines.map((line) => JSON.parse(line))).toEqual(documents.map((document) => ({ ...document, ...facts })));
  });

  test("does not replace a file that no export wrote, and replaces one of an export", async () => {
    const out = await openExportDirectory(directory);
    const file = join(directory, "documents.jsonl");
    await writeFile(file, '{"url":"https://news.example/a"}\n');
    await expect(exportJsonl(out, each(page("https://news.example/a")), NEVER)).rejects.toMatchObject({
      code: "EXPORT_UNWRITABLE",
      message: expect.stringContaining("no export of licet wrote"),
    });
    expect(await readFile(file, "utf8")).toBe('{"url":"https://news.example/a"}\n');
    await writeFile(file, "");
    await exportJsonl(out, each(page("https://news.example/a")), NEVER);
    await exportJsonl(out, each(), NEVER);
    expect(await readFile(file, "utf8")).toBe("");
    expect(await readdir(directory)).toEqual(["documents.jsonl"]);
  });

  test("an interrupted export leaves the older file complete, and nothing beside it", async () => {
    const out = await openExportDirectory(directory);
    await exportJsonl(out, each(page("https://news.example/older")), NEVER);
    const older = await readFile(join(directory, "documents.jsonl"), "utf8");
    async function* broken() {
      yield page("https://news.example/a");
      throw new Error("lost");
    }
    await expect(exportJsonl(out, broken(), NEVER)).rejects.toThrow("lost");
    const stop = new AbortController();
    stop.abort();
    await expect(exportJsonl(out, each(page("https://news.example/a")), stop.signal)).rejects.toThrow();
    expect(await readdir(directory)).toEqual(["documents.jsonl"]);
    expect(await readFile(join(directory, "documents.jsonl"), "utf8")).toBe(older);
  });

  test("a directory that cannot be created is EXPORT_UNWRITABLE", async () => {
    await writeFile(join(directory, "file"), "");
    await expect(openExportDirectory(join(directory, "file", "out"))).rejects.toMatchObject({
      code: "EXPORT_UNWRITABLE",
    });
  });
});

test("front matter comes back from YAML as the same plain texts, whatever the title of a page is", () => {
  const title = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }),
    fc.constantFrom(
      "no",
      "~",
      "1e3",
      "2026-01-02",
      "---",
      "a: b",
      "- x",
      "# y",
      '"',
      "\\",
      "'",
      "&a *a",
      "!!js",
      "{{x}}",
      "%",
    ),
  );
  fc.assert(
    fc.property(title, title, (one, other) => {
      const text = frontMatter(page("https://news.example/a", { title: one, author: other }));
      const lines = text.split("\n");
      // Nothing but the first and the last line ends or begins a block.
      expect(lines.filter((line) => line === "---")).toHaveLength(2);
      expect(lines.at(-2)).toBe("---");
      const read = parse(lines.slice(1, -2).join("\n"));
      expect(typeof (read.title ?? "")).toBe("string");
      expect(read.url).toBe("https://news.example/a");
      expect(read.contentHash).toBe("ab".repeat(32));
    }),
  );
});

test("a Markdown file and its front matter are inert; JSON lines are as received", async () => {
  const active = "<script>x</script> [a](javascript:x)";
  const part = {
    markdown: active,
    header: active,
    footer: active,
    imageUrl: "data:image/svg+xml,<svg onload=x>",
    license: { licenseType: "CUSTOM_LICENSE", cuid: "c", licensePath: "javascript:x", permissions: null },
  } as const;
  const directoryOpen = await openExportDirectory(directory);
  await exportMarkdown(directoryOpen, each(page("https://news.example/a", part)), NEVER);
  const text = await readFile(join(directory, "news.example", "a.md"), "utf8");
  expect(text).not.toMatch(/<script|\]\(javascript:|data:|licenseUrl/);
  expect(text).toContain("&lt;script>x&lt;/script> [a]\\(javascript:x)");
  await exportJsonl(directoryOpen, each(page("https://news.example/a", part)), NEVER);
  expect(JSON.parse(await readFile(join(directory, "documents.jsonl"), "utf8"))).toMatchObject(part);
});

test("Markdown that licet derived is exported as it is", async () => {
  const derived = "- a\n\n  ```\n  <b>\n  ```";
  await exportMarkdown(
    await openExportDirectory(directory),
    each(page("https://news.example/a", { markdown: derived, html: "<ul>" })),
    NEVER,
  );
  expect(await readFile(join(directory, "news.example", "a.md"), "utf8")).toContain(derived);
});
