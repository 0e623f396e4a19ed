import { expect, test } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { toPageDecision } from "../../../src/pipeline/decide/page-decision.ts";
import type { SiteSettings } from "../../../src/pipeline/stage-deps.ts";
import type { Fee } from "../../../src/policy/rule.ts";
import { allow, listing, NOW, policy, rate, usd } from "../../doubles/policy-cases.ts";

const FEE: Fee = { ratePpm: 100_000, fixed: null };
const SITE: SiteSettings = {
  host: "news.example",
  policy: policy([allow()]),
  refresh: { when: "modified", maxAgeMs: null },
  isExcluded: () => false,
  reporting: { kinds: ["fetch"], billed: ["fetch"] },
  currencies: new Set(["USD"]),
};

test.each([
  [2_100, "allowed"],
  [2_099, "denied"],
])("a page at 1000 micros with a fee of 100, whose report costs 1000 again, under a cap of %d is %s", (cap, kind) => {
  const page = {
    pageId: 1,
    url: "https://news.example/a",
    wireUrl: "https://news.example/a",
    lastModAt: null,
    listed: { maxPrice: usd(cap), license: null, value: null },
  };
  const answer = { kind: "listed", listing: listing(rate(usd(toMicros(1_000)))) } as const;
  expect(toPageDecision({ fee: FEE }, SITE, page, answer, NOW).verdict.kind).toBe(kind);
});
