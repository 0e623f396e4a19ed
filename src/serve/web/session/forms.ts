/** Forms: how they are read, and how it is known that a form was made for the session that sends it. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { LicetError } from "../../../errors.ts";
import { isAction } from "../../http/access.ts";
import { type Html, html } from "../html/html.ts";
import { isSame } from "./session.ts";
import type { Viewer } from "./viewer.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";
const MAX_FORM_BYTES = 65_536;
const FIELD = "form";

/** The fields of a form, by their names. A field that comes twice counts as its last. */
export type FormFields = Readonly<Record<string, string>>;

/** Stands in each form that changes something. */
export function formFields({ formToken }: Viewer): Html {
  return html`<input type="hidden" name="${FIELD}" value="${formToken ?? ""}">`;
}

/** The routes of pages take forms and nothing else, and each form is checked before its route sees it. Must be called before any of them is added. */
export function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM_TYPE, { parseAs: "string", bodyLimit: MAX_FORM_BYTES }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, takesForms: true };
  });
  app.addHook("preHandler", async (request) => {
    if (isAction(request.method) && request.routeOptions.config.isOpen !== true) {
      checkForm(request);
    }
  });
}

/** @throws LicetError FORM_REFUSED for a form that was not made for this session */
export function checkForm({ body, session }: Pick<FastifyRequest, "body" | "session">): void {
  const given = (body as FormFields | null)?.[FIELD] ?? "";
  if (session === null || !isSame(given, session.formToken)) {
    throw new LicetError("FORM_REFUSED", "the form was not made for this session", {
      hint: "You logged in or out since the page was loaded. Load the page again, and send the form then.",
    });
  }
}
