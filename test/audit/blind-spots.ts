/**
 * Damage that the audit cannot detect, and why. The sweep checks these lists: damage to a blind place is never noticed, damage to
 * a partly blind place is sometimes not noticed, and damage to any other place always is.
 */
import type { Spot } from "./sweep.ts";

interface BlindSpot {
  readonly why: string;
  /** Columns, `table.column`; or a table, for its rows as a whole. Several in one text. */
  readonly places: string;
  /** Of these rows alone, in SQL. */
  readonly where?: string;
}

export const BLIND: readonly BlindSpot[] = [
  {
    why: "words for people, and names that others gave: nothing is computed from them",
    places: `content.modified content.published denial.detail denial.policy_name page.property_id purchase.detail purchase.request_id run.reason
      rule.text usage_batch.detail use.key rejected_entry.id rejected_entry.raw rejected_entry.reason
      open_item.detail`,
  },
  {
    why: "words for people; the hash does not cover them",
    places: "content.author content.description content.image_url content.title",
    where: "purged_at IS NULL",
  },
  {
    why: "when something was noted: no period, lease or order is taken from it, and clocks step",
    places: "denial.at run.ended_at",
  },
  {
    why: "what a run was told, which an operator may change when it is resumed",
    places: `run.deadline_at run_site.full_walk_every_ms run_site.max_pages run_site.overlap_ms
      run_site.position run_site.quote_batch_size`,
  },
  {
    why: "where to go on first, and until when to wait: a wrong one costs time",
    places: `batch.ready_at flusher.expires_at flusher.fence run.last_site_id usage_batch.not_before
      run_site.walk_last_at run_site.walk_ordered run_site.walk_stop_below_at page.last_mod page.last_mod_at`,
  },
  {
    why: "the order in which pages are tried, and what a list says for people and programs: whatever it is, policy and budgets decide",
    places:
      "candidate.rank candidate.age candidate.value listed_page.key listed_page.value rejected_line.raw run_list.path",
  },
  { why: "what the last full walk did not find: the next one says it again", places: "page.gone_at" },
  {
    why: "that the file is to be written anew: a mark too many costs time, and nothing else says that texts were removed since",
    places: "file_cleaning file_cleaning.due_since",
  },
  {
    why: "what a person said of the clock, and what it said: nothing else repeats it",
    places: `clock_word clock_word.id clock_word.at clock_word.latest_at
      clock_word.gateway_at clock_word.runs_before clock_word.purchases_before clock_word.bookings_before`,
  },
  {
    why: "which months were called complete: a booking in such a month is found, but not a month that is forgotten",
    places: `closed_month closed_month.id closed_month.starts_at closed_month.ends_at closed_month.bookings_before
      closed_month.reopened_after`,
  },
  {
    why: "who decided, in names and words: nothing is computed from them",
    places: "act.actor act.reason act.request_key act.plan_digest",
  },
  {
    why: "a number that nothing names",
    places: "act.id",
    where: "kind NOT IN ('content_purged', 'site_paused', 'alert_acknowledged')",
  },
  {
    why: "which configuration a run had: the run's purchases name their rules and prices themselves",
    places: "run_configuration run_configuration.run_id run_configuration.since",
  },
  {
    why: "how far the hashes are indexed: what is not in the index is found without it",
    places: "hashed_through",
  },
  { why: "Markdown that can be derived again", places: "derived_markdown.markdown derived_markdown.failure" },
  { why: "the life of a secret that only the gateway can read", places: "purchase.token_expires_at" },
  {
    why: "an alert is a message: no amount, page or use is taken from it, and the state that it told of has rows of its own",
    places: `alert.details alert.kind alert.message alert.raised_at alert.site alert.run alert.code alert.command alert_delivery alert_delivery.attempts
      alert_delivery.ended_at alert_delivery.last_error alert_delivery.not_before alert_delivery.receiver
      alert_delivery.state alert_receiver alert_receiver.kind alert_receiver.receiver alert_receiver.since spent_budget
      spent_budget.at spent_budget.currency spent_budget.limit_micros spent_budget.period spent_budget.scope`,
  },
  { why: "the name of an alert that nobody looks after", places: "alert.key", where: "acknowledged_by IS NULL" },
  {
    why: "what is waited for at present, in words: whether it is over is found out by itself",
    places: "wait wait.id wait.process wait.run_id wait.place wait.code wait.message wait.hint wait.since wait.until",
  },
  {
    why: "totals for monitoring, of counts that the audit derives from the rows: what was pruned is still in the totals",
    places: "site_total site_total.count site_total.kind site_total.reason",
  },
  {
    why: "a hint is only a reason to look at a page: policy and budgets decide it, and the next walk finds a lost one",
    places: `hint.ended_at hint.kind hint.not_before hint.received_at hint.source hint.subscription hint.timestamp
      hint.tries hint.wire_url`,
  },
  {
    why: "when work was due, and where a reading goes on: a wrong one does work twice or late, under the same promises",
    places: `run.in_service schedule schedule.name schedule.since schedule.timing slot slot.claimed_at slot.detail slot.ended_at
      slot.first_at slot.process slot.slot_at slot.slots slot.state sweep sweep.admitted
      sweep.completed_at sweep.covered_until sweep.failures sweep.last_error sweep.records sweep.sweeps`,
  },
  {
    why: "which process is the service: two at once are safe for money, like two runs",
    places: "service service.expires_at service.fence service.process service.started_at service.url service.workers",
  },
  {
    why: "who reads documents, and as what: a reader that is lost begins again with the first one",
    places: `document_cursor document_cursor.alive_until document_cursor.at document_cursor.name
      document_cursor.pending_target document_cursor.process document_cursor.selection`,
  },
  {
    why: "whether the file is a copy: its rows are as complete as those of the ledger that it was made from",
    places: "ledger_copy ledger_copy.accepted_at ledger_copy.made_at ledger_copy.made_by",
  },
];

