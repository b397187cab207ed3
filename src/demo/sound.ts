const sampleRate = 8_000;

/** Three rising bell tones, 0.9 s, as a WAV file (mono, 16 bit). */
export function chime(): Buffer {
  const tones = [523.25, 659.25, 783.99];
  const samplesPerTone = sampleRate * 0.3;
  const sound = Buffer.alloc(tones.length * samplesPerTone * 2);
  for (const [place, hertz] of tones.entries()) {
    for (let i = 0; i < samplesPerTone; i++) {
      const seconds = i / sampleRate;
      const loudness = Math.min(1, seconds * 100) * Math.exp(-seconds * 9);
      const sample = Math.sin(2 * Math.PI * hertz * seconds) * loudness * 0.6;
      sound.writeInt16LE(Math.round(sample * 32_767), (place * samplesPerTone + i) * 2);
    }
  }
  return Buffer.concat([waveHeader(sound.length), sound]);
}

function waveHeader(soundBytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + soundBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // uncompressed PCM
  header.writeUInt16LE(1, 22); // mono
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(soundBytes, 40);
  return header;
}
