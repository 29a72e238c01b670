import { scaleLinear } from 'd3-scale';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import { dollarsOf, formatMoneyTicks } from '../look/money.js';
import type { Bars, Bucket } from './bars.js';
import { BucketCard } from './bucket-card.js';
import { endsOf, stackOf } from './stacks.js';
import './stacked-bars.css';

interface StackedBarsProps {
  label: string;
  buckets: readonly Bucket[];
  series: readonly Bars[];
  height: number;
  /** Totals of the previous period, shown as a line. */
  before?: readonly bigint[] | undefined;
  /** Texts of the changes in each bucket, which has a mark on the axis. */
  marks?: readonly (readonly string[])[] | undefined;
  /** The bucket in progress, which is hatched. */
  running?: number | undefined;
  onPick?: ((seriesKey: string | undefined, bucket: number) => void) | undefined;
  /** Called with the dragged range, both ends included. */
  onZoom?: ((from: number, to: number) => void) | undefined;
}

const left = 52;
const bottom = 20;
const top = 8;

/**
 * Stacked bars, one for each bucket: costs upwards, credits downwards, with a line at the sum. Show the numbers in a table
 * as well.
 */
export function StackedBars(props: StackedBarsProps): ReactElement {
  const { buckets, series, height, before, marks, running, onPick, onZoom } = props;
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(640);
  const [hovered, setHovered] = useState<number>();
  const [dragged, setDragged] = useState<{ from: number; to: number }>();
  const hatch = useId();
  useLayoutEffect(() => {
    const element = figure.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);

  const totals = buckets.map((_bucket, index) => series.reduce((sum, { nanos }) => sum + (nanos[index] ?? 0n), 0n));
  const ends = buckets.map((_bucket, index) => endsOf(series, index));
  const outlined = (before ?? []).map(dollarsOf);
  const highest = Math.max(0.01, ...ends.map(({ head }) => head), ...outlined);
  const lowest = Math.min(0, ...ends.map(({ foot }) => foot), ...outlined);
  const y = scaleLinear([lowest, highest], [height - bottom, top]).nice(4);
  const step = (width - left) / Math.max(buckets.length, 1);
  const gap = Math.min(4, step * 0.2);
  const ticks = y.ticks(4);
  const tickLabels = formatMoneyTicks(ticks);
  const everyTick = Math.max(1, Math.ceil(56 / step));

  /** A line with a step for each bucket. */
  const stepsOf = (nanos: readonly bigint[]) =>
    nanos
      .slice(0, buckets.length)
      .map((nano, index) => `${index === 0 ? 'M' : 'L'}${left + index * step} ${y(dollarsOf(nano))}h${step}`)
      .join('');

  const bucketAt = (event: MouseEvent): number | undefined => {
    const box = figure.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const index = Math.floor((event.clientX - box.left - left) / step);
    return index >= 0 && index < buckets.length ? index : undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Such as Alt and an arrow, which goes back in the browser.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const move = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (move !== 0) {
      event.preventDefault();
      setHovered((index) =>
        Math.min(Math.max((index ?? (move > 0 ? -1 : buckets.length)) + move, 0), buckets.length - 1),
      );
    } else if (event.key === 'Enter' && hovered !== undefined && hovered < buckets.length) onPick?.(undefined, hovered);
    else if (event.key === 'Escape') setHovered(undefined);
  };

  return (
    <figure
      className="stacked-bars"
      ref={figure}
      tabIndex={0}
      role="group"
      aria-label={`${props.label}. Use the arrow keys to move between bars.`}
      onKeyDown={onKeyDown}
      onBlur={() => setHovered(undefined)}
      onPointerMove={(event) => {
        const index = bucketAt(event);
        setHovered(index);
        if (dragged !== undefined && index !== undefined) setDragged({ ...dragged, to: index });
      }}
      onPointerDown={(event) => {
        const index = bucketAt(event);
        if (index === undefined || onZoom === undefined || event.pointerType !== 'mouse' || event.button !== 0) return;
        event.preventDefault();
        figure.current?.setPointerCapture(event.pointerId);
        setDragged({ from: index, to: index });
      }}
      onPointerUp={(event) => {
        if (dragged === undefined) return;
        setDragged(undefined);
        const [from, to] = [Math.min(dragged.from, dragged.to), Math.max(dragged.from, dragged.to)];
        if (from !== to) return onZoom?.(from, to);
        return onPick?.(seriesAt(event, figure.current), from);
      }}
      onPointerCancel={() => setDragged(undefined)}
      onClick={(event) => {
        // A mouse picks when its button is released, because it may have dragged.
        const { nativeEvent } = event;
        if (!(nativeEvent instanceof PointerEvent) || nativeEvent.pointerType === 'mouse') return;
        const index = bucketAt(event);
        if (index !== undefined) onPick?.(seriesAt(event, figure.current), index);
      }}
      onPointerLeave={() => setHovered(undefined)}
    >
      <svg width={width} height={height} aria-hidden="true">
        <defs>
          <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="3" height="6" className="hatch" />
          </pattern>
        </defs>
        {ticks.map((tick, index) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className={tick === 0 ? 'axis' : 'grid'} />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end">
              {tickLabels[index]}
            </text>
          </g>
        ))}
        {dragged !== undefined && dragged.from !== dragged.to && (
          <rect
            className="zoom"
            x={left + Math.min(dragged.from, dragged.to) * step}
            width={(Math.abs(dragged.to - dragged.from) + 1) * step}
            y={top}
            height={height - bottom - top}
          />
        )}
        {marks?.map((texts, index) =>
          texts.length === 0 ? null : (
            <path
              key={buckets[index]?.timestamp}
              className="mark-line"
              d={`M${left + (index + 0.5) * step} ${top}V${y(0)}`}
            />
          ),
        )}
        {buckets.map((bucket, index) => (
          <g key={bucket.timestamp} className={hovered === index ? 'bar hovered' : 'bar'}>
            {stackOf(series, index).map(({ key, colour, from, to }) => (
              <rect
                key={key}
                data-series={key}
                x={left + index * step + gap / 2}
                width={Math.max(step - gap, 1)}
                y={y(to)}
                height={Math.max(y(from) - y(to), 0)}
                style={{ fill: colour }}
              />
            ))}
            {index === running && (
              <rect
                x={left + index * step + gap / 2}
                width={Math.max(step - gap, 1)}
                y={y(ends[index]?.head ?? 0)}
                height={Math.max(y(ends[index]?.foot ?? 0) - y(ends[index]?.head ?? 0), 0)}
                fill={`url(#${hatch})`}
              />
            )}
            {(ends[index]?.foot ?? 0) < 0 && (ends[index]?.head ?? 0) > 0 && (
              <line
                className="net"
                x1={left + index * step}
                x2={left + (index + 1) * step}
                y1={y(dollarsOf(totals[index] ?? 0n))}
                y2={y(dollarsOf(totals[index] ?? 0n))}
              />
            )}
            {index % everyTick === 0 && (
              <text x={left + index * step + step / 2} y={height - 5} textAnchor="middle">
                {bucket.tick}
              </text>
            )}
          </g>
        ))}
        {before !== undefined && <path className="before-edge" d={stepsOf(before)} />}
        {before !== undefined && <path className="before" d={stepsOf(before)} />}
        {marks?.map((texts, index) =>
          texts.length === 0 ? null : (
            <path
              key={buckets[index]?.timestamp}
              className="mark"
              d={`M${left + (index + 0.5) * step - 5} ${y(0) + 7}h10l-5 -7z`}
            />
          ),
        )}
      </svg>
      {hovered !== undefined && hovered < buckets.length && (
        <BucketCard
          bucket={buckets[hovered]}
          series={series}
          index={hovered}
          total={totals[hovered] ?? 0n}
          before={before?.[hovered]}
          marks={marks?.[hovered] ?? []}
          isRunning={hovered === running}
          x={left + (hovered + 0.5) * step}
          width={width}
        />
      )}
    </figure>
  );
}

function seriesAt(event: MouseEvent, figure: HTMLElement | null): string | undefined {
  // The pointer is captured by the figure: what lies under it has to be asked for.
  const element = document.elementFromPoint(event.clientX, event.clientY);
  return figure?.contains(element) === true && element instanceof SVGElement ? element.dataset['series'] : undefined;
}
