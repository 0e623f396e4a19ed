/** The calls of an agent, and their work. The names, the types and the comments are those of `Agent`. */
import {
  type Checks,
  checkArgument,
  checkOptions,
  isFunction,
  isObject,
  isText,
  misused,
  show,
} from "../check-options.ts";
import type { Config } from "../config/config.ts";
import type { ConfigInput } from "../config/config-input.ts";
import { parseConfig } from "../config/load-config.ts";
import { LicetError } from "../errors.ts";
import { suggestKey } from "../suggest-key.ts";
import type { Agent } from "./agent.ts";
import { createAlerting } from "./alerts/alerting.ts";
import { createAgentCalls } from "./calls/agent-calls.ts";
import { begin, type Call, type CallContext } from "./calls/call.ts";
import { type Answering, CALLS, type Iterating } from "./calls/calls.ts";
import { ITERATING_CALLS } from "./calls/document-calls.ts";
import { createResources, type Resources } from "./compose.ts";
import { AGENT_EVENTS, EventBus } from "./events/events.ts";
import { createPagesUnderWay } from "./fetch/pages-under-way.ts";

/** What an agent takes from outside beside its configuration. */
export interface CreateAgentOptions {
  /** Where relative paths of an inline configuration start. @default the working directory */
  readonly cwd?: string | undefined;
  /** The source of `${NAME}` in an inline configuration. @default the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Creates an agent for one configuration. Nothing is opened until a call needs it.
 * @param config the result of `loadConfig`, or an object as `defineConfig` types it
 * @throws LicetError CONFIG_INVALID, ENV_MISSING for an object with problems; USAGE_INVALID when `config` is not an object
 */
export function createAgent(config: Config | ConfigInput, options: CreateAgentOptions = {}): Agent {
  const checks: Checks<CreateAgentOptions> = {
    cwd: isText,
    env: (value) => (isObject(value) ? null : "must be an object of variables"),
  };
  const { cwd = process.cwd(), env = process.env } = checkOptions<CreateAgentOptions>("createAgent", options, checks);
  assertConfigObject(config);
  const bus = new EventBus();
  return createAgentOn(createResources(isResolved(config) ? config : parseConfig(config, { cwd, env }), bus), bus);
}

/** An agent over resources that others may share. Its `close` closes them. */
export function createAgentOn(resources: Resources, bus: EventBus): Agent {
  const { call, each, close } = createAgentCalls();
  const context: CallContext = {
    resources,
    bus,
    alerting: createAlerting(resources, bus),
    underWay: createPagesUnderWay(),
    warn: (message) => bus.emit("warning", { message }),
    alone: createLock(),
  };
  const answering = Object.entries<Call<Promise<unknown>>>(CALLS).map(([name, declared]) => [
    name,
    (...given: unknown[]) => call(name, async () => begin(name, declared, context, given)),
  ]);
  const iterating = Object.entries<Call<AsyncIterable<unknown>>>(ITERATING_CALLS).map(([name, declared]) => [
    name,
    (...given: unknown[]) => each(name, () => begin(name, declared, context, given)),
  ]);
  return {
    ...(Object.fromEntries([...answering, ...iterating]) as Pick<Agent, Answering | Iterating>),
    ...listening(bus),
    close: async () => {
      await close();
      await resources.close();
    },
  };
}

function createLock(): CallContext["alone"] {
  let running = false;
  return async (run) => {
    if (running) {
      throw new LicetError("USAGE_INVALID", "this agent is running already", {
        hint: "wait for the run to end, or create another agent",
      });
    }
    running = true;
    try {
      return await run();
    } finally {
      running = false;
    }
  };
}

function listening(bus: EventBus): Pick<Agent, "on" | "off"> {
  return {
    on: (name, listener) => {
      checkEvent("on", name, listener);
      bus.on(name, listener);
    },
    off: (name, listener) => {
      checkEvent("off", name, listener);
      bus.off(name, listener);
    },
  };
}

function checkEvent(call: string, name: unknown, listener: unknown): void {
  if (typeof name !== "string" || !AGENT_EVENTS.includes(name)) {
    throw misused(call, `there is no event ${show(name)}`, suggestKey(String(name), AGENT_EVENTS));
  }
  checkArgument(call, "listener", listener, isFunction);
}

function assertConfigObject(config: unknown): void {
  if (!isObject(config) || Array.isArray(config)) {
    throw misused(
      "createAgent",
      `the configuration must be an object, not ${show(config)}`,
      "give the result of loadConfig({ path }), or an object",
    );
  }
}

/** Only a resolved configuration has its policies in a Map. */
function isResolved(config: Config | ConfigInput): config is Config {
  return config.policies instanceof Map;
}
