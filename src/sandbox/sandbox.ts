/**
 * A complete local content-licensing gateway, and an independent account of all charges and reported uses.
 *
 * It shares no code with licet but the clock: a checker that shares our code shares our bugs.
 */
import type { AddressInfo } from "node:net";
import { systemClock } from "../time/clock.ts";
import { Account } from "./books/account.ts";
import { createAudit, createSummary, type FullAudit } from "./books/audit.ts";
import { ReportLog } from "./books/report-log.ts";
import type { SandboxControls } from "./control/control.ts";
import { createFaultInjector } from "./faults/faults.ts";
import { createDelay } from "./http/delay.ts";
import { RequestCounts } from "./http/request-counts.ts";
import { createSandboxServer, type ServerDeps } from "./http/server.ts";
import { resolveLimits, type SandboxOptions } from "./options.ts";
import { createContentCache } from "./pages/content-cache.ts";
import { loadSite } from "./pages/load-site.ts";
import type { Page, PageInput } from "./pages/page.ts";
import { createSiteIndex } from "./pages/site-index.ts";
import { createRateBook } from "./pricing/rate-book.ts";
import { loadRatesFile, parseRates } from "./pricing/rates-file.ts";
import { createGatewayNames } from "./profile/gateway-names.ts";
import { createPublisher } from "./publisher.ts";
import { createSandboxClock } from "./sandbox-clock.ts";
import type { SandboxState } from "./sandbox-state.ts";
import { TokenIssuer } from "./tokens.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

const DEFAULT_RETRY_MS = [1_000, 5_000, 30_000];
const DEFAULT_LATE_MS = 30_000;
const DEFAULT_DELIVERY_AGENT = "sandbox-delivery/1.0";

/** A running sandbox. Pages are named by their full URL or, on a single site, by their path. */
export interface Sandbox extends SandboxControls {
  /** Base address, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Everything that was charged and reported so far. */
  audit(): FullAudit;
  /** Adds a page and sends CREATED notifications. @throws Error when it exists already */
  addPage(page: PageInput): void;
  /** Replaces a page and sends UPDATED notifications. @throws Error when it does not exist */
  updatePage(page: PageInput): void;
  /** Resolves when no webhook delivery is in progress. */
  webhooksSettled(): Promise<void>;
  /** Stops the server, closes every connection, ends all deliveries. A second call does nothing. */
  close(): Promise<void>;
}

/** Starts a sandbox. @throws Error naming the option that cannot be used, or that the port is taken */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const state = await createState(options);
  const delay = createDelay();
  const controls = createControls(state);
  const publisher = createPublisher({
    clock: state.clock,
    sites: state.siteIndex.sites,
    everyMs: options.publishEveryMs,
    put: controls.putPage,
    onError: warn,
  });
  const server = createSandboxServer(state, { ...controls, delay });
  const host = options.host ?? "127.0.0.1";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host, backlog: 4_096 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  publisher.start();
  let closed: Promise<void> | undefined;
  const { putPage: _putPage, latencyMs: _latencyMs, onError: _onError, ...offered } = controls;
  return {
    ...offered,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    audit: () => createAudit(state),
    addPage: (page) => {
      if (state.siteIndex.find(state.siteIndex.locate(page).input.url) !== null) {
        throw new Error(`page ${page.url} exists already`);
      }
      controls.putPage(page);
    },
    updatePage: (page) => {
      if (state.siteIndex.find(state.siteIndex.locate(page).input.url) === null) {
        throw new Error(`page ${page.url} does not exist, so it cannot be updated`);
      }
      controls.putPage(page);
    },
    webhooksSettled: () => state.webhooks.settled(),
    close: () => {
      closed ??= (async () => {
        delay.cancel();
        await publisher.stop();
        const ended = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        await state.webhooks.close();
        await ended;
      })();
      return closed;
    },
  };
}

