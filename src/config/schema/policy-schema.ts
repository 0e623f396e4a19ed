/** The `policies` section: ordered rules; the first match decides. */
import { z } from "zod";
import {
  CONTENT_FORMATS,
  type Conditions,
  EXPIRY_ACTIONS,
  IN_DOUBT_POLICIES,
  INTENTS,
  PREFERENCES,
  type Rule,
} from "../../policy/rule.ts";
import { LICENSE_TYPES } from "../../rates/license.ts";
import { policyTestSchema } from "./policy-test-schema.ts";
import { durationText, globText, moneyText, orNull, patternText } from "./text-formats.ts";

const MAX_RULES = 1000;
const MAX_TESTS = 1000;
const MAX_LIST = 10_000;

const words = () => orNull(z.array(z.string().min(1)).min(1).max(MAX_LIST));

const UNSAID = "When the gateway does not list its permissions, no `allow` matches and every `deny` does.";

const conditionsSchema = z
  .strictObject({
    license: orNull(z.enum(LICENSE_TYPES)).describe("The licence is of this type."),
    cuid: words().describe("The licence's id is one of these."),
    permissions: words().describe(`The licence has all of these permissions. ${UNSAID}`),
    lacks: words().describe(`The licence has none of these permissions. ${UNSAID}`),
    maxPrice: orNull(moneyText()).describe("The price is at most this, in this currency."),
    minPrice: orNull(moneyText()).describe("The price is at least this, in this currency."),
    currency: orNull(patternText(/^[A-Z][A-Z0-9]{2,7}$/, "is not a currency code such as USD", ["USD"])).describe(
      "The price is in this currency.",
    ),
    urls: orNull(z.array(globText()).min(1).max(MAX_LIST)).describe(
      "The URL's path, decoded once, matches one of these globs, which are case-sensitive.",
    ),
    modifiedWithin: orNull(durationText()).describe("The page was modified at most this long ago."),
  })
  .describe("All given conditions must hold. Without any, everything matches.");

const MAX_VALUE = 1_000_000_000;

const allowSchema = conditionsSchema.extend({
  value: orNull(z.number().min(0).max(MAX_VALUE)).describe(
    "What a page is worth that this rule allows. `run.order: value` buys the most value for the money.",
  ),
});

/** Which of both a rule has is checked in policy-checks.ts. */
function toRule({
  allow,
  deny,
}: {
  readonly allow?: z.output<typeof allowSchema> | undefined;
  readonly deny?: z.output<typeof conditionsSchema> | undefined;
}): Rule {
  if (allow !== undefined) {
    const { value, ...conditions } = allow;
    return { effect: "allow", conditions: toConditions(conditions), value };
  }
  return { effect: "deny", conditions: toConditions(deny ?? conditionsSchema.parse({})), value: null };
}

function toConditions({ modifiedWithin, ...conditions }: z.output<typeof conditionsSchema>): Conditions {
  return { ...conditions, modifiedWithinMs: modifiedWithin };
}

/** Only for the JSON Schema. policy-checks.ts writes the message. */
const requiring = (effect: string) => ({
  type: "object",
  properties: { [effect]: { type: "object" } },
  required: [effect],
});

const ruleSchema = z
  .strictObject({
    allow: allowSchema.optional().describe("Accepts a rate that matches."),
    deny: conditionsSchema.optional().describe("Denies a rate that matches."),
  })
  .meta({ oneOf: [requiring("allow"), requiring("deny")] })
  .transform(toRule);

const policySchema = z.strictObject({
  intent: z
    .enum(INTENTS)
    .default("content")
    .describe(
      "`content` is paid and may be used under its licence; `indexing` is for search indexes and analysis only.",
    ),
  format: z
    .enum(CONTENT_FORMATS)
    .default("markdown")
    .describe("`both` fetches HTML once and derives Markdown from it, so it is paid once."),
  prefer: z.enum(PREFERENCES).default("cheapest").describe("Which of the accepted rates is bought."),
  inDoubt: z
    .enum(IN_DOUBT_POLICIES)
    .default("hold")
    .describe(
      "A page whose purchase was never answered may have been charged: `hold` waits until that is resolved, `rebuy` buys the page again.",
    ),
  retention: orNull(durationText()).describe(
    "How long content may be kept after it was stored, whatever its licence says.",
  ),
  onExpiry: z
    .enum(EXPIRY_ACTIONS)
    .default("keep")
    .describe(
      "What happens when a licence or the retention ends: `relicense` buys the page again, `purge` lets `licet purge` remove the content, `keep` only shows it.",
    ),
  rules: z
    .array(ruleSchema)
    .min(1)
    .max(MAX_RULES)
    .describe("The first rule that matches a rate decides it. A rate without a matching rule is denied."),
  tests: z
    .array(policyTestSchema)
    .max(MAX_TESTS)
    .prefault([])
    .describe(
      "Pages with the verdicts that the rules must give. `licet check` runs them. A run does not: a policy with a test that fails is used all the same.",
    ),
});

export const POLICY_NAME_PATTERN = /^[A-Za-z0-9][\w.-]{0,63}$/;

export const policiesSchema = z
  .record(patternText(POLICY_NAME_PATTERN, "is not a name for a policy: letters, digits, hyphens, dots"), policySchema)
  .describe("Licence policies by name.");
