/**
 * How long a test waits for what other parts do. A working machine needs a small part of it. A machine that stands still must not decide
 * whether a test passes, so no wait has a shorter limit of its own.
 */
export const PATIENCE = { timeout: 90_000, interval: 20 };

/** Longer than the waits of a test, which can say what did not come. */
export const TEST_TIMEOUT_MS = 2 * PATIENCE.timeout;
