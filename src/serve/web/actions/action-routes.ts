/** The routes of actions: GET shows what an action does and asks why, POST does it once and leads to what came of it. */
import { hash, randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { reason } from "../../../agent/calls/fields.ts";
import { LicetError } from "../../../errors.ts";
import { checkRequestPart } from "../../api/request-check.ts";
import type { ServiceContext } from "../../service-part.ts";
import { type Html, html } from "../html/html.ts";
import { type FrameContext, layout } from "../html/layout.ts";
import { link } from "../html/values.ts";
import { sendPage } from "../page-headers.ts";
import type { PageReadings } from "../page-readings.ts";
import { readPage, toRouteSchema } from "../read-page.ts";
import { type FormFields, formFields } from "../session/forms.ts";
import { type Viewer, viewerOf } from "../session/viewer.ts";
import type { Action } from "./action.ts";
import { ACTIONS } from "./all-actions.ts";
import { createDoOnce, type DoOnce } from "./once.ts";

const KEY_BYTES = 16;
const KEY = /^[0-9a-f]{32}$/;

interface Deps {
  readonly context: ServiceContext;
  readonly frame: FrameContext;
  readonly readings: PageReadings;
}

export function addActions(app: FastifyInstance, deps: Deps): void {
  const doOnce = createDoOnce(() => deps.context.resources.ledger("existing"));
  for (const action of ACTIONS) {
    addAction(app, action, { ...deps, doOnce });
  }
}

function addAction(
  app: FastifyInstance,
  action: Action,
  { context, frame, readings, doOnce }: Deps & { readonly doOnce: DoOnce },
): void {
  const schema = toRouteSchema(action.input);
  app.get(action.path, { schema }, async (request, reply) => {
    const viewer = viewerOf(request);
    if (!viewer.mayAct) {
      throw readOnly(viewer.name);
    }
    const asked = askedOf(request);
    const report = await readPage(action, context, asked, (work) => readings.readForAction(request.tokenName, work));
    const idle = action.idle?.(report, asked) ?? null;
    const body = html`${action.body(report, asked)}
${idle === null ? formOf(action, request.url, viewer) : html`<p class="note">${idle}</p>`}
<p>${link(action.next(asked, null), "Back, and do nothing")}</p>`;
    const now = context.resources.clock.now();
    const title = action.title(asked);
    const commands = [action.command(asked)];
    return sendPage(reply, layout({ title, body, commands, path: action.path, viewer, now, isLive: false }, frame));
  });
  app.post(action.path, { schema }, async (request, reply) => {
    const { form: _form, key = "", reason: why = "", ...given } = request.body as FormFields;
    if (!KEY.test(key)) {
      throw invalid("the form has no key");
    }
    if (reason.check(why.trim()) !== null) {
      throw invalid("a reason must be given: it is kept with the decision");
    }
    const asked = askedOf(request);
    const fields = checkFields(action, given);
    // The same key in the form of another action, or of another thing, is another request.
    const requestKey = hash("sha256", action.onceFor?.(asked) ?? `${request.url}\n${key}`);
    const acting = { by: request.tokenName ?? "", reason: why.trim(), requestKey };
    const act = await doOnce(requestKey, () => action.work(context, { asked, fields, acting }));
    return reply.redirect(action.next(asked, act), 303);
  });
}

function formOf(action: Action, to: string, viewer: Viewer): Html {
  const key = randomBytes(KEY_BYTES).toString("hex");
  return html`<form class="stack" method="post" action="${to}">
${formFields(viewer)}<input type="hidden" name="key" value="${key}">
${fieldsOf(action)}
<div><label for="reason">Why? It is kept with the decision, and everybody can read it in the log.</label>
<textarea id="reason" name="reason" rows="3" cols="60" maxlength="2000" required></textarea></div>
<p>It is written under the name of your token: <strong>${viewer.name}</strong>.</p>
<button class="${action.isFinal ? "danger" : "main"}">${action.button}</button>
</form>`;
}

const askedOf = ({ params, query }: FastifyRequest) => ({ params, query });

/** One choice or text a field, by its schema. */
function fieldsOf({ fields }: Action) {
  return Object.entries(fields.shape).map(([name, schema]) => {
    const { description = name, enum: words } = schema.toJSONSchema({ io: "input" }) as {
      description?: string;
      enum?: readonly string[];
    };
    return words === undefined
      ? html`<div><label for="${name}">${description}</label><input id="${name}" name="${name}"></div>`
      : html`<fieldset><legend>${description}</legend>
${words.map((word) => html`<div><label><input type="radio" name="${name}" value="${word}" required> ${word.replaceAll("_", " ")}</label></div>`)}</fieldset>`;
  });
}

/** @throws LicetError REQUEST_INVALID */
function checkFields({ fields, path }: Action, given: FormFields): unknown {
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  const check = checkRequestPart({ schema: fields, httpPart: "form", method: "POST", url: path });
  const result = check(filled) as { readonly value?: unknown; readonly error?: Error };
  if (result.error !== undefined) {
    throw result.error;
  }
  return result.value;
}

function invalid(message: string): LicetError {
  return new LicetError("REQUEST_INVALID", message, { hint: "Go back, load the page again, and send the form then." });
}

function readOnly(name: string | null): LicetError {
  return new LicetError(
    "TOKEN_READ_ONLY",
    `${name === null ? "nobody is logged in" : `the token ${name} may only read`}, and this page acts`,
    {
      hint: "Log in with a token that may act (can: act).",
    },
  );
}
