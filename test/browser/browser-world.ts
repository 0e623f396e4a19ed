/**
 * A service over one of the ledgers to look at, in this process, on a morning that is the same for every test. The date of this process is moved while
 * a world is open.
 */
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fillManyRuns, hostOf } from "../../bench/ledger-of-many-runs.mjs";
import { monthConfig, TOKENS } from "../../demo/month/month-config.ts";
import { HOSTS } from "../../demo/month/month-sites.ts";
import { publishMonth } from "../../demo/month/play-month.ts";
import { moveDate, moveDateTo } from "../../demo/move-date.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Service, startService } from "../../src/serve/service.ts";
import { systemClock } from "../../src/time/clock.ts";
import { type CliEnd, cliHere } from "../doubles/cli-here.ts";
import { type GatewayRelay, startGatewayRelay } from "../doubles/gateway-relay.ts";
import type { BrowserLedgers } from "./make-ledgers.ts";
import { playTrouble, troubleConfig, WAITING_SITE } from "./trouble.ts";

/** Nothing bought; a month of a small newsroom; thousands of pages of hundreds of runs; a morning on which much is wrong. */
export const LEDGERS = ["empty", "month", "many", "trouble"] as const;
export type LedgerName = (typeof LEDGERS)[number];

const LOOK_MS = 50;
const LONGEST_MAKING_MS = 100_000;
const MANY = { pages: 5_000, runs: 250, days: 60 };

export interface BrowserWorld {
  /** Where the service listens. Another one after a restart. */
  readonly url: string;
  readonly sandbox: Sandbox;
  /** Between the service and the sandbox: it can be cut, and restored. Of the ledger in trouble, it is cut. */
  readonly gateway: GatewayRelay;
  readonly directory: string;
  /** Logs in with a token. @returns the cookie, `name=value` */
  logIn(token: string): Promise<string>;
  /** `licet …` over the same ledger and configuration. */
  cli(...args: string[]): Promise<CliEnd>;
  /** Stops the service and starts it again at the same port, with what the configuration says then. */
  restart(change?: (config: ReturnType<typeof monthConfig>) => unknown): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(name: LedgerName, ledgers: BrowserLedgers): Promise<BrowserWorld> {
  moveDateTo(ledgers.morning);
  const directory = await mkdtemp(join(tmpdir(), `licet-browser-${name}-`));
  const hosts = [...HOSTS, WAITING_SITE];
  const sandbox = await startSandbox({ sites: hosts.map((host) => ({ kind: "pages", host, pages: [] })) });
  publishMonth(sandbox, ledgers.published);
  const gateway = await startGatewayRelay(sandbox.url);
  const config = (name === "trouble" ? troubleConfig : monthConfig)({ gatewayUrl: gateway.url, dir: directory });
  if (name === "month") {
    await cp(await untilMade(ledgers.month), directory, { recursive: true });
  } else if (name === "many") {
    const until = ledgers.morning;
    await fillManyRuns(openSqliteLedger, join(directory, "licet.sqlite"), { ...MANY, until });
    config.sites = Array.from({ length: 8 }, (_, index) => ({ host: hostOf(index + 1), policy: "newsroom" }));
    config.budgets = [{ scope: "all", per: "month", limit: "100 USD" }];
  }
  const configFile = join(directory, "licet.config.json");
  await writeFile(configFile, JSON.stringify(config));
  if (name === "trouble") {
    await playTrouble({ sandbox, configFile, directory, morning: ledgers.morning });
    await gateway.cut();
  }
  const start = async () => startService(await loadConfig({ path: configFile, cwd: directory, env: {} }), SILENT);
  let service: Service = await start();
  const world: BrowserWorld = {
    get url() {
      return service.url;
    },
    sandbox,
    gateway,
    directory,
    logIn: async (token) => {
      const body = new URLSearchParams({ token });
      const answer = await fetch(`${service.url}/login`, { method: "POST", body, redirect: "manual" });
      return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    },
    cli: (...args) => cliHere(args, { cwd: directory }),
    restart: async (change) => {
      const given = JSON.parse(await readFile(configFile, "utf8"));
      given.serve.port = Number(new URL(service.url).port);
      change?.(given);
      await writeFile(configFile, JSON.stringify(given));
      await service.stop();
      service = await start();
    },
    close: async () => {
      await service.stop();
      await gateway.close();
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
      moveDate(0);
    },
  };
  if (name === "trouble") {
    await beginWaiting(world);
  }
  return world;
}

/** A run that waits for the gateway, and what the service says of it when somebody asks. */
async function beginWaiting({ url, cli }: BrowserWorld): Promise<void> {
  const headers = { authorization: `Bearer ${TOKENS.anna}`, "content-type": "application/json" };
  await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body: JSON.stringify({ hosts: [WAITING_SITE] }) });
  await fetch(`${url}/readyz`);
  for (let waitedMs = 0; waitedMs < LONGEST_MAKING_MS; waitedMs += LOOK_MS) {
    const { waits } = JSON.parse((await cli("status", "--json")).stdout) as { waits: { runId: string | null }[] };
    if (waits.some(({ runId }) => runId !== null)) {
      return;
    }
    await systemClock.sleep(LOOK_MS);
  }
  throw new Error("no run waits for the gateway that is away");
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };

/** @throws Error when the month could not be made */
async function untilMade(month: string): Promise<string> {
  for (let waitedMs = 0; !existsSync(month); waitedMs += LOOK_MS) {
    if (waitedMs > LONGEST_MAKING_MS || existsSync(join(dirname(month), "failed"))) {
      throw new Error("the month could not be made: node demo/make-month.ts DIRECTORY says why");
    }
    await systemClock.sleep(LOOK_MS);
  }
  return month;
}
