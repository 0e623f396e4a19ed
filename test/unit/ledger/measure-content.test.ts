/** What a transaction is bounded by: the bytes of content that its operations write. */
import { expect, it } from "vitest";
import { measureContent } from "../../../src/ledger/gathering/measure-content.ts";

it.each([
  { what: "a settlement", asked: { content: { markdown: Buffer.alloc(70), html: null, header: "12345" } }, size: 75 },
  { what: "Markdown that was derived", asked: { purchaseId: 1, markdown: "123" }, size: 3 },
  { what: "a purchase without content", asked: { content: null, url: "https://a.example/" }, size: 0 },
  { what: "an operation that asks for nothing", asked: undefined, size: 0 },
  { what: "a list", asked: ["https://a.example/"], size: 0 },
])("of $what", ({ asked, size }) => {
  expect(measureContent(asked)).toBe(size);
});
