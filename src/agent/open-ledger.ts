/** How an agent opens its ledger, and the guard of restored copies. */
import type { Config } from "../config/config.ts";
import { LicetError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerAccess } from "../ledger/ledger-access.ts";
import { isLedgerWritable } from "../ledger/sqlite/engine/ledger-file.ts";
import { openSqliteLedger } from "../ledger/sqlite/open.ts";

/** `restored`: as `existing`, also for a copy that no person has accepted. Only the acceptance asks for it. */
export type AgentAccess = LedgerAccess | "restored";

interface OpenedLedger {
  readonly ledger: Ledger;
  readonly isWritable: boolean;
  readonly inThread: boolean;
}

/**
 * Shares one ledger among all calls of an agent. It is opened again when it was opened for reading and a later call has to write.
 * A failed opening is tried again by the next call.
 *
 * This is the one place that refuses to write to a copy that no person has accepted: every call gets its ledger here.
 * @param onCopy called once when such a copy is read
 * @param openLedger opens the file
 */
export function createLedgerOpener(
  { ledger: { path, mustExist, compress } }: Config,
  onCopy: (copy: { readonly path: string; readonly madeAt: string }) => void,
  openLedger: typeof openSqliteLedger = openSqliteLedger,
) {
  const all: Ledger[] = [];
  let last: Promise<OpenedLedger | null> = Promise.resolve(null);
  const openAnew = async (access: LedgerAccess, inThread: boolean): Promise<OpenedLedger> => {
    const isWritable = access !== "read" || isLedgerWritable(path);
    const ledger = await openLedger({ path, access, inThread, compress: compress === "zstd" });
    all.push(ledger);
    return { ledger, isWritable, inThread };
  };
  const openShared = async (access: LedgerAccess, inThread: boolean): Promise<Ledger> => {
    const wanted = access === "create" && mustExist ? "existing" : access;
    const serves = (known: OpenedLedger) => (known.isWritable || access === "read") && (known.inThread || !inThread);
    const opened = last.then((known) => (known !== null && serves(known) ? known : openAnew(wanted, inThread)));
    const before = last;
    last = opened.catch(() => before);
    return (await opened).ledger;
  };
  let isAnnounced = false;
  return {
    /** @param inThread the ledger must have a thread of its own. @default false */
    open: async (access: AgentAccess, inThread = false): Promise<Ledger> => {
      const ledger = await openShared(access === "restored" ? "existing" : access, inThread);
      const copy = access === "restored" ? null : await ledger.readCopy();
      if (copy === null || copy.acceptedAt !== null) {
        return ledger;
      }
      const madeAt = new Date(copy.madeAt).toISOString();
      if (access !== "read") {
        throw restoredLedger(path, madeAt);
      }
      if (!isAnnounced) {
        isAnnounced = true;
        onCopy({ path, madeAt });
      }
      return ledger;
    },
    close: async () => {
      await last;
      await Promise.all(all.map((ledger) => ledger.close()));
    },
  };
}

function restoredLedger(path: string, madeAt: string): LicetError {
  return new LicetError(
    "LEDGER_RESTORED",
    `this ledger is a copy from ${madeAt}, and nobody has accepted it: ${path}`,
    {
      hint: "It does not know what was bought and reported later, and would do it again. `licet restore --accept` says what to check, and accepts it.",
      details: { path, madeAt },
    },
  );
}
