/**
 * The same random commands on the embedded queue and on BullMQ's own Redis backend: after each of them both hold the same jobs in the
 * same order, and each command came to the same answer or the same error. Redis is the model.
 */
import type { Job, JobsOptions } from "bullmq";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import {
  type BullmqWorld,
  inProcessBackend,
  namesOf,
  openWorld,
  redisBackend,
  TOKEN,
  take,
} from "./bullmq/bullmq-world.ts";

const RUNS = 60;
const STEPS = 40;
const HOUR_MS = 3_600_000;
/** Delays from now never come between those from the start of a run, whatever time a backend takes. */
const BETWEEN_MS = HOUR_MS / 2;
const IDS = ["own-1", "own-2", "own-3"];

/** One command, as plain data: `pick` chooses among the jobs that a worker holds, or that were ever added. */
type Command =
  | { readonly kind: "add"; readonly options: JobsOptions }
  | { readonly kind: "addBulk"; readonly options: readonly JobsOptions[] }
  | { readonly kind: "take" | "pause" | "resume" | "retryOnly" | "obliterate" | "nextWithComplete" }
  | { readonly kind: "complete" | "fail" | "moveToWait" | "extend" | "steal"; readonly pick: number }
  | { readonly kind: "remove" | "promote" | "retry" | "log"; readonly pick: number }
  | { readonly kind: "moveToDelayed" | "changeDelay"; readonly pick: number; readonly hours: number }
  | { readonly kind: "changePriority"; readonly pick: number; readonly priority: number; readonly lifo: boolean }
  | { readonly kind: "drain"; readonly delayed: boolean }
  | { readonly kind: "clean"; readonly state: "wait" | "prioritized" | "delayed" | "completed" | "failed" | "active" }
  | { readonly kind: "cleanSome"; readonly state: "wait" | "prioritized" | "delayed"; readonly limit: number }
  | { readonly kind: "promoteJobs"; readonly count: number };

const hours = fc.integer({ min: 1, max: 3 });
const pick = fc.nat({ max: 1_000 });
const options: fc.Arbitrary<JobsOptions> = fc.record(
  {
    jobId: fc.constantFrom(...IDS),
    priority: fc.integer({ min: 0, max: 3 }),
    lifo: fc.boolean(),
    delay: hours.map((count) => count * HOUR_MS),
    attempts: fc.integer({ min: 1, max: 3 }),
    removeOnComplete: fc.boolean(),
    removeOnFail: fc.boolean(),
  },
  { requiredKeys: [] },
);

const command: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("add" as const), options }), weight: 6 },
  {
    arbitrary: fc.record({ kind: fc.constant("addBulk" as const), options: fc.array(options, { maxLength: 3 }) }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant("take" as const) }), weight: 5 },
  {
    arbitrary: fc.record({ kind: fc.constantFrom("complete", "fail", "moveToWait", "extend", "steal"), pick }),
    weight: 6,
  },
  { arbitrary: fc.record({ kind: fc.constantFrom("remove", "promote", "retry", "log"), pick }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constantFrom("moveToDelayed", "changeDelay"), pick, hours }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant("changePriority" as const),
      pick,
      priority: fc.integer({ min: 0, max: 3 }),
      lifo: fc.boolean(),
    }),
    weight: 3,
  },
  fc.record({ kind: fc.constantFrom("pause", "resume", "resume", "retryOnly", "nextWithComplete") }),
  fc.record({ kind: fc.constant("drain" as const), delayed: fc.boolean() }),
  fc.record({
    kind: fc.constant("clean" as const),
    state: fc.constantFrom("wait", "prioritized", "delayed", "completed", "failed", "active"),
  }),
  fc.record({
    kind: fc.constant("cleanSome" as const),
    state: fc.constantFrom("wait", "prioritized", "delayed"),
    limit: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ kind: fc.constant("promoteJobs" as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("obliterate" as const) }),
);

