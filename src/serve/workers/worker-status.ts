import type { RequestShare } from "../../gateway/gateway.ts";
import type { Session } from "./session.ts";
import type { DealtShare } from "./shares.ts";

/** One worker, for people. */
export interface WorkerStatus {
  readonly name: string;
  readonly tokenName: string;
  readonly since: number;
  readonly seenAt: number;
  readonly share: RequestShare;
  readonly jobs: number;
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly isDraining: boolean;
}

/** Over such a time pages a second are counted. */
const RATE_MS = 2_000;

export function toStatus(session: Session, { version: _, ...share }: DealtShare): WorkerStatus {
  const { name, tokenName, since, seenAt, jobs, pages, rate, isDraining } = session;
  const pagesPerSecond = rate.perSecond;
  return { name, tokenName, since, seenAt, share, jobs: jobs.size, pages, pagesPerSecond, isDraining };
}

/** Called again and again. */
export function countPages(session: Session, nowMs: number): void {
  const { pages, atMs } = session.rate;
  if (nowMs - atMs >= RATE_MS) {
    const perSecond = ((session.pages - pages) * 1_000) / (nowMs - atMs);
    session.rate = { pages: session.pages, atMs: nowMs, perSecond };
  }
}
