import { expect, it } from "vitest";
import { toToolHint } from "../../../src/mcp/tool-hint.ts";

it.each([
  ["`licet fetch` buys it when it is needed", "the tool fetch buys it when it is needed"],
  ["It was never bought: licet explain URL", "It was never bought: the tool explain"],
  ["Try again later.", "Try again later."],
  ["`licet status` lists the runs.", "Ask a person, who has these commands. `licet status` lists the runs."],
])("says for an agent: %j", (hint, expected) => {
  expect(toToolHint(hint)).toBe(expected);
});
