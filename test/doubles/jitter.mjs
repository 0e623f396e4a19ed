/**
 * Lets every server of a test answer its requests in another order than they came: `NODE_OPTIONS="--import ./test/doubles/jitter.mjs"`.
 *
 * Each request waits for 0 to LICET_TEST_JITTER_MS milliseconds (8, unless it is set) before its server sees it. A test that assumes the
 * order of requests which are under way at once passes on a quiet machine and fails on a loaded one; with this it fails at once.
 */
import { Server } from "node:http";

const most = Number(process.env.LICET_TEST_JITTER_MS ?? 8);
const emit = Server.prototype.emit;
Server.prototype.emit = function (event, ...args) {
  if (event !== "request") {
    return emit.call(this, event, ...args);
  }
  setTimeout(() => emit.call(this, event, ...args), Math.random() * most);
  return true;
};
