/** Errors for people: what a program gets as a problem document, a browser that asked for a page gets as a page. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../time/clock.ts";
import { isAction } from "../http/access.ts";
import type { ProblemPages } from "../http/problem.ts";
import { html } from "./html/html.ts";
import { type FrameContext, layout } from "./html/layout.ts";
import { query } from "./html/values.ts";
import { sendPage } from "./page-headers.ts";
import { LOGIN_PATH } from "./session/login.ts";
import { viewerOf } from "./session/viewer.ts";

/** What only programs ask for. A browser that is pointed there sees what a program sees. */
const FOR_PROGRAMS = /^\/(?:api|metrics|healthz|readyz)(?:[/?]|$)/;

/** Hints that name a route of the API. */
const FOR_WHO_WRITES_PROGRAMS = /^(?:GET|POST) \/api/;

export function createProblemPages(context: FrameContext, clock: Pick<Clock, "now">): ProblemPages {
  return {
    areFor: ({ url, headers }) => !FOR_PROGRAMS.test(url) && (headers.accept ?? "").includes("text/html"),
    send: (request, reply, { code, message, hint }) => {
      if (code === "TOKEN_REQUIRED" && !isAction(request.method)) {
        toLogin(request, reply);
        return;
      }
      const isMissing = code === "ROUTE_NOT_FOUND";
      const body = html`<p class="problem">${isMissing ? "There is nothing at this address." : sentence(message)}</p>
${hint !== undefined && !isMissing && html`<p>${FOR_WHO_WRITES_PROGRAMS.test(hint) ? "Go back, and ask for something else." : withCode(hint)}</p>`}
<p><a href="/">To the overview</a></p>
<p class="quiet">Code <code>${code}</code>: docs/errors.md says more.</p>`;
      const title = isMissing ? "Not found" : "This did not work";
      sendPage(reply, layout({ ...frameOf(request), title, body, now: clock.now() }, context));
    },
  };
}

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

/** Hints name commands between backticks. */
const withCode = (hint: string) =>
  hint.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));

/**
 * A browser does not send the cookie with the first request after a link of another site. So the page is asked for once more, by a page of this
 * service, before the person has to log in.
 */
function toLogin(request: FastifyRequest, reply: FastifyReply): void {
  const site = request.headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") {
    sendPage(
      reply.code(200),
      html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>licet</title><meta http-equiv="refresh" content="0"></head>
<body><p><a href="${request.url}">Go on to the page</a></p></body>
</html>
`,
    );
    return;
  }
  reply.redirect(`${LOGIN_PATH}${query({ next: request.url })}`, 303);
}

function frameOf(request: FastifyRequest) {
  return { commands: [], path: "", viewer: viewerOf(request), isLive: false };
}
