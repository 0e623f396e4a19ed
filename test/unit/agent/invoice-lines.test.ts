import { expect, it } from "vitest";
import { takeInvoiceLines } from "../../../src/agent/calls/resolving-calls.ts";

async function readAll(lines: unknown) {
  const read = [];
  for await (const line of takeInvoiceLines("resolveInvoice", lines)) {
    read.push(line);
  }
  return read;
}

it("completes the lines of an invoice, with any spelling of an amount", async () => {
  const lines = [
    { purchaseId: 7 },
    { url: "https://news.example/a", amount: "0.02 USD" },
    { line: 9, url: "https://news.example/b", amount: { micros: 20_000, currency: null } },
  ];
  expect(await readAll(lines)).toEqual([
    { line: 1, purchaseId: 7, url: null, amount: null },
    { line: 2, purchaseId: null, url: "https://news.example/a", amount: { micros: 20_000, currency: "USD" } },
    { line: 9, purchaseId: null, url: "https://news.example/b", amount: { micros: 20_000, currency: null } },
  ]);
});

it.each<[line: unknown, message: RegExp]>([
  [{ adress: "https://news.example/a" }, /there is no option "adress"/],
  [{ line: 1 }, /must have a purchaseId or a url/],
  [{ purchaseId: 7, amount: 2 }, /amount must be an amount of money/],
  [{ purchaseId: 7, amount: { micros: 0.5, currency: null } }, /amount must be an amount of money/],
])("refuses the line %j", async (line, message) => {
  await expect(readAll([line])).rejects.toMatchObject({
    code: "USAGE_INVALID",
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\S/),
  });
});
