/**
 * A worker on another machine: it takes jobs of quote, acquire and report from the queues of a service, asks the gateway with its share of the limits,
 * and writes through the service, which owns the ledger. It keeps no file. Without a sign of the service it starts nothing more.
 */
import { isLicetError, LicetError } from "../errors.ts";
import { createHttpChannel, type HttpChannel } from "../ledger/http/http-channel.ts";
import { createCalls } from "../ledger/messages/calls.ts";
import { type QueueWorkers, STAGES } from "../queue/queue.ts";
import { elapsedMs } from "../time/clock.ts";
import { inTime } from "../time/in-time.ts";
import { type AttachedWork, attachWork } from "./attached-work.ts";
import { KeptShare } from "./kept-share.ts";
import { QueueWatch } from "./queue-watch.ts";
import { sayHello } from "./say-hello.ts";
import { createServiceClock, type ServiceClock } from "./service-clock.ts";
import { Silence } from "./silence.ts";
import type { WorkerTools } from "./worker-deps.ts";
import type { WorkerOptions } from "./worker-options.ts";
import { type Beat, type OfferedWork, type Welcome, WORKER_METHODS, type WorkerPort } from "./worker-port.ts";

const BEAT_TIMEOUT_MS = 5_000;
/** How often it is looked whether a smaller share is kept to, and whether the last job has ended. */
const LOOK_MS = 50;
/** A worker that drains leaves when there was no run for so long. */
const DRAINED_MS = 2_000;
/** A queue that was not found is looked for again after so long. */
const MISSING_MS = 2_000;

/** Works until it is stopped, or until nothing is left where it drains. @throws LicetError what a retry cannot mend */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const worker = new Worker(options);
  try {
    await worker.run();
  } finally {
    await worker.close();
  }
}

interface Attached {
  readonly work: AttachedWork;
  readonly workers: QueueWorkers;
}

class Worker {
  readonly #options: WorkerOptions;
  readonly #clock: ServiceClock;
  readonly #channel: HttpChannel;
  readonly #watch: QueueWatch;
  readonly #port: WorkerPort;
  readonly #attached = new Map<string, Attached>();
  /** What is not taken part in any more, while its last jobs end. */
  readonly #leaving = new Set<AttachedWork>();
  /** Offers whose queue is being looked for. */
  readonly #looking = new Set<string>();
  /** Offers whose queue was not found, and when it is looked for again. */
  readonly #missing = new Map<string, number>();
  #session = "";
  #tools: WorkerTools | null = null;
  #share: KeptShare | null = null;
  #beats = 0;
  #pages = 0;
  #idleSinceMs: number | null = null;
  #isClosed = false;
  /** A call was given up, and what the service knows of the jobs is not known. */
  #isLost = false;

