// SPDX-License-Identifier: MIT
// The pictures of docs/pictures, of a report: `make pictures`.
//
//   node pictures.mjs REPORT.html FOLDER
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { drawAll, savedText, startBrowser, withPage } from "./browser.mjs";

const [report, folder] = process.argv.slice(2).map((path) => resolve(path));
const browser = await startBrowser();

await withPage(browser, report, {}, async (page) => {
  await drawAll(page);
  await page.setViewportSize({ width: 1180, height: 1100 });
  await page.waitForTimeout(500); // figures follow the width
  await page.screenshot({ path: join(folder, "report.png") });
  for (const id of ["study-speedup", "issue-slots"]) {
    const saved = await savedText(page, () => page.locator(`#figure-${id} .tool`).filter({ hasText: "SVG" }).click());
    writeFileSync(join(folder, saved.name), saved.text);
  }
});
await withPage(browser, report, { size: "phone", colors: "dark" }, async (page) => {
  await drawAll(page);
  await page.locator("#figure-time-line").screenshot({ path: join(folder, "phone.png") });
});
await withPage(browser, report, { colors: "dark" }, async (page) => {
  await drawAll(page);
  await page.addStyleTag({ content: "nav, .picker { display: none !important }" });
  await page.locator("#figure-sm-time-line").screenshot({ path: join(folder, "sms.png") });
});
await browser.close();
