import { describe, expect, test } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { KINDS, RUN_KINDS, type RunKind } from "../../../src/run/kinds.ts";
import type { OwnLimits } from "../../../src/run/limits.ts";
import type { EndedBy, RunState } from "../../../src/run/run-state.ts";
import { type Asker, type LeftRun, whatBecomes } from "../../../src/run/what-becomes.ts";

const NEWS = ["news.example"];
const BOTH = ["news.example", "shop.example"];
const UNLIMITED: OwnLimits = { maxPages: null, maxSpend: null };
const LIMITED: OwnLimits = { maxPages: null, maxSpend: { micros: toMicros(20_000), currency: "USD" } };

/** How a run can stand: its state, who ended it, and whether its process lives. */
const WAYS = {
  alive: { state: "running", endedBy: "nobody", isAlive: true },
  died: { state: "running", endedBy: "nobody" },
  freed: { state: "interrupted", endedBy: "death" },
  "put down": { state: "interrupted", endedBy: "service" },
  stopped: { state: "interrupted", endedBy: "person" },
  waits: { state: "interrupted", endedBy: "itself" },
  failed: { state: "failed", endedBy: "itself" },
  "over its own limit": { state: "max_spend", endedBy: "itself" },
  "over a budget": { state: "budget_exhausted", endedBy: "itself" },
  completed: { state: "completed", endedBy: "itself" },
  cancelled: { state: "cancelled", endedBy: "person" },
} as const satisfies Record<string, { state: RunState; endedBy: EndedBy; isAlive?: true }>;
type Way = keyof typeof WAYS;

function toRun(kind: RunKind, way: Way, more: Partial<LeftRun> = {}): LeftRun {
  const run = { kind, isAlive: false, isTakenOver: false, hosts: NEWS, reserved: 0, started: 0, limits: UNLIMITED };
  return { ...run, ...WAYS[way], ...more };
}

function toAsker(asker: Partial<Extract<Asker, { by: "run" }>> = {}): Asker {
  const plain = {
    kind: "walk",
    hosts: NEWS,
    limits: UNLIMITED,
    isNew: true,
    isFresh: false,
    isOfPerson: true,
  } as const;
  return { by: "run", ...plain, ...asker };
}

/** The answers in short: `left` with its reason. */
function ask(run: LeftRun, asker: Asker): string {
  const becoming = whatBecomes(run, asker);
  return becoming.what === "left" ? becoming.why : becoming.what;
}

function row(kind: RunKind, asker: Asker): Record<string, string> {
  return Object.fromEntries((Object.keys(WAYS) as Way[]).map((way) => [way, ask(toRun(kind, way), asker)]));
}

test("every kind says who goes on with it, and what it carries", () => {
  expect(Object.keys(KINDS)).toEqual([...RUN_KINDS]);
});

describe("a person who names a run", () => {
  const goesOn = {
    alive: "busy",
    died: "goes_on",
    freed: "goes_on",
    "put down": "goes_on",
    stopped: "goes_on",
    waits: "goes_on",
    failed: "goes_on",
    "over its own limit": "goes_on",
    "over a budget": "goes_on",
    completed: "completed",
    cancelled: "cancelled",
  };
  test.each(["walk", "list", "plan"] as const)("goes on with a %s, however it was left, unless it is over", (kind) => {
    expect(row(kind, { by: "name" })).toEqual(goesOn);
  });

  test("goes on with a webhook run that no limit has ended", () => {
    expect(row("webhook", { by: "name" })).toEqual({
      ...goesOn,
      "over its own limit": "limited",
      "over a budget": "limited",
    });
  });

  test.each(["fetch", "planning"] as const)("never goes on with a %s", (kind) => {
    expect(new Set(Object.values(row(kind, { by: "name" })))).toEqual(
      new Set(["other_kind", "completed", "cancelled"]),
    );
  });

  test("never goes on with a run that another run took over", () => {
    expect(ask(toRun("walk", "died", { isTakenOver: true }), { by: "name" })).toBe("taken_over");
  });
});

