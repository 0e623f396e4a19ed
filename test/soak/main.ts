/**
 * `npm run soak`: a million pages in a month of simulated time, and what they leave in memory and on disk at each tenth. Fails when something
 * grows that must not. `--pages 100000` and `--runs 1000` make it shorter or cut it into more runs.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findGrowth, soak } from "./soak.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "1000000" }, runs: { type: "string", default: "1000" } },
});
const runs = Number(values.runs);
const pages = Math.max(1, Math.round(Number(values.pages) / runs));
const hosts = Array.from({ length: 8 }, (_, index) => `site-${index}.example`);
const directory = mkdtempSync(join(tmpdir(), "licet-soak-"));
const gateway = spawn(
  process.execPath,
  [fileURLToPath(new URL("gateway-process.ts", import.meta.url)), JSON.stringify({ hosts, pages })],
  { stdio: ["pipe", "pipe", "inherit"] },
);
const [gatewayUrl] = await new Promise<string[]>((resolve) => {
  createInterface({ input: gateway.stdout }).once("line", (line) => resolve([line]));
});
const inMb = (bytes: number) => (bytes / 1_000_000).toFixed(1).padStart(9);
const startedAt = performance.now();
process.stdout.write(`${runs} runs of ${pages} pages over 30 simulated days\n`);
process.stdout.write("     pages   seconds    RSS MB   heap MB    WAL MB   rest MB   file MB   handles\n");
try {
  const points = await soak({
    gatewayUrl: gatewayUrl ?? "",
    ledgerFile: join(directory, "licet.sqlite"),
    hosts,
    pages,
    runs,
    onTenth: (point) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(9);
      const sizes = [point.rssBytes, point.heapBytes, point.logBytes, point.logAtRestBytes, point.fileBytes];
      process.stdout.write(
        `${String(point.pages).padStart(10)} ${seconds} ${sizes.map(inMb).join(" ")} ${String(point.handles).padStart(9)}\n`,
      );
    },
  });
  const growth = findGrowth(points);
  process.stdout.write(growth.length === 0 ? "flat\n" : `not flat: ${growth.join("; ")}\n`);
  process.exitCode = growth.length === 0 ? 0 : 1;
} finally {
  gateway.stdin.end();
  rmSync(directory, { recursive: true, force: true });
}
