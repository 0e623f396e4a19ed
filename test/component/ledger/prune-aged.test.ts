/** Old notifications and alerts go, but for those that somebody still waits for. */
import { expect, test } from "vitest";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const DAY_MS = 86_400_000;

test("prunes old notifications and alerts that have ended, and no others", async () => {
  const temp = await openTempLedger();
  const hint = (id: number, at: number, state: string) =>
    `INSERT INTO hint (id, subscription, url, wire_url, kind, timestamp, changed_after, source, received_at, state)
     VALUES (${id}, 'main', 'u${id}', 'u${id}', 'created', 't', 0, 'delivery', ${at}, '${state}');`;
  const alert = (id: number, at: number, kind: string, state: string) =>
    `INSERT INTO alert (id, kind, key, message, details, raised_at) VALUES (${id}, '${kind}', 'key ${id}', 'm', '{}', ${at});
     INSERT INTO alert_delivery VALUES (${id}, 'r', '${state}', 1, 0, NULL, NULL);`;
  temp.tamper(
    [
      hint(1, DAY_MS, "done"),
      hint(2, DAY_MS, "unknown_site"),
      hint(3, DAY_MS, "waiting"),
      hint(4, DAY_MS, "entered"),
      hint(5, 3 * DAY_MS, "done"),
      alert(1, DAY_MS, "run_failed", "delivered"),
      alert(2, DAY_MS, "run_failed", "pending"),
      alert(3, DAY_MS, "in_doubt", "delivered"),
      alert(4, 3 * DAY_MS, "run_failed", "delivered"),
    ].join("\n"),
  );
  const ids = (table: string, column = "id") =>
    temp.query<Record<string, number>>(`SELECT ${column} AS id FROM ${table} ORDER BY 1`).map(({ id }) => id);
  const before = 2 * DAY_MS;
  expect(await temp.ledger.prune({ before, dryRun: true })).toMatchObject({ hints: 2, alerts: 1 });
  expect(ids("hint")).toHaveLength(5);
  expect(await temp.ledger.prune({ before, dryRun: false })).toMatchObject({ hints: 2, alerts: 1 });
  expect(ids("hint")).toEqual([3, 4, 5]);
  expect(ids("alert")).toEqual([2, 3, 4]);
  expect(ids("alert_delivery", "alert_id")).toEqual([2, 3, 4]);
  expect(await temp.ledger.prune({ before, dryRun: false })).toMatchObject({ hints: 0, alerts: 0 });
});

test("keeps a run that a slot or a notification names which stays", async () => {
  const temp = await openTempLedger();
  const run = (id: number) =>
    `INSERT INTO run (id, name, started_by, kind, state, started_at, ended_at, frontier_dropped, approved, purchases_after) VALUES (${id}, 'run_${id}', 'schedule', 'run', 'completed', 1, 2, 1, 0, 0);`;
  temp.tamper(
    [
      run(1),
      run(2),
      run(3),
      "INSERT INTO schedule VALUES ('site:a', 't', 0);",
      "INSERT INTO slot VALUES ('site:a', 1, 'done', NULL, 1, 'p', 1, 1, 1, 2), ('site:a', 2, 'done', NULL, 2, 'p', 2, 1, 2, 3);",
    ].join("\n"),
  );
  const counts = { runs: 1, slots: 1 };
  expect(await temp.ledger.prune({ before: DAY_MS, dryRun: true })).toMatchObject(counts);
  expect(await temp.ledger.prune({ before: DAY_MS, dryRun: false })).toMatchObject(counts);
  expect(temp.query("SELECT name FROM run ORDER BY id")).toEqual([{ name: "run_2" }, { name: "run_3" }]);
});