describe("a service that looks for what was left", () => {
  const service: Asker = { by: "service", configured: BOTH };
  const goesOn = {
    alive: "alive",
    died: "goes_on",
    freed: "goes_on",
    "put down": "goes_on",
    stopped: "stopped",
    waits: "waits",
    failed: "failed",
    "over its own limit": "limited",
    "over a budget": "limited",
    completed: "completed",
    cancelled: "cancelled",
  };
  test.each(["walk", "list", "plan"] as const)("goes on with a %s that died or that a service put down", (kind) => {
    expect(row(kind, service)).toEqual(goesOn);
  });

  test("leaves a webhook run that was put down to its notifications", () => {
    expect(row("webhook", service)).toEqual({ ...goesOn, "put down": "waits" });
  });

  test("buys nothing more of a fetch that died: it only probes what was started", () => {
    expect(ask(toRun("fetch", "died"), service)).toBe("cleared");
    expect(ask(toRun("fetch", "failed", { started: 1 }), service)).toBe("cleared");
    expect(ask(toRun("fetch", "failed"), service)).toBe("other_kind");
    expect(ask(toRun("fetch", "alive"), service)).toBe("alive");
  });

  test("only frees what it may not go on with", () => {
    expect(ask(toRun("walk", "stopped", { started: 1 }), service)).toBe("freed");
    // A person's cancelling whose process died.
    expect(ask(toRun("walk", "died", { endedBy: "person" }), service)).toBe("freed");
    expect(ask(toRun("walk", "died", { isTakenOver: true, endedBy: "run" }), service)).toBe("cleared");
  });

  test.each(["walk", "list", "plan", "webhook"] as const)(
    "leaves a %s of sites that its configuration lacks",
    (kind) => {
      const lacks: Asker = { by: "service", configured: NEWS };
      expect(ask(toRun(kind, "freed", { hosts: BOTH }), lacks)).toBe("not_configured");
      expect(ask(toRun(kind, "died", { hosts: BOTH }), lacks)).toBe("freed");
    },
  );
});

