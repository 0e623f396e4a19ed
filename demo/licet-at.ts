/**
 * The command `licet` at another time of day, for the demo: `node licet-at.ts AHEAD_MS COMMAND …`. Nothing else of it is different, so a
 * demo sees a midnight without waiting for one.
 */
import { moveDate } from "./move-date.ts";

const [aheadMs = ""] = process.argv.splice(2, 1);
moveDate(Number(aheadMs));
await import(new URL("../bin/licet.js", import.meta.url).href);
