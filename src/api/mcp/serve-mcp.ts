// The MCP server of one request. It is loaded at the first request, because it brings the SDK.
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { ToolRequest } from './tool.js';
import { applyManifest } from './tools/apply-manifest.js';
import { deleteResource } from './tools/delete-resource.js';
import { getResource } from './tools/get-resource.js';
import { graphqlQuery } from './tools/graphql-query.js';
import { listChanges } from './tools/list-changes.js';
import { listResources } from './tools/list-resources.js';
import { queryCosts } from './tools/query-costs.js';
import { redeploy } from './tools/redeploy.js';
import { runJob } from './tools/run-job.js';
import { search } from './tools/search.js';
import { whoami } from './tools/whoami.js';
import { workspaceOverview } from './tools/workspace-overview.js';

/** All tools, those that only read first. */
export const tools = [
  whoami,
  search,
  listResources,
  getResource,
  workspaceOverview,
  queryCosts,
  listChanges,
  graphqlQuery,
  applyManifest,
  runJob,
  redeploy,
  deleteResource,
];

const instructions =
  'The control plane of agents, sandboxes, jobs, volumes, networks and images. Resources are in workspaces, and ' +
  'workspaces are billed to accounts. Call whoami first for the names of workspaces. Results are short: if one has ' +
  'nextCursor, repeat the call with it as after. Before a change, show the user what will change (dryRun).';

/**
 * Answers one message. The server keeps nothing between two requests, so any process can answer each of them.
 *
 * @param message the parsed body of the request.
 */
export async function serveMcp(request: Request, message: unknown, toolRequest: ToolRequest): Promise<Response> {
  const { log, version } = toolRequest.services;
  const server = new McpServer(
    { name: 'workload-control-plane', title: 'Workload Control Plane', version },
    { instructions, capabilities: { tools: { listChanged: false } } },
  );
  for (const tool of tools) tool.register(server, toolRequest);
  const body = { parsedBody: message };
  if (!(await isLegacyRequest(request, message))) {
    const onerror = (error: Error) => log.debug({ err: error }, 'MCP request rejected');
    // The tools never change, so nobody can subscribe to changes of them.
    return createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0, onerror }).fetch(request, body);
  }
  // Protocol versions before 2026-07-28: without a session, and with JSON in place of a stream.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request, body);
}
