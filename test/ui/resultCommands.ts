/** Names for the commands of result documents beside those of the real extension. */
export function resultCommands(id: (name: string) => string) {
  return {
    commands: {
      openPart: id('openPart'),
      openPartBeside: id('openPartBeside'),
      showOverview: id('showOverview'),
      readLink: id('readLink'),
      openLinkOutside: id('openLinkOutside'),
      openTextLink: id('openTextLink'),
      showPreview: id('showPreview'),
      showJson: id('showJson'),
      showTable: id('showTable'),
    },
    fileCommands: {
      openFull: id('openFull'),
      saveAs: id('saveAs'),
      saveAll: id('saveAll'),
      compare: id('compare'),
      copy: id('copy'),
    },
  };
}
