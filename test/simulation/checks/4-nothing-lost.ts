/** Promise 4: content, charge and use are committed in one SQLite transaction, and stay. */
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import type { Change, History, Step } from "./history.ts";
import type { ContentRow, PurchaseRow } from "./ledger-rows.ts";
import { inForce } from "./settings.ts";

const CONTENTS = `
  SELECT c.purchase_id AS purchaseId, g.url, CASE p.format WHEN 'markdown' THEN c.markdown ELSE c.html END AS body,
    json_array(c.content_hash, c.title, c.author, c.description, c.header, c.footer, c.modified, c.published) AS rest
  FROM content c LEFT JOIN purchase p ON p.id = c.purchase_id LEFT JOIN page g ON g.id = c.page_id`;

export function createNothingLost(evidence: Evidence, history: History): StepRule {
  const contentOf = evidence.db.prepare<[number], ContentRow>(`${CONTENTS} WHERE c.purchase_id = ?`);
  const orphans = evidence.db
    .prepare<[], number>(
      "SELECT c.purchase_id FROM content c JOIN purchase p ON p.id = c.purchase_id WHERE p.state <> 'settled' LIMIT 1",
    )
    .pluck();
  const kept: ContentRow[] = [];
  let turn = 0;
  return (step) => {
    for (const change of step.purchases) {
      if (change.now.state === "settled") {
        const content = contentOf.get(change.now.id) ?? null;
        const violation = judgeSettlement(change, content, step, evidence, history);
        if (violation !== null) {
          return violation;
        }
        if (content !== null) {
          kept.push(content);
          history.contents.set(change.now.id, content);
        }
      }
    }
    // No content without its settled purchase.
    const orphan = orphans.get();
    if (orphan !== undefined) {
      return broken("content-is-settled", `there is content of purchase ${orphan}, which is not settled`);
    }
    // Content never changes: one kept document a commit, in turn.
    turn += 1;
    const one = kept[turn % Math.max(1, kept.length)];
    return one === undefined ? null : compareContent(one, contentOf.get(one.purchaseId));
  };
}

function compareContent(kept: ContentRow, now: ContentRow | undefined): Violation | null {
  return now?.body === kept.body && now?.rest === kept.rest
    ? null
    : broken("content-stays", `the content of purchase ${kept.purchaseId} is not what was settled`);
}

function judgeSettlement(
  { before, now }: Change<PurchaseRow>,
  content: ContentRow | null,
  step: Step,
  evidence: Evidence,
  history: History,
): Violation | null {
  const byHand = history.resolutions.get(now.id)?.source === "operator";
  if (content === null) {
    // Settled means content in hand, but where an operator has said that it was charged.
    return byHand ? null : broken("settled-has-content", `purchase ${now.id} of ${now.url} is settled without content`);
  }
  if (before?.hasContent === 1) {
    return null;
  }
  // The use that a paid fetch is comes with the content, where such uses are reported; once, and under the license bought.
  const fetches = step.uses.filter(({ now: use }) => use.kind === "fetch" && use.purchaseId === now.id);
  const mayBe = inForce(evidence).map(({ reportedKinds }) =>
    now.intent === "content" && reportedKinds.includes("fetch") ? 1 : 0,
  );
  const fetch = fetches[0]?.now;
  const hasItsUse =
    mayBe.some((count) => count === fetches.length) &&
    (fetch === undefined ||
      (fetch.url === now.url &&
        fetch.times === 1 &&
        fetch.licenseType === now.licenseType &&
        fetch.licenseCuid === now.licenseCuid));
  if (!hasItsUse) {
    return broken("fetch-is-a-use", `purchase ${now.id} of ${now.url} is settled with ${fetches.length} uses`);
  }
  return now.intent === "content"
    ? judgeCharge(now, content, { byHand, omitsRate: evidence.omitsRate ?? false }, history)
    : null;
}

/** The content is what the gateway handed out for the purchase's token, and the charge is what the gateway took. */
function judgeCharge(
  row: PurchaseRow,
  content: ContentRow,
  { byHand, omitsRate }: { readonly byHand: boolean; readonly omitsRate: boolean },
  { tokenOf, chargeOf }: History,
): Violation | null {
  const charge = chargeOf.get(tokenOf.get(row.id) ?? "");
  if (charge === undefined) {
    return broken("content-was-charged", `purchase ${row.id} of ${row.url} has content that was never charged`);
  }
  if (content.body !== charge.body || content.url !== charge.url || row.url !== charge.url) {
    return broken(
      "content-is-what-was-paid",
      `purchase ${row.id} of ${row.url} stores other content than the gateway sent`,
    );
  }
  // An operator's resolution was booked at the quote. If a gateway omits its charge, or gives one that is not plausible, the quote
  // counts.
  const isTrue = row.charged === charge.micros && row.chargedCurrency === charge.currency;
  const isSaid = charge.said === "truth" || charge.said === "nothing";
  if (!isTrue && !byHand && !((omitsRate || !isSaid) && row.charged === row.quoted)) {
    return broken(
      "charge-is-the-gateways",
      `purchase ${row.id} of ${row.url} is settled at ${row.charged} ${row.chargedCurrency}, the gateway took ${charge.micros} ${charge.currency}`,
    );
  }
  const [charged, isOther] = [row.charged ?? 0, row.chargedCurrency !== row.currency];
  // Nothing is nothing in every currency.
  const isOver = charged > row.quoted || (isOther && charged > 0);
  return (row.overcharged === 1) === isOver
    ? null
    : broken(
        "overcharge-is-flagged",
        `purchase ${row.id}: charged ${row.charged}, quoted ${row.quoted}, flag ${row.overcharged}`,
      );
}

/** At the end every document is what it was when it was settled, and each page holds the newest of its documents. */
export function endNothingLost({ db }: Evidence, { contents }: History): Violation[] {
  const now = new Map(
    db
      .prepare<[], ContentRow>(CONTENTS)
      .all()
      .map((content) => [content.purchaseId, content]),
  );
  const changed = [...contents.values()].flatMap((kept) => compareContent(kept, now.get(kept.purchaseId)) ?? []);
  const wrong = db.prepare<[], { readonly url: string; readonly stored: number | null; readonly newest: number }>(
    `SELECT g.url, g.held_purchase_id AS stored, max(c.purchase_id) AS newest FROM content c JOIN page g ON g.id = c.page_id
     GROUP BY g.id HAVING stored IS NOT newest`,
  );
  return [
    ...changed,
    ...wrong
      .all()
      .map(({ url, stored, newest }) =>
        broken("newest-is-stored", `${url} holds purchase ${stored}, the newest is ${newest}`),
      ),
  ];
}

function broken(rule: string, detail: string): Violation {
  return { promise: 4, rule, detail };
}
