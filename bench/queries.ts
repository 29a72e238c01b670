// The two shapes that are asked for, in the words of each schema.

const small = `
  { agents(first: 50) { edges { node { metadata { name createdAt } status } } } }`;

const full = `
  { agents(first: 50) { edges { node {
    metadata {
      name displayName externalId labels { key value } plan url workspaceName createdAt updatedAt createdBy updatedBy
    }
    spec {
      enabled policies public region
      repository { type url }
      revision { active canary canaryPercent stickySessionTtl traffic }
      runtime { envs { name secret value } generation image maxScale memory minScale }
      triggers {
        id type enabled
        configuration { authenticationType callbackSecret callbackUrl path retry schedule tasks timeout }
      }
      volumes { mountPath name readOnly sizeMb type }
    }
    status
    events { time type status message revision canaryRevision }
  } } } }`;

/** Of the control plane, and of mercurius, which has the same schema. */
export const agents = { small, full };

/** The filter is on what the control plane filters by: one workspace. */
function postgraphileQuery(workspaceId: string, fields: string): string {
  return `
  { allAgents(first: 50, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], condition: { workspaceId: "${workspaceId}" }) {
    edges { node { ${fields} } }
  } }`;
}

export function postgraphile(workspaceId: string): { small: string; full: string } {
  return {
    small: postgraphileQuery(workspaceId, 'name createdAt status'),
    full: postgraphileQuery(
      workspaceId,
      `name displayName externalId labels createdAt updatedAt createdBy updatedBy spec status
       changesByResourceId(orderBy: [PRIMARY_KEY_ASC]) {
         nodes { time type status message revision canaryRevision }
       }`,
    ),
  };
}
