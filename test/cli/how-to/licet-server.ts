/**
 * `licet` for the shells of the how-tos, without a Node process with all of licet for each command: the command on the PATH is a small client
 * (licet-client.mjs), and the command line runs in this process.
 */
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CliIo, TextSink } from "../../../src/cli/cli-io.ts";
import { runCli } from "../../../src/cli/run-cli.ts";
import { systemClock } from "../../../src/time/clock.ts";

const CLIENT = fileURLToPath(new URL("licet-client.mjs", import.meta.url));

interface Call {
  readonly id: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly stdin: string;
}

type Listener = (signal: "SIGINT" | "SIGTERM") => void;

export interface LicetServer {
  /** The directory to put on the PATH. */
  readonly bin: string;
  close(): Promise<void>;
}

/** @param bin a directory that does not exist yet */
export async function startLicetServer(bin: string): Promise<LicetServer> {
  /** Who listens for the signals of a call; a signal that comes first waits in `early`. */
  const listeners = new Map<string, Set<Listener>>();
  const early = new Set<string>();
  const server = createServer((request, response) => {
    void readJson(request).then((call) => {
      if (request.url === "/signal") {
        const waiting = listeners.get(call.id);
        waiting === undefined ? early.add(call.id) : [...waiting].map((listener) => listener("SIGINT"));
        response.end();
        return;
      }
      return answer(call, response);
    });
  });
  const answer = async (call: Call, response: ServerResponse) => {
    const send = (line: object) => response.write(`${JSON.stringify(line)}\n`);
    const code = await runCli(toIo(call, send), call.args);
    listeners.delete(call.id);
    send({ code });
    response.end();
  };
  const toIo = ({ id, cwd, env, stdin }: Call, send: (line: object) => void): CliIo => ({
    cwd,
    env,
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    stdout: toSink((out) => send({ out })),
    stderr: toSink((err) => send({ err })),
    clock: systemClock,
    version: "0.0.0",
    debug: false,
    onInterrupt: (listener) => {
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(listener));
      if (early.delete(id)) {
        listener("SIGINT");
      }
      return () => void own.delete(listener);
    },
    exit: (code) => send({ code }),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await mkdir(bin);
  await writeFile(join(bin, "licet"), `#!/bin/sh\nexec '${process.execPath}' '${CLIENT}' ${port} "$@"\n`, {
    mode: 0o755,
  });
  return {
    bin,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function toSink(write: (text: string) => void): TextSink {
  return {
    isTerminal: false,
    columns: () => 80,
    write: async (text) => write(text),
  };
}

async function readJson(request: IncomingMessage): Promise<Call> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
  }
  return JSON.parse(text) as Call;
}
