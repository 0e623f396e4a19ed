/** `npm run demo:service`: a service over midnight, killed and started again, and compared with the gateway's account. */
import { fileURLToPath } from "node:url";
import { plainLines } from "../plain-text.ts";
import { moveDate } from "./move-date.ts";
import { aheadForMidnight, playServiceDemo } from "./play-service-demo.ts";

/** Midnight comes after this time, and the day after it is watched for so long. */
const FIRST_DAY_MS = 60_000;
const SECOND_DAY_MS = 45_000;

const program = fileURLToPath(new URL("./licet-at.js", import.meta.url));
const say = (text: string) => void process.stdout.write(`${plainLines(text)}\n`);
const aheadMs = aheadForMidnight(Date.now(), FIRST_DAY_MS);
moveDate(aheadMs);

playServiceDemo({ say, program, aheadMs, secondDayMs: SECOND_DAY_MS }).then(
  (agreed) => process.exit(agreed ? 0 : 1),
  (error: unknown) => {
    say(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
