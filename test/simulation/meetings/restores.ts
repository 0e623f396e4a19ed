/**
 * The ledger is lost, and a copy of it comes to its place: it was made at some instant before, while others bought. Until a person accepts the
 * copy, nothing is bought. Then the world goes on as the copy knows it: what was bought after it may be bought again by whoever asked for it
 * before, under limits that count what the copy knows, and what the copy holds is not bought again. No number of a document is given twice.
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import { isLicetError } from "../../../src/errors.ts";
import type { Violation } from "../checks/evidence.ts";
import { Halt } from "../halt.ts";
import type { ProcessJob } from "../process.ts";
import { createRandom } from "../random.ts";
import type { Settings } from "../scenario.ts";
import type { World } from "../world.ts";
import type { Actor, Stage } from "./actors.ts";
import type { Asks, Remembered } from "./asks.ts";
import { serveJob } from "./service-process.ts";

const SHARE = 0.35;
const MAX_BACKUPS = 5;
const EVENTS_PER_DRAW = 25;
const SECOND_MS = 1_000;

interface Backup {
  readonly file: string;
  /** Null until it is complete. True time: what was committed before is in it. */
  madeAt: number | null;
  /** What was asked and what was lost by then: a copy knows nothing of a restore that came later. */
  asked: Remembered;
  lost: ReadonlySet<string>;
}

export function drawRestores(stage: Stage): Actor | null {
  const { world, meeting, asks } = stage;
  const random = createRandom(world.scenario.seed, "restores");
  if (!random.chance(SHARE)) {
    return null;
  }
  removeBackups(world);
  const backups: Backup[] = [];
  const often = random.pick([0.1, 0.4]);
  const again = random.chance(0.5);
  /** Which page each number of a document ever named, in whichever ledger. */
  const numbers = new Map<number, string>();
  let restored = 0;

  const backUp = () => {
    if (backups.length === MAX_BACKUPS) {
      return;
    }
    const backup: Backup = {
      file: `${world.ledgerPath}-backup-${backups.length}.sqlite`,
      madeAt: null,
      asked: new Map(),
      lost: new Set(),
    };
    backups.push(backup);
    world.start({
      kind: "backup",
      settings: random.pick(meeting.configurations),
      skewMs: 0,
      job: async (resources, bus) => {
        await createAgentOn(resources, bus).backup(backup.file);
        backup.madeAt = world.scheduler.now;
        backup.asked = asks.remember();
        backup.lost = new Set(world.lost);
        world.note(() => `${backup.file} is complete`);
      },
    });
  };

  const restore = async (chance: number): Promise<void> => {
    const [settings] = meeting.configurations;
    const usable = backups.filter(({ madeAt }) => madeAt !== null);
    const backup = usable.length === 0 ? null : random.pick(usable);
    if (backup === null || (restored > 0 && !again) || !random.chance(chance)) {
      return;
    }
    restored += 1;
    killAlive(world);
    requireNewNumbers(world, numbers);
    await replaceLedger(stage, backup, settings);
    await tryUnaccepted(stage, settings);
    await accept(stage, settings, () => (random.chance(0.3) ? random.int(0, 6) : null));
    forget(world, asks, backup);
  };

  return {
    onEvent: () => {
      if (!world.evidence.faultsAreOver && world.scheduler.events % EVENTS_PER_DRAW === 0 && random.chance(often)) {
        backUp();
      }
    },
    onScene: () => restore(0.6),
    onRest: () => restore(0.3),
    judge: () => {
      requireNewNumbers(world, numbers);
      return null;
    },
    judgeEnd: () => (restored === 0 ? null : judgeSoldOnce(world)),
  };
}

/** Those of the seed before, which had its ledger in the same place. */
function removeBackups({ ledgerPath }: World): void {
  const directory = dirname(ledgerPath);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(`${basename(ledgerPath)}-backup-`)) {
      rmSync(join(directory, name));
    }
  }
}

/** The copy comes to the place of the ledger. Its file keeps its inode, because whoever reads the world has it open. */
async function replaceLedger({ world }: Stage, { file }: Backup, settings: Settings): Promise<void> {
  const path = `${file}-restored-${world.scheduler.now}`;
  const { ledgerPath } = world;
  const job: ProcessJob = (resources, bus) => {
    const { config } = resources;
    const elsewhere = { ...config, ledger: { ...config.ledger, path } };
    return createAgentOn({ ...resources, config: elsewhere }, bus).restore(file);
  };
  const restore = world.start({ kind: "restore", settings, skewMs: 0, job });
  await world.runUntil(
    () => restore.hasEnded,
    () => {},
  );
  if (restore.error !== null) {
    throw broken("copy-can-be-restored", `${file}: ${String(restore.error)}`);
  }
  // Who came while the copy was made has the lost ledger open. Where licet makes the copy in the place of a ledger, it is refused meanwhile.
  killAlive(world);
  const copy = new Database(path, { readonly: true });
  await copy.backup(ledgerPath);
  copy.close();
  // What the ledger has is not what the world has seen happen: from here on, the checkers of steps know nothing.
  world.stopJudgingRows();
  world.note(() => `${file} is in the place of the ledger`);
}

