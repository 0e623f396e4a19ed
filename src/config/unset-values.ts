/**
 * Values that nobody may need: secrets and addresses that a command which only reads the ledger never uses. Where their variable is not set, the
 * configuration is complete without them, and whoever reads such a value gets the error that names every variable.
 */
import type { LicetError } from "../errors.ts";
import type { Config } from "./config.ts";
import type { ConfigPath, ConfigProblem } from "./config-problem.ts";

/** What passes every check in the place of a value: it is never used. */
const ADDRESS = "https://unset.invalid";
const WORD = "a-value-that-is-not-set";

/** By the path in the file, `*` for a position: the stand-in, and where the resolved configuration has the value. */
const DEFERRABLE: Readonly<Record<string, { readonly standIn: string; readonly at?: readonly string[] }>> = {
  "gateway.baseUrl": { standIn: ADDRESS },
  "gateway.apiKey": { standIn: WORD },
  "gateway.agentId": { standIn: WORD },
  "gateway.userAgent": { standIn: WORD },
  "queue.url": { standIn: "embedded" },
  "serve.token": { standIn: WORD },
  "serve.tokens.*.token": { standIn: WORD },
  "webhooks.*.url": { standIn: ADDRESS },
  "webhooks.*.secret": { standIn: WORD },
  "alerts.*.webhook": { standIn: ADDRESS, at: ["alerts", "*", "to", "url"] },
  "alerts.*.secret": { standIn: WORD, at: ["alerts", "*", "to", "secret"] },
};

const find = (path: ConfigPath) => DEFERRABLE[path.map((part) => (typeof part === "number" ? "*" : part)).join(".")];

export function isDeferrable({ kind, path }: ConfigProblem): boolean {
  return kind === "env_missing" && find(path) !== undefined;
}

/** Puts the stand-ins into the values of a file. They are this configuration's own: nobody else has them yet. */
export function standIn(value: unknown, unset: readonly ConfigProblem[]): void {
  const distinct = new Map(unset.map(({ path }) => [JSON.stringify(path), path]));
  let number = 0;
  for (const path of distinct.values()) {
    const known = find(path);
    const [holder, key] = follow(value, path);
    if (known !== undefined && holder !== null) {
      // Tokens of a service must differ.
      holder[key] = path.includes("tokens") ? `${known.standIn}-${++number}` : known.standIn;
    }
  }
  const gateway = toHolder(toHolder(value)?.gateway);
  if (gateway !== null && distinct.has('["gateway","agentId"]') && gateway.userAgent !== undefined) {
    // It must contain the AgentID, which nobody knows.
    gateway.agentId = gateway.userAgent;
  }
}

/** Lets the reading of a value that is not set throw. Copies that are made by it throw too. */
export function refuseUnset(config: Config, unset: readonly ConfigProblem[], error: LicetError): void {
  const refuse = (path: ConfigPath) => {
    const [holder, key] = follow(config, path);
    if (holder !== null) {
      Object.defineProperty(holder, key, {
        enumerable: true,
        get: () => {
          throw error;
        },
      });
    }
  };
  for (const { path } of unset) {
    const numbers = path.filter((part) => typeof part === "number");
    refuse(find(path)?.at?.map((part) => (part === "*" ? (numbers.shift() ?? part) : part)) ?? path);
  }
  if (unset.some(({ path }) => path.join(".") === "gateway.agentId")) {
    // Where the file has none, it is made of the AgentID.
    refuse(["gateway", "userAgent"]);
  }
}

type Holder = Record<string | number, unknown>;

function follow(value: unknown, path: ConfigPath): readonly [holder: Holder | null, key: string | number] {
  const key = path.at(-1) ?? "";
  const holder = path.slice(0, -1).reduce<unknown>((at, part) => toHolder(at)?.[part], value);
  return [toHolder(holder), key];
}

function toHolder(value: unknown): Holder | null {
  return typeof value === "object" && value !== null ? (value as Holder) : null;
}
