"""The model of the built-in voices: two networks that are trained separately and exported as one graph.

Prosody: Piper ids → durations; with the durations → pitch, voicing and energy of each frame (80 frames a second).
Sound:   ids, repeated for their frames, pitch, voicing and energy → filters of a pulse train and of noise → samples at 24 kHz.

Attribute names of modules are names in checkpoints. Shapes: B sentences, L symbols, T frames, C channels.
"""
import contextlib
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE = 24000                          # Hz
SYMBOLS = 256                         # size of Piper's id table

# Pulses (the voiced part): a frame has 300 samples, a Hann window two frames. The spectrum has 1024 bins, so that the impulse
# response of the filter (a minimum-phase one and a complex correction) has room behind the window.
HOP, WINDOW, FFT = 300, 600, 1024
BINS = FFT // 2 + 1
POINTS = 128                          # of the filter's curves: linear up to 4 kHz, logarithmic above
SLOPE_DB = 40.0                       # fall of the pulse's spectrum from 0 Hz to 12 kHz; the filter adds it again

# Noise: sub-frames of 100 samples (4 ms), so that plosive bursts stay short; a real filter with 40 mel points.
NOISE_HOP, NOISE_WINDOW, NOISE_FFT, NOISE_POINTS = 100, 200, 256, 40
NOISE_BINS = NOISE_FFT // 2 + 1
SUBFRAMES = HOP // NOISE_HOP
START_FRAMES = 2                      # silence before a sentence of the adapted speaker, whose training data had none
NOISE_FRAMES = 160                    # the stored noise repeats after 2 s


def interpolation_matrix(points, bins):
    """[len(points), len(bins)]: linear interpolation weights."""
    basis = np.zeros((len(points), len(bins)))
    for i, f in enumerate(bins):
        k = min(max(np.searchsorted(points, f, side="right") - 1, 0), len(points) - 2)
        w = (f - points[k]) / (points[k + 1] - points[k])
        basis[k, i], basis[k + 1, i] = 1 - w, w
    return torch.tensor(basis, dtype=torch.float32)


def filter_basis():
    """[POINTS, BINS]: values at the points of a curve → values in all bins."""
    half = POINTS // 2
    low = np.linspace(0, 4000, half, endpoint=False)
    high = 4000 * (RATE / 2 / 4000) ** (np.linspace(0, 1, POINTS - half))
    return interpolation_matrix(np.concatenate([low, high]), np.arange(BINS) * RATE / FFT)


def noise_basis():
    """[NOISE_POINTS, NOISE_BINS]: the same for the noise, on the mel scale."""
    top = 2595 * np.log10(1 + RATE / 2 / 700)
    points = 700 * (10 ** (np.linspace(0, top, NOISE_POINTS) / 2595) - 1)
    points[-1] = RATE / 2 + 1
    return interpolation_matrix(points, np.arange(NOISE_BINS) * RATE / NOISE_FFT)


