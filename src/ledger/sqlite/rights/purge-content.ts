import { setImmediate } from "node:timers/promises";
import type { ActedBy } from "../../../act/act.ts";
import { type ContentTerms, findExpiryAction, findRightsEnd, haveRightsEnded } from "../../../rights/rights.ts";
import type { PurgedVersion, PurgeRequest, PurgeResult } from "../../rights-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { storedAtSql } from "../purchases/stored-at.ts";
import { IS_NOT_PURGED } from "./ending-pages.ts";

/** Versions looked at in one piece. */
const READ_ROWS = 2_000;
/** Versions whose texts go in one transaction: the settlements of a run beside it must not wait long. */
const PURGED_AT_ONCE = 100;

interface VersionRow extends ContentTerms {
  /** Of the document, in the order of settlement. */
  readonly number: number;
  readonly purchaseId: number;
  readonly url: string;
  readonly host: string;
}

const VERSION = `h.id AS purchaseId, p.url, s.host, h.policy_name AS policyName, h.valid_until_at AS validUntilAt, h.retention_ms AS retentionMs,
  CASE p.held_purchase_id WHEN h.id THEN p.held_at ELSE ${storedAtSql("h")} END AS boughtAt`;

/**
 * Reads: purchase, page, content by its index of purged rows. Writes: content, derived_markdown, act, purged_content,
 * file_cleaning, in chunks.
 * Idempotent by version: one that is purged is passed over. Promise 4: the row, its hash, the charge and the uses stay.
 */
export async function purge(core: LedgerCore, request: Asked<"purge">): Promise<Answered<"purge">> {
  const { named, dryRun, who, now } = request;
  const gathered = createResult(request);
  let actId: number | null = null;
  const take = async (versions: readonly PurgedVersion[]): Promise<void> => {
    for (let start = 0; start < versions.length; start += PURGED_AT_ONCE) {
      const chunk = versions.slice(start, start + PURGED_AT_ONCE);
      if (dryRun) {
        gathered.add(chunk);
      } else {
        const removed = await removeTexts(core, chunk, { now, reason: named?.reason ?? null, who, actId });
        actId = removed.actId;
        gathered.add(removed.versions);
      }
      // A service answers its requests in between.
      await setImmediate();
    }
  };
  if (named !== null) {
    const { versions, unknown } = await core.read((tx) => readNamed(tx, named.urls));
    await take(versions);
    return gathered.toResult(unknown);
  }
  if (Object.values(request.policies).some(({ onExpiry }) => onExpiry === "purge")) {
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      const piece = await core.read((tx) => readEnded(tx, request, from));
      await take(piece.versions);
      after = piece.next;
      await setImmediate();
    }
  }
  return gathered.toResult([]);
}

const SELECT_SETTLED = `SELECT h.document_number AS number, ${VERSION} FROM purchase h CROSS JOIN page p ON p.id = h.page_id CROSS JOIN site s ON s.id = h.site_id
  WHERE h.document_number > ? AND ${IS_NOT_PURGED} ORDER BY h.document_number LIMIT ?`;

/** Every version in the order of settlement, also older versions of a page: their rights end like those of the newest one. */
function readEnded(
  tx: ReadTx,
  { policies, hosts, now }: PurgeRequest,
  after: number,
): { versions: PurgedVersion[]; next: number | null } {
  const rows = tx.all<VersionRow>(SELECT_SETTLED, after, READ_ROWS);
  const versions = rows.flatMap((row): PurgedVersion[] => {
    const end = findRightsEnd(row, policies);
    const goes = end !== null && haveRightsEnded(end, now) && findExpiryAction(row, policies) === "purge";
    const { url, host, purchaseId } = row;
    return goes && (hosts === null || hosts.includes(host))
      ? [{ url, host, purchaseId, endedAt: end.at, why: end.why }]
      : [];
  });
  return { versions, next: rows.length < READ_ROWS ? null : (rows.at(-1) as VersionRow).number };
}

