import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EXPIRY_ACTIONS } from "../../../src/policy/rule.ts";
import { isRenewalDue, SHORTEST_RENEWAL_MS } from "../../../src/rights/renewal.ts";
import {
  type ContentTerms,
  type ExpiryPolicies,
  findExpiryAction,
  findLapse,
  findRightsEnd,
  haveRightsEnded,
  toExpiryPolicies,
} from "../../../src/rights/rights.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const instants = fc.integer({ min: NOON - 400 * DAY_MS, max: NOON + 400 * DAY_MS });
const durations = fc.option(fc.integer({ min: 0, max: 900 * DAY_MS }));
const policyNames = fc.constantFrom("standard", "archive", "gone");
const contents: fc.Arbitrary<ContentTerms> = fc.record({
  host: fc.constant("news.example"),
  policyName: policyNames,
  boughtAt: instants,
  validUntilAt: fc.option(instants),
  retentionMs: durations,
});
const expiryTerms = fc.record({ retentionMs: durations, onExpiry: fc.constantFrom(...EXPIRY_ACTIONS) });
const policySets: fc.Arbitrary<ExpiryPolicies> = fc.record({ standard: expiryTerms, archive: expiryTerms });

function bought(terms: Partial<ContentTerms> = {}): ContentTerms {
  return {
    host: "news.example",
    policyName: "standard",
    boughtAt: NOON,
    validUntilAt: null,
    retentionMs: null,
    ...terms,
  };
}

function standard(terms: Partial<ExpiryPolicies[string]> = {}): ExpiryPolicies {
  return { standard: { retentionMs: null, onExpiry: "keep", ...terms } };
}

