/**
 * The bodies of pages that are written already. Those who ask for the same page at once get one reading of it (page-readings.ts); it is written once for
 * them too, because writing is processor time of the thread in which a run works.
 */
import type { Html } from "./html/html.ts";

/** @param key whatever beside the report makes a difference. @param write called unless it was written of this report and key */
export type WriteBody = (report: object, key: string, write: () => Html) => Html;

/** A body is kept for as long as its report: until the last of those who share it has its answer. */
export function createWrittenBodies(): WriteBody {
  const bodies = new WeakMap<object, Map<string, Html>>();
  return (report, key, write) => {
    const ofReport = bodies.get(report) ?? new Map<string, Html>();
    bodies.set(report, ofReport);
    const body = ofReport.get(key) ?? write();
    ofReport.set(key, body);
    return body;
  };
}
