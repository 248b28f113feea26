"""Recordings at the model's rate of frames: reading, mel spectrum."""
import functools
import os

import numpy as np

RATE, HOP = 16000, 200                # 80 frames a second
WINDOW, FFT = 400, 512


def find_recording(folder, name):
    """Path of NAME.wav or NAME.opus, or None."""
    return next((path for path in (os.path.join(folder, name + end) for end in (".wav", ".opus")) if os.path.exists(path)), None)


def read_recording(folder, name):
    """16 kHz, mono. Length: whole frames."""
    import soundfile
    samples, rate = soundfile.read(find_recording(folder, name), dtype="float32")
    if rate != RATE:
        from scipy.signal import resample_poly
        samples = resample_poly(samples, RATE, rate)
    return samples[:len(samples) // HOP * HOP]


@functools.lru_cache(maxsize=64)
def mel_matrix(bands, top_hz, warp):
    """[FFT bins, bands] triangles of equal sum from 60 Hz."""
    mel = lambda hertz: 2595 * np.log10(1 + hertz / 700)
    points = 700 * (10 ** (np.linspace(mel(60), mel(top_hz), bands + 2) / 2595) - 1) / warp
    f = np.arange(FFT // 2 + 1) * RATE / FFT
    w = np.maximum(0, np.minimum((f[:, None] - points[None, :-2]) / (points[1:-1] - points[:-2]),
                                 (points[None, 2:] - f[:, None]) / (points[2:] - points[1:-1])))
    return w / np.maximum(w.sum(0), 1e-9)


def log_mel(samples, bands, top_hz, warp=1.0):
    """[frames, bands]; frame t is centred on sample HOP · (t + 0.5). warp: shifts the bands, as another vocal tract does."""
    return np.log(power_spectrum(samples) @ mel_matrix(bands, top_hz, round(warp, 2)) + 1e-9)


def power_spectrum(samples):
    """[frames, FFT bins]"""
    around = (WINDOW - HOP) // 2
    padded = np.pad(samples, (around, around))
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP] * np.hanning(WINDOW)
    return abs(np.fft.rfft(windows, FFT)) ** 2


PITCH_HZ = (110, 420)
CANDIDATES = 4
# costs of the path through the candidates, against an autocorrelation of 1
UNVOICED, OCTAVE, JUMP, CHANGE = 0.5, 0.02, 0.5, 0.12


def autocorrelation(samples):
    """[frames, lags] of Hann windows of 35 ms, each over that of the window itself."""
    size = int(0.035 * RATE)
    around = (size - HOP) // 2
    window = np.hanning(size)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(samples, (around, around)), size)[::HOP]
    windows = (windows - windows.mean(1, keepdims=True)) * window
    power = abs(np.fft.rfft(windows, 2048)) ** 2
    power[:, int(1500 * 2048 / RATE):] *= 0.05                # noise of fricatives
    r = np.fft.irfft(power)[:, :RATE // PITCH_HZ[0] + 2]
    of_window = np.fft.irfft(abs(np.fft.rfft(window, 2048)) ** 2)[:r.shape[1]]
    return r / np.maximum(r[:, :1], 1e-9) / (of_window / of_window[0])


def track_pitch(samples):
    """Pitch of each frame in Hz, 0 where unvoiced: the best path through the highest peaks of the autocorrelation."""
    r = autocorrelation(samples)
    frames = len(r)
    lags = np.arange(RATE // PITCH_HZ[1], r.shape[1] - 1)
    center, before, after = r[:, lags], r[:, lags - 1], r[:, lags + 1]
    peak = np.where((center > before) & (center >= after), center - OCTAVE * np.log2(lags / lags[0]), -1)
    top = np.argsort(-peak, 1)[:, :CANDIDATES]
    rows = np.arange(frames)[:, None]
    a, b, c = before[rows, top], center[rows, top], after[rows, top]
    shift = np.clip(0.5 * (a - c) / np.minimum(a - 2 * b + c, -1e-6), -0.5, 0.5)
    hertz = np.concatenate([RATE / (lags[top] + shift), np.ones((frames, 1))], 1)
    level = np.sqrt(log_mel_power(samples))
    quiet = np.clip(1 - level / (0.03 * np.percentile(level, 95)), 0, 1)
    score = np.concatenate([peak[rows, top], UNVOICED + quiet[:, None]], 1)
    log = np.log2(hertz)
    voiced = np.append(np.ones(CANDIDATES), 0)
    change = CHANGE * abs(voiced[:, None] - voiced[None])
    both = JUMP * voiced[:, None] * voiced[None]
    best, back = score[0], np.zeros((frames, CANDIDATES + 1), int)
    for t in range(1, frames):
        value = best[:, None] - change - both * abs(log[t - 1][:, None] - log[t][None])
        back[t] = value.argmax(0)
        best = value.max(0) + score[t]
    pitch, state = np.zeros(frames), int(best.argmax())
    for t in range(frames - 1, -1, -1):
        pitch[t] = hertz[t, state] if state < CANDIDATES else 0
        state = back[t, state]
    return pitch


def log_mel_power(samples):
    """Power of the frames below 6.4 kHz."""
    return np.exp(log_mel(samples, 24, 6400)).sum(1)
