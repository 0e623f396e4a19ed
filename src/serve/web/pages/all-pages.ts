/** Every page, in the order of the navigation. Routes, navigation, tests, screenshots and docs/web.md follow it. */
import type { Page } from "../page.ts";
import { logPage } from "./log.ts";
import { overviewPage } from "./overview/overview.ts";
import { settingsPage } from "./settings.ts";

export const PAGES: readonly Page[] = [overviewPage, settingsPage, logPage];
