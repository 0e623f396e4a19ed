/** Logging in swaps a token for a session, and logging out forgets the session. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Clock } from "../../../time/clock.ts";
import type { Keys } from "../../http/keys.ts";
import { html } from "../html/html.ts";
import { type FrameContext, layout } from "../html/layout.ts";
import { sendPage } from "../page-headers.ts";
import { checkForm, type FormFields } from "./forms.ts";
import { toSetCookie } from "./session-cookie.ts";
import { viewerOf } from "./viewer.ts";

export const LOGIN_PATH = "/login";
const HOME = "/";
const loginQuery = z.object({ next: z.string().optional() });

interface LoginDeps extends Keys {
  readonly clock: Pick<Clock, "now">;
  readonly frame: FrameContext;
}

export function addLogin(app: FastifyInstance, { tokens, sessions, wrongTokens, clock, frame }: LoginDeps): void {
  const show = (request: FastifyRequest, reply: FastifyReply, next: string, problem: string | null) => {
    const body = tokens.count === 0 ? NO_TOKEN : loginForm(next, problem);
    const viewer = viewerOf(request);
    const shown = { title: "Log in", body, commands: [], path: LOGIN_PATH, viewer, now: clock.now(), isLive: false };
    return sendPage(reply, layout(shown, frame));
  };
  app.get(LOGIN_PATH, { config: { isOpen: true }, schema: { querystring: loginQuery } }, async (request, reply) =>
    show(request, reply, toNext((request.query as z.output<typeof loginQuery>).next), null),
  );
  app.post(LOGIN_PATH, { config: { isOpen: true } }, async (request, reply) => {
    const { token = "", next } = (request.body ?? {}) as FormFields;
    const found = tokens.find(Buffer.from(token.trim(), "utf8"));
    if (found === null) {
      wrongTokens.count(request.ip);
      await wrongTokens.slowDown();
      return show(request, reply.code(401), toNext(next), "This is not a token of the service.");
    }
    // A session is always a new one, so nobody can have chosen it before.
    return reply.header("set-cookie", toSetCookie(request, sessions.begin(found))).redirect(toNext(next), 303);
  });
  // Whoever may only read may log out too.
  app.post("/logout", { config: { isOpen: true } }, async (request, reply) => {
    checkForm(request);
    return reply.header("set-cookie", toSetCookie(request, "")).redirect(LOGIN_PATH, 303);
  });
}

const NO_TOKEN = html`<p class="note">No token is configured, so nobody can log in. On this machine, every page can be read without one. To act, set
<code>serve.token</code> or <code>serve.tokens</code> in the configuration, and start the service again.</p>`;

const loginForm = (next: string, problem: string | null) => html`
${problem !== null && html`<p class="problem" role="alert">${problem}</p>`}
<form class="stack" method="post" action="${LOGIN_PATH}">
<input type="hidden" name="next" value="${next}">
<div><label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus size="40"></div>
<button class="main">Log in</button>
</form>
<p>The token is <code>serve.token</code>, or one of <code>serve.tokens</code>, of the configuration. A token that may only read shows every page and no
action. The browser keeps a cookie for seven days, and not the token.</p>`;

/** Where to go after the login: an address of this service, and nothing else. */
function toNext(given: string | undefined): string {
  const base = "http://service.invalid";
  const url = given === undefined ? null : URL.parse(given, base);
  const isHere = url !== null && url.origin === base && given?.startsWith("/") === true;
  return isHere && url.pathname !== LOGIN_PATH && !url.pathname.startsWith("//")
    ? `${url.pathname}${url.search}`
    : HOME;
}
