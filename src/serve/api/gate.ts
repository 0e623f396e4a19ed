import { LicetError } from "../../errors.ts";

/** Runs a piece of work. @throws LicetError SERVICE_BUSY while as many pieces as it lets in are under way */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets in a few pieces of costly work at once, and refuses the others at once: clients wait better than the service. */
export function createGate(what: string, atOnce: number): Gate {
  let inside = 0;
  return async (work) => {
    if (inside >= atOnce) {
      throw new LicetError("SERVICE_BUSY", `the service already works on ${atOnce} of these: ${what}`, {
        hint: "Try again in a few seconds.",
      });
    }
    inside++;
    try {
      return await work();
    } finally {
      inside--;
    }
  };
}
