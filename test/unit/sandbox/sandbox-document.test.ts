/** The sandbox's section of docs/commands.md against the sandbox. */
import { expect, test } from "vitest";
import { CONTROL_PREFIX, CONTROL_REQUESTS } from "../../../src/sandbox/control/control.ts";
import { FAULT_GROUPS, FAULT_NAMES } from "../../../src/sandbox/faults/fault-names.ts";
import { codeIn, read, tableBelow } from "../../tidy/repository.ts";

const section = read("docs/commands.md").split(/^## licet sandbox$/m)[1] ?? "";

test("each fault has its row, with the sentence of the help", () => {
  const rows = tableBelow(section, "### Faults of the sandbox").map(([name = "", sentence]) => [
    codeIn(name)[0],
    sentence,
  ]);
  expect(Object.fromEntries(rows)).toEqual(FAULT_NAMES);
  const groups = codeIn(section.split("The groups of endpoints are")[1]?.split("|")[0] ?? "");
  expect(groups).toEqual(FAULT_GROUPS);
});

test("each control request has its row", () => {
  const requests = tableBelow(section, "### Requests that change the sandbox").flatMap(([cell = ""]) => codeIn(cell));
  const named = requests.map((request) => request.replace(CONTROL_PREFIX, "").replace(/\?.*/, ""));
  expect(named.sort()).toEqual([...CONTROL_REQUESTS].sort());
});
