/**
 * Publishers who notify: pages are published while the world goes on. The gateway delivers each notification well, twice, late, again hours
 * later, or never, and keeps a record of its attempts. A receiver admits what arrives; the records are read; webhook runs work between and
 * beside the other runs. Each is a process, and may be killed anywhere.
 */
import { isLicetError } from "../../src/errors.ts";
import { createAdmission } from "../../src/serve/webhooks/admit-notification.ts";
import { createHintSignal } from "../../src/serve/webhooks/hint-signal.ts";
import { sweepHistory } from "../../src/serve/webhooks/history-sweep.ts";
import type { Notice } from "./checks/notifications.ts";
import { addPage } from "./disturbances.ts";
import { drawPage } from "./draw-scenario.ts";
import type { DeliveryAttempts } from "./gateway/gateway-state.ts";
import { runJob } from "./operators.ts";
import type { ProcessJob } from "./process.ts";
import { createRandom, type Random } from "./random.ts";
import { WEBHOOK } from "./scenario-config.ts";
import type { World } from "./world.ts";

const EVENTS_PER_DRAW = 25;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** For so long a gateway tries. */
const GIVES_UP_MS = 23 * HOUR_MS;
const MAX_ATTEMPTS = 3;
const MAX_PUBLISHED = 10;
const MAX_ALIVE = 4;
/** Worlds with webhooks. */
const SHARE = 0.2;
/** Rounds of webhook runs at the end: after refusals, and after the limits of two days. */
const FINAL_ROUNDS = 12;

export interface Notifications {
  /** To be called after every event. */
  happen(): void;
  /** What is published between two rounds. */
  publish(): void;
  /** Without faults: what is still to be delivered arrives, the records are read, and webhook runs decide what they can. */
  settle(runAlone: (kind: string, job: ProcessJob) => Promise<void>): Promise<void>;
}

interface Delivery {
  readonly notice: Notice;
  readonly record: DeliveryAttempts;
  readonly publishedAt: number;
  /** When it is tried again; null: it is not. */
  dueAt: number | null;
  /** Sent by somebody else, or by a gateway that lost the answer: it is not an attempt of the record. */
  replayAt: number | null;
}

/** null: nobody notifies in this world */
export function drawNotifications(world: World): Notifications | null {
  const random = createRandom(world.scenario.seed, "notifications");
  if (!random.chance(SHARE)) {
    return null;
  }
  const deliveries: Delivery[] = [];
  const publishes = random.pick([0.1, 0.3]);
  const runs = random.pick([0.1, 0.4]);
  const sweeps = random.pick([0, 0.05, 0.2]);
  const publish = () => {
    if (deliveries.length < MAX_PUBLISHED) {
      publishOne(world, random, deliveries);
    }
  };
  return {
    publish,
    happen: () => {
      if (world.scheduler.events % EVENTS_PER_DRAW !== 0) {
        return;
      }
      if (random.chance(publishes)) {
        publish();
      }
      for (const delivery of deliveries) {
        deliverIfDue(world, random, delivery);
      }
      if (world.alive().length < MAX_ALIVE && random.chance(sweeps)) {
        world.start({ kind: "sweep", job: sweepJob(world) });
      }
      if (world.alive().length < MAX_ALIVE && random.chance(runs)) {
        startWebhookRun(world, random);
      }
    },
    settle: async (runAlone) => {
      publish();
      for (const delivery of deliveries) {
        if (delivery.dueAt !== null && world.scheduler.now - delivery.publishedAt < GIVES_UP_MS) {
          await runAlone("receiver", receive(world, delivery, true));
        }
      }
      await runAlone("sweep", sweepJob(world));
      for (let round = 0; round < FINAL_ROUNDS; round += 1) {
        const hosts = listDueHosts(world);
        if (hosts.length === 0) {
          break;
        }
        for (const host of hosts) {
          await runAlone("webhook", webhookJob(world, host));
        }
      }
      world.evidence.noticesSettledAt = world.scheduler.now;
    },
  };
}

