/** What the checker calls asked for: each charge has a request with room for it. */
import { expect, it } from "vitest";
import type { World } from "../world.ts";
import { judgeAskedFor } from "./asked-for.ts";
import type { Ask } from "./asks.ts";
import { drawMeeting } from "./meeting.ts";

const LIMITS = { maxSites: 2, maxPages: 6, withoutTraits: new Set<string>() };
const {
  scenario,
  configurations: [settings],
} = drawMeeting(1, LIMITS);
const [FIRST = "", SECOND = "", THIRD = ""] = scenario.sites.flatMap(({ pages }) => pages.map(({ url }) => url));

/** A world in which these pages were charged at these instants. */
function worldOf(charged: readonly (readonly [url: string, at: number])[]): World {
  const charges = charged.map(([url], index) => ({ url, token: `token-${index}` }));
  const startings = new Map(
    charged.map(([, at], index) => [`token-${index}`, { at, process: "run#1", purchaseId: index, settings }]),
  );
  return { gateway: { account: { charges } }, startings, lost: new Set() } as unknown as World;
}

function ask(urls: readonly string[], options: Partial<Ask> = {}): Ask {
  return {
    what: "run#1 walks",
    kind: "walk",
    settings,
    urls: new Set(urls),
    hosts: new Set(),
    maxPages: null,
    windows: [{ from: 0, to: null }],
    process: "run#1",
    isStopUnsure: false,
    gone: new Set(),
    runs: [],
    ...options,
  };
}

const ruleOf = (charged: Parameters<typeof worldOf>[0], asks: readonly Ask[]) =>
  judgeAskedFor(worldOf(charged), asks)?.rule ?? null;

it("a page that nobody named has no reason", () => {
  expect(ruleOf([[FIRST, 1]], [ask([FIRST])])).toBeNull();
  expect(ruleOf([[SECOND, 1]], [ask([FIRST])])).toBe("bought-as-asked");
});

it("limits count over all that was bought for a request, and each charge finds the request with room", () => {
  const limited = ask([FIRST, SECOND], { maxPages: 1 });
  expect(
    ruleOf(
      [
        [FIRST, 1],
        [SECOND, 1],
      ],
      [limited],
    ),
  ).toBe("bought-as-asked");
  // The one that may buy both gives way to the one that may buy the second alone.
  expect(
    ruleOf(
      [
        [FIRST, 1],
        [SECOND, 1],
      ],
      [limited, ask([FIRST], { maxPages: 1 })],
    ),
  ).toBeNull();
  expect(
    ruleOf(
      [
        [SECOND, 1],
        [FIRST, 1],
      ],
      [limited, ask([FIRST], { maxPages: 1 })],
    ),
  ).toBeNull();
  expect(
    ruleOf(
      [
        [FIRST, 1],
        [SECOND, 1],
        [THIRD, 1],
      ],
      [limited, ask([FIRST], { maxPages: 1 })],
    ),
  ).toBe("bought-as-asked");
});

it("nothing is bought before it was asked for, nor after a person has stopped it, until a person goes on with it", () => {
  const stopped = ask([FIRST], {
    windows: [
      { from: 10, to: 20 },
      { from: 30, to: null },
    ],
  });
  expect([9, 10, 20, 21, 30].map((at) => ruleOf([[FIRST, at]], [stopped]))).toEqual([
    "bought-as-asked",
    null,
    null,
    "bought-as-asked",
    null,
  ]);
});

it("a page outside the configuration of the process that bought it has no reason, whoever asked", () => {
  const elsewhere = "https://elsewhere.example/1";
  expect(ruleOf([[elsewhere, 1]], [ask([elsewhere])])).toBe("bought-within-configuration");
});

it("a charge that no process had started has no reason", () => {
  const world = worldOf([[FIRST, 1]]);
  Object.assign(world, { startings: new Map() });
  expect(judgeAskedFor(world, [ask([FIRST])])?.rule).toBe("charge-is-started");
});
