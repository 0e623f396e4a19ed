/** The ledger's figures, read once for several scrapes that come together. */
import { messageOf } from "../../errors.ts";
import type { LedgerFigures } from "../../ledger/ledger-figures.ts";
import type { ServiceContext } from "../service-part.ts";

/** Figures are good for so long. */
const FIGURES_CACHE_MS = 3_000;

export interface FiguresCache {
  /** Reads the figures when they are too old. Never throws: without a ledger there are none. */
  refresh(): Promise<void>;
  /** Null: the ledger could not be read. */
  last(): LedgerFigures | null;
}

export function createFiguresCache({
  resources,
  config,
  log,
}: Pick<ServiceContext, "resources" | "config" | "log">): FiguresCache {
  const { clock } = resources;
  let known: LedgerFigures | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    try {
      const ledger = await resources.ledger("existing");
      const hosts = config.sites.map(({ host }) => host);
      known = await ledger.readFigures({ budgets: config.budgets, hosts, now: clock.now() });
    } catch (error) {
      known = null;
      log.debug(`the figures of the ledger cannot be read: ${messageOf(error)}`);
    }
    readAt = clock.now();
  }

  return {
    last: () => known,
    refresh: async () => {
      // The clock may have been set back meanwhile.
      if (Math.abs(clock.now() - readAt) < FIGURES_CACHE_MS) {
        return;
      }
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    },
  };
}