function killAlive(world: World): void {
  for (const process of world.alive()) {
    world.kill(process);
  }
}

/** Somebody runs, fetches and serves although nobody has accepted the copy. */
async function tryUnaccepted({ world, pass }: Stage, settings: Settings): Promise<void> {
  const from = world.startings.size;
  const hosts = settings.sites.map(({ host }) => host);
  const url = settings.sites[0]?.pages[0]?.url ?? "";
  const start = (kind: string, job: ProcessJob) => world.start({ kind, settings, skewMs: 0, job });
  const refused = [
    start("serve", serveJob(world, { app: null })),
    start("run", (resources, bus) => createAgentOn(resources, bus).run({ hosts })),
  ];
  start("fetch", (resources, bus) => createAgentOn(resources, bus).fetch([url]));
  await pass(10 * SECOND_MS);
  const working = refused.find(({ error }) => !isLicetError(error, "LEDGER_RESTORED"));
  if (working !== undefined || world.startings.size > from) {
    throw broken("copy-waits-for-acceptance", `${working?.name ?? "a fetch"} works, and nobody has accepted the copy`);
  }
}

/** A person accepts the copy, also when the process of the acceptance is killed or finds the ledger locked. */
async function accept({ world, pass }: Stage, settings: Settings, drawKill: () => number | null): Promise<void> {
  for (let isAccepted = false; !isAccepted; ) {
    const job: ProcessJob = (resources, bus) => createAgentOn(resources, bus).acceptRestored();
    const process = world.start({ kind: "accept", settings, skewMs: 0, job });
    const killAfter = drawKill();
    await pass(killAfter ?? 10 * SECOND_MS);
    if (killAfter !== null && !process.hasEnded) {
      world.kill(process);
    }
    isAccepted = process.hasEnded && process.error === null;
    if (process.error !== null && !isLicetError(process.error, "LEDGER_LOCKED")) {
      throw broken("copy-can-be-accepted", String(process.error));
    }
  }
}

/** What the copy does not know did not happen: purchases, runs and stops of the time after it. */
function forget(world: World, asks: Asks, { madeAt, asked, lost }: Backup): void {
  const findPurchase = world.db
    .prepare<[number], 1>("SELECT 1 FROM purchase WHERE id = ? AND started_at IS NOT NULL")
    .pluck();
  world.lost.clear();
  for (const [token, { at, purchaseId }] of world.startings) {
    if (lost.has(token) || at > (madeAt ?? 0) || findPurchase.get(purchaseId) === undefined) {
      world.lost.add(token);
    }
  }
  const findRun = world.db.prepare<[string], 1>("SELECT 1 FROM run WHERE name = ?").pluck();
  asks.forget(asked, (run) => findRun.get(run) !== undefined);
}

/** A number of a document that was given to one page is given to no other, in no ledger. */
function requireNewNumbers({ db }: World, numbers: Map<number, string>): void {
  const rows = db
    .prepare<[], { seq: number; what: string }>(
      `SELECT document_number AS seq, format('%s settled at %d', url, ended_at) AS what
       FROM purchase WHERE document_number IS NOT NULL`,
    )
    .all();
  for (const { seq, what } of rows) {
    const before = numbers.get(seq) ?? what;
    numbers.set(seq, what);
    if (before !== what) {
      throw broken("document-has-its-number", `the document ${seq} is ${what}, and was ${before}`);
    }
  }
}

/** What the ledger holds is not bought again, also after a restore: the texts of a meeting never change. */
function judgeSoldOnce({ db, gateway, lost, scenario }: World): Violation | null {
  const always = new Set(scenario.sites.filter(({ refresh }) => refresh === "always").map(({ host }) => host));
  const findDoubts = db
    .prepare<[string], number>(
      `SELECT count(*) FROM purchase p WHERE p.url = ? AND (p.state IN ('in_doubt', 'released')
         OR EXISTS (SELECT 1 FROM resolution x WHERE x.purchase_id = p.id))`,
    )
    .pluck();
  const sold = new Map<string, number>();
  for (const { url, token } of gateway.account.charges) {
    sold.set(url, (sold.get(url) ?? 0) + (lost.has(token) || always.has(new URL(url).host) ? 0 : 1));
  }
  for (const [url, times] of sold) {
    if (times > 1 + (findDoubts.get(url) ?? 0)) {
      return broken("held-in-copy-is-not-bought-again", `${url} was sold ${times} times to what the ledger knows`)
        .violation;
    }
  }
  return null;
}

function broken(rule: string, detail: string): Halt {
  return new Halt({ promise: 3, rule, detail });
}