describe("a run that begins", () => {
  test("waits for every living run of its sites, except for fetches and plans in the making", () => {
    for (const kind of RUN_KINDS) {
      const expected = kind === "fetch" || kind === "planning" ? "alive" : "busy";
      expect(ask(toRun(kind, "alive"), toAsker())).toBe(expected);
      expect(ask(toRun(kind, "alive"), toAsker({ hosts: ["shop.example"] }))).toBe("alive");
      expect(ask(toRun(kind, "alive"), toAsker({ kind: "fetch" }))).toBe("alive");
    }
  });

  test("goes on with an interrupted walk of the same sites, and does the work of one that died or failed", () => {
    expect(row("walk", toAsker())).toMatchObject({
      died: "superseded",
      freed: "goes_on",
      "put down": "goes_on",
      stopped: "goes_on",
      waits: "goes_on",
      failed: "superseded",
    });
  });

  test("leaves to a person what a person stopped, when a schedule asks", () => {
    const slot = toAsker({ isOfPerson: false });
    expect(row("walk", slot)).toMatchObject({ stopped: "stopped", "put down": "goes_on", died: "superseded" });
  });

  test("only frees a run of sites of which it walks some, or none", () => {
    for (const hosts of [NEWS, ["other.example"]]) {
      const died = toRun("walk", "died", { hosts: BOTH });
      expect(ask(died, toAsker({ hosts }))).toBe("freed");
      expect(ask(toRun("walk", "put down", { hosts: BOTH }), toAsker({ hosts }))).toBe("other_sites");
    }
  });

  test("does the work of a run whose sites are among its own, unless it may buy what the limits of that run forbid", () => {
    const died = toRun("walk", "died", { limits: LIMITED });
    expect(ask(died, toAsker({ hosts: BOTH, limits: LIMITED }))).toBe("superseded");
    expect(ask(died, toAsker({ hosts: BOTH }))).toBe("freed");
    expect(ask(died, toAsker({ hosts: BOTH, isFresh: true }))).toBe("superseded");
    expect(ask(died, toAsker())).toBe("superseded");
  });

  test("only frees everything else, when it is an earlier run that goes on", () => {
    expect(row("walk", toAsker({ isNew: false }))).toMatchObject({ died: "freed", failed: "other_kind" });
  });

  test.each(["list", "plan"] as const)("only frees a %s: nobody else has its pages", (kind) => {
    expect(row(kind, toAsker())).toMatchObject({ died: "freed", stopped: "other_kind", failed: "other_kind" });
    expect(ask(toRun(kind, "stopped", { started: 1 }), toAsker())).toBe("freed");
  });

  test("does not do the work of a walk when it walks no catalog itself", () => {
    expect(row("walk", toAsker({ kind: "list" }))).toMatchObject({ died: "freed", "put down": "other_kind" });
  });

  test("ends webhook runs that died, and fetches", () => {
    expect(row("webhook", toAsker())).toMatchObject({ died: "cleared", "put down": "waits", failed: "waits" });
    expect(row("fetch", toAsker())).toMatchObject({ died: "cleared", failed: "cleared" });
    expect(ask(toRun("fetch", "failed"), toAsker({ hosts: ["shop.example"] }))).toBe("other_kind");
  });

  test("takes over nothing as a fetch, and as a webhook run only earlier webhook runs of its site", () => {
    for (const kind of RUN_KINDS) {
      expect(ask(toRun(kind, "died"), toAsker({ kind: "fetch" }))).toBe("other_kind");
      const expected = kind === "webhook" ? "cleared" : "other_kind";
      expect(ask(toRun(kind, "died"), toAsker({ kind: "webhook" }))).toBe(expected);
    }
  });

  test("finishes what a run that took over something left of it", () => {
    const left = toRun("walk", "died", { isTakenOver: true, endedBy: "run", started: 1 });
    expect(ask(left, toAsker({ hosts: ["other.example"] }))).toBe("cleared");
  });
});

describe("the same file, given again", () => {
  test.each(["list", "plan"] as const)("goes on with the run of a %s, unless a limit of its own ended it", (kind) => {
    expect(row(kind, { by: "file" })).toEqual({
      alive: "busy",
      died: "goes_on",
      freed: "goes_on",
      "put down": "goes_on",
      stopped: "goes_on",
      waits: "goes_on",
      failed: "goes_on",
      "over its own limit": "limited",
      "over a budget": "goes_on",
      completed: "completed",
      cancelled: "cancelled",
    });
  });
});

describe("notifications", () => {
  test("wake the run of their day however it ended, unless a person ended it", () => {
    expect(row("webhook", { by: "notification" })).toEqual({
      alive: "busy",
      died: "goes_on",
      freed: "goes_on",
      "put down": "goes_on",
      stopped: "stopped",
      waits: "goes_on",
      failed: "goes_on",
      "over its own limit": "goes_on",
      "over a budget": "goes_on",
      completed: "goes_on",
      cancelled: "cancelled",
    });
  });
});

test("a fetch finishes dead fetches only, and clearing removes dead plans in the making only", () => {
  for (const kind of RUN_KINDS) {
    expect(ask(toRun(kind, "died"), { by: "fetch" })).toBe(kind === "fetch" ? "cleared" : "other_kind");
    expect(ask(toRun(kind, "alive"), { by: "fetch" })).toBe("alive");
    expect(ask(toRun(kind, "died"), { by: "clearing" })).toBe(kind === "planning" ? "removed" : "other_kind");
    expect(ask(toRun(kind, "alive"), { by: "clearing" })).not.toBe("removed");
  }
});
