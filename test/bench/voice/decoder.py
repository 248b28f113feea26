"""The decoder: the generator of HiFi-GAN (Kong et al. 2020, section 2.2 and appendix A)."""
import torch
import torch.nn.functional as F
from torch import nn

SLOPE = 0.1


def same(channels, kernel, dilation):
    return nn.Conv1d(channels, channels, kernel, dilation=dilation, padding=(kernel - 1) * dilation // 2)


class ResBlock1(nn.Module):
    """Pairs of convolutions, the first of each pair dilated."""

    def __init__(self, channels, kernel, dilations):
        super().__init__()
        self.convs1 = nn.ModuleList(same(channels, kernel, dilation) for dilation in dilations)
        self.convs2 = nn.ModuleList(same(channels, kernel, 1) for _ in dilations)

    def forward(self, x):
        for first, second in zip(self.convs1, self.convs2):
            x = second(F.leaky_relu(first(F.leaky_relu(x, SLOPE)), SLOPE)) + x
        return x


class ResBlock2(nn.Module):
    def __init__(self, channels, kernel, dilations):
        super().__init__()
        self.convs = nn.ModuleList(same(channels, kernel, dilation) for dilation in dilations)

    def forward(self, x):
        for conv in self.convs:
            x = conv(F.leaky_relu(x, SLOPE)) + x
        return x


class Decoder(nn.Module):
    def __init__(self, inter, channels, resblock, kernels, dilations, upsample_rates, upsample_kernels, speaker_channels):
        """resblock: 1 or 2; dilations: one tuple for each of the kernels"""
        super().__init__()
        block = {1: ResBlock1, 2: ResBlock2}[resblock]
        self.block_count = len(kernels)
        self.conv_pre = nn.Conv1d(inter, channels, 7, padding=3)
        if speaker_channels:
            self.cond = nn.Conv1d(speaker_channels, channels, 1)
        self.ups, self.resblocks = nn.ModuleList(), nn.ModuleList()
        for rate, kernel in zip(upsample_rates, upsample_kernels):
            self.ups.append(nn.ConvTranspose1d(channels, channels // 2, kernel, rate, padding=(kernel - rate) // 2))
            channels //= 2
            self.resblocks.extend(block(channels, k, d) for k, d in zip(kernels, dilations))
        self.conv_post = nn.Conv1d(channels, 1, 7, padding=3, bias=False)
        for conv in self.modules():
            if isinstance(conv, (nn.Conv1d, nn.ConvTranspose1d)):
                keep_level(conv)

    def forward(self, x, speaker):
        """x [B, inter, T] -> samples [B, 1, T times the product of the rates], -1 to 1"""
        x = self.conv_pre(x)
        if speaker is not None:
            x = x + self.cond(speaker)
        for stage, up in enumerate(self.ups):
            x = up(F.leaky_relu(x, SLOPE))
            blocks = self.resblocks[stage * self.block_count : (stage + 1) * self.block_count]
            x = sum_of(block(x) for block in blocks) / self.block_count
        return torch.tanh(self.conv_post(F.leaky_relu(x)))


def sum_of(tensors):
    first, *others = tensors
    for other in others:
        first = first + other
    return first


def keep_level(conv):
    """Random weights that leave a signal about as loud as it was (He et al. 2015)."""
    taps = conv.in_channels * conv.kernel_size[0]
    if isinstance(conv, nn.ConvTranspose1d):
        taps /= conv.stride[0]
    nn.init.normal_(conv.weight, 0, (2 / (1 + SLOPE**2) / taps) ** 0.5)
    if conv.bias is not None:
        nn.init.normal_(conv.bias, 0, 0.01)
