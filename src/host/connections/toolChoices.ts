import type { ServerConfig } from '../configuration/serverConfig';
import type { RegistryOptions } from './registryOptions';

/** What the person chose for the tools of a server, by their names. */
export interface ToolChoices {
  readonly isDisabled: (toolName: string) => boolean;
  readonly runsAsTask: (toolName: string) => boolean;
}

/** What the person chose for the tools of this server. */
export function choicesFor(
  config: ServerConfig,
  { disabled, taskChoices }: Pick<RegistryOptions, 'disabled' | 'taskChoices'>,
): ToolChoices {
  return {
    isDisabled: (name) => disabled?.isToolDisabled(config, name) === true,
    runsAsTask: (name) => taskChoices?.runsAsTask(config, name) === true,
  };
}
