/** Whether a receiver can be used, without telling it anything. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import type { Receiver } from "./receivers.ts";
import type { Sent } from "./sent.ts";

const CONNECT_MS = 5_000;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** @param path where programs are looked for: the variable PATH */
export async function checkReceiver({ to }: Receiver, path: string): Promise<Sent> {
  return to.kind === "webhook" ? canConnect(new URL(to.url)) : canStart(to.command[0] ?? "", path);
}

/** Opens a connection and closes it. */
function canConnect({ hostname, port, protocol }: URL): Promise<Sent> {
  const address = {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? HTTPS_PORT : HTTP_PORT) : Number(port),
  };
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (sent: Sent) => {
      socket.destroy();
      resolve(sent);
    };
    socket.setTimeout(CONNECT_MS, () => end({ ok: false, error: `no connection within ${CONNECT_MS} ms` }));
    socket.on("connect", () => end({ ok: true }));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      end({ ok: false, error: `no connection (${error.code ?? "error"})` }),
    );
  });
}

async function canStart(program: string, path: string): Promise<Sent> {
  const candidates = program.includes("/") ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  for (const candidate of candidates) {
    try {
      await access(candidate, constants.X_OK);
      return { ok: true };
    } catch {
      // The next folder may have it.
    }
  }
  return { ok: false, error: "there is no such program that can be executed" };
}
