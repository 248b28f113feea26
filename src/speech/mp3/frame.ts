/** Kbit/s by the four bits of a frame header, layer III. */
const MPEG1_BIT_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_BIT_RATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Hz by the two bits of a frame header, for MPEG-1; MPEG-2 halves and MPEG-2.5 quarters it. */
const MPEG1_SAMPLE_RATES = [44_100, 48_000, 32_000];

/** Length of a frame header in bytes. */
export const FRAME_HEADER_BYTES = 4;

/**
 * Writes the header of a mono layer III frame without CRC and without a padding slot.
 * @returns the four bytes and the length of the whole frame
 * @throws RangeError where MP3 has no such frame
 */
export function frameHeader(
  sampleRateHz: number,
  bitRateKbps: number,
): { bytes: Uint8Array; frameBytes: number } {
  const divisor = sampleRateHz >= 32_000 ? 1 : sampleRateHz >= 16_000 ? 2 : 4;
  const version = divisor === 1 ? 0b11 : divisor === 2 ? 0b10 : 0b00;
  const rateIndex = MPEG1_SAMPLE_RATES.indexOf(sampleRateHz * divisor);
  const bitRateIndex = (divisor === 1 ? MPEG1_BIT_RATES : MPEG2_BIT_RATES).indexOf(bitRateKbps);
  if (rateIndex < 0 || bitRateIndex < 1) {
    throw new RangeError(`no MP3 frame has ${bitRateKbps} kbit/s at ${sampleRateHz} Hz`);
  }
  const bytes = new Uint8Array(FRAME_HEADER_BYTES);
  bytes[0] = 0xff;
  bytes[1] = 0xe0 | (version << 3) | 0b011;
  bytes[2] = (bitRateIndex << 4) | (rateIndex << 2);
  bytes[3] = 0b11_00_0_1_00;
  return { bytes, frameBytes: frameLength(bytes, 0) };
}

/**
 * @param offset where a frame header begins
 * @returns the length of that frame in bytes, padding slot included
 * @throws RangeError if no layer III frame begins there
 */
export function frameLength(bytes: Uint8Array, offset: number): number {
  const [sync = 0, versionAndLayer = 0, rates = 0] = bytes.subarray(offset, offset + 3);
  const version = (versionAndLayer >> 3) & 0b11;
  const bitRates = version === 0b11 ? MPEG1_BIT_RATES : MPEG2_BIT_RATES;
  const bitRateKbps = bitRates[rates >> 4] ?? 0;
  const divisor = version === 0b11 ? 1 : version === 0b10 ? 2 : 4;
  const sampleRateHz = (MPEG1_SAMPLE_RATES[(rates >> 2) & 0b11] ?? 0) / divisor;
  const isLayer3 = sync === 0xff && (versionAndLayer & 0b1110_0110) === 0b1110_0010;
  if (!isLayer3 || bitRateKbps === 0 || sampleRateHz === 0) {
    throw new RangeError(`no MP3 frame begins at byte ${offset}`);
  }
  const bytesTimesHz = (version === 0b11 ? 144_000 : 72_000) * bitRateKbps;
  return Math.floor(bytesTimesHz / sampleRateHz) + ((rates >> 1) & 1);
}

/** Bytes of side information after the header of a mono frame. */
export function sideInfoBytes(sampleRateHz: number): number {
  return sampleRateHz >= 32_000 ? 17 : 9;
}
