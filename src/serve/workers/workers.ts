/**
 * The workers on other machines: who they are, what they may use of the gateway, and which work is offered to them. A worker that is silent for longer
 * than its lease is gone: its jobs are over for the dispatcher, and their batches are leased again when their leases in the ledger have expired.
 */
import { randomUUID } from "node:crypto";
import { LicetError } from "../../errors.ts";
import type { Gateway, RequestLimits } from "../../gateway/gateway.ts";
import { toWholeShare } from "../../gateway/whole-share.ts";
import { type Body, packMessage, unpackMessage } from "../../ledger/http/body.ts";
import type { NumberedRequest } from "../../ledger/http/repeats.ts";
import { answerMessage } from "../../ledger/messages/calls.ts";
import type { KnownWorker } from "../../ledger/service-ledger.ts";
import { packageVersion } from "../../package-directory.ts";
import type { SharedWork, WorkersElsewhere } from "../../pipeline/work/elsewhere.ts";
import { elapsedMs } from "../../time/clock.ts";
import type { Beat, BeatAnswer, Hello, Welcome } from "../../worker/worker-port.ts";
import { assertWelcome } from "./assert-welcome.ts";
import { createCompany } from "./company.ts";
import { holdLocal } from "./hold-local.ts";
import { longestUseMs } from "./left-shares.ts";
import { LostWorkers } from "./lost-workers.ts";
import { createSession, type Offer, type Session, tell } from "./session.ts";
import { createSessionPort, leaveJobs } from "./session-port.ts";
import { createShares, SERVICE, type Shares, UNKNOWN } from "./shares.ts";
import { toWelcome } from "./welcome.ts";
import { countPages, toKnownWorker } from "./worker-status.ts";
import type { WorkersDeps } from "./workers-deps.ts";

/** A beat is held for so long when there is nothing to say. */
const HOLD_MS = 1_000;
/** How often it is looked who is silent, and whether the service keeps to its share. */
const LOOK_MS = 100;

export class ServiceWorkers implements WorkersElsewhere {
  readonly #deps: WorkersDeps;
  readonly #sessions = new Map<string, Session>();
  readonly #offers = new Map<string, Offer>();
  readonly #stopped = new AbortController();
  readonly #shares: Shares;
  readonly #lost: LostWorkers;
  readonly #version = packageVersion();
  readonly #inCompany: ReturnType<typeof createCompany>;
  #gateway: Promise<Gateway> | null = null;
  #limits: RequestLimits | null = null;
  #isLooking = false;
  #left: readonly KnownWorker[] | null = null;
  #hasRuns = () => true;
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(deps: WorkersDeps) {
    this.#deps = deps;
    const { clock, config, leaseTimes, isAfterDeath, known } = deps;
    this.#lost = new LostWorkers(known, leaseTimes.workerLeaseMs);
    this.#inCompany = createCompany(clock);
    const whole = toWholeShare(config.gateway);
    this.#shares = createShares(whole, { onChange: (id) => this.#applyShare(id), isAfterDeath });
    if (isAfterDeath) {
      void this.#takeBack(UNKNOWN, 0);
    }
  }

  /** From now on the service keeps to its share. */
  async start(): Promise<void> {
    await this.#openGateway();
  }

  /** Nothing more is asked of the gateway from then on, by the clock for durations. */
  keepUntil(untilMs = this.#untilMs): void {
    this.#untilMs = untilMs;
    this.#limits?.setShare(this.#shares.of(SERVICE), untilMs);
  }

  /** @param hasRuns whether a run is at work, or is left to this service or to the next one: workers that drain stay for it */
  awaitRuns(hasRuns: () => boolean): void {
    this.#hasRuns = hasRuns;
  }

