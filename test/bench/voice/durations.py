"""The stochastic duration predictor (VITS, section 2.2.2): a flow of rational-quadratic splines (Durkan et al. 2019).

Only the direction that speaks is here: noise and text in, logarithms of durations out.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from encoder import ChannelNorm

BINS = 10
BOUND = 5.0  # beyond it the spline is the identity
SMALLEST = 1e-3  # width and height of a bin, and slope at a knot


class SeparableConvs(nn.Module):
    """Dilated convolutions channel by channel, then across channels; residual."""

    def __init__(self, channels, kernel, layers=3):
        super().__init__()
        dilations = [kernel**layer for layer in range(layers)]
        self.convs_sep = nn.ModuleList(
            nn.Conv1d(channels, channels, kernel, groups=channels, dilation=d, padding=(kernel - 1) * d // 2)
            for d in dilations
        )
        self.convs_1x1 = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in dilations)
        self.norms_1 = nn.ModuleList(ChannelNorm(channels) for _ in dilations)
        self.norms_2 = nn.ModuleList(ChannelNorm(channels) for _ in dilations)

    def forward(self, x, mask):
        for sep, norm_1, pointwise, norm_2 in zip(self.convs_sep, self.norms_1, self.convs_1x1, self.norms_2):
            y = F.gelu(norm_1(sep(x * mask)))
            x = x + F.gelu(norm_2(pointwise(y)))
        return x * mask


class SplineFlow(nn.Module):
    """Changes the second of two channels by a spline that the first and the text give."""

    def __init__(self, channels, kernel):
        super().__init__()
        self.channels = channels
        self.pre = nn.Conv1d(1, channels, 1)
        self.convs = SeparableConvs(channels, kernel)
        self.proj = nn.Conv1d(channels, 3 * BINS - 1, 1)
        with torch.no_grad():
            # So that not the noise alone says how long a symbol lasts.
            self.proj.weight[: 2 * BINS] *= 8

    def forward(self, z, mask, text):
        first, second = torch.split(z, 1, dim=1)
        knots = self.proj(self.convs(self.pre(first) + text, mask)) * mask
        batch, count = z.size(0), z.size(2)
        knots = knots.reshape(batch, 1, -1, count).permute(0, 1, 3, 2)
        widths = knots[..., :BINS] / math.sqrt(self.channels)
        heights = knots[..., BINS : 2 * BINS] / math.sqrt(self.channels)
        second = inverse_spline(second, widths, heights, knots[..., 2 * BINS :])
        return torch.cat([first, second], 1) * mask


class Swap(nn.Module):
    def forward(self, z, mask, text):
        return torch.flip(z, [1])


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Parameter(torch.zeros(2, 1))
        self.logs = nn.Parameter(torch.zeros(2, 1))

    def forward(self, z, mask, text):
        return (z - self.m) * torch.exp(-self.logs) * mask


class DurationPredictor(nn.Module):
    def __init__(self, channels, speaker_channels, kernel=3, flows=4):
        super().__init__()
        self.pre = nn.Conv1d(channels, channels, 1)
        self.convs = SeparableConvs(channels, kernel)
        self.proj = nn.Conv1d(channels, channels, 1)
        if speaker_channels:
            self.cond = nn.Conv1d(speaker_channels, channels, 1)
        # The flow nearest to the durations is left out when one speaks, as VITS does.
        splines = [[Swap(), SplineFlow(channels, kernel)] for _ in range(flows - 1)]
        self.flows = nn.ModuleList([step for pair in splines for step in pair] + [Swap(), Affine()])

    def forward(self, x, mask, speaker, noise_scale):
        """x [B, C, N] -> logarithm of the frames of each symbol [B, 1, N]"""
        x = self.pre(x)
        if speaker is not None:
            x = x + self.cond(speaker)
        text = self.proj(self.convs(x, mask)) * mask
        z = torch.randn(x.size(0), 2, x.size(2)).type_as(x) * noise_scale
        for flow in self.flows:
            z = flow(z, mask, text)
        return torch.split(z, 1, dim=1)[0]


def inverse_spline(inputs, widths, heights, slopes):
    """inputs [B, 1, N]; for each of them 10 widths, 10 heights and 9 inner slopes, all of them unbounded."""
    inside = (inputs >= -BOUND) & (inputs <= BOUND)
    outside = ~inside
    # The slope at both ends is 1, that of the identity beyond them.
    slopes = F.pad(slopes, (1, 1), value=math.log(math.exp(1 - SMALLEST) - 1))
    outputs = torch.zeros_like(inputs)
    outputs[outside] = inputs[outside]
    outputs[inside] = inverse_inside(inputs[inside], widths[inside, :], heights[inside, :], slopes[inside, :])
    return outputs


def inverse_inside(y, widths, heights, slopes):
    x_knots, widths = knots_of(widths)
    y_knots, heights = knots_of(heights)
    slopes = SMALLEST + F.softplus(slopes)
    ends = y_knots.clone()
    ends[..., -1] += 1e-6
    chosen = torch.sum(y[..., None] >= ends, dim=-1)[..., None] - 1

    def at(values):
        return values.gather(-1, chosen)[..., 0]

    width, height = at(widths), at(heights)
    slope, next_slope = at(slopes), at(slopes[..., 1:])
    mean_slope = at(heights / widths)
    rise = y - at(y_knots)
    # The spline's quadratic in the place within the bin, solved (Durkan et al., equations 6 to 8).
    bend = slope + next_slope - 2 * mean_slope
    a = rise * bend + height * (mean_slope - slope)
    b = height * slope - rise * bend
    c = -mean_slope * rise
    place = (2 * c) / (-b - torch.sqrt(b.pow(2) - 4 * a * c))
    return place * width + at(x_knots)


def knots_of(sizes):
    """unbounded sizes of the bins [..., 10] -> knots from -BOUND to BOUND [..., 11] and the sizes between them"""
    sizes = SMALLEST + (1 - SMALLEST * BINS) * F.softmax(sizes, dim=-1)
    knots = F.pad(torch.cumsum(sizes, dim=-1), (1, 0), value=0.0) * (2 * BOUND) - BOUND
    knots[..., 0] = -BOUND
    knots[..., -1] = BOUND
    return knots, knots[..., 1:] - knots[..., :-1]
