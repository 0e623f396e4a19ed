/**
 * The rates of a fetch of one page, asked for while its run is written: the gateway answers while the disk does. A request for rates buys nothing,
 * and what it answers is decided only when the run stands in the ledger. The stage takes the answer where it would ask, also when it is an error.
 */

import type { SiteConfig } from "../../config/config.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { WantedPage } from "./wanted-pages.ts";

type Page = Pick<WantedPage, "wireUrl"> & { readonly site: Pick<SiteConfig, "policy"> };

export interface EarlyRates {
  /** The same gateway. It is not asked again for what was asked early. */
  readonly gateway: Gateway;
  /** Ends the request, if nobody has waited for its answer. */
  stop(): void;
}

/** Of several pages nothing is asked early: how they become batches is said when they are recorded. */
export function askEarly(gateway: Gateway, pages: readonly Page[], signal: AbortSignal): EarlyRates {
  const [page, another] = pages;
  if (page === undefined || another !== undefined || page.site.policy.intent !== "content") {
    return { gateway, stop: () => {} };
  }
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  const asked = page.wireUrl;
  let early: ReturnType<Gateway["quoteBatch"]> | null = gateway.quoteBatch(
    [asked],
    AbortSignal.any([signal, stopped.signal]),
  );
  // Where no run begins, nobody asks what came.
  early.catch(() => {});
  const quoteBatch: Gateway["quoteBatch"] = (urls, ending) => {
    const answer = urls.length === 1 && urls[0] === asked ? early : null;
    if (answer === null) {
      return gateway.quoteBatch(urls, ending);
    }
    early = null;
    ending?.addEventListener("abort", stop, { once: true });
    if (ending?.aborted) {
      stop();
    }
    return answer;
  };
  return { gateway: replace(gateway, quoteBatch), stop };
}

/** The client keeps its fields to itself, so each of its methods is called on it. */
function replace(gateway: Gateway, quoteBatch: Gateway["quoteBatch"]): Gateway {
  return new Proxy(gateway, {
    get(target, name) {
      const member: unknown = name === "quoteBatch" ? quoteBatch : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
