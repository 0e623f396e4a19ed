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

const world = (now: number) => ({ scheduler: { now }, beginnings: [], note: () => {} }) as unknown as World;

it("a copy may know of a stop that its person had not seen yet, whether or not somebody went on since", () => {
  const there = world(1);
  const asks = new Asks(there);
  const ask = asks.add(
    { what: "a slot", kind: "slot", settings, urls: new Set(["a"]), hosts: new Set(), maxPages: null, process: null },
    ["run_1"],
  );
  const copy = asks.remember();
  Object.assign(there.scheduler, { now: 2 });
  asks.stop(ask);
  asks.reopen(ask, null);
  asks.forget(copy, () => true);
  expect([ask.windows, ask.isStopUnsure]).toEqual([[{ from: 1, to: null }], true]);
});

it("a copy of before a list was read buys what its file says by now, and need not buy what it said", () => {
  const directory = mkdtempSync(join(tmpdir(), "licet-asks-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "list.txt");
  const asks = new Asks(world(1));
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
