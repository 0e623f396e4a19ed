/**
 * `node demo/make-month.ts DIRECTORY [AHEAD_MS]` writes a configuration and the ledger of a month that ends now, or at a clock so many ms ahead of the
 * machine's.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox } from "../src/sandbox/sandbox.ts";
import { monthConfig } from "./month/month-config.ts";
import { HOSTS } from "./month/month-sites.ts";
import { playMonth } from "./month/play-month.ts";
import { moveDate } from "./move-date.ts";

const [dir = ".", ahead = "0"] = process.argv.slice(2);
const aheadMs = Number(ahead);
moveDate(aheadMs);
const sandbox = await startSandbox({
  sites: HOSTS.map((host) => ({ kind: "pages", host, pages: [] })),
  deliveryRetryMs: [1],
});
try {
  const configFile = join(dir, "licet.config.json");
  await writeFile(configFile, JSON.stringify(monthConfig({ gatewayUrl: sandbox.url, dir }), null, 2));
  await playMonth({ sandbox, configFile, dir, aheadMs });
} finally {
  await sandbox.close();
}
