/** What the tests of reporting share: a world whose pages each left one unreported use, and what happened to the uses. */
import type { ReportAnswer } from "../../../src/gateway/gateway.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import type { FlushOptions } from "../../../src/pipeline/report/flush.ts";
import { flushUsage } from "../../../src/pipeline/report/report.ts";
import { type GatewayScript, readReport } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, NEVER, type StageWorld, type WorldOptions } from "./stage-world.ts";

export const PATHS = ["/a", "/b", "/c", "/d", "/e", "/f"];
export const WAITING: FlushOptions = { attempts: 8, minUses: 1 };

export const SILENT: ReportAnswer = { kind: "unanswered", detail: "timed out", retryAfterMs: null, mayBeTaken: true };
export const REJECTED: ReportAnswer = { kind: "rejected", status: 400, detail: "bad entry" };

let current: StageWorld;
export const world = (): StageWorld => current;

/** Buys the pages, so that each leaves one unreported use. */
export async function withUses(
  reportUsage: NonNullable<GatewayScript["reportUsage"]>,
  options: WorldOptions = {},
  paths: readonly string[] = PATHS,
): Promise<void> {
  current = await createStageWorld({ ...options, script: { reportUsage } });
  await current.drive(acquire(current.deps, await current.leasePurchases(paths), NEVER));
}

export const flush = (options: FlushOptions = WAITING, signal: AbortSignal = NEVER) =>
  current.drive(flushUsage(current.deps, options, signal));

export const texts = () => current.gateway.requests("reportUsage").map((body) => new TextDecoder().decode(body));

export async function usage() {
  return (await current.ledger.readStatus()).usage;
}

export async function openItems() {
  return (await current.ledger.readStatus()).openItems.map(({ kind, url }) => `${kind} ${url}`);
}

/** How often each page was taken by the gateway. */
export function countTaken(bodies: readonly Uint8Array[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { url, timesUsed } of bodies.flatMap((body) => readReport(body).usage)) {
    counts[url] = (counts[url] ?? 0) + timesUsed;
  }
  return counts;
}
