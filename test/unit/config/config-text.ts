/** Configuration files for tests, in a directory of their own that is removed afterwards. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { isLicetError, type LicetError } from "../../../src/errors.ts";

export const ENV = { LICET_API_KEY: "key-1234" };

/** The least that is valid, one key a line. */
export const MINIMAL = `gateway:
  baseUrl: "http://127.0.0.1:8402"
  apiKey: "\${LICET_API_KEY}"
  agentId: acme-agent
budgets:
  - { scope: run, limit: 1 USD }
policies:
  standard:
    rules:
      - allow: { license: ON_DEMAND_LICENSE, maxPrice: 0.01 USD }
sites:
  - host: news.example
    policy: standard
`;

export async function configDirectory(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "licet-config-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text);
  }
  return directory;
}

export async function loadText(
  text: string,
  env: Readonly<Record<string, string | undefined>> = ENV,
  name = "licet.config.yaml",
): Promise<Config> {
  const cwd = await configDirectory({ [name]: text });
  return loadConfig({ cwd, env });
}

/** The error that loading ends with; fails when it does not. */
export async function errorOf(loading: Promise<unknown>): Promise<LicetError> {
  const outcome = await loading.then(
    () => new Error("the configuration was accepted"),
    (error: unknown) => error,
  );
  if (!isLicetError(outcome)) {
    throw outcome;
  }
  return outcome;
}
