/**
 * The two ends of a cable (two-machines.ts), each a process: `gateway PORT [KEY CERTIFICATE]` writes what was asked of it, and `client ORIGIN` asks for each path
 * that it reads from its standard input and writes how that ended. A line is a step.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createInterface } from "node:readline";
import { Transport } from "../../src/gateway/transport.ts";

/** Less than the cable is out. */
const TIMEOUT_MS = 1_000;

const say = (line) => process.stdout.write(`${line}\n`);
const [role, where, key, certificate] = process.argv.slice(2);
if (role === "gateway") {
  const answer = ({ url }, response) => {
    say(url);
    response.end("{}");
  };
  const server =
    key === undefined
      ? createServer(answer)
      : createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answer);
  server.listen(Number(where), () => say("listens"));
} else {
  const limits = { connectTimeoutMs: 10_000, timeoutMs: TIMEOUT_MS, maxAnswerBytes: 1_000 };
  const transport = new Transport({ origin: where, ...limits });
  for await (const path of createInterface({ input: process.stdin })) {
    const { kind, reason } = await transport.send({ method: "GET", path, headers: [], body: null });
    say(`${path} ${reason ?? kind}`);
  }
  await transport.close();
}
