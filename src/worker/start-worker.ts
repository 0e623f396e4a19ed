/** Builds a worker of its adapters: the queues of the server, the client of the service, the gateway's client, the converter. */
import { availableParallelism, hostname } from "node:os";
import { TUNING, tuneToPlaces } from "../agent/tuning.ts";
import { hasBlockedPort } from "../blocked-ports.ts";
import { createMarkdownConverter } from "../content/markdown-converter.ts";
import { LicetError } from "../errors.ts";
import { HEADER_VALUE } from "../gateway/client-options.ts";
import { GatewayClient } from "../gateway/gateway-client.ts";
import { createIds } from "../ids.ts";
import { packageVersion } from "../package-directory.ts";
import { openSharedQueues } from "../queue/shared-queue.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { createServiceClient } from "./service-client.ts";
import { untilReached } from "./until-reached.ts";
import { runWorker } from "./worker.ts";
import { PAGES_PER_PLACE } from "./worker-deps.ts";
import type { WorkerOptions } from "./worker-options.ts";
import type { Welcome } from "./worker-port.ts";

export interface StartWorker extends Pick<WorkerOptions, "places" | "log" | "isDrained" | "stop" | "end"> {
  readonly serve: string;
  readonly queue: string;
  /** Secrets. */
  readonly token: string;
  readonly apiKey: string;
  /** @default the host and the number of the process */
  readonly name?: string | undefined;
}

/** Works until it is stopped, or until nothing is left where it drains. @throws LicetError what a retry cannot mend */
export async function startWorker(options: StartWorker): Promise<void> {
  const { serve, queue, token, apiKey, places, log, name = `${hostname()}:${process.pid}` } = options;
  requireSendable("the token of the worker", token, "Check --token-file, or LICET_WORKER_TOKEN.");
  requireSendable("the key of the gateway", apiKey, "Check LICET_API_KEY.");
  const client = createServiceClient({ url: serve, token, version: packageVersion() });
  requireOpenPort(serve);
  const reaching = { ...options, clock: systemClock, random: Math.random, what: "the queue" };
  const queues = await untilReached({ ...reaching, isOver: () => options.stop.aborted }, () =>
    openSharedQueues({ url: queue, onWarning: log.warn }),
  );
  if (queues === null) {
    return;
  }
  try {
    await runWorker({
      ...options,
      name,
      client,
      queues,
      clock: systemClock,
      random: Math.random,
      jobsAtOnce: (ofShare) => tuneToPlaces(TUNING, ofShare).workerConcurrency,
      tools: async (welcome, clock) => createTools(welcome, { apiKey, places, clock }),
    });
  } finally {
    await queues.close();
  }
}

/** A request that cannot be made is not an outage: it would be tried again for ever. */
function requireSendable(what: string, secret: string, hint: string): void {
  if (!HEADER_VALUE.test(secret)) {
    throw new LicetError("USAGE_INVALID", `${what} must be visible ASCII in one line: it is sent as a header`, {
      hint,
    });
  }
}

/** Whatever listens there: it would be tried again for ever. */
function requireOpenPort(serve: string): void {
  if (hasBlockedPort(serve)) {
    throw new LicetError(
      "USAGE_INVALID",
      `--serve names the port ${new URL(serve).port}, to which fetch and browsers never connect`,
      {
        hint: "Such ports belong to other protocols (https://fetch.spec.whatwg.org/#port-blocking). Give the service another `serve.port`, or a proxy in front of it.",
      },
    );
  }
}

function createTools(
  { gateway, conversion }: Welcome,
  { apiKey, places, clock }: Pick<StartWorker, "apiKey" | "places"> & { readonly clock: Clock },
) {
  return {
    // Its limits are the share that the service deals, which comes before the first request.
    gateway: new GatewayClient({ ...gateway, apiKey, clock, concurrency: places, requestsPerSecond: null }),
    ids: createIds(),
    converter: createMarkdownConverter({
      threads: availableParallelism(),
      limits: conversion,
      maxQueued: 2 * places * PAGES_PER_PLACE,
    }),
  };
}
