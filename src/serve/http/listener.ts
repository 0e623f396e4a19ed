/** The life of the HTTP interface: where it listens, what it refuses while the service stops, and how it closes. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ServeConfig } from "../../config/config.ts";
import { LicetError } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";

/** The most connections at once. More of them are closed at once. */
const MAX_CONNECTIONS = 1_024;
/** Answers that are under way have this long when the interface closes. */
const CLOSE_GRACE_MS = 1_000;
/** What a client is told to wait while the service stops: a restart takes less. */
const RETRY_AFTER_S = 10;

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** @returns the address. @throws LicetError LISTEN_FAILED, after which nothing is left open */
export async function listenHttp(
  app: FastifyInstance,
  { host, port }: Pick<ServeConfig, "host" | "port">,
): Promise<string> {
  app.server.maxConnections = MAX_CONNECTIONS;
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw toListenError(error, { host, port });
  }
  return urlOf(app, host);
}

/**
 * Says whether the address can be listened at, and leaves it free: a service that cannot start must not have made a ledger.
 * @throws LicetError LISTEN_FAILED
 */
export async function assertListenable({ host, port }: Pick<ServeConfig, "host" | "port">): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen({ host, port }), "listening");
  } catch (error) {
    throw toListenError(error, { host, port });
  } finally {
    probe.close();
  }
}

/** Takes no more connections. Those that are left after a moment are closed. */
export async function closeHttp(app: FastifyInstance, clock: Clock): Promise<void> {
  const closed = new AbortController();
  void clock.sleep(CLOSE_GRACE_MS, closed.signal).then(() => app.server.closeAllConnections());
  await app.close();
  closed.abort();
}

/** Nothing begins any more. Reading goes on to the end, so that a person can watch the service stop. Must be added before any route. */
export function refuseWhileStopping(app: FastifyInstance, stopping: AbortSignal): void {
  app.addHook("onRequest", async (request, reply) => {
    // What workers have under way ends in the ledger. They begin nothing either.
    const isOfWorker = request.routeOptions.config.isForWorkers ?? false;
    if (stopping.aborted && !READING.has(request.method) && !isOfWorker) {
      reply.header("retry-after", String(RETRY_AFTER_S)).header("connection", "close");
      throw new LicetError("SERVICE_STOPPING", "the service is stopping: nothing new begins", {
        hint: `Send the same request again in ${RETRY_AFTER_S} seconds.`,
      });
    }
  });
}

/** A host of all addresses is not an address to connect to. The machine itself reaches it on loopback. */
function urlOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

const LISTEN_PROBLEMS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  EADDRINUSE: {
    why: "the port is in use",
    hint: "Another program, or another service of licet, has it. Set another `serve.port`; 0 takes any free one.",
  },
  EACCES: {
    why: "this user may not use the port",
    hint: "Set a `serve.port` above 1023, and put a proxy in front of it for a lower one.",
  },
  EADDRNOTAVAIL: {
    why: "this machine does not have the address",
    hint: "Set `serve.host` to an address of this machine, such as 127.0.0.1.",
  },
  ENOTFOUND: {
    why: "the name of the host is not known",
    hint: "Set `serve.host` to an address of this machine, such as 127.0.0.1.",
  },
};

function toListenError(error: unknown, place: { readonly host: string; readonly port: number }): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const problem = LISTEN_PROBLEMS[code === "EAI_AGAIN" ? "ENOTFOUND" : code];
  if (problem === undefined) {
    return error;
  }
  const { host, port } = place;
  return new LicetError("LISTEN_FAILED", `cannot listen on ${host}:${port}: ${problem.why} (${code})`, {
    hint: problem.hint,
    details: { host, port, code },
    cause: error,
  });
}
