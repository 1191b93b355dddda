"""``mimir onpolicy``: a transition log of the agent's own episodes, to measure and recalibrate an estimator where it is used.

The rows are those of any log: the frames, the commands and the environment's claims as the agent met them, second looks among them; true
states, faults and the ideal detector's percepts in the ``privileged`` columns, which the agent never saw. Whoever replays the log updates
memory with the true Δ, as for every log; the agent's own memory was that of its estimates, and `records.jsonl` beside the log has what it
believed and wrote.
"""

from __future__ import annotations

import importlib.metadata
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import fault_setting, parse_arm
from mimir_learn.evaluation.jobs import EpisodeSettings, Job, sized_house
from mimir_learn.evaluation.provenance import git_state
from mimir_learn.evaluation.records import EpisodeKey, Record, RecordFile
from mimir_learn.evaluation.suite import Certificate, Suite, SuiteTask
from mimir_learn.feedback.gate import GateConfig
from mimir_learn.logs import LogOrigin, write_meta
from mimir_learn.logs.meta import shard_path
from mimir_learn.logs.schema import CHUNK_SIZE
from mimir_learn.logs.splits import SPLITS, house_seed, split_of
from mimir_learn.logs.writer import EpisodeHeader, EpisodeRecorder, ShardWriter
from mimir_learn.symbols import Action, Observation, Outcome, Percept, Place, PrivilegedState

INSTRUCTION = "Do one household task; Mimir acts."
_PER_SHARD = 8


@dataclass(frozen=True)
class OnPolicyConfig:
    """Episodes of the agent with the learned Δ, as a transition log.

    Attributes:
        checkpoint: folder of the estimator.
        out: folder of the log, new or empty.
        split: houses of this split, with tasks drawn for each.
        houses: how many. tasks: how many tasks in each.
        suite: the tasks of this suite instead (``tasks`` of them in all, spread as `Suite.select` does); its houses then decide the split.
        faults: fault level, or the name of a fault suite.
        steps: actions after which an episode is cut off.
        seed: of the tasks and of the fault draws.
        image_size: frames, pixels.
        gate: the gate of the agent.
        n_jobs: worker processes, one thread each; -1 = one per core.
    """

    checkpoint: str = "runs/train/model"
    out: str = "data/logs/onpolicy"
    split: str = "calibration"
    houses: int = 12
    tasks: int = 5
    suite: str | None = None
    faults: float | str = "rough"
    steps: int = 40
    seed: int = 0
    image_size: int = 128
    gate: GateConfig = field(default_factory=GateConfig)
    n_jobs: int = -1

    def __post_init__(self) -> None:
        for name in ("houses", "tasks", "steps"):
            whole(name, getattr(self, name), 1)
        whole("seed", self.seed, 0)
        if self.split not in SPLITS:
            raise ConfigError(f"split is {self.split!r}; known: {', '.join(SPLITS)}")
        if self.n_jobs == 0 or self.n_jobs < -1:
            raise ConfigError(f"n_jobs is {self.n_jobs}; give a number of processes, or -1 for one per core")
        fault_setting(self.faults, "faults")


@dataclass(frozen=True, eq=False)
class Moment:
    """One row of an episode as it is recorded: the action and its outcome (None for the first), and the frame and the truth after it."""

    action: Action | None
    command: str
    outcome: Outcome | None
    observation: Observation
    percept: Percept
    state: PrivilegedState