const IS_OVER = "state NOT IN ('running', 'interrupted', 'failed')";
const OF_WHAT_IS_OVER = `run_id IN (SELECT id FROM run WHERE ${IS_OVER})`;
/** Bought alone: no other purchase says when and for what its batch was decided. */
const IS_ALONE = "(SELECT count(*) FROM purchase p WHERE p.batch_id = purchase.batch_id) = 1";

/** Blind in some rows, or to some values. */
export const PARTLY_BLIND: readonly BlindSpot[] = [
  {
    why: "limits of a run that took over nothing, or that are looser: nothing else says them",
    places: "run.max_pages run.max_spend_micros run.max_spend_currency run.inherits_limits",
  },
  {
    why: "that a copy was accepted, or a run stopped: no row says it once more, because a run goes on and stops again",
    places: "act act.at act.kind act.run_name",
    where: "kind IN ('copy_accepted', 'run_started', 'run_resumed', 'run_stopped', 'run_cancelled', 'plan_approved')",
  },
  {
    why: "that a site was bought from again, and when a word about a site was given: only the last word is checked",
    places: "act act.at act.host",
    where: "kind IN ('site_paused', 'site_unpaused')",
  },
  {
    why: "since when somebody looks after an alert",
    places: "act.at",
    where: "kind = 'alert_acknowledged'",
  },
  {
    why: "how far the hashes are indexed: too near is indexed again, and too far is seen where a document is there",
    places: "hashed_through.document_number",
  },
  { why: "of a slot without a run, the schedule may be any", places: "slot.schedule" },
  {
    why: "who ended a run, what it bought first, and after which run it goes on: policy and budgets decide, whatever they are",
    places: "run.ended_by run.run_order run_list.goes_on_from",
  },
  {
    why: "how a version was dated, and when it was asked for: a wrong one is bought again too early or too late",
    places: "page.held_dated_as purchase.asked_at",
  },
  { why: "the gateway's words of what it did not charge", places: "receipt.error receipt.currency" },
  {
    why: "evidence of a text that was purged: there is nothing any more to compare it with",
    places: "content.content_hash content.conversion_failure",
    where: "purged_at IS NOT NULL",
  },
  {
    why: "why a text was purged: that it is said is checked, and not what is said",
    places: "content.purge_reason",
  },
  {
    why: "what a page would cost beyond its rates: fees and reports are the configuration's to say",
    places: "candidate.cost_micros",
  },
  {
    why: "what a list says of a page stands there alone: what was bought against it is seen",
    places: `listed_page.line listed_page.max_price_micros listed_page.max_price_currency listed_page.license_type
      listed_page.license_cuid`,
  },
  {
    why: "how far a list was read: lines that say nothing are counted nowhere else, and the file is not here",
    places: "rejected_line_total.count run_list.digest run_list.lines_read run_list.planned_at run_list.repeated",
  },
  {
    why: "which plan a run buys from, and what the plan knew: the file is not here. What was bought twice under them is seen",
    places: "run_list.plan_digest run_list.planned_after",
  },
  {
    why: "whether the rest of a list is read: a run that is not completed may have more or nothing to read",
    places: "run_list.is_read",
    where: "run_id IN (SELECT id FROM run WHERE state <> 'completed')",
  },
  {
    why: "the answer that brought the content may have named an earlier end than was listed",
    places: "purchase.valid_until_at",
    where: "state = 'settled'",
  },
  {
    why: "other rates that offered the same, with a later end",
    places: "purchase.listing_id",
    where: "state = 'settled' AND valid_until_at IS NOT NULL",
  },
  {
    why: "a balance of nothing says as much as none",
    places: "balance balance.scope balance.period balance.currency",
    where: "reserved_micros + in_doubt_micros + settled_micros + fee_micros = 0",
  },
  { why: "a walk's batch has no rows of its own to name it", places: "batch.id", where: "stage = 'walk'" },
  { why: "leases: a batch done twice is done once", places: "batch.fence batch.state" },
  {
    why: "the policy's rules are in the configuration: the ledger has a number alone",
    places: "purchase.rule_index denial.rule_index",
  },
  {
    why: "a denial costs nothing: which page of a site, by which rates, is for `explain`",
    places: "denial.page_id denial.listing_id",
  },
  {
    why: "how many receipts could not be read is in its words alone",
    places: "open_item.count",
    where: "kind = 'surplus_receipt'",
  },
  {
    why: "which uses passed a budget is the configuration's to say",
    places: "open_item open_item.at open_item.count",
    where: "kind = 'over_budget_use'",
  },
  {
    why: "an earlier silence of its report",
    places: "open_item.at",
    where: "kind = 'needs_reconcile' AND closed_at IS NOT NULL",
  },
  {
    why: "the last one, of which nothing is left: its denial was pruned",
    places: "page",
    where:
      "id = (SELECT max(id) FROM page) AND id NOT IN (SELECT page_id FROM purchase UNION SELECT page_id FROM denial)",
  },
  {
    why: "no report names the page yet",
    places: "page.url",
    where: "wire_url IS NULL AND id NOT IN (SELECT page_id FROM usage_entry)",
  },
  {
    why: "there are gaps between the ids of acquire batches",
    places: "purchase.batch_id",
    where: "ended_at IS NOT NULL",
  },
  {
    why: "no more than a date, where no content or resolution has the same",
    places: "purchase.started_at purchase.ended_at",
  },
  {
    why: "what was set aside for it no longer counts",
    places: "purchase.fee_micros",
    where: "state IN ('released', 'settled')",
  },
  {
    why: "HTML alone looks as HTML that needs no Markdown; what was given up has no content",
    places: "purchase.format",
  },
  {
    why: "it was never stored",
    places: "purchase.last_mod purchase.last_mod_at",
    where: "id NOT IN (SELECT held_purchase_id FROM page WHERE held_purchase_id IS NOT NULL)",
  },
  {
    why: "which bookings the sums are of: only the newest row is asked, and all rows together are compared with their bookings",
    places: "booking_sum.id booking_sum.until_seq",
  },
  {
    why: "decided alone, with no use that was booked by it",
    places: "purchase.policy_name purchase.reports_fetch purchase.reserved_at purchase.retention_ms",
    where: IS_ALONE,
  },
  { why: "a resolution admits several reasons", places: "purchase.reason", where: "state = 'settled'" },
  { why: "a secret that only the gateway can read", places: "purchase.token" },
  {
    why: "a surplus receipt is for nothing that is known",
    places: `receipt receipt.license_type receipt.license_cuid receipt.per_unit_micros receipt.total_micros
      receipt.currency receipt.error`,
    where: "entry_id IS NULL",
  },
  { why: "a receipt may leave it out", places: "receipt.license_cuid" },
  { why: "examples", places: "rejected_entry" },
  {
    why: "where the outbox is looked for: earlier costs time, and later is seen where a use is pending",
    places: "flusher.uses_through",
  },
  {
    why: "a place in an order that nothing else repeats; one beyond the last document is seen",
    places:
      "purchase.document_number documents_left_out documents_left_out.through document_cursor.seq document_cursor.pending_seq",
  },
  { why: "another run or site that exists", places: "hint.run_id hint.site_id site_total.site_id slot.run_id" },
  {
    why: "a hint is only a reason to look at a page; one whose run is at work is compared with it",
    places: "hint hint.at hint.changed_after hint.id hint.state hint.url",
  },
  { why: "what began it: only a webhook run is told by it", places: "run.started_by", where: "key IS NULL" },
  { why: "dropped twice, it is dropped", places: "run.frontier_dropped" },
  {
    why: "it spent nothing",
    places: "run.name",
    where:
      "'run:' || name NOT IN (SELECT scope FROM balance WHERE reserved_micros + in_doubt_micros + settled_micros > 0)",
  },
  {
    why: "runs of an earlier licet did not count what they bought again",
    places: "tally tally.kind tally.count",
    where: "kind IN ('repurchased', 'repurchased_equal')",
  },
  {
    why: "runs of an earlier licet did not say which currency was used up",
    places: "run_site.exhausted",
    where: "exhausted <> '{}'",
  },
  {
    why: "who worked on it, since when, until when and for how long, and who came after: a wrong one costs time",
    places: "run.alive_until run.process run.resumed_at run.worked_ms run.taken_over_by run.died_at run.died_process",
  },
  { why: "bounds that may be lower, and higher", places: "run.purchases_after run.purchases_until" },
  { why: "no full walk of a site is remembered by it", places: "run.started_at" },
  {
    why: "how it ended: what can be resumed can be, what is over is over",
    places: "run.state",
    where: "state <> 'running'",
  },
  {
    why: "of the reasons to stop, each stops; the words are for people",
    places: "run_site.stop run_site.stop_detail",
    where: "stop IS NOT NULL",
  },
  {
    why: "the walk is over, or will not go on",
    places: "run_site.walk_ended run_site.walk_page_token run_site.walk_pages_read",
    where: `walk_ended IS NOT NULL OR ${OF_WHAT_IS_OVER}`,
  },
  { why: "no mark of its site was taken from it", places: "run_site.walk_newest_at" },
  { why: "without a mark the next walk is a full one", places: "site.high_water_at site.last_full_walk_at" },
  {
    why: "counts that only grow: quotes asked again, entries of which examples are kept",
    places: "tally.count",
    where: "kind IN ('quoted', 'rejected')",
  },
  { why: "a count of nothing says as much as none", places: "tally tally.run_id tally.kind", where: "count = 0" },
  {
    why: "what counts as no content is the configuration's to say",
    places: "tally tally.kind tally.count",
    where: "kind = 'empty'",
  },
  { why: "how often it was sent: no less often than it was not answered", places: "usage_batch.attempts" },
  {
    why: "when it was frozen: no half of another report",
    places: "usage_batch.created_at",
    where: "parent_id IS NULL",
  },
  {
    why: "a clock that is set back takes it back, and how long it was silent is the configuration's to say",
    places: "usage_batch.unknown_since usage_batch.first_attempt_at",
  },
  {
    why: "of no run, under no key, not billed, not reported: nothing else knows of it",
    places: "use.times",
    where: "billed = 0 AND entry_id IS NULL AND run_id IS NULL",
  },
  { why: "when a later use happened is its caller's to say", places: "use.used_at", where: "kind = 'use'" },
];

/** One place a spot, for the sweep. */
export function listSpots(blind: readonly BlindSpot[]): readonly (Spot & { readonly why: string })[] {
  return blind.flatMap(({ places, ...rest }) => places.split(/\s+/).map((place) => ({ place, ...rest })));
}
