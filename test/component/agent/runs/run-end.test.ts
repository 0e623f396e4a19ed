/** How a run ends that has nothing left to do, but has not read its list to the end. */
import { expect, it } from "vitest";
import { findRunEnd } from "../../../../src/agent/runs/run-end.ts";
import { NOON } from "../../../doubles/ledger-shop.ts";
import { HOST } from "../../../doubles/ledger-steps.ts";
import { beginList, LIST_RUN, recordPaths } from "../../../doubles/list-driver.ts";
import { openTempLedger } from "../../../doubles/temp-ledger.ts";

it.each([
  { what: "a file", path: "/lists/pages.jsonl", command: `licet run --resume ${LIST_RUN}` },
  { what: "a list from stdin", path: null, command: `licet run --resume ${LIST_RUN} --list -` },
])("says why $what was not read on, and how to go on", async ({ path, command }) => {
  const { ledger } = await openTempLedger();
  await beginList(ledger, { which: { kind: "list", source: "list", path } });
  await recordPaths(ledger, ["/a"], { lines: 3, isRead: false });
  const unread = "its list was not read behind line 3";
  const end = async () => findRunEnd(ledger, await ledger.readRun(LIST_RUN));

  const { state, reason } = await end();
  expect(state).toBe("interrupted");
  expect(reason).toMatch(new RegExp(`^${unread}: .*${command}\\)?$`));

  await ledger.stopSite({ runId: LIST_RUN, host: HOST, stop: "license_mismatch", detail: "open item 1", now: NOON });
  expect(await end()).toEqual({
    state: "interrupted",
    reason: `${unread}, because each of its sites is stopped (${HOST}: open item 1). When that is over, go on with ${command}`,
  });
});
