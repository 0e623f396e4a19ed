/**
 * Those who take part in a meeting beside its persons. Each has a file of its own and draws from a random stream of its own, so that a seed
 * goes on to draw what it drew before for everybody else. Which of them take part is drawn too: several do in many worlds.
 */
import type { Agent } from "../../../src/agent/agent.ts";
import type { Violation } from "../checks/evidence.ts";
import type { Settings } from "../scenario.ts";
import type { Limits } from "../simulate.ts";
import { WORKERS } from "../workers/draw-fleet.ts";
import type { World } from "../world.ts";
import type { Asks } from "./asks.ts";
import { drawExports } from "./exports.ts";
import type { Meeting } from "./meeting.ts";
import { drawPauses } from "./pauses.ts";
import type { People } from "./people.ts";
import { drawRestores } from "./restores.ts";
import { drawSecondService } from "./second-service.ts";
import { drawWrongClocks } from "./wrong-clocks.ts";

/** What each of them sees of a meeting. */
export interface Stage {
  readonly world: World;
  readonly meeting: Meeting;
  readonly asks: Asks;
  readonly people: People;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** Somebody does one thing to its end. @throws Halt where it fails without a fault */
  readonly alone: (kind: string, settings: Settings, work: (agent: Agent) => Promise<unknown>) => Promise<void>;
}

export interface Actor {
  /** A scene is about to begin. */
  onScene?(): Promise<void>;
  /** After every event. */
  onEvent?(): void;
  /** Faults are over, and time is about to pass for the last time. */
  onRest?(): Promise<void>;
  /** The service has had its time, or there is none. */
  onRested?(): Promise<Violation | null>;
  /** Nothing is bought any more. */
  onEnd?(): Promise<Violation | null>;
  /** Whenever a scene is over, and at the end. */
  judge?(): Violation | null;
  /** When all must be done or said. */
  judgeEnd?(): Violation | null;
}

/** In this order at each turn. */
const DRAWN = {
  "second-service": drawSecondService,
  restores: drawRestores,
  // After the restores: a copy that came later would not know what a person said about the clocks.
  "wrong-clocks": drawWrongClocks,
  exports: drawExports,
  pauses: drawPauses,
} as const satisfies Readonly<Record<string, (stage: Stage) => Actor | null>>;

/** The workers on other machines take part in worlds of crawls too (workers/fleet.ts). */
export const ACTORS = [...Object.keys(DRAWN), WORKERS];

export function drawActors(stage: Stage, { withoutActors }: Pick<Limits, "withoutActors">): readonly Actor[] {
  return Object.entries(DRAWN).flatMap(([name, draw]) => {
    const actor = withoutActors.has(name) ? null : draw(stage);
    if (actor === null) {
      return [];
    }
    stage.world.note(() => `takes part: ${name}`);
    return [actor];
  });
}
