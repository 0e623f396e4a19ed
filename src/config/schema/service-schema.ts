/** The sections that only the service and its alerts use: `serve`, `webhooks`, `history` and `alerts`, and the schedule of a site. */
import { isIP } from "node:net";
import { z } from "zod";
import { ALERT_KINDS, type AlertEvent } from "../../alert/alert.ts";
import { MISFIRES } from "../../schedule/misfire.ts";
import {
  cronText,
  durationMs,
  durationText,
  headerText,
  httpUrlText,
  orNull,
  patternText,
  timeZoneText,
} from "./text-formats.ts";

const MAX_WEBHOOKS = 1000;
const MAX_ALERTS = 100;
const MAX_WORKERS = 64;
const MAX_TOKENS = 100;
const MAX_PORT = 65_535;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** What a token of the service may do. */
export const TOKEN_RIGHTS = ["read", "act", "work"] as const;

/** The forms in which a webhook gets an alert. */
const ALERT_FORMS = ["json", "slack"] as const;

export const scheduleSchema = z
  .union([
    cronText(),
    z.strictObject({
      cron: cronText().describe("When a run starts: five fields, or six with seconds first."),
      timeZone: timeZoneText().default("UTC").describe("The time zone of the expression, such as `Europe/Berlin`."),
      misfire: z
        .enum(MISFIRES)
        .default("once")
        .describe("Slots that came while no service was running: `once` starts one run for all of them, `skip` none."),
    }),
  ])
  .transform((schedule) =>
    typeof schedule === "string" ? { cron: schedule, timeZone: "UTC", misfire: "once" as const } : schedule,
  )
  .describe("When `licet serve` starts a run: a cron expression in UTC, or an object with a time zone.");

const address = () =>
  z
    .string()
    .refine(
      (text) => isIP(text.replace(/\/\d{1,3}$/, "")) !== 0,
      "is not an IP address, and not a network such as 10.0.0.0/8",
    );

export const serveSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe("The address to listen on. Any other than loopback needs a token."),
    port: z.int().min(0).max(MAX_PORT).default(8403).describe("The port to listen on. `0`: a free one."),
    token: orNull(z.string().min(1)).describe(
      "Bearer token of the HTTP interface; comes from the environment, such as LICET_SERVE_TOKEN. Without it, nothing can be started or changed over HTTP.",
    ),
    tokens: z
      .array(
        z.strictObject({
          name: patternText(/^[\w.@-]{1,64}$/, "is not a name: letters, digits, and . _ @ -", ["finance"]).describe(
            "Who it is: `licet log` shows the name with what was decided.",
          ),
          token: z.string().min(1).describe("The token; comes from the environment."),
          can: z
            .enum(TOKEN_RIGHTS)
            .default("read")
            .describe(
              "What it is for: `read` alone, or also to `act`, which starts runs, spends money and decides; or `work` alone, for `licet worker` on other machines.",
            ),
        }),
      )
      .max(MAX_TOKENS)
      .prefault([])
      .describe("More tokens, each with a name and a right. `token` may do everything, under the name `serve.token`."),
    plans: orNull(z.string().min(1)).describe(
      "The directory of the saved plans that people look at and approve, relative to the configuration file: `licet plan --out plans/NAME.jsonl`. Without it, the web interface has none.",
    ),
    trustProxy: z
      .union([z.boolean(), z.array(address()).min(1)])
      .default(false)
      .describe(
        "Whether the address of a client is taken from `X-Forwarded-For`: `true` behind one proxy that sets it, or the addresses of the proxies.",
      ),
    shutdownMs: durationMs(SECOND_MS)
      .prefault(30_000)
      .describe(
        "How long started purchases and reports may take after SIGTERM: milliseconds, or a duration such as `30s`.",
      ),
    workers: z
      .int()
      .min(1)
      .max(MAX_WORKERS)
      .default(1)
      .describe(
        "Multiplies how many batches of a run are worked on at once. The limits of `gateway` hold in any case.",
      ),
  })
  .prefault({})
  .describe("The service `licet serve`.");

const webhookSchema = z.strictObject({
  id: patternText(/^[\w.-]{1,64}$/, "is not an id: letters, digits, hyphens, dots").describe(
    "Names the subscription in logs.",
  ),
  path: patternText(/^\/[\w.~@=+/-]*$/, "is not a path: start it with /, and use letters, digits and . _ ~ @ = + -", [
    "/webhooks/main",
  ]).describe("Local path that receives deliveries."),
  url: httpUrlText().describe("The delivery URL exactly as registered: the signature covers this text."),
  secret: z.string().min(1).describe("Signing secret; comes from the environment, such as LICET_WEBHOOK_SECRET."),
  sourceIp: orNull(z.string().refine((text) => isIP(text) !== 0, "is not an IP address")).describe(
    "The gateway's address. Deliveries from any other address are refused.",
  ),
  userAgent: orNull(headerText()).describe(
    "The gateway's user agent. Deliveries with any other user agent are refused.",
  ),
});

export const webhooksSchema = z
  .array(webhookSchema)
  .max(MAX_WEBHOOKS)
  .prefault([])
  .describe("Subscriptions whose notifications `licet serve` accepts.");

export const historySchema = z
  .strictObject({
    every: durationText(SECOND_MS)
      .prefault("1m")
      .describe(
        "How often `licet serve` reads the gateway's delivery records and admits notifications that never arrived.",
      ),
    overlap: durationText(MINUTE_MS)
      .prefault("1h")
      .describe("How far before the end of the last reading the next one starts."),
  })
  .transform(({ every, overlap }) => ({ everyMs: every, overlapMs: overlap }))
  .prefault({})
  .describe("The gateway's delivery records. They are read when there is a webhook.");

const alertEvent = z.union([
  // `unreported_for` has a duration and is an object of its own.
  z.enum(ALERT_KINDS).exclude(["unreported_for"]),
  z.strictObject({
    unreported_for: durationText(SECOND_MS).describe("A use has waited for its report for so long."),
  }),
]);

const alertSchema = z
  .strictObject({
    on: z.array(alertEvent).min(1).describe("What is alerted."),
    webhook: httpUrlText().optional().describe("Receives each alert as a JSON document, by POST."),
    form: z
      .enum(ALERT_FORMS)
      .optional()
      .describe(
        "What a webhook gets: `json`, the whole document, or `slack`, a text for an incoming webhook of Slack. Default: `json`.",
      ),
    secret: z
      .string()
      .min(1)
      .optional()
      .describe("Signs the document: HMAC-SHA256 of the body, in hexadecimal, in the header `X-Licet-Signature`."),
    exec: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        "A program and its arguments. Each alert is on its standard input, as a JSON document. No shell is used.",
      ),
  })
  .transform(({ on, webhook, form = "json", secret = null, exec = [] }) => {
    const durations = on.flatMap((event) => (typeof event === "string" ? [] : [event.unreported_for]));
    return {
      on: [...new Set(on.filter((event): event is AlertEvent => typeof event === "string"))],
      unreportedForMs: durations.length === 0 ? null : Math.min(...durations),
      // That there is one receiver is checked in service-checks.ts.
      to:
        webhook === undefined
          ? ({ kind: "exec", command: exec } as const)
          : ({ kind: "webhook", url: webhook, form, secret } as const),
    };
  });

export const alertsSchema = z
  .array(alertSchema)
  .max(MAX_ALERTS)
  .prefault([])
  .describe("Who is told what. Each alert has one receiver: `webhook` or `exec`.");
