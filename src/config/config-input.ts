// Generated from the schema by `npm run schema:generate`. Do not edit.

/** A configuration as it is written: in a file, or in a program for `defineConfig` and `createAgent`. */
export interface ConfigInput {
  /** Address of the JSON Schema, for editors. */
  $schema?: string | undefined;
  /** The content-licensing gateway. */
  gateway: {
    /** Address of the gateway, http or https. */
    baseUrl: string;
    /** The gateway's own name, as in its header names. @default "Service" */
    service?: string | undefined;
    /** API key; comes from the environment, such as LICET_API_KEY. */
    apiKey: string;
    /** Registered AgentID. */
    agentId: string;
    /** User agent of every request; must contain `agentId`. Default: `<agentId>/1.0`. */
    userAgent?: string | undefined;
    /** The most requests in flight. @default 64 */
    concurrency?: number | undefined;
    /** The most requests started per second; null: no limit. @default 200 */
    requestsPerSecond?: number | null | undefined;
    /** How long to wait for the next part of an answer: milliseconds, or a duration such as `30s`. @default 30000 */
    timeoutMs?: number | string | undefined;
    /** Entries per catalog page. @default 500 */
    catalogPageSize?: number | undefined;
    /** Pages per bulk rate request. @default 200 */
    quoteBatchSize?: number | undefined;
    /** The field name of the license's id in usage reports. @default "licenseCuid" */
    licenseIdField?: "licenseCuid" | "licenseId" | undefined;
    /** Whether usage reports name the permissions of each license (`licensePermissions`); some gateways require it. @default false */
    reportPermissions?: boolean | undefined;
    /** Header names that differ from the specification; `{Name}` stands for the service. */
    headers?: {
      /** Carries the one-time token; `Authorization: Bearer` puts the scheme before it. */
      token?: string | undefined;
      /** Carries the API key. */
      key?: string | undefined;
      /** Names the wanted content format. */
      acceptContent?: string | undefined;
      /** Carries the agent on usage reports, in addition to User-Agent. */
      reportAgent?: string | undefined;
    } | undefined;
    /** Paths that differ from the specification, below `baseUrl`. */
    paths?: {
      /** Content retrieval. */
      content?: string | undefined;
      /** A site's catalog. */
      catalog?: string | undefined;
      /** Rates of one page. */
      rate?: string | undefined;
      /** Rates of many pages. */
      rateBatch?: string | undefined;
      /** Content tokens. */
      contentToken?: string | undefined;
      /** Indexing tokens. */
      indexingToken?: string | undefined;
      /** Usage reports; `{name}` stands for the service in lower case. */
      selfReport?: string | undefined;
      /** Webhook delivery records. */
      history?: string | undefined;
    } | undefined;
    /** A transaction fee that the gateway adds to the rate. It is reserved with the rate and counted separately. */
    fee?: {
      /** Share of the rate, in percent, with up to four decimals. @default 0 */
      percent?: number | undefined;
      /** Amount per purchase, on rates in its currency. */
      fixed?: string | undefined;
    } | undefined;
  };
  /** Where purchases, content and uses are stored. */
  ledger?: {
    /** The SQLite file. A relative path starts at the configuration file. @default "./data/licet.sqlite" */
    path?: string | undefined;
    /** Whether a missing file is an error, also for `licet run`. Set it after the first run: otherwise a mistyped path creates a second ledger, whose budgets look unspent. @default false */
    mustExist?: boolean | undefined;
    /** With fewer megabytes free on its disk, `licet check` warns, and the alert `ledger_low_disk` is raised. licet buys nothing below 33 MB. @default 500 */
    lowDiskMb?: number | undefined;
    /** `zstd` writes the Markdown and HTML of what is bought from now on compressed: the file takes less than half of the room, for 5 to 10 % more processor time a page and some 50 MB of memory. What is stored stays as it is. Programs that read the views of the ledger find such texts in `markdown_zstd` and `html_zstd`. @default "none" */
    compress?: "none" | "zstd" | undefined;
    /** Gives the ledger of runs and of a service a thread of its own, where the machine has more than one core: no wait for the disk then stands between a request and its answer. A gateway that answers after 50 ms is used 5 % better, for 12 % more processor time and 25 to 60 MB of memory. A fast gateway loses by it. @default false */
    thread?: boolean | undefined;
  } | undefined;
  /** Carries work to the workers. Losing it loses no work. */
  queue?: {
    /** `embedded` needs no installation; the jobs are in the memory of the process. With `redis://…`, `rediss://…`, `redis+unix://…`, `redis-sentinel://…` or `redis-cluster://…` they are on a Redis or Valkey that others can inspect. Each process has its own queue. @default "embedded" */
    url?: string | undefined;
  } | undefined;
  /** A page must fit every budget that covers it. Without a budget in its currency a page is not bought. @default [] */
  budgets?: {
    /** What it covers: `all`, `site:<host>`, or each `run` separately. */
    scope: string;
    /** Calendar period in UTC, after which the budget starts again. Default: never. Not for `run`. */
    per?: "day" | "week" | "month" | "total" | undefined;
    /** The most that may be spent, reserved and in doubt together. */
    limit: string;
  }[] | undefined;
  /** License policies by name. */
  policies: {
    [name: string]: {
      /** `content` is paid and may be used under its license; `indexing` is for search indexes and analysis only. @default "content" */
      intent?: "content" | "indexing" | undefined;
      /** `both` fetches HTML once and derives Markdown from it, so it is paid once. @default "markdown" */
      format?: "markdown" | "html" | "both" | undefined;
      /** Which of the accepted rates is bought. @default "cheapest" */
      prefer?: "cheapest" | "most-permissive" | undefined;
      /** A page whose purchase was never answered may have been charged: `hold` waits until that is resolved, `rebuy` buys the page again. @default "hold" */
      inDoubt?: "hold" | "rebuy" | undefined;
      /** How long content may be kept after it was stored, whatever its license says. */
      retention?: string | undefined;
      /** What happens when a license or the retention ends: `relicense` buys the page again, `purge` lets `licet purge` remove the content, `keep` only shows it. @default "keep" */
      onExpiry?: "relicense" | "purge" | "keep" | undefined;
      /** The first rule that matches a rate decides it. A rate without a matching rule is denied. */
      rules: {
        /** Accepts a rate that matches. */
        allow?: {
          /** The license is of this type. */
          license?: "ON_DEMAND_LICENSE" | "ON_DEMAND_FULL_USE_LICENSE" | "CUSTOM_LICENSE" | undefined;
          /** The license's id is one of these. */
          cuid?: string[] | undefined;
          /** The license has all of these permissions. When the gateway does not list its permissions, no `allow` matches and every `deny` does. */
          permissions?: string[] | undefined;
          /** The license has none of these permissions. When the gateway does not list its permissions, no `allow` matches and every `deny` does. */
          lacks?: string[] | undefined;
          /** The price is at most this, in this currency. */
          maxPrice?: string | undefined;
          /** The price is at least this, in this currency. */
          minPrice?: string | undefined;
          /** The price is in this currency. */
          currency?: string | undefined;
          /** The URL's path, decoded once, matches one of these globs, which are case-sensitive. */
          urls?: string[] | undefined;
          /** The page was modified at most this long ago. */
          modifiedWithin?: string | undefined;
          /** What a page is worth that this rule allows. `run.order: value` buys the most value for the money. */
          value?: number | undefined;
        } | undefined;
        /** Denies a rate that matches. */
        deny?: {
          /** The license is of this type. */
          license?: "ON_DEMAND_LICENSE" | "ON_DEMAND_FULL_USE_LICENSE" | "CUSTOM_LICENSE" | undefined;
          /** The license's id is one of these. */
          cuid?: string[] | undefined;
          /** The license has all of these permissions. When the gateway does not list its permissions, no `allow` matches and every `deny` does. */
          permissions?: string[] | undefined;
          /** The license has none of these permissions. When the gateway does not list its permissions, no `allow` matches and every `deny` does. */
          lacks?: string[] | undefined;
          /** The price is at most this, in this currency. */
          maxPrice?: string | undefined;
          /** The price is at least this, in this currency. */
          minPrice?: string | undefined;
          /** The price is in this currency. */
          currency?: string | undefined;
          /** The URL's path, decoded once, matches one of these globs, which are case-sensitive. */
          urls?: string[] | undefined;
          /** The page was modified at most this long ago. */
          modifiedWithin?: string | undefined;
        } | undefined;
      }[];
      /** Pages with the verdicts that the rules must give. `licet check` runs them. A run does not: a policy with a test that fails is used all the same. @default [] */
      tests?: {
        /** The address of a page. Where its site has this policy, the budgets of the site count, else those of all sites with this policy. */
        url: string;
        /** When the page was modified, as the catalog writes it. */
        lastMod?: string | undefined;
        /** How long ago the page was modified, in place of `lastMod`. */
        modified?: string | undefined;
        /** The rates of the page, as the gateway lists them; `[]` when it lists none. Left out under `intent: indexing`. */
        rates?: {
          /** The type of its license. A type that licet does not know cannot be bought. */
          license: string;
          /** Its price for this page. */
          price: string;
          /** The license's id. */
          cuid?: string | undefined;
          /** The license's permissions. Left out: the gateway does not list them, so no `allow` that asks for them matches and every `deny` does. */
          permissions?: string[] | undefined;
          /** The end of the license; a date without a time is the end of its day in UTC. A rate whose end has passed cannot be bought. */
          validUntil?: string | undefined;
          /** The gateway's error on this rate, which cannot be bought then. */
          error?: string | undefined;
        }[] | undefined;
        /** The verdict: `allow RULE`, `allow RULE at PRICE` or `deny REASON RULE`. Rules count from 1. What is left out may be anything. */
        expect: string;
      }[] | undefined;
    };
  };
  /** The sites whose pages are bought. */
  sites: {
    /** The site's host, without scheme and path. */
    host: string;
    /** Name of its policy. */
    policy: string;
    /** When `licet serve` starts a run: a cron expression in UTC, or an object with a time zone. */
    schedule?: string | {
      /** When a run starts: five fields, or six with seconds first. */
      cron: string;
      /** The time zone of the expression, such as `Europe/Berlin`. @default "UTC" */
      timeZone?: string | undefined;
      /** Slots that came while no service was running: `once` starts one run for all of them, `skip` none. @default "once" */
      misfire?: "once" | "skip" | undefined;
    } | undefined;
    /** Paths to include, as globs on the decoded path; empty: all. @default [] */
    include?: string[] | undefined;
    /** Paths to exclude, as globs on the decoded path; takes precedence over `include`. @default [] */
    exclude?: string[] | undefined;
    /** The most pages bought per run. */
    maxPages?: number | undefined;
    /** When pages are bought again. */
    refresh?: {
      /** Whether a stored page is quoted again: when the catalog shows a newer version, on each run, or never. @default "modified" */
      when?: "modified" | "always" | "never" | undefined;
      /** A stored version older than this is always out of date. */
      maxAge?: string | undefined;
      /** A stored version younger than this is not bought again, whatever the catalog says. It is for catalogs whose dates are those of their own build. A page that was skipped for its age is checked again by the next full walk at the latest. */
      minAge?: string | undefined;
      /** How often the catalog is read to its end. Other walks stop at the known pages. `0s`: always. @default "7d" */
      fullWalkEvery?: string | undefined;
      /** How far below the newest known page a shortened walk reads. @default "24h" */
      overlap?: string | undefined;
    } | undefined;
    /** Settings of `reporting` that differ for this site, because its agreement differs. */
    reporting?: {
      /** As `reporting.kinds`, for this site. */
      kinds?: ("fetch" | "use")[] | undefined;
      /** As `reporting.billed`, for this site. */
      billed?: ("fetch" | "use")[] | undefined;
    } | undefined;
  }[];
  /** How uses are reported to the gateway. Your agreement decides which of them cost money. */
  reporting?: {
    /** Which uses are reported: `fetch` is the use by the paid fetch itself, `use` is any later one. @default ["fetch","use"] */
    kinds?: ("fetch" | "use")[] | undefined;
    /** Which of them are charged on the report: later uses alone, since a fetch was paid when it was fetched. A kind that is not reported is not billed. Billing `fetch` here pays a fetch twice: once when it is fetched and once when it is reported. @default ["use"] */
    billed?: ("fetch" | "use")[] | undefined;
    /** Entries per report. @default 500 */
    batchSize?: number | undefined;
    /** How often reports are sent by `licet serve`. @default "5m" */
    every?: string | undefined;
    /** A report without an answer for this long is not sent again automatically, because the gateway may have forgotten its id. @default "24h" */
    window?: string | undefined;
  } | undefined;
  /** The order of each run, and its limits in addition to the budgets. The command line can override them. */
  run?: {
    /** What is bought first when money is short. Other than `catalog`, all pages are quoted first: `newest`, `cheapest`, or the most `value` for the price. @default "catalog" */
    order?: "catalog" | "newest" | "cheapest" | "value" | undefined;
    /** The most pages bought per run. */
    maxPages?: number | undefined;
    /** The most money spent and reserved per run. */
    maxSpend?: string | undefined;
    /** How long a run may take. The remaining work can be resumed. */
    maxDuration?: string | undefined;
  } | undefined;
  /** What counts as content, and the local conversion of `format: both`. */
  content?: {
    /** Threads that derive Markdown from HTML. @default 2 */
    threads?: number | undefined;
    /** HTML larger than this is stored without Markdown. @default 5000000 */
    maxInputBytes?: number | undefined;
    /** Markdown larger than this is not stored; the HTML is. @default 5000000 */
    maxOutputBytes?: number | undefined;
    /** How long the conversion of one page may take: milliseconds, or a duration such as `10s`. After that its HTML is stored without Markdown. @default 10000 */
    timeoutMs?: number | string | undefined;
    /** A paid page whose main content is shorter counts as empty. It is stored and counted, a warning is given, and a streak of such pages stops the site. @default 1 */
    minBytes?: number | undefined;
  } | undefined;
  /** The service `licet serve`. */
  serve?: {
    /** The address to listen on. Any other than loopback needs a token. @default "127.0.0.1" */
    host?: string | undefined;
    /** The port to listen on. `0`: a free one. @default 8403 */
    port?: number | undefined;
    /** Bearer token of the HTTP interface; comes from the environment, such as LICET_SERVE_TOKEN. Without it, nothing can be started or changed over HTTP. */
    token?: string | undefined;
    /** More tokens, each with a name and a right. `token` may do everything, under the name `serve.token`. @default [] */
    tokens?: {
      /** Who it is: `licet log` shows the name with what was decided. */
      name: string;
      /** The token; comes from the environment. */
      token: string;
      /** What it is for: `read` alone, or also to `act`, which starts runs, spends money and decides; or `work` alone, for `licet worker` on other machines. @default "read" */
      can?: "read" | "act" | "work" | undefined;
    }[] | undefined;
    /** The directory of the saved plans that people look at and approve, relative to the configuration file: `licet plan --out plans/NAME.jsonl`. Without it, the web interface has none. */
    plans?: string | undefined;
    /** Whether the address of a client is taken from `X-Forwarded-For`: `true` behind one proxy that sets it, or the addresses of the proxies. @default false */
    trustProxy?: boolean | string[] | undefined;
    /** How long started purchases and reports may take after SIGTERM: milliseconds, or a duration such as `30s`. @default 30000 */
    shutdownMs?: number | string | undefined;
    /** Multiplies how many batches of a run are worked on at once. The limits of `gateway` hold in any case. @default 1 */
    workers?: number | undefined;
  } | undefined;
  /** Subscriptions whose notifications `licet serve` accepts. @default [] */
  webhooks?: {
    /** Names the subscription in logs. */
    id: string;
    /** Local path that receives deliveries. */
    path: string;
    /** The delivery URL exactly as registered: the signature covers this text. */
    url: string;
    /** Signing secret; comes from the environment, such as LICET_WEBHOOK_SECRET. */
    secret: string;
    /** The gateway's address. Deliveries from any other address are refused. */
    sourceIp?: string | undefined;
    /** The gateway's user agent. Deliveries with any other user agent are refused. */
    userAgent?: string | undefined;
  }[] | undefined;
  /** The gateway's delivery records. They are read when there is a webhook. */
  history?: {
    /** How often `licet serve` reads the gateway's delivery records and admits notifications that never arrived. @default "1m" */
    every?: string | undefined;
    /** How far before the end of the last reading the next one starts. @default "1h" */
    overlap?: string | undefined;
  } | undefined;
  /** Who is told what. Each alert has one receiver: `webhook` or `exec`. @default [] */
  alerts?: {
    /** What is alerted. */
    on: ("budget_80" | "budget_exhausted" | "run_failed" | "slot_failed" | "in_doubt" | "open_item" | "gateway_away" | "waiting" | "ledger_low_disk" | {
      /** A use has waited for its report for so long. */
      unreported_for: string;
    })[];
    /** Receives each alert as a JSON document, by POST. */
    webhook?: string | undefined;
    /** What a webhook gets: `json`, the whole document, or `slack`, a text for an incoming webhook of Slack. Default: `json`. */
    form?: "json" | "slack" | undefined;
    /** Signs the document: HMAC-SHA256 of the body, in hexadecimal, in the header `X-Licet-Signature`. */
    secret?: string | undefined;
    /** A program and its arguments. Each alert is on its standard input, as a JSON document. No shell is used. */
    exec?: string[] | undefined;
  }[] | undefined;
}
