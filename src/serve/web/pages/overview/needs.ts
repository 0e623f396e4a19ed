/** What needs a person, the most urgent first: each with how it stands and where to go on. */
import type { PlanList } from "../../../../agent/plans/plan-list.ts";
import type { StatusReport } from "../../../../agent/reports/status-report.ts";
import type { DependencyState } from "../../../process/readiness.ts";
import { type Html, type HtmlValue, html } from "../../html/html.ts";
import { address, badge, counted, foreign, instant, link } from "../../html/values.ts";

interface Need {
  readonly tone: "bad" | "caution";
  /** In a word or two. */
  readonly what: string;
  readonly said: HtmlValue;
}

export function showNeeds(status: StatusReport, plans: PlanList, dependencies: readonly DependencyState[]): Html {
  const needs = [...toFailures(dependencies), ...toNeeds(status), ...toApprovals(plans)];
  return needs.length === 0
    ? html`<p class="note">${badge("nothing", "good")} Nothing needs a person now.</p>`
    : html`<ul class="needs">${needs.map(({ tone, what, said }) => html`<li>${badge(what, tone)} ${said}</li>`)}</ul>`;
}

/** What this process has found when it last looked. */
function toFailures(dependencies: readonly DependencyState[]): readonly Need[] {
  return dependencies
    .filter(({ ok }) => !ok)
    .map(({ name, detail, hint }) => ({
      tone: "bad",
      what: `${name} fails`,
      said: html`${foreign(detail)}${hint !== null && html` ${hint}`}`,
    }));
}

function toNeeds({ copy, totals, openItems, usage, alerts, budgetWarnings, paused }: StatusReport): readonly Need[] {
  const stops = openItems.filter(({ host }) => host !== null);
  const givenUp = alerts.undelivered.filter(({ state }) => state === "given_up");
  return [
    ...when(copy !== null && copy.acceptedAt === null, {
      tone: "bad",
      what: "restored copy",
      said: html`This ledger is a copy that nobody has accepted: it buys nothing. <code>licet restore --accept</code> says what to check.`,
    }),
    ...stops.map(
      ({ host, detail, at }): Need => ({
        tone: "bad",
        what: "site stopped",
        said: html`${siteLink(host ?? "")} since ${instant(at)}: ${foreign(detail)}`,
      }),
    ),
    ...when(totals.inDoubt > 0, {
      tone: "bad",
      what: "doubts",
      said: html`${link("/doubts", counted(totals.inDoubt, "purchase in doubt", "purchases in doubt"))}: perhaps charged, and without content.
Say of each whether it was charged.`,
    }),
    ...when(usage.needsReconcile > 0, {
      tone: "bad",
      what: "reports",
      said: html`${link("/reports?state=needs_reconcile", counted(usage.needsReconcile, "use"))} in reports that had no answer. Say whether the gateway took them.`,
    }),
    ...when(totals.openItems > 0, {
      tone: "caution",
      what: "open items",
      said: html`${link("/doubts", counted(totals.openItems, "open item"))}: ask the gateway's operator, and close each.`,
    }),
    ...when(usage.rejected > 0, {
      tone: "caution",
      what: "uses rejected",
      said: html`The gateway rejected ${counted(usage.rejected, "use")}. <code>licet report --retry-rejected</code> sends them again.`,
    }),
    ...when(givenUp.length > 0, {
      tone: "caution",
      what: "alerts not sent",
      said: html`Nobody got the last ${link("/alerts", "alerts")}, such as: ${foreign(givenUp[0]?.message ?? null)}. <code>licet check --alerts</code> sends a test.`,
    }),
    ...paused.map(
      ({ host, at, by, reason }): Need => ({
        tone: "caution",
        what: "site paused",
        said: html`${siteLink(host)} since ${instant(at)}${by !== null && html` by ${foreign(by)}`}${
          reason !== null && html`: ${foreign(reason)}`
        }. Nothing of it is bought until its pause ends.`,
      }),
    ),
    ...budgetWarnings.map(
      ({ label, percent }): Need => ({
        tone: percent >= 100 ? "bad" : "caution",
        what: percent >= 100 ? "budget used up" : "budget nearly used",
        said: html`${foreign(label)}: <data value="${percent}">${percent} %</data> of it is settled, in doubt or set aside.`,
      }),
    ),
  ];
}

/** Plans that can be bought and that nobody has approved. */
function toApprovals({ plans, nextCursor }: PlanList): readonly Need[] {
  const waiting = plans.filter(({ plan }) => plan !== null && plan.refused === null && plan.runs.length === 0);
  return [
    ...waiting.map(
      ({ name, plan }): Need => ({
        tone: "caution",
        what: "plan waits",
        said: html`${link(address`/plans/${name}`, foreign(name))} waits for the approval of somebody whose token may act, until ${instant(plan?.expiresAt ?? null)}.`,
      }),
    ),
    ...when(nextCursor !== null, {
      tone: "caution",
      what: "more plans",
      said: html`There are more plans than are looked through here: ${link("/plans", "plans")}.`,
    }),
  ];
}

const siteLink = (host: string): Html => link(address`/sites/${host}`, foreign(host));

const when = (isSo: boolean, need: Need): readonly Need[] => (isSo ? [need] : []);