def dft(window, fft):
    """DFT of a Hann-windowed frame in the middle of fft samples, [2 bins, window], and inverse DFT, [2 bins, fft]; real parts
    first. As matrices, because ONNX has no inverse real DFT and not every runtime a DFT."""
    bins = fft // 2 + 1
    k = np.arange(bins)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    n = np.arange(window) + (fft - window) // 2
    angle = 2 * np.pi * (np.outer(k, n) % fft) / fft
    analysis = np.concatenate([np.cos(angle) * hann, -np.sin(angle) * hann])
    n = np.arange(fft)
    angle = 2 * np.pi * (np.outer(k, n) % fft) / fft
    weight = np.where((k == 0) | (k == fft // 2), 1.0, 2.0)[:, None] / fft
    synthesis = np.concatenate([np.cos(angle) * weight, -np.sin(angle) * weight])
    return torch.tensor(analysis, dtype=torch.float32), torch.tensor(synthesis, dtype=torch.float32)


def minimum_phase_matrix():
    """[BINS, BINS]: log magnitude → phase of the minimum-phase filter, by way of the real cepstrum."""
    k, n = np.arange(BINS), np.arange(1, FFT // 2)
    weight = np.where((k == 0) | (k == FFT // 2), 1.0, 2.0) / FFT
    to_cepstrum = np.cos(2 * np.pi * (np.outer(k, n) % FFT) / FFT) * weight[:, None]
    return torch.tensor(to_cepstrum @ (-2 * np.sin(2 * np.pi * (np.outer(n, k) % FFT) / FFT)), dtype=torch.float32)


def bfloat16_on_cuda(is_wanted):
    """Without CUDA the autocast of torch 1.13 fails even when it is not enabled."""
    return torch.autocast("cuda", torch.bfloat16) if is_wanted else contextlib.nullcontext()


class Adapted(nn.Linear):
    """Linear layer with a low-rank correction for one speaker: other speakers get the same output as without it."""

    def __init__(self, linear, rank):
        super().__init__(linear.in_features, linear.out_features)
        self.inward = nn.Parameter(torch.randn(linear.in_features, rank) * linear.in_features ** -0.5)
        self.outward = nn.Parameter(torch.zeros(rank, linear.out_features))
        self.gate = 1.0                                       # 1 for the speaker, 0 for others

    def forward(self, x):
        return super().forward(x) + ((x @ self.inward) * self.gate) @ self.outward


def adapt(network, rank):
    """Adds corrections to the linear layers of a network, except to layers that are about as small as a correction."""
    if rank:
        for module in list(network.modules()):
            for name, child in module.named_children():
                if isinstance(child, nn.Linear) and min(child.in_features, child.out_features) > 4 * rank:
                    setattr(module, name, Adapted(child, rank))


def set_gate(network, gate):
    for module in network.modules():
        if isinstance(module, Adapted):
            module.gate = gate


class Block(nn.Module):
    """ConvNeXt block: depthwise convolution in time, layer norm, two pointwise layers, residual. [B, T, C] → [B, T, C]."""

    def __init__(self, size, hidden, dilation=1, kernel=5):
        super().__init__()
        self.depth = nn.Conv1d(size, size, kernel, padding=dilation * (kernel // 2), dilation=dilation, groups=size)
        self.norm = nn.LayerNorm(size)
        self.up, self.down = nn.Linear(size, hidden), nn.Linear(hidden, size)
        self.scale = nn.Parameter(torch.full((size,), 0.3))

    def forward(self, x, mask=None):                          # mask [B, T, 1]: 0 in padding
        if mask is not None:
            x = x * mask
        y = self.depth(x.transpose(1, 2)).transpose(1, 2)
        return x + self.scale * self.down(F.relu(self.up(self.norm(y))))


def rotary_tables(size, length, device):
    """cos and sin of rotary positions: [length, size / 2]."""
    at = torch.arange(length, device=device).float().unsqueeze(1)
    rate = torch.exp(-math.log(2000.0) * torch.arange(size // 2, device=device).float() / (size // 2)).unsqueeze(0)
    return torch.cos(at * rate), torch.sin(at * rate)


class Attention(nn.Module):
    """Self-attention with rotary positions, and a feed-forward block with a convolution."""

    def __init__(self, size, heads, hidden):
        super().__init__()
        self.heads, self.each = heads, size // heads
        self.norm = nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.block = Block(size, hidden)

    def rotate(self, x, cos, sin):
        a, b = x[..., :self.each // 2], x[..., self.each // 2:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    def forward(self, x, cos, sin, mask):                     # mask [B, L, 1] or None
        b, length, size = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, length, 3, self.heads, self.each).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        score = q @ k.transpose(2, 3) * self.each ** -0.5
        if mask is not None:
            score = score + (mask.reshape(b, 1, 1, length) - 1) * 1e4
        y = (score.softmax(-1) @ v).permute(0, 2, 1, 3).reshape(b, length, size)
        return self.block(x + self.out(y), mask)


def length_regulator(hidden, frames, t, place):
    """Repeats each symbol's vector for its frames and adds an embedding of the frame's position in its symbol.

    hidden: [B, L, C]; frames: [B, L] integers; t: [B, T] indices of the wanted frames; place: linear layer from 4 to C channels."""
    ends = frames.cumsum(1)
    if torch.onnx.is_in_onnx_export():        # ONNX has no searchsorted
        index = (t.unsqueeze(2) >= ends.unsqueeze(1)).sum(2)
    else:
        index = torch.searchsorted(ends, t, right=True)
    index = index.clamp(max=frames.shape[1] - 1)
    start = (ends - frames).gather(1, index)
    length = frames.gather(1, index).clamp(min=1).float()
    offset = (t - start).float() + 0.5
    position = torch.stack([offset / length, (length + 1).log(), (offset + 1).clamp(min=0.5).log(),
                            (length - offset + 1).clamp(min=0.5).log()], 2)
    return hidden.gather(1, index.unsqueeze(2).expand(-1, -1, hidden.shape[2])) + place(position)


class Prosody(nn.Module):
    """Attention over symbols for the durations, then dilated convolutions over frames for pitch, voicing and energy."""

    def __init__(self, speakers=5, size=256, heads=4, hidden=768, layers=5, frame_blocks=5, frame_hidden=512, drop=0.1,
                 rank=0):
        super().__init__()
        self.config = dict(speakers=speakers, size=size, heads=heads, hidden=hidden, layers=layers, frame_blocks=frame_blocks,
                           frame_hidden=frame_hidden, rank=rank)
        self.size, self.heads = size, heads
        self.embed, self.speaker = nn.Embedding(SYMBOLS, size), nn.Embedding(speakers, size)
        self.first = Block(size, 512)
        self.layers = nn.ModuleList([Attention(size, heads, hidden) for _ in range(layers)])
        self.duration = nn.ModuleList([Block(size, 512), Block(size, 512)])
        self.frames = nn.Linear(size, 1)
        self.place = nn.Linear(4, size)
        self.speaker2 = nn.Embedding(speakers, size)
        self.melody = nn.ModuleList([Block(size, frame_hidden, (1, 3, 9, 27, 1, 3)[i % 6]) for i in range(frame_blocks)])
        self.pitch = nn.Linear(size, 3)
        self.base = nn.Parameter(torch.zeros(speakers), requires_grad=False)    # log of the speaker's median pitch
        self.drop = nn.Dropout(drop)
        nn.init.normal_(self.embed.weight, std=0.5)
        nn.init.normal_(self.speaker.weight, std=0.3)
        nn.init.normal_(self.speaker2.weight, std=0.3)
        with torch.no_grad():
            self.frames.bias.fill_(1.95)                      # log(1 + 6 frames): a phoneme of 75 ms
        adapt(self, rank)

    def encode(self, symbols, speaker, mask=None):
        """symbols [B, L], speaker [B] → hidden [B, L, C], log(1 + frames) [B, L]."""
        x = self.embed(symbols) + self.speaker(speaker).unsqueeze(1)
        x = self.first(x, mask)
        cos, sin = rotary_tables(self.size // self.heads, symbols.shape[1], symbols.device)
        for layer in self.layers:
            x = self.drop(layer(x, cos, sin, mask))
        y = x
        for block in self.duration:
            y = block(y, mask)
        return x, self.frames(y).squeeze(-1)

    def contours(self, hidden, frames, t, speaker, mask=None):
        """→ [B, T, 3]: log pitch over the speaker's median, voicing (logit), energy (the teacher's / 4 − 1)."""
        x = length_regulator(hidden, frames, t, self.place) + self.speaker2(speaker).unsqueeze(1)
        for block in self.melody:
            x = block(x, mask)
        return self.pitch(x)


class Sound(nn.Module):
    """Convolutions over frames that set the filters of a source-filter vocoder.

    Per frame: log magnitude and a complex correction of the pulse filter, log magnitudes of the noise filter for each sub-frame,
    and how the noise is modulated with the pitch period (cosine and sine)."""

    OUT = 3 * POINTS + SUBFRAMES * NOISE_POINTS + 2

    def __init__(self, speakers=5, text=192, text_blocks=4, frame=320, hidden=960, blocks=8, rank=0):
        super().__init__()
        self.config = dict(speakers=speakers, text=text, text_blocks=text_blocks, frame=frame, hidden=hidden, blocks=blocks, rank=rank)
        self.embed = nn.Embedding(SYMBOLS, text)
        self.text = nn.ModuleList([Block(text, 3 * text, (1, 2, 4)[i % 3]) for i in range(text_blocks)])
        self.place = nn.Linear(4, text)
        self.join = nn.Linear(text + 3, frame)
        self.speaker = nn.Embedding(speakers, frame)
        self.speak = nn.ModuleList([nn.Embedding(speakers, frame) for _ in range(blocks)])   # speaker embedding of each block
        self.sound = nn.ModuleList([Block(frame, hidden, (1, 2, 4, 1, 2, 4, 1, 1)[i % 8], 7) for i in range(blocks)])
        self.last = nn.LayerNorm(frame)
        self.filters = nn.Linear(frame, self.OUT)
        self.bias = nn.Embedding(speakers, self.OUT)
        self.offset = nn.Embedding(speakers, 1)               # of the pulses against the teacher's phase, in cycles
        self.start_quiet()
        adapt(self, rank)
        self.register_constants()

    def start_quiet(self):
        """First values near the level of speech: training starts with an even, quiet spectrum."""
        with torch.no_grad():
            for embedding in [self.speaker, *self.speak]:
                embedding.weight.mul_(0.2)
            self.filters.weight.mul_(0.3)
            self.filters.bias.zero_()
            self.bias.weight.zero_()
            self.bias.weight[:, :POINTS] = -3.5
            self.bias.weight[:, POINTS:2 * POINTS] = -1.0
            self.bias.weight[:, 3 * POINTS:-2] = -6.0
            self.offset.weight.fill_(0.36)

    def register_constants(self):
        analysis, synthesis = dft(WINDOW, FFT)
        noise_analysis, noise_synthesis = dft(NOISE_WINDOW, NOISE_FFT)
        basis = filter_basis()
        for name, value in {
            "analysis": analysis, "synthesis": synthesis, "noise_analysis": noise_analysis, "noise_synthesis": noise_synthesis,
            "basis": basis, "noise_basis": noise_basis(), "minimum_phase": basis @ minimum_phase_matrix(),
            "slope": 10 ** (torch.arange(BINS) / (BINS - 1) * SLOPE_DB / 20),
            # the same noise in every sentence: same ids, same samples
            "noise": torch.randn(NOISE_FRAMES * HOP, generator=torch.Generator().manual_seed(1)),
        }.items():
            self.register_buffer(name, value, persistent=False)

    def encode(self, symbols, mask=None):
        """[B, L] → [B, L, text]."""
        x = self.embed(symbols)
        for block in self.text:
            x = block(x, mask)
        return x

    @staticmethod
    def phase(hertz):
        """[B, T] Hz → phase in cycles at the middle of each frame; the teacher counts it the same way, so samples can be compared."""
        return ((hertz * (HOP / RATE)).double().cumsum(1) % 1.0).to(hertz.dtype)

    def angles(self, phase, hertz, following, speaker):
        """[B, T, HOP]: phase in cycles of every sample, linear between the middles of frames."""
        into = (torch.arange(HOP, device=hertz.device, dtype=hertz.dtype) + 0.5) / HOP - 0.5
        cycles, next_cycles = hertz * (HOP / RATE), following * (HOP / RATE)
        modulation = cycles.unsqueeze(2) * into.clamp(max=0) + next_cycles.unsqueeze(2) * into.clamp(min=0)
        return phase.unsqueeze(2) + modulation + self.offset(speaker).unsqueeze(2)

    def pulses(self, cycles, hertz, voiced):
        """[B, T · HOP]: sum of all cosines of the fundamental, falling by SLOPE_DB, of equal power at every pitch; 0 where unvoiced."""
        b, t = hertz.shape
        r = torch.exp(-(SLOPE_DB / 20 * math.log(10)) * hertz.clamp(min=40) / (RATE / 2)).unsqueeze(2)
        cos = torch.cos(cycles * (2 * math.pi))
        pulse = (1 - r * r) / (1 - 2 * r * cos + r * r) - 1
        gain = (voiced * hertz.clamp(min=1).rsqrt()).unsqueeze(2)
        return (pulse * gain).reshape(b, t * HOP)

    def forward(self, hidden, melody, phase, hertz, following, voiced, speaker, noise_at, mask=None):
        """hidden: [B, T, text]; melody: [B, T, 3] log pitch, voicing, energy; phase (cycles), hertz, following (pitch of the next
        frame), voiced: [B, T]; noise_at: [B] first frame of the stored noise; mask: [B, T, 1], 0 in padding → [B, T · HOP]."""
        cycles = self.angles(phase, hertz, following, speaker)
        pulse = self.pulses(cycles, hertz, voiced)
        x = self.join(torch.cat([hidden, melody], 2)) + self.speaker(speaker).unsqueeze(1)
        with bfloat16_on_cuda(mask is not None and x.is_cuda):
            for block, speak in zip(self.sound, self.speak):
                x = block(x + speak(speaker).unsqueeze(1), mask)
        out = self.filters(self.last(x.float())) + self.bias(speaker).unsqueeze(1)
        level, real, imaginary, noise_level, modulation = out.split([POINTS, POINTS, POINTS, SUBFRAMES * NOISE_POINTS, 2], 2)
        if mask is not None:
            level, noise_level = level * mask - 12 * (1 - mask), noise_level * mask - 14 * (1 - mask)
        return self.pulse_part(level, real, imaginary, pulse) + self.noise_part(noise_level, modulation, cycles, voiced, noise_at)

    def pulse_part(self, level, real, imaginary, pulse):
        """Filters the pulse train: magnitude exp(level), minimum phase, times the correction real + i · imaginary."""
        b, t, _ = level.shape
        log = level.clamp(-12, 6)
        magnitude, phase = torch.exp(log @ self.basis), log @ self.minimum_phase
        pulse = F.pad(pulse, (HOP, HOP))
        windows = torch.cat([pulse[:, :-HOP].reshape(b, t + 1, HOP), pulse[:, HOP:].reshape(b, t + 1, HOP)], 2)[:, :t]
        spectrum = windows @ self.analysis.T
        x, y = spectrum[..., :BINS] * self.slope, spectrum[..., BINS:] * self.slope
        u, v = magnitude * (real @ self.basis), magnitude * (imaginary @ self.basis)
        cos, sin = torch.cos(phase), torch.sin(phase)
        a, c = u * cos - v * sin, u * sin + v * cos
        filtered = torch.cat([x * a - y * c, x * c + y * a], 2)
        return self.overlap(filtered @ self.synthesis, HOP, FFT)

    def noise_part(self, noise_level, modulation, cycles, voiced, noise_at):
        """Noise, modulated with the pitch period where voiced, with magnitude exp(noise_level) in each sub-frame."""
        b, t, _ = noise_level.shape
        at = (torch.arange(t, device=noise_level.device).unsqueeze(0) + noise_at.unsqueeze(1)) % NOISE_FRAMES
        noise = self.noise.reshape(NOISE_FRAMES, HOP)[at]     # [B, T, HOP]
        a, c = torch.tanh(modulation).mul(voiced.unsqueeze(2)).split(1, 2)
        angle = cycles * (2 * math.pi)
        noise = (noise * (1 + a * torch.cos(angle) + c * torch.sin(angle))).reshape(b, t * HOP)
        noise = F.pad(noise, (NOISE_HOP, NOISE_HOP))
        parts = noise.reshape(b, t * SUBFRAMES + 2, NOISE_HOP)
        windows = torch.cat([parts[:, :-2], parts[:, 1:-1]], 2)                 # sub-frame k centred on sample 100 k
        gain = torch.exp(noise_level.reshape(b, t * SUBFRAMES, NOISE_POINTS).clamp(-14, 6) @ self.noise_basis)
        spectrum = (windows @ self.noise_analysis.T) * torch.cat([gain, gain], 2)
        return self.overlap(spectrum @ self.noise_synthesis, NOISE_HOP, NOISE_FFT)

    @staticmethod
    def overlap(frames, hop, fft):
        """Overlap-add: [B, T, fft], frame t centred on sample hop · t → [B, hop · T]."""
        b, t, _ = frames.shape
        parts = -(-fft // hop)
        cut = F.pad(frames, (0, parts * hop - fft)).reshape(b, t, parts, hop)
        total = sum(F.pad(cut[:, :, k], (0, 0, k, parts - 1 - k)) for k in range(parts))
        flat = total.reshape(b, (t + parts - 1) * hop)
        return flat[:, fft // 2:fft // 2 + t * hop]


class Voice(nn.Module):
    """The exported graph, with the interface of a Piper voice of several speakers.

    input [1, L] ids, input_lengths [1], scales [3] (noise_scale, length_scale, noise_w; only length_scale has an effect), sid [1]
    → samples [1, 1, N], durations [1, L] in frames for each input id."""

    def __init__(self, prosody, sound, adapted=-1):
        """adapted: number of the speaker whose corrections the layers have."""
        super().__init__()
        self.prosody, self.sound, self.adapted = prosody, sound, adapted

    def forward(self, input, input_lengths, scales, sid):
        prosody, sound = self.prosody, self.sound
        speaker = sid.clamp(0, len(prosody.base) - 1)
        gate = (speaker == self.adapted).float()
        set_gate(self, gate)
        # ids 0 to 2 are pad, start and end; ids outside the table are dropped
        ids = input[0] * (torch.arange(input.shape[1], device=input.device) < input_lengths[0])
        known_at = torch.nonzero((ids > 2) & (ids < SYMBOLS)).squeeze(1)
        known_ids = ids[known_at]
        symbols = torch.cat([torch.ones(1, dtype=torch.long), known_ids, torch.full((1,), 2)]).unsqueeze(0)
        hidden, duration = prosody.encode(symbols, speaker)
        frames = self.whole_frames(duration, known_ids, scales[1], START_FRAMES * gate)
        t = torch.arange(frames.sum(), device=ids.device).unsqueeze(0)
        contours = prosody.contours(hidden, frames, t, speaker)
        voiced = (contours[..., 1] > 0).float()
        log = contours[..., 0].clamp(-1.2, 1.4) * voiced
        hertz = torch.exp(log + prosody.base[speaker].unsqueeze(1)) * voiced
        melody = torch.stack([log, voiced, contours[..., 2]], 2)
        repeated = length_regulator(sound.encode(symbols), frames, t, sound.place)
        following = torch.cat([hertz[:, 1:], hertz[:, -1:]], 1)
        noise_at = torch.zeros(1, dtype=torch.long)
        samples = sound(repeated, melody, sound.phase(hertz), hertz, following, voiced, speaker, noise_at)
        # silence before and after the sentence counts for the first and the last id
        others = torch.zeros_like(ids)[1:]
        durations = torch.zeros_like(ids).scatter_add(0, known_at, frames[0, 1:-1])
        durations = durations + torch.cat([frames[0, :1], others]) + torch.cat([others, frames[0, -1:]])
        return samples.clamp(-1, 1).unsqueeze(0), durations.unsqueeze(0).float()

    @staticmethod
    def whole_frames(duration, known_ids, length_scale, min_start):
        """log(1 + frames) [1, L] → integers [1, L]. Ends are rounded, not lengths: errors do not add up.

        Limits: 50 ms of silence before a sentence, and at least so many frames; 125 ms after it, 1.9 s for a symbol."""
        frames = (torch.exp(duration.clamp(0, 5)) - 1).clamp(min=0)
        longest = torch.cat([torch.full((1,), 4.0), torch.full_like(known_ids, 150).float(), torch.full((1,), 10.0)])
        frames = torch.maximum(torch.minimum(frames, longest), torch.cat([min_start, torch.zeros_like(known_ids).float(), torch.zeros(1)]))
        ends = torch.round((frames * length_scale.clamp(0.1, 5)).cumsum(1))
        return torch.cat([ends[:, :1], ends[:, 1:] - ends[:, :-1]], 1).long()
