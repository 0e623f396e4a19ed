/** The ledger cannot be written while runs of the service are at work: nothing is bought, nothing that is paid for is lost. */
import { afterEach, describe, expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { reportAgent } from "../../../../src/agent/usage/report-agent.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { type Connection, openConnection } from "../../../../src/ledger/sqlite/engine/connection.ts";
import { loadMigrations, migrate } from "../../../../src/ledger/sqlite/engine/migrations.ts";
import { createLedgerCore } from "../../../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../../../src/ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../../../src/time/clock.ts";
import { createOutageWorld, HOUR_MS, type OutageWorld, PAGES } from "./outage-world.ts";
import { startedOf, stateOf } from "./run-world.ts";

const NO_LIMIT = 1_073_741_823;
/** Enough room for bookkeeping, not for the bodies. */
const PAGES_LEFT = 6;

/** More often than `licet run` tries to write a page. */
const MANY_TRIES = 8;

/** A real ledger on a disk that a test fills. */
interface Disk {
  readonly open: (path: string) => Ledger;
  /** Whether there is less room than licet needs to buy. */
  isLow: boolean;
  /** SQLite's own limit on the file. */
  fill(): void;
  free(): void;
  /** Resolves when the content of some page was tried to be written `MANY_TRIES` times. */
  readonly triedOften: Promise<void>;
  /** Of another program. */
  connection(): Connection;
}

function createDisk(): Disk {
  let db: Connection | null = null;
  let file = "";
  const opened = (): Connection => {
    if (db === null) {
      throw new Error("the ledger is not open");
    }
    return db;
  };
  const tries = new Map<number, number>();
  let resolveTried = () => {};
  const triedOften = new Promise<void>((resolve) => {
    resolveTried = resolve;
  });
  const countTry = (purchaseId: number) => {
    const count = (tries.get(purchaseId) ?? 0) + 1;
    tries.set(purchaseId, count);
    if (count === MANY_TRIES) {
      resolveTried();
    }
  };
  const disk: Disk = {
    isLow: false,
    triedOften,
    open: (path) => {
      file = path;
      db = openConnection(path);
      // A short wait for a lock: the wait blocks this process.
      db.pragma("busy_timeout = 20");
      migrate(db, loadMigrations(), path);
      const roomy = createSqliteLedger(createLedgerCore(db, path, systemClock));
      const low = createSqliteLedger(createLedgerCore(db, path, systemClock, Number.MAX_SAFE_INTEGER));
      const settlePurchase: Ledger["settlePurchase"] = (settlement) => {
        countTry(settlement.purchaseId);
        return roomy.settlePurchase(settlement);
      };
      return new Proxy(
        { ...roomy, settlePurchase },
        {
          get: (target, name) =>
            Reflect.get((name === "startPurchase" || name === "checkRoom") && disk.isLow ? low : target, name),
        },
      );
    },
    fill: () => {
      const pages = opened().pragma("page_count", { simple: true }) as number;
      opened().pragma(`max_page_count = ${pages + PAGES_LEFT}`);
    },
    free: () => void opened().pragma(`max_page_count = ${NO_LIMIT}`),
    connection: () => openConnection(file, "existing"),
  };
  return disk;
}

let world: OutageWorld;
afterEach(() => world.close());

describe("a disk with too little room", () => {
  it("stops the buying; reading and reporting go on, and so does the run when there is room", async () => {
    const disk = createDisk();
    world = await createOutageWorld({ openLedger: disk.open });
    const { runs, nextOutage, clock, resources } = world;
    const outage = nextOutage();
    const lowAt = 8;
    world.atRequest("/tokens", lowAt, () => {
      disk.isLow = true;
    });
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    expect(await outage).toMatchObject({ place: "ledger", code: "DISK_FULL" });
    clock.jump(HOUR_MS);
    await reportAgent(resources, new EventBus(), new AbortController().signal);
    const summary = await (await resources.ledger("read")).readRun(run.runId);
    expect(summary).toMatchObject({ state: "running", usage: { pending: 0 } });
    // What was started before may be charged after it, and nothing else.
    expect(summary.pages.bought).toBeLessThan(lowAt);
    expect(world.sandbox.audit().charges.length).toBeLessThan(lowAt);
    disk.isLow = false;
    expect(await stateOf(run)).toBe("completed");
    expect(world.outages).toEqual(["ledger begins", "ledger is over"]);
    await world.expectMatchingAccounts();
  });
});

describe("a full disk", () => {
  it("loses nothing that was paid for: its content waits in memory for as long as the disk is full", async () => {
    const disk = createDisk();
    world = await createOutageWorld({ openLedger: disk.open, bodyBytes: 60_000 });
    const { runs, nextOutage, clock } = world;
    const outage = nextOutage();
    world.atRequest("/tokens", 8, disk.fill);
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    expect(await outage).toMatchObject({ place: "ledger", code: "DISK_FULL" });
    clock.jump(HOUR_MS);
    await disk.triedOften;
    disk.free();
    const end = await run.ended;
    expect(end).toMatchObject({
      kind: "ended",
      report: { state: "completed", pages: { bought: PAGES, inDoubt: 0, failed: 0 } },
    });
    await world.expectMatchingAccounts();
  });
});

describe("a ledger that another program has locked", () => {
  it("makes the run wait; it goes on when the lock is gone", async () => {
    const disk = createDisk();
    world = await createOutageWorld({ openLedger: disk.open });
    const { runs, nextOutage } = world;
    const outage = nextOutage();
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    const other = disk.connection();
    other.exec("BEGIN IMMEDIATE");
    expect(await outage).toMatchObject({ place: "ledger", code: "LEDGER_LOCKED" });
    other.exec("ROLLBACK");
    other.close();
    expect(await stateOf(run)).toBe("completed");
    await world.expectMatchingAccounts();
  });
});
