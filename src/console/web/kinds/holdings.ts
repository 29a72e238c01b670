import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import type { Kind } from './kinds.js';

/** The number of resources in a workspace, by kind. */
export const holdings = graphql(`
  fragment Holdings on Workspace {
    agents(first: 0) {
      totalCount
    }
    sandboxes(first: 0) {
      totalCount
    }
    jobs(first: 0) {
      totalCount
    }
    volumes(first: 0) {
      totalCount
    }
    vpcs(first: 0) {
      totalCount
    }
    images(first: 0) {
      totalCount
    }
  }
`);

export function countsFrom(workspace: ResultOf<typeof holdings>): Record<Kind | 'images', number> {
  const { agents, sandboxes, jobs, volumes, vpcs, images } = workspace;
  return {
    agents: agents?.totalCount ?? 0,
    sandboxes: sandboxes?.totalCount ?? 0,
    jobs: jobs?.totalCount ?? 0,
    volumes: volumes?.totalCount ?? 0,
    networks: vpcs?.totalCount ?? 0,
    images: images?.totalCount ?? 0,
  };
}
