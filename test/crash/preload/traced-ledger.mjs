/** Stands in for the bundled `open-ledger.js`: the real ledger, each of whose methods is a step. */
import { openSqliteLedger as open, openMemoryLedger as openMemory } from "../../../dist/crash/open-ledger.js";
import { tracedStep } from "./steps.mjs";

export async function openSqliteLedger(options) {
  if (options.inThread) {
    // Its steps are traced in the thread.
    return open(options);
  }
  const ledger = await open(options);
  return Object.fromEntries(
    Object.entries(ledger).map(([name, method]) => [name, tracedStep(name, method.bind(ledger))]),
  );
}

export const openMemoryLedger = openMemory;
