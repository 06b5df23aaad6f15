// SPDX-License-Identifier: MIT
// Numbers and times as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function formatCount(value: number): string {
  return whole.format(value);
}

export function formatShort(value: number): string {
  return Math.abs(value) < 10000 ? formatNumber(value) : short.format(value);
}

// About four digits, without an exponent.
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return whole.format(value);
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.01 ? 3 : 5;
  return new Intl.NumberFormat("en", { maximumFractionDigits: digits }).format(value);
}

export function formatShare(value: number, digits = 1): string {
  return `${(value * 100).toFixed(digits)} %`;
}

export function formatTimes(value: number): string {
  return `${value.toFixed(2)}×`;
}

export function formatBytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${formatNumber(Number(seconds.toPrecision(3)))} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// "2026-11-16T00:02:18Z" as "16 November 2026, 00:02 UTC".
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const text = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${text.format(time).replace(" at ", ", ")} UTC`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

// A kernel's own name, of the name that C++ compilers give it.
export function plainName(name: string): string {
  const nested = /^_ZN/.test(name);
  if (!nested && !/^_Z\d/.test(name)) return name;
  let rest = name.slice(nested ? 3 : 2), plain = name;
  for (let found = /^(\d+)/.exec(rest); found; found = nested ? /^(\d+)/.exec(rest) : null) {
    const start = found[1]!.length, length = Number(found[1]);
    plain = rest.slice(start, start + length);
    rest = rest.slice(start + length);
  }
  return plain || name;
}

const UNITS: Record<string, string> = { kb: "KB", mb: "MB", gb: "GB", mhz: "MHz", bytes: "bytes", cycles: "cycles" };
const ACRONYMS: Record<string, string> = {
  cta: "CTA", ctas: "CTAs", dram: "DRAM", fp: "FP", l1: "L1", l2: "L2", mshr: "MSHR", mshrs: "MSHRs", noc: "NoC", sfu: "SFU", sm: "SM", sms: "SMs",
};
const SECTIONS: Record<string, string> = { l1d: "L1D", l1i: "L1I", l1c: "L1C", l1t: "L1T", l2: "L2", dram: "DRAM", noc: "NoC", sm: "SM", latency: "latency" };

// "l1d.size_kb" as "L1D size (KB)", "gpu.sm_count" as "SM count".
export function parameterTitle(name: string): string {
  const [section = "", key = ""] = name.split(/\.(.*)/);
  const words = key.split("_");
  const unit = words.length > 1 ? UNITS[words[words.length - 1]!] : undefined;
  if (unit) words.pop();
  const title = [SECTIONS[section], ...words.map((word) => ACRONYMS[word] ?? word)].filter(Boolean).join(" ");
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}${unit ? ` (${unit})` : ""}`;
}
