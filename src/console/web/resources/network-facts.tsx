import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { PartMenu } from '../editing/part-menu.js';
import { ProtectedMark } from '../editing/protected.js';
import { documentOfPart } from '../editing/document-of.js';
import type { Editable } from '../editing/edit-dialog.js';
import { CreateButton } from '../editing/create-button.js';
import { CopyButton } from '../look/copy-button.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Fact, Section } from './section.js';
import { networkQuery } from './resource-queries.js';
import type { Network } from './resource-queries.js';
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

/** The egress gateways of a network, with their IPs. */
export function EgressGateways({ network, workspace, onChange }: EgressGatewaysProps): ReactElement {
  const { egressGateways, metadata } = network;
  const scope = { workspace, vpcName: metadata.name };
  return (
    <>
      <Section
        title={`Egress gateways (${egressGateways.totalCount})`}
        aside={<CreateButton type="EgressGateway" scope={scope} onCreated={onChange} />}
      >
        {egressGateways.nodes.length === 0 && <p className="quiet">No egress gateways yet.</p>}
      </Section>
      {egressGateways.nodes.map((gateway) => (
        <Gateway key={gateway.id} gateway={gateway} scope={scope} onChange={onChange} />
      ))}
    </>
  );
}

interface GatewayProps {
  gateway: Network['egressGateways']['nodes'][number];
  scope: { workspace: string; vpcName: string };
  onChange: () => void;
}

function Gateway({ gateway, scope: place, onChange }: GatewayProps): ReactElement {
  const { status, metadata, spec, ips, events } = gateway;
  const reason = events.at(-1)?.message;
  const within = { ...place, gatewayName: metadata.name };
  return (
    <Section
      title={`Egress gateway ${metadata.name}`}
      aside={
        <span className="section-actions">
          <StateMark state={status} />
          {metadata.protected === true && <ProtectedMark />}
          <CreateButton type="EgressIp" scope={within} onCreated={onChange} />
          <PartMenu
            which={{ type: 'EgressGateway', scope: place, name: metadata.name }}
            resource={{ version: gateway.version, document: documentOfPart({ metadata }) }}
            reload={async () => editableOf(await readGateway(place, metadata.name))}
            isProtected={metadata.protected === true}
            onDone={onChange}
          >
            {ips.totalCount === 0 ? 'The gateway has no egress IPs.' : 'Delete its egress IPs first.'}
          </PartMenu>
        </span>
      }
    >
      <p className="quiet">{[spec.region, metadata.displayName].filter((part) => part !== null).join(' · ')}</p>
      {status === 'FAILED' && reason != null && <p className="resource-reason failed">{reason}</p>}
      {ips.nodes.length === 0 ? (
        <p className="quiet">No egress IPs yet.</p>
      ) : (
        <div className="table-space">
          <table className="plain-table two-lines">
            <thead>
              <tr>
                <th scope="col">Egress IP</th>
                <th scope="col">Address</th>
                <th scope="col">Created</th>
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {ips.nodes.map(
                ({
                  id,
                  version,
                  metadata: { name, displayName, protected: isProtected, createdAt },
                  spec: { publicIp },
                }) => (
                  <tr key={id}>
                    <td>
                      <span className="mono">{name}</span> {displayName} {isProtected === true && <ProtectedMark />}
                    </td>
                    <td className="mono nowrap">
                      {publicIp ?? <span className="quiet">Pending</span>}
                      {publicIp !== null && <CopyButton text={publicIp} label={`Copy ${publicIp}`} />}
                    </td>
                    <td>{createdAt !== null && <Time value={createdAt} />}</td>
                    <td>
                      <PartMenu
                        which={{ type: 'EgressIp', scope: within, name }}
                        resource={{
                          version,
                          document: documentOfPart({ metadata: { displayName, protected: isProtected } }),
                        }}
                        reload={async () => {
                          const found = await readGateway(place, metadata.name);
                          return editableOf(found?.ips.nodes.find((ip) => ip.metadata.name === name));
                        }}
                        isProtected={isProtected === true}
                        onDone={onChange}
                      >
                        Traffic no longer uses {publicIp ?? 'this address'}. Update allowlists that contain it. You may
                        not get the same address again.
                      </PartMenu>
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

type GatewayFields = GatewayProps['gateway'];

/** Only the display names of gateways and IPs can be edited. */
function editableOf(
  found: { version: number; metadata: { displayName: string | null; protected: boolean | null } } | undefined,
): Editable | undefined {
  return found && { version: found.version, document: documentOfPart({ metadata: found.metadata }) };
}

async function readGateway(
  { workspace, vpcName }: GatewayProps['scope'],
  name: string,
): Promise<GatewayFields | undefined> {
  const variables = { workspace, name: vpcName };
  const { data } = await client.query(networkQuery, variables, { requestPolicy: 'network-only' }).toPromise();
  return data?.resource?.egressGateways.nodes.find(({ metadata }) => metadata.name === name);
}