def collect_onpolicy(config: OnPolicyConfig, *, progress: bool = True) -> Path:
    """Run the episodes and write the log and ``records.jsonl`` into ``config.out``; returns that folder.

    What can be known to fail fails before a worker process starts. Raises ConfigError (settings; a suite; a folder that is not empty or
    cannot be made; a gate level that the calibration does not have), CheckpointError, SimulatorError.
    """
    root = Path(config.out)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise ConfigError(f"{root} is not empty; choose a new folder for the log")
    checkpoint = _usable(config)
    tasks = _tasks(config)
    _make(root)
    arm = parse_arm("learned", fault_setting(config.faults, "faults"))
    settings = EpisodeSettings(config.image_size, "full", checkpoint, config.gate)
    jobs = [Job(EpisodeKey("learned", t.task.id, config.seed), arm, t, settings) for t in tasks]
    records = RecordFile(root / "records.jsonl", {"config": asdict(config)}, {"git": git_state()})
    with tqdm(total=len(jobs), unit="episode", desc="on-policy", disable=not progress) as bar:
        row = number = 0
        episodes = _run(jobs, config.n_jobs)
        for file in range(-(-len(jobs) // _PER_SHARD)):
            with ShardWriter(shard_path(root, file // CHUNK_SIZE, file % CHUNK_SIZE), {"config_sha256": ""}) as shard:
                for job, (record, places, moments) in islice(episodes, _PER_SHARD):
                    records.append(record)
                    bar.update()
                    if len(moments) < 2:  # nothing was to be done
                        continue
                    header = EpisodeHeader(number, row, job.task.house_seed, int(record["fault_seed"]), job.task.task, places)
                    shard.write(_recorded(header, moments).finish())
                    number, row = number + 1, row + len(moments)
    write_meta(root, _origin(config))
    return root


def _make(root: Path) -> None:
    """Raises ConfigError for a folder that cannot be made, or that nothing can be written into."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as e:
        raise ConfigError(f"out={root} cannot be written ({e.strerror or e}); choose another folder for the log") from e


def _usable(config: OnPolicyConfig) -> str:
    """Folder of the estimator, downloaded once where it is a hub's. Raises CheckpointError, or ConfigError for a level of the gate."""
    from mimir_learn.envs.household import VOCABULARY
    from mimir_learn.estimator.export import local_folder
    from mimir_learn.estimator.predict import Predictor
    from mimir_learn.symbols.families import FAMILIES

    folder = local_folder(config.checkpoint)
    calibration = Predictor.load(folder, VOCABULARY).calibration
    level = config.gate.risk
    if level is not None:
        known = sorted({k for f in FAMILIES for k, _ in calibration.certified(f)}) if calibration is not None else []
        if level not in known:
            has = ", ".join(f"{k:g}" for k in known) or "none"
            raise ConfigError(
                f"gate.risk is {level:g}, and the calibration of {config.checkpoint} has thresholds for {has}; make it again with "
                f"`mimir calibrate {config.checkpoint} --log LOG`, or choose a level it has, or gate.risk null"
            )
    return str(folder)


def _run(jobs: Sequence[Job], n_jobs: int) -> Iterator[tuple[Job, tuple[Record, tuple[Place, ...], list[Moment]]]]:
    pool = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    return zip(jobs, pool(delayed(_episode)(job) for job in jobs), strict=True)


def _episode(job: Job) -> tuple[Record, tuple[Place, ...], list[Moment]]:
    from mimir_learn.evaluation.episode import environment, episode_seed, run_job

    env = environment(job.settings.image_size)
    moments: list[Moment] = []
    known: list[Place] = []

    def start(observation: Observation, percept: Percept, state: PrivilegedState, places: tuple[Place, ...]) -> None:
        known.extend(places)
        moments.append(Moment(None, "", None, observation, percept, state))

    def step(seen: Any, *_: Any) -> None:
        moments.append(Moment(seen.action, seen.command, seen.outcome, seen.after, env.visible_entities(), env.privileged_state()))

    record = run_job(job, step, start)
    return {**record, "fault_seed": episode_seed(job.task.task.id, job.key.seed)}, tuple(known), moments


def _recorded(header: EpisodeHeader, moments: Sequence[Moment]) -> EpisodeRecorder:
    first = moments[0]
    recorder = EpisodeRecorder(header, first.observation, first.percept, first.state)
    for m in moments[1:]:
        assert m.action is not None and m.outcome is not None
        recorder.add(m.action, m.command, m.outcome, m.observation, m.percept, m.state)
    return recorder


def _tasks(config: OnPolicyConfig) -> tuple[SuiteTask, ...]:
    if config.suite is not None:
        tasks = Suite.load(Path(config.suite)).select(None, config.tasks)
        if len(splits := sorted({split_of(t.house_seed) for t in tasks})) > 1:
            raise ConfigError(f"{config.suite} has houses of the splits {', '.join(splits)}; give a suite of one split")
        return tasks
    from mimir_learn.envs.household.tasks import sample_tasks

    out = []
    for number in range(config.houses):
        seed = house_seed(config.split, number)
        rng = np.random.default_rng([config.seed, seed])
        out += [SuiteTask(t, seed, "", config.steps, Certificate(0)) for t in sample_tasks(sized_house(seed, None), rng, config.tasks)]
    return tuple(out)


def _origin(config: OnPolicyConfig) -> LogOrigin:
    from mimir_learn.envs.household import VOCABULARY

    body = asdict(config)
    for name in ("out", "n_jobs"):
        del body[name]
    return LogOrigin(
        vocabulary=VOCABULARY, image_size=config.image_size, instructions=(INSTRUCTION,), simulator="mujoco",
        simulator_version=importlib.metadata.version("mujoco"), commit=str(git_state()["commit"] or "unknown"), config=body,
        faults=str(config.faults),
    )  # fmt: skip
