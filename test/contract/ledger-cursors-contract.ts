import { describe, expect, it } from "vitest";
import type { CursorRequest } from "../../src/ledger/document-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { toSettlement } from "../doubles/ledger-steps.ts";

const ALIVE_MS = 60_000;
const ME = { name: "index", process: "here:1:a", now: NOON, aliveMs: ALIVE_MS } as const;
const OTHER = { ...ME, process: "here:2:b" } as const;
const ALL = { afterSeq: 0, throughSeq: Number.MAX_SAFE_INTEGER, host: null, runId: null, limit: 100 } as const;

const take = (ledger: Ledger, request: Partial<CursorRequest> = {}) =>
  ledger.takeCursor({ ...ME, selection: "all documents", gone: null, ...request });

/** What every ledger promises to readers that want each document exactly once. */
export function describeCursors(open: () => Promise<Ledger>): void {
  const paths = async (ledger: Ledger, query: Partial<Parameters<Ledger["readSettled"]>[0]> = {}) =>
    (await ledger.readSettled({ ...ALL, ...query })).map(({ url }) => new URL(url).pathname);

  describe("settled documents", () => {
    it("are in order of settlement, also where a run that began earlier settles later", async () => {
      const ledger = await open();
      expect(await ledger.readLastSettled()).toBe(0);
      const [late] = await startPages(ledger, { runId: "run_1", paths: ["/late"] });
      await buyPages(ledger, { runId: "run_2", paths: ["/a", "/b"] });
      const before = await ledger.readLastSettled();
      await ledger.settlePurchase(toSettlement(late?.purchaseId ?? 0));
      expect(await paths(ledger)).toEqual(["/a", "/b", "/late"]);
      expect(await paths(ledger, { afterSeq: before })).toEqual(["/late"]);
      expect(await paths(ledger, { throughSeq: before, limit: 1 })).toEqual(["/a"]);
      expect(await ledger.readLastSettled()).toBeGreaterThan(before);
    });

    it("leave out a version that was bought anew, unless the range ends before; of a run all are read", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
      const before = await ledger.readLastSettled();
      const [again] = await buyPages(ledger, { runId: "run_2", paths: ["/a"] });
      expect(await paths(ledger)).toEqual(["/b", "/a"]);
      expect(await ledger.readSettled({ ...ALL, afterSeq: before })).toMatchObject([{ purchaseId: again }]);
      expect(await paths(ledger, { throughSeq: before })).toEqual(["/a", "/b"]);
      expect(await paths(ledger, { runId: "run_1" })).toEqual(["/a", "/b"]);
      expect(await paths(ledger, { host: "blog.example" })).toEqual([]);
      await expect(paths(ledger, { runId: "run_9" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    });

    it("say whether Markdown is still to be derived", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a"], format: "both" });
      const [document] = await ledger.readSettled(ALL);
      expect(document).toMatchObject({ markdown: null, isMarkdownPending: true });
      const purchaseId = document?.purchaseId ?? 0;
      await ledger.recordMarkdown({ purchaseId, markdown: "# A", failure: null });
      expect(await ledger.readSettled(ALL)).toMatchObject([{ markdown: "# A", isMarkdownPending: false }]);
    });
  });

  describe("a cursor", () => {
    it("begins before the first document, moves forward only, and stays where it is", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b", "/c"] });
      expect(await take(ledger)).toEqual({ kind: "taken", seq: 0, pending: null });
      expect(await ledger.advanceCursor({ ...ME, seq: 2 })).toBe(true);
      expect(await ledger.advanceCursor({ ...ME, seq: 1 })).toBe(true);
      expect(await take(ledger)).toMatchObject({ kind: "taken", seq: 2 });
      await ledger.releaseCursor(ME);
      // A reader that has stored a document may say so after it has left.
      expect(await ledger.advanceCursor({ ...ME, seq: 3 })).toBe(true);
      expect(await take(ledger, OTHER)).toMatchObject({ kind: "taken", seq: 3 });
      expect(await ledger.advanceCursor({ ...ME, seq: 4 })).toBe(false);
    });

    it("has one reader, until it leaves, has ended, or gave no sign of life for too long", async () => {
      const ledger = await open();
      await take(ledger);
      expect(await ledger.readCursorProcess("index")).toBe(ME.process);
      expect(await take(ledger, OTHER)).toEqual({ kind: "alive", process: ME.process });
      expect(await take(ledger, { ...OTHER, gone: "here:3:c" })).toMatchObject({ kind: "alive" });
      expect(await take(ledger, { ...OTHER, gone: ME.process })).toMatchObject({ kind: "taken" });
      expect(await ledger.renewCursor(ME)).toBe(false);
      expect(await ledger.renewCursor({ ...OTHER, now: NOON + ALIVE_MS })).toBe(true);
      expect(await take(ledger, { now: NOON + ALIVE_MS })).toMatchObject({ kind: "alive" });
      expect(await take(ledger, { now: NOON + 2 * ALIVE_MS })).toMatchObject({ kind: "taken" });
      await ledger.releaseCursor(OTHER);
      expect(await ledger.readCursorProcess("index")).toBe(ME.process);
      // A clock that was set back far.
      expect(await take(ledger, { ...OTHER, now: NOON - 9 * ALIVE_MS })).toMatchObject({ kind: "taken" });
    });

    it("is of one selection for ever", async () => {
      const ledger = await open();
      await take(ledger, { selection: "all documents of news.example" });
      expect(await take(ledger)).toEqual({ kind: "other_selection", selection: "all documents of news.example" });
    });

    it("fixes a range, which stays as it is until the cursor has passed it", async () => {
      const ledger = await open();
      await take(ledger);
      const fix = () => ledger.fixRange({ ...ME, target: "out" });
      expect(await fix()).toBeNull();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
      const first = { afterSeq: 0, throughSeq: 2, target: "out" };
      expect(await fix()).toEqual(first);
      await buyPages(ledger, { runId: "run_2", paths: ["/c"] });
      expect(await fix()).toEqual(first);
      await ledger.releaseCursor(ME);
      expect(await fix()).toBeNull();
      expect(await take(ledger)).toEqual({ kind: "taken", seq: 0, pending: first });
      await ledger.advanceCursor({ ...ME, seq: 1 });
      expect(await take(ledger)).toMatchObject({ seq: 1, pending: { throughSeq: 2 } });
      await ledger.advanceCursor({ ...ME, seq: 2 });
      expect(await fix()).toEqual({ afterSeq: 2, throughSeq: 3, target: "out" });
    });

    it("is refused where it is further than the documents, and the audit says so", async () => {
      const ledger = await open();
      await take(ledger);
      await ledger.advanceCursor({ ...ME, seq: 7 });
      expect(await take(ledger)).toEqual({ kind: "ahead", seq: 7, lastSeq: 0 });
      const { violations } = await ledger.audit({ budgets: [], now: NOON });
      expect(violations).toEqual([
        { promise: 4, detail: expect.stringContaining("the cursor index is at document 7") },
      ]);
    });
  });
}
