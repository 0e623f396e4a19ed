/**
 * A service in its own process, which counts what its workers ask of it, and with `measure: "work"` what it writes to SQLite. A line on its standard
 * input asks for the counts, which are one line; its end stops the service.
 */
import { subscribe } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { LEDGER_PATHS } from "../dist/src/worker/http-names.js";
import { watchConnections } from "./work-counter.mjs";

const { config: file, measure = null } = JSON.parse(process.argv[2]);
const work =
  measure === "work" ? watchConnections(createRequire(new URL("../dist/", import.meta.url))("better-sqlite3")) : null;
const { boundHeap, letOldGenerationGrow } = await import("../dist/src/cli/start/heap.js");
const { loadConfig } = await import("../dist/src/config/load-config.js");
const { startService } = await import("../dist/src/serve/service.js");
boundHeap();
letOldGenerationGrow();

const counts = { messages: 0, beats: 0 };
/** Of the workers' connections. */
const sockets = new Set();
let closedBytes = { read: 0, written: 0 };
subscribe("http.server.request.start", ({ request, socket }) => {
  counts.messages += request.url === LEDGER_PATHS.messages ? 1 : 0;
  counts.beats += request.url === LEDGER_PATHS.beat ? 1 : 0;
  if (request.url.startsWith("/ledger/") && !sockets.has(socket)) {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      closedBytes = addBytes(closedBytes, socket);
    });
  }
});

let ended = 0;
const quiet = () => {};
const info = (message) => {
  ended += /^run \S+ ended/.test(message) ? 1 : 0;
};
const warn = (message) => process.stderr.write(`service: ${message}\n`);
const service = await startService(await loadConfig({ path: file, cwd: process.cwd(), env: {} }), {
  ...{ debug: quiet, info, warn },
});
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
work?.begin();
print({ url: service.url });
createInterface({ input: process.stdin })
  .on("line", () => {
    const { statements = null, commits = null } = work?.read() ?? {};
    const { read, written } = [...sockets].reduce(addBytes, closedBytes);
    const rssMb = process.memoryUsage.rss() / 1024 / 1024;
    const stoodMs = delay.percentile(99) / 1e6;
    const workers = service.workers().length;
    print({ ...counts, ended, sockets: sockets.size, read, written, statements, commits, rssMb, stoodMs, workers });
  })
  .once("close", async () => {
    await service.stop();
    process.exit(0);
  });

function addBytes({ read, written }, { bytesRead, bytesWritten }) {
  return { read: read + bytesRead, written: written + bytesWritten };
}

function print(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
