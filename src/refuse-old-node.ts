/**
 * The first import of the library. On a Node that is too old, the import of licet fails with this message. Otherwise a dependency
 * would throw a `TypeError`, or the process would crash when the ledger is opened.
 */
import { LicetError } from "./errors.ts";
import { findNodeProblem } from "./node-version.ts";

const problem = findNodeProblem(process.versions.node);
if (problem !== null) {
  throw new LicetError("NODE_UNSUPPORTED", problem);
}
