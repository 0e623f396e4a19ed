import { expect, it } from "vitest";
import { toSlackMessage } from "../../../src/alert/slack-text.ts";

it("says in one text what happened, to what, why, and the first command", () => {
  const alert = {
    kind: "run_failed",
    message: "run run_1 failed",
    site: "news.example",
    run: "run_1",
    code: "DISK_FULL",
    command: "licet runs run_1",
  } as const;
  expect(toSlackMessage(alert)).toEqual({
    text: "*licet: run_failed*\nrun run_1 failed\nsite news.example, run run_1, DISK_FULL\nFirst: `licet runs run_1`",
  });
});

it("mentions nobody and links nothing, whatever an alert says", () => {
  const about = { site: null, run: null, code: null, command: null };
  expect(toSlackMessage({ kind: "open_item", message: "<!channel> & <https://evil.example|here>", ...about })).toEqual({
    text: "*licet: open_item*\n&lt;!channel&gt; &amp; &lt;https://evil.example|here&gt;",
  });
});
