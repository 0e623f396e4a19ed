/** Many workers in one process, each with its own session, connections and share, as if they were processes. */
import { startWorker } from "../dist/src/worker/start-worker.js";

const { serve, queue, token, workers, places } = JSON.parse(process.argv[2]);
const [stop, end] = [new AbortController(), new AbortController()];
const quiet = () => {};
const all = Array.from({ length: workers }, (_, number) =>
  startWorker({
    ...{ serve, queue, token, apiKey: "sandbox-key", name: `worker:${number}`, places, isDrained: false },
    ...{ log: { info: quiet, warn: (line) => process.stderr.write(`worker ${number}: ${line}\n`) } },
    ...{ stop: stop.signal, end: end.signal },
  }),
);
process.stdout.write(`${JSON.stringify({})}\n`);
process.stdin.resume();
process.stdin.once("end", async () => {
  stop.abort();
  await Promise.all(all);
  process.exit(0);
});
