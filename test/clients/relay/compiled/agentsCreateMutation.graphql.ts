/**
 * @generated SignedSource<<c056fdb29abb15d3be68fc8c04677bd3>>
 * @relayHash 5b2382d1d1152348c5130d91254a4edd
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 932846871d9ee74b04ed75617400cc3303d2b76673db8a5a0e919c4e6657e844

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type ErrorCode = "access_denied" | "already_shared" | "budget_exceeded" | "conflict" | "cursor_expired" | "cursor_invalid" | "cursor_mismatch" | "document_not_trusted" | "forbidden" | "headers_too_large" | "idempotency_key_in_use" | "idempotency_key_reused" | "in_use" | "internal_error" | "invalid_api_version" | "invalid_input" | "invalid_parameter" | "invalid_request" | "last_admin" | "lease_lost" | "method_not_allowed" | "name_taken" | "not_acceptable" | "not_deletable" | "not_found" | "payload_too_large" | "persisted_query_not_found" | "protected" | "query_too_complex" | "quota_exceeded" | "reader_too_slow" | "request_timeout" | "share_not_pending" | "timeout" | "too_many_requests" | "unauthorized" | "unavailable" | "unsupported_media_type" | "version_mismatch" | "workspace_required" | "%future added value";
export type Generation = "MK2" | "MK3" | "%future added value";
export type TriggerType = "CRON" | "HTTP" | "HTTP_ASYNC" | "%future added value";
export type VolumeType = "EPHEMERAL" | "PERSISTENT" | "%future added value";
export type CreateAgentInput = {
  metadata: MetadataInput;
  spec?: AgentSpecInput | null | undefined;
  validateOnly?: boolean | null | undefined;
  workspace?: string | null | undefined;
};
export type MetadataInput = {
  displayName?: string | null | undefined;
  externalId?: string | null | undefined;
  labels?: ReadonlyArray<LabelInput> | null | undefined;
  name: string;
  protected?: boolean | null | undefined;
};
export type LabelInput = {
  key: string;
  value: string;
};
export type AgentSpecInput = {
  enabled?: boolean | null | undefined;
  policies?: ReadonlyArray<string> | null | undefined;
  public?: boolean | null | undefined;
  region?: string | null | undefined;
  repository?: RepositoryInput | null | undefined;
  revision?: RevisionConfigurationInput | null | undefined;
  runtime?: AgentRuntimeInput | null | undefined;
  triggers?: ReadonlyArray<TriggerInput> | null | undefined;
  volumes?: ReadonlyArray<VolumeAttachmentInput> | null | undefined;
};
export type RepositoryInput = {
  type?: string | null | undefined;
  url?: string | null | undefined;
};
export type RevisionConfigurationInput = {
  active?: string | null | undefined;
  canary?: string | null | undefined;
  canaryPercent?: number | null | undefined;
  stickySessionTtl?: number | null | undefined;
  traffic?: number | null | undefined;
};
export type AgentRuntimeInput = {
  envs?: ReadonlyArray<EnvInput> | null | undefined;
  generation?: Generation | null | undefined;
  image?: string | null | undefined;
  maxScale?: number | null | undefined;
  memory?: number | null | undefined;
  minScale?: number | null | undefined;
};
export type EnvInput = {
  name: string;
  secret?: boolean | null | undefined;
  value?: string | null | undefined;
};
export type TriggerInput = {
  configuration?: TriggerConfigurationInput | null | undefined;
  enabled?: boolean | null | undefined;
  id?: string | null | undefined;
  type: TriggerType;
};
export type TriggerConfigurationInput = {
  authenticationType?: string | null | undefined;
  callbackUrl?: string | null | undefined;
  path?: string | null | undefined;
  retry?: number | null | undefined;
  schedule?: string | null | undefined;
  tasks?: ReadonlyArray<unknown> | null | undefined;
  timeout?: number | null | undefined;
};
export type VolumeAttachmentInput = {
  mountPath: string;
  name: string;
  readOnly?: boolean | null | undefined;
  sizeMb?: number | null | undefined;
  type?: VolumeType | null | undefined;
};
export type agentsCreateMutation$variables = {
  connections: ReadonlyArray<string>;
  input: CreateAgentInput;
};
export type agentsCreateMutation$data = {
  readonly createAgent: {
    readonly agent?: {
      readonly id: string;
      readonly " $fragmentSpreads": FragmentRefs<"agents_agent">;
    };
    readonly code?: ErrorCode;
    readonly message?: string;
  };
};
export type agentsCreateMutation = {
  response: agentsCreateMutation$data;
  variables: agentsCreateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "connections"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "input"
},
v2 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v4 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "code",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "message",
      "storageKey": null
    }
  ],
  "type": "Error",
  "abstractKey": "__isError"
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "agentsCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "createAgent",
        "plural": false,
        "selections": [
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Agent",
                "kind": "LinkedField",
                "name": "agent",
                "plural": false,
                "selections": [
                  (v3/*:: as any*/),
                  {
                    "args": null,
                    "kind": "FragmentSpread",
                    "name": "agents_agent"
                  }
                ],
                "storageKey": null
              }
            ],
            "type": "CreateAgentPayload",
            "abstractKey": null
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "agentsCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "createAgent",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Agent",
                "kind": "LinkedField",
                "name": "agent",
                "plural": false,
                "selections": [
                  (v3/*:: as any*/),
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "version",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": "Metadata",
                    "kind": "LinkedField",
                    "name": "metadata",
                    "plural": false,
                    "selections": [
                      {
                        "alias": null,
                        "args": null,
                        "kind": "ScalarField",
                        "name": "name",
                        "storageKey": null
                      },
                      {
                        "alias": null,
                        "args": null,
                        "kind": "ScalarField",
                        "name": "displayName",
                        "storageKey": null
                      }
                    ],
                    "storageKey": null
                  }
                ],
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "filters": null,
                "handle": "appendNode",
                "key": "",
                "kind": "LinkedHandle",
                "name": "agent",
                "handleArgs": [
                  {
                    "kind": "Variable",
                    "name": "connections",
                    "variableName": "connections"
                  },
                  {
                    "kind": "Literal",
                    "name": "edgeTypeName",
                    "value": "AgentEdge"
                  }
                ]
              }
            ],
            "type": "CreateAgentPayload",
            "abstractKey": null
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "932846871d9ee74b04ed75617400cc3303d2b76673db8a5a0e919c4e6657e844",
    "metadata": {},
    "name": "agentsCreateMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "9e9d88b2e22656016dd6ccb14170fd3e";

export default node;
