import { describe, expect, it } from "vitest";
import { createSiteHealth, FORBIDDEN_IN_A_ROW } from "../../../src/pipeline/site-health.ts";

const forbidden = (times: number) => {
  const health = createSiteHealth();
  return Array.from({ length: times }, () => health.forbidden("news.example"));
};

describe("the health of a site", () => {
  it("is said once, at the fifth refusal, however many follow", () => {
    expect(forbidden(FORBIDDEN_IN_A_ROW - 1)).not.toContain(true);
    expect(forbidden(FORBIDDEN_IN_A_ROW).indexOf(true)).toBe(FORBIDDEN_IN_A_ROW - 1);
    expect(forbidden(20).filter(Boolean)).toHaveLength(1);
  });

  it("is good once a page was granted, whatever is refused afterwards", () => {
    const health = createSiteHealth();
    health.forbidden("news.example");
    health.granted("news.example");
    expect(Array.from({ length: 20 }, () => health.forbidden("news.example"))).not.toContain(true);
  });

  it("is each site's own", () => {
    const health = createSiteHealth();
    health.granted("other.example");
    const said = Array.from({ length: FORBIDDEN_IN_A_ROW }, () => health.forbidden("news.example"));
    expect(said.at(-1)).toBe(true);
  });
});
