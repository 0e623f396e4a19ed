/** Every command, in the order of the help, with what it takes and does: the help of all commands loads none of them. */
import type { CliCommand } from "./cli-command.ts";

export interface ListedCommand {
  /** Its arguments, as the help names them. @default it takes none */
  readonly takes?: string;
  readonly says: string;
  /** What declares its arguments, its options and its work. Loading all of them takes longer than a short command. */
  readonly load: () => Promise<(command: CliCommand) => void>;
}

export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  init: {
    takes: "[dir]",
    says: "write a commented licet.config.yaml, .env.example and .gitignore",
    load: async () => (await import("./commands/init.ts")).declareInit,
  },
  check: {
    says: "validate the configuration, run the tests of its policies, try gateway, queue and ledger, and list each problem with its remedy",
    load: async () => (await import("./commands/check.ts")).declareCheck,
  },
  plan: {
    takes: "[host...]",
    says: "walk, quote and decide: what would be bought, why the rest would not, and what it costs; spends nothing",
    load: async () => (await import("./commands/plan.ts")).declarePlan,
  },
  plans: {
    takes: "[name]",
    says: "the saved plans of serve.plans: what each may cost, whether it can be bought, who approved it; or one",
    load: async () => (await import("./commands/plans.ts")).declarePlans,
  },
  run: {
    takes: "[host...]",
    says: "the main job: walk, quote, decide, buy, store, report; can be killed at any time and resumed",
    load: async () => (await import("./commands/run.ts")).declareRun,
  },
  fetch: {
    takes: "[url...]",
    says: "one or a few pages now: from the ledger where they are held, else bought under the same rules",
    load: async () => (await import("./commands/fetch.ts")).declareFetch,
  },
  cancel: {
    takes: "<run>",
    says: "end a run for good: release reserved pages and probe started ones",
    load: async () => (await import("./commands/cancel.ts")).declareCancel,
  },
  report: {
    says: "report uses that are not reported yet; each use is reported once, even if you call this again",
    load: async () => (await import("./commands/report.ts")).declareReport,
  },
  use: {
    takes: "[url]",
    says: "record uses of stored pages; the next run or `licet report` reports them",
    load: async () => (await import("./commands/use.ts")).declareUse,
  },
  status: {
    takes: "[run]",
    says: "today, what budgets have left, runs, spend, pending usage, purchases in doubt; or one run",
    load: async () => (await import("./commands/status.ts")).declareStatus,
  },
  runs: {
    takes: "[run]",
    says: "the runs, the newest first; or what one run bought and denied, and what each site cost",
    load: async () => (await import("./commands/runs.ts")).declareRuns,
  },
  reports: {
    takes: "[report]",
    says: "the usage reports, the newest first; or one of them, with the receipts that were not as expected",
    load: async () => (await import("./commands/reports.ts")).declareReports,
  },
  schedule: {
    says: "the next slots of each schedule, and the last ones with what came of them",
    load: async () => (await import("./commands/schedule.ts")).declareSchedule,
  },
  explain: {
    takes: "<url>",
    says: "whether the next run would buy a page, and why: its rates, each rule's verdict, the budgets, and what the ledger contains",
    load: async () => (await import("./commands/explain.ts")).declareExplain,
  },
  evidence: {
    takes: "[url|hash]",
    says: "what was bought of a page or with a hash: versions, licence, rule, price, receipts, uses, rights, purge; needs no secret",
    load: async () => (await import("./commands/evidence.ts")).declareEvidence,
  },
  log: {
    says: "who decided what, the newest first: doubts resolved, items closed, content purged, runs stopped",
    load: async () => (await import("./commands/log.ts")).declareLog,
  },
  audit: {
    says: "recompute every balance from the rows and list each violated promise; exit 1 if there is any",
    load: async () => (await import("./commands/audit.ts")).declareAudit,
  },
  resolve: {
    takes: "[id]",
    says: "resolve a purchase in doubt, a report without an answer, or an open item by hand",
    load: async () => (await import("./commands/resolve.ts")).declareResolve,
  },
  pause: {
    takes: "<host>",
    says: "buy nothing from a site, in any run, until the pause ends; what was sent is waited for",
    load: async () => (await import("./commands/pause.ts")).declarePause,
  },
  export: {
    says: "write the stored pages with their licence, price, dates and content hash",
    load: async () => (await import("./commands/export.ts")).declareExport,
  },
  documents: {
    takes: "[id]",
    says: "looks for stored documents by address, title, site, licence or hash; or the evidence of one",
    load: async () => (await import("./commands/documents.ts")).declareDocuments,
  },
  rights: {
    says: "when the rights to stored pages end, day by day, and what happens then",
    load: async () => (await import("./commands/rights.ts")).declareRights,
  },
  sites: {
    takes: "[host]",
    says: "the sites: state, stop, last run, stored pages, spend, next slot; or one of them",
    load: async () => (await import("./commands/sites.ts")).declareSites,
  },
  denials: {
    says: "why pages were not bought, by reason and rule: of a run, a site, some days",
    load: async () => (await import("./commands/denials.ts")).declareDenials,
  },
  spend: {
    says: "what each of some UTC days cost, over all sites and by site, as budgets per day count it",
    load: async () => (await import("./commands/spend.ts")).declareSpend,
  },
  statement: {
    says: "what a month or some days cost and used, for finance: charges, fees, uses, doubts and corrections; a month that has ended does not change",
    load: async () => (await import("./commands/statement.ts")).declareStatement,
  },
  backup: {
    takes: "<file>",
    says: "copy the ledger into one file, also while a run or the service works, and audit the copy",
    load: async () => (await import("./commands/backup.ts")).declareBackup,
  },
  restore: {
    takes: "[file]",
    says: "put a copy in the place of the ledger; it buys and reports nothing until it is accepted",
    load: async () => (await import("./commands/restore.ts")).declareRestore,
  },
  purge: {
    takes: "[host...]",
    says: "remove content whose rights ended under onExpiry: purge; its hash, licence, price and uses stay as evidence",
    load: async () => (await import("./commands/purge.ts")).declarePurge,
  },
  alerts: {
    says: "who is told what (alerts), and whether each receiver takes a test",
    load: async () => (await import("./commands/alerts.ts")).declareAlerts,
  },
  prune: {
    says: "delete old denials, and old runs that bought nothing; facts are never deleted, and the audit stays clean",
    load: async () => (await import("./commands/prune.ts")).declarePrune,
  },
  history: {
    says: "the gateway's webhook delivery records",
    load: async () => (await import("./commands/history.ts")).declareHistory,
  },
  serve: {
    says: "the long-running service: schedules, webhooks, reports by the clock, an HTTP interface",
    load: async () => (await import("./commands/serve.ts")).declareServe,
  },
  worker: {
    says: "works on the runs of a service, from another machine",
    load: async () => (await import("./commands/worker.ts")).declareWorker,
  },
  mcp: {
    says: "quote, fetch, explain and spend as tools for an agent (Model Context Protocol over stdin and stdout)",
    load: async () => (await import("./commands/mcp.ts")).declareMcp,
  },
  sandbox: {
    says: "a complete local gateway with its own account, for trials",
    load: async () => (await import("./commands/sandbox.ts")).declareSandbox,
  },
  completion: {
    takes: "<shell>",
    says: "print a script that completes commands and options in a shell",
    load: async () => (await import("./commands/completion.ts")).declareCompletion,
  },
};
