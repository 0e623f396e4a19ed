import { expect, it } from "vitest";
import type { StoredDocument } from "../../../src/ledger/ledger-reports.ts";
import { createDocumentSink, type DocumentSinkOptions } from "../../../src/pipeline/settle/document-sink.ts";

const toDocument = (purchaseId: number) =>
  ({ purchaseId, url: `https://news.example/${purchaseId}`, runId: "run_1" }) as StoredDocument;

const PURCHASES = [1, 2, 3, 4, 5, 6];

function createSink(take: DocumentSinkOptions["take"], atOnce = 2) {
  const read: number[] = [];
  const readDocument = async (purchaseId: number) => {
    read.push(purchaseId);
    return purchaseId === 4 ? null : toDocument(purchaseId);
  };
  return { read, sink: createDocumentSink({ ledger: { readDocument }, take, atOnce }) };
}

it("gives each stored document, a few at once, and waits until it is taken", async () => {
  let inCall = 0;
  let most = 0;
  const taken: number[] = [];
  const { sink } = createSink(async ({ purchaseId }) => {
    most = Math.max(most, ++inCall);
    await new Promise((resolve) => setImmediate(resolve));
    inCall--;
    taken.push(purchaseId);
  });
  await Promise.all(PURCHASES.map((purchaseId) => sink.give(purchaseId)));
  expect(taken).toEqual([1, 2, 3, 5, 6]);
  expect(most).toBe(2);
});

it("after a failure gives nothing more, and fails once", async () => {
  const cause = new Error("the disk is full");
  const { sink, read } = createSink(({ purchaseId }) => {
    if (purchaseId >= 2) {
      throw cause;
    }
  }, 1);
  const ends = await Promise.allSettled(PURCHASES.map((purchaseId) => sink.give(purchaseId)));
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", ...Array(4).fill("fulfilled")]);
  expect(read).toEqual([1, 2]);
  expect(ends[1]).toMatchObject({
    reason: {
      code: "DOCUMENT_NOT_TAKEN",
      message: "onDocument failed for https://news.example/2: the disk is full",
      hint: expect.stringContaining('agent.documents({ run: "run_1" })'),
      details: { purchaseId: 2, runId: "run_1", url: "https://news.example/2" },
      cause,
    },
  });
});
