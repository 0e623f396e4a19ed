/** `npm run demo:service`: a service over midnight, killed and started again, and compared with the gateway's account. */
import { fileURLToPath } from "node:url";
import { messageOf } from "../src/errors.ts";
import { plainLines } from "../src/plain-text.ts";
import { playServiceDemo } from "./play-service-demo.ts";

const SECOND_MS = 1000;
/** Seconds before midnight and after it. `node service-demo.ts 12 8` is a shorter demo. */
const [firstDayMs, secondDayMs] = [process.argv[2] ?? "60", process.argv[3] ?? "45"].map(
  (seconds) => Number(seconds) * SECOND_MS,
) as [number, number];

const program = fileURLToPath(new URL("./licet-at.ts", import.meta.url));
const say = (text: string) => void process.stdout.write(`${plainLines(text)}\n`);

playServiceDemo({ say, program, firstDayMs, secondDayMs }).then(
  (agreed) => process.exit(agreed ? 0 : 1),
  (error: unknown) => {
    say(`the demo failed: ${messageOf(error)}`);
    process.exit(1);
  },
);
