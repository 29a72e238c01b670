// Fields of a resource, other than its status, that follow from the report of an executor.
import { z } from 'zod';
import { invalidInput } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';
import { searchDocument } from '../../schema/resource.js';
import type { Following, Report, ReportedRow } from '../../lifecycle/report.js';

const nothing = { columns: {}, fields: [] };

/** The address of a preview is its `url`, that of an egress IP its `publicIp`; an omitted image is filled in. */
export const following: Following = (row, report) => {
  const { kind, address, image } = report;
  if (kind === 'SANDBOX_PREVIEW' && address !== undefined) return specWith(row, 'url', address);
  if (kind === 'EGRESS_IP' && address !== undefined) return withPublicIp(row, address);
  if (image !== undefined && (kind === 'AGENT' || kind === 'SANDBOX' || kind === 'JOB')) return withImage(row, image);
  return nothing;
};

function specWith({ spec }: ReportedRow, name: string, value: string): ReturnType<Following> {
  if (name in spec && Reflect.get(spec, name) === value) return nothing;
  return { columns: { spec: { ...spec, [name]: value } }, fields: [`spec.${name}`] };
}

function withPublicIp(row: ReportedRow, publicIp: string): ReturnType<Following> {
  const { columns, fields } = specWith(row, 'publicIp', publicIp);
  const search = searchDocument({
    name: row.name,
    displayName: row.display_name ?? undefined,
    labels: { address: publicIp },
  });
  return fields.length === 0 ? nothing : { columns: { ...columns, search }, fields };
}

function withImage({ spec }: ReportedRow, image: string): ReturnType<Following> {
  const runtime: unknown = Reflect.get(spec, 'runtime') ?? {};
  if (typeof runtime !== 'object' || runtime === null || Reflect.get(runtime, 'image') !== undefined) return nothing;
  return { columns: { spec: { ...spec, runtime: { ...runtime, image } } }, fields: ['spec.runtime.image'] };
}

const url = z.url({ protocol: /^https?$/ });
const ip = z.union([z.ipv4(), z.ipv6()]);

/** @throws 400 `invalid_input` for an address that the kind cannot have. */
export function requireAddress({ kind, address }: Pick<Report, 'kind' | 'address'>): void {
  if (address === undefined) return;
  const rule =
    kind === 'SANDBOX_PREVIEW' && !url.safeParse(address).success
      ? 'must be a URL that starts with http:// or https://'
      : kind === 'EGRESS_IP' && !ip.safeParse(address).success
        ? 'must be an IPv4 or IPv6 address'
        : undefined;
  if (rule !== undefined) throw invalidInput([problemAt(['address'], 'invalid_format', rule)]);
}
