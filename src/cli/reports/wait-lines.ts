/** What runs and the service wait for, in words. */
import type { Wait } from "../../run/wait.ts";
import { WAIT_WORDS } from "../../run/wait.ts";
import { formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine } from "../output/text-table.ts";

/** `waits for the gateway since 2026-11-23 03:12:10 (GATEWAY_TIMEOUT: …), looks again at 03:12:40` */
export function describeWait({ place, code, message, since, until }: Omit<Wait, "runId" | "hint">): string {
  const next = until === null ? "" : `, looks again at ${formatInstant(until).slice(11)}`;
  return `waits for ${WAIT_WORDS[place]} since ${formatInstant(since)}${next} (${code}: ${message})`;
}

/** One line a wait, with what to do. Empty without waits. */
export function formatWaits(waits: readonly Wait[], layout: Layout): string {
  return waits
    .flatMap((wait) => [
      formatLine(`${wait.runId ?? "the service"} ${describeWait(wait)}`, layout, { indent: "  ", tone: "caution" }),
      ...(wait.hint === null ? [] : [formatLine(wait.hint, layout, { indent: "    " })]),
    ])
    .join("");
}
