import { describe, expect, it } from "vitest";
import { deriveMarkdown, deriveMissingMarkdown } from "../../../src/pipeline/settle/derive-markdown.ts";
import type { MarkdownConversion } from "../../../src/pipeline/stage-deps.ts";

type Conversion = Awaited<ReturnType<MarkdownConversion["convert"]>>;

const PAGE = { purchaseId: 1, url: "https://news.example/a", html: "<p>a</p>" };

/** A ledger's outbox of pages without Markdown. */
function open(purchaseIds: readonly number[], convert: (url: string) => Conversion) {
  const left = new Map(purchaseIds.map((id) => [id, { ...PAGE, purchaseId: id, url: `https://news.example/${id}` }]));
  const recorded: { purchaseId: number; markdown: string | null; failure: string | null }[] = [];
  let converted = 0;
  const deps = {
    converter: {
      convert: async (_html: string, url: string) => {
        converted++;
        return convert(url);
      },
    },
    ledger: {
      listUnderived: async (limit: number) => [...left.values()].slice(0, limit),
      recordMarkdown: async (derived: (typeof recorded)[number]) => {
        recorded.push(derived);
        return left.delete(derived.purchaseId);
      },
    },
  } as unknown as Parameters<typeof deriveMissingMarkdown>[0];
  return { deps, recorded, left, converted: () => converted };
}

const busy: Conversion = { ok: false, reason: "queue_full", detail: "too many wait" };

describe("deriving Markdown", () => {
  it.each<[string, Conversion, boolean, object[]]>([
    ["stores what was derived", { ok: true, markdown: "a" }, true, [{ purchaseId: 1, markdown: "a", failure: null }]],
    [
      "stores why a page has none",
      { ok: false, reason: "too_deep", detail: "9,000 levels" },
      true,
      [{ purchaseId: 1, markdown: null, failure: "too_deep: 9,000 levels" }],
    ],
    ["leaves a page for later when the converter is busy", busy, false, []],
    ["leaves a page for later when the converter is closed", { ok: false, reason: "closed", detail: "" }, false, []],
  ])("%s", async (_name, conversion, tried, stored) => {
    const { deps, recorded } = open([1], () => conversion);
    expect(await deriveMarkdown(deps, PAGE)).toBe(tried);
    expect(recorded).toEqual(stored);
  });

  it("derives every missing page, a bounded number at a time", async () => {
    const ids = Array.from({ length: 40 }, (_, index) => index + 1);
    const { deps, recorded, left } = open(ids, () => ({ ok: true, markdown: "a" }));
    await deriveMissingMarkdown(deps);
    expect(left.size).toBe(0);
    expect(recorded).toHaveLength(40);
  });

  it("ends when nothing can be derived now, and keeps those pages for the next time", async () => {
    const { deps, left, converted } = open([1, 2, 3], () => busy);
    await deriveMissingMarkdown(deps);
    expect(left.size).toBe(3);
    expect(converted()).toBe(3);
  });

  it("skips a page that can only be derived later", async () => {
    const { deps, left } = open([1, 2, 3], (url) => (url.endsWith("/1") ? busy : { ok: true, markdown: "a" }));
    await deriveMissingMarkdown(deps);
    expect([...left.keys()]).toEqual([1]);
  });
});
