"""`Torchvision`: classification networks of torchvision that are a chain of stages: ResNet, ConvNeXt, EfficientNet, MobileNet."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.backbones.base import Pretrained
from mimir_learn.estimator.backbones.sources import IMAGENET, package_of, read_weights
from mimir_learn.estimator.config import EstimatorConfig

_RESNET = ("conv1", "bn1", "relu", "maxpool", "layer1", "layer2", "layer3")
_PROBE = 64


class Torchvision(Pretrained):
    """Tokens at stride 16, the finer map at stride 8, whatever the network; later stages are cut off.

    An ``image_px`` of 128 gives 8 × 8 tokens, 224 gives 14 × 14.
    """

    def __init__(self, config: EstimatorConfig, name: str) -> None:
        super().__init__(config, [255 * x for x in IMAGENET["mean"]], [255 * x for x in IMAGENET["std"]])
        from torchvision.models import get_model

        self.name = name
        try:
            whole = get_model(name, weights=None)
        except ValueError:
            raise ConfigError(f"estimator.backbone: torchvision has no model {name!r}; for example torchvision:resnet18") from None
        self.net, self.fine_at = _stages(whole, name)
        self.settle()

    def maps(self, x_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        fine = x_N3HW
        for i, stage in enumerate(_flat(self.net)):
            x_N3HW = stage(x_N3HW)
            if i == self.fine_at:
                fine = x_N3HW
        return x_N3HW, fine

    def blocks(self) -> list[nn.Module]:
        return _flat(self.net)

    def load(self, spec: str) -> None:
        """Weights by the name of torchvision's enum (``IMAGENET1K_V1``, ``DEFAULT``), or from a file."""
        from torchvision.models import get_model_weights

        if package_of(spec) is not None:
            raise ConfigError(f"{spec} holds no weights of torchvision:{self.name}")
        if Path(spec).is_file():
            state = read_weights(Path(spec))
        else:
            known = get_model_weights(self.name)
            if spec not in known.__members__:
                names = ", ".join(known.__members__)
                raise CheckpointError(f"estimator.backbone_weights: {spec!r} is no file and none of torchvision:{self.name}'s ({names})")
            try:
                state = dict(known[spec].get_state_dict(progress=False, check_hash=True))
            except (OSError, RuntimeError) as e:
                raise CheckpointError(f"torchvision:{self.name}: {spec} could not be downloaded ({e}); give a local file instead") from e
        wanted = self.net.state_dict()
        if missing := sorted(set(wanted) - set(state)):
            raise CheckpointError(f"{spec}: lacks {len(missing)} of {len(wanted)} tensors of torchvision:{self.name} ({missing[0]}, …)")
        self.net.load_state_dict({k: state[k] for k in wanted})


def _flat(net: nn.Module) -> list[nn.Module]:
    inner = getattr(net, "features", None)
    return list(inner.children() if isinstance(inner, nn.Module) else net.children())


def _stages(whole: nn.Module, name: str) -> tuple[nn.Module, int]:
    """The stages up to the last one at stride 16, under their own names, and which is the last at stride 8."""
    features = getattr(whole, "features", None)
    if isinstance(features, nn.Sequential):
        chain = dict(features.named_children())
    elif all(hasattr(whole, n) for n in _RESNET):
        chain = {n: getattr(whole, n) for n in _RESNET}
    else:
        raise ConfigError(f"estimator.backbone: torchvision:{name} is no chain of stages; use a ResNet, ConvNeXt or EfficientNet")
    sides: list[int] = []
    x = torch.zeros(1, 3, _PROBE, _PROBE)
    with torch.no_grad():
        whole.eval()
        for stage in chain.values():
            x = stage(x)
            sides.append(x.shape[-1] if x.dim() == 4 else 0)
    try:
        last, fine = (len(sides) - 1 - sides[::-1].index(_PROBE // stride) for stride in (16, 8))
    except ValueError:
        raise ConfigError(f"estimator.backbone: torchvision:{name} has no maps at strides 8 and 16") from None
    kept = {n: m for i, (n, m) in enumerate(chain.items()) if i <= last}
    net = nn.Module()
    if isinstance(features, nn.Sequential):
        net.features = nn.Module()
    for n, module in kept.items():
        (net.features if isinstance(features, nn.Sequential) else net).add_module(n, module)  # type: ignore[union-attr]
    return net, fine
