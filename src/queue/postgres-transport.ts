import { Queue as BullQueue, Worker as BullWorker, createPostgresBackend, type Processor, runMigrations } from "bullmq";
import pg from "pg";
import { withDeadline } from "./deadline.ts";
import { STAGES } from "./queue.ts";
import { COMMAND_TIMEOUT_MS, reasonOf, unreachable } from "./redis-client.ts";
import type {
  QueueTransport,
  StageQueueOptions,
  StageWorkerOptions,
  TransportEvents,
  WorkerTransport,
} from "./transport.ts";

/** The time limit for opening, including BullMQ's migrations, which create the tables in a new database. */
const OPEN_TIMEOUT_MS = 15_000;
const SCHEMA = "bullmq";
const SETTINGS = `-c search_path=${SCHEMA}`;
/** Connections for adding and counting. */
const ADDING_CONNECTIONS = 4;
/** Each worker keeps one connection to listen on. The others run the commands of all workers. */
const WORKING_CONNECTIONS = STAGES.length + 4;

/**
 * PostgreSQL through `pg`: one pool for adding, with a time limit, and one for the workers.
 * @throws LicetError QUEUE_UNREACHABLE
 */
export async function openPostgresTransport(
  connectionString: string,
  place: string,
  events: TransportEvents,
): Promise<QueueTransport> {
  const pool = createPool(connectionString, ADDING_CONNECTIONS);
  pool.on("error", (error) => events.onWarning(`lost a connection to the queue at ${place} (${reasonOf(error)})`));
  try {
    await withDeadline(OPEN_TIMEOUT_MS, migrate(pool));
  } catch (error) {
    await endPool(pool);
    throw unreachable(place, error);
  }
  return {
    kind: "postgres",
    place,
    createQueue: (name, options) => createPoolQueue(name, pool, options),
    createWorkerTransport: () => createWorkerTransport(connectionString),
    findProblems: async () => {
      await pool.query("SELECT 1");
      return [];
    },
    close: () => endPool(pool),
  };
}

function createWorkerTransport(connectionString: string): WorkerTransport {
  const pool = createPool(connectionString, WORKING_CONNECTIONS);
  pool.on("error", () => {});
  return {
    createWorker: (name, processor, options) => createPoolWorker(name, processor, pool, options),
    disconnect: () => endPool(pool),
  };
}

/** The types of BullMQ's classes contain their backend, which licet does not use. */
function createPoolQueue(name: string, pool: pg.Pool, options: StageQueueOptions): BullQueue {
  const connection = pool as never;
  return new BullQueue(name, { ...options, connection }, createPostgresBackend) as unknown as BullQueue;
}

function createPoolWorker(name: string, processor: Processor, pool: pg.Pool, options: StageWorkerOptions): BullWorker {
  const connection = pool as never;
  return new BullWorker(name, processor, { ...options, connection }, createPostgresBackend) as unknown as BullWorker;
}

function createPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    options: SETTINGS,
    keepAlive: true,
    connectionTimeoutMillis: COMMAND_TIMEOUT_MS,
    application_name: "licet",
  });
  // The pool does not listen for the errors of a client that is in use, and BullMQ begins to only after it has read the version of the
  // tables. A connection that breaks in between would end the process. Its query fails in any case.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

async function migrate(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await runMigrations(client as never, SCHEMA);
  } finally {
    client.release();
  }
}

async function endPool(pool: pg.Pool): Promise<void> {
  try {
    await withDeadline(COMMAND_TIMEOUT_MS, pool.end());
  } catch {
    // The server is gone, or a query still waits for it. The sockets close with the process.
  }
}
