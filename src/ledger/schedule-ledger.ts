/** The slots of schedules. Each slot is a row, so that none runs twice, whatever the queue does. */

/**
 * `claimed`: somebody works on it. `started`: its run has begun, or its task is at work. `done`: it ended. `refused`: another run of
 * the site was at work. `missed`: no service was running, or a later slot stands for it. `failed`: it could not begin.
 */
export const SLOT_STATES = ["claimed", "started", "done", "refused", "missed", "failed"] as const;
export type SlotState = (typeof SLOT_STATES)[number];
