import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pinnableEras } from '../../core/types';
import { sharedFileSchemaScheme } from '../../ids';

/**
 * The format of `.mcp.json`, for completion and hover. It finds nothing wrong with anything: the
 * problems are ours, which know variables. VS Code brings its own for `.vscode/mcp.json`.
 */
export function registerSharedFileSchema(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(sharedFileSchemaScheme, {
    provideTextDocumentContent: () => JSON.stringify(sharedFileSchema()),
  });
}

function text(description: string): object {
  return { description };
}

function sharedFileSchema(): object {
  const variables = l10n.t(
    '`${NAME}` stands for a variable of the environment, `${NAME:-value}` for one with a default.',
  );
  const stdio = { label: l10n.t('A program'), body: { command: '$1', args: ['$2'] } };
  const http = { label: l10n.t('An address'), body: { type: 'http', url: 'https://$1' } };
  return {
    defaultSnippets: [{ label: 'mcpServers', body: { mcpServers: { '${1:name}': stdio.body } } }],
    properties: {
      mcpServers: {
        ...text(l10n.t('The MCP servers of this folder, by their names.')),
        defaultSnippets: [{ ...stdio, body: { '${1:name}': stdio.body } }],
        additionalProperties: {
          defaultSnippets: [stdio, http],
          properties: {
            type: {
              ...text(l10n.t('How the server is reached; without it, `command` or `url` says so.')),
              anyOf: [{ enum: ['stdio', 'http', 'sse'] }, {}],
            },
            command: text(
              l10n.t('The program that is the server. No shell runs it. {0}', variables),
            ),
            args: text(l10n.t('What the program is given, one by one. {0}', variables)),
            env: text(
              l10n.t('Variables of its environment; `null` takes one away. {0}', variables),
            ),
            envFile: text(l10n.t('A file with more variables; those in `env` come first.')),
            cwd: text(l10n.t('Where the program runs; without it, this folder.')),
            url: text(l10n.t('The address of a server that runs elsewhere. {0}', variables)),
            headers: text(l10n.t('What is sent with each request. {0}', variables)),
            oauth: {
              ...text(l10n.t('How Toolgate signs in to the server.')),
              properties: {
                clientId: text(
                  l10n.t('The client id that you have from the server. {0}', variables),
                ),
                clientSecret: text(
                  l10n.t('Its secret, by a variable: other clients read the file. {0}', variables),
                ),
              },
            },
            toolgate: {
              ...text(l10n.t('What only Toolgate knows.')),
              properties: {
                era: {
                  ...text(l10n.t('Which protocol the server speaks; without it, it is found out.')),
                  anyOf: [{ enum: pinnableEras }, {}],
                },
                scopes: text(l10n.t('What a sign-in asks for; without it, what the server names.')),
                redirectPort: text(
                  l10n.t('The port of this machine to which the browser comes back.'),
                ),
                omitResource: {
                  ...text(
                    l10n.t(
                      'For a server that refuses `resource`: what it grants may count elsewhere, too.',
                    ),
                  ),
                  anyOf: [{ enum: [true, false] }, {}],
                },
                grant: {
                  ...text(l10n.t('`client_credentials` where no person signs in.')),
                  anyOf: [{ enum: ['authorization_code', 'client_credentials'] }, {}],
                },
                identityProvider: text(
                  l10n.t(
                    'The token endpoint of the identity provider of your company, which gives access in your place. {0}',
                    variables,
                  ),
                ),
                identityClientId: text(l10n.t('The client id that you have there. {0}', variables)),
                identityToken: text(
                  l10n.t(
                    'What it said of you at your sign-in there (an id token), by a variable. {0}',
                    variables,
                  ),
                ),
              },
            },
          },
        },
      },
    },
  };
}
