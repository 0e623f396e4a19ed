/** Pauses: a person lets nothing be bought from a site, until a person says otherwise. The row of the pause is the only record of it. */
import type { SitePause } from "../../pause-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { stopUnfinished } from "./lasting-stops.ts";

/** Writes: site_pause, act; run_site, batch, frontier, purchase, balances of runs that have not ended. A second call changes nothing. */
export function pauseSite(tx: Tx, { host, who, now }: Asked<"pauseSite">): Answered<"pauseSite"> {
  const siteId = tx.lookups.siteId(host);
  if (tx.has`SELECT 1 FROM site_pause WHERE site_id = ${siteId}`) {
    return false;
  }
  const actId = recordAct(tx, { kind: "site_paused", who, host, now });
  tx.run`INSERT INTO site_pause (site_id, act_id) VALUES (${siteId}, ${actId})`;
  stopUnfinished(tx, { siteId, now });
  return true;
}

/** Writes: site_pause, act. A second call changes nothing. */
export function unpauseSite(tx: Tx, { host, who, now }: Asked<"unpauseSite">): Answered<"unpauseSite"> {
  const { changes } = tx.run`DELETE FROM site_pause WHERE site_id = (SELECT id FROM site WHERE host = ${host})`;
  if (changes === 1) {
    recordAct(tx, { kind: "site_unpaused", who, host, now });
  }
  return changes === 1;
}

const SELECT_PAUSES = `SELECT s.host, a.at, a.actor AS "by", a.reason FROM site_pause paused CROSS JOIN site s ON s.id = paused.site_id
  CROSS JOIN act a ON a.id = paused.act_id ORDER BY s.host`;

/** Reads: site_pause, site, act. */
export function readPauses(tx: ReadTx): readonly SitePause[] {
  return tx.all<SitePause>(SELECT_PAUSES);
}
