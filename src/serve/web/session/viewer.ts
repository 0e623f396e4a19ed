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

const NOBODY: Viewer = { name: null, mayAct: false, formToken: null };

export function viewerOf({ tokenName }: FastifyRequest): Viewer {
  return tokenName === null ? NOBODY : { name: tokenName, mayAct: false, formToken: null };
}
