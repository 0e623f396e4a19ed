/**
 * `npm run demo`: a whole crawl against a local gateway, killed in the middle, resumed, and compared with the gateway's account.
 */
import { fileURLToPath } from "node:url";
import { plainLines } from "../../plain-text.ts";
import { playDemo } from "./play-demo.ts";

const program = fileURLToPath(new URL("../main.js", import.meta.url));
const say = (text: string) => void process.stdout.write(`${plainLines(text)}\n`);

playDemo({ say, program }).then(
  (agreed) => process.exit(agreed ? 0 : 1),
  (error: unknown) => {
    say(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
