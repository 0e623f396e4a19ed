/** When a delivery that failed is made again. */
const SECOND_MS = 1000;
const FIRST_WAIT_MS = 10 * SECOND_MS;
const FACTOR = 3;
export const LONGEST_DELIVERY_WAIT_MS = 3_600_000;
/** Waits become shorter by up to this share, so that the deliveries of an outage do not come back all at once. */
const JITTER = 0.2;
/** About 13 hours after the first attempt. */
export const MAX_DELIVERY_ATTEMPTS = 18;

/**
 * @param attempts made so far, at least 1
 * @param random 0 ≤ x < 1
 * @returns the wait in ms, or null: it is given up
 */
export function deliveryWaitMs(attempts: number, random: number): number | null {
  if (attempts >= MAX_DELIVERY_ATTEMPTS) {
    return null;
  }
  const waitMs = Math.min(FIRST_WAIT_MS * FACTOR ** (attempts - 1), LONGEST_DELIVERY_WAIT_MS);
  return Math.round(waitMs * (1 - JITTER * random));
}
