/**
 * The metrics keep the conventions of Prometheus, and the alert rules, the board and the docs name
 * none that is missing.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALARM_EVENTS } from '../../src/app/notices/alarms.ts';
import { stageHarness } from '../support/http/http-harness.ts';
import { allMetrics } from './all-metrics.ts';
import { type Metric, metricFaults, metricsOf, readBy } from './metric-rules.ts';

const ROOT = join(import.meta.dir, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Each has as many values as the configuration, the code or the catalog names. */
const LABELS = new Set([
  ...['method', 'route', 'status', 'le', 'state', 'code', 'event', 'version'],
  ...['chain', 'node', 'asset'],
]);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string; readonly runbook?: string };
}
interface Board {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const { groups } = Bun.YAML.parse(read('deploy/prometheus/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const RULES = groups.flatMap(({ rules }) => rules);
const BOARD: Board = JSON.parse(read('deploy/grafana/quittance.json'));
const EXPRESSIONS = [
  ...RULES.map(({ alert, expr }) => ({ where: alert, expr })),
  ...BOARD.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
];

stageHarness();
let metrics: readonly Metric[] = [];
beforeAll(async () => {
  ({ metrics } = await allMetrics());
});

/** A histogram has three series of its own. */
const nameOf = (series: string) =>
  metrics.find(({ name }) => name === series) ??
  metrics.find(
    ({ name, type }) => type === 'histogram' && series.replace(/_(?:bucket|sum|count)$/, '') === name,
  );

describe('metrics', () => {
  test('have the prefix, base units, help texts and bounded labels', () => {
    expect(metrics.length).toBeGreaterThan(40);
    expect(metricFaults(metrics, LABELS)).toEqual([]);
  });

  test('that break a convention would be found', () => {
    const faults = metricFaults(
      metricsOf(`# HELP wait_ms how long
# TYPE wait_ms counter
wait_ms{user="7"} 1
# HELP quittance_bytes_today Bytes.
# TYPE quittance_bytes_today gauge
quittance_bytes_today 1
`),
      LABELS,
    );
    expect(faults).toEqual([
      'wait_ms has no prefix quittance_',
      'wait_ms has no help text that is a sentence',
      'wait_ms is a counter exactly if its name ends in _total',
      'wait_ms names a unit that is no base unit',
      'wait_ms has the label user, which may be without bounds',
      'quittance_bytes_today has its unit before its end',
    ]);
  });

  test('are all explained in the docs, or are of the process', () => {
    const page = read('docs/operations/monitoring.md');
    const missing = metrics.filter(({ name }) => !page.includes(name.replace(/^quittance_/, '')));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('that the docs name exist', () => {
    for (const page of ['monitoring', 'alerts', 'treasury', 'tokens', 'deployment']) {
      const named = [...read(`docs/operations/${page}.md`).matchAll(/`(quittance_[a-z0-9_]+)/g)];
      for (const [, name = ''] of named)
        expect([page, name, nameOf(name) !== undefined]).toEqual([page, name, true]);
    }
  });
});

describe('alert rules', () => {
  test('have a time, a severity, a summary, and a section of the docs that exists', () => {
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
    for (const { alert, for: time, labels, annotations } of RULES) {
      expect([alert, time]).toEqual([alert, expect.stringMatching(/^\d+[smhd]$/)]);
      expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(?:critical|warning)$/)]);
      expect([alert, annotations?.summary ?? '']).toEqual([alert, expect.stringMatching(/.{10}/)]);
      const [page = '', section = ''] = annotations?.runbook?.split('#') ?? [];
      const anchors = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
      expect([alert, page, anchors.includes(section)]).toEqual([alert, page, true]);
    }
  });

  test('read every metric that the docs say to alert on', () => {
    const page = read('docs/operations/monitoring.md');
    const table = page.slice(page.indexOf('Alert on these first'), page.indexOf('Chains and nodes:'));
    const named = [...table.matchAll(/^\| `(quittance_[a-z0-9_]+)/gm)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(10);
    const covered = new Set(RULES.flatMap(({ expr }) => readBy(expr).map(({ name }) => name)));
    expect(named.filter((name) => !covered.has(name))).toEqual([]);
  });

  test('cover every alarm of the log by the counter of alarms', () => {
    const counted = metrics.find(({ name }) => name === 'quittance_alarms_total');
    expect(counted?.samples.map(({ labels }) => labels.event ?? '').toSorted()).toEqual(
      ALARM_EVENTS.toSorted(),
    );
  });
});

test('what the alert rules and the board read is in /metrics, with the labels that they compare', () => {
  for (const { where, expr } of EXPRESSIONS)
    for (const { name, labels } of readBy(expr)) {
      const metric = nameOf(name);
      expect([where, name, metric !== undefined]).toEqual([where, name, true]);
      for (const [label, values] of Object.entries(labels)) {
        if (label === 'job') continue;
        const known = new Set(metric?.samples.map((sample) => sample.labels[label]));
        for (const value of values)
          expect([where, label, value, known.has(value)]).toEqual([where, label, value, true]);
        expect([where, label, [...known].some((value) => value !== undefined)]).toEqual([where, label, true]);
      }
    }
});

test('the board shows what operators look for, and its panels do not overlap', () => {
  const shown = new Set(EXPRESSIONS.flatMap(({ expr }) => readBy(expr).map(({ name }) => name)));
  // Static: the version is a variable of the board.
  const hidden = metrics.filter(({ name, type }) => {
    const series = type === 'histogram' ? `${name}_bucket` : name;
    return !shown.has(series);
  });
  expect(hidden.map(({ name }) => name)).toEqual(['quittance_build_info', 'quittance_chain_calls_today']);
  const taken = new Set<string>();
  for (const { gridPos } of BOARD.panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([x < 24, taken.has(`${x} ${y}`)]).toEqual([true, false]);
        taken.add(`${x} ${y}`);
      }
  expect(new Set(BOARD.panels.map(({ id }) => id)).size).toBe(BOARD.panels.length);
});

/** The fragment that a heading gets. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
