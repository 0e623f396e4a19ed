import { LicetError } from "../errors.ts";

/** A port that `fetch` refuses, whatever listens there, is not an outage: it would be tried again for ever. @throws LicetError USAGE_INVALID */
export async function requireOpenPort(url: string): Promise<void> {
  let isAsked = false;
  // Sends nothing. Which ports do not come this far is told by the `fetch` of this Node, so that no list of them is kept here.
  const dispatcher = {
    dispatch: () => {
      isAsked = true;
      throw new Error("not sent");
    },
  };
  await fetch(url, { dispatcher } as object).catch(() => {});
  if (!isAsked) {
    throw new LicetError(
      "USAGE_INVALID",
      `--serve names the port ${new URL(url).port}, to which fetch and browsers never connect`,
      {
        hint: "Such ports belong to other protocols (https://fetch.spec.whatwg.org/#port-blocking). Give the service another `serve.port`, or a proxy in front of it.",
      },
    );
  }
}
