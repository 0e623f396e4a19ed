/** Reads a configuration file by its format: YAML or JSON with the line of each key, or a module's default export. */
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { LicetError } from "../../errors.ts";
import type { ConfigFileContents } from "../config-problem.ts";
import { parseConfigText } from "./config-text.ts";
import type { Env } from "./env-file.ts";

/** A thousand sites fit into a hundredth of this. */
const MAX_FILE_BYTES = 16_000_000;

const FORMATS: Readonly<Record<string, "YAML" | "JSON" | "module">> = {
  ".yaml": "YAML",
  ".yml": "YAML",
  ".json": "JSON",
  ".jsonc": "JSON",
  ".ts": "module",
  ".mts": "module",
  ".js": "module",
  ".mjs": "module",
};

/**
 * @param label the file as its reader knows it
 * @param env whose secrets no message repeats, whatever a module throws
 * @throws LicetError CONFIG_NOT_FOUND, or CONFIG_INVALID for what cannot be read as its format
 */
export async function readConfigFile(file: string, label: string, env: Env): Promise<ConfigFileContents> {
  const size = await sizeOf(file, label);
  if (size > MAX_FILE_BYTES) {
    throw unreadable(file, label, `is larger than ${MAX_FILE_BYTES} bytes`);
  }
  const format = FORMATS[extname(file).toLowerCase()];
  if (format === undefined) {
    const extension = extname(file) === "" ? "no extension" : `the unknown extension ${extname(file)}`;
    throw unreadable(file, label, `has ${extension}: it must be one of ${Object.keys(FORMATS).join(" ")}`);
  }
  if (format === "module") {
    const { loadConfigModule } = await import("./config-module.ts");
    return loadConfigModule(file, label, env);
  }
  return parseConfigText(await readFile(file, "utf8"), { file, label, format });
}

async function sizeOf(file: string, label: string): Promise<number> {
  try {
    const stats = await stat(file);
    if (stats.isFile()) {
      return stats.size;
    }
  } catch (cause) {
    throw new LicetError("CONFIG_NOT_FOUND", `there is no configuration file ${label}`, {
      hint: "`licet init` writes one to start from.",
      details: { file },
      cause,
    });
  }
  throw unreadable(file, label, "is not a file");
}

function unreadable(file: string, label: string, what: string): LicetError {
  return new LicetError("CONFIG_INVALID", `${label} ${what}`, {
    hint: "`licet init` writes a file to compare it with; docs/configuration.md lists every key.",
    details: { file },
  });
}
