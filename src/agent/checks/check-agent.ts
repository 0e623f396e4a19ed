/** `agent.check`: runs the tests of the policies, then checks ledger, queue and gateway in turn. Each problem is reported with its remedy. */
import { isLicetError, LicetError } from "../../errors.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { isLedgerMakeable, lookForLedger } from "../../ledger/sqlite/engine/ledger-file.ts";
import { loadDriver } from "../../ledger/sqlite/engine/load-driver.ts";
import { isBilled } from "../../usage/use.ts";
import type { Resources } from "../compose.ts";
import { checkAlerts } from "./check-alerts.ts";
import { checkPolicies } from "./check-policies.ts";
import type { CheckOptions, CheckReport } from "./check-report.ts";
import { checkService } from "./check-service.ts";

type Check = CheckReport["checks"][number];

export async function checkAgent(
  resources: Resources,
  { alerts = false, offline = false }: CheckOptions = {},
): Promise<CheckReport> {
  const { config } = resources;
  const policies = await checkPolicies(config, resources.clock.now());
  const checks: Check[] = [
    ...config.warnings.map((detail) => ({ name: "configuration", ok: true, detail, hint: null })),
    ...policies.checks,
    checkBudgets(resources),
    ...checkReporting(resources),
    ...(offline ? [] : await reachAll(resources, alerts)),
  ];
  return { ok: checks.every(({ ok }) => ok), checks, policyTests: policies.tests };
}

async function reachAll(resources: Resources, alerts: boolean): Promise<readonly Check[]> {
  const checks: Check[] = [await attempt("ledger", () => checkLedger(resources))];
  checks.push(...(await checkService(resources)));
  checks.push(...(await checkQueue(resources)));
  for (const { host } of resources.config.sites) {
    checks.push(await attempt(`gateway: ${host}`, async () => checkSite(await resources.gateway(), host)));
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

function checkBudgets({ config }: Resources): Check {
  if (config.budgets.length > 0) {
    return { name: "budgets", ok: true, detail: `${config.budgets.length} configured`, hint: null };
  }
  const buys = config.sites.some(({ policy }) => policy.intent === "content");
  return {
    name: "budgets",
    ok: !buys,
    detail: "none is configured",
    hint: buys
      ? 'nothing can be bought without one: add e.g. { scope: all, per: month, limit: 100 USD } under "budgets"'
      : null,
  };
}

/**
 * A fetch that is billed again when it is reported is paid twice. Some agreements want that; for others it is a costly mistake.
 */
function checkReporting({ config }: Resources): Check[] {
  const billed = config.sites.filter(
    ({ policy, reporting }) => policy.intent === "content" && isBilled("fetch", reporting),
  );
  return billed.map(({ host }) => ({
    name: `reporting: ${host}`,
    ok: true,
    detail: "reporting.billed has fetch: each page is paid when it is fetched and again when the fetch is reported",
    hint: "take fetch out of reporting.billed unless your agreement says so",
  }));
}

async function checkQueue(resources: Resources): Promise<Check[]> {
  const warnings: string[] = [];
  const reached = await attempt("queue", async () => {
    const queue = await resources.queue((warning) => warnings.push(warning));
    const health = await queue.checkHealth();
    warnings.push(...health.warnings);
    return health.kind;
  });
  return [
    reached,
    ...[...new Set(warnings)].map((warning) => ({
      name: "queue",
      ok: false,
      detail: warning,
      hint: "jobs that the queue loses are found again only when their lease expires",
    })),
  ];
}

/** Requests one small catalog page. Success shows that address, key and path names are right and that the account is enabled. */
async function checkSite(gateway: Gateway, host: string): Promise<string> {
  const page = await gateway.listCatalog({ host, pageToken: null, pageSize: 1 });
  return `catalog can be read (${page.entries.length === 0 ? "no page" : "at least one page"})`;
}

async function attempt(name: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await work(), hint: null };
  } catch (error) {
    if (!isLicetError(error)) {
      throw error;
    }
    return { name, ok: false, detail: error.message, hint: error.hint ?? null };
  }
}
