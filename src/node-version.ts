/**
 * The oldest Node that licet runs on. Imports nothing and uses nothing that an older Node lacks: it has to be loaded, and to
 * answer, before anything that an old Node cannot parse or that crashes it (a ledger opened on Node 20 ends the process).
 */

/** The same as `engines.node` in package.json; a test holds the two together. */
export const OLDEST_NODE = "22.19.0";

/**
 * @param running the version of the Node that runs this, such as `20.19.4`
 * @returns what to say when it is too old, in one sentence; null when it is not
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
