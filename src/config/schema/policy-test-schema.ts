/** The `tests` of a policy. policy-test-checks.ts checks what a test expects against the rules. */
import { z } from "zod";
import { parseLastMod } from "../../catalog/last-mod.ts";
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import { RULED_DENIALS } from "../../policy/expectation.ts";
import { LICENSE_TYPES } from "../../rates/license.ts";
import { parseValidUntil } from "../../rates/valid-until.ts";
import { dateText, durationText, HTTP_PATTERN, moneyText, orNull, textOf } from "./text-formats.ts";

const MAX_RATES = 100;
const MAX_PERMISSIONS = 100;
const MAX_TEXT_CHARS = 300;

const RULE = "( [1-9][0-9]*)?";
/** Only for the JSON Schema. policy-test-checks.ts writes the message. */
const EXPECT_PATTERN = `allow${RULE}( at [0-9]+(\\.[0-9]+)? +[A-Z][A-Z0-9]{2,7})?|deny( (${RULED_DENIALS.join("|")})${RULE})?`;

const testedRateSchema = z
  .strictObject({
    license: z
      .string()
      .min(1)
      .max(MAX_TEXT_CHARS)
      .meta({ examples: [...LICENSE_TYPES] })
      .describe("The type of its licence. A type that licet does not know cannot be bought."),
    price: moneyText().describe("Its price for this page."),
    cuid: z.string().min(1).max(MAX_TEXT_CHARS).optional().describe("The licence's id."),
    permissions: z
      .array(z.string().min(1))
      .max(MAX_PERMISSIONS)
      .optional()
      .describe(
        "The licence's permissions. Left out: the gateway does not list them, so no `allow` that asks for them matches and every `deny` does.",
      ),
    validUntil: dateText()
      .optional()
      .describe(
        "The end of the licence; a date without a time is the end of its day in UTC. A rate whose end has passed cannot be bought.",
      ),
    error: z
      .string()
      .max(MAX_TEXT_CHARS)
      .optional()
      .describe("The gateway's error on this rate, which cannot be bought then."),
  })
  .transform(({ license, price, cuid = null, permissions = null, validUntil = null, error = null }) => ({
    license: { licenseType: license, cuid, licensePath: null, permissions },
    price,
    error,
    validUntilAt: parseValidUntil(validUntil),
  }));

export const policyTestSchema = z
  .strictObject({
    url: textOf({
      check: (text) => (canonicalPageUrl(text) === null ? "is not the address of a page" : null),
      quotes: true,
      pattern: HTTP_PATTERN,
      examples: ["https://news.example/2026/article"],
    }).describe(
      "The address of a page. Where its site has this policy, the budgets of the site count, else those of all sites with this policy.",
    ),
    lastMod: dateText().optional().describe("When the page was modified, as the catalog writes it."),
    modified: orNull(durationText()).describe("How long ago the page was modified, in place of `lastMod`."),
    rates: z
      .array(testedRateSchema)
      .max(MAX_RATES)
      .optional()
      .describe(
        "The rates of the page, as the gateway lists them; `[]` when it lists none. Left out under `intent: indexing`.",
      ),
    expect: z
      .string()
      .max(MAX_TEXT_CHARS)
      .meta({
        title: "verdict",
        pattern: `^(${EXPECT_PATTERN}|.*\\$\\{.*)$`,
        examples: ["allow 2", "allow 2 at 0.02 USD", "deny no_rule_matched", "deny denied_by_rule 1"],
      })
      .describe(
        "The verdict: `allow RULE`, `allow RULE at PRICE` or `deny REASON RULE`. Rules count from 1. What is left out may be anything.",
      ),
  })
  .transform(({ url, lastMod = null, modified, rates = [], expect }) => ({
    url,
    listing: { rates, unreadable: [] },
    modified: modified === null ? toDate(lastMod) : { agoMs: modified },
    expect,
  }));

function toDate(lastMod: string | null): { readonly at: number } | null {
  const at = parseLastMod(lastMod);
  return at === null ? null : { at };
}
