/**
 * Those who read new documents (`export --since last`): one for each configuration of the ledger, beside purchases, kills and purges. A reader
 * keeps a document before it says so, and is killed anywhere. In the end each document was read at least once by each of them, also those that
 * another configuration bought.
 */
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import { isLicetError } from "../../../src/errors.ts";
import type { Violation } from "../checks/evidence.ts";
import type { ProcessJob } from "../process.ts";
import { createRandom } from "../random.ts";
import type { Settings } from "../scenario.ts";
import type { World } from "../world.ts";
import type { Actor, Stage } from "./actors.ts";

const SHARE = 0.4;
const EVENTS_PER_DRAW = 25;
const MAX_ALIVE = 8;
/** A reader that was killed on another machine keeps its cursor for ten minutes. */
const TRY_MS = 180_000;
const MAX_TRIES = 5;

interface Reader {
  readonly cursor: string;
  readonly settings: Settings;
  /** What it has kept: pages, each with the purchase that brought it. */
  readonly kept: Set<string>;
}

export function drawExports({ world, meeting, pass }: Stage): Actor | null {
  const random = createRandom(world.scenario.seed, "exports");
  if (!random.chance(SHARE)) {
    return null;
  }
  const often = random.pick([0.05, 0.2]);
  const readers = meeting.configurations.map(
    (settings, index): Reader => ({ cursor: `reader-${index}`, settings, kept: new Set() }),
  );
  const read = ({ cursor, settings, kept }: Reader) => {
    const job: ProcessJob = async (resources, bus) => {
      for await (const document of createAgentOn(resources, bus).documents({ cursor })) {
        kept.add(nameOf(document));
        await document.ack();
      }
    };
    return world.start({ kind: "export", settings, skewMs: 0, job });
  };
  return {
    onEvent: () => {
      const { scheduler, evidence } = world;
      if (evidence.faultsAreOver || scheduler.events % EVENTS_PER_DRAW !== 0) {
        return;
      }
      if (random.chance(often) && world.alive().length < MAX_ALIVE) {
        read(random.pick(readers));
      }
    },
    onEnd: async () => {
      for (const reader of readers) {
        for (let left = MAX_TRIES; left > 0; left -= 1) {
          const last = read(reader);
          await pass(TRY_MS);
          if (last.hasEnded && last.error === null) {
            break;
          }
          if (last.hasEnded && !isLicetError(last.error, "CURSOR_IN_USE")) {
            return broken("readers-read", `${reader.cursor}: ${String(last.error)}`);
          }
        }
      }
      return null;
    },
    judgeEnd: () => judgeReaders(world, readers),
  };
}

/** What the ledger holds in the end, every reader has kept. */
function judgeReaders({ db }: World, readers: readonly Reader[]): Violation | null {
  const held = db
    .prepare<[], { url: string; purchaseId: number }>(
      `SELECT g.url, d.id AS purchaseId FROM purchase d JOIN page g ON g.held_purchase_id = d.id
       JOIN content c ON c.purchase_id = d.id WHERE d.document_number IS NOT NULL AND c.purged_at IS NULL`,
    )
    .all();
  for (const { cursor, kept } of readers) {
    const missing = held.find((document) => !kept.has(nameOf(document)));
    if (missing !== undefined) {
      return broken(
        "each-document-is-read",
        `${cursor} was never given ${missing.url} of purchase ${missing.purchaseId}`,
      );
    }
  }
  return null;
}

function nameOf({ url, purchaseId }: { readonly url: string; readonly purchaseId: number }): string {
  return `${url} ${purchaseId}`;
}

function broken(rule: string, detail: string): Violation {
  return { promise: 4, rule, detail };
}