  constructor(options: WorkerOptions) {
    const { client, queues, clock, random, log } = options;
    this.#options = options;
    this.#clock = createServiceClock(clock, log.warn);
    this.#watch = new QueueWatch(queues, clock);
    const exchange = client.exchangeAs(() => this.#session);
    this.#channel = createHttpChannel({ exchange, clock, random, compresses: client.isRemote });
    this.#port = createCalls<WorkerPort>(this.#channel, { methods: WORKER_METHODS, path: "the service", clock });
  }

  async run(): Promise<void> {
    const { stop, end, client, clock } = this.#options;
    stop.addEventListener("abort", () => this.#detachAll(), { once: true });
    while (!this.#isOver()) {
      const welcome = await sayHello(this.#options, () => this.#isOver());
      if (welcome !== null) {
        await this.#workFor(welcome);
        // What was paid for and waits to be written is delivered to the next session, so nothing waits for it here.
        this.#detachAll();
        if (!this.#isOver()) {
          // A message in its name would keep the session, and with it all that the service leaves to this worker.
          this.#session = "";
          this.#idleSinceMs = null;
        }
      }
    }
    if (!end.aborted && this.#session !== "") {
      await inTime(clock, BEAT_TIMEOUT_MS, (signal) => client.bye(this.#session, signal)).catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#detachAll();
    this.#channel.close();
    await this.#tools?.gateway.close();
  }

  #isOver(): boolean {
    const { stop, end, isDrained, clock } = this.#options;
    const isIdle = this.#idleSinceMs !== null && elapsedMs(clock) - this.#idleSinceMs >= DRAINED_MS;
    return end.aborted || ((stop.aborted || (isDrained && isIdle)) && this.#jobs() === 0 && this.#requests() === 0);
  }

  #jobs(): number {
    const attached = [...this.#attached.values()].map(({ work }) => work);
    return [...attached, ...this.#leaving].reduce((sum, work) => sum + work.jobs, 0);
  }

  /** Those at the gateway. Its share is dealt to others when it has left. */
  #requests(): number {
    return this.#tools?.gateway.limits.inFlight ?? 0;
  }

  /** One session: until the service does not know the worker any more, or the worker is over. */
  async #workFor(welcome: Welcome): Promise<void> {
    const { clock, stop } = this.#options;
    this.#session = welcome.session;
    this.#beats = 0;
    this.#isLost = false;
    const share = await this.#openShare(welcome);
    const silence = new Silence(this.#options, welcome.leaseMs);
    while (!this.#isOver() && !this.#isLost) {
      try {
        const isWaiting = await this.#beat(share, !stop.aborted);
        silence.break();
        await clock.sleep(isWaiting ? 0 : LOOK_MS);
      } catch (error) {
        if (!isLicetError(error) || error.retry === "never") {
          throw error;
        }
        if (silence.grow(error)) {
          return;
        }
        if (silence.beats > 1) {
          this.#takeJobs(0);
        }
        await silence.wait();
      }
    }
  }

  async #openShare(welcome: Welcome): Promise<KeptShare> {
    if (this.#share === null) {
      const { random, places, end } = this.#options;
      const opened = await this.#options.tools(welcome, this.#clock);
      this.#tools = {
        ...opened,
        port: this.#port,
        clock: this.#clock,
        random,
        places,
        onPage: () => (this.#pages += 1),
        ending: end,
      };
      const share = new KeptShare(opened.gateway.limits);
      this.#share = share;
      // The others hear at once that the gateway asks for a rest.
      opened.gateway.limits.onRest(() => void this.#beat(share, false).catch(() => {}));
    }
    this.#share.begin(welcome.leaseMs);
    return this.#share;
  }

  /** An answer that comes after its session is nothing to the next one. @returns whether the service has nothing more to say now */
  async #beat(share: KeptShare, mayWait: boolean): Promise<boolean> {
    const { client, clock, stop } = this.#options;
    const sentMs = elapsedMs(clock);
    const confirmed = share.confirm();
    const { version, isConfirmed } = share;
    this.#beats += 1;
    const beat: Beat = {
      session: this.#session,
      number: this.#beats,
      confirmed,
      restMs: share.restMs,
      attached: this.#watch.look() ? [...this.#attached.keys()] : [],
      jobs: this.#jobs(),
      isDraining: stop.aborted,
      pages: this.#pages,
      mayWait: mayWait && isConfirmed && this.#looking.size === 0,
    };
    const answer = await inTime(clock, BEAT_TIMEOUT_MS, (signal) => client.beat(beat, signal));
    if (beat.session !== this.#session) {
      return false;
    }
    this.#clock.set(answer.now);
    share.take(answer, sentMs);
    this.#attachOffered(answer.works);
    const isIdle = !answer.hasRuns && this.#attached.size === 0;
    this.#idleSinceMs = isIdle ? (this.#idleSinceMs ?? elapsedMs(clock)) : null;
    this.#takeJobs(share.places);
    return mayWait && isConfirmed && answer.share.version === version;
  }

  /** A job that is taken without a share waits for its requests, and is kept from those that have one. */
  #takeJobs(places: number): void {
    for (const { workers } of this.#attached.values()) {
      workers.setConcurrency(this.#options.jobsAtOnce(places));
      workers.takeOnly(places > 0 ? STAGES : []);
    }
  }

  #attachOffered(works: readonly OfferedWork[]): void {
    const { clock, stop } = this.#options;
    const offered = new Set(works.map(({ work }) => work));
    for (const [id, { work }] of this.#attached) {
      if (!offered.has(id)) {
        this.#detach(id);
      } else if (works.some((one) => one.work === id && one.isStopping)) {
        work.stop();
      }
    }
    for (const { work, queue, isStopping } of works) {
      const isKnown = this.#attached.has(work) || this.#looking.has(work);
      const isDue = (this.#missing.get(work) ?? 0) <= elapsedMs(clock);
      if (!isKnown && isDue && !isStopping && !stop.aborted) {
        // Not waited for: a server that does not answer takes longer than the worker may be silent.
        void this.#attach({ work, queue });
      }
    }
  }

  async #attach({ work, queue }: Pick<OfferedWork, "work" | "queue">): Promise<void> {
    const { queues, jobsAtOnce, log, stop } = this.#options;
    const tools = this.#tools;
    if (tools === null) {
      return;
    }
    this.#looking.add(work);
    try {
      if (!(await queues.has(queue))) {
        throw new LicetError("QUEUE_NOT_SHARED", "the server of --queue does not have the queue of the service", {
          hint: "Give --queue the Redis of the service's queue.url. A server that was just emptied has it again within a minute.",
        });
      }
      const attached = attachWork({ work, tools, toOperating: this.#toOperating, onLost: this.#lose });
      const workers = await queues.startWorkers(queue, attached.processors, {
        concurrency: jobsAtOnce(0),
        onError: (error) => log.warn(error instanceof Error ? error.message : String(error)),
      });
      this.#attached.set(work, { work: attached, workers });
      this.#takeJobs(this.#share?.places ?? 0);
      this.#missing.delete(work);
      if (stop.aborted || this.#isClosed) {
        this.#detach(work);
      }
    } catch (bug) {
      const error = isLicetError(bug) ? bug : this.#toOperating(bug);
      if (!this.#missing.has(work)) {
        log.warn(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`);
      }
      this.#missing.set(work, elapsedMs(this.#options.clock) + MISSING_MS);
    } finally {
      this.#looking.delete(work);
    }
  }

  /** The session goes on no more: when it is silent, the service ends all jobs of it. */
  readonly #lose = (error: LicetError): void => {
    const { log, stop } = this.#options;
    if (!this.#isLost && !stop.aborted) {
      this.#isLost = true;
      log.warn(`${error.message}: this worker gives up its leases, and comes again`);
    }
  };

  readonly #toOperating = (bug: unknown): LicetError => {
    const { log, name } = this.#options;
    log.warn(`an unexpected error; please report it: ${(bug as Error).stack ?? String(bug)}`);
    return new LicetError("INTERNAL_ERROR", "a worker met an error that it does not expect", {
      hint: "Look into the log of the worker.",
      details: { errorId: name },
    });
  };

  /** Takes no more jobs of it. Those under way end what they have started. */
  #detach(id: string): void {
    const attached = this.#attached.get(id);
    if (attached !== undefined) {
      const { work, workers } = attached;
      this.#attached.delete(id);
      this.#leaving.add(work);
      work.stop();
      void workers.close({ force: true }).finally(() => this.#leaving.delete(work));
    }
  }

  #detachAll(): void {
    for (const id of [...this.#attached.keys()]) {
      this.#detach(id);
    }
  }
}
