/** What a restored copy knows of what was asked for. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { World } from "../world.ts";
import { Asks } from "./asks.ts";
import { drawMeeting } from "./meeting.ts";

const {
  configurations: [settings],
} = drawMeeting(1, { maxSites: 2, maxPages: 6, withoutTraits: new Set() });

it("a copy of before a list was read buys what its file says by now, and need not buy what it said", () => {
  const directory = mkdtempSync(join(tmpdir(), "licet-asks-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "list.txt");
  const asks = new Asks({ scheduler: { now: 1 }, beginnings: [], note: () => {} } as unknown as World);
  const ask = asks.add(
    {
      what: "list#1",
      kind: "list",
      settings,
      urls: new Set(["a", "b"]),
      file,
      hosts: new Set(),
      maxPages: null,
      process: "list#1",
    },
    ["run_1"],
  );
  writeFileSync(file, "a\nb\n");
  const copy = asks.remember();
  asks.forget(copy, () => true);
  expect([ask.urls, ask.gone]).toEqual([new Set(["a", "b"]), new Set()]);
  writeFileSync(file, "b\nc\n");
  asks.forget(copy, () => true);
  expect([ask.urls, ask.gone]).toEqual([new Set(["a", "b", "c"]), new Set(["a", "b", "c"])]);
});
