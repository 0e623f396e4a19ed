import { expect, test } from "vitest";
import type { KnownWorker } from "../../../../src/ledger/service-ledger.ts";
import { LostWorkers } from "../../../../src/serve/workers/lost-workers.ts";

const LEASE_MS = 10_000;
const DAY_MS = 24 * 3_600_000;

function worker(name: string, seenAt = 0): KnownWorker {
  return {
    name,
    tokenName: "fleet",
    version: "1.0.0",
    state: "attached",
    places: 16,
    share: { concurrency: 4, requestsPerSecond: 7.5 },
    jobs: 2,
    pages: 40,
    pagesPerSecond: 3,
    since: 0,
    seenAt,
  };
}

const namesAt = (lost: LostWorkers, now: number) => lost.list(now).map(({ name }) => name);

test("a worker of the service before is lost when its lease has passed, has nothing, and is forgotten after a day", () => {
  const lost = new LostWorkers([worker("a")], LEASE_MS);
  expect(lost.list(LEASE_MS)).toEqual([]);
  expect(lost.list(LEASE_MS + 1)).toEqual([
    {
      ...worker("a"),
      state: "lost",
      share: { concurrency: 0, requestsPerSecond: 0 },
      jobs: 0,
      pagesPerSecond: 0,
    },
  ]);
  expect(namesAt(lost, LEASE_MS + DAY_MS)).toEqual(["a"]);
  expect(namesAt(lost, LEASE_MS + DAY_MS + 1)).toEqual([]);
});

test("one that comes again is not lost", () => {
  const lost = new LostWorkers([worker("a"), worker("b")], LEASE_MS);
  lost.forget("a");
  expect(namesAt(lost, DAY_MS)).toEqual(["b"]);
});

test("a hundred of them are kept, the last ones to be lost", () => {
  const lost = new LostWorkers([], LEASE_MS);
  for (let number = 0; number < 120; number += 1) {
    lost.add(worker(`w${number}`));
  }
  lost.add(worker("w20"));
  const names = namesAt(lost, DAY_MS);
  expect(names).toHaveLength(100);
  expect([names[0], names.at(-1)]).toEqual(["w21", "w20"]);
});
