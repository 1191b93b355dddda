"""The embedded household: procedural homes in MuJoCo, with skills, faults and a sealed truth. Imports without torch."""

from mimir_learn.envs.household.env import HouseholdConfig, HouseholdEnv
from mimir_learn.envs.household.faults import FaultRates
from mimir_learn.envs.household.generate import generate_house
from mimir_learn.envs.household.spec import FixtureSpec, HouseSpec, RoomSpec, ThingSpec
from mimir_learn.envs.household.vocabulary import VOCABULARY

__all__ = [
    "VOCABULARY",
    "FaultRates",
    "FixtureSpec",
    "HouseSpec",
    "HouseholdConfig",
    "HouseholdEnv",
    "RoomSpec",
    "ThingSpec",
    "generate_house",
]
