/** Removes from a failing seed what its failure does not need: kinds of faults, rounds, sites, pages, disturbances. */
import type { Violation } from "./checks/evidence.ts";
import { FAULT_KINDS } from "./faults.ts";
import { TRAIT_KINDS } from "./gateway/draw-traits.ts";
import { ACTORS } from "./meetings/actors.ts";
import { ALL, type Limits, type Simulator } from "./simulate.ts";
import { WORKERS } from "./workers/draw-fleet.ts";

/** Each try is a whole seed; a failure that is not small by then is printed as it is. */
const MAX_TRIES = 150;

export async function shrink(simulator: Simulator, seed: number, violation: Violation): Promise<Limits> {
  let best = ALL;
  let tries = 0;
  const keepIfItStillFails = async (change: Partial<Limits>): Promise<boolean> => {
    if (++tries > MAX_TRIES) {
      return false;
    }
    const smaller = { ...best, ...change };
    const outcome = await simulator.run(seed, smaller);
    if (outcome.violation?.rule !== violation.rule) {
      return false;
    }
    best = smaller;
    return true;
  };

  await keepIfItStillFails({ disturbances: false });
  await keepIfItStillFails({ userChanges: false });
  for (let rounds = 1; rounds < ALL.maxRounds && !(await keepIfItStillFails({ maxRounds: rounds })); rounds += 1) {}
  for (let sites = 1; sites < ALL.maxSites && !(await keepIfItStillFails({ maxSites: sites })); sites += 1) {}
  for (let pages = 1; pages < ALL.maxPages && !(await keepIfItStillFails({ maxPages: pages })); pages += 1) {}
  for (const kind of TRAIT_KINDS) {
    await keepIfItStillFails({ withoutTraits: new Set([...best.withoutTraits, kind]) });
  }
  for (const actor of simulator.worldClass === "meetings" ? ACTORS : [WORKERS]) {
    await keepIfItStillFails({ withoutActors: new Set([...best.withoutActors, actor]) });
  }
  for (const kind of FAULT_KINDS) {
    await keepIfItStillFails({ without: new Set([...best.without, kind]) });
  }
  for (let faults = 0; faults < 20 && !(await keepIfItStillFails({ maxFaults: faults })); faults += 1) {}
  return best;
}
