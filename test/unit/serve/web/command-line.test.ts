import { expect, it } from "vitest";
import { commandLine } from "../../../../src/serve/web/command-line.ts";

it("leaves out what is not asked for", () => {
  expect(commandLine(["status"])).toBe("licet status --json");
  expect(commandLine(["runs", "run_1"], { site: undefined, state: null, all: false, offline: true, limit: 50 })).toBe(
    "licet runs run_1 --json --offline --limit 50",
  );
});

it("quotes what a shell would read", () => {
  expect(commandLine(["explain", "https://news.example/a?b=c&d"], { site: "it's; rm" })).toBe(
    "licet explain 'https://news.example/a?b=c&d' --json --site 'it'\\''s; rm'",
  );
});
