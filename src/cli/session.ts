/** The environment of one command: the shared options, and functions to read, print and open. */
import type { Agent } from "../agent/agent.ts";
import { describeRequest } from "../agent/events/gateway-events.ts";
import type { Config } from "../config/config.ts";
import { plainText } from "../plain-text.ts";
import type { CliIo } from "./cli-io.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { LogLevel, LogOptions } from "./log/log-level.ts";
import { createLayout, type Layout } from "./output/layout.ts";
import { writeOutput } from "./output/output.ts";
import { toSafeJson } from "./output/safe-json.ts";

/**
 * These may be given before or after the command's name. The option is not named `--env-file`, because node reads that option
 * itself and fails when the file is missing.
 */
export interface GlobalOptions {
  readonly config?: string;
  readonly env?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logLevel?: LogLevel;
  readonly debug?: boolean;
}

/** What a command adds to an error that ends it. */
export interface FailureNotes {
  /** The run that the command worked on. Null: none was begun. Undefined: the command does not work on a run. */
  runId?: string | null;
  /** Printed after the hint of the error. */
  hint?: string;
}

export interface Session {
  readonly io: CliIo;
  readonly json: boolean;
  readonly logging: LogOptions;
  readonly failure: FailureNotes;
  /** `--config FILE` and `--env FILE` as given, for hints that repeat the command. Empty without both. */
  readonly configArgument: string;
  /** Prints the command's one result: the value for programs, or the text for people. */
  print(value: unknown, text: (layout: Layout) => string): Promise<void>;
  loadConfig(): Promise<Config>;
  /** The variables of a command without a configuration: those of the process, and those of `--env FILE`. */
  loadEnv(): Promise<CliIo["env"]>;
  /** Creates an agent whose requests are logged with --debug. Whoever asks for it closes it. */
  agentOpener(): Promise<(config: Config) => Agent>;
  /** Opens an agent for the configuration and always closes it. */
  withAgent<Result>(work: (agent: Agent, config: Config) => Promise<Result>): Promise<Result>;
  /** The same for a command that works on the ledger alone: it needs no secret, so a variable that is not set is an error when it is used. */
  withLedger<Result>(work: (agent: Agent, config: Config) => Promise<Result>): Promise<Result>;
  /** The whole work of a command that asks the agent one thing and prints the answer. */
  readonly answerFromAgent: Answer;
  /** The same over the ledger alone. */
  readonly answerFromLedger: Answer;
}

/** @param exitCodeOf @default the command has done its work, whatever the answer is */
type Answer = <Report>(
  ask: (agent: Agent) => Promise<Report>,
  text: (report: Report, layout: Layout) => string,
  exitCodeOf?: (report: Report) => ExitCode,
) => Promise<ExitCode>;

export function createSession(io: CliIo, options: GlobalOptions, failure: FailureNotes = {}): Session {
  const json = options.json === true;
  const logging = { json, level: toLogLevel(io, options) };
  const loadConfigFile = async (unset: "refuse" | "later" = "refuse"): Promise<Config> => {
    const { loadConfig } = await import("../config/load-config.ts");
    return loadConfig({ path: options.config, cwd: io.cwd, env: io.env, envFile: options.env, unset });
  };
  const loadEnv = async () => {
    const config = await import("../config/load-config.ts");
    return config.loadEnv({ cwd: io.cwd, env: io.env, envFile: options.env });
  };
  const agentOpener: Session["agentOpener"] = async () => {
    // Imported here and not at the top, so that a command without an agent (help, init) does not load SQLite and the queue.
    const { createAgent } = await import("../agent/create-agent.ts");
    const { createEventLog } = await import("./log/event-log.ts");
    return (config) => {
      const agent = createAgent(config);
      if (logging.level === "debug") {
        const log = createEventLog(io, logging);
        agent.on("gateway.request", (event) => log.debug(describeRequest(event), { ...event }));
      }
      return agent;
    };
  };
  const withAgentOf = async <Result>(config: Config, work: (agent: Agent, config: Config) => Promise<Result>) => {
    const agent = (await agentOpener())(config);
    let copyMadeAt: string | null = null;
    agent.on("ledger.restored", ({ madeAt }) => {
      copyMadeAt = madeAt;
    });
    try {
      const result = await work(agent, config);
      // At the end, where it is read, and not beside the error of a command that writes.
      if (copyMadeAt !== null) {
        const { createEventLog } = await import("./log/event-log.ts");
        createEventLog(io, logging).warn(describeCopy(copyMadeAt));
      }
      return result;
    } finally {
      await agent.close();
    }
  };
  const print: Session["print"] = (value, text) =>
    writeOutput(io, json ? `${toSafeJson(value)}\n` : text(createLayout(io, io.stdout)));
  const withAgent: Session["withAgent"] = async (work) => withAgentOf(await loadConfigFile(), work);
  const withLedger: Session["withLedger"] = async (work) => withAgentOf(await loadConfigFile("later"), work);
  const answerBy =
    (open: Session["withAgent"]): Answer =>
    (ask, text, exitCodeOf = () => EXIT.done) =>
      open(async (agent) => {
        const report = await ask(agent);
        await print(report, (layout) => text(report, layout));
        return exitCodeOf(report);
      });
  return {
    io,
    json,
    logging,
    failure,
    configArgument: [
      options.config === undefined ? "" : ` --config ${plainText(options.config)}`,
      options.env === undefined ? "" : ` --env ${plainText(options.env)}`,
    ].join(""),
    print,
    loadConfig: () => loadConfigFile(),
    loadEnv,
    agentOpener,
    withAgent,
    withLedger,
    answerFromAgent: answerBy(withAgent),
    answerFromLedger: answerBy(withLedger),
  };
}

/** What a command says of a ledger that only reads. */
export function describeCopy(madeAt: string): string {
  return `this ledger is a copy from ${madeAt} that nobody has accepted: it buys and reports nothing (licet restore --accept)`;
}

function toLogLevel(io: CliIo, { quiet = false, logLevel, debug = false }: GlobalOptions): LogLevel {
  if (debug) {
    return "debug";
  }
  return logLevel ?? (quiet ? "warn" : io.debug ? "debug" : "info");
}
