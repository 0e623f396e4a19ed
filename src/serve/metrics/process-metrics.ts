/** The process and its files. */

import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Gauge } from "prom-client";
import { packageVersion } from "../../package-directory.ts";
import type { MetricsDeps } from "./figures-cache.ts";
import { addGauge, addSingleGauge } from "./sampled-metrics.ts";

export function addProcessMetrics({ registry, figures, context }: MetricsDeps): void {
  const { path } = context.config.ledger;
  const version = packageVersion();
  addGauge(registry, {
    name: "licet_build_info",
    help: "Always 1; the label says which version of licet runs, on which Node.",
    labelNames: ["version", "node"],
    sample: () => [{ labels: { version, node: process.versions.node }, value: 1 }],
  });
  addSingleGauge(
    registry,
    "licet_ledger_readable",
    "Whether the figures of this answer come from the ledger. 0: it could not be read, and they are absent.",
    () => (figures.last() === null ? 0 : 1),
  );
  const files: readonly [name: string, help: string, read: () => Promise<number | null>][] = [
    ["licet_ledger_file_bytes", "The size of the ledger's file.", () => readSize(path)],
    ["licet_ledger_wal_bytes", "The size of the ledger's write-ahead log.", () => readSize(`${path}-wal`)],
    ["licet_ledger_disk_free_bytes", "The free room on the ledger's disk.", () => readFree(dirname(path))],
  ];
  for (const [name, help, read] of files) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        this.reset();
        if (value === null) {
          this.remove();
        } else {
          this.set(value);
        }
      },
    });
  }
}

/** 0: there is no such file. */
async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** Null where the file system does not say. */
async function readFree(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize, blocks } = await statfs(directory);
    return blocks > 0 ? bavail * bsize : null;
  } catch {
    return null;
  }
}
