/** Every page, in the order of the navigation. Routes, navigation, tests, screenshots and docs/web.md follow it. */
import type { Page } from "../page.ts";
import { alertsPage } from "./alerts.ts";
import { denialsPage } from "./denials.ts";
import { documentPage } from "./document.ts";
import { documentsPage } from "./documents.ts";
import { doubtsPage } from "./doubts.ts";
import { logPage } from "./log.ts";
import { moneyPage } from "./money.ts";
import { overviewPage } from "./overview/overview.ts";
import { planPage, plansPage } from "./plans.ts";
import { reportPage, reportsPage } from "./reports.ts";
import { rightsPage } from "./rights.ts";
import { runPage } from "./run.ts";
import { runsPage } from "./runs.ts";
import { schedulesPage } from "./schedules.ts";
import { settingsPage } from "./settings.ts";
import { sitePage } from "./site.ts";
import { sitesPage } from "./sites.ts";
import { statementPage } from "./statement.ts";
import { workersPage } from "./workers.ts";

export const PAGES: readonly Page[] = [
  overviewPage,
  runsPage,
  runPage,
  plansPage,
  planPage,
  doubtsPage,
  alertsPage,
  denialsPage,
  moneyPage,
  statementPage,
  reportsPage,
  reportPage,
  sitesPage,
  sitePage,
  documentsPage,
  documentPage,
  rightsPage,
  schedulesPage,
  workersPage,
  logPage,
  settingsPage,
];
