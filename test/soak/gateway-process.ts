/** A sandbox gateway in a process of its own: its account of a million charges is not licet's memory. Ends with its standard input. */
import { startSandbox } from "../../src/sandbox/sandbox.ts";

const { hosts, pages } = JSON.parse(process.argv[2] ?? "{}") as { hosts: string[]; pages: number };
const sandbox = await startSandbox({
  sites: hosts.map((host) => ({ kind: "synthetic", host, pages, bodyBytes: 400 })),
  rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
});
process.stdout.write(`${sandbox.url}\n`);
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
