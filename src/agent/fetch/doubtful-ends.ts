/** Stored pages whose rights ended by a clock that may be ahead: they are not bought again without a person's word. */
import type { Ledger } from "../../ledger/ledger.ts";
import { isDoubtful } from "../../time/clock-judgement.ts";
import { askClock, clockUnsure } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";
import { answerFailed, type FetchAnswer } from "./fetch-answers.ts";
import type { HeldPages } from "./held-pages.ts";

/** @returns an answer for each of the pages that must not be bought, by its identity */
export async function answerDoubtfulEnds(
  { resources, ledger }: { readonly resources: Resources; readonly ledger: Ledger },
  urls: readonly string[],
  { ended }: Pick<HeldPages, "ended">,
): Promise<ReadonlyMap<string, FetchAnswer>> {
  // What was purged is gone, whatever the clock says now.
  const byClock = urls.filter((url) => ended.get(url)?.held.purgedAt === null);
  if (byClock.length === 0) {
    return new Map();
  }
  const { now, judgement } = await askClock(resources, ledger);
  if (!isDoubtful(judgement)) {
    return new Map();
  }
  const refusal = "a page whose rights ended by this clock is not bought again";
  const answer = answerFailed(clockUnsure(now, judgement, { refusal, command: "licet fetch" }));
  return new Map(byClock.map((url) => [url, answer]));
}
