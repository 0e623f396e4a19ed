/** Turns the sandbox's flags into its options, and its failures into errors with a hint. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { LicetError } from "../../errors.ts";
import { FAULT_GROUPS, FAULT_NAMES } from "../../sandbox/faults/fault-names.ts";
import { parseFaultArgument } from "../../sandbox/faults/faults.ts";
import type { SandboxOptions, SiteSource } from "../../sandbox/options.ts";
import { parseSiteArgument } from "../../sandbox/pages/site-argument.ts";
import { loadProfile, type Profile } from "../../sandbox/profile/profile-file.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { parseWebhookArgument } from "../../sandbox/webhooks/subscriptions.ts";
import { suggestKey } from "../../suggest-key.ts";

export interface SandboxFlags {
  readonly port: number;
  readonly host: string;
  readonly site?: readonly string[];
  readonly synthetic?: readonly string[];
  readonly rates?: string;
  readonly fault?: readonly string[];
  readonly webhook?: readonly string[];
  /** ms */
  readonly publishEvery?: number;
  readonly latency?: number;
  /** ms */
  readonly tokenLife?: number;
  /** Default: the profile's name, or "Service". */
  readonly service?: string;
  readonly profile?: string;
  readonly key: string;
  readonly agentId: string;
  readonly seed?: number;
}

const DEMO_HOST = "demo.example";
const DEFAULT_SERVICE = "Service";

/** @throws LicetError USAGE_INVALID */
export async function toSandboxOptions(
  flags: SandboxFlags,
  cwd: string,
): Promise<SandboxOptions & { readonly service: string }> {
  const profile = await readProfile(flags, cwd);
  const sites = [
    ...(flags.site ?? []).map((text) =>
      inDirectory(
        asUsage(() => parseSiteArgument(text)),
        cwd,
      ),
    ),
    ...(flags.synthetic ?? []).map(toSyntheticSite),
  ];
  return {
    sites: sites.length === 0 ? [{ kind: "demo", host: DEMO_HOST }] : sites,
    port: flags.port,
    host: flags.host,
    service: flags.service ?? profile.service ?? DEFAULT_SERVICE,
    profileVariants: profile.variants,
    apiKeys: [flags.key],
    agentIds: [flags.agentId],
    ...(flags.rates === undefined ? {} : { ratesFile: resolve(cwd, flags.rates) }),
    ...(flags.latency === undefined ? {} : { latencyMs: flags.latency }),
    ...(flags.tokenLife === undefined ? {} : { tokenLifeMs: flags.tokenLife }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    webhooks: (flags.webhook ?? []).map((text) => asUsage(() => parseWebhookArgument(text))),
    ...(flags.publishEvery === undefined ? {} : { publishEveryMs: flags.publishEvery }),
    faults: Object.fromEntries((flags.fault ?? []).map(toFault)),
  };
}

async function readProfile({ profile }: SandboxFlags, cwd: string): Promise<Profile> {
  try {
    return profile === undefined ? { variants: {} } : await loadProfile(resolve(cwd, profile));
  } catch (error) {
    throw toUsage(error);
  }
}

/** `big.example=2000:6000` */
function toSyntheticSite(text: string): SiteSource {
  const match = /^([^=]+)=(\d+)(?::(\d+))?$/.exec(text.trim());
  if (match === null) {
    throw new LicetError("USAGE_INVALID", `--synthetic ${text}: write host=pages or host=pages:bytes`, {
      hint: "Such as --synthetic big.example=2000:6000",
    });
  }
  const [, host, pages, bytes] = match;
  return asUsage(() => parseSiteArgument(`${host}=synthetic:${pages}${bytes === undefined ? "" : `/${bytes}`}`));
}

function inDirectory(source: SiteSource, cwd: string): SiteSource {
  return "dir" in source ? { ...source, dir: resolve(cwd, source.dir) } : source;
}

function toFault(text: string): [string, number] {
  const name = text.split("=", 1)[0] ?? "";
  const fault = name.slice(name.indexOf(":") + 1);
  const known = ["all", ...Object.keys(FAULT_NAMES)];
  if (!known.includes(fault)) {
    throw new LicetError("USAGE_INVALID", `there is no fault "${fault}": ${suggestKey(fault, known)}`, {
      hint: `Write name=probability or group:name=probability; the groups are ${FAULT_GROUPS.join(", ")}.`,
    });
  }
  const parsed = asUsage(() => parseFaultArgument(text));
  return [parsed.name, parsed.probability];
}

/** @throws LicetError USAGE_INVALID for an invalid site, LISTEN_FAILED for an address that is not available */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  for (const site of options.sites) {
    if ("dir" in site && !(await isDirectory(site.dir))) {
      throw new LicetError("USAGE_INVALID", `the directory of ${site.host} does not exist: ${site.dir}`, {
        hint: "--site host=./directory, relative to the current directory",
        details: { host: site.host, dir: site.dir },
      });
    }
  }
  try {
    return await startSandbox(options);
  } catch (error) {
    throw toSandboxError(error, options);
  }
}

function toSandboxError(error: unknown, { host = "", port = 0 }: SandboxOptions): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE" || code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    if ((error as NodeJS.ErrnoException).syscall === "listen" || code === "ENOTFOUND") {
      const why = code === "EADDRINUSE" ? `port ${port} is in use` : `cannot listen on ${host}:${port} (${code})`;
      return new LicetError("LISTEN_FAILED", why, {
        hint: "Another sandbox may be running. Name another port (--port 8500), or --port 0 for any free one.",
        details: { host, port, code },
        cause: error,
      });
    }
  }
  return toUsage(error);
}

function asUsage<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw toUsage(error);
  }
}

/** The sandbox throws plain errors about its options. Any other error is a bug and stays one. */
function toUsage(error: unknown): unknown {
  const isPlain = error instanceof Error && (error.constructor === Error || "code" in error);
  return isPlain ? new LicetError("USAGE_INVALID", (error as Error).message, { cause: error }) : error;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