const SELECT_NAMED = `SELECT p.url, s.host, h.id AS purchaseId, NOT (${IS_NOT_PURGED}) AS isPurged
  FROM page p JOIN purchase h ON h.page_id = p.id JOIN site s ON s.id = p.site_id
  WHERE p.url = ? AND EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = h.id) ORDER BY h.id`;

function readNamed(tx: ReadTx, urls: readonly string[]): { versions: PurgedVersion[]; unknown: string[] } {
  const versions: PurgedVersion[] = [];
  const unknown: string[] = [];
  for (const url of urls) {
    const stored = tx.all<{ url: string; host: string; purchaseId: number; isPurged: number }>(SELECT_NAMED, url);
    if (stored.length === 0) {
      unknown.push(url);
    }
    versions.push(
      ...stored
        .filter(({ isPurged }) => isPurged === 0)
        .map(({ isPurged: _, ...version }): PurgedVersion => ({ ...version, endedAt: null, why: "named" })),
    );
  }
  return { versions, unknown };
}

interface Removal {
  readonly now: number;
  /** Why the named pages go. Null: their rights ended. */
  readonly reason: string | null;
  readonly who: ActedBy | undefined;
  /** The act of the chunks before. Null: this is the first one. */
  readonly actId: number | null;
}

const REMOVE_TEXTS = `UPDATE content SET markdown = NULL, html = NULL, markdown_zstd = NULL, html_zstd = NULL, header = NULL, footer = NULL, title = NULL, author = NULL, description = NULL,
  image_url = NULL, purged_at = ?, purge_reason = ? WHERE purchase_id = ? AND purged_at IS NULL`;

/** @returns the versions whose texts went, because another purge at the same time may have been faster; and the act */
async function removeTexts(
  core: LedgerCore,
  versions: readonly PurgedVersion[],
  { now, reason, who, actId }: Removal,
): Promise<{ readonly versions: PurgedVersion[]; readonly actId: number | null }> {
  // Pages of the file that become free are overwritten at once: FAST leaves them as they are.
  core.db.pragma("secure_delete = ON");
  try {
    return await core.write((tx) => {
      // In the same transaction: a purge that is killed leaves the word that the file is to be cleaned.
      tx.run`INSERT INTO file_cleaning (id, due_since) VALUES (1, ${now}) ON CONFLICT DO NOTHING`;
      const removed = versions.filter(({ purchaseId, why }) => {
        tx.run`DELETE FROM derived_markdown WHERE purchase_id = ${purchaseId}`;
        return tx.changed(REMOVE_TEXTS, now, why === "named" ? `named: ${reason}` : why, purchaseId);
      });
      return { versions: removed, actId: recordPurge(tx, removed, { now, who, actId }) };
    });
  } finally {
    core.db.pragma("secure_delete = FAST");
  }
}

/** One act a purge, however many transactions it takes: each of them adds what it removed. */
function recordPurge(
  tx: Tx,
  removed: readonly PurgedVersion[],
  { now, who, actId }: Pick<Removal, "now" | "who" | "actId">,
): number | null {
  const [first] = removed;
  if (first === undefined) {
    return actId;
  }
  const count = removed.length;
  const id = actId ?? recordAct(tx, { kind: "content_purged", who, purchaseId: first.purchaseId, count, now });
  if (actId !== null) {
    tx.run`UPDATE act SET count = count + ${count} WHERE id = ${id}`;
  }
  for (const { purchaseId } of removed) {
    tx.run`INSERT INTO purged_content (purchase_id, act_id) VALUES (${purchaseId}, ${id})`;
  }
  return id;
}

function createResult({ limit }: PurgeRequest): {
  add(versions: readonly PurgedVersion[]): void;
  toResult(unknown: readonly string[]): PurgeResult;
} {
  let versions = 0;
  const bySite: Record<string, number> = {};
  const examples: PurgedVersion[] = [];
  return {
    add(purged) {
      versions += purged.length;
      for (const version of purged) {
        bySite[version.host] = (bySite[version.host] ?? 0) + 1;
        if (examples.length < limit) {
          examples.push(version);
        }
      }
    },
    toResult: (unknown) => ({ versions, bySite, examples, unknown }),
  };
}