/** One of the two queues, with what the commands have done to it. */
function openSide(world: BullmqWorld, startAt: number) {
  const worker = world.openWorker(null);
  const added: Job[] = [];
  let held: Job[] = [];
  let names = 0;
  const nameNext = () => {
    names += 1;
    return `job-${names}`;
  };
  const withTime = (one: JobsOptions) => ({ ...one, timestamp: startAt });
  const pickOf = (jobs: readonly Job[], index: number) => jobs[index % jobs.length];
  const giveUp = (job: Job) => {
    held = held.filter((one) => one !== job);
  };

  const onHeld = async (one: Command & { pick: number }, job: Job): Promise<unknown> => {
    switch (one.kind) {
      case "complete":
        giveUp(job);
        return job.moveToCompleted("done", TOKEN, false);
      case "fail":
        giveUp(job);
        return job.moveToFailed(new Error("reason"), TOKEN, false);
      case "moveToWait":
        giveUp(job);
        return job.moveToWait(TOKEN);
      case "moveToDelayed":
        giveUp(job);
        return job.moveToDelayed(Date.now() + one.hours * HOUR_MS + BETWEEN_MS, TOKEN);
      case "extend":
        return job.extendLock(TOKEN, HOUR_MS);
      default:
        return job.moveToCompleted("stolen", "another", false);
    }
  };

  const onAny = async (one: Command & { pick: number }, job: Job): Promise<unknown> => {
    switch (one.kind) {
      case "remove":
        return world.queue.remove(job.id ?? "");
      case "promote":
        return job.promote();
      case "retry":
        return job.retry((await job.isCompleted()) ? "completed" : "failed");
      case "changeDelay":
        return job.changeDelay(one.hours * HOUR_MS + BETWEEN_MS / 2);
      case "changePriority":
        return job.changePriority({ priority: one.priority, lifo: one.lifo });
      default:
        return job.log("line");
    }
  };

  const run = async (one: Command): Promise<unknown> => {
    switch (one.kind) {
      case "add":
        added.push(await world.queue.add(nameNext(), 0, withTime(one.options)));
        return added.at(-1)?.id;
      case "addBulk":
        added.push(
          ...(await world.queue.addBulk(
            one.options.map((opts) => ({ name: nameNext(), data: 0, opts: withTime(opts) })),
          )),
        );
        return added.at(-1)?.id;
      case "take": {
        const job = await take(worker);
        held.push(...(job === null ? [] : [job]));
        // Each side reads the clock by itself when it takes a delay up again: in whole seconds they are the same.
        return [
          job?.name,
          job?.attemptsMade,
          job?.attemptsStarted,
          job?.priority,
          Math.round((job?.delay ?? 0) / 1000),
        ];
      }
      case "nextWithComplete": {
        const [job] = held.splice(0, 1);
        const next = (await job?.moveToCompleted("done", TOKEN, true)) as [unknown, string] | [] | undefined;
        const nextJob = next?.[0] == null ? undefined : await world.queue.getJob(next[1] ?? "");
        held.push(...(nextJob === undefined ? [] : [nextJob]));
        return nextJob?.name;
      }
      case "pause":
        return world.queue.pause();
      case "resume":
        return world.queue.resume();
      case "retryOnly":
        // Jobs that failed in the same millisecond are in the order of their ids: which ones did differs from run to run.
        return (await world.queue.getFailedCount()) > 1 ? "several" : world.queue.retryJobs();
      case "drain":
        return world.queue.drain(one.delayed);
      case "clean":
        return (await world.queue.clean(0, 0, one.state)).sort();
      case "cleanSome":
        return (await world.queue.clean(0, one.limit, one.state)).sort();
      case "promoteJobs":
        return world.queue.promoteJobs({ count: one.count });
      case "obliterate":
        held = [];
        return world.queue.obliterate({ force: true });
      case "remove":
      case "promote":
      case "retry":
      case "log":
      case "changeDelay":
      case "changePriority": {
        const job = pickOf(added, one.pick);
        return job && onAny(one, job);
      }
      default: {
        const job = pickOf(held, one.pick);
        return job && onHeld(one, job);
      }
    }
  };
  const answer = (one: Command) => run(one).catch((error: Error & { code?: unknown }) => [error.message, error.code]);
  return { answer, snapshot: () => snapshotOf(world) };
}

async function snapshotOf({ queue }: BullmqWorld) {
  const inOrder = ["waiting", "prioritized", "active", "delayed"] as const;
  const ordered = await Promise.all(inOrder.map(async (state) => namesOf(await queue.getJobs([state], 0, -1, true))));
  const finished = await Promise.all(
    (["completed", "failed"] as const).map(async (state) => namesOf(await queue.getJobs([state])).sort()),
  );
  return { ordered, finished, counts: await queue.getJobCounts(), isPaused: await queue.isPaused() };
}

const problem = findRedisProblem();

describe.skipIf(problem !== null)(
  `the embedded queue beside Redis${problem === null ? "" : ` (skipped: ${problem})`}`,
  () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedisServer();
    });
    afterAll(async () => {
      await server?.stop();
    });

    test("has the same jobs in the same order after any commands", async () => {
      const property = fc.asyncProperty(
        fc.array(command, { minLength: STEPS / 2, maxLength: STEPS }),
        async (commands) => {
          const startAt = Date.now();
          const ours = openSide(openWorld(inProcessBackend()), startAt);
          const theirs = openSide(openWorld(redisBackend(() => server.url)), startAt);
          for (const one of commands) {
            const [got, expected] = [await ours.answer(one), await theirs.answer(one)];
            expect(got, JSON.stringify(one)).toEqual(expected);
            expect(await ours.snapshot(), JSON.stringify(one)).toEqual(await theirs.snapshot());
          }
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });
  },
);
