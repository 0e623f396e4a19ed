import { execFileSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";

/** Why there is no Chromium (Debian's package `chromium`) to look at pages with, or null. On CI that is a failure and not a reason to skip. */
export function findChromiumProblem(): string | null {
  try {
    findChromium();
    return null;
  } catch {
    if (process.env.CI === "true") {
      throw new Error("chromium is not installed, and on CI the pages must be looked at");
    }
    return "no chromium on this machine";
  }
}

/** A browser without a window. Root may not use Chromium's own sandbox. */
export function openChromium(): Promise<Browser> {
  const flags = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({
    executablePath: findChromium(),
    args: [...flags, "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

function findChromium(): string {
  return execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
}
