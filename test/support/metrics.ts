/** Sum of all samples of a metric whose labels hold `labels`; 0 where there is none. */
export function sumMetric(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  let sum = 0;
  for (const line of text.split("\n")) {
    const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match?.[1] !== name) continue;
    const present = match[2] ?? "";
    const fits = Object.entries(labels).every(([key, value]) => present.includes(`${key}="${value}"`));
    if (fits) sum += Number(match[3]);
  }
  return sum;
}
