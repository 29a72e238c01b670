// The parts of a resource that have a menu: previews of sandboxes, and egress gateways and egress IPs of networks.
import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import { readingOf } from '../api/reading.js';
import type { Reading } from '../api/reading.js';
import { changeables } from '../editing/changeables.js';
import { documentOfPart } from '../editing/document-of.js';
import type { Editable } from '../editing/edit-dialog.js';
import { egressIpPage, gatewayPage, previewFields, previewPage } from './resource-parts.js';
import type { Preview } from './resource-parts.js';

/** A page of the previews of a sandbox. */
export const previewsQuery = graphql(
  `
    query SandboxPreviews($id: ID!, $after: String) {
      node(id: $id) {
        __typename
        id
        ... on Sandbox {
          previews(first: 200, after: $after) {
            ...PreviewPage
          }
        }
      }
    }
  `,
  [previewPage],
);

/** A page of the egress gateways of a network. */
export const gatewaysQuery = graphql(
  `
    query NetworkGateways($id: ID!, $after: String) {
      node(id: $id) {
        __typename
        id
        ... on Vpc {
          egressGateways(first: 20, after: $after) {
            ...GatewayPage
          }
        }
      }
    }
  `,
  [gatewayPage],
);

/** A page of the egress IPs of a gateway. */
export const egressIpsQuery = graphql(
  `
    query GatewayEgressIps($id: ID!, $after: String) {
      node(id: $id) {
        __typename
        id
        ... on EgressGateway {
          ips(first: 200, after: $after) {
            ...EgressIpPage
          }
        }
      }
    }
  `,
  [egressIpPage],
);

const partQuery = graphql(
  `
    query ResourcePart($id: ID!) {
      node(id: $id) {
        __typename
        id
        ... on SandboxPreview {
          ...PreviewFields
        }
        ... on EgressGateway {
          version
          metadata {
            displayName
            protected
          }
        }
        ... on EgressIp {
          version
          metadata {
            displayName
            protected
          }
        }
      }
    }
  `,
  [previewFields],
);

interface Part {
  version: number;
  metadata: { displayName: string | null; protected: boolean | null };
  /** Only previews have fields that can be edited. */
  spec?: Preview['spec'];
}

/** The editable part of a preview, a gateway or an IP. The URL of a preview is derived from the other fields. */
export function editableOf({ version, metadata: { displayName, protected: isProtected }, spec }: Part): Editable {
  const metadata = { displayName, protected: isProtected };
  if (spec === undefined) return { version, document: documentOfPart({ metadata }) };
  const { url: _url, ...fields } = spec;
  return { version, document: documentOfPart({ metadata, spec: fields }) };
}

/** Reads a part again. */
export async function readPart(
  type: 'SandboxPreview' | 'EgressGateway' | 'EgressIp',
  id: string,
): Promise<Reading<Editable>> {
  const { data, error } = await pageClient.query(partQuery, { id }).toPromise();
  const part = data?.node;
  const found = part?.__typename === type ? editableOf(part) : undefined;
  return readingOf(changeables[type], found, error);
}
