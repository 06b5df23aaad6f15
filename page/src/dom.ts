// SPDX-License-Identifier: MIT
// Elements in one line. Text is always text, never markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

export function select(
  label: string, options: { value: string; text: string }[], value: string, changed: (value: string) => void,
): HTMLLabelElement {
  const control = el("select", { change: () => changed(control.value) },
    ...options.map((option) => el("option", { value: option.value, selected: option.value === value }, option.text)));
  return el("label", { class: "control" }, el("span", {}, label), control);
}

// Calls back once the browser has nothing better to do with these events.
export function settle(callback: () => void, milliseconds = 120): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(callback, milliseconds);
  };
}
