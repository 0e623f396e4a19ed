import { describe, expect, it } from "vitest";
import { compilePolicy, findMismatch } from "../../../src/policy/match-rule.ts";
import type { Conditions } from "../../../src/policy/rule.ts";
import type { Rate } from "../../../src/rates/rate.ts";
import { allow, DAY_MS, deny, eur, NOW, PAGE, policy, rate, usd } from "../../doubles/policy-cases.ts";

function mismatch(conditions: Partial<Conditions>, given: Rate | null = rate(usd(10)), page = PAGE): string | null {
  const rule = policy([allow(conditions)]).rules[0];
  return rule === undefined ? "no rule" : findMismatch(rule, page, given, NOW);
}

const cited = rate(usd(10), { permissions: ["PARTIAL_USE", "CITATION_REQUIRED"] });
const custom = rate(usd(10), { licenseType: "CUSTOM_LICENSE", cuid: "c1" });

describe("findMismatch", () => {
  it("lets a rule without conditions match everything", () => {
    expect(mismatch({})).toBeNull();
    expect(mismatch({}, null)).toBeNull();
  });

  it.each<[string, Partial<Conditions>, Rate, keyof Conditions | null]>([
    ["its licence type", { license: "ON_DEMAND_LICENSE" }, rate(usd(1)), null],
    ["another licence type", { license: "ON_DEMAND_FULL_USE_LICENSE" }, rate(usd(1)), "license"],
    ["one of its ids", { cuid: ["c0", "c1"] }, custom, null],
    ["another id", { cuid: ["c0"] }, custom, "cuid"],
    ["an id where the rate has none", { cuid: ["c1"] }, rate(usd(1)), "cuid"],
    ["all permissions", { permissions: ["CITATION_REQUIRED", "PARTIAL_USE"] }, cited, null],
    ["one permission too many", { permissions: ["PARTIAL_USE", "FULL_USE"] }, cited, "permissions"],
    ["permissions where there are none", { permissions: ["FULL_USE"] }, rate(usd(1)), "permissions"],
    ["none of the lacked", { lacks: ["FULL_USE"] }, cited, null],
    ["one of the lacked", { lacks: ["FULL_USE", "CITATION_REQUIRED"] }, cited, "lacks"],
    ["a price at the maximum", { maxPrice: usd(10) }, rate(usd(10)), null],
    ["a price one micro above the maximum", { maxPrice: usd(10) }, rate(usd(11)), "maxPrice"],
    ["a lower price in another currency", { maxPrice: usd(10) }, rate(eur(1)), "maxPrice"],
    ["a price at the minimum", { minPrice: usd(10) }, rate(usd(10)), null],
    ["a price one micro below the minimum", { minPrice: usd(10) }, rate(usd(9)), "minPrice"],
    ["a higher price in another currency", { minPrice: usd(10) }, rate(eur(100)), "minPrice"],
    ["its currency", { currency: "USD" }, rate(usd(1)), null],
    ["another currency", { currency: "EUR" }, rate(usd(1)), "currency"],
    ["conditions of which the last fails", { license: "ON_DEMAND_LICENSE", urls: ["/x"] }, rate(usd(1)), "urls"],
  ])("on %s", (_, conditions, given, expected) => {
    expect(mismatch(conditions, given)).toBe(expected);
  });

  it.each<[Partial<Conditions>]>([
    [{ permissions: ["FULL_USE"] }],
    [{ permissions: ["FULL_USE", "PARTIAL_USE"] }],
    [{ lacks: ["FULL_USE"] }],
  ])("lets unknown permissions match no allow and every deny: %j", (conditions) => {
    const silent = rate(usd(1), { permissions: null });
    expect(mismatch(conditions, silent)).toBe(Object.keys(conditions)[0]);
    const [denying] = policy([deny(conditions)]).rules;
    expect(denying && findMismatch(denying, PAGE, silent, NOW)).toBeNull();
  });

  it.each<[string, string[], string, boolean]>([
    ["a glob on the path", ["/news/**"], "/news/story", true],
    ["one glob of two", ["/sport/**", "/news/*"], "/news/story", true],
    ["no glob", ["/sport/**"], "/news/story", false],
    ["a glob at the root", ["/**/story"], "/story", true],
  ])("tests the page's path: %s", (_, urls, path, matches) => {
    expect(mismatch({ urls }, null, { ...PAGE, path })).toBe(matches ? null : "urls");
  });

  it("matches a page modified exactly so long ago, and none whose modification is unknown", () => {
    const modifiedAt = (lastModAt: number | null) =>
      mismatch({ modifiedWithinMs: DAY_MS }, null, { path: "/", lastModAt } as typeof PAGE);
    expect(modifiedAt(NOW - DAY_MS)).toBeNull();
    expect(modifiedAt(NOW - DAY_MS - 1)).toBe("modifiedWithinMs");
    expect(modifiedAt(NOW + 1)).toBeNull();
    expect(modifiedAt(null)).toBe("modifiedWithinMs");
  });

  it("keeps the policy it was compiled from", () => {
    const source = policy([allow()]).policy;
    expect(compilePolicy(source).policy).toBe(source);
  });
});
