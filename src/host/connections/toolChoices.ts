import type { Disabled } from '../configuration/disabledItems';
import type { ServerConfig } from '../configuration/serverConfig';
import type { TaskChoices } from '../configuration/taskChoices';

/** What the person chose for the tools of a server, by their names. */
export interface ToolChoices {
  readonly isDisabled: (toolName: string) => boolean;
  readonly runsAsTask: (toolName: string) => boolean;
}

/** Who knows what was chosen for all servers. */
interface ChosenByUser {
  readonly disabled?: Disabled;
  readonly taskChoices?: Pick<TaskChoices, 'runsAsTask'>;
}

/** What the person chose for the tools of this server. */
export function choicesFor(
  config: ServerConfig,
  { disabled, taskChoices }: ChosenByUser,
): ToolChoices {
  return {
    isDisabled: (name) => disabled?.isToolDisabled(config, name) === true,
    runsAsTask: (name) => taskChoices?.runsAsTask(config, name) === true,
  };
}
