import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

// Skills by the official SDK 2.x over stdio, of both eras, two on a page. The tool `edit` changes a
// file of the skill `forms`.
const nothing = fromJsonSchema({ type: 'object', properties: {} });
const manifest = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: >-\n  About\n  ${name}\n${more}---\n\n# ${name}\n`;
const files: Record<string, string> = {
  'forms/SKILL.md': manifest(
    'forms',
    'license: "Apache-2.0"\nmetadata:\n  version: "2.1"\nallowed-tools: [Read, Bash]\n',
  ),
  'forms/references/FORMS.md': '# All forms\n',
  'forms/references/deep/more.txt': 'more\n',
  'team/refunds/SKILL.md': manifest('refunds'),
  'team/reports/SKILL.md': manifest('reports'),
};

async function main(): Promise<void> {
  const skills = await SkillsExtension.load(memorySkillFiles(files), { pageSize: 2 });
  serveStdio(() => {
    const server = new McpServer(
      { name: 'skills2', version: '1' },
      { capabilities: { tools: {}, resources: { listChanged: true } } },
    );
    server.registerTool('edit', { inputSchema: nothing }, async () => {
      files['forms/references/FORMS.md'] += 'One more\n';
      await skills.reload();
      await server.server.sendResourceListChanged();
      return { content: [{ type: 'text', text: 'edited' }] };
    });
    skills.attach(server);
    return server;
  });
}

void main();
