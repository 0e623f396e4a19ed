import type { Command } from "commander";
import { LicetError } from "../../errors.ts";
import { plainText } from "../../plain-text.ts";
import { FAULT_GROUPS, FAULT_NAMES } from "../../sandbox/faults/fault-names.ts";
import type { SandboxOptions } from "../../sandbox/options.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { collect, parseDurationUpTo, parseWholeUpTo } from "../input/parse-arguments.ts";
import type { SandboxFlags } from "../input/sandbox-options.ts";
import type { Session } from "../session.ts";

const MAX_PORT = 65_535;
const MAX_LATENCY_MS = 600_000;
const DEFAULT_PORT = 8402;
const DEFAULT_HELP_WIDTH = 80;

export function declareSandbox(command: CliCommand): void {
  command
    .option("--port <port>", "0 chooses a free port", parseWholeUpTo(MAX_PORT), DEFAULT_PORT)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option(
      "--site <host=dir>",
      "a site from a directory of HTML or Markdown files, which may change; may be repeated",
      collect,
    )
    .option("--synthetic <host=pages[:bytes]>", "a site of generated pages; may be repeated", collect)
    .option("--rates <file>", "rates from a YAML file (default: various licences and prices)")
    .option("--fault <name=probability>", "a fault to inject; may be repeated", collect)
    .option(
      "--webhook <url=…,secret=…>",
      "a receiver of notifications: its registered URL and its signing secret; may be repeated",
      collect,
    )
    .option(
      "--publish-every <duration>",
      "publish or update a page by itself, such as every 10s",
      parseDurationUpTo("24h"),
    )
    .option("--latency <ms>", "delay before each answer, in ms", parseWholeUpTo(MAX_LATENCY_MS))
    .option("--token-life <duration>", "lifetime of a token, such as 3s (default: 5m)", parseDurationUpTo("24h"))
    .option("--service <name>", "the gateway's own name (default: the profile's, else \"Service\")")
    .option(
      "--profile <file>",
      "a file with different names and paths, with the keys of gateway.headers and gateway.paths",
    )
    .option("--key <key>", "the API key that it accepts", "sandbox-key")
    .option("--agent-id <id>", "the AgentID that it accepts", "licet-demo")
    .option(
      "--seed <number>",
      "the seed of the faults: the same seed gives the same faults",
      parseWholeUpTo(Number.MAX_SAFE_INTEGER),
    )
    .examples([
      ["licet sandbox", "the demo site demo.example"],
      ["licet sandbox --site news.example=./articles", "your own pages; change them while it runs"],
      ["licet sandbox --profile licet.config.yaml", "names and paths of a real gateway"],
      ["licet sandbox --synthetic big.example=200000", "many pages"],
      [
        "licet sandbox --publish-every 10s --webhook url=http://127.0.0.1:8403/webhooks/main,secret=trial",
        "a site that publishes, for licet serve",
      ],
      ["licet sandbox --fault reset-after-charge=0.01", "a fault that licet must survive"],
    ])
    .addHelpText("after", ({ command }) => describeFaults(command))
    .does(sandbox);
}

/** What `--fault` takes. As wide as the rest of the help. */
function describeFaults(command: Command): string {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_HELP_WIDTH });
  const names = Object.entries({ all: "any fault of the endpoint, chosen at random", ...FAULT_NAMES });
  const width = Math.max(...names.map(([name]) => name.length));
  return [
    "Faults, as in --fault slow=0.1, or for a group of endpoints, as in --fault content:timeout=0.1",
    `(groups: ${FAULT_GROUPS.join(", ")}):`,
    ...names.map(([name, description]) => help.formatItem(name, width, description, help)),
    "",
  ].join("\n");
}

async function sandbox(session: Session, flags: SandboxFlags): Promise<ExitCode> {
  const { io } = session;
  // Imported here, so that the help does not load the sandbox.
  const { openSandbox, toSandboxOptions } = await import("../input/sandbox-options.ts");
  const options = await toSandboxOptions(flags, io.cwd);
  const stopped = new Promise<void>((resolve) => {
    const remove = io.onInterrupt(() => {
      remove();
      resolve();
    });
  });
  const running = await openSandbox(options);
  try {
    const ready = toReady(running.url, flags, options);
    await session.print(ready, () => formatReady(ready));
    await stopped;
  } finally {
    await running.close();
  }
  // A server that is stopped has done its work.
  return EXIT.done;
}

interface Ready {
  readonly url: string;
  readonly auditUrl: string;
  readonly service: string;
  /** The file of names and paths, or null. */
  readonly profile: string | null;
  readonly apiKey: string;
  readonly agentId: string;
  readonly sites: readonly string[];
}

function toReady(url: string, flags: SandboxFlags, options: SandboxOptions & { readonly service: string }): Ready {
  if (options.sites.length === 0) {
    throw new LicetError("USAGE_INVALID", "a sandbox needs a site");
  }
  return {
    url,
    auditUrl: `${url}/__sandbox/audit`,
    service: options.service,
    profile: flags.profile ?? null,
    apiKey: flags.key,
    agentId: flags.agentId,
    sites: options.sites.map(({ host }) => host),
  };
}

function formatReady({ url, auditUrl, service, profile, apiKey, agentId, sites }: Ready): string {
  const lines = [
    `licet sandbox serves ${sites.join(", ")} at ${url}`,
    "",
    "Point licet at it with:",
    `  export LICET_GATEWAY_URL=${url} LICET_API_KEY=${apiKey} LICET_AGENT_ID=${agentId}`,
    ...(service === "Service" ? [] : [`  and in the configuration: gateway.service: ${service}`]),
    ...(profile === null ? [] : [`  and gateway.headers and gateway.paths as in ${profile}`]),
    `Its account: ${auditUrl}`,
    "Ctrl-C stops it.",
  ];
  return lines
    .map((line) => `${line.slice(0, line.length - line.trimStart().length)}${plainText(line.trimStart())}\n`)
    .join("");
}
