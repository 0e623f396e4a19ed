/** Headers of pages. What every answer has is in http/safety-headers.ts; a page may load its own style, script, icon and data, and nothing else. */
import type { FastifyReply } from "fastify";
import type { Html } from "./html/html.ts";

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function sendPage(reply: FastifyReply, page: Html): FastifyReply {
  return reply
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cross-origin-opener-policy": "same-origin",
      // Without a referrer of their own, forms would be sent with the origin `null`, and refused.
      "referrer-policy": "same-origin",
    })
    .send(String(page));
}
