// An assistant: the client of the SDK, over HTTP.
import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { TestApp } from '../../harness.js';

export interface ToolAnswer {
  isError: boolean;
  // Tests inspect results, whose type is unknown.
  result: ReturnType<typeof JSON.parse>;
  /** The size of the text (bytes). */
  bytes: number;
}

export interface Assistant {
  client: Client;
  call: (name: string, input?: Record<string, unknown>) => Promise<ToolAnswer>;
}

/** @param mode `legacy` for the protocol versions before 2026-07-28. */
export async function connectAssistant(
  app: TestApp,
  key: string,
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.origin}/mcp`), { requestInit: { headers } }));
  return {
    client,
    call: async (name, input = {}) => {
      try {
        return answerOf(await client.callTool({ name, arguments: input }));
      } catch (error) {
        // A call that is refused as a whole (403 `insufficient_scope`).
        if (!(error instanceof InsufficientScopeError)) throw error;
        return { isError: true, result: { error: { code: 'forbidden', scope: error.requiredScope } }, bytes: 0 };
      }
    },
  };
}

function answerOf({ content, structuredContent, isError = false }: CallToolResult): ToolAnswer {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { isError, result: structuredContent ?? text, bytes: Buffer.byteLength(text) };
}
