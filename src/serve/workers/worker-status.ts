import type { KnownWorker, WorkerState } from "../../ledger/service-ledger.ts";
import type { Session } from "./session.ts";
import type { DealtShare } from "./shares.ts";

/** Over such a time pages a second are counted. */
const RATE_MS = 2_000;

/** A worker that has a session. */
export function toKnownWorker(session: Session, { concurrency, requestsPerSecond }: DealtShare): KnownWorker {
  const { name, tokenName, version, places, since, seenAt, pages } = session;
  const share = { concurrency, requestsPerSecond };
  const state = stateOf(session);
  const pagesPerSecond = session.rate.perSecond;
  const jobs = session.jobs.size;
  return { name, tokenName, version, state, places, share, jobs, pages, pagesPerSecond, since, seenAt };
}

function stateOf({ isDraining, attached }: Session): WorkerState {
  if (isDraining) {
    return "draining";
  }
  return attached.size > 0 ? "attached" : "idle";
}

/** Called again and again. */
export function countPages(session: Session, nowMs: number): void {
  const { pages, atMs } = session.rate;
  if (nowMs - atMs >= RATE_MS) {
    const perSecond = Math.round(((session.pages - pages) * 10_000) / (nowMs - atMs)) / 10;
    session.rate = { pages: session.pages, atMs: nowMs, perSecond };
  }
}
