/** The sandbox's section of docs/commands.md against the sandbox. */
import { expect, test } from "vitest";
import { CONTROL_PREFIX, CONTROL_REQUESTS } from "../../../src/sandbox/control/control.ts";
import { codeIn, read, tableBelow } from "../../tidy/repository.ts";

const section = read("docs/commands.md").split(/^## licet sandbox$/m)[1] ?? "";

test("each control request has its row", () => {
  const requests = tableBelow(section, "### Requests that change the sandbox").flatMap(([cell = ""]) => codeIn(cell));
  const named = requests.map((request) => request.replace(CONTROL_PREFIX, "").replace(/\?.*/, ""));
  expect(named.sort()).toEqual([...CONTROL_REQUESTS].sort());
});
