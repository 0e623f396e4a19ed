/** Errors for people: what a program gets as a problem document, a browser that asked for a page gets as a page. */
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../time/clock.ts";
import type { ProblemPages } from "../http/problem.ts";
import { html } from "./html/html.ts";
import { type FrameContext, layout } from "./html/layout.ts";
import { sendPage } from "./page-headers.ts";
import { viewerOf } from "./session/viewer.ts";

/** What only programs ask for. A browser that is pointed there sees what a program sees. */
const FOR_PROGRAMS = /^\/(?:api|metrics|healthz|readyz)(?:[/?]|$)/;

export function createProblemPages(context: FrameContext, clock: Pick<Clock, "now">): ProblemPages {
  return {
    areFor: ({ url, headers }) => !FOR_PROGRAMS.test(url) && (headers.accept ?? "").includes("text/html"),
    send: (request, reply, { code, message, hint }) => {
      const isMissing = code === "ROUTE_NOT_FOUND";
      const body = html`<p class="problem">${isMissing ? "There is nothing at this address." : `${message}.`}</p>
${hint !== undefined && !isMissing && html`<p>${hint}</p>`}
<p><a href="/">To the overview</a></p>
<p class="quiet">Code <code>${code}</code>: docs/errors.md says more.</p>`;
      const title = isMissing ? "Not found" : "This did not work";
      sendPage(reply, layout({ ...frameOf(request), title, body, now: clock.now() }, context));
    },
  };
}

function frameOf(request: FastifyRequest) {
  return { command: null, path: "", viewer: viewerOf(request), isLive: false };
}
