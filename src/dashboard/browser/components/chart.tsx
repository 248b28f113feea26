import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface ChartProps {
  /** What it shows, for screen readers. */
  readonly label: string;
  /** Below the points; some are left out where there is no room. */
  readonly labels: readonly string[];
  readonly values: readonly number[];
  /** The period before, dashed; as many values. */
  readonly before?: readonly number[];
  readonly kind?: 'line' | 'bars';
  /** The last value is still growing: its stretch is dashed, and left out while it is 0. */
  readonly isUnfinished?: boolean;
  /** The top of the scale; default: a round number above all values. */
  readonly top?: number;
  readonly format?: (value: number) => string;
  readonly height?: number;
}

const left = 36;
const edge = { right: 8, top: 10, bottom: 24 };
const labelWidth = 74;

/** Values over time as a line or bars; pointing at one shows it. It is as wide as its container. */
export function Chart(props: ChartProps) {
  const { label, labels, values, before, kind = 'line', isUnfinished = false, format = String, height = 240 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<number>();
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const top = props.top ?? roundUp(Math.max(...values, ...(before ?? []), 1));
  // Quarters of a whole; else `roundUp` makes thirds whole numbers.
  const steps = props.top === undefined ? 3 : 4;
  const inner = Math.max(1, width - left - edge.right);
  const slot = inner / Math.max(1, kind === 'bars' ? values.length : values.length - 1);
  const x = (index: number) => left + slot * (kind === 'bars' ? index + 0.5 : index);
  const y = (value: number) => height - edge.bottom - (value / top) * (height - edge.top - edge.bottom);
  const line = (of: readonly number[], from = 0) => of.map((value, at) => `${x(at + from)},${y(value)}`).join(' ');
  const solid = isUnfinished ? values.slice(0, -1) : values;
  const every = [1, 2, 5, 10, 20, 40, 80].find((step) => step * slot >= labelWidth) ?? values.length;
  const point = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }) => {
    const at = (event.clientX - event.currentTarget.getBoundingClientRect().left - left) / slot;
    const index = kind === 'bars' ? Math.floor(at) : Math.round(at);
    setPointed(Math.max(0, Math.min(values.length - 1, index)));
  };
  return (
    <div ref={box} class="plot" style={{ minHeight: `${height}px` }}>
      <ol role="list" class="unseen" aria-label={label}>
        {values.map((value, at) => (
          <li key={at}>{`${labels[at]}: ${format(value)}`}</li>
        ))}
      </ol>
      {width > 0 && (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          height={height}
          aria-hidden="true"
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {Array.from({ length: steps + 1 }, (_, step) => (top * step) / steps).map((value) => (
            <g key={value}>
              <path class="grid" d={`M${left} ${y(value)}H${width - edge.right}`} />
              <text x={left - 8} y={y(value) + 4} text-anchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          {labels.map(
            (text, at) =>
              at % every === 0 && (
                <text
                  key={at}
                  x={x(at)}
                  y={height - 6}
                  text-anchor={at === values.length - 1 && kind === 'line' ? 'end' : 'middle'}
                >
                  {text}
                </text>
              ),
          )}
          {kind === 'bars' ? (
            values.map((value, at) => (
              <rect
                key={at}
                class="bar"
                x={x(at) - slot * 0.35}
                y={y(value)}
                width={slot * 0.7}
                height={y(0) - y(value)}
                rx={1}
              />
            ))
          ) : (
            <>
              <polygon class="area" points={`${x(0)},${y(0)} ${line(solid)} ${x(solid.length - 1)},${y(0)}`} />
              {before !== undefined && <polyline class="line before" points={line(before)} />}
              <polyline class="line" points={line(solid)} />
              {isUnfinished && values.at(-1) !== 0 && (
                <polyline class="line unfinished" points={line(values.slice(-2), Math.max(0, values.length - 2))} />
              )}
            </>
          )}
          {pointed !== undefined && kind === 'line' && (
            <>
              <path class="pointer" d={`M${x(pointed)} ${edge.top}V${y(0)}`} />
              <circle class="dot" cx={x(pointed)} cy={y(values[pointed] ?? 0)} r={3.5} />
            </>
          )}
        </svg>
      )}
      {pointed !== undefined && (
        <div class="floating tip small" style={{ left: `${Math.min(Math.max(x(pointed), 70), width - 70)}px` }}>
          <b>{format(values[pointed] ?? 0)}</b> <span class="sub">{labels[pointed]}</span>
          {before !== undefined && <span class="dim"> before {format(before[pointed] ?? 0)}</span>}
        </div>
      )}
    </div>
  );
}

/** @returns the least multiple of three with one or two digits that is not below: three lines with round numbers */
function roundUp(value: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return 3 * Math.ceil(value / 3 / power) * power;
}

/** Days as small bars, the last one strong. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(...values, 1);
  return (
    <svg class="spark" viewBox={`0 0 ${values.length * 6.3} 16`} role="img" aria-label={label}>
      {values.map((value, at) => {
        const height = Math.max(1, (16 * value) / most);
        return <rect key={at} x={at * 6.3} y={16 - height} width={4} height={height} rx={1} />;
      })}
    </svg>
  );
}

interface Figure {
  readonly name: string;
  readonly value: string;
  /** What it compares with or consists of. */
  readonly about?: ComponentChildren;
}

interface FiguresProps {
  readonly of: readonly Figure[];
  /** With `onChoose`: the figure whose chart is shown. */
  readonly chosen?: string;
  readonly onChoose?: (name: string) => void;
}

/** Figures side by side; where one can be chosen, they switch the chart below them. */
export function Figures({ of, chosen, onChoose }: FiguresProps) {
  return (
    <div class={onChoose === undefined ? 'figures' : 'figures under'}>
      {of.map(({ name, value, about }) => {
        const Tag = onChoose === undefined ? 'div' : 'button';
        const choice = onChoose && { type: 'button', 'aria-pressed': name === chosen, onClick: () => onChoose(name) };
        return (
          <Tag key={name} class="figure" {...(choice as object)}>
            <span>{name}</span>
            <span class="value">{value}</span>
            {about !== undefined && <span class="small">{about}</span>}
          </Tag>
        );
      })}
    </div>
  );
}
