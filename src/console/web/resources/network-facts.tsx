import type { CombinedError } from '@urql/core';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { ResultOf } from '../api/graphql.js';
import { readAllNodes, useAllNodes } from '../api/use-all-nodes.js';
import type { AllNodes } from '../api/use-all-nodes.js';
import { PartMenu } from '../editing/part-menu.js';
import { ProtectedMark } from '../editing/protected.js';
import { CreateButton } from '../editing/create-button.js';
import { CopyButton } from '../look/copy-button.js';
import { FurtherPages } from '../look/further-pages.js';
import { formatCount } from '../look/money.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Fact, Section } from './section.js';
import { editableOf, egressIpsQuery, gatewaysQuery, readPart } from './part-queries.js';
import type { EgressIp, Gateway } from './resource-parts.js';
import type { Network } from './resource-queries.js';
import '../access/access-view.css';
import '../editing/edit-dialog.css';

interface EgressGatewaysProps {
  network: Network;
  workspace: string;
  onChange: () => void;
}

/** The configuration of a network. */
export function NetworkFacts({ network: { spec } }: { network: Network }): ReactElement {
  return (
    <Section title="Configuration">
      <dl className="facts">
        {spec.cidrBlock !== null && (
          <Fact name="CIDR block">
            <span className="mono">{spec.cidrBlock}</span>
          </Fact>
        )}
        {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
      </dl>
    </Section>
  );
}

const gatewayColumns = ['Gateway', 'State', 'Region', { label: 'Egress IPs', isNumber: true }];

/** The egress gateways of a network, and their egress IPs. */
export function EgressGateways({ network, workspace, onChange }: EgressGatewaysProps): ReactElement {
  const { id, egressGateways, metadata } = network;
  const scope = { workspace, vpcName: metadata.name };
  const all = useAllNodes(egressGateways, {
    query: gatewaysQuery,
    variables: { id },
    pageOf: ({ node }) => (node?.__typename === 'Vpc' ? node.egressGateways : undefined),
  });
  const { nodes: gateways } = all;
  return (
    <>
      <Section
        title={`Egress gateways (${formatCount(egressGateways.totalCount)})`}
        aside={<CreateButton type="EgressGateway" scope={scope} onCreated={onChange} />}
      >
        {gateways.length === 0 ? (
          <p className="quiet">No egress gateways yet.</p>
        ) : (
          <PlainTable columns={gatewayColumns} label="Egress gateways" rows={gateways}>
            {(gateway) => <GatewayRow key={gateway.id} gateway={gateway} scope={scope} onChange={onChange} />}
          </PlainTable>
        )}
        <FurtherPages of="egress gateways" list={all} totalCount={egressGateways.totalCount} />
      </Section>
      {gateways.length > 0 && <Addresses gateways={gateways} scope={scope} onChange={onChange} />}
    </>
  );
}

interface Address {
  ip: EgressIp;
  gateway: Gateway;
}

const addressColumns: TableColumn<Address>[] = [
  { label: 'Egress IP', value: ({ ip }) => ip.metadata.name },
  { label: 'Address', value: ({ ip }) => ip.spec.publicIp },
  { label: 'Gateway', value: ({ gateway }) => gateway.metadata.name },
  { label: 'Created', value: ({ ip }) => ip.metadata.createdAt },
];

const addressText = ({ ip: { metadata, spec }, gateway }: Address) =>
  [metadata.name, metadata.displayName, spec.publicIp, gateway.metadata.name].join(' ');

interface AddressesProps {
  gateways: readonly Gateway[];
  scope: GatewayRowProps['scope'];
  onChange: () => void;
}

/** The egress IPs of all gateways. */
function Addresses({ gateways, scope, onChange }: AddressesProps): ReactElement {
  const all = useAllAddresses(gateways);
  const { nodes: addresses } = all;
  const { rows, headings, filterField, noMatch } = useTableRows(addresses, addressColumns, addressText);
  const count = gateways.reduce((sum, { ips }) => sum + ips.totalCount, 0);
  return (
    <Section title={`Egress IPs (${formatCount(count)})`} aside={filterField}>
      {addresses.length === 0 ? (
        <p className="quiet">No egress IPs yet.</p>
      ) : (
        <PlainTable columns={headings} label="Egress IPs" rows={rows} noMatch={noMatch}>
          {({ ip, gateway }) => <AddressRow key={ip.id} ip={ip} gateway={gateway} scope={scope} onChange={onChange} />}
        </PlainTable>
      )}
      <FurtherPages of="egress IPs" list={all} totalCount={count} />
    </Section>
  );
}

/** The egress IPs of all gateways, the newest of each first. Until all pages are read, those of the first pages. */
function useAllAddresses(gateways: readonly Gateway[]): AllNodes<Address> {
  const [read, setRead] = useState<{
    ips: ReadonlyMap<string, readonly EgressIp[]>;
    error: CombinedError | undefined;
  }>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!gateways.some(({ ips }) => ips.pageInfo.hasNextPage)) return undefined;
    const stop = new AbortController();
    const readAll = async () => {
      const all = new Map<string, readonly EgressIp[]>();
      let failure: CombinedError | undefined;
      for (const { id, ips } of gateways) {
        if (!ips.pageInfo.hasNextPage) continue;
        const pages = { query: egressIpsQuery, variables: { id }, pageOf: ipsOf };
        const { nodes, error } = await readAllNodes(ips, pages, stop.signal);
        all.set(id, nodes);
        failure ??= error;
      }
      if (!stop.signal.aborted) setRead({ ips: all, error: failure });
    };
    void readAll();
    return () => stop.abort();
  }, [gateways, attempt]);
  const nodes = gateways.flatMap((gateway) =>
    ((gateway.ips.pageInfo.hasNextPage ? read?.ips.get(gateway.id) : undefined) ?? gateway.ips.nodes).map((ip) => ({
      ip,
      gateway,
    })),
  );
  return {
    nodes,
    isComplete: read !== undefined && read.error === undefined,
    error: read?.error,
    onRetry: () => {
      setRead(undefined);
      setAttempt(attempt + 1);
    },
  };
}

