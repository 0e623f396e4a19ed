/**
 * What a run or a service waits for. A wait is written down when it begins and taken away when it ends, so that every process can say of every
 * other what it waits for, and since when.
 */

/** What is waited for. */
export const WAIT_PLACES = ["gateway", "rate_limit", "queue", "ledger", "disk", "clock"] as const;
