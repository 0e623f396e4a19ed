/**
 * The text of every trigger. A trigger only refuses: what was written once is not changed, and what was paid for is not deleted. What a change of
 * state means for money, counts and bookings is written by the functions that move the row (account/, docs/decisions/0091).
 *
 * A migration has a copy of this text, because migrations are never edited: a change here needs a migration that drops the trigger and creates
 * it anew. `test/component/ledger/triggers.test.ts` compares the text with the triggers of a ledger.
 *
 * Purchases and uses have no trigger on a change: it would cost each settlement a fifth of its time. Each statement that changes one names the
 * state that it must be in, and `audit` looks.
 */

/** @param change when it is refused, such as `BEFORE DELETE ON use` */
function refuse(name: string, change: string, why: string): string {
  return `
CREATE TRIGGER ${name} ${change}
BEGIN
  SELECT RAISE(ABORT, '${why}');
END`;
}

/** Every trigger of a ledger, one statement each. */
export const TRIGGERS: readonly string[] = [
  refuse(
    "act_is_a_fact",
    "BEFORE UPDATE OF id, kind, at, actor, reason, purchase_id, usage_batch_id, open_item_id, run_name, host, alert_key, plan_digest, request_key ON act",
    "an act is never changed",
  ),
  refuse("act_stays", "BEFORE DELETE ON act", "an act is never deleted"),
  refuse("booking_is_a_fact", "BEFORE UPDATE ON booking", "a booking is never changed"),
  refuse("booking_stays", "BEFORE DELETE ON booking", "a booking is never deleted"),
  refuse("clock_word_is_a_fact", "BEFORE UPDATE ON clock_word", "a word about the clock is never changed"),
  refuse("clock_word_stays", "BEFORE DELETE ON clock_word", "a word about the clock is never deleted"),
  refuse("resolution_is_a_fact", "BEFORE UPDATE ON resolution", "a resolution is never changed"),
  refuse("resolution_stays", "BEFORE DELETE ON resolution", "a resolution is never deleted"),
  refuse("receipt_is_a_fact", "BEFORE UPDATE ON receipt", "a receipt is never changed"),
  refuse("receipt_stays", "BEFORE DELETE ON receipt", "a receipt is never deleted"),
  refuse(
    "usage_batch_is_frozen",
    "BEFORE UPDATE OF idempotency_id, body, body_hash, first_entry_id, last_entry_id ON usage_batch",
    "a usage batch is frozen",
  ),
  refuse(
    "usage_batch_spelled_out",
    "BEFORE UPDATE OF first_use_id ON usage_batch WHEN NEW.first_use_id IS NOT NULL",
    "the uses of a usage batch are never changed",
  ),
  refuse("usage_batch_stays", "BEFORE DELETE ON usage_batch", "a usage batch is never deleted"),
  refuse("purchase_stays", "BEFORE DELETE ON purchase", "a purchase is never deleted"),
  refuse("content_stays", "BEFORE DELETE ON content", "content that was paid for is never deleted"),
  refuse("use_stays", "BEFORE DELETE ON use", "a use is never deleted"),
].map((text) => text.trim());