function publishOne(world: World, random: Random, deliveries: Delivery[]): void {
  const { gateway, scheduler, scenario, catalog, evidence } = world;
  const { now } = scheduler;
  const site = random.pick(scenario.sites);
  const timestamp = new Date(now).toISOString();
  const isNew = random.chance(0.3);
  const url = isNew ? `https://${site.host}/notified-${deliveries.length}` : random.pick(site.pages).url;
  if (!isNew && (!catalog.has(url) || deliveries.some(({ notice }) => notice.timestamp === timestamp))) {
    return;
  }
  world.note(() => `the publisher of ${url} notifies`);
  evidence.changedAt.set(url, now);
  if (isNew) {
    addPage(world, site.host, drawPage(random, url, now, scenario.currencies));
  } else {
    gateway.touchPage(url, timestamp);
    catalog.set(url, { url, lastMod: timestamp });
  }
  const record: DeliveryAttempts = {
    contentUrl: url,
    deliveryUrl: WEBHOOK.url,
    eventType: isNew ? "CREATE" : "UPDATE",
    lastAttempt: now,
    lastStatus: null,
    numAttempts: 0,
  };
  const notice: Notice = { url, kind: isNew ? "created" : "updated", timestamp, record, isAnswered: false };
  evidence.notices.push(notice);
  gateway.deliveries.push(record);
  const delivery: Delivery = { notice, record, publishedAt: now, dueAt: now, replayAt: null };
  deliveries.push(delivery);
  deliverIfDue(world, random, delivery);
}

function deliverIfDue(world: World, random: Random, delivery: Delivery): void {
  const { now } = world.scheduler;
  const { notice, record, publishedAt } = delivery;
  if (delivery.replayAt !== null && delivery.replayAt <= now && world.alive().length < MAX_ALIVE) {
    delivery.replayAt = null;
    world.start({ kind: "receiver", job: receive(world, delivery, false) });
  }
  if (notice.isAnswered || delivery.dueAt === null || delivery.dueAt > now) {
    return;
  }
  const isGivenUp = now - publishedAt > GIVES_UP_MS || record.numAttempts >= MAX_ATTEMPTS;
  if (isGivenUp) {
    delivery.dueAt = null;
    return;
  }
  record.numAttempts += 1;
  record.lastAttempt = now;
  // The answer is waited for: a receiver that died gives none.
  delivery.dueAt = now + random.pick([30_000, 5 * MINUTE_MS, 2 * HOUR_MS]);
  const fate = random.pick(["good", "good", "twice", "replayed", "lost", "lost"] as const);
  if (fate === "lost" || world.alive().length >= MAX_ALIVE) {
    record.lastStatus = random.pick([null, 503]);
    return;
  }
  for (let copy = 0; copy < (fate === "twice" ? 2 : 1); copy += 1) {
    world.start({ kind: "receiver", job: receive(world, delivery, true) });
  }
  if (fate === "replayed") {
    delivery.replayAt = now + random.pick([1_000, HOUR_MS, 3 * DAY_MS]);
  }
}

/** What the receiver does with a delivery whose signature is right. */
function receive(world: World, { notice, record }: Delivery, isOfGateway: boolean): ProcessJob {
  return async (resources) => {
    const { url: contentUrl, kind, timestamp } = notice;
    const admit = createAdmission(resources.config.sites);
    const notification = { contentUrl, kind, timestamp, at: Date.parse(timestamp) };
    const hint = admit(notification, { subscription: WEBHOOK.id, source: "delivery" });
    if (hint !== null) {
      const ledger = await resources.ledger("create");
      await ledger.recordHints({ hints: [hint], now: resources.clock.now() });
    }
    notice.isAnswered = true;
    if (isOfGateway) {
      record.lastStatus = 200;
      world.note(() => `the delivery of ${contentUrl} is answered`);
    }
  };
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };

function sweepJob({ evidence, scheduler }: World): ProcessJob {
  return async (resources, _, signal) => {
    const { config } = resources;
    await sweepHistory({ config, resources, log: SILENT, hintSignal: createHintSignal() }, signal);
    // The first reading reaches back for a day.
    evidence.recordsReadFrom ??= scheduler.now - DAY_MS;
  };
}

/** A person who has cancelled the run of the day has it cancelled for that day. */
function webhookJob(world: World, host: string): ProcessJob {
  const job = runJob(world, { trigger: "webhook", hosts: [host] });
  return async (...parameters) => {
    try {
      return await job(...parameters);
    } catch (error) {
      if (isLicetError(error, "RUN_NOT_FOUND")) {
        return null;
      }
      throw error;
    }
  };
}

function startWebhookRun(world: World, random: Random): void {
  const hosts = listDueHosts(world);
  if (hosts.length > 0) {
    const host = random.pick(hosts);
    world.start({ kind: "webhook", job: webhookJob(world, host) });
  }
}

/** Configured sites whose hints may be admitted, or are left in the run of a process that died. */
function listDueHosts({ db, scheduler, settings }: World): string[] {
  const configured = new Set(settings.sites.map(({ host }) => host));
  return db
    .prepare<[number], string>(
      `SELECT DISTINCT s.host FROM hint h JOIN site s ON s.id = h.site_id
       WHERE h.state = 'entered' OR (h.state = 'waiting' AND h.not_before <= ?) ORDER BY s.host`,
    )
    .pluck()
    .all(scheduler.now)
    .filter((host) => configured.has(host));
}
