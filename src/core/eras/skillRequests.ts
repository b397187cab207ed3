import type { RequestOptions } from '../client';
import { parseListPage } from '../parse/parseResults';
import { listAllSkills, listSkillFolder, type SkillList } from '../skills/skill';
import type { ResourceList } from '../types';
import type { ResourceWiring } from './resourceRequests';

/**
 * The requests that list skills and their folders. Their files are resources. Nothing is cached,
 * because no notification says that skills changed. Spec: SEP-2640
 */
export class SkillRequests {
  readonly #send: ResourceWiring['send'];

  constructor(send: ResourceWiring['send']) {
    this.#send = send;
  }

  list(options: RequestOptions | undefined): Promise<SkillList> {
    return listAllSkills((cursor) =>
      this.#send('skills/list', cursor === undefined ? {} : { cursor }, parseSkills, options),
    );
  }

  folder(uri: string, options: RequestOptions | undefined): Promise<ResourceList> {
    return listSkillFolder(uri, (cursor) => {
      const params = cursor === undefined ? { uri } : { uri, cursor };
      return this.#send('resources/directory/read', params, parseChildren, options);
    });
  }
}

const parseSkills = (result: unknown) => parseListPage(result, 'skills');
const parseChildren = (result: unknown) => parseListPage(result, 'resources');