const ipsOf = ({ node }: ResultOf<typeof egressIpsQuery>) =>
  node?.__typename === 'EgressGateway' ? node.ips : undefined;

interface GatewayRowProps {
  gateway: Gateway;
  /** The workspace and the network. */
  scope: { workspace: string; vpcName: string };
  onChange: () => void;
}

function GatewayRow({ gateway, scope, onChange }: GatewayRowProps): ReactElement {
  const { status, metadata, spec, ips, events, version } = gateway;
  const { name, displayName, protected: isProtected } = metadata;
  const reason = status === 'FAILED' ? events.at(-1)?.message : undefined;
  return (
    <tr>
      <td>
        <span className="mono">{name}</span> {isProtected === true && <ProtectedMark />}
        {displayName !== null && <span className="under-name">{displayName}</span>}
        {reason != null && <p className="row-reason">{reason}</p>}
      </td>
      <td>
        <StateMark state={status} />
      </td>
      <td data-label="Region" className="nowrap">
        {spec.region}
      </td>
      <td data-label="Egress IPs" className="number">
        {formatCount(ips.totalCount)}
      </td>
      <td>
        <span className="key-actions">
          <CreateButton type="EgressIp" scope={{ ...scope, gatewayName: name }} onCreated={onChange} />
          <PartMenu
            which={{ type: 'EgressGateway', scope, name }}
            resource={editableOf({ version, metadata })}
            reload={async () => readPart('EgressGateway', gateway.id)}
            isProtected={isProtected === true}
            onDone={onChange}
          >
            {ips.totalCount === 0 ? 'The gateway has no egress IPs.' : 'Delete its egress IPs first.'}
          </PartMenu>
        </span>
      </td>
    </tr>
  );
}

type AddressRowProps = GatewayRowProps & { ip: EgressIp };

function AddressRow({ ip, gateway, scope, onChange }: AddressRowProps): ReactElement {
  const { version, metadata, spec } = ip;
  const { name, displayName, protected: isProtected, createdAt } = metadata;
  const gatewayName = gateway.metadata.name;
  return (
    <tr>
      <td>
        <span className="mono">{name}</span> {isProtected === true && <ProtectedMark />}
        {displayName !== null && <span className="under-name">{displayName}</span>}
      </td>
      <td className="mono nowrap">
        {spec.publicIp ?? <span className="quiet">Pending</span>}
        {spec.publicIp !== null && <CopyButton text={spec.publicIp} label={`Copy ${spec.publicIp}`} />}
      </td>
      <td data-label="Gateway" className="mono">
        {gatewayName}
      </td>
      <td data-label="Created">{createdAt !== null && <Time value={createdAt} />}</td>
      <td>
        <PartMenu
          which={{ type: 'EgressIp', scope: { ...scope, gatewayName }, name }}
          resource={editableOf({ version, metadata })}
          reload={async () => readPart('EgressIp', ip.id)}
          isProtected={isProtected === true}
          onDone={onChange}
        >
          Traffic no longer uses {spec.publicIp ?? 'this address'}. Update allowlists that contain it. You may not get
          the same address again.
        </PartMenu>
      </td>
    </tr>
  );
}
