/**
 * Draws the charts of a page from the tables beside them, with uPlot. A table stays, for readers
 * who cannot see a chart.
 */
import uPlot from 'uplot';

const HEIGHT = 220;

/** A figure has `data-chart`: JSON of days (seconds) and series of numbers. */
interface ChartData {
  readonly days: readonly number[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

function draw(figure: HTMLElement): void {
  const { days, series } = JSON.parse(figure.dataset.chart ?? '{}') as ChartData;
  const colours = getComputedStyle(document.documentElement);
  const ink = colours.getPropertyValue('--soft');
  const strokes = ['--accent', '--good', '--warn', '--bad'].map((name) => colours.getPropertyValue(name));
  const axis = { stroke: ink, grid: { stroke: colours.getPropertyValue('--line'), width: 1 } };
  figure.querySelector('.uplot')?.remove();
  new uPlot(
    {
      width: figure.clientWidth,
      height: HEIGHT,
      series: [
        {},
        ...series.map(({ name }, nth) => ({
          label: name,
          stroke: strokes[nth % strokes.length] ?? ink,
          width: 2,
          points: { show: days.length < 40 },
        })),
      ],
      axes: [axis, { ...axis, size: 60 }],
    },
    [[...days], ...series.map(({ values }) => [...values])],
    figure,
  );
}

function drawAll(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure[data-chart]')) draw(figure);
}

addEventListener('resize', drawAll);
document.body.addEventListener('htmx:afterSettle', drawAll);
drawAll();
