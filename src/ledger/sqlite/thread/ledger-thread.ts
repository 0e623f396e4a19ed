/** The thread of a ledger: opens the file, and answers what the other side (open-in-thread.ts) asks. */
import { parentPort, workerData } from "node:worker_threads";
import { assertBug } from "../../../errors.ts";
import { systemClock } from "../../../time/clock.ts";
import { NEXT_TURN } from "../../gathering/gathering.ts";
import { answerCalls } from "../../messages/calls.ts";
import { toFailure } from "../../messages/failure.ts";
import { openSqliteLedger } from "../open.ts";
import type { Opened, Opening } from "./open-in-thread.ts";
import { toChannel } from "./thread-channel.ts";

assertBug(parentPort !== null, "the ledger's thread was not started as a thread");
const tell = (opened: Opened) => parentPort?.postMessage(opened);
try {
  // The calls of a message have waited for each other already.
  const ledger = await openSqliteLedger({ ...(workerData as Opening), clock: { ...systemClock, ...NEXT_TURN } });
  answerCalls(toChannel(parentPort), ledger);
  tell({ methods: Object.keys(ledger) });
} catch (error) {
  tell({ failure: toFailure(error) });
}
