import { MessageChannel } from "node:worker_threads";
import { describe, onTestFinished } from "vitest";
import { NEXT_TURN } from "../../src/ledger/gathering/gathering.ts";
import { answerCalls, createCalls } from "../../src/ledger/messages/calls.ts";
import { toChannel } from "../../src/ledger/sqlite/thread/thread-channel.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeLedgerContract } from "./ledger-contract.ts";

// As between two threads: all that is asked and answered is copied. A thread for each test would take minutes.
describe("the SQLite ledger over messages", () => {
  describeLedgerContract(async () => {
    const { ledger, path } = await openTempLedger();
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    answerCalls(toChannel(port2), ledger);
    return createCalls(toChannel(port1), { methods: Object.keys(ledger), path, clock: NEXT_TURN });
  });
});
