"""Frames -> samples: a source, a filter, and no learned weights, so that it becomes part of the ONNX graph.

Speech = pulses of the vocal folds and noise, each band mixed by its voicing strength, through the minimum-phase filter of
the mel-cepstrum. Every 5 ms, in the Fourier domain, overlapped and added. The noise is stored: same ids, same samples.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from model import BANDS, CEPSTRA

SAMPLE_RATE = 16000
HOP, WINDOW, FFT = 80, 240, 512
BINS = FFT // 2 + 1
WARPING = 0.42  # of the mel-cepstrum: Flite's mlsa_alpha
HIGHEST_HARMONIC_HZ = 7700.0
NOISE_S = 4
LIMIT_FROM = 0.7


def smooth_noise(rng, count, width):
    window = np.hanning(width)
    return np.convolve(rng.standard_normal(count), window / np.sqrt((window**2).sum()), "same")


class Vocoder(nn.Module):
    """
    band_filters: impulse responses of the teacher's five excitation filters [5, taps]
    gain: of the samples
    sharpening: how much deeper the valleys between formants are than the teacher's, 0.4 = 40 %
    pitch_shift: semitones
    pitch_scale: of the movement around pitch_centre (log Hz)
    wander: deviation of the random pitch movement, log Hz
    presence_db: of voiced sounds above 4 kHz, rising from 1.5 kHz
    air_db: of all sounds above 5 kHz, rising from 3.5 kHz
    formant_scale: below 1 a longer vocal tract than the teacher's, above 1 a shorter
    """

    def __init__(self, band_filters, gain, pitch_centre, sharpening=0.4, pitch_shift=0.0, pitch_scale=1.0, wander=0.006, presence_db=3.0, air_db=0.0, formant_scale=1.0, seed=7):
        super().__init__()
        self.gain, self.wander = gain, wander
        self.pitch_centre, self.pitch_shift, self.pitch_scale = pitch_centre, pitch_shift * np.log(2) / 12, pitch_scale
        rng = np.random.default_rng(seed)

        def constant(name, value):
            self.register_buffer(name, torch.tensor(np.asarray(value), dtype=torch.float32))

        omega = np.arange(BINS) * 2 * np.pi / FFT
        hz = omega / np.pi * SAMPLE_RATE / 2
        read_at = np.minimum(omega / formant_scale, np.pi)
        warped = read_at + 2 * np.arctan2(WARPING * np.sin(read_at), 1 - WARPING * np.cos(read_at))
        order = np.arange(CEPSTRA)[:, None]
        constant("log_amplitude", np.cos(order * warped).T[None])
        constant("phase", -np.sin(order * warped).T[None])
        bands = np.abs(np.fft.rfft(np.asarray(band_filters), FFT, axis=1))
        constant("bands", (bands / np.maximum(bands.sum(0, keepdims=True), 1e-3)).T[None])
        # Pulses are spread a little in time, the more the higher: less buzz.
        delay = smooth_noise(rng, BINS, 31) * 0.0005 * np.clip((hz - 1200) / 2500, 0, 1)
        constant("dispersion", (-np.cumsum(delay) * 2 * np.pi * hz[1])[None, :, None])
        constant("no_direct_current", np.clip((hz - 15) / 60, 0, 1)[None, :, None])
        to_log = np.log(10) / 20
        presence = np.clip(np.log2(np.maximum(hz, 1) / 1500) / np.log2(4000 / 1500), 0, 1) * presence_db * to_log
        constant("presence", presence[None, :, None])
        constant("air", (np.clip((hz - 3500) / 1500, 0, 1) * air_db * to_log)[None, :, None])
        sharpen = np.ones(CEPSTRA)
        sharpen[2:] += sharpening
        constant("sharpen", sharpen[None, :, None])
        # Fourier transforms as convolutions; time 0 is the middle of a window.
        n = np.arange(WINDOW)
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * n / WINDOW)
        angle = omega[:, None] * (n - WINDOW // 2)
        constant("analysis", np.concatenate([np.cos(angle), -np.sin(angle)])[:, None, :] * hann)
        angle = omega[:, None] * (np.arange(FFT) - WINDOW // 2)
        both_sides = np.full((BINS, 1), 2.0)
        both_sides[0] = both_sides[-1] = 1
        synthesis = np.concatenate([both_sides * np.cos(angle), -both_sides * np.sin(angle)])
        constant("synthesis", synthesis[:, None, :] / FFT / 1.5)
        constant("noise", np.clip(rng.standard_normal(SAMPLE_RATE * NOISE_S), -2.2, 2.2))
        constant("drift", smooth_noise(rng, 1994, 13))
        constant("inside_hop", (np.arange(HOP) + 0.5) / HOP)

    def forward(self, frames, noise_scale):
        """frames [1, 32, T] of 10 ms -> samples [1, 1, T * 160]"""
        frames = halved(frames)
        voicing = torch.sigmoid((frames[:, :1] - 0.5) * 12)
        pulses, noise = self.source(frames[0, 1], voicing[0, 0], noise_scale)
        amplitude, phase = self.filter(frames[:, 2 : 2 + CEPSTRA], voicing)
        strengths = torch.matmul(self.bands, frames[:, 2 + CEPSTRA :].clamp(0, 1))
        against = 1 - strengths
        share = voicing * strengths * strengths / (strengths * strengths + against * against + 1e-6)
        # Together they have the power of one; hiss is about as loud as the teacher's.
        pulse_gain = torch.sqrt(share + 1e-9)
        noise_gain = torch.sqrt((1 - share).clamp(min=0) + 1e-6) * (0.64 + 0.36 * voicing)

        padding = WINDOW // 2 - HOP // 2
        spectra = F.conv1d(F.pad(torch.cat([pulses, noise], 0), (padding, padding)), self.analysis, stride=HOP)
        pulse_cos, pulse_sin = torch.cos(phase + self.dispersion), torch.sin(phase + self.dispersion)
        noise_cos, noise_sin = torch.cos(phase), torch.sin(phase)
        pulse_re, pulse_im = spectra[:1, :BINS] * pulse_gain, spectra[:1, BINS:] * pulse_gain
        noise_re, noise_im = spectra[1:, :BINS] * noise_gain, spectra[1:, BINS:] * noise_gain
        re = pulse_re * pulse_cos - pulse_im * pulse_sin + noise_re * noise_cos - noise_im * noise_sin
        im = pulse_re * pulse_sin + pulse_im * pulse_cos + noise_re * noise_sin + noise_im * noise_cos
        samples = F.conv_transpose1d(torch.cat([amplitude * re, amplitude * im], 1), self.synthesis, stride=HOP)
        samples = samples[:, :, padding:][:, :, : frames.shape[2] * HOP] * self.gain
        return limited(samples)

    def source(self, log_pitch, voicing, noise_scale):
        """Band-limited pulses with an exact phase, and noise that pulsates with them; [1, 1, samples] each"""
        moved = self.pitch_centre + self.pitch_shift + (log_pitch - self.pitch_centre) * self.pitch_scale
        drift = repeated(self.drift, log_pitch) * self.wander * noise_scale * 1.5
        hz = torch.exp(moved + drift).clamp(50, 400)
        first = torch.cat([hz[:1], (hz[1:] + hz[:-1]) / 2])
        last = torch.cat([first[1:], hz[-1:]])
        # The phase at the start of each hop in 64 bits, in closed form inside: it doesn't drift.
        advance = ((first + last) * (0.5 * HOP / SAMPLE_RATE)).double()
        before = torch.cumsum(advance, 0) - advance
        before = (before - torch.floor(before)).float().unsqueeze(1)
        first, last, inside = first.unsqueeze(1), last.unsqueeze(1), self.inside_hop.unsqueeze(0)
        phase = before + (first * inside + (last - first) * (inside * inside * 0.5)) * (HOP / SAMPLE_RATE)
        phase = phase - torch.floor(phase)
        hz = first + (last - first) * inside

        # The sum of all harmonics below the highest, the topmost fading in: a Dirichlet kernel.
        harmonics = HIGHEST_HARMONIC_HZ / hz
        whole = torch.floor(harmonics)
        sine = torch.sin(np.pi * phase)
        at_peak = sine.abs() < 1e-4
        kernel = torch.sin((2 * whole + 1) * np.pi * phase) / torch.where(at_peak, torch.ones_like(sine), sine)
        kernel = torch.where(at_peak, 2 * whole + 1, kernel)
        pulses = 0.5 * (kernel - 1) + (harmonics - whole) * torch.cos(2 * np.pi * (whole + 1) * phase)
        pulses = pulses * torch.sqrt(4 * hz / SAMPLE_RATE)

        voicing = voicing.unsqueeze(1)
        noise = repeated(self.noise, phase.reshape(-1)).reshape(phase.shape)
        noise = noise * (1 + 0.5 * voicing * torch.cos(2 * np.pi * phase)) * (1 - 0.06 * voicing)
        return pulses.reshape(1, 1, -1), noise.reshape(1, 1, -1)

    def filter(self, cepstra, voicing):
        """Amplitude and phase of each bin [1, BINS, T]; sharpening keeps a frame as loud as it was"""
        sharpened = cepstra * self.sharpen
        level = torch.matmul(self.log_amplitude, sharpened)
        level = level + 0.5 * (log_power(torch.matmul(self.log_amplitude, cepstra)) - log_power(level))
        amplitude = torch.exp((level + self.presence * voicing + self.air).clamp(max=12)) * self.no_direct_current
        return amplitude, torch.matmul(self.phase, sharpened)


def log_power(level):
    return torch.log(torch.exp(2 * (level - 8)).mean(1, keepdim=True) + 1e-20)


def halved(frames):
    """10 ms frames -> 5 ms frames, in straight lines."""
    before = torch.cat([frames[:, :, :1], frames[:, :, :-1]], 2)
    after = torch.cat([frames[:, :, 1:], frames[:, :, -1:]], 2)
    both = torch.stack([0.75 * frames + 0.25 * before, 0.75 * frames + 0.25 * after], 3)
    return both.reshape(frames.shape[0], frames.shape[1], -1)


def repeated(buffer, like):
    """As much of the endlessly repeated buffer as `like` is long; its length may be known only when it runs."""
    return buffer[torch.arange(like.shape[0], device=like.device) % buffer.shape[0]]


def limited(samples):
    size = samples.abs()
    room = 0.99 - LIMIT_FROM
    return torch.where(size < LIMIT_FROM, samples, torch.sign(samples) * (LIMIT_FROM + room * torch.tanh((size - LIMIT_FROM) / room)))
