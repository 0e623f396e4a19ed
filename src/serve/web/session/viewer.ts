/** Who looks at a page. */
import type { FastifyRequest } from "fastify";

export interface Viewer {
  /** The name of the token that the person logged in with. Null: nobody logged in, and the page is read on the machine itself. */
  readonly name: string | null;
  /** Whether the token may act. Otherwise pages show no action. */
  readonly mayAct: boolean;
  /** Stands in each form (`formFields`): a form without it was not made for this session. Null: there is no session, and no form. */
  readonly formToken: string | null;
}

export function viewerOf({ session, tokenName }: FastifyRequest): Viewer {
  return session === null
    ? { name: tokenName, mayAct: false, formToken: null }
    : { name: session.name, mayAct: session.can === "act", formToken: session.formToken };
}
