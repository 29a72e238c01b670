import type { ReactElement } from 'react';
import { formatMegabytes, plural } from '../look/amount.js';
import { CopyButton } from '../look/copy-button.js';
import { shortUrl } from '../look/short-url.js';
import { Time } from '../look/time-text.js';
import type { AnyResource } from './resource-queries.js';

/** What matters most of a resource: display name, endpoint, region, size and last change. */
export function Essentials({ resource }: { resource: AnyResource }): ReactElement {
  const { metadata, spec } = resource;
  const { displayName, url, updatedAt } = metadata;
  const size = sizeOf(resource);
  return (
    <>
      {displayName != null && !isEcho(displayName, metadata.name) && <span>{displayName}</span>}
      {url !== null && (
        <span className="essential-url">
          <span className="mono cut" title={url}>
            {shortUrl(url)}
          </span>
          <CopyButton text={url} label="Copy endpoint" />
        </span>
      )}
      {'region' in spec && spec.region !== null && <span>{spec.region}</span>}
      {size !== '' && <span>{size}</span>}
      {updatedAt !== null && (
        <span>
          Updated <Time value={updatedAt} />
        </span>
      )}
    </>
  );
}

/** Whether a title only repeats the name: "Customs triage" of customs-triage. */
function isEcho(title: string, name: string): boolean {
  return title.toLowerCase().replaceAll(' ', '-') === name;
}

/** Such as "mk3 · 4 GB · 2 to 10 instances". */
export function sizeOf({ spec }: Pick<AnyResource, 'spec'>): string {
  if ('sizeMb' in spec) return formatMegabytes(spec.sizeMb);
  if ('cidrBlock' in spec) return spec.cidrBlock ?? '';
  const { runtime } = spec;
  const scale = runtime !== null && 'maxScale' in runtime ? scaleOf(runtime) : '';
  const parallelism =
    'parallelism' in spec && spec.parallelism !== null ? `${plural(spec.parallelism, 'task')} at a time` : '';
  return [
    runtime?.generation?.toLowerCase() ?? '',
    runtime?.memory == null ? '' : formatMegabytes(runtime.memory),
    scale,
    parallelism,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function scaleOf({ minScale, maxScale }: { minScale: number | null; maxScale: number | null }): string {
  if (maxScale === null) return '';
  return `${minScale ?? 0} to ${plural(maxScale, 'instance')}`;
}
