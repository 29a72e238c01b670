import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { DeleteButton } from '../editing/delete-button.js';
import { documentOfPart } from '../editing/document-of.js';
import { EditButton } from '../editing/edit-button.js';
import type { Editable } from '../editing/edit-dialog.js';
import { MakeButton } from '../editing/make-button.js';
import { CopyButton } from '../look/copy-button.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Fact, Section } from './section.js';
import { networkQuery } from './resource-queries.js';
import type { Network } from './resource-queries.js';
import '../editing/edit-dialog.css';

interface NetworkFactsProps {
  network: Network;
  workspace: string;
  onChange: () => void;
}

/** A private network with the gateways that its traffic leaves through, and their addresses. */
export function NetworkFacts({ network, workspace, onChange }: NetworkFactsProps): ReactElement {
  const { spec, egressGateways, metadata } = network;
  const place = { workspace, vpcName: metadata.name };
  return (
    <>
      <Section title="Spans">
        <dl className="facts">
          {spec.cidrBlock !== null && (
            <Fact name="Addresses">
              <span className="mono">{spec.cidrBlock}</span>
            </Fact>
          )}
          {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
        </dl>
      </Section>
      <Section
        title={`Egress gateways (${egressGateways.totalCount})`}
        aside={<MakeButton type="EgressGateway" place={place} onMade={onChange} />}
      >
        {egressGateways.nodes.length === 0 && (
          <p className="quiet">Through a gateway traffic leaves by addresses that others can let in.</p>
        )}
      </Section>
      {egressGateways.nodes.map((gateway) => (
        <Gateway key={gateway.id} gateway={gateway} place={place} onChange={onChange} />
      ))}
    </>
  );
}

interface GatewayProps {
  gateway: Network['egressGateways']['nodes'][number];
  place: { workspace: string; vpcName: string };
  onChange: () => void;
}

function Gateway({ gateway, place, onChange }: GatewayProps): ReactElement {
  const { status, metadata, spec, ips } = gateway;
  const within = { ...place, gatewayName: metadata.name };
  return (
    <Section
      title={`Egress gateway ${metadata.name}`}
      aside={
        <span className="section-doings">
          <StateMark state={status} />
          <MakeButton type="EgressIp" place={within} onMade={onChange} />
          <EditButton
            which={{ type: 'EgressGateway', place, name: metadata.name }}
            resource={{ version: gateway.version, document: documentOfPart({ metadata }) }}
            reload={async () => editableOf(await readGateway(place, metadata.name))}
            onDone={onChange}
          />
          <DeleteButton
            which={{ type: 'EgressGateway', place, name: metadata.name, version: undefined }}
            onDone={onChange}
          >
            {ips.totalCount === 0 ? 'It has no addresses.' : 'Its addresses must be deleted first.'}
          </DeleteButton>
        </span>
      }
    >
      <p className="quiet">{[metadata.displayName, spec.region].filter((part) => part !== null).join(', ')}</p>
      {ips.nodes.length === 0 ? (
        <p className="quiet">It has no addresses of its own.</p>
      ) : (
        <div className="table-space">
          <table className="plain-table two-lines">
            <thead>
              <tr>
                <th scope="col">Egress IP</th>
                <th scope="col">Address</th>
                <th scope="col">Since</th>
                <th scope="col">
                  <span className="hidden">Edit, delete</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {ips.nodes.map(({ id, version, metadata: { name, displayName, createdAt }, spec: { publicIp } }) => (
                <tr key={id}>
                  <td>
                    <span className="mono">{name}</span> {displayName}
                  </td>
                  <td className="mono nowrap">
                    {publicIp ?? <span className="quiet">not yet</span>}
                    {publicIp !== null && <CopyButton text={publicIp} label={`Copy ${publicIp}`} />}
                  </td>
                  <td>{createdAt !== null && <Time value={createdAt} />}</td>
                  <td>
                    <span className="row-doings">
                      <EditButton
                        which={{ type: 'EgressIp', place: within, name }}
                        resource={{ version, document: documentOfPart({ metadata: { displayName } }) }}
                        reload={async () => {
                          const found = await readGateway(place, metadata.name);
                          return editableOf(found?.ips.nodes.find((ip) => ip.metadata.name === name));
                        }}
                        onDone={onChange}
                      />
                      <DeleteButton
                        which={{ type: 'EgressIp', place: within, name, version: undefined }}
                        onDone={onChange}
                      >
                        Traffic leaves by {publicIp ?? 'it'} no more, and who lets that address in has to be told. You
                        may not get the same one again.
                      </DeleteButton>
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

type GatewayFields = GatewayProps['gateway'];

/** What gateways and their addresses are called is all of them that can be edited. */
function editableOf(
  found: { version: number; metadata: { displayName: string | null } } | undefined,
): Editable | undefined {
  return found && { version: found.version, document: documentOfPart({ metadata: found.metadata }) };
}

async function readGateway(
  { workspace, vpcName }: GatewayProps['place'],
  name: string,
): Promise<GatewayFields | undefined> {
  const variables = { workspace, name: vpcName };
  const { data } = await client.query(networkQuery, variables, { requestPolicy: 'network-only' }).toPromise();
  return data?.resource?.egressGateways.nodes.find(({ metadata }) => metadata.name === name);
}
