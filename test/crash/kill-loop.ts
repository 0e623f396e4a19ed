/** Worlds drawn from a seed. In each, a run's processes are killed repeatedly at random, until the number of kills is reached. */
import { createRandom } from "../../src/sandbox/random.ts";
import { newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";
import { type CrashOrder, GATEWAY_MOMENTS, killAt, LEDGER_MOMENTS } from "./crash-order.ts";
import { type CrashWorld, createCrashWorld } from "./crash-world.ts";

export interface KillLoop {
  readonly seed: number;
  readonly kills: number;
  readonly queueUrls: readonly string[];
  /** Worlds at once. */
  readonly lanes: number;
}

const MAX_KILLS_PER_WORLD = 9;
/** A process lives longer than this only when the machine is busy; most of it is Node's start. */
const MAX_LIFE_MS = 1_600;
const MIN_LIFE_MS = 250;
/** A run of some forty pages takes some hundreds of steps: so early that most processes are killed before its end. */
const MAX_STEP = 90;

/** @returns how many processes were killed */
export async function killAgainAndAgain({ seed, kills, queueUrls, lanes }: KillLoop): Promise<number> {
  let done = 0;
  let worlds = 0;
  const lane = async () => {
    while (done < kills) {
      const worldSeed = seed + worlds++;
      try {
        await killOneRun(worldSeed, queueUrls, () => {
          done += 1;
          return done < kills;
        });
      } catch (error) {
        throw new Error(`LICET_KILL_SEED=${worldSeed} LICET_KILLS=${MAX_KILLS_PER_WORLD}`, { cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

async function killOneRun(seed: number, queueUrls: readonly string[], onKill: () => boolean): Promise<void> {
  const random = createRandom(seed);
  const draw = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const pages = draw(30, 60);
  const limitPages = random() < 0.3 ? draw(5, pages) : pages;
  const world = await openWorld(draw, {
    pages,
    limitPages,
    queueUrl: queueUrls[seed % queueUrls.length] ?? "embedded",
  });
  try {
    let goOn = true;
    for (let kill = draw(3, MAX_KILLS_PER_WORLD); kill > 0 && goOn; kill--) {
      const { signal } =
        random() < 0.5 ? await crawlUntil(world, draw(MIN_LIFE_MS, MAX_LIFE_MS)) : await world.crawl(drawKill(draw));
      if (signal !== "SIGKILL") {
        break;
      }
      goOn = onKill();
    }
    await world.settle({ charges: limitPages });
  } finally {
    await world.close();
  }
}

function drawKill(draw: (min: number, max: number) => number): CrashOrder {
  const moments = [...LEDGER_MOMENTS, ...GATEWAY_MOMENTS];
  return killAt("*", moments[draw(0, moments.length - 1)] ?? "before", draw(1, MAX_STEP));
}

/** Kills from outside, in the middle of whatever it does. */
async function crawlUntil(world: CrashWorld, lifeMs: number) {
  return world.crawl({}, { killAfterMs: lifeMs });
}

function openWorld(
  draw: (min: number, max: number) => number,
  { pages, limitPages, queueUrl }: { readonly pages: number; readonly limitPages: number; readonly queueUrl: string },
): Promise<CrashWorld> {
  return createCrashWorld({
    sandbox: { sites: [newsSite(pages)], rates: ONE_PRICE, latencyMs: draw(1, 15) },
    config: {
      queue: { url: queueUrl },
      gateway: { concurrency: draw(1, 8), quoteBatchSize: draw(4, 25), catalogPageSize: draw(5, 40) },
      budgets: [{ scope: "all", per: "total", limit: `${(limitPages * PRICE_MICROS) / 1_000_000} USD` }],
      reporting: { batchSize: draw(2, 25) },
      policies: { standard: { rules: [{ allow: {} }], format: draw(0, 2) === 0 ? "both" : "markdown" } },
    },
  });
}
