/**
 * `POST <path>` for each configured webhook. The checks are in order of what they cost, and those of the sender come before its body is
 * read: source address, user agent, signature, then size, JSON and fields. A 2xx means that the hint is on disk.
 *
 * The answers tell a stranger nothing: every refusal of a sender reads the same. The log and the metrics have the reason.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WebhookConfig } from "../../../config/config.ts";
import type { ServiceContext } from "../../service-part.ts";
import { createAdmission } from "../../webhooks/admit-notification.ts";
import { createSenderCheck } from "../../webhooks/delivery-check.ts";
import { createRefusalLog } from "../../webhooks/delivery-log.ts";
import { type DeliveryOutcome, NO_WEBHOOK } from "../../webhooks/delivery-outcomes.ts";
import { createMisdirectedCheck, loggablePath } from "../../webhooks/misdirected-delivery.ts";
import { createReceiver, type ReceiveDelivery, type Received } from "../../webhooks/receive-delivery.ts";
import { pathOf, sendBareProblem } from "../problem.ts";

/** A notification has a few hundred bytes. Its longest URL may be escaped. */
const MAX_DELIVERY_BYTES = 65_536;
/** What a sender is told to wait while the ledger cannot be written. */
const RETRY_AFTER_S = 30;
const SECOND_MS = 1000;

/** What a refusal says. A sender that is not known gets no reason. */
const REFUSALS = {
  source_address: { status: 403, detail: "the delivery is refused" },
  user_agent: { status: 403, detail: "the delivery is refused" },
  signature: { status: 401, detail: "the delivery is refused" },
  too_large: { status: 413, detail: `the body is longer than ${MAX_DELIVERY_BYTES} bytes` },
  invalid: { status: 400, detail: "the body cannot be read" },
  rate: { status: 429, detail: "too many notifications about this site; send it again later" },
  unwritable: { status: 503, detail: "the notification cannot be recorded now; send it again later" },
} as const satisfies Partial<Record<DeliveryOutcome, { status: number; detail: string }>>;
type Refusal = keyof typeof REFUSALS;

type WebhookContext = Pick<ServiceContext, "config" | "resources" | "log" | "deliveries" | "hintSignal">;
/** Counts and answers a delivery that is not taken. */
type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal, given?: Given) => FastifyReply;

interface Given {
  readonly detail?: string;
  readonly retryAfterS?: number;
}

/** Answers and counts deliveries to a path that is nearly that of a webhook. Must be added before the check of tokens, which they do not have. */
export function addMisdirectedDeliveries(
  app: FastifyInstance,
  { config, resources, log, deliveries }: Pick<WebhookContext, "config" | "resources" | "log" | "deliveries">,
): void {
  const find = createMisdirectedCheck(config.webhooks);
  const logRefusal = createRefusalLog(log, resources.clock);
  app.addHook("onRequest", async (request, reply) => {
    const { method, headers, is404, ip: address } = request;
    const path = pathOf(request);
    const misdirected = is404 ? find({ method, path, authorization: headers.authorization }) : null;
    if (misdirected === null) {
      return;
    }
    const webhook = misdirected.webhook?.id ?? NO_WEBHOOK;
    const expected = misdirected.webhook?.path ?? null;
    deliveries.count(webhook, "unknown_path");
    logRefusal({ webhook, address, outcome: "unknown_path", misdirected: { path: loggablePath(path), expected } });
    return sendBareProblem(reply, 404, "no webhook has this path");
  });
}

export function addWebhookRoutes(app: FastifyInstance, context: WebhookContext): void {
  const { config, resources, deliveries, hintSignal } = context;
  const receive = createReceiver({
    ledger: () => resources.ledger("create"),
    clock: resources.clock,
    admit: createAdmission(config.sites),
    onHint: hintSignal.wake,
  });
  const logRefusal = createRefusalLog(context.log, resources.clock);
  for (const webhook of config.webhooks) {
    const refuse: Refuse = (request, reply, refusal, given = {}) => {
      deliveries.count(webhook.id, refusal);
      logRefusal({ webhook: webhook.id, address: request.ip, outcome: refusal });
      return sendRefusal(reply, refusal, given);
    };
    app.register(async (scope) => addWebhook(scope, webhook, { ...context, receive, refuse }));
  }
}

interface RouteDeps extends WebhookContext {
  readonly receive: ReceiveDelivery;
  readonly refuse: Refuse;
}

/** A scope of its own: its parser and its errors are not those of the other routes. */
function addWebhook(scope: FastifyInstance, webhook: WebhookConfig, deps: RouteDeps): void {
  const faultOf = createSenderCheck(webhook);
  const { refuse } = deps;
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_DELIVERY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.statusCode === undefined || error.statusCode >= 500) {
      throw error;
    }
    return refuse(request, reply, error.statusCode === 413 ? "too_large" : "invalid");
  });
  scope.addHook("onRequest", async (request, reply) => {
    const { authorization, "user-agent": userAgent } = request.headers;
    const fault = faultOf({ address: request.ip, userAgent, authorization });
    if (fault !== null) {
      return refuse(request, reply, fault);
    }
    // Whatever the sender calls it, the body is read as JSON: fastify would refuse a type that it cannot parse.
    request.headers = { "content-type": "application/json" };
  });
  scope.post(webhook.path, async (request, reply) => {
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const received = await deps.receive(body, webhook.id);
    return answer(request, reply, received, webhook, deps);
  });
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  received: Received,
  webhook: WebhookConfig,
  { refuse, deliveries, log }: RouteDeps,
): FastifyReply {
  switch (received.outcome) {
    case "invalid":
      return refuse(request, reply, "invalid", { detail: received.detail });
    case "rate":
      return refuse(request, reply, "rate", { retryAfterS: Math.ceil(received.retryAfterMs / SECOND_MS) });
    case "unwritable":
      log.debug("a notification could not be recorded", { webhook: webhook.id, code: received.error.code });
      return refuse(request, reply, "unwritable", { retryAfterS: RETRY_AFTER_S });
    default:
      deliveries.count(webhook.id, received.outcome);
      // The same for each delivery that is taken: a stranger with one signature learns nothing by sending it again.
      return reply.send({ status: "accepted" });
  }
}

function sendRefusal(reply: FastifyReply, refusal: Refusal, { detail, retryAfterS }: Given): FastifyReply {
  const { status, detail: always } = REFUSALS[refusal];
  if (retryAfterS !== undefined) {
    reply.header("retry-after", String(retryAfterS));
  }
  return sendBareProblem(reply, status, detail ?? always);
}
