/**
 * The first import of the library: on a Node that is too old, importing licet fails with this sentence. Without it the error would be
 * a dependency's `TypeError`, or no error at all, but a crash when the ledger is opened.
 */
import { LicetError } from "./errors.ts";
import { findNodeProblem } from "./node-version.ts";

const problem = findNodeProblem(process.versions.node);
if (problem !== null) {
  throw new LicetError("NODE_UNSUPPORTED", problem);
}
