/**
 * Somebody who pauses sites, and lets them be bought from again, beside runs, kills and other persons. The check of lasting stops says after every
 * commit that nothing of a paused site was reserved or started. In the end, most are bought from again, and what was asked for is bought or said.
 */
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import type { ProcessJob } from "../process.ts";
import { createRandom } from "../random.ts";
import type { World } from "../world.ts";
import type { Actor, Stage } from "./actors.ts";

const SHARE = 0.4;
const EVENTS_PER_DRAW = 25;
const MAX_ALIVE = 8;
const WHO = { by: "a person", reason: "the world draws it" };

export function drawPauses({ world, meeting, alone }: Stage): Actor | null {
  const random = createRandom(world.scenario.seed, "pauses");
  if (!random.chance(SHARE)) {
    return null;
  }
  const often = random.pick([0.02, 0.1]);
  const isLifted = random.chance(0.8);
  const [settings] = meeting.configurations;
  return {
    onEvent: () => {
      const { scheduler, evidence } = world;
      if (evidence.faultsAreOver || scheduler.events % EVENTS_PER_DRAW !== 0 || !random.chance(often)) {
        return;
      }
      const host = random.pick(knownHosts(world));
      if (host === undefined || world.alive().length >= MAX_ALIVE) {
        return;
      }
      const isPause = random.chance(0.6);
      const job: ProcessJob = (resources, bus) => {
        const agent = createAgentOn(resources, bus);
        return isPause ? agent.pauseSite(host, WHO) : agent.unpauseSite(host, WHO);
      };
      world.start({ kind: isPause ? "pause" : "unpause", settings, skewMs: 0, job });
    },
    onRest: async () => {
      for (const host of isLifted ? knownHosts(world) : []) {
        await alone("unpause", settings, (agent) => agent.unpauseSite(host, WHO));
      }
    },
  };
}

/** The sites that the ledger has: one that no run has looked at cannot be paused by a configuration that lacks it. */
function knownHosts({ db }: World): readonly string[] {
  return db.prepare<[], string>("SELECT host FROM site ORDER BY host").pluck().all();
}
