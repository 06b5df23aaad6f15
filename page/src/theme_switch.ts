// SPDX-License-Identifier: MIT
// Which theme the page has: the system's, or the one that was chosen here. Paper
// is always light.
import { isPrinting, onPrint } from "./print";
import { useTheme } from "./theme";

type Choice = "auto" | "light" | "dark";
const NAME = "heddle-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let choice: Choice = stored();

function stored(): Choice {
  try {
    const value = localStorage.getItem(NAME);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto"; // files may have no storage
  }
}

export function isDark(): boolean {
  return !isPrinting() && (choice === "dark" || (choice === "auto" && system.matches));
}

function apply(): void {
  const name = isDark() ? "dark" : "light";
  useTheme(name);
  document.documentElement.dataset.theme = name;
  for (const listener of listeners) listener();
}

export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

export function toggleTheme(): void {
  choice = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(NAME, choice);
  } catch {
    // It holds until the page is closed.
  }
  apply();
}

export function startTheme(): void {
  onPrint(apply);
  system.addEventListener("change", () => choice === "auto" && apply());
  apply();
}
