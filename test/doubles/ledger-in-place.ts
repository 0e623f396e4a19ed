/**
 * Runs within the tests' own process keep their ledger in its thread: to load the sources in a thread for each of a thousand runs would
 * take minutes. Processes of the compiled licet have the ledger's thread (test/crash, test/cli), and so has everything with
 * `LICET_TEST_LEDGER=thread`.
 */
import { TUNING } from "../../src/agent/tuning.ts";

Object.assign(TUNING, { ledgerThread: process.env.LICET_TEST_LEDGER === "thread" });
