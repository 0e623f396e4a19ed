import { expect, test } from "vitest";
import { html } from "../../../../src/serve/web/html/html.ts";
import { createWrittenBodies } from "../../../../src/serve/web/written-bodies.ts";

test("a page is written once for those who share a reading of it, and for nobody else", () => {
  const writeBody = createWrittenBodies();
  let written = 0;
  const write = () => html`<p>${++written}</p>`;
  const [one, other] = [{}, {}];
  expect(String(writeBody(one, "true /runs", write))).toBe("<p>1</p>");
  expect(String(writeBody(one, "true /runs", write))).toBe("<p>1</p>");
  expect(String(writeBody(one, "false /runs", write))).toBe("<p>2</p>");
  expect(String(writeBody(other, "true /runs", write))).toBe("<p>3</p>");
});
