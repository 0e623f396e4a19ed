/** The service of a ledger, for calls that work beside it. */
import type { Ledger } from "../ledger/ledger.ts";
import type { KnownService, ServiceQuery } from "../ledger/service-ledger.ts";
import type { Resources } from "./compose.ts";
import { processLabel } from "./this-process.ts";

/** The newest service of this ledger, at work or not. Null: there was none. @throws LicetError LEDGER_* */
export async function readService(resources: Resources, ledger: Ledger): Promise<KnownService | null> {
  const { query, known } = await queryService(resources, ledger);
  return known === null ? null : { ...known, isAlive: known.isAlive && !query.gone.includes(known.process) };
}

export interface QueriedService {
  /** Whether its process is known to have ended. */
  readonly query: ServiceQuery;
  /** As it was read for that. */
  readonly known: KnownService | null;
}

/** What this process knows about the service of the ledger. */
export async function queryService({ clock, tuning, processes }: Resources, ledger: Ledger): Promise<QueriedService> {
  const query = { now: clock.now(), leaseMs: tuning.serviceLeaseMs, gone: [] };
  const known = await ledger.readService(query);
  const gone = known !== null && processes.hasEnded(known.process) ? [known.process] : [];
  // This process may have been suspended since. An instant after the answer is as new as what was read.
  return { query: { ...query, now: clock.now(), gone }, known };
}

/** Says to a person, or to a log of cron, that a service starts runs on this ledger too. Both are safe: runs of one site do not overlap. */
export async function warnOfService(
  resources: Resources,
  ledger: Ledger,
  warned: (message: string) => void,
): Promise<void> {
  const service = await readService(resources, ledger);
  if (service?.isAlive === true) {
    const where = service.url === null ? "" : ` at ${service.url}`;
    const who = `process ${processLabel(service.process)}${where}`;
    warned(`a service works on this ledger too (${who}): it starts runs by itself, and runs of one site never overlap`);
  }
}
