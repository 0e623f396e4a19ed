/** Any answer at all, at any moment, from any endpoint: a run ends, its ledger is correct, and a correct gateway repairs the rest. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type EndpointName, HANG_UP, RawAnswer } from "./hostile-gateway.ts";
import { anyJson, nastyText, SEED, toRawJson } from "./hostile-values.ts";
import { createHostileWorld, pageUrls } from "./hostile-world.ts";

const PAGES = pageUrls(8);
const ENDPOINTS: readonly EndpointName[] = ["catalog", "rates", "rate", "token", "content", "report"];

/** A correct answer with a part of it replaced. */
const bend = (honest: unknown, at: number, piece: unknown): unknown => {
  const text = honest instanceof RawAnswer ? String(honest.body) : JSON.stringify(honest);
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|\d+|\[\]/g)];
  const chosen = values[at % Math.max(1, values.length)];
  return chosen === undefined
    ? piece
    : new RawAnswer(
        honest instanceof RawAnswer ? honest.status : 200,
        `${text.slice(0, chosen.index)}${toRawJson(piece)}${text.slice(chosen.index + chosen[0].length)}`,
      );
};

type Lie = (honest: unknown) => unknown;
const STATUSES = [204, 206, 408, 500, 501, 502, 503, 504, 599];
/** Definite refusals. For charged content, licet could not recognise a refusal as wrong: so they are not used there. */
const REFUSALS = [301, 304, 400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 418, 422, 425, 429, 431, 451];

const anyLie = (statuses: readonly number[]): fc.Arbitrary<Lie> =>
  fc.oneof(
    anyJson.map(
      (value): Lie =>
        () =>
          value,
    ),
    fc.tuple(fc.nat(200), fc.oneof(anyJson, nastyText)).map(
      ([at, piece]): Lie =>
        (honest) =>
          bend(honest, at, piece),
    ),
    fc.nat(200).map(
      (length): Lie =>
        (honest) =>
          new RawAnswer(200, (JSON.stringify(honest) ?? "").slice(0, length)),
    ),
    fc.uint8Array({ maxLength: 50 }).map(
      (bytes): Lie =>
        () =>
          new RawAnswer(200, Buffer.from(bytes)),
    ),
    fc.tuple(fc.constantFrom(...statuses), nastyText).map(
      ([status, text]): Lie =>
        () =>
          new RawAnswer(status, text, { "retry-after": "0" }),
    ),
    fc.constant((): unknown => HANG_UP),
  );
/** What each endpoint does on its first calls; afterwards it answers correctly. */
const anyStory = fc.record(
  Object.fromEntries(
    ENDPOINTS.map((name) => {
      const lie = anyLie(name === "content" ? STATUSES : [...STATUSES, ...REFUSALS]);
      return [name, fc.array(fc.option(lie, { freq: 2 }), { maxLength: 6 })];
    }),
  ) as Record<EndpointName, fc.Arbitrary<(Lie | null)[]>>,
);

test("whatever the answers are, no page is charged more often than it is accounted for, and every run ends", () =>
  fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const world = await createHostileWorld({ pages: PAGES, gateway: { timeoutMs: 500 } });
      try {
        for (const name of ENDPOINTS) {
          let call = 0;
          world.gateway.twists[name] = (honest) => {
            const lie = story[name]?.[call++];
            return lie === undefined || lie === null ? honest : lie(honest);
          };
        }
        await world.run();
        for (const name of ENDPOINTS) {
          delete world.gateway.twists[name];
        }
        await world.run("newest");
        await world.run();
        await world.report();
        const { gateway } = world;
        for (const page of PAGES) {
          const charged = gateway.charges.filter((charge) => charge.page === page).length;
          const [known] = world.query<{ settled: number; doubtful: number; open: number }>(
            `SELECT coalesce(sum(state = 'settled'), 0) AS settled, coalesce(sum(state = 'in_doubt'), 0) AS doubtful,
               coalesce(sum(state IN ('reserved', 'started')), 0) AS open
             FROM purchase JOIN page ON page.id = page_id WHERE page.url = '${page}'`,
          );
          // Each charge is a settled purchase or one in doubt, each settled purchase was charged, and nothing is left open.
          expect(known?.open ?? 0).toBe(0);
          expect(charged).toBeGreaterThanOrEqual(known?.settled ?? 0);
          expect(charged).toBeLessThanOrEqual((known?.settled ?? 0) + (known?.doubtful ?? 0));
        }
        // One id, one body.
        expect([...gateway.reports.values()].filter((bodies) => new Set(bodies).size > 1)).toEqual([]);
        const { usage } = await world.status();
        expect(usage.pending).toBe(0);
        // Wrong receipts and charges of the gateway are reported; no promise of licet is broken.
        expect((await world.audit()).filter((violation) => !/^5: |receipt|above|overcharg/.test(violation))).toEqual(
          [],
        );
      } finally {
        await world.close();
      }
    }),
    { ...SEED, numRuns: 40 },
  ));
