/**
 * `npm run demo`: a whole crawl against a local gateway, killed in the middle, resumed, and compared with the gateway's account.
 */
import { fileURLToPath } from "node:url";
import { messageOf } from "../src/errors.ts";
import { plainLines } from "../src/plain-text.ts";
import { playDemo } from "./play-demo.ts";

const program = fileURLToPath(new URL("../bin/licet.js", import.meta.url));
const say = (text: string) => void process.stdout.write(`${plainLines(text)}\n`);

playDemo({ say, program }).then(
  (agreed) => process.exit(agreed ? 0 : 1),
  (error: unknown) => {
    say(`the demo failed: ${messageOf(error)}`);
    process.exit(1);
  },
);
