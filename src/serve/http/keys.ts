/** What lets a request in: the tokens of the configuration, and the sessions that browsers have for them. */
import type { ServiceContext } from "../service-part.ts";
import { createSessions, type Sessions } from "../web/session/session.ts";
import { createTokens, type Tokens } from "./tokens.ts";
import { createWrongTokens, type WrongTokens } from "./wrong-tokens.ts";

export interface Keys {
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly wrongTokens: WrongTokens;
}

interface KeysContext extends Pick<ServiceContext, "config" | "log"> {
  readonly resources: Pick<ServiceContext["resources"], "clock">;
}

export function createKeys({ config, log, resources: { clock } }: KeysContext): Keys {
  const tokens = createTokens(config.serve);
  return { tokens, sessions: createSessions(tokens, clock.now), wrongTokens: createWrongTokens(log, clock) };
}