  join(work: SharedWork): () => Promise<void> {
    const offer: Offer = { ...work, id: randomUUID(), sinceMs: elapsedMs(this.#deps.clock) };
    this.#offers.set(offer.id, offer);
    this.#holdLocal();
    work.stop.addEventListener("abort", this.#tellAll, { once: true });
    this.#tellAll();
    return async () => {
      const isUnderWay = (session: Session) => [...session.jobs.values()].some((begun) => begun.offer === offer);
      while ([...this.#sessions.values()].some(isUnderWay)) {
        await this.#deps.clock.sleep(LOOK_MS);
      }
      work.stop.removeEventListener("abort", this.#tellAll);
      this.#offers.delete(offer.id);
      this.#tellAll();
    };
  }

  count(): number {
    return [...this.#sessions.values()].filter(({ isDraining }) => !isDraining).length;
  }

  /** @throws LicetError QUEUE_NOT_SHARED, SERVICE_STOPPING, SERVICE_BUSY */
  async hello(hello: Hello, tokenName: string): Promise<Welcome> {
    const { config, clock, leaseTimes, log } = this.#deps;
    assertWelcome({
      queueUrl: config.queue.url,
      workers: this.#sessions.size,
      isStopping: this.#stopped.signal.aborted,
    });
    await this.#openGateway();
    const at = { now: clock.now(), nowMs: elapsedMs(clock) };
    const session = createSession(hello, { id: randomUUID(), tokenName, version: this.#version, ...at });
    this.#sessions.set(session.id, session);
    this.#lost.forget(session.name);
    log.info(`the worker ${session.name} has come`, { worker: session.name, places: session.places });
    this.#look();
    return toWelcome(config, session, leaseTimes.workerLeaseMs);
  }

  /** @throws LicetError WORKER_EXPIRED */
  async beat(beat: Beat): Promise<BeatAnswer> {
    const session = this.#find(beat.session);
    if (beat.number > session.lastBeat) {
      this.#noteBeat(session, beat);
    }
    const { limits } = await this.#openGateway();
    if (limits.rest(beat.restMs)) {
      this.#tellAll();
    }
    if (beat.mayWait && !session.hasNews) {
      const woken = new AbortController();
      session.wake = () => woken.abort();
      await this.#deps.clock.sleep(HOLD_MS, AbortSignal.any([woken.signal, this.#stopped.signal]));
    }
    // It may have ended meanwhile.
    this.#find(beat.session).hasNews = false;
    return {
      now: this.#deps.clock.now(),
      share: this.#shares.of(session.id),
      restMs: limits.pauseMs(),
      works: [...this.#offers.values()].map(({ id, queue, stop }) => ({ work: id, queue, isStopping: stop.aborted })),
      hasRuns: this.#hasRuns(),
    };
  }

  /** Does what a message of a worker calls for, once. @throws LicetError WORKER_EXPIRED, REQUEST_INVALID, SERVICE_BUSY */
  async answer(sessionId: string, request: NumberedRequest, body: Body): Promise<Body> {
    const session = this.#find(sessionId);
    const { clock, leaseTimes, failureOf } = this.#deps;
    const ledger = await this.#deps.ledger();
    return session.repeats.answer(request, async () => {
      session.methodOf ??= this.#inCompany(
        createSessionPort({ ledger, clock, leaseTimes, offers: this.#offers }, session),
      );
      const { methodOf } = session;
      return packMessage(await answerMessage(await unpackMessage(body), { methodOf, failureOf }));
    });
  }

  bye(sessionId: string): void {
    const session = this.#find(sessionId);
    this.#deps.log.info(`the worker ${session.name} has left`, { worker: session.name });
    this.#end(session);
    this.#shares.remove(session.id);
  }

  /** Those that are there, and those that are lost, by name. Of a service that has stopped: as they were then. */
  list(): readonly KnownWorker[] {
    return this.#left ?? this.#listAt(this.#deps.clock.now());
  }

  #listAt(now: number): readonly KnownWorker[] {
    const there = [...this.#sessions.values()].map((session) => toKnownWorker(session, this.#shares.of(session.id)));
    return [...there, ...this.#lost.list(now)].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Every worker counts as gone, and none comes: those of the service before that have not come are lost. */
  stop(): void {
    const { clock, leaseTimes } = this.#deps;
    this.#left ??= this.#listAt(clock.now() + leaseTimes.workerLeaseMs);
    this.#stopped.abort();
    for (const session of [...this.#sessions.values()]) {
      this.#end(session);
    }
  }

  /** The service keeps to its own share, and hears when the gateway asks it for a rest. */
  #openGateway(): Promise<Gateway> {
    this.#gateway ??= this.#deps.gateway().then((gateway) => {
      this.#limits = gateway.limits;
      this.keepUntil();
      this.#limits.onRest(this.#tellAll);
      return gateway;
    });
    return this.#gateway;
  }

  /** @returns the worker, which has given a sign of life. @throws LicetError WORKER_EXPIRED */
  #find(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      throw new LicetError("WORKER_EXPIRED", "the service does not know this worker any more: its leases are over", {
        hint: "The worker says hello again by itself.",
      });
    }
    session.seenMs = elapsedMs(this.#deps.clock);
    session.seenAt = this.#deps.clock.now();
    return session;
  }

  #noteBeat(session: Session, { number, attached, jobs, isDraining, pages, confirmed }: Beat): void {
    session.lastBeat = number;
    session.attached = new Set(attached);
    session.isDraining = isDraining;
    session.pages = pages;
    // One that has nothing to do takes nothing from those that have.
    const isAtWork = jobs > 0 || (attached.length > 0 && !isDraining);
    this.#shares.set(session.id, isAtWork ? session.places : 0, jobs > 0);
    this.#shares.confirm(session.id, confirmed);
    this.#holdLocal();
  }

  #applyShare(id: string): void {
    if (id === SERVICE) {
      this.keepUntil();
      this.#look();
      return;
    }
    tell(this.#sessions.get(id));
  }

  readonly #tellAll = (): void => {
    for (const session of this.#sessions.values()) {
      tell(session);
    }
  };

  /** Looks until there is nobody to look after, and the service has all of the gateway again. */
  #look(): void {
    if (this.#isLooking) {
      return;
    }
    this.#isLooking = true;
    void (async () => {
      const { clock, config } = this.#deps;
      const isAlone = () => this.#shares.of(SERVICE).concurrency === config.gateway.concurrency;
      do {
        await clock.sleep(LOOK_MS, this.#stopped.signal);
        this.#endSilent();
        const { concurrency, version } = this.#shares.of(SERVICE);
        if ((this.#limits?.inFlight ?? 0) <= concurrency) {
          this.#shares.confirm(SERVICE, version);
        }
        this.#holdLocal();
      } while (!this.#stopped.signal.aborted && (this.#sessions.size > 0 || !isAlone()));
      this.#isLooking = false;
    })();
  }

  #endSilent(): void {
    const { clock, leaseTimes, log } = this.#deps;
    const nowMs = elapsedMs(clock);
    for (const session of [...this.#sessions.values()]) {
      countPages(session, nowMs);
      if (nowMs - session.seenMs > leaseTimes.workerLeaseMs) {
        log.warn(`the worker ${session.name} is silent: its leases end`, { worker: session.name });
        this.#end(session);
        this.#noteLost(session);
        this.#shares.set(session.id, 0);
        void this.#takeBack(session.id, nowMs - session.seenMs);
      }
    }
  }

  /** One that came again at once, such as after a restart, is there under its name. */
  #noteLost(session: Session): void {
    if (![...this.#sessions.values()].some(({ name }) => name === session.name)) {
      this.#lost.add(toKnownWorker(session, this.#shares.of(session.id)));
    }
  }

  /** What it has sent may be under way for as long as an answer may take. */
  async #takeBack(id: string, silentMs: number): Promise<void> {
    const { clock, config, leaseTimes } = this.#deps;
    const longestMs = longestUseMs({ ...leaseTimes, timeoutMs: config.gateway.timeoutMs });
    await clock.sleep(Math.max(0, longestMs - silentMs), this.#stopped.signal);
    this.#shares.remove(id);
  }

  #end(session: Session): void {
    this.#sessions.delete(session.id);
    leaveJobs(session);
    session.wake();
  }

  #holdLocal(): void {
    const nowMs = elapsedMs(this.#deps.clock);
    holdLocal([...this.#offers.values()], { sessions: [...this.#sessions.values()], shares: this.#shares, nowMs });
  }
}
