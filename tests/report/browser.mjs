// SPDX-License-Identifier: MIT
// A browser for the page's tests. Whatever a page says on its console, throws or
// asks of a network is a failure.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export async function startBrowser() {
  return chromium.launch({ executablePath: process.env.HEDDLE_BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
}

export const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

// Opens a page, hands it to a test, and checks that it stayed quiet.
export async function withPage(browser, path, { size = "desktop", colors = "light" }, test) {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: colors, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || complaints.push(`network: ${request.url()}`));
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("html[data-ready]", { timeout: 20000 });
  await test(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

// Figures are drawn when they come into sight. Scrolled to by the page itself: Playwright's own way
// waits for two equal frames first, which a busy machine may not draw for half a minute.
export async function drawAll(page) {
  const count = await page.locator("figure.card").count();
  for (let i = 0; i < count; i++) {
    await page.locator("figure.card").nth(i).evaluate((card) => card.scrollIntoView());
    await page.locator("figure.card").nth(i).and(page.locator("[data-drawn]")).waitFor();
  }
  await page.evaluate(() => scrollTo(0, 0));
}

// Browsers refuse more than about ten in a second.
export async function savedText(page, press) {
  await page.waitForTimeout(120);
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  const { readFile } = await import("node:fs/promises");
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}
