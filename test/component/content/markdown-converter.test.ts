import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import {
  createMarkdownConverter,
  type MarkdownConverter,
  type MarkdownConverterOptions,
} from "../../../src/content/markdown-converter.ts";
import { PATIENCE } from "../../doubles/patience.ts";
import { standStill } from "../../doubles/stand-still.ts";

const BASE_URL = "https://news.example/a";
/** Takes turndown far longer than any limit used here: 250 levels that each look through 200,000 blank elements. */
const RUNAWAY = `${"<div>".repeat(250)}${"<b></b>".repeat(200_000)}x`;
const PAGE = "<h1>Title</h1><p>Text with <a href='/b'>a link</a>.</p>";
const MARKDOWN = "# Title\n\nText with [a link](https://news.example/b).";

const open: MarkdownConverter[] = [];

function createConverter(options?: MarkdownConverterOptions): MarkdownConverter {
  const converter = createMarkdownConverter(options);
  open.push(converter);
  return converter;
}

function countThreads(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "Worker" || resource === "MessagePort")
    .length;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((converter) => converter.close()));
});

describe("the converter", () => {
  it("converts many pages at a time in threads, each page into its own document", async () => {
    const converter = createConverter({ threads: 2 });
    const pages = Array.from({ length: 20 }, (_, n) => converter.convert(`<p>page ${n}</p>`, BASE_URL));
    expect(await Promise.all(pages)).toEqual(pages.map((_page, n) => ({ ok: true, markdown: `page ${n}` })));
    expect(await converter.convert(PAGE, BASE_URL)).toEqual({ ok: true, markdown: MARKDOWN });
  });

  it("starts no thread before the first page", async () => {
    const before = countThreads();
    const converter = createConverter({ threads: 2 });
    expect(countThreads()).toBe(before);
    const page = converter.convert(PAGE, BASE_URL);
    // The page is handed over in the next turn.
    await Promise.resolve();
    await Promise.resolve();
    expect(countThreads()).toBeGreaterThan(before);
    await page;
  });

  it("passes on the given limits, and the defaults for the rest", async () => {
    const converter = createConverter({ limits: { inputBytes: 20, nestingDepth: 4 } });
    expect(await converter.convert("<p>12345678901234</p>", BASE_URL)).toMatchObject({ reason: "input_too_large" });
    expect(await converter.convert("<p>éééééééé</p>", BASE_URL)).toMatchObject({ reason: "input_too_large" });
    expect(await converter.convert("<b><i><u>x", BASE_URL)).toMatchObject({ reason: "nested_too_deep" });
    expect(await converter.convert("<b><i>x", BASE_URL)).toEqual({ ok: true, markdown: "***x***" });
  });

  it("ends a page that exceeds its time, and continues with the waiting pages", async () => {
    // The pages that wait have as long, and that on a busy machine, where a thread begins anew.
    const converter = createConverter({ threads: 1, limits: { timeMs: 4_000 } });
    const runaway = converter.convert(RUNAWAY, BASE_URL);
    const waiting = [converter.convert(PAGE, BASE_URL), converter.convert(PAGE, BASE_URL)];
    expect(await runaway).toEqual({ ok: false, reason: "timed_out", detail: "not converted within 4000 ms" });
    expect(await Promise.all(waiting)).toEqual([
      { ok: true, markdown: MARKDOWN },
      { ok: true, markdown: MARKDOWN },
    ]);
  });

  it("takes what a thread has answered while the process stood still, also when the time is over by then", async () => {
    const converter = createConverter({ threads: 1, limits: { timeMs: 5_000 } });
    await converter.convert(PAGE, BASE_URL);
    const pages = [converter.convert(PAGE, BASE_URL), converter.convert(PAGE, BASE_URL)];
    // The turn after that of an immediate begins with the timers that are due.
    await new Promise((resolve) => setImmediate(resolve));
    standStill(7_000);
    expect(await Promise.all(pages)).toEqual(pages.map(() => ({ ok: true, markdown: MARKDOWN })));
  });

  it("loses no page that waits to a thread that answers while it is ended", async () => {
    const timeMs = 4_000;
    const converter = createConverter({ threads: 1, limits: { timeMs } });
    const pageOf = (lines: number) => "<p>some <b>text</b></p>".repeat(lines);
    const lines = 4_000;
    await converter.convert(pageOf(lines), BASE_URL);
    const from = performance.now();
    await converter.convert(pageOf(lines), BASE_URL);
    const lineMs = (performance.now() - from) / lines;
    // The same time, from the same turn: the thread answers meanwhile, and is ended then.
    setTimeout(() => setImmediate(() => standStill(2 * timeMs)), timeMs);
    const late = converter.convert(pageOf(Math.ceil((1.6 * timeMs) / lineMs)), BASE_URL);
    const waiting = converter.convert(PAGE, BASE_URL);
    await late;
    expect(await waiting).toEqual({ ok: true, markdown: MARKDOWN });
  });

  it("converts other pages while one page does not finish", async () => {
    const converter = createConverter({ threads: 2, limits: { timeMs: 60_000 } });
    // On a machine with other work, the other thread may need seconds to start.
    const runaway = converter.convert(RUNAWAY + RUNAWAY, BASE_URL);
    for (let n = 0; n < 5; n += 1) {
      expect(await converter.convert(PAGE, BASE_URL)).toMatchObject({ ok: true });
    }
    await converter.close();
    // Still at work when the other pages were done.
    expect(await runaway).toMatchObject({ ok: false, reason: "closed" });
  });

  it("treats a thread without memory as a failed page, and starts another", async () => {
    const converter = createConverter({ threads: 1, threadHeapMb: 16 });
    expect(await converter.convert("<b>x</b>".repeat(300_000), BASE_URL)).toMatchObject({
      ok: false,
      reason: "worker_failed",
    });
    expect(await converter.convert(PAGE, BASE_URL)).toEqual({ ok: true, markdown: MARKDOWN });
  });

  it("lets as many pages wait as its limit allows, and refuses one more", async () => {
    const converter = createConverter({ threads: 1, maxQueued: 2 });
    const taken = [1, 2, 3].map(() => converter.convert(PAGE, BASE_URL));
    expect(await converter.convert(PAGE, BASE_URL)).toMatchObject({ ok: false, reason: "queue_full" });
    expect(await Promise.all(taken)).toEqual(taken.map(() => ({ ok: true, markdown: MARKDOWN })));
    expect(await converter.convert(PAGE, BASE_URL)).toMatchObject({ ok: true });
  });

  it("answers every active and waiting page when it is closed, and refuses later pages", async () => {
    const converter = createConverter({ threads: 1 });
    const pages = [RUNAWAY, PAGE, PAGE].map((html) => converter.convert(html, BASE_URL));
    await converter.close();
    for (const outcome of await Promise.all(pages)) {
      expect(outcome).toMatchObject({ ok: false, reason: "closed" });
    }
    expect(await converter.convert(PAGE, BASE_URL)).toMatchObject({ ok: false, reason: "closed" });
    await converter.close();
  });

  it("closes without ever having started", async () => {
    await createConverter().close();
  });

  it("has a compiled worker to start", () => {
    expect(existsSync("dist/src/content/markdown-worker.js")).toBe(true);
  });

  it("keeps no process alive that forgot to close it, and converts when it runs from the build", async () => {
    const directory = mkdtempSync(join(tmpdir(), "licet-converter-"));
    try {
      const script = join(directory, "convert.mjs");
      const compiled = pathToFileURL("dist/src/content/markdown-converter.js").href;
      writeFileSync(
        script,
        `import { createMarkdownConverter } from ${JSON.stringify(compiled)};
         process.stdout.write(JSON.stringify(await createMarkdownConverter().convert("<p>x</p>", "https://a.example/")));`,
      );
      const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: PATIENCE.timeout });
      expect(JSON.parse(stdout)).toEqual({ ok: true, markdown: "x" });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
