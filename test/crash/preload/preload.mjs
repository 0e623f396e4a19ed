/**
 * Loaded into a real licet process before its own code (`node --import`), so that product code needs no hooks for tests. Does to
 * that process what the JSON in LICET_TEST_ORDER says (crash-order.ts). What concerns the ledger is done in its thread as well. Other
 * threads of the process are left alone.
 */
import { registerHooks } from "node:module";
import { isMainThread, threadName } from "node:worker_threads";

const order = JSON.parse(process.env.LICET_TEST_ORDER ?? "{}");
if (isMainThread) {
  // Before the modules that this file loads, which are most of licet: a suite starts a hundred processes.
  (await import("../../../dist/crash/compile-cache.js")).cacheCompiledCode();
  const { TUNING } = await import("../../../dist/crash/tuning.js");
  Object.assign(TUNING.pipeline, order.limits);
  Object.assign(TUNING, order.tuning);
  if (order.clock !== undefined) {
    (await import("./jump-clock.mjs")).jumpClock(order.clock);
  }
}
if (isMainThread || threadName === "licet-ledger") {
  if (order.maxLedgerPages !== undefined) {
    (await import("./limit-ledger.mjs")).limitLedger(order.maxLedgerPages);
  }
  if (order.stopAt !== undefined) {
    const { stopAt } = await import("./steps.mjs");
    stopAt(order.stopAt);
    registerHooks(await import("./redirect-ledger.mjs"));
  }
}
if (isMainThread && order.stopAt !== undefined) {
  await import("./traced-gateway.mjs");
}
