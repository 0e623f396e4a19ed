/**
 * What happens in the world while processes work: prices rise, catalogs change, clocks step, processes are stopped, users change
 * settings.
 */
import { drawPage } from "./draw-scenario.ts";
import { drawEdit } from "./draw-settings.ts";
import { traitsOf } from "./gateway/traits.ts";
import { drawOperator, resumeNewest } from "./operators.ts";
import { createRandom, type Random } from "./random.ts";
import type { ScenarioPage } from "./scenario.ts";
import type { UserBehavior } from "./user-behavior.ts";
import type { World } from "./world.ts";

/** A disturbance is drawn once in so many events. */
const EVENTS_PER_DRAW = 25;
const HOUR_MS = 3_600_000;

/** @returns to be called after every event */
export function drawDisturbances(world: World, behavior: UserBehavior): () => void {
  const { scenario, faults } = world;
  // The label is older than the name: another label would change every seed.
  const random = createRandom(scenario.seed, "meddling");
  const changes = random.chance(0.6) ? random.pick([0.05, 0.2]) : 0;
  const operators = random.chance(0.6) ? random.pick([0.02, 0.1]) : 0;
  const interrupts = random.chance(0.2) ? 0.02 : 0;
  const takeovers = random.chance(0.7) ? 0.5 : 0;
  const added = { pages: 0 };
  return () => {
    if (world.scheduler.events % EVENTS_PER_DRAW !== 0) {
      return;
    }
    if (random.chance(changes)) {
      changeWorld(world, random, added);
    }
    if (random.chance(operators) && world.alive().length < 4) {
      const order = drawOperator(world, random);
      if (order !== null) {
        world.start(order);
      }
    }
    if (behavior.random.chance(behavior.editsDuring)) {
      world.editSettings(drawEdit(scenario, world.settings, behavior.random));
    }
    const alive = world.alive();
    if (alive.length === 0) {
      return;
    }
    // Somebody takes a process that hangs for dead, and resumes its run.
    if (alive.some(({ suspendedUntil }) => suspendedUntil !== null) && alive.length < 3 && random.chance(takeovers)) {
      world.start(resumeNewest(world));
    }
    const process = random.pick(alive);
    if (random.chance(interrupts)) {
      world.note(() => `${process.name} is interrupted`);
      process.stop.abort();
    }
    if (process.suspendedUntil === null && faults.strikes("process_suspended")) {
      const ms = faults.random("process_suspended").pick([2_000, 30_000, 90_000, 600_000]);
      world.note(() => `${process.name} is suspended for ${ms} ms`);
      process.suspendedUntil = world.scheduler.now + ms;
    }
    if (faults.strikes("clock_stepped")) {
      process.skewMs += faults.random("clock_stepped").pick([-HOUR_MS, -60_000, 60_000, HOUR_MS]);
      world.note(() => `${process.name}'s clock is off by ${process.skewMs} ms`);
    }
  };
}

function changeWorld(world: World, random: Random, added: { pages: number }): void {
  const { gateway, scenario, scheduler } = world;
  const now = scheduler.now;
  const site = random.pick(scenario.sites);
  const page = random.pick(site.pages);
  const change = random.pick([
    "price",
    "price",
    "touch",
    "touch",
    "add",
    "remove",
    "forbid",
    "overcharge",
    "refuse",
  ] as const);
  world.note(() => `the world: ${change} ${page.url}`);
  world.evidence.changedAt.set(page.url, now);
  switch (change) {
    case "price":
      if (page.rates.length > 0) {
        gateway.setPrice(page.url, random.int(0, page.rates.length - 1), random.int(0, 60) * 1_000, now);
      }
      break;
    case "touch":
      if (world.catalog.has(page.url)) {
        const lastMod = new Date(now).toISOString();
        gateway.touchPage(page.url, lastMod);
        world.catalog.set(page.url, { url: page.url, lastMod });
      }
      break;
    case "add":
      added.pages += 1;
      addPage(
        world,
        site.host,
        drawPage(random, `https://${site.host}/added-${added.pages}`, now, scenario.currencies),
      );
      break;
    case "remove":
      gateway.removePage(page.url);
      world.catalog.delete(page.url);
      break;
    case "forbid":
      gateway.forbidPage(page.url);
      world.forbidden.add(page.url);
      break;
    case "overcharge":
      if (random.chance(0.5)) {
        world.evidence.overchargedUrls.add(page.url);
        gateway.overcharge(page.url, random.int(1, 50_000));
      }
      break;
    case "refuse":
      if (random.chance(0.3)) {
        world.evidence.refusedReports.add(page.url);
        gateway.refuseReportsOf(page.url);
      }
      break;
    default:
      change satisfies never;
  }
}

export function addPage(
  { gateway, catalog, scheduler, scenario, evidence }: World,
  host: string,
  page: ScenarioPage,
): void {
  evidence.changedAt.set(page.url, scheduler.now);
  gateway.addPage(host, page, scheduler.now);
  catalog.set(page.url, { url: page.url, lastMod: page.lastMod });
  if (traitsOf(scenario.gateway, host).charge !== "rate") {
    evidence.overchargedUrls.add(page.url);
  }
}
