import { STAGES } from "../../queue/queue.ts";
import type { Offer, Session } from "./session.ts";
import type { Shares } from "./shares.ts";

/** Workers that are there have so long to take part in new work, before the service does it itself. */
const ATTACH_MS = 3_000;

interface Present {
  readonly sessions: readonly Session[];
  readonly shares: Pick<Shares, "of">;
  /** By the clock for durations. */
  readonly nowMs: number;
}

/** Where workers elsewhere have a share, or may soon have it, the service reads the catalogs and leaves the rest to them. */
export function holdLocal(offers: readonly Offer[], { sessions, shares, nowMs }: Present): void {
  for (const offer of offers) {
    const isNew = nowMs - offer.sinceMs < ATTACH_MS;
    const isShared = sessions.some(
      ({ id, attached, isDraining }) =>
        !isDraining && (isNew || (attached.has(offer.id) && shares.of(id).concurrency > 0)),
    );
    offer.local.takeOnly(isShared ? ["walk"] : STAGES);
  }
}
