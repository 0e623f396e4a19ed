/** The configuration that decided what a run bought, as it was: each text once, however many runs had it. */
import { hash } from "node:crypto";
import type { BeginRun } from "../../run-ledger.ts";
import type { Tx } from "../operation.ts";

const SELECT_LAST = "SELECT configuration_id FROM run_configuration WHERE run_id = ? ORDER BY since DESC LIMIT 1";

/** Writes: configuration, run_configuration. Called within a write. A run that goes on under the same configuration adds nothing. */
export function keepConfiguration(
  tx: Tx,
  runRowId: number,
  { configuration: text, now }: Pick<BeginRun, "configuration" | "now">,
): void {
  if (text === undefined) {
    return;
  }
  const digest = hash("sha256", text);
  tx.run`INSERT INTO configuration (digest, text) VALUES (${digest}, ${text}) ON CONFLICT DO NOTHING`;
  const id = tx.value<number>`SELECT id FROM configuration WHERE digest = ${digest}` as number;
  if (tx.value<number>(SELECT_LAST, runRowId) !== id) {
    // A clock that was set back meets an instant that is there.
    tx.run`INSERT INTO run_configuration (run_id, since, configuration_id) VALUES (${runRowId}, ${now}, ${id})
      ON CONFLICT DO UPDATE SET configuration_id = excluded.configuration_id`;
  }
}
