/** A ledger in which a run has failed, and a receiver on this machine. */
import { onTestFinished } from "vitest";
import type { AlertDocument } from "../../../src/alert/alert-document.ts";
import type { AlertConfig, Config } from "../../../src/config/config.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { createNotifier, type Notifier, type NotifierDeps } from "../../../src/notify/notifier.ts";
import { NOON } from "../../doubles/ledger-shop.ts";
import { toSpec } from "../../doubles/ledger-steps.ts";
import { type LoopbackServer, startLoopbackServer } from "../../doubles/loopback-server.ts";

export interface ReceiverServer {
  readonly url: string;
  readonly received: LoopbackServer["received"];
  readonly arrived: LoopbackServer["arrived"];
  /** The documents, in the order in which they came. */
  documents(): readonly AlertDocument[];
  /** What it answers from now on. Null: it never answers. */
  answer(status: number | null, headers?: Readonly<Record<string, string>>): void;
}

export async function startReceiver(): Promise<ReceiverServer> {
  let status: number | null = 204;
  let headers: Readonly<Record<string, string>> = {};
  const server = await startLoopbackServer((_request, response) => {
    if (status !== null) {
      response.writeHead(status, headers).end();
    }
  });
  onTestFinished(() => server.close());
  return {
    url: `${server.baseUrl}/alerts?token=hush`,
    received: server.received,
    arrived: server.arrived,
    documents: () => server.received.map(({ body }) => JSON.parse(body) as AlertDocument),
    answer: (next, others = {}) => {
      status = next;
      headers = others;
    },
  };
}

export interface TestNotifier extends Notifier {
  readonly logged: readonly string[];
  /** Moves the clock. */
  pass(ms: number): void;
}

/** As one process has it. */
export function openNotifier(
  alerts: readonly AlertConfig[],
  deps: Partial<NotifierDeps> = {},
  startAt = NOON,
): TestNotifier {
  let now = startAt;
  const logged: string[] = [];
  const config = {
    alerts,
    budgets: [],
    webhooks: [],
    gateway: { apiKey: "the-api-key" },
    serve: { token: null, tokens: [] },
    queue: { url: "embedded" },
    ledger: { path: "/data/licet.sqlite", lowDiskBytes: 0 },
  } as unknown as Config;
  const notifier = createNotifier({
    config,
    clock: { now: () => now, sleep: async () => {} },
    random: () => 0,
    freeBytes: () => null,
    env: {},
    log: { debug: (line) => void logged.push(line), warn: (line) => void logged.push(line) },
    ...deps,
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { ...notifier, logged, pass };
}

export const TIME_LIMIT = { timeLimitMs: 5_000 } as const;

export function toWebhook(
  url: string,
  on: AlertConfig["on"] = ["run_failed"],
  secret: string | null = null,
  form: "json" | "slack" = "json",
): AlertConfig {
  return { on, unreportedForMs: null, to: { kind: "webhook", url, form, secret } };
}

export async function failRun(ledger: Ledger, runId: string, now = NOON): Promise<void> {
  await ledger.createRun(toSpec({ runId, startedAt: now }));
  await ledger.endRun({ runId, state: "failed", reason: "the gateway is gone", now });
}
