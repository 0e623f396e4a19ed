/** Turns the tests of the file's policies into tests that can be run. */
import { parseLastMod } from "../../catalog/last-mod.ts";
import { assertBug } from "../../errors.ts";
import { parseMoney } from "../../money/parse-money.ts";
import { parseExpectation } from "../../policy/expectation.ts";
import type { PolicyTest } from "../../policy/policy-test.ts";
import type { Rate } from "../../rates/rate.ts";
import { parseValidUntil } from "../../rates/valid-until.ts";
import { parseDuration } from "../../time/duration.ts";
import type { ConfigDocument } from "../schema/config-schema.ts";

type TestDocument = ConfigDocument["policies"][string]["tests"][number];
type RateDocument = NonNullable<TestDocument["rates"]>[number];

/** The tests of all policies, in the order of the file. */
export function resolvePolicyTests(policies: ConfigDocument["policies"]): readonly PolicyTest[] {
  return Object.entries(policies).flatMap(([name, { tests }]) =>
    tests.map((test, index) => resolveTest(name, index, test)),
  );
}

function resolveTest(policy: string, index: number, test: TestDocument): PolicyTest {
  const expected = parseExpectation(test.expect);
  assertBug(expected.kind !== "fault", "what a test expects was checked");
  return {
    policy,
    index,
    url: test.url,
    listing: { rates: (test.rates ?? []).map(resolveRate), unreadable: [] },
    modified: resolveModified(test),
    expected,
  };
}

function resolveModified({ lastMod, modified }: TestDocument): PolicyTest["modified"] {
  if (modified !== undefined) {
    return { agoMs: parseDuration(modified) };
  }
  const at = parseLastMod(lastMod ?? null);
  return at === null ? null : { at };
}

function resolveRate({ license, price, cuid, permissions, validUntil, error }: RateDocument): Rate {
  return {
    license: { licenseType: license, cuid: cuid ?? null, licensePath: null, permissions: permissions ?? null },
    price: parseMoney(price),
    error: error ?? null,
    validUntilAt: parseValidUntil(validUntil ?? null),
  };
}