async function createState(options: SandboxOptions): Promise<SandboxState> {
  const limits = resolveLimits(options);
  const clock = createSandboxClock(options.clock ?? systemClock);
  const names = createGatewayNames(options.service ?? "Service", options.profileVariants);
  if (options.ratesFile !== undefined && options.rates !== undefined) {
    throw new Error("ratesFile and rates: give only one of the two");
  }
  const rules =
    options.ratesFile === undefined
      ? options.rates === undefined
        ? undefined
        : parseRates(options.rates)
      : await loadRatesFile(options.ratesFile);
  const rateBook = createRateBook(rules);
  const faults = createFaultInjector(options.faults ?? {}, options.seed ?? 1);
  const webhooks = new Webhooks(
    {
      clock,
      names,
      faults,
      seed: options.seed ?? 1,
      lateMs: options.deliveryLateMs ?? DEFAULT_LATE_MS,
      deliveryAgent: options.deliveryAgent ?? DEFAULT_DELIVERY_AGENT,
      retryMs: options.deliveryRetryMs ?? DEFAULT_RETRY_MS,
    },
    options.webhooks ?? [],
  );
  const onChange = (page: Page, type: "CREATED" | "UPDATED") => {
    webhooks.notify(page, type).catch(warn);
  };
  const siteIndex = createSiteIndex(
    await Promise.all(options.sites.map((source) => loadSite(source, { clock, onChange }))),
  );
  for (const source of options.sites) {
    if (source.kind !== "pages") {
      continue;
    }
    for (const { url, rates } of source.pages) {
      if (rates !== undefined) {
        rateBook.start(siteIndex.find(toUrl(url, source.host))?.url ?? url, rates);
      }
    }
  }
  return {
    names,
    limits,
    clock,
    siteIndex,
    rateBook,
    webhooks,
    tokens: new TokenIssuer({ clock, lifeMs: limits.tokenLifeMs }),
    account: new Account(),
    reports: new ReportLog(),
    cache: createContentCache(limits.cacheBytes),
    faults,
    counts: new RequestCounts(),
  };
}

/** The changes to a running sandbox, for its object and for the control endpoints. */
function createControls(state: SandboxState): Omit<ServerDeps, "delay"> {
  let { latencyMs } = state.limits;
  const known = (url: string) => {
    const page = state.siteIndex.find(url) ?? state.siteIndex.find(toUrl(url, state.siteIndex.sites[0]?.host ?? ""));
    if (page === null) {
      throw new Error(`page ${url} is not on a site of this sandbox`);
    }
    return page;
  };
  const notify = (url: string, type: "CREATED" | "UPDATED") => state.webhooks.notify(known(url), type);
  return {
    audit: ({ summary }) => (summary ? createSummary(state) : createAudit(state)),
    putPage: (given) => {
      const { site, input } = state.siteIndex.locate(given);
      const type = site.put(input);
      const { rates } = input;
      if (rates !== undefined) {
        state.rateBook[type === "CREATED" ? "start" : "set"](known(input.url).url, rates);
      }
      notify(input.url, type).catch(warn);
      return type;
    },
    removePage: (url) => {
      state.siteIndex.remove(known(url).url);
    },
    setRates: (url, rates) => state.rateBook.set(known(url).url, rates),
    setFaults: (faults) => state.faults.set(faults),
    setLatency: (next) => {
      if (!(Number.isFinite(next) && next >= 0)) {
        throw new Error(`latencyMs: ${next} is not a number of 0 or more`);
      }
      latencyMs = next;
    },
    latencyMs: () => latencyMs,
    notify,
    subscribe: (subscription) => state.webhooks.subscriptions.add(subscription),
    unsubscribe: (id) => state.webhooks.subscriptions.remove(id),
    subscriptions: () => state.webhooks.subscriptions.list(),
    moveClock: (ms) => state.clock.moveBy(ms),
    onError: warn,
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function toUrl(url: string, host: string): string {
  return url.startsWith("/") ? `https://${host}${url}` : url;
}