describe("the rights to stored content", () => {
  it("end with the licence or with the retention, whichever is earlier", () => {
    fc.assert(
      fc.property(contents, policySets, (content, policies) => {
        const configured = policies[content.policyName];
        const retentionMs = configured === undefined ? content.retentionMs : configured.retentionMs;
        const ends = [content.validUntilAt, retentionMs === null ? null : content.boughtAt + retentionMs];
        const known = ends.filter((at) => at !== null);
        expect(findRightsEnd(content, policies)?.at ?? null).toBe(known.length === 0 ? null : Math.min(...known));
      }),
    );
  });

  it("are those of the purchase for a site that the configuration does not have, and are kept", () => {
    const policies = toExpiryPolicies(
      [{ name: "standard", retentionMs: HOUR_MS, onExpiry: "purge" }],
      [{ host: "news.example" }],
    );
    const [own, other] = [bought({ retentionMs: DAY_MS }), bought({ retentionMs: DAY_MS, host: "blog.example" })];
    expect(findRightsEnd(own, policies)?.at).toBe(NOON + HOUR_MS);
    expect(findExpiryAction(own, policies)).toBe("purge");
    expect(findRightsEnd(other, policies)?.at).toBe(NOON + DAY_MS);
    expect(findExpiryAction(other, policies)).toBe("keep");
  });

  it("never last longer because a retention is added, or a licence names an end", () => {
    fc.assert(
      fc.property(contents, policySets, instants, (content, policies, end) => {
        const longest = findRightsEnd({ ...content, validUntilAt: null }, policies)?.at ?? Number.POSITIVE_INFINITY;
        expect(findRightsEnd({ ...content, validUntilAt: end }, policies)?.at).toBeLessThanOrEqual(longest);
        expect(findRightsEnd({ ...content, validUntilAt: end }, policies)?.at).toBeLessThanOrEqual(end);
      }),
    );
  });

  it("are over at their last instant, and not before", () => {
    const end = findRightsEnd(bought({ validUntilAt: NOON + HOUR_MS }), standard());
    expect(end).toEqual({ at: NOON + HOUR_MS, why: "validUntil" });
    expect(haveRightsEnded(end, NOON + HOUR_MS - 1)).toBe(false);
    expect(haveRightsEnded(end, NOON + HOUR_MS)).toBe(true);
    expect(haveRightsEnded(null, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  it("to a page had ended when those to each of its versions had: at the latest end", () => {
    const [first, second] = [bought({ validUntilAt: NOON + HOUR_MS }), bought({ validUntilAt: NOON + 3 * HOUR_MS })];
    expect(findLapse([second, first], standard(), NOON + 2 * HOUR_MS)).toBeNull();
    expect(findLapse([second, first], standard(), NOON + 4 * HOUR_MS)).toEqual({
      at: NOON + 3 * HOUR_MS,
      why: "validUntil",
    });
    expect(findLapse([first, bought()], standard(), NOON + 4 * HOUR_MS)).toBeNull();
    expect(findLapse([], standard(), NOON)).toBeNull();
  });

  it("follow the retention that is configured now, and the stored one only when the policy is gone", () => {
    const content = bought({ retentionMs: 30 * DAY_MS });
    expect(findRightsEnd(content, standard({ retentionMs: DAY_MS }))).toEqual({ at: NOON + DAY_MS, why: "retention" });
    expect(findRightsEnd(content, standard())).toBeNull();
    expect(findRightsEnd(content, {})).toEqual({ at: NOON + 30 * DAY_MS, why: "retention" });
  });

  it("end in nothing being bought or removed where no policy says so", () => {
    expect(findExpiryAction(bought({ policyName: "gone" }), standard({ onExpiry: "purge" }))).toBe("keep");
    expect(findExpiryAction(bought({ policyName: "constructor" }), standard({ onExpiry: "purge" }))).toBe("keep");
    expect(findExpiryAction(bought(), standard({ onExpiry: "purge" }))).toBe("purge");
  });
});

describe("a renewal", () => {
  const RELICENSE = standard({ onExpiry: "relicense" });
  const ended = (lastedMs: number) => bought({ boughtAt: NOON - lastedMs, validUntilAt: NOON });

  it("is due once the rights ended, under relicense alone", () => {
    for (const onExpiry of EXPIRY_ACTIONS) {
      const isDue = isRenewalDue({ content: ended(DAY_MS), previous: null }, standard({ onExpiry }), NOON);
      expect(isDue, onExpiry).toBe(onExpiry === "relicense");
    }
    expect(isRenewalDue({ content: ended(DAY_MS), previous: null }, RELICENSE, NOON - 1)).toBe(false);
    expect(isRenewalDue({ content: bought(), previous: null }, RELICENSE, NOON)).toBe(false);
  });

  it("of a short licence happens once, and not again in every run", () => {
    const short = ended(HOUR_MS);
    const before = bought({ boughtAt: NOON - 3 * HOUR_MS, validUntilAt: NOON - 2 * HOUR_MS });
    expect(isRenewalDue({ content: short, previous: null }, RELICENSE, NOON)).toBe(true);
    expect(isRenewalDue({ content: short, previous: before }, RELICENSE, NOON)).toBe(false);
    const asked = { standard: { ...RELICENSE.standard, isAsked: true } } as ExpiryPolicies;
    expect(isRenewalDue({ content: short, previous: before }, asked, NOON)).toBe(true);
    // The version before was replaced while its rights lasted: the short one is not a renewal.
    const live = { ...before, validUntilAt: NOON + DAY_MS };
    expect(isRenewalDue({ content: short, previous: live }, RELICENSE, NOON)).toBe(true);
  });

  it("goes on for ever where each licence lasts at least a day", () => {
    const content = ended(SHORTEST_RENEWAL_MS);
    const previous = bought({ boughtAt: 0, validUntilAt: DAY_MS });
    expect(isRenewalDue({ content, previous }, RELICENSE, NOON)).toBe(true);
    expect(isRenewalDue({ content: ended(SHORTEST_RENEWAL_MS - 1), previous }, RELICENSE, NOON)).toBe(false);
  });
});
