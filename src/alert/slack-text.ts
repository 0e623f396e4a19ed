import type { AlertDocument } from "./alert-document.ts";

/** An alert for an incoming webhook of Slack, or of a program that reads the same: one text, with the first command to give. */
export function toSlackMessage({
  kind,
  message,
  site,
  run,
  code,
  command,
}: Pick<AlertDocument, "kind" | "message" | "site" | "run" | "code" | "command">): { readonly text: string } {
  const about = [
    ...(site === null ? [] : [`site ${site}`]),
    ...(run === null ? [] : [`run ${run}`]),
    ...(code === null ? [] : [code]),
  ];
  const lines = [
    `*licet: ${kind}*`,
    escapeSlack(message),
    ...(about.length === 0 ? [] : [escapeSlack(about.join(", "))]),
    ...(command === null ? [] : [`First: \`${escapeSlack(command)}\``]),
  ];
  return { text: lines.join("\n") };
}

/** As Slack asks for: these three would begin a mention, a link or an entity. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
