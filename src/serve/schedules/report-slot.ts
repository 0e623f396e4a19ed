/**
 * A slot of the reports by the clock: sends what waits, also the uses that `licet use` recorded. What the gateway refuses or does not
 * answer waits for the next slot. A lasting failure has one line in the log, and its end another.
 */

import type { ServiceContext } from "../service-part.ts";
import { reportOnce } from "./report-once.ts";
import { endOfError, endOfReports, type SlotEnd } from "./slot-end.ts";

export function createReportSlot({
  resources,
  bus,
  log,
  stopping,
}: Pick<ServiceContext, "resources" | "bus" | "log" | "stopping">): () => Promise<SlotEnd> {
  let problem: string | null = null;
  return async () => {
    const end = await reportOnce(resources, bus, stopping).then(endOfReports, endOfError);
    if (stopping.aborted) {
      return { state: "done", detail: "the service stopped; it reports what waits as its last step" };
    }
    if (end.state === "failed") {
      const message = `reports by the clock: ${end.detail}`;
      log[problem === null ? "warn" : "debug"](message, { schedule: "report" });
      problem = message;
    } else if (problem !== null) {
      log.info("reports by the clock succeed again", { schedule: "report" });
      problem = null;
    }
    return end;
  };
}
