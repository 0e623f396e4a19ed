import { CONTENT_FORMATS, INTENTS } from "../../../policy/rule.ts";
import { PURCHASE_STATES } from "../../../purchase/purchase.ts";
import { check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { equalsOneOf, isBoolean, isNotNegative, isOneOf } from "./checks.ts";
import { license, listing, rule } from "./decisions.ts";
import { keyOf } from "./key-of.ts";
import { page, site } from "./pages.ts";
import { run } from "./runs.ts";

/** One decision to buy one page once (purchase/purchase.ts). */
export const purchase = sqliteTable(
  "purchase",
  {
    id: integer("id").primaryKey(),
    runId: keyOf("run_id", () => run.id),
    siteId: keyOf("site_id", () => site.id),
    pageId: keyOf("page_id", () => page.id),
    /** The spelling it was quoted under: every request and report about it uses this one. */
    url: text("url").notNull(),
    /** The acquire batch that carries it out. */
    batchId: integer("batch_id").notNull(),
    state: text("state", { enum: PURCHASE_STATES }).notNull(),
    intent: text("intent", { enum: INTENTS }).notNull(),
    format: text("format", { enum: CONTENT_FORMATS }).notNull(),
    policyName: text("policy_name").notNull(),
    ruleIndex: integer("rule_index").notNull(),
    /** The rule's words at the decision: its index alone is of a file that changes. */
    ruleId: integer("rule_id").references(() => rule.id),
    /** NULL for indexing. */
    licenseId: integer("license_id").references(() => license.id),
    listingId: integer("listing_id").references(() => listing.id),
    quotedMicros: integer("quoted_micros").notNull(),
    feeMicros: integer("fee_micros").notNull(),
    /** Set aside for the report of the fetch, where that is billed too. */
    useReserveMicros: integer("use_reserve_micros").notNull(),
    /** NULL for indexing. */
    currency: text("currency"),
    reportsFetch: integer("reports_fetch").notNull(),
    /** Its whole life it counts in the budget periods of this instant. */
    reservedAt: integer("reserved_at").notNull(),
    startedAt: integer("started_at"),
    /**
     * When the request was sent that its content answered, by the gateway's clock where ours is away: the content shows no later change. NULL without
     * content, and where the gateway's time was not known.
     */
    askedAt: integer("asked_at"),
    /** When the acquire stage was over with it: settled, released or in doubt. */
    endedAt: integer("ended_at"),
    /** A secret, kept only while started. */
    token: text("token"),
    tokenExpiresAt: integer("token_expires_at"),
    /** Why it was released or is in doubt. */
    reason: text("reason"),
    detail: text("detail"),
    chargedMicros: integer("charged_micros"),
    chargedFeeMicros: integer("charged_fee_micros"),
    chargedCurrency: text("charged_currency"),
    overcharged: integer("overcharged").notNull().default(0),
    requestId: text("request_id"),
    /** The catalog's `lastMod` at the decision. */
    lastMod: text("last_mod"),
    lastModAt: integer("last_mod_at"),
    /** `license.validUntil`: the earlier one of the rate that was bought and of the answer. NULL: the gateway named no end. */
    validUntilAt: integer("valid_until_at"),
    /** The policy's `retention` at the decision, in ms. Counts when the policy does not exist any more. NULL: none. */
    retentionMs: integer("retention_ms"),
    /**
     * The place of its content in the order of settlement, which is not the order of purchases: a reader that remembers a number gets exactly the
     * later ones. NULL without content.
     */
    documentNumber: integer("document_number"),
  },
  (t) => [
    check("purchase_state", equalsOneOf(t.state, PURCHASE_STATES)),
    check("purchase_intent", isOneOf(t.intent, INTENTS)),
    check("purchase_format", equalsOneOf(t.format, CONTENT_FORMATS)),
    check("purchase_amounts", sql`${t.quotedMicros} >= 0 and ${t.feeMicros} >= 0 and ${t.useReserveMicros} >= 0`),
    check("purchase_charged_amounts", sql`${t.chargedMicros} >= 0 and ${t.chargedFeeMicros} >= 0`),
    check("purchase_rule", isNotNegative(t.ruleIndex)),
    check("purchase_reports_fetch", isBoolean(t.reportsFetch)),
    check("purchase_overcharged", isBoolean(t.overcharged)),
    check(
      "purchase_indexing_is_free",
      sql`(${t.intent} = 'indexing') = (${t.currency} is null) and (${t.currency} is null) = (${t.licenseId} is null) and (${t.currency} is not null or ${t.quotedMicros} + ${t.feeMicros} + ${t.useReserveMicros} = 0)`,
    ),
    check("purchase_token_while_started", sql`(${t.state} = 'started') = (${t.token} is not null)`),
    check("purchase_token_expiry", sql`(${t.token} is null) = (${t.tokenExpiresAt} is null)`),
    check("purchase_ended", sql`(${t.state} in ('reserved', 'started')) = (${t.endedAt} is null)`),
    check("purchase_started", sql`${t.state} <> 'started' or ${t.startedAt} is not null`),
    check("purchase_charge_when_settled", sql`(${t.state} = 'settled') = (${t.chargedMicros} is not null)`),
    check("purchase_charge_whole", sql`(${t.chargedMicros} is null) = (${t.chargedFeeMicros} is null)`),
    check("purchase_reason", sql`${t.state} not in ('released', 'in_doubt') or ${t.reason} is not null`),
    // One open purchase per page, whatever the runs, workers and crashes.
    uniqueIndex("purchase_open_page").on(t.pageId).where(sql`ended_at is null`),
    index("purchase_in_doubt").on(t.pageId).where(sql`state = 'in_doubt'`),
    index("purchase_doubts").on(t.id).where(sql`state = 'in_doubt'`),
    index("purchase_by_page").on(t.pageId),
    uniqueIndex("purchase_document").on(t.documentNumber).where(sql`document_number is not null`),
    index("purchase_valid_until").on(t.siteId, t.validUntilAt).where(sql`valid_until_at is not null`),
    index("purchase_retention").on(t.policyName, t.retentionMs).where(sql`retention_ms is not null`),
  ],
);
