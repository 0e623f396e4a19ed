import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { LicetError } from "../../errors.ts";
import { MAX_PLACES, WORKER_NAME } from "../../worker/worker-port.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { parseWholeUpTo } from "../input/parse-arguments.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import type { Session } from "../session.ts";

/** Requests in flight of one worker, without `--concurrency`. */
const DEFAULT_PLACES = 16;
/** What is under way may take so long after the first signal, as with a service. */
const STOP_MS = 30_000;

type Env = Session["io"]["env"];

interface WorkerFlags {
  readonly serve?: string;
  readonly queue?: string;
  readonly concurrency: number;
  readonly name?: string;
  readonly tokenFile?: string;
  readonly drain?: true;
}

export function declareWorker(command: CliCommand): void {
  command
    .option("--serve <url>", "the address of the service, such as https://crawl.example (default: LICET_SERVE_URL)")
    .option("--queue <url>", "the Redis of the service's queue.url (default: LICET_QUEUE_URL)")
    .option("--concurrency <count>", "the most requests to the gateway at once", parsePlaces, DEFAULT_PLACES)
    .option("--name <name>", "how licet status and the metrics call it (default: the host and the process)", parseName)
    .option("--token-file <file>", "has the token of serve.tokens with can: work (default: LICET_WORKER_TOKEN)")
    .option("--drain", "end when no run has work left")
    .examples([
      ["licet worker --serve https://crawl.example --queue rediss://queue.example", "until SIGTERM or Ctrl-C"],
      ["licet worker --serve http://10.0.0.5:8403 --token-file token --drain", "until the work is done"],
    ])
    .does(work);
}

/** @throws LicetError USAGE_INVALID, ENV_MISSING, QUEUE_*, WORKER_VERSION, TOKEN_* */
async function work(session: Session, flags: WorkerFlags): Promise<ExitCode> {
  const { io, json, logging } = session;
  const log = createEventLog(io, { ...logging, json: json || !io.stderr.isTerminal });
  const env = await session.loadEnv();
  const serve = flags.serve ?? required(env, "LICET_SERVE_URL", "Set it, or give --serve.");
  const queue = flags.queue ?? required(env, "LICET_QUEUE_URL", "Set it, or give --queue.");
  const token = await readToken(flags, io, env);
  const apiKey = required(
    env,
    "LICET_API_KEY",
    "A worker has the key of the gateway, and nothing else of the configuration.",
  );
  warnOfPlainHttp(serve, log.warn);
  const interrupts = watchInterrupts(io, {
    say: log.warn,
    finishing: "no more jobs are taken, and started purchases are finished",
    farewell: () => "nothing is lost; the service leases its work again",
  });
  const end = new AbortController();
  const endLate = () => void io.clock.sleep(STOP_MS, end.signal).then(() => end.abort());
  interrupts.signal.addEventListener("abort", endLate, { once: true });
  try {
    const { startWorker } = await import("../../worker/start-worker.ts");
    await startWorker({
      serve,
      queue,
      token,
      apiKey,
      places: flags.concurrency,
      name: flags.name,
      isDrained: flags.drain === true,
      log,
      stop: interrupts.signal,
      end: end.signal,
    });
    log.info("the worker has ended");
    return EXIT.done;
  } finally {
    end.abort();
    interrupts.stop();
  }
}

async function readToken({ tokenFile }: WorkerFlags, io: Session["io"], env: Env): Promise<string> {
  if (tokenFile === undefined) {
    return required(env, "LICET_WORKER_TOKEN", "Set it, or give --token-file.");
  }
  const hint = "Write the token into it, and let only this user read it.";
  const text = await readFile(resolve(io.cwd, tokenFile), "utf8").catch((cause: unknown) => {
    throw new LicetError("USAGE_INVALID", `the token file cannot be read: ${tokenFile}`, { hint, cause });
  });
  if (text.trim() === "") {
    throw new LicetError("USAGE_INVALID", `the token file is empty: ${tokenFile}`, { hint });
  }
  return text.trim();
}

/** Without a place, a worker would wait for ever. */
function parsePlaces(text: string): number {
  const places = parseWholeUpTo(MAX_PLACES)(text);
  if (places === 0) {
    throw new InvalidArgumentError("A worker needs one at least.");
  }
  return places;
}

function parseName(text: string): string {
  if (!WORKER_NAME.test(text)) {
    throw new InvalidArgumentError("A name has 1 to 200 letters, digits and signs, without spaces.");
  }
  return text;
}

function required(env: Env, name: string, hint: string): string {
  const value = env[name] ?? "";
  if (value === "") {
    throw new LicetError("USAGE_INVALID", `${name} is not set`, { hint });
  }
  return value;
}

function warnOfPlainHttp(serve: string, warn: (message: string) => void): void {
  const url = URL.parse(serve);
  if (url?.protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)) {
    warn(
      `${url.origin} has no TLS: whoever is on the way reads the token and the content. Use https, or a private network.`,
    );
  }
}
