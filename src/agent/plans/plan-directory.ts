/** The files of `serve.plans`. A name leads to a file in the directory, and nowhere else. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { LicetError } from "../../errors.ts";
import type { PlanRefusal } from "../../plan/plan-refusal.ts";
import { planName } from "../calls/fields.ts";

/** A plan is read whole while a person waits: 16 MiB are some 40,000 pages. */
const MAX_BYTES = 16_777_216;

/** The names of what may be plans, in their order. A directory that is not there yet has none. */
export async function listPlanNames(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(".jsonl")).sort();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      return [];
    }
    throw unreadable(directory, `${directory} (serve.plans) cannot be read (${code})`);
  }
}

/** @returns the path of a plan @throws LicetError PLAN_REFUSED for a name that is not one, and for what is not a file; USAGE_INVALID without `serve.plans` */
export async function findPlanFile(
  { serve: { plans: directory } }: Pick<Config, "serve">,
  name: string,
): Promise<string> {
  if (directory === null) {
    throw new LicetError("USAGE_INVALID", "there are no saved plans here: serve.plans is not set", {
      hint: "Set serve.plans to a directory, and write plans into it: licet plan --out plans/NAME.jsonl",
    });
  }
  const path = join(directory, name);
  const fault = planName.check(name);
  if (fault !== null) {
    throw unreadable(path, `its name ${fault}`);
  }
  const found = await lstat(path).catch(({ code }: NodeJS.ErrnoException) => code ?? "");
  if (typeof found === "string") {
    throw unreadable(path, `${path} cannot be read (${found})`);
  }
  if (!found.isFile()) {
    throw unreadable(
      path,
      `${path} is ${found.isSymbolicLink() ? "a symbolic link, which is not followed" : "not a file"}`,
    );
  }
  if (found.size > MAX_BYTES) {
    throw unreadable(path, `${path} has more than ${MAX_BYTES} bytes: licet plan --show reads it`);
  }
  return path;
}

function unreadable(path: string, message: string): LicetError {
  return new LicetError("PLAN_REFUSED", message, {
    hint: "`licet plan --out plans/NAME.jsonl` writes a plan into the directory of serve.plans.",
    details: { path, reason: "unreadable" satisfies PlanRefusal },
  });
}
