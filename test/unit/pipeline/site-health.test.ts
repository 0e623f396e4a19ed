import { describe, expect, it } from "vitest";
import { createSiteHealth, FORBIDDEN_IN_A_ROW, type SiteHealth, type Step } from "../../../src/pipeline/site-health.ts";

const HOST = "news.example";

function forbid(health: SiteHealth, step: Step, times: number, path = "/premium/"): SiteHealth {
  for (let index = 0; index < times; index++) {
    health.forbidden(HOST, step, `https://${HOST}${path}${index}`);
  }
  return health;
}

describe("the health of a site", () => {
  it("is suspect from the fifth refusal at one step on", () => {
    expect(forbid(createSiteHealth(), "token", FORBIDDEN_IN_A_ROW - 1).isSuspect(HOST, "token")).toBe(false);
    expect(forbid(createSiteHealth(), "token", FORBIDDEN_IN_A_ROW).isSuspect(HOST, "token")).toBe(true);
    expect(forbid(createSiteHealth(), "token", 20).isSuspect(HOST, "content")).toBe(false);
  });

  it.each<{ granted: Step; suspect: readonly Step[] }>([
    { granted: "rates", suspect: ["token", "content"] },
    { granted: "token", suspect: ["content"] },
    { granted: "content", suspect: [] },
  ])("is proved up to the step that was allowed: $granted", ({ granted, suspect }) => {
    const health = createSiteHealth();
    const steps: readonly Step[] = ["rates", "token", "content"];
    for (const step of steps) {
      forbid(health, step, 20);
    }
    health.granted(HOST, granted);
    health.granted(HOST, "rates");
    expect(steps.filter((step) => health.isSuspect(HOST, step))).toEqual(suspect);
  });

  it("is separate for each site", () => {
    const health = forbid(createSiteHealth(), "content", FORBIDDEN_IN_A_ROW);
    health.granted("other.example", "content");
    expect(health.isSuspect(HOST, "content")).toBe(true);
    expect(health.isSuspect("other.example", "content")).toBe(false);
  });

  it("knows how many parts of the site are forbidden", () => {
    const health = forbid(forbid(createSiteHealth(), "content", 9), "content", 1, "/archive?page=");
    expect(health.forbiddenParts(HOST, "content")).toBe(2);
    expect(health.forbiddenParts(HOST, "token")).toBe(0);
  });

  it("is checked by one batch at a time, and reported once", () => {
    const health = createSiteHealth();
    expect([health.beginCheck(HOST), health.beginCheck(HOST)]).toEqual([true, false]);
    health.endCheck(HOST);
    expect(health.beginCheck(HOST)).toBe(true);
    expect([health.claimStop(HOST), health.claimStop(HOST)]).toEqual([true, false]);
  });

  it("tells once of each site that was proven", () => {
    const health = createSiteHealth();
    let told = 0;
    health.proven("before.example");
    health.onProven(() => {
      told += 1;
    });
    for (const host of [HOST, HOST, "other.example", "before.example"]) {
      health.proven(host);
    }
    expect(told).toBe(2);
  });
});
