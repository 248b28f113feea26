import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const darkPage = matchMedia('(prefers-color-scheme: dark)');
const textPx = 12;

/** A column of values over places that stand at even distances. */
export interface ChartProps {
  /** What is drawn, in words. */
  readonly title: string;
  /** Places from left to right. */
  readonly places: readonly number[];
  readonly values: readonly number[];
  /** Name of a token. */
  readonly color: '--accent' | '--busy';
  readonly shape: 'bars' | 'steps';
  /** Range of the horizontal axis. */
  readonly placeRange: readonly [number, number];
  readonly placeText: (place: number) => string;
  /** Possible distances between two marks of the horizontal axis, ascending. */
  readonly placeSteps: readonly number[];
  /** Minimum for the upper end of the vertical axis. */
  readonly valueMax: number;
  readonly valueText: (value: number) => string;
  readonly valueSteps: readonly number[];
  /** Text while the pointer is at a value. */
  readonly told: (index: number) => string;
  /** Text while the pointer is elsewhere. */
  readonly summary: string;
  readonly heightPx: number;
  /** Charts with the same key share the pointer position. */
  readonly together?: string;
  /** The same data as a table, for accessibility. */
  readonly children: ComponentChildren;
}

/** A chart, and its data as a table. */
export function Chart(props: ChartProps) {
  const { title, summary, told, heightPx, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const [isDark, setIsDark] = useState(darkPage.matches);
  useEffect(() => {
    const look = () => setIsDark(darkPage.matches);
    darkPage.addEventListener('change', look);
    return () => darkPage.removeEventListener('change', look);
  }, []);
  const { places, values } = props;
  useEffect(() => {
    const place = frame.current;
    if (place === null) return undefined;
    setPointed(undefined);
    const drawn = new uPlot(optionsOf(props, place, setPointed), [[...places], [...values]], place);
    const resized = new ResizeObserver(() => drawn.setSize({ width: place.clientWidth, height: heightPx }));
    resized.observe(place);
    return () => {
      resized.disconnect();
      drawn.destroy();
    };
  }, [places, values, isDark, heightPx]);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-told">{pointed === undefined ? summary : told(pointed)}</span>
      </figcaption>
      <div ref={frame} class="drawing" style={{ minHeight: `${heightPx}px` }} aria-hidden="true" />
      <details>
        <summary>{title} as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section tabIndex={0} aria-label={`${title}, data`}>
          {children}
        </section>
      </details>
    </figure>
  );
}

function optionsOf(
  props: ChartProps,
  place: HTMLElement,
  onPointed: (index: number | undefined) => void,
): uPlot.Options {
  const { shape, placeRange, placeText, placeSteps, valueText, valueSteps, together } = props;
  const [color, soft, line, ink] = [
    colorOf(place, props.color),
    colorOf(place, `${props.color}-soft`),
    colorOf(place, '--line'),
    colorOf(place, '--ink-soft'),
  ];
  const axis = { stroke: ink, font: `${textPx}px ${getComputedStyle(place).fontFamily}` };
  const highest = Math.max(props.valueMax, ...props.values);
  return {
    width: place.clientWidth,
    height: props.heightPx,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: shape === 'steps', fill: color },
      ...(together === undefined ? {} : { sync: { key: together } }),
    },
    scales: {
      x: { time: false, range: () => [placeRange[0], placeRange[1]] },
      // Space above the highest value.
      y: { range: () => [0, highest * 1.08] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { stroke: line, width: 1, size: 5 },
        incrs: [...placeSteps],
        space: 64,
        size: 30,
        values: (_, marks) => marks.map((mark) => placeText(mark)),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        incrs: [...valueSteps],
        space: 36,
        size: 52,
        values: (_, marks) => marks.map((mark) => valueText(mark)),
      },
    ],
    series: [
      {},
      {
        stroke: color,
        width: shape === 'bars' ? 0 : 2,
        fill: shape === 'bars' ? color : soft,
        points: { show: false },
        paths: pathsOf(shape),
      },
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          const isInside = cursor.left !== undefined && cursor.left !== null && cursor.left >= 0;
          onPointed(isInside ? (cursor.idx ?? undefined) : undefined);
        },
      ],
    },
  };
}

function pathsOf(shape: ChartProps['shape']): uPlot.Series.PathBuilder {
  const made =
    shape === 'bars' ? uPlot.paths.bars?.({ size: [0.72, 36], radius: 0.15 }) : uPlot.paths.stepped?.({ align: 1 });
  if (made === undefined) throw new Error(`${shape} cannot be drawn`);
  return made;
}

/** A canvas knows no CSS variables: the browser resolves the color. */
function colorOf(place: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
