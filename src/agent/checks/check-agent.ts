/** `agent.check`: runs the tests of the policies, then checks ledger, queue and gateway in turn. Each problem is reported with its remedy. */
import { dirname } from "node:path";
import type { SiteConfig } from "../../config/config.ts";
import { toSettings } from "../../config/settings.ts";
import { assertLicetError, LicetError } from "../../errors.ts";
import { MIN_FREE_BYTES, readFreeBytes } from "../../ledger/sqlite/engine/disk-room.ts";
import { isLedgerMakeable, lookForLedger } from "../../ledger/sqlite/engine/ledger-file.ts";
import { loadDriver } from "../../ledger/sqlite/engine/load-driver.ts";
import { isBilled } from "../../usage/use.ts";
import type { Resources } from "../compose.ts";
import { checkAlerts } from "./check-alerts.ts";
import { checkPolicies } from "./check-policies.ts";
import {
  type CheckFinding as Check,
  type CheckOptions,
  type CheckReport,
  failed,
  passed,
  warned,
} from "./check-report.ts";
import { checkService } from "./check-service.ts";
import { checkSite } from "./check-site.ts";

export async function checkAgent(
  resources: Resources,
  { alerts = false, offline = false }: CheckOptions = {},
): Promise<CheckReport> {
  const { config } = resources;
  const policies = await checkPolicies(config, resources.clock.now());
  const checks: Check[] = [
    ...config.warnings.map((detail) => warned("configuration", detail)),
    ...policies.checks,
    checkBudgets(resources),
    ...checkReporting(resources),
    ...(offline ? [] : await reachAll(resources, alerts)),
  ];
  const warnings = checks.filter(({ level }) => level === "warning").length;
  return {
    ok: checks.every(({ ok }) => ok),
    warnings,
    checks,
    policyTests: policies.tests,
    settings: toSettings(config),
  };
}

async function reachAll(resources: Resources, alerts: boolean): Promise<readonly Check[]> {
  const checks: Check[] = [await attempt("ledger", () => checkLedger(resources)), ...checkDisk(resources)];
  checks.push(...(await checkService(resources)));
  checks.push(...(await checkQueue(resources)));
  for (const site of resources.config.sites) {
    checks.push(...(await attemptAll(`gateway: ${site.host}`, () => checkOneSite(resources, site))));
  }
  checks.push(...(await checkAlerts(resources, alerts)));
  return checks;
}

/**
 * Opens the ledger for writing, as a run would, but does not create one.
 * @returns its path, and whether it would be a new ledger
 */
async function checkLedger({ config, ledger }: Resources): Promise<string> {
  const { path, mustExist } = config.ledger;
  loadDriver();
  if (mustExist || lookForLedger(path) !== "missing") {
    await (await ledger("existing")).readStatus();
    return path;
  }
  if (!isLedgerMakeable(path)) {
    throw new LicetError("LEDGER_UNWRITABLE", `there is no ledger, and none can be created: ${path}`, {
      hint: "Check `ledger.path` and the rights of its directory.",
      details: { path },
    });
  }
  return `new: nothing was recorded at ${path} yet; the first run creates it`;
}

const BYTES_PER_MB = 1_000_000;

/** Little room is said before nothing can be bought. Where there is no directory yet, the ledger's check says so. */
function checkDisk({ config }: Resources): Check[] {
  const { path, lowDiskBytes } = config.ledger;
  const freeBytes = readFreeBytes(dirname(path));
  if (freeBytes === null || freeBytes >= lowDiskBytes) {
    return [];
  }
  const megabytes = (bytes: number) => Math.floor(bytes / BYTES_PER_MB);
  const detail = `${megabytes(freeBytes)} MB are free on the disk of the ledger, fewer than ${megabytes(lowDiskBytes)} MB`;
  const hint = `make room: licet buys nothing below ${megabytes(MIN_FREE_BYTES)} MB (or lower ledger.lowDiskMb)`;
  return [warned("disk", detail, { hint, code: "DISK_FULL" })];
}

function checkBudgets({ config }: Resources): Check {
  if (config.budgets.length > 0) {
    return passed("budgets", `${config.budgets.length} configured`);
  }
  const buys = config.sites.some(({ policy }) => policy.intent === "content");
  const hint = 'nothing can be bought without one: add e.g. { scope: all, per: month, limit: 100 USD } under "budgets"';
  return buys ? failed("budgets", "none is configured", { hint }) : passed("budgets", "none is configured");
}

/**
 * A fetch that is billed again when it is reported is paid twice. Some agreements want that; for others it is a costly mistake.
 */
function checkReporting({ config }: Resources): Check[] {
  const billed = config.sites.filter(
    ({ policy, reporting }) => policy.intent === "content" && isBilled("fetch", reporting),
  );
  const detail =
    "reporting.billed has fetch: each page is paid when it is fetched and again when the fetch is reported";
  const hint = "take fetch out of reporting.billed unless your agreement says so";
  return billed.map(({ host }) => warned(`reporting: ${host}`, detail, { hint }));
}

async function checkQueue(resources: Resources): Promise<Check[]> {
  const warnings: string[] = [];
  const reached = await attempt("queue", async () => {
    const queue = await resources.queue((warning) => warnings.push(warning));
    const health = await queue.checkHealth();
    warnings.push(...health.warnings);
    return health.server === null ? health.kind : `${health.kind} (${health.server})`;
  });
  const hint = "jobs that the queue loses are found again only when their lease expires";
  return [reached, ...[...new Set(warnings)].map((warning) => failed("queue", warning, { hint }))];
}

async function checkOneSite(resources: Resources, site: SiteConfig): Promise<readonly Check[]> {
  return checkSite({ gateway: await resources.gateway(), config: resources.config, site, now: resources.clock.now() });
}

async function attempt(name: string, work: () => Promise<string>): Promise<Check> {
  const [check] = await attemptAll(name, async () => [passed(name, await work())]);
  return check as Check;
}

async function attemptAll(name: string, work: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await work();
  } catch (error) {
    assertLicetError(error);
    const { code, message, hint = null } = error;
    return [failed(name, message, { hint, code })];
  }
}
