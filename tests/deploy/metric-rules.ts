/**
 * The conventions of Prometheus for names, units and types, as promtool's `check metrics` has them,
 * and this project's prefix. One sentence per fault.
 */

export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];
}

const PREFIX = 'quittance_';
/** Base units are fine at the end of a name; these are no base units, or abbreviations of them. */
const WRONG_UNITS =
  /^(?:s|ms|us|ns|sec|millis|milliseconds?|microseconds?|minutes?|hours?|days?|b|kb|mb|gb|tb|bits?|kilobytes?|megabytes?|percent)$/;
const BASE_UNITS = new Set(['seconds', 'bytes', 'usd']);
const TYPES = new Set(['gauge', 'counter', 'histogram', 'summary']);

/** The text format: HELP, TYPE, and the samples of each metric. */
export function metricsOf(text: string): readonly Metric[] {
  return text.split(/^(?=# HELP )/m).flatMap((part) => {
    const [, name = '', help = ''] = /^# HELP (\S+) ?(.*)$/m.exec(part) ?? [];
    if (name === '') return [];
    const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(part)?.[1] ?? '';
    const samples = [...part.matchAll(/^(?!#)([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)].map(
      ([, of = '', labels = '']) => ({
        name: of,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key, value]),
        ),
      }),
    );
    return [{ name, type, help, samples }];
  });
}

export function metricFaults(metrics: readonly Metric[], labels: ReadonlySet<string>): readonly string[] {
  const names = metrics.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return [
    ...twice.map((name) => `${name} is there twice`),
    ...metrics.flatMap((metric) => faultsOf(metric, labels)),
  ];
}

function faultsOf({ name, type, help, samples }: Metric, labels: ReadonlySet<string>): readonly string[] {
  const words = name.split('_');
  const isCounter = type === 'counter';
  const faults: [boolean, string][] = [
    [!name.startsWith(PREFIX), `has no prefix ${PREFIX}`],
    [!/^[a-z][a-z0-9_]*$/.test(name), 'has characters other than a-z, 0-9 and _'],
    [!TYPES.has(type), `has no type, or ${type}`],
    [!/^[A-Z0-9"].*\.$/.test(help), 'has no help text that is a sentence'],
    [isCounter !== name.endsWith('_total'), 'is a counter exactly if its name ends in _total'],
    [words.some((word) => WRONG_UNITS.test(word)), 'names a unit that is no base unit'],
    [words.some((word) => TYPES.has(word)), 'names its type'],
    [type !== 'histogram' && /_(?:bucket|count|sum)$/.test(name), 'ends as parts of a histogram do'],
  ];
  const unit = words.findIndex((word) => BASE_UNITS.has(word));
  faults.push([unit >= 0 && unit !== words.length - (isCounter ? 2 : 1), 'has its unit before its end']);
  const used = new Set(samples.flatMap(({ labels: of }) => Object.keys(of)));
  for (const label of used)
    faults.push([!labels.has(label), `has the label ${label}, which may be without bounds`]);
  return faults.flatMap(([is, fault]) => (is ? [`${name} ${fault}`] : []));
}

/** The metrics that an expression of PromQL reads, with the values that it compares labels to. */
export function readBy(
  expression: string,
): readonly { name: string; labels: Readonly<Record<string, readonly string[]>> }[] {
  const found = expression.matchAll(/\b(quittance_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', selector = '']) => ({
    name,
    labels: Object.fromEntries(
      [...selector.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"([^"]*)"/g)].map(([, label = '', text = '']) => [
        label,
        /[$.\\*]/.test(text) ? [] : text.split('|'),
      ]),
    ),
  }));
}
