import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { ONE_PRICE } from "../doubles/cli-world.ts";
import { findGrowth, soak } from "./soak.ts";

const HOSTS = ["a.example", "b.example", "c.example", "d.example"];
const PAGES = 10;

test("a service whose runs come and go keeps no memory, no handle and no log of them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "licet-soak-"));
  const sandbox = await startSandbox({
    sites: HOSTS.map((host) => ({ kind: "synthetic", host, pages: PAGES, bodyBytes: 400 })),
    rates: ONE_PRICE,
  });
  try {
    const ledgerFile = join(directory, "licet.sqlite");
    const points = await soak({ gatewayUrl: sandbox.url, ledgerFile, hosts: HOSTS, pages: PAGES, runs: 40 });
    expect(points.at(-1)?.pages).toBe(40 * PAGES);
    expect(findGrowth(points)).toEqual([]);
  } finally {
    await sandbox.close();
    await rm(directory, { recursive: true, force: true });
  }
});
