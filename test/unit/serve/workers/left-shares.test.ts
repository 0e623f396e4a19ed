import { expect, test } from "vitest";
import type { KnownWorker } from "../../../../src/ledger/service-ledger.ts";
import { haveSharesLeft } from "../../../../src/serve/workers/left-shares.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const AT = { now: NOW, workerLeaseMs: 10_000, timeoutMs: 30_000 };

test.each([
  ["had a job when its service stopped", { state: "attached", jobs: 1, seenAt: NOW - 1_000 }, true],
  ["was lost a minute ago", { state: "lost", jobs: 0, seenAt: NOW - 60_000 }, true],
  ["was lost before the longest answer could come", { state: "lost", jobs: 0, seenAt: NOW - 132_000 }, false],
  ["had nothing to do", { state: "attached", jobs: 0, seenAt: NOW - 1_000 }, false],
] as const)("a worker that %s", (_what, worker, isLeft) => {
  expect(haveSharesLeft([worker as unknown as KnownWorker], AT)).toBe(isLeft);
});
