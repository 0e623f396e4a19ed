import type { Ledger } from "./ledger.ts";

/**
 * Reads a ledger beside whoever writes it, without holding them up: each piece of work sees one state of the ledger, however many calls it makes. The
 * reader is opened by the first piece of work, and closed when nobody has read for a while.
 */
export interface Snapshots {
  /**
   * @param work calls what only reads. A call that would write fails, and so does one after the work has ended
   * @throws LicetError SERVICE_BUSY when the work takes too long, or too many others wait; LEDGER_*
   */
  read<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result>;
  /** Ends what is being read. */
  close(): Promise<void>;
}
