import { expect, it } from "vitest";
import { PAGES } from "../../../../src/serve/web/pages/all-pages.ts";
import { codeIn, read, tableBelow } from "../../../tidy/repository.ts";

it("docs/web.md has each page with its address, and no other", () => {
  const rows = tableBelow(read("docs/web.md"), "## What it shows");
  expect(rows.map(([address = ""]) => codeIn(address)[0]).sort()).toEqual(PAGES.map(({ path }) => path).sort());
});
