/** A flower on a meadow: PNG, 128 x 128, base64. */
export const flowerPng = [
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAMAAAD04JH5AAAAYFBMVEXf8ftdokzoU3p/v2r/000/mkovfTrwoCD7tEbl',
  'iKbma47g2ujjm7T13Yb62Grs5bTivM/xg2FssnyYyq3H5di23L6TyYjsZ2+JwpxbqWl6uozQV3Jsr1mVp4yQk3eee26E',
  'dq0FAAADoklEQVR42u2Z6XaqMBSFAcUyRI0MKtpb3v8tGwYhI0I4R+69K/tX22XZX86UED3PycnJyelfVkqSIEhIupU/',
  'CXrRjf2DgEwH6nw87fen4xk2VDTgNBWD437QETL/gSDj4tLTntMJLgixCBDP8gckkAJgDIHkzwhwAmAKwXmv6AwDECjS',
  'fmyvEXwLmBvhrAM4A8+AqVlw1AEcUUpAXwQnHYBlGVJKCB1KPVEBkqFBmk9SYwnYFQEdHGM6BUCH0CQUECAV/dj2F2jE',
  'NkeRKAVLgbLeWAcQqzEBKkISWIoAtWFgrRQkA9QegIKMYmIPQEA2o1UAMsEJZu7PTgHIgSQ1Pf52iVpdbsYihDmSJSb7',
  '13NNCAnQoVSbg1vEhza6GTIAo+Sdv54gwToBN4rk9ooMFQD+DtLp0rt+MfUslzknFKgDSJeA1n5AkJMQw76HxZoAfA3S',
  'hADYXyIQA/AKAaq/2IyRGIAuBBFGAxrORW8AEpwbg60Btk7BxkUonYtntCFwGhLdJI7MAQDdCXRvYnNGcYxTfws2I4qW',
  'AA0B6na8+YFEfyQL+CNZMHUkQziOLDqUYtyGLDiWbwtA/g8AunUK0hWv5962OSBoW8G8K5oYazOaeUkFeiTgrt/I1DUd',
  'ka7zQBma68c0fXNRWeR/fuq6/sH+vkh/VVtmYa/8g19YDZWRV+Eg9G/MNMPpZ7QPH+gAmuHE+YcFOoBaBDXnf8dwrMKq',
  'yh6lMQT+6F+hLPnePz3LC10IavQElKNBVqoh4PyxWpAvsqqQGsFHLoBGD56gWSbRJqBEq/tCAAiz8Xuc57h+H7MBHwqB',
  'R+rns/5E+LsQVApBeTgcuPmHPX9KEYAN3Hz0r3L86TfMgqHgOoAqu5cfGL6NMongzlJweHgflERQNQB3b0OCzwN4uUKQ',
  'fxZA6kZcgIKp7MV+HNrxIQAgDF/mml93Gl3zsmu4PBsJ1gCUV8Vb76xwFCwOWdUCWI+AImfPEtY9x3ykYBBtFxSWUe4e',
  'M8ZiZ6GDLcBot8L9BVAuXjtvJ/1qA9DURGFl3gLs1qgH6GtiekcylBgcQEehYqTNLLkawwwMwJE0mvEILIDZcgB/McB3',
  'I19R+2dMAL2tTuyDLcD3Gv9vT7D2F6oF8FfY+773Mvdt1O6GYRMMW38GYOktAHQZWerf/pvnrxEPsBDite51AG0RKLU5',
  'M/ggAOzN2NQhb9cOA/CuUSfN0QHmyAE4AAfgAByAA3AADsABbA7wC/ajaKGmteQHAAAAAElFTkSuQmCC',
].join('');

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
