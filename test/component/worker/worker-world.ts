/** A service with workers, in this process: a Redis and a sandbox of its own. */
import { onTestFinished } from "vitest";
import { startWorker } from "../../../src/worker/start-worker.ts";
import type { WorldOptions } from "../../doubles/crawl-world.ts";
import { type RedisServer, startRedisServer } from "../../doubles/redis-server.ts";
import { createServiceWorld, type ServiceWorld } from "../../doubles/service-world.ts";

export const WORKER_TOKEN = "worker-token";
const ACTING = { authorization: "Bearer acting-token" };

export interface WorkerWorld extends ServiceWorld {
  readonly redis: RedisServer;
  /** Starts a worker. Its `stop` resolves when it has ended. */
  addWorker(options?: {
    readonly places?: number;
    readonly name?: string;
    readonly isDrained?: boolean;
  }): StartedWorker;
  /** Starts a run of all sites, and waits for its end. */
  run(): Promise<{ readonly state: string; readonly runId: string }>;
  startRun(): Promise<string>;
  whenOver(runId: string): Promise<{ readonly state: string; readonly runId: string }>;
}

export interface StartedWorker {
  readonly ended: Promise<void>;
  readonly said: readonly string[];
  stop(): Promise<void>;
}

export async function createWorkerWorld(options: Omit<WorldOptions, "queueUrl">): Promise<WorkerWorld> {
  const redis = await startRedisServer();
  onTestFinished(() => redis.stop());
  const world = await createServiceWorld({
    ...options,
    queueUrl: redis.url,
    config: {
      ...options.config,
      serve: {
        port: 0,
        tokens: [
          { name: "operator", token: "acting-token", can: "act" },
          { name: "fleet", token: WORKER_TOKEN, can: "work" },
        ],
      },
    },
  });
  onTestFinished(() => world.close());
  const whenOver = async (runId: string) => {
    for (;;) {
      const { json } = await world.call("GET", `/api/v1/runs/${runId}`, { headers: ACTING });
      if (json.run.state !== "running") {
        return json.run;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const startRun = async () => {
    const { status, json, text } = await world.call("POST", "/api/v1/runs", { headers: ACTING, body: {} });
    if (status !== 201 && status !== 202 && status !== 200) {
      throw new Error(text);
    }
    return json.runId as string;
  };
  return {
    ...world,
    redis,
    startRun,
    whenOver,
    run: async () => whenOver(await startRun()),
    addWorker: ({ places = 8, name = "worker:1", isDrained = false } = {}) => {
      const said: string[] = [];
      const [stop, end] = [new AbortController(), new AbortController()];
      const ended = startWorker({
        serve: world.service.url,
        queue: redis.url,
        token: WORKER_TOKEN,
        apiKey: "sandbox-key",
        name,
        places,
        isDrained,
        log: { info: (line) => said.push(line), warn: (line) => said.push(line) },
        stop: stop.signal,
        end: end.signal,
      });
      ended.catch(() => {});
      onTestFinished(async () => {
        end.abort();
        stop.abort();
        await ended.catch(() => {});
      });
      return {
        ended,
        said,
        stop: async () => {
          stop.abort();
          await ended;
        },
      };
    },
  };
}
