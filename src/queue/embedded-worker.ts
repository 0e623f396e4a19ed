/**
 * The thread that holds the embedded queue's database: PostgreSQL compiled to WebAssembly, wholly in memory. It runs here
 * and not on the main thread because a job costs a few milliseconds of CPU, which would come out of the crawl's speed.
 * One session serves everybody: statements run one after the other, in the order in which they came.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { gunzipSync, gzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { runMigrations } from "bullmq";
import type { EmbeddedAnswer, EmbeddedQuery, EmbeddedStart } from "./embedded-messages.ts";
import { toPlainError } from "./embedded-messages.ts";

/** Small, since a run has a few hundred jobs, and nothing is made durable: losing the queue loses nothing. */
const SERVER_SETTINGS = [
  "shared_buffers=4MB",
  "max_wal_size=32MB",
  "min_wal_size=32MB",
  "wal_level=minimal",
  "max_wal_senders=0",
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
];
/** There is no autovacuum without background processes; a long-lived service would grow. About once in 5,000 jobs. */
const QUERIES_PER_VACUUM = 10_000;
const SCHEMA = "bullmq";

async function main(port: MessagePort, start: EmbeddedStart): Promise<void> {
  const database = await openDatabase(start);
  const answer = (message: EmbeddedAnswer) => port.postMessage(message);
  database.onNotification((channel, payload) => answer({ kind: "notification", channel, payload }));
  let queryCount = 0;
  port.on("message", (query: EmbeddedQuery) => {
    queryCount += 1;
    database.query<Record<string, unknown>>(query.text, query.params).then(
      (result) => answer({ kind: "rows", id: query.id, rows: result.rows }),
      (error: unknown) => answer({ kind: "error", id: query.id, error: toPlainError(error) }),
    );
    if (queryCount % QUERIES_PER_VACUUM === 0) {
      // Best effort: an unvacuumed table is only larger.
      database.exec("VACUUM").catch(() => {});
    }
  });
  answer({ kind: "ready" });
}

/** From the image when there is one, else by `initdb`, which takes seconds; then the image is written for the next start. */
async function openDatabase(start: EmbeddedStart): Promise<PGlite> {
  const startParams = [...PGlite.defaultStartParams, ...SERVER_SETTINGS.flatMap((setting) => ["-c", setting])];
  const image = start.loadImage === null ? null : gunzipSync(await readFile(start.loadImage));
  const database = await PGlite.create({
    startParams,
    // WAL files of 1 MB and not of 16 keep the image and the memory small.
    initDbStartParams: ["--wal-segsize=1"],
    ...(image === null ? {} : { loadDataDir: new Blob([image], { type: "application/x-tar" }) }),
  });
  await runMigrations({ query: (text, params) => runStatements(database, text, params) }, SCHEMA);
  if (start.writeImage !== null) {
    await database.exec("CHECKPOINT");
    const dump = await database.dumpDataDir("none");
    // Renamed into place, so that a half-written image is never read.
    const draft = `${start.writeImage}.${process.pid}`;
    await writeFile(draft, gzipSync(Buffer.from(await dump.arrayBuffer())), { mode: 0o600 });
    await rename(draft, start.writeImage);
  }
  await database.exec(`SET search_path TO ${SCHEMA}, public`);
  return database;
}

/** A migration is many statements in one text, which PGlite takes only without parameters. */
async function runStatements(
  database: PGlite,
  text: string,
  params: readonly unknown[] | undefined,
): Promise<{ rows: never[] }> {
  if (params !== undefined) {
    return database.query<never>(text, [...params]);
  }
  const results = await database.exec(text);
  return { rows: (results.at(-1)?.rows ?? []) as never[] };
}

if (parentPort !== null) {
  // A failed start ends the thread with this error; the other side reads it from the "error" event.
  await main(parentPort, workerData as EmbeddedStart);
}
