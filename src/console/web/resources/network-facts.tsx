import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { PartMenu } from '../editing/part-menu.js';
import { ProtectedMark } from '../editing/protected.js';
import { CreateButton } from '../editing/create-button.js';
import { CopyButton } from '../look/copy-button.js';
import { formatCount } from '../look/money.js';
import { PlainTable } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Fact, Section } from './section.js';
import { editableOf, gatewaysQuery, readPart } from './part-queries.js';
import type { Gateway } from './resource-parts.js';
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
const addressColumns = ['Egress IP', 'Address', 'Gateway', 'Created'];

/** The egress gateways of a network, and their egress IPs. */
export function EgressGateways({ network, workspace, onChange }: EgressGatewaysProps): ReactElement {
  const { id, egressGateways, metadata } = network;
  const scope = { workspace, vpcName: metadata.name };
  const { nodes: gateways } =
    useAllNodes(egressGateways, {
      query: gatewaysQuery,
      variables: { id },
      pageOf: ({ node }) => (node?.__typename === 'Vpc' ? node.egressGateways : undefined),
    }) ?? egressGateways;
  const addresses = gateways.flatMap((gateway) => gateway.ips.nodes.map((ip) => ({ ip, gateway })));
  const addressCount = gateways.map(({ ips }) => ips.totalCount).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Section
        title={`Egress gateways (${formatCount(egressGateways.totalCount)})`}
        aside={<CreateButton type="EgressGateway" scope={scope} onCreated={onChange} />}
      >
        {gateways.length === 0 ? (
          <p className="quiet">No egress gateways yet.</p>
        ) : (
          <PlainTable columns={gatewayColumns} label="Egress gateways">
            {gateways.map((gateway) => (
              <GatewayRow key={gateway.id} gateway={gateway} scope={scope} onChange={onChange} />
            ))}
          </PlainTable>
        )}
        {gateways.length < egressGateways.totalCount && (
          <p className="quiet">
            Showing the newest {gateways.length} of {formatCount(egressGateways.totalCount)} gateways, and their egress
            IPs.
          </p>
        )}
      </Section>
      {gateways.length > 0 && (
        <Section title={`Egress IPs (${formatCount(addressCount)})`}>
          {addresses.length === 0 ? (
            <p className="quiet">No egress IPs yet.</p>
          ) : (
            <PlainTable columns={addressColumns} label="Egress IPs">
              {addresses.map(({ ip, gateway }) => (
                <AddressRow key={ip.id} ip={ip} gateway={gateway} scope={scope} onChange={onChange} />
              ))}
            </PlainTable>
          )}
          {addresses.length < addressCount && (
            <p className="quiet">
              Showing {addresses.length} of {formatCount(addressCount)} egress IPs: the newest of each gateway.
            </p>
          )}
        </Section>
      )}
    </>
  );
}

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
            reload={async () => readPart(gateway.id)}
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

type AddressRowProps = GatewayRowProps & { ip: Gateway['ips']['nodes'][number] };

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
          reload={async () => readPart(ip.id)}
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
