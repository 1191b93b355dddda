"""`EfficientNetLite0`: the first eleven blocks of EfficientNet-Lite0 (no squeeze-and-excite, ReLU6), up to stride 16.

Right for pretrained weights to the bit of the padding: TensorFlow's SAME pads an even side only on the right and at the bottom.
"""

from __future__ import annotations

import re

import torch.nn.functional as F
from torch import Tensor, nn

from mimir_learn.errors import CheckpointError
from mimir_learn.estimator.backbones.base import Pretrained
from mimir_learn.estimator.config import EstimatorConfig

_STAGES = ((1, 16, 3, 1, 1), (6, 24, 3, 2, 2), (6, 40, 5, 2, 2), (6, 80, 3, 2, 3), (6, 112, 5, 1, 3))  # expand, out, kernel, stride, times
_FINE = 5  # blocks up to the last one at stride 8
_EPS = 1e-3
_STEM = {"_conv_stem": "stem.conv", "_bn0": "stem.norm"}
_LAYERS = {
    "_expand_conv": "expand.conv", "_bn0": "expand.norm", "_depthwise_conv": "depthwise.conv", "_bn1": "depthwise.norm",
    "_project_conv": "project.conv", "_bn2": "project.norm",
}  # fmt: skip


class _SameConv(nn.Module):
    def __init__(self, inp: int, out: int, kernel: int = 1, stride: int = 1, groups: int = 1, relu: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inp, out, kernel, stride, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(out, eps=_EPS, momentum=0.01)
        self.kernel, self.stride, self.relu = kernel, stride, relu

    def forward(self, x: Tensor) -> Tensor:
        more = max((-(-x.shape[-1] // self.stride) - 1) * self.stride + self.kernel - x.shape[-1], 0)
        if more:
            x = F.pad(x, (more // 2, more - more // 2, more // 2, more - more // 2))
        x = self.norm(self.conv(x))
        return F.relu6(x) if self.relu else x


class _Block(nn.Module):
    def __init__(self, inp: int, out: int, expand: int, kernel: int, stride: int) -> None:
        super().__init__()
        wide = inp * expand
        self.expand = _SameConv(inp, wide) if expand > 1 else nn.Identity()
        self.depthwise = _SameConv(wide, wide, kernel, stride, groups=wide)
        self.project = _SameConv(wide, out, relu=False)
        self.skip = stride == 1 and inp == out

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.project(self.depthwise(self.expand(x)))
        return y + x if self.skip else y


class EfficientNetLite0(Pretrained):
    """Tokens at stride 16 (112 channels), the finer map at stride 8 (40 channels); an ``image_px`` of 128 gives 8 × 8 tokens."""

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__(config, mean=(127.0,) * 3, std=(128.0,) * 3)
        self.net = nn.ModuleDict({"stem": _SameConv(3, 32, 3, 2), "blocks": nn.ModuleList(_make_blocks())})
        self.settle()

    def maps(self, x_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        x = self.net["stem"](x_N3HW)  # type: ignore[index]
        fine = x
        for i, block in enumerate(self.blocks()):
            x = block(x)
            if i + 1 == _FINE:
                fine = x
        return x, fine

    def blocks(self) -> list[nn.Module]:
        return list(self.net["blocks"])  # type: ignore[index]

    def load(self, state: dict[str, Tensor], source: str) -> None:
        """Weights under the published port's names. Raises CheckpointError when they do not fit."""
        try:
            self.net.load_state_dict(self.renamed(state))
        except RuntimeError as e:
            raise CheckpointError(f"{source}: these are not the weights of an EfficientNet-Lite0 ({' '.join(str(e).split())[:200]})") from e

    @staticmethod
    def renamed(state: dict[str, Tensor]) -> dict[str, Tensor]:
        """Weights under the names of the published PyTorch port → ours, for the blocks that are used."""
        out: dict[str, Tensor] = {}
        count = sum(times for *_, times in _STAGES)
        for key, tensor in state.items():
            block = re.fullmatch(r"_blocks\.(\d+)\.(\w+?)\.(\w+)", key)
            if block and int(block[1]) < count:
                out[f"blocks.{block[1]}.{_LAYERS[block[2]]}.{block[3]}"] = tensor
            elif key.startswith(("_conv_stem.", "_bn0.")):
                name, leaf = key.split(".")
                out[f"{_STEM[name]}.{leaf}"] = tensor
        return out


def _make_blocks() -> list[nn.Module]:
    out: list[nn.Module] = []
    inp = 32
    for expand, channels, kernel, stride, times in _STAGES:
        for i in range(times):
            out.append(_Block(inp, channels, expand, kernel, stride if i == 0 else 1))
            inp = channels
    return out
