/**
 * The oldest Node that licet runs on. This file imports nothing and uses no new feature of Node, because an old Node must be able
 * to run it before it loads anything that it cannot parse or that crashes it (a ledger opened on Node 20 ends the process).
 */

/** The same as `engines.node` in package.json; a test compares the two. */
export const OLDEST_NODE = "22.19.0";

/**
 * @param running the version of the running Node, such as `20.19.4`
 * @returns the message for a version that is too old, or null
 */
export function findNodeProblem(running: string): string | null {
  return isAtLeast(running, OLDEST_NODE)
    ? null
    : `licet needs Node ${OLDEST_NODE} or newer, and this is Node ${running}: install a newer one from your package manager or nodejs.org.`;
}

function isAtLeast(running: string, oldest: string): boolean {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
