/** The sandbox gateway in its own process, with `pages` of each host. `warmPages`: so many pages of another site, for a run that is not measured. */
import { startSandbox } from "../dist/src/sandbox/sandbox.js";

const { hosts = ["bench.example"], pages, bodyBytes, latencyMs, warmPages = 0 } = JSON.parse(process.argv[2]);
const sandbox = await startSandbox({
  sites: [
    ...hosts.map((host) => ({ kind: "synthetic", host, pages, bodyBytes })),
    { kind: "synthetic", host: "warm.example", pages: warmPages, bodyBytes },
  ],
  latencyMs,
  rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
});
process.stdout.write(`${JSON.stringify({ url: sandbox.url })}\n`);
process.stdin.resume();
process.stdin.once("end", async () => {
  await sandbox.close();
  process.exit(0);
});
